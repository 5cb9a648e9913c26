//! Cells as Apache Arrow's columns: the only mapping between fields and Arrow types, for the Rust
//! API, the C layer and, by the Rust API, the tool.
//!
//! `types` maps fields to Arrow types and back, `export` fills the buffers of Arrow arrays with the
//! cells that a read delivers, `import` converts arrays to the cells of a write, `plain`
//! decodes columns with encodings that cells do not have, and `batches` reads in batches of bounded
//! size. Arrays are `ArrayData`, of which the Rust API makes record
//! batches.

mod batches;
mod export;
mod import;
mod plain;
mod types;

pub use batches::BatchReader;
pub use import::{ArrowCells, cells_of, extended_by};
pub use plain::{plain_array, plain_field};
pub use types::{DATATYPE_KEY, ReadColumn, arrow_error, arrow_field, attribute_of, form_of};
