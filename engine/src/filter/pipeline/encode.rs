//! Encoding: applies a list of filters to chunks before they are stored.

use super::{Pipeline, bad_len};
use crate::bytes::ReusableBuffer;
use crate::error::{PipelineError, Result};
use crate::filter::chunks::CHUNK_HEADER_LEN;
use crate::filter::parts::{EncodeInput, Parts, PartsView, StageBuffers, StageWorkspace, u32_of};
use crate::filter::text::Texts;
use crate::memory::WorkspaceGuard;

impl Pipeline {
    /// Encodes `data` and appends the chunk, preceded by its header of 12 bytes, to `to`. After an
    /// error `to` is unchanged.
    pub fn encode_chunk(&self, data: &[u8], to: &mut ReusableBuffer) -> Result<()> {
        if self.text.is_some() {
            return Err(PipelineError::NoOffsets.into());
        }
        let start = to.len();
        let original_len = u32_of(data.len())?;
        to.put(&[0; CHUNK_HEADER_LEN])?;
        let mut workspace = WorkspaceGuard::<StageWorkspace>::default();
        workspace.input.clear();
        let encoded = self.encode(data, &mut workspace, to);
        finish_chunk(start, original_len, encoded, to)
    }

    /// Encodes the strings of a tile, which is one chunk, and appends the stored tile to `to`.
    /// After an error `to` is unchanged. Sets `min_max_candidates` to cells that include the least
    /// and the greatest string, or clears it if they are not known.
    pub fn append_texts(
        &self,
        texts: Texts<'_>,
        to: &mut ReusableBuffer,
        min_max_candidates: &mut Vec<usize>,
    ) -> Result<()> {
        min_max_candidates.clear();
        let text = self.text.ok_or(PipelineError::NoOffsets)?;
        let original_len = u32_of(texts.len())?;
        let before = to.len();
        to.put(&1u64.to_le_bytes())?;
        let start = to.len();
        to.put(&[0; CHUNK_HEADER_LEN])?;
        let workspace = &mut *WorkspaceGuard::<StageWorkspace>::default();
        workspace.input.clear();
        let encoded = match text.metadata_len().filter(|_| self.stages.is_empty()) {
            Some(gap) => {
                let StageBuffers { data, metadata, .. } = &mut workspace.input;
                write_after_gap(gap, to, data, |data| {
                    text.encode(texts, data, metadata, min_max_candidates)?;
                    Ok(metadata)
                })
            }
            None => {
                let StageBuffers { data, metadata, .. } = &mut workspace.input;
                text.encode(texts, data, metadata, min_max_candidates)
                    .and_then(|()| {
                        workspace.input.holds_data = true;
                        self.encode(&[], workspace, to)
                    })
            }
        };
        finish_chunk(start, original_len, encoded, to).inspect_err(|_| to.truncate(before))
    }

    /// Encodes a tile and appends its stored form to `to`; `starts` are the starts of its chunks in
    /// bytes.
    pub fn append_tile(&self, data: &[u8], starts: &[u64], to: &mut ReusableBuffer) -> Result<()> {
        to.put(&(starts.len() as u64).to_le_bytes())?;
        let ends = starts.iter().skip(1).copied().chain([data.len() as u64]);
        for (start, end) in starts.iter().copied().zip(ends) {
            let chunk = data
                .get(start as usize..end as usize)
                .ok_or_else(|| bad_len(end as usize, data.len()))?;
            self.encode_chunk(chunk, to)?;
        }
        Ok(())
    }

    /// Returns the stored form of a tile; `starts` are the starts of its chunks in bytes.
    pub fn encode_tile(&self, data: &[u8], starts: &[u64]) -> Result<Vec<u8>> {
        let mut stored = ReusableBuffer::new();
        self.append_tile(data, starts, &mut stored)?;
        Ok(stored.into_bytes())
    }

    /// Returns the stored form of a tile of strings.
    pub fn encode_texts(&self, texts: Texts<'_>) -> Result<Vec<u8>> {
        let mut stored = ReusableBuffer::new();
        self.append_texts(texts, &mut stored, &mut Vec::new())?;
        Ok(stored.into_bytes())
    }

    /// Applies the stages to the workspace's input if it holds data, otherwise to the chunk: all
    /// but the last in buffers of the workspace, the last into `to`. Returns the length of the
    /// metadata, which precedes the data.
    ///
    /// A filter that leaves the data unchanged passes on no part instead of an empty one, as in
    /// libtiledb, which cannot read another number of parts.
    fn encode(
        &self,
        chunk: &[u8],
        workspace: &mut StageWorkspace,
        to: &mut ReusableBuffer,
    ) -> Result<usize> {
        let StageWorkspace { input, output } = workspace;
        let ends = [chunk.len()];
        let Some((last, first)) = self.stages.split_last() else {
            let result = unfiltered(input, chunk, &ends, false);
            to.put(result.metadata.bytes)?;
            to.put(result.data.bytes)?;
            return Ok(result.metadata.bytes.len());
        };
        let mut is_view = false;
        for (stage, follows_view) in first.iter().zip(&self.follows_view) {
            output.clear();
            stage.encode(
                unfiltered(input, chunk, &ends, is_view || *follows_view),
                &mut output.data,
                &mut output.metadata,
            )?;
            is_view = stage.keeps_data();
            if is_view {
                std::mem::swap(&mut input.data, &mut output.data);
                output.holds_data = input.holds_data;
            } else {
                output.holds_data = true;
            }
            std::mem::swap(input, output);
        }
        is_view |= self.follows_view.last().is_some_and(|follows| *follows);
        output.clear();
        let unfiltered = unfiltered(input, chunk, &ends, is_view);
        let StageBuffers { data, metadata, .. } = output;
        write_after_gap(last.metadata_len(unfiltered), to, data, |data| {
            last.encode(unfiltered, data, metadata)?;
            if last.keeps_data() {
                data.bytes.put(unfiltered.data.bytes)?;
            }
            Ok(metadata)
        })
    }
}

/// Calls `write` with `to` swapped into `data`, so that data is appended to `to`, after a gap of
/// `gap` bytes. Then copies the metadata that `write` returns into the gap. Returns the length of
/// the metadata.
fn write_after_gap<'a>(
    gap: usize,
    to: &mut ReusableBuffer,
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

/// Fills in the lengths of the chunk that starts at `start`, or removes the chunk after an error.
fn finish_chunk(
    start: usize,
    original_len: u32,
    metadata_len: Result<usize>,
    to: &mut ReusableBuffer,
) -> Result<()> {
    let finished = metadata_len.and_then(|metadata_len| {
        let filtered_len = u32_of(to.len() - start - CHUNK_HEADER_LEN - metadata_len)?;
        let lengths = [original_len, filtered_len, u32_of(metadata_len)?];
        for (field, len) in to[start..].chunks_exact_mut(4).zip(lengths) {
            field.copy_from_slice(&len.to_le_bytes());
        }
        Ok(())
    });
    finished.inspect_err(|_| to.truncate(start))
}

/// Returns the input of a stage. `is_view` states whether the previous filter left the data
/// unchanged.
fn unfiltered<'a>(
    input: &'a StageBuffers,
    chunk: &'a [u8],
    ends: &'a [usize; 1],
    is_view: bool,
) -> EncodeInput<'a> {
    let mut data = if input.holds_data {
        input.data.view()
    } else {
        PartsView { bytes: chunk, ends }
    };
    if is_view && data.bytes.is_empty() {
        data.ends = &[];
    }
    EncodeInput {
        data,
        metadata: input.metadata.view(),
    }
}
