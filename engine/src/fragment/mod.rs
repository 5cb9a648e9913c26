//! Fragments: opened for reading, or being written.
//!
//! A committed fragment is immutable. [`FragmentOpener::open`] reads its footer. Sections of its
//! metadata are loaded when they are first needed and stay in memory; data files are opened when
//! they are first needed and stay open, up to a limit for the process. [`FragmentWriter`] writes a
//! fragment: data files, then metadata, then the commit file, which makes it visible.

mod announce;
mod change;
mod field_tiles;
mod fields;
#[expect(
    clippy::module_inception,
    reason = "the module's main type has its name"
)]
mod fragment;
mod metadata;
mod open;
mod rtree;
mod sections;
mod stats;
mod tile_positions;
mod writer;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::format::fragment::FooterColumn;
use crate::geometry::PackedColumn;
use crate::memory::LruCache;

pub use announce::Announcement;
pub use change::{OpenedObject, publish_change, publish_record};
pub use field_tiles::{FieldCache, FieldTiles};
pub use fields::{FieldWriter, TileStats, UnfinishedField, UnfinishedFragment};
pub use fragment::{Fragment, FragmentLocation};
pub use metadata::order_values;
pub use open::{CommonSchema, FragmentMessage, FragmentOpener};
pub use rtree::{FoundTile, build as rtree_of};
pub use tile_positions::{TileWindows, WINDOWS};
pub use writer::{FragmentWriter, NewFragment};

/// A file of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FilePart {
    /// The values, or the offsets of a variable-length field (`a0.tdb`).
    Fixed = 0,
    /// The values of a variable-length field (`a0_var.tdb`).
    Var,
    /// The validity of a nullable field (`a0_validity.tdb`).
    Validity,
}

impl FilePart {
    /// All parts.
    pub const ALL: [Self; 3] = [Self::Fixed, Self::Var, Self::Validity];

    fn suffix(self) -> &'static str {
        ["", "_var", "_validity"][self as usize]
    }

    fn file_size(self) -> FooterColumn {
        [
            FooterColumn::FixedFileSize,
            FooterColumn::VarFileSize,
            FooterColumn::ValidityFileSize,
        ][self as usize]
    }

    fn tile_offsets(self) -> FooterColumn {
        [
            FooterColumn::TileOffsets,
            FooterColumn::VarOffsets,
            FooterColumn::ValidityOffsets,
        ][self as usize]
    }
}

/// The index of a field in the fragment's metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot(pub(crate) usize);

/// A cache of packed coordinate columns of an open array. Box queries tend to revisit neighbouring
/// tiles.
pub type CoordinateCache = LruCache<CoordinateKey, Arc<PackedColumn>>;

/// The key of a cached column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CoordinateKey {
    /// The index of the fragment in the snapshot.
    pub fragment: usize,
    /// The tile.
    pub tile: u64,
    /// The dimension.
    pub dim: usize,
}
