//! The key of an encrypted array.

use std::fmt;

use zeroize::Zeroize;

/// A 256-bit key. Wiped from memory when dropped, never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct EncryptionKey(Box<[u8; 32]>);

impl EncryptionKey {
    /// Creates a key of exactly 32 bytes.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let mut key = Box::new([0; 32]);
        (bytes.len() == key.len()).then(|| {
            key.copy_from_slice(bytes);
            Self(key)
        })
    }

    /// Returns the bytes of the key.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl Drop for EncryptionKey {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for EncryptionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EncryptionKey")
    }
}
