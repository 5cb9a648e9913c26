//! Doing: a list of filters runs over chunks on their way to storage.

use super::scratch::{SCRATCH, Scratch, Side};
use super::stage::{DataIs, Stage, Unfiltered};
use super::{Pipeline, TILE_HEADER_LEN, bad_len, needs_offsets};
use crate::error::Result;
use crate::filter::chunks::CHUNK_HEADER_LEN;
use crate::filter::parts::{PartsView, u32_of};
use crate::filter::text::Texts;

impl Pipeline {
    /// Filters `data` and appends the chunk, its header of 12 bytes first, to `to`. After an error `to` is as it was.
    pub fn encode_chunk(&self, data: &[u8], to: &mut Vec<u8>) -> Result<()> {
        if self.text.is_some() {
            return Err(needs_offsets());
        }
        let start = to.len();
        let original_len = u32_of(data.len())?;
        to.extend_from_slice(&[0; CHUNK_HEADER_LEN]);
        let encoded = SCRATCH.with_borrow_mut(|scratch| {
            scratch.input.clear();
            let encoded = encode(&self.stages, data, scratch, to);
            scratch.shrink();
            encoded
        });
        finish_chunk(start, original_len, encoded, to)
    }

    /// Filters the texts of a tile, which is one chunk.
    pub fn encode_texts(&self, texts: Texts<'_>) -> Result<Vec<u8>> {
        let text = self.text.ok_or_else(needs_offsets)?;
        let original_len = u32_of(texts.values.len())?;
        SCRATCH.with_borrow_mut(|scratch| {
            let input = &mut scratch.input;
            input.clear();
            text.encode(texts, &mut input.data, &mut input.metadata)?;
            input.holds_data = true;
            let mut stored = Vec::with_capacity(TILE_HEADER_LEN + CHUNK_HEADER_LEN);
            stored.extend_from_slice(&1u64.to_le_bytes());
            stored.extend_from_slice(&[0; CHUNK_HEADER_LEN]);
            let encoded = encode(&self.stages, &[], scratch, &mut stored);
            scratch.shrink();
            finish_chunk(TILE_HEADER_LEN, original_len, encoded, &mut stored)?;
            Ok(stored)
        })
    }

    /// Filters a tile: `starts` are those of its chunks, in bytes.
    pub fn encode_tile(&self, data: &[u8], starts: &[u64]) -> Result<Vec<u8>> {
        let mut stored = Vec::with_capacity(data.len() / 2 + 8);
        stored.extend_from_slice(&(starts.len() as u64).to_le_bytes());
        let ends = starts.iter().skip(1).copied().chain([data.len() as u64]);
        for (start, end) in starts.iter().copied().zip(ends) {
            let chunk = data
                .get(start as usize..end as usize)
                .ok_or_else(|| bad_len(end as usize, data.len()))?;
            self.encode_chunk(chunk, &mut stored)?;
        }
        Ok(stored)
    }
}

/// Runs filters on what the scratch's input holds, or else on the chunk: those before the last through memory of the
/// thread, the last into `to`. Answers the length of the metadata, which stands before the data.
fn encode(
    stages: &[Stage],
    chunk: &[u8],
    scratch: &mut Scratch,
    to: &mut Vec<u8>,
) -> Result<usize> {
    let Scratch { input, output } = scratch;
    let ends = [chunk.len()];
    let Some((last, first)) = stages.split_last() else {
        let done = unfiltered(input, chunk, &ends);
        to.extend_from_slice(done.metadata.bytes);
        to.extend_from_slice(done.data.bytes);
        return Ok(done.metadata.bytes.len());
    };
    for stage in first {
        output.clear();
        let data_is = stage.encode(
            unfiltered(input, chunk, &ends),
            &mut output.data,
            &mut output.metadata,
        )?;
        if data_is == DataIs::Written {
            output.holds_data = true;
        } else {
            std::mem::swap(&mut input.data, &mut output.data);
            output.holds_data = input.holds_data;
        }
        std::mem::swap(input, output);
    }
    output.clear();
    let unfiltered = unfiltered(input, chunk, &ends);
    let gap = last.metadata_len(unfiltered);
    let base = to.len();
    to.resize(base + gap, 0);
    std::mem::swap(to, &mut output.data.bytes);
    let encoded = last.encode(unfiltered, &mut output.data, &mut output.metadata);
    std::mem::swap(to, &mut output.data.bytes);
    if encoded? == DataIs::Kept {
        to.extend_from_slice(unfiltered.data.bytes);
    }
    to[base..base + gap].copy_from_slice(&output.metadata.bytes);
    Ok(gap)
}

/// Fills in the lengths of the chunk that starts at `start`, or takes it back.
fn finish_chunk(
    start: usize,
    original_len: u32,
    metadata_len: Result<usize>,
    to: &mut Vec<u8>,
) -> Result<()> {
    let finished = metadata_len.and_then(|metadata_len| {
        let filtered_len = u32_of(to.len() - start - CHUNK_HEADER_LEN - metadata_len)?;
        let lengths = [original_len, filtered_len, u32_of(metadata_len)?];
        for (place, len) in to[start..].chunks_exact_mut(4).zip(lengths) {
            place.copy_from_slice(&len.to_le_bytes());
        }
        Ok(())
    });
    finished.inspect_err(|_| to.truncate(start))
}

fn unfiltered<'a>(input: &'a Side, chunk: &'a [u8], ends: &'a [usize; 1]) -> Unfiltered<'a> {
    Unfiltered {
        data: if input.holds_data {
            input.data.view()
        } else {
            PartsView { bytes: chunk, ends }
        },
        metadata: input.metadata.view(),
    }
}
