//! AES-256 in Galois/counter mode. `ring` selects CPU instructions at run time.
#![expect(unsafe_code, reason = "keys are wiped in place")]

use std::mem::{MaybeUninit, size_of};

use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom, SystemRandom};
use zeroize::Zeroize;

use crate::types::EncryptionKey;

/// The length of an initialisation vector in bytes.
pub(in super::super) const IV_LEN: usize = NONCE_LEN;
/// The length of an authentication tag in bytes.
pub(in super::super) const TAG_LEN: usize = 16;

/// An expanded key. Wiped from memory when dropped.
pub(in super::super) struct Cipher(Box<MaybeUninit<LessSafeKey>>);

impl Cipher {
    /// Expands a key. Returns `None` if the library rejects it.
    pub(in super::super) fn new(key: &EncryptionKey) -> Option<Self> {
        let expanded = UnboundKey::new(&AES_256_GCM, key.bytes()).ok()?;
        Some(Self(Box::new(MaybeUninit::new(LessSafeKey::new(expanded)))))
    }

    fn expanded(&self) -> &LessSafeKey {
        // SAFETY: initialised by `new`; uninitialised only during `drop`.
        unsafe { self.0.assume_init_ref() }
    }

    /// Encrypts in place under a random initialisation vector and returns the vector and the tag.
    /// Returns `None` if the system provides no randomness or the data is too long.
    pub(in super::super) fn seal(&self, data: &mut [u8]) -> Option<([u8; IV_LEN], [u8; TAG_LEN])> {
        // Requested from the operating system each time: buffered random bytes would be the same in
        // a forked child.
        let mut iv = [0; IV_LEN];
        SystemRandom::new().fill(&mut iv).ok()?;
        let nonce = Nonce::assume_unique_for_key(iv);
        let tag = self
            .expanded()
            .seal_in_place_separate_tag(nonce, Aad::empty(), data)
            .ok()?
            .as_ref()
            .try_into()
            .ok()?;
        Some((iv, tag))
    }

    /// Decrypts in place. If the tag does not match, clears the data and returns `None`.
    pub(in super::super) fn open(
        &self,
        iv: [u8; IV_LEN],
        tag: [u8; TAG_LEN],
        data: &mut [u8],
    ) -> Option<()> {
        let nonce = Nonce::assume_unique_for_key(iv);
        let opened =
            self.expanded()
                .open_in_place_separate_tag(nonce, Aad::empty(), tag.into(), data, 0..);
        match opened {
            Ok(_) => Some(()),
            Err(_) => {
                data.fill(0);
                None
            }
        }
    }
}

impl Drop for Cipher {
    fn drop(&mut self) {
        let start: *mut MaybeUninit<u8> = self.0.as_mut_ptr().cast();
        // SAFETY: the key is initialised and dropped once. The box is wiped through its own
        // pointer, and the bytes are not read afterwards.
        unsafe {
            self.0.assume_init_drop();
            std::slice::from_raw_parts_mut(start, size_of::<LessSafeKey>()).zeroize();
        }
    }
}

impl std::fmt::Debug for Cipher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Cipher")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ciphertext_of_the_specification_is_decrypted() {
        // Test case 14 of the GCM specification: a zero key, a zero vector and sixteen zero bytes.
        let key = EncryptionKey::new(&[0; 32]).expect("32 bytes");
        let cipher = Cipher::new(&key).expect("a key");
        let text = 0xcea7_403d_4d60_6b6e_074e_c5d3_baf3_9d18u128;
        let tag = 0xd0d1_c8a7_9999_6bf0_265b_98b5_d48a_b919u128;
        let bytes =
            |word: u128| -> [u8; 16] { std::array::from_fn(|i| (word >> (120 - 8 * i)) as u8) };
        let mut data = bytes(text);
        assert!(cipher.open([0; 12], bytes(tag), &mut data).is_some());
        assert_eq!(data, [0; 16]);
    }

    #[test]
    fn altered_ciphertext_is_rejected_and_cleared() {
        let key = EncryptionKey::new(&[7; 32]).expect("32 bytes");
        let cipher = Cipher::new(&key).expect("a key");
        for len in [0, 1, 15, 16, 17, 1000] {
            let plain: Vec<u8> = (0..len).map(|i| i as u8).collect();
            let mut data = plain.clone();
            let (iv, mut tag) = cipher.seal(&mut data).expect("randomness");
            assert!(len < 15 || data != plain);
            let stored = data.clone();
            assert!(cipher.open(iv, tag, &mut data).is_some());
            assert_eq!(data, plain);
            tag[3] ^= 1;
            data.copy_from_slice(&stored);
            assert!(cipher.open(iv, tag, &mut data).is_none());
            assert_eq!(data, vec![0; len]);
        }
    }
}
