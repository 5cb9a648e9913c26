//! Conversion of bytes to words, whose memory is aligned for every datatype, as C callers expect.
#![expect(
    clippy::host_endian_bytes,
    reason = "the bytes are to stand in memory as they came"
)]

/// Returns words that have these bytes in memory; the last word is padded with zeros.
pub fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.chunks(size_of::<u64>()).map(|part| {
        let mut word = [0; size_of::<u64>()];
        word[..part.len()].copy_from_slice(part);
        u64::from_ne_bytes(word)
    })
}

/// Returns the bytes of words as they stand in memory.
pub fn bytes_of_words(words: &[u64]) -> impl Iterator<Item = u8> {
    words.iter().flat_map(|word| word.to_ne_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_the_bytes_in_memory_and_are_padded_with_zeros() {
        let bytes: Vec<u8> = (1..=11).collect();
        let memory: Vec<u8> = words(&bytes).flat_map(u64::to_le_bytes).collect();
        assert_eq!(memory[..11], bytes);
        assert_eq!(memory[11..], [0; 5]);
        assert_eq!(words(&[]).count(), 0);
    }
}
