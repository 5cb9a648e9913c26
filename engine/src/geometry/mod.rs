//! Where things are: orders of cells, the grid of tiles, boxes of cells. Pure arithmetic on a
//! schema.
//!
//! Cells of a dense domain are counted from its lower corner: a coordinate here is the distance
//! from the domain's low end, a `u64` for every integer type, signed ones and dates included. Cells
//! of a sparse array are columns of coordinates, and are put into order by keys made of them.

mod cell_box;
mod coordinates;
mod grid;
mod hilbert;
mod key_axis;
mod keys;
mod narrow;
mod radix;
mod sort;
mod steps;

#[cfg(test)]
mod tests;

pub use cell_box::CellBox;
pub use coordinates::Coordinates;
pub use grid::{GridAxis, TileGrid};
pub use hilbert::{HILBERT_BITS, Hilbert};
pub use keys::{Bounds, CellOrder, KeyedCells, Keys};
pub use narrow::Narrow;
pub use radix::sort_by_bits;
pub use sort::Sorted;
pub use steps::{Order, box_strides, for_each_position};
