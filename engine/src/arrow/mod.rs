//! Cells as Apache Arrow's columns, for the Rust API. The C layer and the tool have mappings of
//! their own between fields and Arrow types.
//!
//! `types` maps fields to Arrow types and back, `export` fills the buffers of Arrow arrays with the
//! cells that a read delivers, `import` converts arrays to the cells of a write, and `batches`
//! reads in batches of bounded size. Arrays are `ArrayData`, of which the Rust API makes record
//! batches.

mod batches;
mod export;
mod import;
mod types;

pub use batches::{BatchReader, ReadColumn};
pub use import::{ArrowCells, cells_of};
pub use types::{DATATYPE_KEY, arrow_error, arrow_field, attribute_of, form_of};
