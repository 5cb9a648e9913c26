//! RLE: runs of equal cells. Each run is the cell, then the number of times it stands there as two bytes, the high one
//! first; longer runs are split.

use super::{damaged, wrong_len};
use crate::error::{Error, Result};

const NAME: &str = "RLE";
const LONGEST: usize = u16::MAX as usize;

pub(super) fn compress(cell_size: usize, part: &[u8], to: &mut Vec<u8>) -> Result<()> {
    if cell_size == 0 || !part.len().is_multiple_of(cell_size) {
        return Err(Error::usage(
            "RLEException",
            "Failed compressing with RLE; invalid input buffer format",
        ));
    }
    let mut rest = part;
    while let Some(cell) = rest.get(..cell_size).filter(|cell| !cell.is_empty()) {
        let run = match cell {
            [byte] => run_of_bytes(rest, *byte),
            _ => rest
                .chunks_exact(cell_size)
                .take(LONGEST)
                .take_while(|next| *next == cell)
                .count(),
        };
        to.extend_from_slice(cell);
        to.extend_from_slice(&[(run >> 8) as u8, run as u8]);
        rest = rest.get(run * cell_size..).unwrap_or_default();
    }
    Ok(())
}

/// How often a byte stands at the start of `bytes`; validity vectors are long runs, so many are looked at at once.
fn run_of_bytes(bytes: &[u8], byte: u8) -> usize {
    let bytes = &bytes[..bytes.len().min(LONGEST)];
    let blocks = bytes.as_chunks::<32>().0.iter();
    let whole = 32 * blocks.take_while(|block| **block == [byte; 32]).count();
    whole
        + bytes[whole..]
            .iter()
            .take_while(|next| **next == byte)
            .count()
}

pub(super) fn decompress(cell_size: usize, part: &[u8], to: &mut [u8]) -> Result<()> {
    let run_size = cell_size + 2;
    if cell_size == 0 || !part.len().is_multiple_of(run_size) {
        return Err(damaged(
            NAME,
            format!("of {} bytes is not made of runs", part.len()),
        ));
    }
    let len = to.len();
    let mut rest = to;
    for run in part.chunks_exact(run_size) {
        let (cell, times) = run.split_at(cell_size);
        let times = usize::from(times[0]) << 8 | usize::from(times[1]);
        let (place, later) = rest
            .split_at_mut_checked(times * cell_size)
            .ok_or_else(|| damaged(NAME, format!("holds more than {len} bytes")))?;
        match cell {
            [byte] => place.fill(*byte),
            _ => place
                .chunks_exact_mut(cell_size)
                .for_each(|to| to.copy_from_slice(cell)),
        }
        rest = later;
    }
    match rest.len() {
        0 => Ok(()),
        missing => Err(wrong_len(NAME, len - missing, len)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compressed(cell_size: usize, part: &[u8]) -> Vec<u8> {
        let mut to = Vec::new();
        compress(cell_size, part, &mut to).expect("whole cells");
        to
    }

    #[test]
    fn runs_have_their_length_high_byte_first() {
        assert_eq!(compressed(1, &[1; 300]), [1, 1, 44]);
        assert_eq!(compressed(2, &[7, 8, 7, 8, 9, 9]), [7, 8, 0, 2, 9, 9, 0, 1]);
    }

    #[test]
    fn long_runs_are_split_and_come_back() {
        let part = vec![5; 70_000];
        let stored = compressed(1, &part);
        assert_eq!(stored, [5, 255, 255, 5, 17, 113]);
        let mut back = vec![0; part.len()];
        decompress(1, &stored, &mut back).expect("whole runs");
        assert_eq!(back, part);
    }

    #[test]
    fn runs_that_do_not_fit_are_errors() {
        assert!(decompress(1, &[1, 0, 3], &mut [0; 2]).is_err());
        assert!(decompress(1, &[1, 0, 3], &mut [0; 4]).is_err());
        assert!(decompress(1, &[1, 0], &mut [0; 4]).is_err());
        assert!(compress(4, &[1, 2, 3], &mut Vec::new()).is_err());
    }
}
