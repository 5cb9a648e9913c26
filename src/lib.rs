//! The C ABI of TileDB on top of the engine crate. This layer only translates.
//!
//! # Contract of the exported functions
//!
//! Every exported function is `unsafe` and relies on these rules, which the C header states for
//! callers:
//! - A pointer argument is null or points to a value of its C type that stays valid during the
//!   call. Null is checked and is an error unless the function's comment says otherwise. Other
//!   invalid pointers are undefined behaviour.
//! - A handle was created by this library and has not been freed. Several threads may use it at
//!   once: functions borrow it as `&T`, never as `&mut T`, and mutable state is behind a lock.
//! - A handle owns or shares what it refers to, so a parent may be freed before its children.
//!   `*_free` takes a pointer to the handle, accepts null and sets the handle to null.
//! - Output pointers are written on success only, unless the function's comment says otherwise.
//! - Strings and values returned by pointer are owned by the handle that they were read from.
//! - Enums arrive as integers and are checked. A panic is caught and becomes `TILEDB_ERR`.
//!
//! Each type of handle has a file, or a folder if one file would be too long. The files have the
//! same name here, in `capi-tests/` and as sections of the header.
#![expect(non_camel_case_types, reason = "the names are those of the C header")]
#![allow(
    clippy::missing_safety_doc,
    reason = "the contract is stated above; `# Safety` headings would appear in the C header"
)]
#![allow(
    unsafe_op_in_unsafe_fn,
    reason = "exported functions rely on the contract above; the modules that dereference pointers deny this lint"
)]

#[deny(unsafe_op_in_unsafe_fn)]
mod arg;
#[deny(unsafe_op_in_unsafe_fn)]
mod c_strings;
#[deny(unsafe_op_in_unsafe_fn)]
mod callback;
pub mod codes;
#[deny(unsafe_op_in_unsafe_fn)]
mod entry;
#[deny(unsafe_op_in_unsafe_fn)]
mod exception;
#[deny(unsafe_op_in_unsafe_fn)]
mod handle;
#[deny(unsafe_op_in_unsafe_fn)]
mod metadata;
mod prelude;
mod range_output;

pub mod array;
pub mod array_schema;
pub mod array_schema_evolution;
pub mod arrow;
pub mod arrow_data;
pub mod attribute;
pub mod buffer;
pub mod buffer_list;
pub mod check;
pub mod config;
pub mod consolidation;
pub mod context;
pub mod current_domain;
pub mod datatype;
pub mod dimension;
pub mod dimension_label;
pub mod domain;
pub mod earlier;
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
pub mod progress;
pub mod query;
pub mod query_aggregate;
pub mod query_condition;
pub mod query_field;
pub mod query_plan;
pub mod serialization;
pub mod stats;
pub mod string;
pub mod subarray;
pub mod version;
pub mod vfs;

/// Programs in documents, which run as tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/time-travel.md")]
mod documents {}
