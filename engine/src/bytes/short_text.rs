//! Short texts as numbers: most texts are short, and a number is compared and hashed without a loop.

/// The longest text that fits.
pub const SHORT: usize = size_of::<u128>();

/// The text of `len` bytes at `at`, its first byte lowest and zeros behind its last; `None` where it is longer than [`SHORT`]
/// or leaves the bytes.
#[inline(always)]
pub fn short_text(bytes: &[u8], at: usize, len: usize) -> Option<u128> {
    let rest = bytes.get(at..).filter(|_| len <= SHORT)?;
    let word = match rest.first_chunk() {
        Some(word) => u128::from_le_bytes(*word),
        None => padded(rest.get(..len)?),
    };
    Some(word & LOWEST[len])
}

/// The lowest bytes of a word, by their number.
const LOWEST: [u128; SHORT + 1] = {
    let mut masks = [u128::MAX; SHORT + 1];
    let mut len = 0;
    while len < SHORT {
        masks[len] = (1 << (8 * len)) - 1;
        len += 1;
    }
    masks
};

/// At the end of the bytes, where a word cannot be loaded.
#[cold]
fn padded(text: &[u8]) -> u128 {
    let mut word = [0; SHORT];
    word[..text.len()].copy_from_slice(text);
    u128::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_fit_are_what_their_bytes_are_anywhere() {
        let bytes: Vec<u8> = (1..=40).collect();
        for at in 0..=bytes.len() {
            for len in 0..=bytes.len() {
                let text = bytes.get(at..at + len).filter(|text| text.len() <= SHORT);
                assert_eq!(short_text(&bytes, at, len), text.map(padded), "{at}, {len}");
            }
        }
        assert_eq!(short_text(&bytes, 41, 0), None);
    }
}
