//! One fragment: opened for reading, or being written.
//!
//! A fragment is immutable once committed. [`Opening::open`] reads its footer; sections of its
//! metadata load on first use and stay, data files are opened on first use and, up to a bound for
//! the process, stay open. [`FragmentWriter`] makes one: data files, then metadata, then the commit
//! that makes it visible.

mod field_tiles;
mod fields;
mod kept_columns;
mod kept_files;
mod metadata;
mod open;
mod opened;
mod rtree;
mod sections;
mod stats;
mod writer;

#[cfg(test)]
mod tests;

use crate::format::fragment::Column;

pub use field_tiles::FieldTiles;
pub use fields::{FieldWriter, TileStats};
pub use kept_columns::{ColumnPlace, KeptColumns};
pub use open::Opening;
pub use opened::Fragment;
pub use rtree::{FoundTile, Overlap};
pub use writer::{FragmentWriter, NewFragment};

/// Which file of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The values, or the offsets of a variable-length field (`a0.tdb`).
    Fixed = 0,
    /// The values of a variable-length field (`a0_var.tdb`).
    Var,
    /// The validity of a nullable field (`a0_validity.tdb`).
    Validity,
}

impl Part {
    const ALL: [Self; 3] = [Self::Fixed, Self::Var, Self::Validity];

    fn suffix(self) -> &'static str {
        ["", "_var", "_validity"][self as usize]
    }

    fn file_size(self) -> Column {
        [
            Column::FixedFileSize,
            Column::VarFileSize,
            Column::ValidityFileSize,
        ][self as usize]
    }

    fn tile_offsets(self) -> Column {
        [
            Column::TileOffsets,
            Column::VarOffsets,
            Column::ValidityOffsets,
        ][self as usize]
    }
}

/// A field's place in the lists of the fragment's metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot(pub(crate) usize);
