//! libtiledb_rs: the C ABI of TileDB over the engine crate. Nothing but translation happens here.
//!
//! # The contract of this layer
//!
//! Stated once, and what every `unsafe` block of an entry relies on:
//! - A pointer argument is null or points to what its C type says, valid for the call. Null is checked here, with an
//!   error; anything else that is invalid is the caller's.
//! - A handle comes from this library and was not freed. It may be used from several threads at once: an entry takes
//!   `&T` of it, never `&mut T`; what changes lies behind a lock.
//! - A handle holds what it needs: freeing a parent before its child is legal. `*_free` takes `T**`, accepts null and
//!   leaves null behind.
//! - Out-pointers are written on success only, where an entry does not say otherwise.
//! - Texts and values that an answer lends live as long as the handle they came from.
//! - Enums arrive as integers and are checked. A panic is caught at the entry and becomes `TILEDB_ERR`.
//!
//! Each family of handles has a file, or a folder where it outgrew one: the same noun here, in `capi-tests/` and in the
//! header.
#![expect(non_camel_case_types, reason = "the names are those of the C header")]
#![allow(
    clippy::missing_safety_doc,
    reason = "the contract stands above; its headings would land in the C header"
)]
#![warn(unsafe_op_in_unsafe_fn)]

mod arg;
mod callback;
pub mod codes;
mod ends;
mod entry;
mod exception;
mod handle;
mod kept;
mod metadata;
mod prelude;

pub mod array;
pub mod array_schema;
pub mod array_schema_evolution;
pub mod attribute;
pub mod buffer;
pub mod buffer_list;
pub mod config;
pub mod consolidation;
pub mod context;
pub mod current_domain;
pub mod datatype;
pub mod dimension;
pub mod dimension_label;
pub mod domain;
pub mod dump;
pub mod enumeration;
pub mod enums;
pub mod error;
pub mod filestore;
pub mod filesystem;
pub mod filter;
pub mod filter_list;
pub mod fragment_info;
pub mod group;
pub mod ndrectangle;
pub mod object;
pub mod profile;
pub mod query;
pub mod query_aggregate;
pub mod query_condition;
pub mod query_field;
pub mod query_plan;
pub mod serialization;
pub mod stats;
pub mod string;
pub mod subarray;
pub mod unimplemented;
pub mod version;
pub mod vfs;
