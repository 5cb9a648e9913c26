//! Runs of cells of a stored tile, taken chunk by chunk: a chunk is decoded where it stays in the
//! caches, and only what is wanted of it goes on. Chunks without a wanted cell are passed over.
#![expect(
    unsafe_code,
    reason = "cells go straight to the caller's parts of a shared buffer"
)]

use super::chunks::ChunkAt;
use super::disjoint::SharedBytes;
use super::fetch::StoredTile;
use super::scratch::{Scratch, room};
use crate::error::Result;

/// Neighbouring cells of a tile, and where they go.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// The first cell in the tile.
    pub from: usize,
    /// Its place in the destination.
    pub to: usize,
    /// How many.
    pub len: usize,
}

impl Run {
    /// The same in bytes, for cells of `size` bytes.
    fn scaled(self, size: usize) -> Self {
        Self {
            from: self.from * size,
            to: self.to * size,
            len: self.len * size,
        }
    }

    fn end(&self) -> usize {
        self.from + self.len
    }
}

impl StoredTile<'_> {
    /// Copies `number` runs of cells, `size` bytes each, from this tile to `to`. Both ends of the
    /// runs ascend.
    ///
    /// # Safety
    /// Nobody else reads or writes the cells of the destination that the runs touch.
    pub unsafe fn gather(
        &self,
        size: usize,
        number: usize,
        run: impl Fn(usize) -> Run,
        to: SharedBytes<'_>,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let run = |at: usize| run(at).scaled(size);
        let Some(last) = number.checked_sub(1) else {
            return Ok(());
        };
        let span = run(0).from..run(last).end();
        if span.end > self.len {
            let problem = format!("ask for bytes {span:?} of a tile of {}", self.len);
            return Err(self.corrupt("cells", 0, problem));
        }
        if span.is_empty() {
            return Ok(());
        }
        let Scratch { stored, data, .. } = scratch;
        let (chunks, base) = self.read_chunks(std::slice::from_ref(&span), stored)?;
        let mut at = 0;
        for chunk in &chunks {
            while at < number && run(at).end() <= chunk.start {
                at += 1;
            }
            if at == number {
                break;
            }
            let first = run(at);
            if first.from >= chunk.end() {
                continue;
            }
            let alone = at == last || run(at + 1).from >= chunk.end();
            if alone && first.from <= chunk.start && chunk.end() <= first.end() {
                let place = first.to + chunk.start - first.from;
                // SAFETY: cells of the run, the caller's alone.
                let part = unsafe { to.part(place, chunk.end() - chunk.start) };
                self.decode(chunk, base, stored, part)?;
                continue;
            }
            let bytes = self.bytes_of(chunk, base, stored, data)?;
            while at < number {
                let run = run(at);
                if run.from >= chunk.end() {
                    break;
                }
                let (from, end) = (run.from.max(chunk.start), run.end().min(chunk.end()));
                if from < end {
                    let bytes = &bytes[from - chunk.start..end - chunk.start];
                    // SAFETY: cells of the run, the caller's alone.
                    let part = unsafe { to.part(run.to + from - run.from, end - from) };
                    copy(bytes, part);
                }
                if run.end() > chunk.end() {
                    break;
                }
                at += 1;
            }
        }
        Ok(())
    }

    /// Returns the bytes of a chunk: where they were read, or decoded into `data`.
    fn bytes_of<'b>(
        &self,
        chunk: &ChunkAt,
        base: u64,
        stored: &'b [u8],
        data: &'b mut Vec<u8>,
    ) -> Result<&'b [u8]> {
        if self.pipeline.is_identity() && chunk.is_plain() {
            let at = (chunk.stored_at - base) as usize;
            let len = chunk.end() - chunk.start;
            return Ok(stored.get(at..at + len).unwrap_or_default());
        }
        let data = room(data, chunk.end() - chunk.start)?;
        self.decode(chunk, base, stored, data)?;
        Ok(data)
    }
}

/// Copies bytes; as many as a number has at once.
#[inline(always)]
fn copy(from: &[u8], to: &mut [u8]) {
    match (from.as_chunks(), to.as_chunks_mut()) {
        (([one], []), ([place], [])) => *place = <[u8; 8]>::clone(one),
        _ => to.copy_from_slice(from),
    }
}
