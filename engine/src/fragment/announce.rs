//! Tiles that are about to be read, announced together: on object stores their bytes are loaded
//! with few requests at the same time. On other storage announcing costs nothing and does nothing.

use std::ops::Range;
use std::sync::Arc;

use super::{FieldTiles, Fragment};
use crate::error::Result;
use crate::memory::tuning::MAX_ANNOUNCED_BYTES;
use crate::vfs::{Announced, ReadFile};

/// The stored bytes of tiles, by file.
#[derive(Debug, Default)]
pub struct Announcement {
    files: Vec<(Arc<ReadFile>, Vec<Range<u64>>)>,
    bytes: u64,
}

impl Announcement {
    /// Adds the tile of a field. Does nothing if the fragment is not on an object store.
    pub fn add(&mut self, fragment: &Fragment, field: &FieldTiles, tile: u64) -> Result<()> {
        if self.bytes >= MAX_ANNOUNCED_BYTES || !fragment.vfs.is_object_store(&fragment.uri) {
            return Ok(());
        }
        for part in field.parts() {
            let range = fragment.stored_range(field.slot(), part, tile)?;
            let file = fragment.file(field.slot(), part)?;
            self.bytes = self.bytes.saturating_add(range.end - range.start);
            // Tiles of a field follow each other.
            let known = self.files.iter_mut().rev();
            match known
                .into_iter()
                .find(|(known, _)| Arc::ptr_eq(known, &file))
            {
                Some((_, ranges)) => ranges.push(range),
                None => self.files.push((file, vec![range])),
            }
        }
        Ok(())
    }

    /// Loads what was added.
    pub fn load(self, fragment: &Fragment) -> Result<()> {
        if self.files.is_empty() {
            return Ok(());
        }
        let announced = self.files.iter().map(|(file, ranges)| Announced {
            file,
            ranges: ranges.clone(),
        });
        fragment.vfs.announce(&announced.collect::<Vec<_>>())
    }
}

impl Fragment {
    /// Returns whether reads of its files send requests.
    pub fn is_remote(&self) -> bool {
        self.vfs.is_object_store(&self.uri)
    }
}
