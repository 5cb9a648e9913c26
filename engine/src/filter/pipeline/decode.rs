//! Decoding: reverses a list of filters on untrusted chunks from storage.

use super::{Pipeline, Stage, bad_len};
use crate::bytes::ReusableBuffer;
use crate::error::{Error, PipelineError, Result};
use crate::filter::chunks::{Chunk, Chunks};
use crate::filter::parts::{DecodeInput, StageBuffers, StageWorkspace};
use crate::memory::WorkspaceGuard;

impl Pipeline {
    /// Decodes a tile of `number` strings into `values`, which has their total length. `starts`
    /// receives the start of each and the end of the last one; it is resized after the metadata of
    /// the tile has been checked.
    ///
    /// # Errors
    ///
    /// If the number or the total length of the strings differs.
    pub fn decode_texts(
        &self,
        stored: &[u8],
        values: &mut [u8],
        number: usize,
        starts: &mut Vec<u64>,
    ) -> Result<()> {
        let text = self.text.ok_or(PipelineError::NoOffsets)?;
        let mut chunks = Chunks::parse(stored, values.len() as u64)?;
        let chunk = match (chunks.next().transpose()?, chunks.next().transpose()?) {
            (Some(chunk), None) if chunk.original_len as usize == values.len() => chunk,
            _ => {
                return Err(Error::corrupt(
                    "tile",
                    "texts",
                    0,
                    "are not stored in one chunk",
                ));
            }
        };
        let stored = DecodeInput {
            data: chunk.filtered,
            metadata: chunk.metadata,
        };
        // The maximum size of a cell: a count, a length and an index of eight bytes each.
        let max_len = number.saturating_mul(24).saturating_add(values.len());
        let StageWorkspace { input, output } = &mut *WorkspaceGuard::default();
        let metadata_from = self.decode_stages(&self.stages, stored, input, output, max_len)?;
        let input = stage_input(metadata_from, input, stored);
        text.decode(input, values, number, starts)
    }

    /// Decodes a chunk into `to`, which has the chunk's original length.
    pub fn decode_chunk(&self, chunk: Chunk<'_>, to: &mut [u8]) -> Result<()> {
        if to.len() != chunk.original_len as usize {
            return Err(bad_len(chunk.original_len as usize, to.len()));
        }
        let input = DecodeInput {
            data: chunk.filtered,
            metadata: chunk.metadata,
        };
        if self.text.is_some() {
            return Err(PipelineError::NoOffsets.into());
        }
        match self.stages.split_first() {
            None => copy(input.data, to),
            Some((first, [])) => {
                let len = first.decoded_len(input)?;
                self.decode_last(first, input, len, to, &mut ReusableBuffer::new())
            }
            Some((first, others)) => {
                self.decode_all(first, others, input, &mut WorkspaceGuard::default(), to)
            }
        }
    }

    /// Decodes a stored tile into `to`, which has the tile's length.
    pub fn decode_tile(&self, stored: &[u8], to: &mut [u8]) -> Result<()> {
        let mut rest = &mut to[..];
        for chunk in Chunks::parse(stored, rest.len() as u64)? {
            let chunk = chunk?;
            let (output, remaining) = rest
                .split_at_mut_checked(chunk.original_len as usize)
                .ok_or_else(|| bad_len(chunk.original_len as usize, 0))?;
            self.decode_chunk(chunk, output)?;
            rest = remaining;
        }
        Ok(())
    }

    /// Reverses `others`, last first, in buffers of the workspace, then `first` into `to`.
    fn decode_all(
        &self,
        first: &Stage,
        others: &[Stage],
        chunk: DecodeInput<'_>,
        workspace: &mut StageWorkspace,
        to: &mut [u8],
    ) -> Result<()> {
        let StageWorkspace { input, output } = workspace;
        let metadata_from = self.decode_stages(others, chunk, input, output, to.len())?;
        let filtered = stage_input(metadata_from, input, chunk);
        let len = first.decoded_len(filtered)?;
        output.clear();
        self.decode_last(first, filtered, len, to, &mut output.metadata.bytes)
    }

    /// Reverses `stages`, last first, on a chunk whose data finally has about `len` bytes. Returns
    /// where the metadata of the result starts in that of the chunk; `None` if it is in `input`.
    fn decode_stages(
        &self,
        stages: &[Stage],
        chunk: DecodeInput<'_>,
        input: &mut StageBuffers,
        output: &mut StageBuffers,
        len: usize,
    ) -> Result<Option<usize>> {
        input.clear();
        // Encoded data may be larger than the original, but not by more than this. The limit bounds
        // the memory that a damaged length can request.
        let limit = len.saturating_mul(4).saturating_add(1 << 16);
        let mut metadata_from = Some(0);
        for stage in stages.iter().rev() {
            output.clear();
            let filtered = stage_input(metadata_from, input, chunk);
            let len = stage.decoded_len(filtered)?;
            if len > limit {
                return Err(stage.bad_len(limit, len));
            }
            let used = stage.decode(
                filtered,
                output.data.bytes.grow(len)?,
                &mut output.metadata.bytes,
                limit,
                self.checks_digests,
            )?;
            if !stage.keeps_data() {
                std::mem::swap(&mut input.data, &mut output.data);
                input.holds_data = true;
            }
            match (used, metadata_from.as_mut()) {
                (Some(used), Some(from)) => *from += used,
                (Some(used), None) => input.metadata.bytes.drop_front(used),
                (None, _) => {
                    std::mem::swap(&mut input.metadata, &mut output.metadata);
                    metadata_from = None;
                }
            }
        }
        Ok(metadata_from)
    }

    /// Reverses the first filter of the list into `to`.
    fn decode_last(
        &self,
        stage: &Stage,
        input: DecodeInput<'_>,
        len: usize,
        to: &mut [u8],
        metadata: &mut ReusableBuffer,
    ) -> Result<()> {
        match stage {
            Stage::Checksum { .. } if input.data.len() != to.len() => {
                return Err(stage.bad_len(to.len(), input.data.len()));
            }
            Stage::Checksum { .. } => to.copy_from_slice(input.data),
            _ if len != to.len() => return Err(stage.bad_len(to.len(), len)),
            _ => (),
        }
        let limit = to.len().saturating_add(1 << 16);
        stage
            .decode(input, to, metadata, limit, self.checks_digests)
            .map(drop)
    }
}

/// Returns the input of the next stage while decoding. Its metadata starts at `metadata_from` in
/// that of the chunk, or is in the buffers of the workspace if that is `None`.
fn stage_input<'a>(
    metadata_from: Option<usize>,
    buffers: &'a StageBuffers,
    chunk: DecodeInput<'a>,
) -> DecodeInput<'a> {
    DecodeInput {
        data: if buffers.holds_data {
            &buffers.data.bytes
        } else {
            chunk.data
        },
        metadata: match metadata_from {
            Some(from) => chunk.metadata.get(from..).unwrap_or_default(),
            None => &buffers.metadata.bytes,
        },
    }
}

fn copy(from: &[u8], to: &mut [u8]) -> Result<()> {
    if from.len() != to.len() {
        return Err(bad_len(to.len(), from.len()));
    }
    to.copy_from_slice(from);
    Ok(())
}
