//! Tiles that are about to be read, announced together: on object stores their bytes are loaded
//! with few requests at the same time. On other storage announcing costs nothing and does nothing.

use std::sync::Arc;

use super::{FieldTiles, FilePart, Fragment};
use crate::error::Result;
use crate::memory::tuning::{ANNOUNCED_GROUP_BYTES, MAX_ANNOUNCED_BYTES};
use crate::vfs::FileRanges;

/// The stored bytes of tiles, by file.
#[derive(Debug, Default)]
pub struct Announcement {
    files: Vec<FileRanges>,
    bytes: u64,
}

impl Announcement {
    /// Adds the parts of the tile of a field that `is_read` accepts. Does nothing if the fragment
    /// is not on an object store.
    pub fn add(
        &mut self,
        field: &FieldTiles,
        tile: u64,
        is_read: impl Fn(FilePart) -> bool,
    ) -> Result<()> {
        let fragment = &field.fragment;
        if self.bytes >= MAX_ANNOUNCED_BYTES || !fragment.is_remote() {
            return Ok(());
        }
        for part in field.parts().filter(|part| is_read(*part)) {
            let range = field.stored_range(part, tile)?;
            let file = fragment.file(field.slot, part)?;
            self.bytes = self.bytes.saturating_add(range.end - range.start);
            // Tiles of a field follow each other.
            match self
                .files
                .iter_mut()
                .rev()
                .find(|known| Arc::ptr_eq(&known.file, &file))
            {
                Some(known) => known.ranges.push(range),
                None => self.files.push(FileRanges {
                    file,
                    ranges: vec![range],
                }),
            }
        }
        Ok(())
    }

    /// Returns whether as much was added as should be loaded at a time.
    pub fn is_full(&self) -> bool {
        self.bytes >= ANNOUNCED_GROUP_BYTES
    }

    /// Begins to load what was added. Reads wait for what they need.
    pub fn load(self, fragment: &Fragment) -> Result<()> {
        if self.files.is_empty() {
            return Ok(());
        }
        fragment.vfs.announce(&self.files)
    }
}

impl Fragment {
    /// Returns whether reads of its files send requests.
    pub fn is_remote(&self) -> bool {
        self.vfs.is_object_store(self.uri())
    }
}
