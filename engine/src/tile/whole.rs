//! Reads of whole tiles: read once, then decoded chunk by chunk to the destination.

use super::stored_tile::StoredTile;
use super::workspace::TileWorkspace;
use crate::error::{Result, reserve_exact};
use crate::filter::Chunks;
use crate::memory::tuning::SMALL_TILE_BYTES;

impl StoredTile<'_> {
    /// Decodes the whole tile into `to`, which must have the tile's unfiltered length.
    pub fn read_whole(&self, to: &mut [u8], workspace: &mut TileWorkspace) -> Result<()> {
        if to.len() != self.len {
            let problem = format!("is {1} bytes, but {0} were requested", to.len(), self.len);
            return Err(self.corrupt("length", 0, problem));
        }
        if self.len == 0 {
            return Ok(());
        }
        if let Some(bytes) = self.converted {
            to.copy_from_slice(bytes);
            return Ok(());
        }
        if self.is_plain() {
            return self.read_plain(to, workspace);
        }
        let stored = self.read_stored(&mut workspace.stored)?;
        self.watch.note_read(self.len);
        self.decode_stored(stored, to)
    }

    /// Decodes the whole tile into a buffer, replacing its content. Memory is allocated after the
    /// lengths of the stored chunks have been checked.
    pub fn read_whole_into(&self, to: &mut Vec<u8>, workspace: &mut TileWorkspace) -> Result<()> {
        if self.converted.is_some() {
            self.resize(to)?;
            return self.read_whole(to, workspace);
        }
        if self.is_plain() {
            if self.len > to.capacity() {
                self.check_len(workspace)?;
            }
            self.resize(to)?;
            return self.read_whole(to, workspace);
        }
        if self.len == 0 {
            to.clear();
            return Ok(());
        }
        let stored = self.read_stored(&mut workspace.stored)?;
        self.watch.note_read(self.len);
        if self.len > to.capacity() {
            self.check_chunks(stored)?;
        }
        self.resize(to)?;
        self.decode_stored(stored, to)
    }

    /// Resizes a buffer to the tile's length. Its content is unspecified.
    fn resize(&self, to: &mut Vec<u8>) -> Result<()> {
        if self.len > to.capacity() {
            to.clear();
            reserve_exact("a tile", to, self.len)?;
        }
        to.resize(self.len, 0);
        Ok(())
    }

    /// Returns whether the tile is read directly to its destination.
    fn is_plain(&self) -> bool {
        self.pipeline.is_identity()
            && self.location.range.end - self.location.range.start > SMALL_TILE_BYTES
    }

    /// Decodes the chunks of the stored tile.
    fn decode_stored(&self, stored: &[u8], to: &mut [u8]) -> Result<()> {
        let mut offset = 0;
        let fragment = self.location.fragment;
        for chunk in self.chunks(stored)? {
            let chunk = chunk.map_err(|error| error.with_uri(fragment))?;
            let end = offset + chunk.original_len as usize;
            self.pipeline
                .decode_chunk(chunk, &mut to[offset..end])
                .map_err(|error| error.with_uri(fragment))?;
            offset = end;
        }
        Ok(())
    }

    fn chunks<'s>(&self, stored: &'s [u8]) -> Result<Chunks<'s>> {
        Chunks::parse(stored, self.len as u64)
            .map_err(|error| error.with_uri(self.location.fragment))
    }

    /// Returns an error unless the chunks of the stored tile have as many unfiltered bytes as the
    /// tile.
    pub(super) fn check_chunks(&self, stored: &[u8]) -> Result<()> {
        let mut chunks = self.chunks(stored)?;
        chunks
            .try_for_each(|chunk| chunk.map(drop))
            .map_err(|error| error.with_uri(self.location.fragment))
    }

    /// Returns an error unless the chunks in the file have as many unfiltered bytes as the tile.
    fn check_len(&self, workspace: &mut TileWorkspace) -> Result<()> {
        if self.len as u64 <= SMALL_TILE_BYTES {
            return Ok(());
        }
        let last = self.len - 1..self.len;
        self.read_chunks(std::slice::from_ref(&last), &mut workspace.stored)
            .map(|_| ())
    }

    /// Reads an unfiltered tile directly to its destination. Chunks of variable-length cells differ
    /// in length, since they contain whole cells.
    fn read_plain(&self, to: &mut [u8], workspace: &mut TileWorkspace) -> Result<()> {
        let file = self.location.file;
        let chunks =
            self.parse_chunks(0..self.len, |offset, header| file.read_at(offset, header))?;
        if chunks.iter().any(|chunk| !chunk.is_plain()) {
            return Err(self.corrupt(
                "chunk",
                self.location.range.start,
                "has a stored length other than that of its data",
            ));
        }
        self.watch.note_bytes(self.len);
        self.read_chunks_to(&chunks, to, &mut workspace.discarded)
    }

    /// Returns all bytes of the stored tile.
    pub(super) fn read_stored<'s>(&self, stored: &'s mut Vec<u8>) -> Result<&'s [u8]> {
        self.check_in_file()?;
        self.read_file_range(stored)
    }
}
