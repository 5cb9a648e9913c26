//! The search for a byte.

/// Returns the position of the first byte with a value. Blocks of bytes are compared at a time.
pub fn find_byte(bytes: &[u8], value: u8) -> Option<usize> {
    let (blocks, _) = bytes.as_chunks::<32>();
    let has = |block: &[u8; 32]| {
        block
            .iter()
            .map(|byte| *byte == value)
            .fold(false, |any, equal| any | equal)
    };
    let skipped = 32 * blocks.iter().take_while(|block| !has(block)).count();
    let rest = bytes.get(skipped..).unwrap_or_default();
    let found = rest.iter().position(|byte| *byte == value);
    found.map(|position| skipped + position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_with_a_value_is_found() {
        for len in 0..100 {
            let mut bytes = vec![1; len];
            assert_eq!(find_byte(&bytes, 2), None, "{len} bytes");
            for position in (0..len).rev() {
                bytes[position] = 2;
                assert_eq!(find_byte(&bytes, 2), Some(position), "{len} bytes");
            }
        }
    }
}
