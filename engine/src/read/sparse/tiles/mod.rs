//! The tiles of a sparse read in memory.
//!
//! ```text
//! field          the fields of the read
//! source         a fragment, and its stored tiles by field
//! loader         a tile, and its columns, which are decoded on first use
//! point_cells    single cells of dense arrays, which formats up to 10 permit
//! ```

mod field;
mod loader;
pub(in crate::read) mod point_cells;
mod source;

pub(super) use self::field::{FieldKind, FieldTable, SparseField};
pub(crate) use self::loader::FragmentCoordinates;
pub(super) use self::loader::{Tile, TileLoader};
pub(super) use self::source::{FragmentSource, ReadMeters};
