//! Return codes, the integer types of enums, and the plain structs of the C API.

use std::ffi::c_void;

/// What a function returns: one of the codes below.
pub type capi_return_t = i32;
/// The older name of `capi_return_t`.
pub type capi_status_t = i32;

/// Success.
pub const TILEDB_OK: i32 = 0;
/// An error; the context (or the error argument) tells which.
pub const TILEDB_ERR: i32 = -1;
/// Out of memory.
pub const TILEDB_OOM: i32 = -2;
/// The context is null or invalid.
pub const TILEDB_INVALID_CONTEXT: i32 = -3;
/// The error argument is null.
pub const TILEDB_INVALID_ERROR: i32 = -4;
/// A memory budget is too small for the operation.
pub const TILEDB_BUDGET_UNAVAILABLE: i32 = -5;

/// A value of the C enum `tiledb_array_type_t`.
pub type tiledb_array_type_t = u32;
/// A value of the C enum `tiledb_current_domain_type_t`.
pub type tiledb_current_domain_type_t = u32;
/// A value of the C enum `tiledb_data_order_t`.
pub type tiledb_data_order_t = u32;
/// A value of the C enum `tiledb_data_protocol_t`.
pub type tiledb_data_protocol_t = u32;
/// A value of the C enum `tiledb_datatype_t`.
pub type tiledb_datatype_t = u32;
/// A value of the C enum `tiledb_encryption_type_t`.
pub type tiledb_encryption_type_t = u32;
/// A value of the C enum `tiledb_field_origin_t`.
pub type tiledb_field_origin_t = u32;
/// A value of the C enum `tiledb_filesystem_t`.
pub type tiledb_filesystem_t = u32;
/// A value of the C enum `tiledb_filter_option_t`.
pub type tiledb_filter_option_t = u32;
/// A value of the C enum `tiledb_filter_type_t`.
pub type tiledb_filter_type_t = u32;
/// A value of the C enum `tiledb_filter_webp_format_t`.
pub type tiledb_filter_webp_format_t = u32;
/// A value of the C enum `tiledb_layout_t`.
pub type tiledb_layout_t = u32;
/// A value of the C enum `tiledb_mime_type_t`.
pub type tiledb_mime_type_t = u32;
/// A value of the C enum `tiledb_object_t`.
pub type tiledb_object_t = u32;
/// A value of the C enum `tiledb_query_condition_combination_op_t`.
pub type tiledb_query_condition_combination_op_t = u32;
/// A value of the C enum `tiledb_query_condition_op_t`.
pub type tiledb_query_condition_op_t = u32;
/// A value of the C enum `tiledb_query_status_details_reason_t`.
pub type tiledb_query_status_details_reason_t = u32;
/// A value of the C enum `tiledb_query_status_t`.
pub type tiledb_query_status_t = u32;
/// A value of the C enum `tiledb_query_type_t`.
pub type tiledb_query_type_t = u32;
/// A value of the C enum `tiledb_serialization_type_t`.
pub type tiledb_serialization_type_t = u32;
/// A value of the C enum `tiledb_vfs_mode_t`.
pub type tiledb_vfs_mode_t = u32;
/// A value of the C enum `tiledb_walk_order_t`.
pub type tiledb_walk_order_t = u32;

/// A range of one dimension, for rectangles. The pointers stay the owner's.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct tiledb_range_t {
    /// The lower end, included.
    pub min: *const c_void,
    /// Its size in bytes.
    pub min_size: u64,
    /// The upper end, included.
    pub max: *const c_void,
    /// Its size in bytes.
    pub max_size: u64,
}

/// Why a query is in the state it is in.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct tiledb_experimental_query_status_details_t {
    /// Why the query is incomplete.
    pub incomplete_reason: tiledb_query_status_details_reason_t,
}
/// The name C programs use.
pub type tiledb_query_status_details_t = tiledb_experimental_query_status_details_t;

/// Called with each object of a listing: path, its length, the size of the object, and the caller's data. Answers 1 to
/// go on, 0 to stop, -1 for an error.
pub type tiledb_ls_callback_t =
    Option<unsafe extern "C-unwind" fn(*const std::ffi::c_char, usize, u64, *mut c_void) -> i32>;
/// The same, with a byte that says whether the object is a directory before the caller's data.
pub type tiledb_ls_callback_v2_t = Option<
    unsafe extern "C-unwind" fn(*const std::ffi::c_char, usize, u64, u8, *mut c_void) -> i32,
>;
