//! RLE: runs of equal cells. Each run is the cell, then the number of times it stands there as two bytes, the high one
//! first; longer runs are split.

use super::super::words::word;
use super::{damaged, wrong_len};
use crate::bytes::{Room, widest};
use crate::error::{Error, Result};

const NAME: &str = "RLE";
const LONGEST: usize = u16::MAX as usize;

pub(super) fn compress(cell_size: usize, part: &[u8], to: &mut Room) -> Result<()> {
    if cell_size == 0 || !part.len().is_multiple_of(cell_size) {
        return Err(Error::usage(
            "RLEException",
            "Failed compressing with RLE; invalid input buffer format",
        ));
    }
    match cell_size {
        1 => put_runs::<1>(part, to),
        2 => put_runs::<2>(part, to),
        4 => put_runs::<4>(part, to),
        8 => put_runs::<8>(part, to),
        _ => put_long_runs(cell_size, part, to),
    }
    Ok(())
}

fn put_run(cell: &[u8], run: usize, to: &mut Room) {
    to.put(cell);
    to.put(&[(run >> 8) as u8, run as u8]);
}

fn put_runs<const N: usize>(part: &[u8], to: &mut Room) {
    let mut rest = part.as_chunks::<N>().0;
    while let Some(cell) = rest.first() {
        let most = &rest[..rest.len().min(LONGEST)];
        let run = widest(
            #[inline(always)]
            || run_len(cell, most),
        );
        put_run(cell, run, to);
        rest = &rest[run..];
    }
}

/// How often `cell` stands at the start of `cells`; validity vectors are long runs, so many are looked at at once.
#[inline(always)]
fn run_len<const N: usize>(cell: &[u8; N], cells: &[[u8; N]]) -> usize {
    const BLOCK: usize = 32;
    let wanted = word(cell);
    let is_run = |block: &[[u8; N]; BLOCK]| {
        let differ = block
            .iter()
            .fold(0, |differ, next| differ | (word(next) ^ wanted));
        differ == 0
    };
    let blocks = cells.as_chunks::<BLOCK>().0.iter();
    let whole = BLOCK * blocks.take_while(|block| is_run(block)).count();
    let rest = cells[whole..].iter();
    whole + rest.take_while(|next| *next == cell).count()
}

fn put_long_runs(cell_size: usize, part: &[u8], to: &mut Room) {
    let mut rest = part;
    while let Some(cell) = rest.get(..cell_size).filter(|cell| !cell.is_empty()) {
        let cells = rest.chunks_exact(cell_size).take(LONGEST);
        let run = cells.take_while(|next| *next == cell).count();
        put_run(cell, run, to);
        rest = rest.get(run * cell_size..).unwrap_or_default();
    }
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
        match cell_size {
            1 => fill::<1>(cell, place),
            2 => fill::<2>(cell, place),
            4 => fill::<4>(cell, place),
            8 => fill::<8>(cell, place),
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

/// Fills `place` with a cell of `N` bytes.
#[inline(always)]
fn fill<const N: usize>(cell: &[u8], place: &mut [u8]) {
    if let Some(cell) = cell.first_chunk::<N>() {
        place.as_chunks_mut().0.fill(*cell);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compressed(cell_size: usize, part: &[u8]) -> Vec<u8> {
        let mut to = Room::new();
        compress(cell_size, part, &mut to).expect("whole cells");
        to.into_bytes()
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
        assert!(compress(4, &[1, 2, 3], &mut Room::new()).is_err());
    }
}
