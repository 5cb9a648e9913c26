//! The public Rust API: safe, typed wrappers of the engine.
//!
//! A [`Context`](context::Context) holds the configuration and the storage. An
//! [`Array`](array::Array) is the state of an array at the time of its open; queries read it, and
//! writes create new fragments. Values are converted by [`ToCell`](cell::ToCell) and
//! [`FromCell`](cell::FromCell); names and values that do not fit the schema are errors.

pub(crate) mod aggregate;
pub(crate) mod array;
#[cfg(feature = "arrow")]
pub(crate) mod arrow;
pub(crate) mod batches;
pub(crate) mod cell;
pub(crate) mod context;
pub(crate) mod context_builder;
pub(crate) mod evolution;
pub(crate) mod field_values;
pub(crate) mod fragments;
pub(crate) mod group;
pub(crate) mod group_snapshot;
pub(crate) mod listing;
pub(crate) mod metadata;
mod names;
pub(crate) mod read_query;
pub(crate) mod schema;
pub(crate) mod schema_builder;
#[cfg(feature = "serde")]
mod serialize;
#[cfg(feature = "async")]
pub(crate) mod stream;
pub(crate) mod subarray;
mod values;
pub(crate) mod vfs;
pub(crate) mod write_query;
