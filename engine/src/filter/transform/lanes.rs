//! Interleaving of 16 bytes at a time, on which both shuffles are based.

pub(super) use crate::bytes::lanes::{LANES, Lanes};
use crate::bytes::lanes::{unzip, zip};

/// Converts 16 values of `N` bytes (2, 4 or 8) to the row of their first bytes, the row of their
/// second bytes, and so on.
#[inline(always)]
pub(super) fn split<const N: usize>(mut values: [Lanes; N]) -> [Lanes; N] {
    let mut step = 1;
    while step < N {
        let from = values;
        for i in 0..N / 2 {
            (values[i], values[N / 2 + i]) = unzip(from[2 * i], from[2 * i + 1]);
        }
        step *= 2;
    }
    values
}

/// Reverses [`split`].
#[inline(always)]
pub(super) fn join<const N: usize>(mut rows: [Lanes; N]) -> [Lanes; N] {
    let mut step = 1;
    while step < N {
        let from = rows;
        for i in 0..N / 2 {
            (rows[2 * i], rows[2 * i + 1]) = zip(from[i], from[N / 2 + i]);
        }
        step *= 2;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_contain_the_bytes_of_one_position() {
        let values: [Lanes; 4] =
            std::array::from_fn(|i| std::array::from_fn(|j| (i * 16 + j) as u8));
        let rows = split(values);
        for (position, row) in rows.iter().enumerate() {
            assert_eq!(
                *row,
                std::array::from_fn(|value| (value * 4 + position) as u8)
            );
        }
        assert_eq!(join(rows), values);
    }
}
