//! Messages that libtiledb exchanges with servers: schemas, arrays, groups, fragment information,
//! queries and requests, as Cap'n Proto or as JSON.
//!
//! The crate `tiledb-messages` has the types of all messages, generated from `messages.capnp`.
//! `message` writes and reads one in either encoding, and `json` converts by the schema of the
//! message, so that a file per object only fills and reads typed structs. Messages come from other
//! processes: everything in them is checked as data from storage is.

mod arrays;
#[cfg(feature = "rest")]
mod client;
mod config;
mod fragment_info;
mod fragments;
mod groups;
mod json;
mod message;
mod metadata;
mod non_empty_domains;
mod query;
mod ranges;
mod requests;
mod schema;
mod texts;
mod values;

use tiledb_messages as messages_capnp;

pub use arrays::{read_array, read_served_array, write_array};
#[cfg(feature = "rest")]
pub use client::*;
pub use config::{read_config, write_config};
pub use fragment_info::{
    read_fragment_info, read_fragment_info_request, write_fragment_info,
    write_fragment_info_request,
};
pub use groups::{read_group, write_group};
pub use message::MessageEncoding;
pub use metadata::{read_metadata, write_metadata};
pub use non_empty_domains::{
    bounds_size, common_datatype, read_non_empty_domain, read_non_empty_domains,
    write_non_empty_domain, write_non_empty_domains,
};
pub use query::{
    BufferSize, FieldHeader, MessageField, Side, read_array_of_query, read_query,
    read_query_plan_request, read_query_plan_response, read_result_sizes, write_query,
    write_query_plan_request, write_query_plan_response, write_result_sizes,
};
pub use requests::{
    read_array_open, read_consolidation_plan_request, read_delete_fragments_list_request,
    read_delete_fragments_request, read_load_enumerations_request, read_load_schema_request,
    write_array_open, write_consolidation_plan_response, write_load_enumerations_response,
    write_load_schema_response,
};
pub use schema::{
    CreationMessage, read_array_create, read_schema, read_schema_evolution, write_schema,
    write_schema_evolution,
};
