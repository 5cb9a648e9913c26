//! The tiles of a sparse read in memory.
//!
//! ```text
//! fields         the fields of the read, and the fragments with their stored tiles by field
//! loader         a tile, and its columns, which are decoded on first use
//! point_cells    single cells of dense arrays, which formats up to 10 permit
//! ```

mod fields;
mod loader;
pub(in crate::read) mod point_cells;

pub(super) use self::fields::{FieldKind, FieldTable, FragmentSource, ReadMeters, SparseField};
pub(crate) use self::loader::FragmentCoordinates;
pub(super) use self::loader::{Tile, TileLoader};
