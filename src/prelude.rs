//! Imports that all files of the C layer use.

pub(crate) use std::ffi::{CString, c_char, c_int, c_void};

pub(crate) use crate::codes::*;
pub(crate) use crate::{arg, c_strings, entry, handle};
pub(crate) use tiledb_engine::internal::error::Cause;
pub(crate) use tiledb_engine::{Error, Result};

pub(crate) use crate::array::tiledb_array_t;
pub(crate) use crate::array_schema::tiledb_array_schema_t;
pub(crate) use crate::array_schema_evolution::tiledb_array_schema_evolution_t;
pub(crate) use crate::attribute::tiledb_attribute_t;
pub(crate) use crate::buffer::tiledb_buffer_t;
pub(crate) use crate::buffer_list::tiledb_buffer_list_t;
pub(crate) use crate::config::{tiledb_config_iter_t, tiledb_config_t};
pub(crate) use crate::consolidation::tiledb_consolidation_plan_t;
pub(crate) use crate::context::tiledb_ctx_t;
pub(crate) use crate::current_domain::tiledb_current_domain_t;
pub(crate) use crate::dimension::tiledb_dimension_t;
pub(crate) use crate::dimension_label::tiledb_dimension_label_t;
pub(crate) use crate::domain::tiledb_domain_t;
pub(crate) use crate::enumeration::tiledb_enumeration_t;
pub(crate) use crate::error::tiledb_error_t;
pub(crate) use crate::filter::tiledb_filter_t;
pub(crate) use crate::filter_list::tiledb_filter_list_t;
pub(crate) use crate::fragment_info::tiledb_fragment_info_t;
pub(crate) use crate::group::snapshot::tiledb_rs_group_snapshot_t;
pub(crate) use crate::group::tiledb_group_t;
pub(crate) use crate::ndrectangle::tiledb_ndrectangle_t;
pub(crate) use crate::profile::tiledb_profile_t;
pub(crate) use crate::query::tiledb_query_t;
pub(crate) use crate::query_aggregate::{
    tiledb_channel_operation_t, tiledb_channel_operator_t, tiledb_query_channel_t,
};
pub(crate) use crate::query_condition::tiledb_query_condition_t;
pub(crate) use crate::query_field::tiledb_query_field_t;
pub(crate) use crate::string::tiledb_string_t;
pub(crate) use crate::subarray::tiledb_subarray_t;
pub(crate) use crate::vfs::{tiledb_vfs_fh_t, tiledb_vfs_t};
