//! RLE: runs of equal cells. A run is stored as the cell and its number of repetitions as two
//! bytes, the high byte first; longer runs are split.

use crate::bytes::{ReusableBuffer, simd_dispatch, sized};
use crate::error::{CodecError, Result};

const MAX_RUN: usize = u16::MAX as usize;

pub(super) fn compress(cell_size: usize, part: &[u8], to: &mut ReusableBuffer) -> Result<()> {
    if cell_size == 0 || !part.len().is_multiple_of(cell_size) {
        return Err(CodecError::RleInput {
            cell_size,
            len: part.len(),
        }
        .into());
    }
    match cell_size {
        1 => put_byte_runs(part, to),
        _ => sized!(cell_size,
            N => put_runs::<N>(part, to),
            else => put_long_runs(cell_size, part, to)
        ),
    }
}

/// Compresses cells of one byte, such as validity vectors, whose runs are often short.
fn put_byte_runs(part: &[u8], to: &mut ReusableBuffer) -> Result<()> {
    let mut rest = part;
    while let Some(cell) = rest.first() {
        let run = byte_run_len(*cell, &rest[..rest.len().min(MAX_RUN)]);
        to.put(&[*cell, (run >> 8) as u8, run as u8])?;
        rest = &rest[run..];
    }
    Ok(())
}

/// Returns the number of leading `cells` that equal `cell`. Compares eight at once.
fn byte_run_len(cell: u8, cells: &[u8]) -> usize {
    let equal = u64::from_le_bytes([cell; 8]);
    let (words, rest) = cells.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let differing = u64::from_le_bytes(*word) ^ equal;
        if differing != 0 {
            return 8 * index + differing.trailing_zeros() as usize / 8;
        }
    }
    8 * words.len() + rest.iter().take_while(|next| **next == cell).count()
}

fn put_run(cell: &[u8], run: usize, to: &mut ReusableBuffer) -> Result<()> {
    to.put(cell)?;
    to.put(&[(run >> 8) as u8, run as u8])
}

fn put_runs<const N: usize>(part: &[u8], to: &mut ReusableBuffer) -> Result<()> {
    let mut rest = part.as_chunks::<N>().0;
    while let Some(cell) = rest.first() {
        let candidates = &rest[..rest.len().min(MAX_RUN)];
        let run = simd_dispatch(
            #[inline(always)]
            || run_len(cell, candidates),
        );
        put_run(cell, run, to)?;
        rest = &rest[run..];
    }
    Ok(())
}

/// Returns the number of leading `cells` that equal `cell`. Compares blocks of cells at once.
#[inline(always)]
fn run_len<const N: usize>(cell: &[u8; N], cells: &[[u8; N]]) -> usize {
    const BLOCK: usize = 32;
    // Without an early end, so that the loop is vectorised.
    let is_run = |block: &&[[u8; N]; BLOCK]| {
        let cells = block.iter();
        cells.fold(true, |all_equal, next| all_equal & (next == cell))
    };
    let blocks = cells.as_chunks::<BLOCK>().0.iter();
    let whole = BLOCK * blocks.take_while(is_run).count();
    let rest = cells[whole..].iter();
    whole + rest.take_while(|next| *next == cell).count()
}

fn put_long_runs(cell_size: usize, part: &[u8], to: &mut ReusableBuffer) -> Result<()> {
    let mut rest = part;
    while let Some(cell) = rest.get(..cell_size).filter(|cell| !cell.is_empty()) {
        let cells = rest.chunks_exact(cell_size).take(MAX_RUN);
        let run = cells.take_while(|next| *next == cell).count();
        put_run(cell, run, to)?;
        rest = rest.get(run * cell_size..).unwrap_or_default();
    }
    Ok(())
}

/// Returns the number of bytes written, or a description of the damage.
pub(super) fn decompress(
    cell_size: usize,
    part: &[u8],
    to: &mut [u8],
) -> std::result::Result<usize, String> {
    let run_size = cell_size + 2;
    if cell_size == 0 || !part.len().is_multiple_of(run_size) {
        let len = part.len();
        return Err(format!("of {len} bytes does not consist of runs"));
    }
    let len = to.len();
    let mut rest = to;
    for run in part.chunks_exact(run_size) {
        let (cell, times) = run.split_at(cell_size);
        let times = usize::from(times[0]) << 8 | usize::from(times[1]);
        let (output, remaining) = rest
            .split_at_mut_checked(times * cell_size)
            .ok_or_else(|| format!("holds more than {len} bytes"))?;
        sized!(cell_size,
            N => fill::<N>(cell, output),
            else => output
                .chunks_exact_mut(cell_size)
                .for_each(|to| to.copy_from_slice(cell))
        );
        rest = remaining;
    }
    Ok(len - rest.len())
}

/// Fills `output` with a cell of `N` bytes.
#[inline(always)]
fn fill<const N: usize>(cell: &[u8], output: &mut [u8]) {
    if let Some(cell) = cell.first_chunk::<N>() {
        output.as_chunks_mut().0.fill(*cell);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn compressed(cell_size: usize, part: &[u8]) -> Vec<u8> {
        let mut to = ReusableBuffer::new();
        compress(cell_size, part, &mut to).expect("whole cells");
        to.into_bytes()
    }

    #[test]
    fn runs_have_their_length_high_byte_first() {
        assert_eq!(compressed(1, &[1; 300]), [1, 1, 44]);
        assert_eq!(compressed(2, &[7, 8, 7, 8, 9, 9]), [7, 8, 0, 2, 9, 9, 0, 1]);
    }

    proptest! {
        #[test]
        fn runs_equal_those_of_a_comparison_cell_by_cell(
            runs in vec((0u8..3, prop_oneof![8 => 1usize..20, 2 => 60usize..80, 1 => Just(66_000)]), 0..8),
            cell_size in 1usize..10,
        ) {
            let cells = runs.iter().map(|(cell, len)| vec![*cell; cell_size * len]);
            let part: Vec<u8> = cells.flatten().collect();
            let mut expected = ReusableBuffer::new();
            put_long_runs(cell_size, &part, &mut expected).expect("memory");
            let stored = compressed(cell_size, &part);
            prop_assert!(stored == expected.into_bytes());
            let mut back = vec![7; part.len()];
            decompress(cell_size, &stored, &mut back).expect("whole runs");
            prop_assert!(back == part);
        }
    }

    #[test]
    fn long_runs_are_split_and_decompress() {
        let part = vec![5; 70_000];
        let stored = compressed(1, &part);
        assert_eq!(stored, [5, 255, 255, 5, 17, 113]);
        let mut back = vec![0; part.len()];
        decompress(1, &stored, &mut back).expect("whole runs");
        assert_eq!(back, part);
    }

    #[test]
    fn runs_of_a_wrong_length_are_errors() {
        assert!(decompress(1, &[1, 0, 3], &mut [0; 2]).is_err());
        assert_eq!(decompress(1, &[1, 0, 3], &mut [0; 4]), Ok(3));
        assert!(decompress(1, &[1, 0], &mut [0; 4]).is_err());
        assert!(compress(4, &[1, 2, 3], &mut ReusableBuffer::new()).is_err());
    }
}
