//! Undoing: a list of filters runs backwards over chunks that came from storage, of which nothing is believed.

use super::scratch::{SCRATCH, Scratch, Side};
use super::stage::{DataIs, Filtered, MetadataIs, Stage};
use super::{Pipeline, bad_len, needs_offsets};
use crate::bytes::Room;
use crate::error::{Error, Result};
use crate::filter::chunks::{Chunk, Chunks};
use crate::filter::text::TextsMut;

impl Pipeline {
    /// Undoes the filters of a tile of texts. An error where it does not hold as many as there is room for.
    pub fn decode_texts(&self, stored: &[u8], texts: TextsMut<'_>) -> Result<()> {
        let text = self.text.ok_or_else(needs_offsets)?;
        let mut chunks = Chunks::parse(stored, texts.values.len() as u64)?;
        let chunk = match (chunks.next().transpose()?, chunks.next().transpose()?) {
            (Some(chunk), None) if chunk.original_len as usize == texts.values.len() => chunk,
            _ => return Err(Error::corrupt("tile", "texts", 0, "are not one chunk")),
        };
        let input = Filtered {
            data: chunk.filtered,
            metadata: chunk.metadata,
        };
        // A count, a length and an index of eight bytes each is the most that a cell costs.
        let most = texts.number.saturating_mul(24);
        let most = most.saturating_add(texts.values.len());
        SCRATCH.with_borrow_mut(|scratch| {
            let Scratch {
                input: side,
                output,
            } = scratch;
            let place = self.undo(&self.stages, input, side, output, most);
            let decoded = place.and_then(|place| text.decode(place.of(side, input), texts));
            scratch.shrink();
            decoded
        })
    }

    /// Undoes the filters of a chunk into `to`, which has the chunk's original length.
    pub fn decode_chunk(&self, chunk: Chunk<'_>, to: &mut [u8]) -> Result<()> {
        if to.len() != chunk.original_len as usize {
            return Err(bad_len(chunk.original_len as usize, to.len()));
        }
        let input = Filtered {
            data: chunk.filtered,
            metadata: chunk.metadata,
        };
        if self.text.is_some() {
            return Err(needs_offsets());
        }
        match self.stages.split_first() {
            None => copy(input.data, to),
            Some((first, [])) => {
                let len = first.decoded_len(input)?;
                self.decode_last(first, input, len, to, &mut Room::new())
            }
            Some((first, others)) => SCRATCH.with_borrow_mut(|scratch| {
                let decoded = self.decode_all(first, others, input, scratch, to);
                scratch.shrink();
                decoded
            }),
        }
    }

    /// Undoes the filters of a stored tile into `to`, which has the tile's length.
    pub fn decode_tile(&self, stored: &[u8], to: &mut [u8]) -> Result<()> {
        let mut rest = &mut to[..];
        for chunk in Chunks::parse(stored, rest.len() as u64)? {
            let chunk = chunk?;
            let (place, later) = rest
                .split_at_mut_checked(chunk.original_len as usize)
                .ok_or_else(|| bad_len(chunk.original_len as usize, 0))?;
            self.decode_chunk(chunk, place)?;
            rest = later;
        }
        Ok(())
    }

    /// Undoes `others`, last first, through memory of the thread, then `first` into `to`.
    fn decode_all(
        &self,
        first: &Stage,
        others: &[Stage],
        chunk: Filtered<'_>,
        scratch: &mut Scratch,
        to: &mut [u8],
    ) -> Result<()> {
        let Scratch { input, output } = scratch;
        let place = self.undo(others, chunk, input, output, to.len())?;
        let filtered = place.of(input, chunk);
        let len = first.decoded_len(filtered)?;
        output.clear();
        self.decode_last(first, filtered, len, to, &mut output.metadata.bytes)
    }

    /// Undoes `stages`, last first, of a chunk whose data has about `len` bytes at the end. Answers where what they give
    /// stands.
    fn undo(
        &self,
        stages: &[Stage],
        chunk: Filtered<'_>,
        input: &mut Side,
        output: &mut Side,
        len: usize,
    ) -> Result<Place> {
        input.clear();
        // A filter may grow data, but no sensible one more than this: what a file says is not believed beyond.
        let limit = len.saturating_mul(4).saturating_add(1 << 16);
        let mut place = Place {
            metadata_from: Some(0),
        };
        for stage in stages.iter().rev() {
            output.clear();
            let filtered = place.of(input, chunk);
            let len = stage.decoded_len(filtered)?;
            if len > limit {
                return Err(stage.bad_len(limit, len));
            }
            let (data_is, metadata_is) = stage.decode(
                filtered,
                output.data.bytes.grow(len)?,
                &mut output.metadata.bytes,
                limit,
                self.checks_digests,
            )?;
            if data_is == DataIs::Written {
                std::mem::swap(&mut input.data, &mut output.data);
                input.holds_data = true;
            }
            match (metadata_is, place.metadata_from.as_mut()) {
                (MetadataIs::From(used), Some(from)) => *from += used,
                (MetadataIs::From(used), None) => input.metadata.bytes.drop_front(used),
                (MetadataIs::Written, _) => {
                    std::mem::swap(&mut input.metadata, &mut output.metadata);
                    place.metadata_from = None;
                }
            }
        }
        Ok(place)
    }

    /// Undoes a filter into `to`.
    fn decode_last(
        &self,
        stage: &Stage,
        input: Filtered<'_>,
        len: usize,
        to: &mut [u8],
        metadata: &mut Room,
    ) -> Result<()> {
        match stage {
            Stage::Checksum(_) if input.data.len() != to.len() => {
                return Err(stage.bad_len(to.len(), input.data.len()));
            }
            Stage::Checksum(_) => to.copy_from_slice(input.data),
            _ if len != to.len() => return Err(stage.bad_len(to.len(), len)),
            _ => (),
        }
        let limit = to.len().saturating_add(1 << 16);
        stage
            .decode(input, to, metadata, limit, self.checks_digests)
            .map(|_| ())
    }
}

/// Where the data and metadata between two filters stand when reading.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// In the chunk's metadata from here on; `None` is in the side's own.
    metadata_from: Option<usize>,
}

impl Place {
    fn of<'a>(self, side: &'a Side, chunk: Filtered<'a>) -> Filtered<'a> {
        Filtered {
            data: match side.holds_data {
                true => &side.data.bytes,
                false => chunk.data,
            },
            metadata: match self.metadata_from {
                Some(from) => chunk.metadata.get(from..).unwrap_or_default(),
                None => &side.metadata.bytes,
            },
        }
    }
}

fn copy(from: &[u8], to: &mut [u8]) -> Result<()> {
    if from.len() != to.len() {
        return Err(bad_len(to.len(), from.len()));
    }
    to.copy_from_slice(from);
    Ok(())
}
