//! Texts as numbers in their order: most texts are short, and a number is compared and hashed without a loop.

/// How many bytes of a text its number holds.
const HEAD: usize = size_of::<u128>() - 1;

/// A text as a number: its first bytes, the first of all highest, zeros behind the last, and its length lowest. Of two texts
/// the greater has the greater number, or the same where both are long.
#[inline(always)]
pub fn text_key(bytes: &[u8], at: usize, len: usize) -> u128 {
    let rest = bytes.get(at..).unwrap_or_default();
    let word = match rest.first_chunk() {
        Some(word) => u128::from_le_bytes(*word),
        None => padded(rest),
    };
    let head = word & LOWEST[len.min(HEAD)];
    head.swap_bytes() | len.min(HEAD + 1) as u128
}

/// Whether the number of a text holds all of it: no other text has the same.
#[inline(always)]
pub fn is_whole(key: u128) -> bool {
    key as u8 as usize <= HEAD
}

/// The lowest bytes of a word, by their number.
const LOWEST: [u128; HEAD + 1] = {
    let mut masks = [0; HEAD + 1];
    let mut len = 1;
    while len <= HEAD {
        masks[len] = (1 << (8 * len)) - 1;
        len += 1;
    }
    masks
};

/// At the end of the bytes, where a word cannot be loaded.
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
    fn numbers_of_texts_are_in_their_order_wherever_they_lie() {
        let pieces: [&[u8]; 6] = [b"", b"\0", b"a", b"\xff\xff", b"ab\0cd", b"zebra crossin"];
        let mut texts: Vec<Vec<u8>> = Vec::new();
        for first in pieces {
            for second in pieces {
                for third in pieces {
                    texts.push([first, second, third].concat());
                }
            }
        }
        let key_of = |text: &[u8], behind: usize| {
            let bytes = [&[7; 3], text, &vec![9; behind]].concat();
            text_key(&bytes, 3, text.len())
        };
        for a in &texts {
            let key = key_of(a, 0);
            assert_eq!(is_whole(key), a.len() < 16);
            for behind in [1, 15, 16, 40] {
                assert_eq!(key_of(a, behind), key, "{a:?}");
            }
            for b in &texts {
                let other = key_of(b, 20);
                match is_whole(key) || is_whole(other) {
                    true => assert_eq!(key.cmp(&other), a.cmp(b), "{a:?}, {b:?}"),
                    false => assert!(a > b || key <= other, "{a:?}, {b:?}"),
                }
            }
        }
        assert_eq!(text_key(b"abc", 9, 0), 0);
    }
}
