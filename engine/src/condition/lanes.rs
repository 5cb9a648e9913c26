//! A loop over cells of a size that no vector instruction loads: several cells are tested, and the
//! results are combined with the bits of the cells as vectors.

/// The number of results that are combined at once.
const LANES: usize = 64;

/// Clears the bits of the cells of `size` bytes for which `holds` does not return `expected`.
/// `ABREAST` cells are tested at a time. Call it from code that is compiled for wide vectors and
/// that has checked `size`.
#[inline(always)]
pub(super) fn select<const ABREAST: usize>(
    size: usize,
    data: &[u8],
    selected: &mut [u8],
    expected: bool,
    holds: impl Fn(&[u8]) -> bool,
) {
    let negated = u8::from(!expected);
    let mut matches = [0u8; LANES];
    let mut blocks = data.chunks_exact(size * LANES);
    let (whole, rest) = selected.as_chunks_mut::<LANES>();
    for (bits, cells) in whole.iter_mut().zip(&mut blocks) {
        for (chunk, cells) in matches
            .as_chunks_mut::<ABREAST>()
            .0
            .iter_mut()
            .zip(cells.chunks_exact(size * ABREAST))
        {
            for (index, matched) in chunk.iter_mut().enumerate() {
                *matched = u8::from(holds(&cells[index * size..(index + 1) * size]));
            }
        }
        for (bit, matched) in bits.iter_mut().zip(&matches) {
            *bit &= matched ^ negated;
        }
    }
    for (bit, cell) in rest.iter_mut().zip(blocks.remainder().chunks_exact(size)) {
        *bit &= u8::from(holds(cell)) ^ negated;
    }
}

/// Returns the eight bytes of a string at `offset` as a little-endian integer.
#[inline(always)]
pub(super) fn word(text: &[u8], offset: usize) -> u64 {
    let word = text[offset..].first_chunk();
    word.map_or(0, |word| u64::from_le_bytes(*word))
}

/// Returns a cell of up to eight bytes as a little-endian integer.
#[inline(always)]
pub(super) fn number(cell: &[u8]) -> u64 {
    #[inline(always)]
    fn first<const N: usize>(cell: &[u8]) -> [u8; N] {
        cell.first_chunk().copied().unwrap_or([0; N])
    }
    #[inline(always)]
    fn last<const N: usize>(cell: &[u8]) -> [u8; N] {
        cell.last_chunk().copied().unwrap_or([0; N])
    }
    // Combine two overlapping parts.
    match cell.len() {
        0 => 0,
        1 => u64::from(cell[0]),
        2 => u64::from(u16::from_le_bytes(first(cell))),
        3 => u64::from(u16::from_le_bytes(first(cell))) | u64::from(cell[2]) << 16,
        size @ 4..=7 => {
            let last = u64::from(u32::from_le_bytes(last(cell)));
            u64::from(u32::from_le_bytes(first(cell))) | last << (8 * (size - 4))
        }
        _ => u64::from_le_bytes(first(cell)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_zero_extended_integers() {
        for size in 0..=8 {
            let cell: Vec<u8> = (0xf1..).take(size).collect();
            let mut word = [0; 8];
            word[..size].copy_from_slice(&cell);
            assert_eq!(number(&cell), u64::from_le_bytes(word), "{size}");
        }
    }
}
