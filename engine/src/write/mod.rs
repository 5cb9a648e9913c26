//! How queries write.
//!
//! `check` turns the caller's buffers into columns of cells, or says what is wrong with them. Dense: `ordered` cuts the
//! columns of a box into space tiles, `global` takes cells that come in the order of the files, in as many submits as it
//! takes. Sparse: `unordered` puts cells into the order of the array (`order`) and cuts them into tiles (`cut`),
//! `global_sparse` takes cells that come in that order (`ascent`). All hand tiles to `tiles`, which notes statistics,
//! filters and appends. Nothing is visible before the commit.

mod bounds;
mod box_write;
mod check;
mod cut;
mod encode_workspace;
mod field_stream;
mod global;
mod global_order_check;
mod global_sparse;
mod order;
mod text_min_max;
mod tile_encoder;
mod tile_stats;
mod unordered;
mod values_order;
mod zipped_coordinates;

pub use box_write::BoxWrite;
pub use check::is_about_buffers;
pub use global::GlobalWrite;
pub use global_sparse::SparseGlobalWrite;
pub use order::CellChecks;
pub use tile_encoder::too_large_a_tile;
pub use unordered::UnorderedWrite;
pub use values_order::refuse_ordered;
pub use zipped_coordinates::SplitCoordinates;
