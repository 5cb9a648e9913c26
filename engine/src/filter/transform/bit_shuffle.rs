//! Bit shuffle. Data is processed in blocks of 8 KiB. The output of a block is the lowest bits of
//! the first bytes of all values, then the next bits, and so on up to the highest bits of the last
//! bytes. Values are processed in groups of eight; values after the last complete group of a block
//! are copied unchanged, and so is a part whose length is not a multiple of the value size and of
//! eight bytes.
//!
//! The bytes of a block are shuffled first. Each resulting plane is then transposed as a matrix of
//! bits: eight values form one u64, which is transposed by arithmetic, and the bytes of sixteen
//! such words are byte-shuffled again.

use super::byte_shuffle;
use crate::bytes::lanes::LANES;
use crate::bytes::{simd_dispatch, sized};

const BLOCK: usize = 8192;

/// Writes the shuffled bits of `from` to `to`, which has the same length.
pub(super) fn encode(value_size: usize, from: &[u8], to: &mut [u8]) {
    if !is_shuffled(value_size, from) {
        return to.copy_from_slice(from);
    }
    simd_dispatch(
        #[inline(always)]
        || sized!(value_size, N => encode_blocks::<N>(from, to)),
    );
}

/// Reverses [`encode`].
pub(super) fn decode(value_size: usize, from: &[u8], to: &mut [u8]) {
    if !is_shuffled(value_size, from) {
        return to.copy_from_slice(from);
    }
    simd_dispatch(
        #[inline(always)]
        || sized!(value_size, N => decode_blocks::<N>(from, to)),
    );
}

fn is_shuffled(value_size: usize, part: &[u8]) -> bool {
    matches!(value_size, 1 | 2 | 4 | 8)
        && part.len().is_multiple_of(value_size)
        && part.len().is_multiple_of(8)
}

#[inline(always)]
fn encode_blocks<const N: usize>(from: &[u8], to: &mut [u8]) {
    let mut bytes = [0; BLOCK];
    for (from, to) in from.chunks(BLOCK).zip(to.chunks_mut(BLOCK)) {
        encode_block::<N>(from, to, &mut bytes);
    }
}

/// Shuffles the bits of one block; `bytes` is scratch memory.
#[inline(always)]
fn encode_block<const N: usize>(from: &[u8], to: &mut [u8], bytes: &mut [u8; BLOCK]) {
    let values = from.len() / N / 8 * 8;
    let (from, tail) = from.split_at(values * N);
    let (to, end) = to.split_at_mut(values * N);
    end.copy_from_slice(tail);
    let bytes = &mut bytes[..from.len()];
    byte_shuffle::shuffle::<N>(from, bytes);
    for (plane, rows) in bytes
        .chunks(values.max(1))
        .zip(to.chunks_mut(values.max(1)))
    {
        transpose_plane(plane, rows);
    }
}

#[inline(always)]
fn decode_blocks<const N: usize>(from: &[u8], to: &mut [u8]) {
    let mut bytes = [0; BLOCK];
    for (from, to) in from.chunks(BLOCK).zip(to.chunks_mut(BLOCK)) {
        decode_block::<N>(from, to, &mut bytes);
    }
}

/// Reverses `encode_block`; `bytes` is scratch memory.
#[inline(always)]
fn decode_block<const N: usize>(from: &[u8], to: &mut [u8], bytes: &mut [u8; BLOCK]) {
    let values = from.len() / N / 8 * 8;
    let (from, tail) = from.split_at(values * N);
    let (to, end) = to.split_at_mut(values * N);
    end.copy_from_slice(tail);
    let bytes = &mut bytes[..from.len()];
    for (rows, plane) in from
        .chunks(values.max(1))
        .zip(bytes.chunks_mut(values.max(1)))
    {
        untranspose_plane(rows, plane);
    }
    byte_shuffle::unshuffle::<N>(bytes, to);
}

/// Transposes a plane, one byte of each value, into eight rows of bits.
#[inline(always)]
fn transpose_plane(plane: &[u8], rows: &mut [u8]) {
    let width = plane.len() / 8;
    let (eights, _) = plane.as_chunks::<8>();
    let (blocks, rest) = eights.as_chunks::<LANES>();
    for (index, block) in blocks.iter().enumerate() {
        let words = block.map(|eight| transpose_bits(u64::from_le_bytes(eight)));
        let mut bytes = [[0; LANES]; 8];
        for (to, word) in bytes
            .as_flattened_mut()
            .as_chunks_mut::<8>()
            .0
            .iter_mut()
            .zip(words)
        {
            *to = word.to_le_bytes();
        }
        for (row, part) in rows.chunks_exact_mut(width).zip(byte_shuffle::split(bytes)) {
            row[index * LANES..(index + 1) * LANES].copy_from_slice(&part);
        }
    }
    for (index, eight) in (blocks.len() * LANES..).zip(rest) {
        let bits = transpose_bits(u64::from_le_bytes(*eight)).to_le_bytes();
        for (row, byte) in rows.chunks_exact_mut(width).zip(bits) {
            row[index] = byte;
        }
    }
}

/// Reverses `transpose_plane`.
#[inline(always)]
fn untranspose_plane(rows: &[u8], plane: &mut [u8]) {
    let width = plane.len() / 8;
    let (eights, _) = plane.as_chunks_mut::<8>();
    let (blocks, rest) = eights.as_chunks_mut::<LANES>();
    let done = blocks.len() * LANES;
    for (index, block) in blocks.iter_mut().enumerate() {
        let mut parts = [[0; LANES]; 8];
        for (part, row) in parts.iter_mut().zip(rows.chunks_exact(width)) {
            part.copy_from_slice(&row[index * LANES..(index + 1) * LANES]);
        }
        let bytes = byte_shuffle::join(parts);
        for (to, eight) in block
            .iter_mut()
            .zip(bytes.as_flattened().as_chunks::<8>().0)
        {
            *to = transpose_bits(u64::from_le_bytes(*eight)).to_le_bytes();
        }
    }
    for (index, to) in (done..).zip(rest) {
        let mut eight = [0; 8];
        for (byte, row) in eight.iter_mut().zip(rows.chunks_exact(width)) {
            *byte = row[index];
        }
        *to = transpose_bits(u64::from_le_bytes(eight)).to_le_bytes();
    }
}

/// Transposes 8 by 8 bits: bit `i` of byte `j` becomes bit `j` of byte `i`.
#[inline(always)]
fn transpose_bits(word: u64) -> u64 {
    let swap = |word: u64, distance: u32, mask: u64| {
        let differ = (word ^ (word >> distance)) & mask;
        word ^ differ ^ (differ << distance)
    };
    let word = swap(word, 7, 0x00aa_00aa_00aa_00aa);
    let word = swap(word, 14, 0x0000_cccc_0000_cccc);
    swap(word, 28, 0x0000_0000_f0f0_f0f0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bit-by-bit reference implementation of the format.
    fn reference(value_size: usize, from: &[u8]) -> Vec<u8> {
        let mut to = from.to_vec();
        if !is_shuffled(value_size, from) {
            return to;
        }
        for (from, to) in from.chunks(BLOCK).zip(to.chunks_mut(BLOCK)) {
            let values = from.len() / value_size / 8 * 8;
            to[..values * value_size].fill(0);
            for value in 0..values {
                for bit in 0..8 * value_size {
                    let is = from[value * value_size + bit / 8] >> (bit % 8) & 1;
                    to[bit * values / 8 + value / 8] |= is << (value % 8);
                }
            }
        }
        to
    }

    #[test]
    fn every_length_equals_the_reference_and_round_trips() {
        for size in [1, 2, 4, 8] {
            for len in (0..1100).chain([8184, 8192, 8200, 16384 + 72, 65536]) {
                let data: Vec<u8> = (0..len).map(|i| (i * i * 7 % 251) as u8).collect();
                let (mut stored, mut back) = (vec![0; len], vec![0; len]);
                encode(size, &data, &mut stored);
                assert_eq!(
                    stored,
                    reference(size, &data),
                    "{len} bytes of values of {size}"
                );
                decode(size, &stored, &mut back);
                assert_eq!(back, data, "{len} bytes of values of {size}");
            }
        }
    }
}
