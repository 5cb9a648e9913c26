//! One fragment: opened for reading, or being written.

mod writer;

use std::ops::Range;
use std::sync::Arc;

use crate::error::Result;
use crate::format::fragment::{RTree, TileStatsColumn};
use crate::format::names::FragmentName;
use crate::format::version::FormatVersion;
use crate::schema::ArraySchema;
use crate::types::{EncryptionKey, NdRange, TimeRange};
use crate::vfs::{ReadFile, Uri};

pub use writer::{FieldWriter, FragmentWriter, TileStats};

/// Which file of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The values, or the offsets of a variable-length field (`a0.tdb`).
    Fixed,
    /// The values of a variable-length field (`a0_var.tdb`).
    Var,
    /// The validity of a nullable field (`a0_validity.tdb`).
    Validity,
}

/// A field's place in the lists of the fragment's metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot(pub(crate) usize);

/// A fragment opened for reading. Sections of its metadata load on first use and stay.
#[derive(Debug)]
pub struct Fragment {
    uri: Uri,
    name: FragmentName,
    schema: Arc<ArraySchema>,
    key: Option<EncryptionKey>,
}

impl Fragment {
    /// The folder.
    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    /// The folder's name.
    pub fn name(&self) -> &FragmentName {
        &self.name
    }

    /// The format version it was written in.
    pub fn version(&self) -> FormatVersion {
        unimplemented!()
    }

    /// When it counts as written, in milliseconds.
    pub fn timestamps(&self) -> TimeRange {
        self.name.timestamps()
    }

    /// The schema it was written with.
    pub fn schema(&self) -> &Arc<ArraySchema> {
        &self.schema
    }

    /// Whether it holds every cell of its non-empty domain.
    pub fn is_dense(&self) -> bool {
        unimplemented!()
    }

    /// The rectangle of its cells; for a dense fragment expanded to whole tiles where it was written so.
    pub fn non_empty_domain(&self) -> Option<&NdRange> {
        unimplemented!()
    }

    /// The number of tiles.
    pub fn tile_num(&self) -> u64 {
        unimplemented!()
    }

    /// The number of cells in the last tile of a sparse fragment.
    pub fn last_tile_cell_num(&self) -> u64 {
        unimplemented!()
    }

    /// The number of cells in all tiles.
    pub fn cell_num(&self) -> u64 {
        unimplemented!()
    }

    /// The place of a field; `None` where the fragment lacks it.
    pub fn slot(&self, _field: &str) -> Option<Slot> {
        unimplemented!()
    }

    /// A file of a field, opened on first use.
    pub fn file(&self, _slot: Slot, _part: Part) -> Result<Arc<ReadFile>> {
        unimplemented!()
    }

    /// Where a tile's bytes are in the file, checked against its size.
    pub fn stored_range(&self, _slot: Slot, _part: Part, _tile: u64) -> Result<Range<u64>> {
        unimplemented!()
    }

    /// The size in memory of a tile of variable-length values, in bytes.
    pub fn var_size(&self, _slot: Slot, _tile: u64) -> Result<u64> {
        unimplemented!()
    }

    /// Least and greatest value, sum and null count by tile.
    pub fn tile_stats(&self, _slot: Slot) -> Result<&TileStatsColumn> {
        unimplemented!()
    }

    /// The MBRs of a sparse fragment; empty for a dense one.
    pub fn rtree(&self) -> Result<&RTree> {
        unimplemented!()
    }

    /// The key of an encrypted array.
    pub fn key(&self) -> Option<&EncryptionKey> {
        self.key.as_ref()
    }
}
