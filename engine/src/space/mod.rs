//! Where things are: orders of cells, the grid of tiles, boxes of cells. Pure arithmetic on a schema.
//!
//! Cells of a dense domain are counted from its lower corner: a coordinate here is the distance from the domain's low
//! end, a `u64` for every integer type, signed ones and dates included.

mod cell_box;
mod grid;
mod steps;

pub use cell_box::CellBox;
pub use grid::{GridAxis, TileGrid};
pub use steps::{Order, box_strides, for_each_position};
