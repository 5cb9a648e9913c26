//! Tiles: reading stored bytes into tiles in memory, and the reverse.
//!
//! A tile consists of consecutive cells of one field. On storage it is divided into chunks, which
//! are filtered separately. `stored_tile` reads a tile or requested parts of it: for filtered tiles
//! the chunks that contain them (`chunks`), of dense arrays through a cache (`chunk_cache`), for
//! others the bytes (`plain`). `store` lays out unfiltered tiles. `strided_copy` copies boxes of
//! cells between a tile and a caller's buffer.

mod cells;
mod chunk_cache;
mod chunks;
mod disjoint;
pub mod generic;
mod plain;
mod store;
mod stored_tile;
mod strided_copy;

pub use cells::{Cells, CellsRef, FillValue, set_starts, unzip};
pub use chunk_cache::{ChunkCache, TileCache, TileKey};
pub use disjoint::{CellWriter, CopyAxis, SharedBytes};
pub use store::{plain_headers, plain_pieces};
pub use stored_tile::{StoredTile, TileWorkspace, values_pipeline};
pub use strided_copy::{CellRun, StridedCopy};
