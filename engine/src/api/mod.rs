//! The public Rust API: safe, typed wrappers of the engine.
//!
//! A [`Context`](context::Context) holds the configuration and the storage. An
//! [`Array`](array::Array) is the state of an array at the time of its open; queries read it, and
//! writes create new fragments. Values are converted by [`ToCell`](cell::ToCell) and
//! [`FromCell`](cell::FromCell); names and values that do not fit the schema are errors.

pub mod aggregate;
pub mod array;
#[cfg(feature = "arrow")]
pub mod arrow;
pub mod batches;
pub mod cell;
pub mod cell_bytes;
pub mod context;
pub mod context_builder;
pub mod evolution;
pub mod field_values;
pub mod fragments;
pub mod group;
pub mod group_snapshot;
pub mod maintenance_mode;
pub mod metadata;
mod names;
mod open;
pub mod read_query;
pub mod schema;
pub mod schema_builder;
#[cfg(feature = "serde")]
mod serialize;
#[cfg(feature = "async")]
pub mod stream;
pub mod subarray;
pub mod typed_values;
mod values;
pub mod vfs;
pub mod write_query;
