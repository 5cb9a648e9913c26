//! One error of each cause, with a different value in each field.

mod api;
mod array;
mod condition;
mod condition_text;
mod config;
mod context;
mod filter;
mod fragment;
mod group;
mod inspect;
mod maintenance;
mod query;
mod query_message;
mod query_parts;
mod rest;
mod schema;
mod schema_changes;
mod schema_fields;
mod serialization;
mod subarray;
mod vfs;
mod write;

use tiledb_engine::Error;

/// Returns the samples of each file of causes.
pub(super) fn all() -> Vec<(&'static str, Vec<Error>)> {
    vec![
        ("api", api::samples()),
        ("array", array::samples()),
        ("condition", condition::samples()),
        ("condition_text", condition_text::samples()),
        ("config", config::samples()),
        ("context", context::samples()),
        ("filter", filter::samples()),
        ("fragment", fragment::samples()),
        ("group", group::samples()),
        ("inspect", inspect::samples()),
        ("maintenance", maintenance::samples()),
        ("query", query::samples()),
        ("query_message", query_message::samples()),
        ("query_parts", query_parts::samples()),
        ("rest", rest::samples()),
        ("schema", schema::samples()),
        ("schema_changes", schema_changes::samples()),
        ("schema_fields", schema_fields::samples()),
        ("serialization", serialization::samples()),
        ("subarray", subarray::samples()),
        ("vfs", vfs::samples()),
        ("write", write::samples()),
    ]
}
