//! Geometry: orders of cells, the grid of tiles, boxes of cells. Pure arithmetic on a schema.
//!
//! A coordinate of a dense domain is the distance from the lower bound of the domain, a `u64` for
//! every integer type, including signed ones and dates. Cells of a sparse array are columns of
//! coordinates, and are sorted by keys computed from them.

mod box_index;
mod cell_box;
mod cell_order;
mod coordinates;
mod grid;
mod hilbert;
mod key_axis;
mod keys;
mod order_violations;
mod packed_column;
mod parallel_sort;
mod radix;
mod sort;
mod steps;

#[cfg(test)]
mod tests;

pub use box_index::BoxIndex;
pub use cell_box::CellBox;
pub use cell_order::CellOrder;
pub use coordinates::Coordinates;
pub use grid::{GridAxis, TileGrid};
pub use hilbert::{HILBERT_BITS, Hilbert};
pub use key_axis::Bounds;
pub use keys::{KeyedCells, Keys};
pub use order_violations::{CellCopy, OrderViolations};
pub use packed_column::PackedColumn;
pub use radix::sort_by_bits;
pub use sort::SortedCells;
pub use steps::{Order, box_strides, for_each_position};
