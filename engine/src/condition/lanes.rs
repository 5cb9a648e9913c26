//! The loop over cells of one size that no vector instruction loads: several cells are asked side by side, and their answers
//! meet the bits of the cells as vectors.

/// How many answers meet the bits at once.
const LANES: usize = 64;

/// Clears the bits of the cells, `size` bytes each, for which `holds` does not answer `wanted`; `ABREAST` of them are asked
/// side by side. To be called where loops are compiled for wide vectors, with `size` checked there.
#[inline(always)]
pub(super) fn select<const ABREAST: usize>(
    size: usize,
    data: &[u8],
    selected: &mut [u8],
    wanted: bool,
    holds: impl Fn(&[u8]) -> bool,
) {
    let unwanted = u8::from(!wanted);
    let mut answers = [0u8; LANES];
    let mut blocks = data.chunks_exact(size * LANES);
    let (whole, rest) = selected.as_chunks_mut::<LANES>();
    for (bits, cells) in whole.iter_mut().zip(&mut blocks) {
        let abreast = answers.as_chunks_mut::<ABREAST>().0.iter_mut();
        for (answers, cells) in abreast.zip(cells.chunks_exact(size * ABREAST)) {
            for (at, answer) in answers.iter_mut().enumerate() {
                *answer = u8::from(holds(&cells[at * size..(at + 1) * size]));
            }
        }
        for (bit, answer) in bits.iter_mut().zip(&answers) {
            *bit &= answer ^ unwanted;
        }
    }
    for (bit, cell) in rest.iter_mut().zip(blocks.remainder().chunks_exact(size)) {
        *bit &= u8::from(holds(cell)) ^ unwanted;
    }
}

/// A cell of up to eight bytes as a number, its first byte lowest.
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
    // Of two parts, which overlap.
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
    fn cells_are_numbers_with_zeros_above_them() {
        for size in 0..=8 {
            let cell: Vec<u8> = (0xf1..).take(size).collect();
            let mut word = [0; 8];
            word[..size].copy_from_slice(&cell);
            assert_eq!(number(&cell), u64::from_le_bytes(word), "{size}");
        }
    }
}
