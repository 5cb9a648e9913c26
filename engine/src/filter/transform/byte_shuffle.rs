//! Byte shuffle: the output of a part is the first bytes of all values, then the second bytes, and
//! so on. Bytes after the last whole value stay at the end.

use crate::bytes::lanes::{LANES, Lanes, unzip, zip};
use crate::bytes::{simd_dispatch, sized};

/// Writes the shuffled bytes of `from` to `to`, which has the same length.
pub(super) fn encode(value_size: usize, from: &[u8], to: &mut [u8]) {
    if value_size == 1 {
        return to.copy_from_slice(from);
    }
    simd_dispatch(
        #[inline(always)]
        || sized!(value_size, N => shuffle::<N>(from, to)),
    );
}

/// Reverses [`encode`].
pub(super) fn decode(value_size: usize, from: &[u8], to: &mut [u8]) {
    if value_size == 1 {
        return to.copy_from_slice(from);
    }
    simd_dispatch(
        #[inline(always)]
        || sized!(value_size, N => unshuffle::<N>(from, to)),
    );
}

/// Shuffles values of `N` bytes (2, 4 or 8): as many as possible 16 at a time, the rest one by one.
#[inline(always)]
pub(super) fn shuffle<const N: usize>(from: &[u8], to: &mut [u8]) {
    let value_num = from.len() / N;
    let (whole, tail) = from.split_at(value_num * N);
    let (planes, end) = to.split_at_mut(value_num * N);
    end.copy_from_slice(tail);
    let (registers, _) = whole.as_chunks::<LANES>();
    let (blocks, _) = registers.as_chunks::<N>();
    for (index, block) in blocks.iter().enumerate() {
        let rows = split(*block);
        for (plane, row) in planes.chunks_exact_mut(value_num).zip(&rows) {
            plane[index * LANES..(index + 1) * LANES].copy_from_slice(row);
        }
    }
    let done = blocks.len() * LANES;
    for (index, value) in whole.as_chunks::<N>().0.iter().enumerate().skip(done) {
        for (plane, byte) in planes.chunks_exact_mut(value_num).zip(value) {
            plane[index] = *byte;
        }
    }
}

/// Reverses [`shuffle`].
#[inline(always)]
pub(super) fn unshuffle<const N: usize>(from: &[u8], to: &mut [u8]) {
    let value_num = from.len() / N;
    let (planes, tail) = from.split_at(value_num * N);
    let (whole, end) = to.split_at_mut(value_num * N);
    end.copy_from_slice(tail);
    let (registers, _) = whole.as_chunks_mut::<LANES>();
    let (blocks, _) = registers.as_chunks_mut::<N>();
    let done = blocks.len() * LANES;
    for (index, block) in blocks.iter_mut().enumerate() {
        let mut rows = [[0; LANES]; N];
        for (row, plane) in rows.iter_mut().zip(planes.chunks_exact(value_num)) {
            row.copy_from_slice(&plane[index * LANES..(index + 1) * LANES]);
        }
        *block = join(rows);
    }
    for (index, value) in whole
        .as_chunks_mut::<N>()
        .0
        .iter_mut()
        .enumerate()
        .skip(done)
    {
        for (byte, plane) in value.iter_mut().zip(planes.chunks_exact(value_num)) {
            *byte = plane[index];
        }
    }
}

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
    fn bytes_are_grouped_by_position() {
        let mut to = [0; 9];
        encode(4, &[1, 2, 3, 4, 5, 6, 7, 8, 9], &mut to);
        assert_eq!(to, [1, 5, 2, 6, 3, 7, 4, 8, 9]);
    }

    #[test]
    fn every_length_round_trips() {
        for size in [1, 2, 4, 8] {
            for len in (0..300).chain([4096, 65536 + 3]) {
                let data: Vec<u8> = (0..len).map(|i| (i * 7 % 251) as u8).collect();
                let (mut shuffled, mut back) = (vec![0; len], vec![0; len]);
                encode(size, &data, &mut shuffled);
                decode(size, &shuffled, &mut back);
                assert_eq!(back, data, "{len} bytes of values of {size}");
            }
        }
    }

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
