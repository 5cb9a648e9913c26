//! The strings of a tile, and the integers that describe them.

use crate::bytes::simd_dispatch;

/// The strings of a tile.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a> {
    /// The bytes of the strings, possibly with other bytes before and after them.
    pub values: &'a [u8],
    /// The start of each string and the end of the last one: ascending, within `values`.
    pub starts: &'a [u64],
}

impl<'a> Texts<'a> {
    /// Returns the total length of the strings.
    pub(in super::super) fn len(&self) -> usize {
        let first = self.starts.first().copied().unwrap_or_default();
        let last = self.starts.last().copied().unwrap_or_default();
        (last - first) as usize
    }

    pub(super) fn count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    #[inline(always)]
    pub(super) fn get(&self, index: usize) -> &'a [u8] {
        &self.values[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// Returns the start and the length of a string.
    #[inline(always)]
    pub(super) fn start_and_len(&self, index: usize) -> (usize, usize) {
        let (start, end) = (self.starts[index], self.starts[index + 1]);
        (start as usize, (end - start) as usize)
    }

    pub(super) fn longest(&self) -> u64 {
        let lens = self.starts.iter().zip(self.starts.iter().skip(1));
        simd_dispatch(
            #[inline(always)]
            || lens.fold(0, |most, (start, end)| most.max(end - start)),
        )
    }
}

/// Returns the width in bytes of integers up to `max`.
pub(super) fn width_of(max: u64) -> u32 {
    match max {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xffff_ffff => 4,
        _ => 8,
    }
}

/// The number of bytes copied at once if both slices are long enough: most strings are not longer.
pub(super) const STRIDE: usize = 16;

/// Copies `len` bytes from `from[from_at..]` to `to[to_at..]`. Returns `None` if that exceeds
/// either slice.
#[inline(always)]
pub(super) fn copy(
    from: &[u8],
    from_at: usize,
    to: &mut [u8],
    to_at: usize,
    len: usize,
) -> Option<()> {
    let (from, to) = (from.get(from_at..)?, to.get_mut(to_at..)?);
    match (from.first_chunk::<STRIDE>(), to.first_chunk_mut::<STRIDE>()) {
        (Some(from), Some(to)) if len <= STRIDE => *to = *from,
        _ => to.get_mut(..len)?.copy_from_slice(from.get(..len)?),
    }
    Some(())
}

/// Returns the big-endian integer of `width` bytes at `offset`; `None` if it exceeds the slice.
#[inline(always)]
#[expect(
    clippy::big_endian_bytes,
    reason = "the encodings store big-endian integers"
)]
pub(super) fn integer(bytes: &[u8], offset: usize, width: u32) -> Option<u64> {
    let rest = bytes.get(offset..)?;
    let word = match rest.first_chunk() {
        Some(word) => *word,
        None => {
            let mut word = [0; 8];
            let rest = rest.get(..width as usize)?;
            word[..rest.len()].copy_from_slice(rest);
            word
        }
    };
    Some(u64::from_be_bytes(word) >> (64 - 8 * width))
}

/// Writes a big-endian integer of `width` bytes at `offset`. Eight bytes must be writable there.
#[inline(always)]
#[expect(
    clippy::big_endian_bytes,
    reason = "the encodings store big-endian integers"
)]
pub(super) fn put_integer(to: &mut [u8], offset: usize, value: u64, width: u32) {
    to[offset..offset + 8].copy_from_slice(&(value << (64 - 8 * width)).to_be_bytes());
}
