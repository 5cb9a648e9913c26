//! Bytes on storage to tiles in memory and back.
//!
//! A tile is a run of cells of one field; on storage it is cut into chunks that are filtered one by
//! one. `fetch` brings what a caller wants of it: of filtered tiles the chunks that it touches
//! (`chunks`), of others the bytes (`plain`). `store` lays out what needs no filter. `arrange`
//! moves boxes of cells between a tile and a caller's buffer.

mod arrange;
mod cells;
mod chunks;
mod disjoint;
mod fetch;
mod gather;
pub mod generic;
mod plain;
mod scratch;
mod store;
mod values;
mod whole;

pub use arrange::{Axis, Walk};
pub use cells::{Cells, CellsRef, set_starts};
pub use disjoint::SharedBytes;
pub use fetch::{Source, StoredTile};
pub use gather::Run;
pub use scratch::Scratch;
pub use store::{plain_headers, plain_pieces};
pub use values::values_pipeline;
