//! A stored tile as a whole: read once, decoded chunk by chunk to where its cells are wanted.

use super::chunks::SMALL;
use super::fetch::StoredTile;
use super::scratch::{Scratch, room};
use crate::error::{Result, reserve_exact};
use crate::filter::Chunks;

impl StoredTile<'_> {
    /// Decodes the whole tile into `to`, which has the tile's length in memory.
    pub fn read_whole(&self, to: &mut [u8], scratch: &mut Scratch) -> Result<()> {
        if to.len() != self.len {
            let problem = format!("is wanted as {} bytes, not {}", to.len(), self.len);
            return Err(self.corrupt("length", 0, problem));
        }
        if self.len == 0 {
            return Ok(());
        }
        if self.is_plain() {
            return self.read_plain(to, scratch);
        }
        let stored = self.read_stored(&mut scratch.stored)?;
        self.decode_stored(stored, to)
    }

    /// Decodes the whole tile into a buffer that keeps its memory; what it held is lost. Memory is
    /// taken only once the stored chunks announce the tile's length.
    pub fn read_whole_into(&self, to: &mut Vec<u8>, scratch: &mut Scratch) -> Result<()> {
        if self.is_plain() {
            if self.len > to.capacity() {
                self.check_len(scratch)?;
            }
            self.make_room(to)?;
            return self.read_whole(to, scratch);
        }
        if self.len == 0 {
            to.clear();
            return Ok(());
        }
        let stored = self.read_stored(&mut scratch.stored)?;
        if self.len > to.capacity() {
            self.check_chunks(stored)?;
        }
        self.make_room(to)?;
        self.decode_stored(stored, to)
    }

    /// Gives a buffer the tile's length. What is there already need not be cleared.
    fn make_room(&self, to: &mut Vec<u8>) -> Result<()> {
        if self.len > to.capacity() {
            to.clear();
            reserve_exact("a tile", to, self.len)?;
        }
        to.resize(self.len, 0);
        Ok(())
    }

    /// Returns whether the tile is read straight to if it is wanted.
    fn is_plain(&self) -> bool {
        self.pipeline.is_identity() && self.source.range.end - self.source.range.start > SMALL
    }

    /// Decodes the chunks of the stored tile.
    fn decode_stored(&self, stored: &[u8], to: &mut [u8]) -> Result<()> {
        let mut at = 0;
        let place = self.source.place;
        for chunk in self.chunks(stored)? {
            let chunk = chunk.map_err(|error| error.with_uri(place))?;
            let end = at + chunk.original_len as usize;
            self.pipeline
                .decode_chunk(chunk, &mut to[at..end])
                .map_err(|error| error.with_uri(place))?;
            at = end;
        }
        Ok(())
    }

    fn chunks<'s>(&self, stored: &'s [u8]) -> Result<Chunks<'s>> {
        Chunks::parse(stored, self.len as u64).map_err(|error| error.with_uri(self.source.place))
    }

    /// An error unless the chunks of the stored tile announce as many bytes as the tile has in
    /// memory.
    pub(super) fn check_chunks(&self, stored: &[u8]) -> Result<()> {
        let mut chunks = self.chunks(stored)?;
        chunks
            .try_for_each(|chunk| chunk.map(drop))
            .map_err(|error| error.with_uri(self.source.place))
    }

    /// The same, where the chunks are still in the file.
    fn check_len(&self, scratch: &mut Scratch) -> Result<()> {
        if self.len as u64 <= SMALL {
            return Ok(());
        }
        let last = self.len - 1..self.len;
        self.read_chunks(std::slice::from_ref(&last), &mut scratch.stored)
            .map(|_| ())
    }

    /// Reads an unfiltered tile straight to if it is wanted. Its chunks may differ in length: no
    /// text is cut in two.
    fn read_plain(&self, to: &mut [u8], scratch: &mut Scratch) -> Result<()> {
        let file = self.source.file;
        let chunks = self.walk_chunks(0..self.len, |at, header| file.read_at(at, header))?;
        if chunks.iter().any(|chunk| !chunk.is_plain()) {
            return Err(self.corrupt(
                "chunk",
                self.source.range.start,
                "is not as long as its data",
            ));
        }
        self.read_chunks_to(&chunks, to, &mut scratch.sink)
    }

    /// Returns all bytes of the stored tile.
    pub(super) fn read_stored<'s>(&self, stored: &'s mut Vec<u8>) -> Result<&'s [u8]> {
        let range = &self.source.range;
        // Where the metadata asks for much, the file must have it before memory is taken.
        if range.end - range.start > SMALL && self.source.file.size()? < range.end {
            return Err(self.corrupt("stored tile", range.start, "passes the end of its file"));
        }
        let len = usize::try_from(range.end - range.start)
            .map_err(|_| self.corrupt("size", range.start, "is beyond memory"))?;
        let bytes = room(stored, len)?;
        self.source.file.read_at(range.start, bytes)?;
        Ok(bytes)
    }
}
