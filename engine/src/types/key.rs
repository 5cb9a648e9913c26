//! The key of an encrypted array.

use std::fmt;
use std::sync::atomic::{Ordering, compiler_fence};

/// A 256-bit key. Wiped from memory when dropped, never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct EncryptionKey([u8; 32]);

impl EncryptionKey {
    /// A key of exactly 32 bytes.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The bytes of the key.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl Drop for EncryptionKey {
    fn drop(&mut self) {
        self.0 = std::hint::black_box([0; 32]);
        compiler_fence(Ordering::SeqCst);
    }
}

impl fmt::Debug for EncryptionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EncryptionKey")
    }
}
