//! The selected cells of a tile or of a part of it.

use std::ops::Range;

use crate::error::Result;
use crate::memory::pool;

/// The selected cells among a number of consecutive cells.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) enum Selection {
    /// No cell.
    #[default]
    None,
    /// Every cell.
    All,
    /// The cells of these runs, which are ascending and disjoint.
    Runs(Vec<Range<u32>>),
    /// The cells whose byte is 1; the other bytes are 0.
    Mask(Vec<u8>),
}

impl Selection {
    /// Returns the number of selected cells among `cell_num`.
    pub(crate) fn count(&self, cell_num: usize) -> usize {
        match self {
            Self::None => 0,
            Self::All => cell_num,
            Self::Runs(runs) => runs.iter().map(|run| run.len()).sum(),
            Self::Mask(mask) => mask.iter().map(|byte| usize::from(*byte)).sum(),
        }
    }

    /// Converts a mask to runs, which take less memory if few or neighbouring cells are selected.
    /// The memory of the mask goes to the buffer pool.
    pub(crate) fn into_runs(self) -> Self {
        match self {
            Self::Mask(mask) => {
                let runs = runs_of(&mask);
                pool::put_bytes(mask, usize::MAX);
                Self::Runs(runs)
            }
            other => other,
        }
    }

    /// Puts the memory of a mask into the buffer pool.
    pub(crate) fn recycle(self) {
        if let Self::Mask(mask) = self {
            pool::put_bytes(mask, usize::MAX);
        }
    }

    /// Calls `body` with each run of selected cells among `cell_num`, in ascending order.
    pub(crate) fn for_each_run<E>(
        &self,
        cell_num: usize,
        mut body: impl FnMut(Range<u32>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        match self {
            Self::None => Ok(()),
            Self::All => body(0..cell_num as u32),
            Self::Runs(runs) => runs.iter().cloned().try_for_each(body),
            Self::Mask(mask) => runs_of(mask).into_iter().try_for_each(body),
        }
    }
}

/// Returns a mask of `cell_num` selected cells, with memory from the buffer pool if possible.
///
/// # Errors
/// If memory cannot be allocated.
pub(crate) fn full_mask(cell_num: usize) -> Result<Vec<u8>> {
    let mut mask = pool::filled_bytes("the selected cells of a tile", cell_num)?;
    mask.fill(1);
    Ok(mask)
}

/// Returns the runs of bytes that are 1; the others are 0.
fn runs_of(mask: &[u8]) -> Vec<Range<u32>> {
    let mut runs: Vec<Range<u32>> = Vec::new();
    for (block, bytes) in mask.chunks(64).enumerate() {
        let mut bits = bits_of(bytes);
        let mut cell = (block * 64) as u32;
        while bits != 0 {
            let skipped = bits.trailing_zeros();
            cell += skipped;
            bits >>= skipped;
            let len = bits.trailing_ones();
            match runs.last_mut() {
                Some(last) if last.end == cell => last.end += len,
                _ => runs.push(cell..cell + len),
            }
            cell += len;
            bits = bits.checked_shr(len).unwrap_or(0);
        }
    }
    runs
}

/// Packs up to 64 bytes that are 0 or 1 into bits.
fn bits_of(bytes: &[u8]) -> u64 {
    // The product has the lowest bits of eight bytes in its highest byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let mut bits = 0;
    for (part, bytes) in bytes.chunks(8).enumerate() {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        bits |= (u64::from_le_bytes(word).wrapping_mul(GATHER) >> 56) << (8 * part);
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn runs(selection: &Selection, cell_num: usize) -> Vec<(u32, u32)> {
        let mut runs = Vec::new();
        let done: std::result::Result<(), std::convert::Infallible> =
            selection.for_each_run(cell_num, |run| {
                runs.push((run.start, run.end - run.start));
                Ok(())
            });
        let Ok(()) = done;
        runs
    }

    #[test]
    fn all_cells_are_one_run_and_an_empty_selection_has_no_runs() {
        assert_eq!(runs(&Selection::All, 7), [(0, 7)]);
        assert_eq!(Selection::All.count(7), 7);
        assert!(runs(&Selection::None, 7).is_empty());
        assert_eq!(Selection::None.count(7), 0);
    }

    #[test]
    fn runs_continue_across_blocks_of_64_cells() {
        let mut mask = vec![0; 130];
        mask[60..70].fill(1);
        mask[128..].fill(1);
        assert_eq!(runs(&Selection::Mask(mask), 130), [(60, 10), (128, 2)]);
    }

    #[test]
    fn full_masks_select_every_cell() {
        let mask = full_mask(5000).expect("memory");
        assert_eq!(Selection::Mask(mask).count(5000), 5000);
    }

    proptest! {
        /// The obvious way to find runs: cell by cell.
        #[test]
        fn runs_of_a_mask_equal_those_found_cell_by_cell(
            mask in proptest::collection::vec(0u8..2, 0..300),
        ) {
            let mut expected: Vec<(u32, u32)> = Vec::new();
            for (cell, byte) in (0u32..).zip(&mask) {
                match expected.last_mut() {
                    _ if *byte == 0 => {}
                    Some((start, len)) if *start + *len == cell => *len += 1,
                    _ => expected.push((cell, 1)),
                }
            }
            let (cell_num, selected) = (mask.len(), Selection::Mask(mask));
            let count = selected.count(cell_num);
            prop_assert_eq!(runs(&selected, cell_num), expected.clone());
            let selected = selected.into_runs();
            prop_assert_eq!(runs(&selected, cell_num), expected);
            prop_assert_eq!(selected.count(cell_num), count);
        }
    }
}
