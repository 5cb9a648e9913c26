//! Order-preserving integer keys of strings. Most strings are short enough for the key to hold them
//! completely, and integers are compared and hashed without a loop.

/// The number of bytes of a string that its key holds.
const HEAD: usize = size_of::<u128>() - 1;

/// Returns the key of the string at `bytes[start..start + len]`: its first 15 bytes in big-endian
/// order, padded with zeros, followed by its length in the lowest byte, at most 16. Keys compare as
/// their strings do, except that different strings of more than 15 bytes may have equal keys.
#[inline(always)]
pub fn text_key(bytes: &[u8], start: usize, len: usize) -> u128 {
    let rest = bytes.get(start..).unwrap_or_default();
    let word = match rest.first_chunk() {
        Some(word) => u128::from_le_bytes(*word),
        None => padded(rest),
    };
    let head = word & LOWEST[len.min(HEAD)];
    head.swap_bytes() | len.min(HEAD + 1) as u128
}

/// Returns whether the key holds the complete string, so that no other string has the same key.
#[inline(always)]
pub fn is_exact_key(key: u128) -> bool {
    key as u8 as usize <= HEAD
}

/// Masks of the lowest `n` bytes of a word, indexed by `n`.
const LOWEST: [u128; HEAD + 1] = {
    let mut masks = [0; HEAD + 1];
    let mut len = 1;
    while len <= HEAD {
        masks[len] = (1 << (8 * len)) - 1;
        len += 1;
    }
    masks
};

/// Loads a word at the end of the bytes, where fewer than 16 are left, padded with zeros.
#[cold]
fn padded(rest: &[u8]) -> u128 {
    let mut word = [0; size_of::<u128>()];
    word[..rest.len()].copy_from_slice(rest);
    u128::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_compare_as_strings_at_any_offset() {
        let pieces: [&[u8]; 6] = [b"", b"\0", b"a", b"\xff\xff", b"ab\0cd", b"zebra crossin"];
        let mut texts: Vec<Vec<u8>> = Vec::new();
        for first in pieces {
            for second in pieces {
                for third in pieces {
                    texts.push([first, second, third].concat());
                }
            }
        }
        let key_of = |text: &[u8], after: usize| {
            let bytes = [&[7; 3], text, &vec![9; after]].concat();
            text_key(&bytes, 3, text.len())
        };
        for a in &texts {
            let key = key_of(a, 0);
            assert_eq!(is_exact_key(key), a.len() < 16);
            for after in [1, 15, 16, 40] {
                assert_eq!(key_of(a, after), key, "{a:?}");
            }
            for b in &texts {
                let other = key_of(b, 20);
                if is_exact_key(key) || is_exact_key(other) {
                    assert_eq!(key.cmp(&other), a.cmp(b), "{a:?}, {b:?}");
                } else {
                    assert!(a > b || key <= other, "{a:?}, {b:?}");
                }
            }
        }
        assert_eq!(text_key(b"abc", 9, 0), 0);
    }
}
