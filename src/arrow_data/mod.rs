//! The structures of Arrow's C data interface, and the conversion between cells and Arrow arrays.
//!
//! `abi` has the structures, `types` the correspondence of types; `export` converts results to
//! arrays; `import`, `values` and `views` convert arrays to buffers of writes.

mod abi;
mod export;
mod import;
mod types;
mod values;
mod views;

pub use abi::{ArrowArray, ArrowArrayStream, ArrowSchema};
pub(crate) use abi::{NULLABLE, arrow_error};
pub(crate) use export::{Capacity, ColumnBuffers};
pub(crate) use import::ImportedArray;
pub(crate) use types::{ColumnType, datatype_of};
