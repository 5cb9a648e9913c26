//! Bit shuffle: blocks of 8 KiB, and of each first the lowest bits of the first bytes of all values, then the next
//! bits, and so on to the highest bits of the last bytes. Values go in eights: those after the last eight of a block
//! stay as they are, and so does a part that is not made of whole values and whole eights of bytes.
//!
//! The bytes of a block are shuffled, then each plane of them is taken as a matrix of bits, 64 values at once. It is
//! plain arithmetic on u64, compiled twice: for every CPU of the architecture, and for those with AVX2.
#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "code for AVX2, called where there is AVX2")
)]

use super::byte_shuffle;

const BLOCK: usize = 8192;

/// Fills `to` with the shuffled bits of `from`, which is as long.
pub(super) fn encode(value_size: usize, from: &[u8], to: &mut [u8]) {
    if !is_shuffled(value_size, from) {
        return to.copy_from_slice(from);
    }
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the CPU has what the function was compiled for.
        return unsafe { avx2::encode(value_size, from, to) };
    }
    encode_blocks(value_size, from, to);
}

/// Undoes `encode`.
pub(super) fn decode(value_size: usize, from: &[u8], to: &mut [u8]) {
    if !is_shuffled(value_size, from) {
        return to.copy_from_slice(from);
    }
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the CPU has what the function was compiled for.
        return unsafe { avx2::decode(value_size, from, to) };
    }
    decode_blocks(value_size, from, to);
}

fn is_shuffled(value_size: usize, part: &[u8]) -> bool {
    matches!(value_size, 1 | 2 | 4 | 8)
        && part.len().is_multiple_of(value_size)
        && part.len().is_multiple_of(8)
}

/// The same code for CPUs with AVX2.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    #[target_feature(enable = "avx2")]
    pub(super) fn encode(value_size: usize, from: &[u8], to: &mut [u8]) {
        super::encode_blocks(value_size, from, to);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn decode(value_size: usize, from: &[u8], to: &mut [u8]) {
        super::decode_blocks(value_size, from, to);
    }
}

#[inline(always)]
fn encode_blocks(value_size: usize, from: &[u8], to: &mut [u8]) {
    for (from, to) in from.chunks(BLOCK).zip(to.chunks_mut(BLOCK)) {
        match value_size {
            2 => encode_block::<2>(from, to),
            4 => encode_block::<4>(from, to),
            8 => encode_block::<8>(from, to),
            _ => encode_block::<1>(from, to),
        }
    }
}

#[inline(always)]
fn decode_blocks(value_size: usize, from: &[u8], to: &mut [u8]) {
    for (from, to) in from.chunks(BLOCK).zip(to.chunks_mut(BLOCK)) {
        match value_size {
            2 => decode_block::<2>(from, to),
            4 => decode_block::<4>(from, to),
            8 => decode_block::<8>(from, to),
            _ => decode_block::<1>(from, to),
        }
    }
}

#[inline(always)]
fn encode_block<const N: usize>(from: &[u8], to: &mut [u8]) {
    let values = from.len() / N / 8 * 8;
    let (from, tail) = from.split_at(values * N);
    let (to, end) = to.split_at_mut(values * N);
    end.copy_from_slice(tail);
    let mut bytes = [0; BLOCK];
    let bytes = &mut bytes[..from.len()];
    byte_shuffle::shuffle::<N>(from, bytes);
    for (plane, rows) in bytes
        .chunks(values.max(1))
        .zip(to.chunks_mut(values.max(1)))
    {
        spread_plane(plane, rows);
    }
}

#[inline(always)]
fn decode_block<const N: usize>(from: &[u8], to: &mut [u8]) {
    let values = from.len() / N / 8 * 8;
    let (from, tail) = from.split_at(values * N);
    let (to, end) = to.split_at_mut(values * N);
    end.copy_from_slice(tail);
    let mut bytes = [0; BLOCK];
    let bytes = &mut bytes[..from.len()];
    for (rows, plane) in from
        .chunks(values.max(1))
        .zip(bytes.chunks_mut(values.max(1)))
    {
        gather_plane(rows, plane);
    }
    byte_shuffle::unshuffle::<N>(bytes, to);
}

/// From one byte of each value to eight rows of bits.
#[inline(always)]
fn spread_plane(plane: &[u8], rows: &mut [u8]) {
    let width = plane.len() / 8;
    let (blocks, rest) = plane.as_chunks::<64>();
    let mut at = 0;
    for block in blocks {
        let eights = transpose_bytes(load(block).map(transpose_bits));
        for (row, eight) in rows.chunks_exact_mut(width).zip(eights) {
            row[at..at + 8].copy_from_slice(&eight.to_le_bytes());
        }
        at += 8;
    }
    for eight in rest.as_chunks::<8>().0 {
        let bits = transpose_bits(u64::from_le_bytes(*eight)).to_le_bytes();
        for (row, byte) in rows.chunks_exact_mut(width).zip(bits) {
            row[at] = byte;
        }
        at += 1;
    }
}

/// Undoes `spread_plane`.
#[inline(always)]
fn gather_plane(rows: &[u8], plane: &mut [u8]) {
    let width = plane.len() / 8;
    let (blocks, rest) = plane.as_chunks_mut::<64>();
    let mut at = 0;
    for block in blocks {
        let mut eights = [0; 64];
        for (eight, row) in eights
            .as_chunks_mut::<8>()
            .0
            .iter_mut()
            .zip(rows.chunks_exact(width))
        {
            eight.copy_from_slice(&row[at..at + 8]);
        }
        let bytes = transpose_bytes(load(&eights)).map(transpose_bits);
        for (to, eight) in block.as_chunks_mut::<8>().0.iter_mut().zip(bytes) {
            *to = eight.to_le_bytes();
        }
        at += 8;
    }
    for to in rest.as_chunks_mut::<8>().0 {
        let mut eight = [0; 8];
        for (byte, row) in eight.iter_mut().zip(rows.chunks_exact(width)) {
            *byte = row[at];
        }
        *to = transpose_bits(u64::from_le_bytes(eight)).to_le_bytes();
        at += 1;
    }
}

#[inline(always)]
fn load(block: &[u8; 64]) -> [u64; 8] {
    let mut words = [0; 8];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    words
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

/// Transposes 8 by 8 bytes: byte `i` of word `j` becomes byte `j` of word `i`.
#[inline(always)]
fn transpose_bytes(mut words: [u64; 8]) -> [u64; 8] {
    for (step, mask) in [
        (4, 0x0000_0000_ffff_ffff),
        (2, 0x0000_ffff_0000_ffff),
        (1, 0x00ff_00ff_00ff_00ff_u64),
    ] {
        for low in (0..8).filter(|word| word & step == 0) {
            let (a, b) = (words[low], words[low + step]);
            let shift = 8 * step as u32;
            words[low] = (a & mask) | ((b & mask) << shift);
            words[low + step] = ((a >> shift) & mask) | (b & !mask);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bit by bit, as the format has it.
    fn slow(value_size: usize, from: &[u8]) -> Vec<u8> {
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
    fn every_length_is_shuffled_as_the_format_says_and_comes_back() {
        for size in [1, 2, 4, 8] {
            for len in (0..1100).chain([8184, 8192, 8200, 16384 + 72, 65536]) {
                let data: Vec<u8> = (0..len).map(|i| (i * i * 7 % 251) as u8).collect();
                let (mut stored, mut back) = (vec![0; len], vec![0; len]);
                encode(size, &data, &mut stored);
                assert_eq!(stored, slow(size, &data), "{len} bytes of values of {size}");
                decode(size, &stored, &mut back);
                assert_eq!(back, data, "{len} bytes of values of {size}");
            }
        }
    }

    #[test]
    fn the_code_for_every_cpu_gives_the_same() {
        for size in [1, 2, 4, 8] {
            for len in [0, 8, 64, 72, 512, 520, 8192, 8192 + 64, 65536] {
                let data: Vec<u8> = (0..len).map(|i| (i * i * 7 % 251) as u8).collect();
                let (mut stored, mut back) = (vec![0; len], vec![0; len]);
                encode_blocks(size, &data, &mut stored);
                assert_eq!(stored, slow(size, &data), "{len} bytes of values of {size}");
                decode_blocks(size, &stored, &mut back);
                assert_eq!(back, data, "{len} bytes of values of {size}");
            }
        }
    }
}
