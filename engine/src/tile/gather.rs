//! Gathers runs of cells from a stored tile chunk by chunk, so that a chunk is still in the cache
//! when its cells are copied. Chunks without a requested cell are skipped.

use super::cell_run::CellRun;
use super::chunk_location::ChunkLocation;
use super::disjoint::SharedBytes;
use super::stored_tile::StoredTile;
use super::workspace::{TileWorkspace, ensure_len};
use crate::error::Result;

impl StoredTile<'_> {
    /// Copies `number` runs of cells, of `size` bytes each, from this tile to `to`. The runs must
    /// ascend in the tile and in the destination, and no other thread may access their cells there.
    /// They may overlap in the tile if their starts and their ends ascend.
    pub fn gather(
        &self,
        size: usize,
        number: usize,
        run: impl Fn(usize) -> CellRun,
        to: SharedBytes<'_>,
        workspace: &mut TileWorkspace,
    ) -> Result<()> {
        let run = |run_index: usize| run(run_index).in_bytes(size);
        let Some(last) = number.checked_sub(1) else {
            return Ok(());
        };
        let span = run(0).from..run(last).source_end();
        if span.end > self.len {
            let problem = format!("refer to bytes {span:?} of a tile of {}", self.len);
            return Err(self.corrupt("cells", 0, problem));
        }
        if span.is_empty() {
            return Ok(());
        }
        if let Some(bytes) = self.converted {
            for run in (0..number).map(run) {
                to.write(run.to, &bytes[run.source()]);
            }
            return Ok(());
        }
        let TileWorkspace { stored, data, .. } = workspace;
        let (chunks, base) = self.read_chunks(std::slice::from_ref(&span), stored)?;
        let mut run_index = 0;
        for chunk in &chunks {
            while run_index < number && run(run_index).source_end() <= chunk.start {
                run_index += 1;
            }
            if run_index == number {
                break;
            }
            let first = run(run_index);
            if first.from >= chunk.end() {
                continue;
            }
            let alone = run_index == last || run(run_index + 1).from >= chunk.end();
            if alone && first.from <= chunk.start && chunk.end() <= first.source_end() {
                let start = first.to + chunk.start - first.from;
                let part = to.part(start, chunk.end() - chunk.start);
                self.decode(chunk, base, stored, part)?;
                continue;
            }
            let bytes = self.bytes_of(chunk, base, stored, data)?;
            let mut index = run_index;
            while index < number {
                let run = run(index);
                if run.from >= chunk.end() {
                    break;
                }
                let (from, end) = (run.from.max(chunk.start), run.source_end().min(chunk.end()));
                if from < end {
                    let bytes = &bytes[from - chunk.start..end - chunk.start];
                    let part = to.part(run.to + from - run.from, end - from);
                    copy(bytes, part);
                }
                index += 1;
                // Runs may overlap, so that several continue in the next chunk.
                if run.source_end() <= chunk.end() {
                    run_index = index;
                }
            }
        }
        Ok(())
    }

    /// Returns the unfiltered bytes of a chunk: as read if it is stored unfiltered, otherwise
    /// decoded into `data`.
    fn bytes_of<'b>(
        &self,
        chunk: &ChunkLocation,
        base: u64,
        stored: &'b [u8],
        data: &'b mut Vec<u8>,
    ) -> Result<&'b [u8]> {
        if self.pipeline.is_identity() && chunk.is_plain() {
            let offset = (chunk.position - base) as usize;
            let len = chunk.end() - chunk.start;
            return Ok(stored.get(offset..offset + len).unwrap_or_default());
        }
        let data = ensure_len(data, chunk.end() - chunk.start)?;
        self.decode(chunk, base, stored, data)?;
        Ok(data)
    }
}

/// Copies bytes; eight bytes as a single word.
#[inline(always)]
fn copy(from: &[u8], to: &mut [u8]) {
    match (from.as_chunks(), to.as_chunks_mut()) {
        (([one], []), ([word], [])) => *word = <[u8; 8]>::clone(one),
        _ => to.copy_from_slice(from),
    }
}
