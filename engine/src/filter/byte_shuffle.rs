//! Byte shuffle: of each part, first the first bytes of all values, then the second ones, and so on. Bytes after the
//! last whole value stay at the end.
//!
//! ```text
//! metadata: number of parts u32, then the length of each part u32, then the input's metadata as it was
//! data:     the shuffled parts
//! ```

use super::parts::{Parts, u32_of};
use super::pipeline::{DataIs, Filtered, MetadataIs, Unfiltered};
use crate::bytes::Cursor;
use crate::error::Result;

/// The filter for values of a size.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByteShuffle {
    value_size: usize,
}

impl ByteShuffle {
    pub(super) fn new(value_size: usize) -> Self {
        Self { value_size }
    }

    pub(super) fn metadata_len(input: Unfiltered<'_>) -> usize {
        4 + 4 * input.data.count() + input.metadata.bytes.len()
    }

    pub(super) fn encode(
        self,
        input: Unfiltered<'_>,
        data: &mut Parts,
        metadata: &mut Parts,
    ) -> Result<DataIs> {
        metadata.put_u32(u32_of(input.data.count())?);
        let mut at = data.bytes.len();
        data.bytes.resize(at + input.data.bytes.len(), 0);
        for part in input.data.iter() {
            metadata.put_u32(u32_of(part.len())?);
            if let Some(to) = data.bytes.get_mut(at..at + part.len()) {
                self.shuffle(part, to);
            }
            at += part.len();
        }
        metadata.end_part();
        metadata.append(input.metadata);
        data.end_part();
        Ok(DataIs::Written)
    }

    pub(super) fn decode(
        self,
        input: Filtered<'_>,
        data: &mut [u8],
    ) -> Result<(DataIs, MetadataIs)> {
        let mut notes = Cursor::new("byteshuffle filter", input.metadata);
        let parts = notes.count_u32("number of parts", 4)?;
        let (mut from, mut to) = (input.data, data);
        for _ in 0..parts {
            let len = notes.u32("length of a part")? as usize;
            let (part, rest) = from.split_at_checked(len).ok_or_else(|| {
                notes.corrupt(
                    "length of a part",
                    format!("is {len}, {} bytes are left", from.len()),
                )
            })?;
            let (place, later) = to.split_at_mut_checked(len).ok_or_else(|| {
                notes.corrupt("length of a part", format!("is {len}, past the chunk"))
            })?;
            self.unshuffle(part, place);
            (from, to) = (rest, later);
        }
        if !from.is_empty() {
            return Err(notes.corrupt("parts", format!("leave out {} bytes", from.len())));
        }
        Ok((DataIs::Written, MetadataIs::From(notes.position())))
    }

    fn shuffle(self, from: &[u8], to: &mut [u8]) {
        match self.value_size {
            2 => shuffle::<2>(from, to),
            4 => shuffle::<4>(from, to),
            8 => shuffle::<8>(from, to),
            _ => to.copy_from_slice(from),
        }
    }

    fn unshuffle(self, from: &[u8], to: &mut [u8]) {
        match self.value_size {
            2 => unshuffle::<2>(from, to),
            4 => unshuffle::<4>(from, to),
            8 => unshuffle::<8>(from, to),
            _ => to.copy_from_slice(from),
        }
    }
}

/// Values that are moved at once, so that the compiler keeps them in registers.
const BLOCK: usize = 16;

fn shuffle<const N: usize>(from: &[u8], to: &mut [u8]) {
    let n = from.len() / N;
    let (whole, tail) = from.split_at(n * N);
    let (planes, end) = to.split_at_mut(n * N);
    end.copy_from_slice(tail);
    let mut blocks = whole.chunks_exact(BLOCK * N);
    let mut at = 0;
    for block in &mut blocks {
        let mut rows = [[0u8; BLOCK]; N];
        for (i, value) in block.as_chunks::<N>().0.iter().enumerate() {
            for (row, byte) in rows.iter_mut().zip(value) {
                row[i] = *byte;
            }
        }
        for (plane, row) in planes.chunks_exact_mut(n).zip(&rows) {
            plane[at..at + BLOCK].copy_from_slice(row);
        }
        at += BLOCK;
    }
    for value in blocks.remainder().as_chunks::<N>().0 {
        for (plane, byte) in planes.chunks_exact_mut(n).zip(value) {
            plane[at] = *byte;
        }
        at += 1;
    }
}

fn unshuffle<const N: usize>(from: &[u8], to: &mut [u8]) {
    let n = from.len() / N;
    let (planes, tail) = from.split_at(n * N);
    let (whole, end) = to.split_at_mut(n * N);
    end.copy_from_slice(tail);
    let mut blocks = whole.chunks_exact_mut(BLOCK * N);
    let mut at = 0;
    for block in &mut blocks {
        let mut rows = [[0u8; BLOCK]; N];
        for (row, plane) in rows.iter_mut().zip(planes.chunks_exact(n)) {
            row.copy_from_slice(&plane[at..at + BLOCK]);
        }
        for (i, value) in block.as_chunks_mut::<N>().0.iter_mut().enumerate() {
            for (byte, row) in value.iter_mut().zip(&rows) {
                *byte = row[i];
            }
        }
        at += BLOCK;
    }
    for value in blocks.into_remainder().as_chunks_mut::<N>().0 {
        for (byte, plane) in value.iter_mut().zip(planes.chunks_exact(n)) {
            *byte = plane[at];
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_grouped_by_their_place() {
        let mut to = [0; 9];
        ByteShuffle::new(4).shuffle(&[1, 2, 3, 4, 5, 6, 7, 8, 9], &mut to);
        assert_eq!(to, [1, 5, 2, 6, 3, 7, 4, 8, 9]);
    }

    #[test]
    fn every_length_goes_round() {
        for size in [1, 2, 4, 8] {
            for len in (0..300).chain([4096, 65536 + 3]) {
                let data: Vec<u8> = (0..len).map(|i| (i * 7 % 251) as u8).collect();
                let (mut shuffled, mut back) = (vec![0; len], vec![0; len]);
                ByteShuffle::new(size).shuffle(&data, &mut shuffled);
                ByteShuffle::new(size).unshuffle(&shuffled, &mut back);
                assert_eq!(back, data, "{len} bytes of values of {size}");
            }
        }
    }
}
