//! Doing: a list of filters runs over chunks on their way to storage.

use super::scratch::{SCRATCH, Scratch, Side};
use super::stage::{DataIs, Stage, Unfiltered};
use super::{Pipeline, bad_len, needs_offsets};
use crate::bytes::Room;
use crate::error::Result;
use crate::filter::chunks::CHUNK_HEADER_LEN;
use crate::filter::parts::{Parts, PartsView, u32_of};
use crate::filter::text::Texts;

impl Pipeline {
    /// Filters `data` and appends the chunk, its header of 12 bytes first, to `to`. After an error `to` is as it was.
    pub fn encode_chunk(&self, data: &[u8], to: &mut Room) -> Result<()> {
        if self.text.is_some() {
            return Err(needs_offsets());
        }
        let start = to.len();
        let original_len = u32_of(data.len())?;
        to.put(&[0; CHUNK_HEADER_LEN]);
        let encoded = SCRATCH.with_borrow_mut(|scratch| {
            scratch.input.clear();
            let encoded = encode(&self.stages, data, scratch, to);
            scratch.shrink();
            encoded
        });
        finish_chunk(start, original_len, encoded, to)
    }

    /// Filters the texts of a tile, which is one chunk, and appends the stored tile to `to`. After an error `to` is as it
    /// was. `telling` becomes cells that have the least and the greatest text, or none where they are not known.
    pub fn append_texts(
        &self,
        texts: Texts<'_>,
        to: &mut Room,
        telling: &mut Vec<usize>,
    ) -> Result<()> {
        telling.clear();
        let text = self.text.ok_or_else(needs_offsets)?;
        let original_len = u32_of(texts.len())?;
        let before = to.len();
        to.put(&1u64.to_le_bytes());
        let start = to.len();
        to.put(&[0; CHUNK_HEADER_LEN]);
        let encoded = SCRATCH.with_borrow_mut(|scratch| {
            scratch.input.clear();
            let encoded = match text.metadata_len().filter(|_| self.stages.is_empty()) {
                Some(gap) => {
                    let Side { data, metadata, .. } = &mut scratch.input;
                    before_data(gap, to, data, |data| {
                        text.encode(texts, data, metadata, telling)?;
                        Ok(metadata)
                    })
                }
                None => {
                    let Side { data, metadata, .. } = &mut scratch.input;
                    text.encode(texts, data, metadata, telling).and_then(|()| {
                        scratch.input.holds_data = true;
                        encode(&self.stages, &[], scratch, to)
                    })
                }
            };
            scratch.shrink();
            encoded
        });
        finish_chunk(start, original_len, encoded, to).inspect_err(|_| to.truncate(before))
    }

    /// Filters a tile and appends it, as it is stored, to `to`; `starts` are those of its chunks, in bytes.
    pub fn append_tile(&self, data: &[u8], starts: &[u64], to: &mut Room) -> Result<()> {
        to.put(&(starts.len() as u64).to_le_bytes());
        let ends = starts.iter().skip(1).copied().chain([data.len() as u64]);
        for (start, end) in starts.iter().copied().zip(ends) {
            let chunk = data
                .get(start as usize..end as usize)
                .ok_or_else(|| bad_len(end as usize, data.len()))?;
            self.encode_chunk(chunk, to)?;
        }
        Ok(())
    }

    /// A filtered tile as it is stored; `starts` are those of its chunks, in bytes.
    pub fn encode_tile(&self, data: &[u8], starts: &[u64]) -> Result<Vec<u8>> {
        let mut stored = Room::new();
        self.append_tile(data, starts, &mut stored)?;
        Ok(stored.into_bytes())
    }

    /// A filtered tile of texts as it is stored.
    pub fn encode_texts(&self, texts: Texts<'_>) -> Result<Vec<u8>> {
        let mut stored = Room::new();
        self.append_texts(texts, &mut stored, &mut Vec::new())?;
        Ok(stored.into_bytes())
    }
}

/// Runs filters on what the scratch's input holds, or else on the chunk: those before the last through memory of the
/// thread, the last into `to`. Answers the length of the metadata, which stands before the data.
fn encode(stages: &[Stage], chunk: &[u8], scratch: &mut Scratch, to: &mut Room) -> Result<usize> {
    let Scratch { input, output } = scratch;
    let ends = [chunk.len()];
    let Some((last, first)) = stages.split_last() else {
        let done = unfiltered(input, chunk, &ends);
        to.put(done.metadata.bytes);
        to.put(done.data.bytes);
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
    let Side { data, metadata, .. } = output;
    before_data(last.metadata_len(unfiltered), to, data, |data| {
        if last.encode(unfiltered, data, metadata)? == DataIs::Kept {
            data.bytes.put(unfiltered.data.bytes);
        }
        Ok(metadata)
    })
}

/// Lets `write` append data to `to`, which is lent to `data`, and puts the metadata that it gives, `gap` bytes, before the
/// data. Answers the length of the metadata.
fn before_data<'a>(
    gap: usize,
    to: &mut Room,
    data: &mut Parts,
    write: impl FnOnce(&mut Parts) -> Result<&'a Parts>,
) -> Result<usize> {
    let base = to.len();
    to.grow(gap)?;
    std::mem::swap(to, &mut data.bytes);
    let written = write(data);
    std::mem::swap(to, &mut data.bytes);
    to[base..base + gap].copy_from_slice(&written?.bytes);
    Ok(gap)
}

/// Fills in the lengths of the chunk that starts at `start`, or takes it back.
fn finish_chunk(
    start: usize,
    original_len: u32,
    metadata_len: Result<usize>,
    to: &mut Room,
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
