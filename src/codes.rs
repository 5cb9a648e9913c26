//! Return codes, the integer types of enums, and the plain structs of the C API.

use std::ffi::c_void;

/// The return type of functions: one of the codes below.
pub type capi_return_t = i32;
/// The older name of `capi_return_t`.
pub type capi_status_t = i32;

/// Success.
pub const TILEDB_OK: i32 = 0;
/// An error. The context or the error argument contains the message.
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
/// A value of the C enum `tiledb_rs_explain_format_t`.
pub type tiledb_rs_explain_format_t = u32;
/// A value of the C enum `tiledb_rs_severity_t`.
pub type tiledb_rs_severity_t = u32;

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

/// A range of one dimension of an n-dimensional rectangle. It does not own the memory it points to.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct tiledb_range_t {
    /// The lower end, included.
    pub min: *const c_void,
    /// The size of the end in bytes.
    pub min_size: u64,
    /// The upper end, included.
    pub max: *const c_void,
    /// The size of the end in bytes.
    pub max_size: u64,
}

/// Details of the status of a query.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct tiledb_experimental_query_status_details_t {
    /// The reason why the query is incomplete.
    pub incomplete_reason: tiledb_query_status_details_reason_t,
}
/// Name of the type in C programs.
pub type tiledb_query_status_details_t = tiledb_experimental_query_status_details_t;

/// The sizes of the buffers of a field that some cells need.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct tiledb_rs_needed_sizes_t {
    /// The number of cells.
    pub cells: u64,
    /// The size of the values in bytes.
    pub data: u64,
    /// The size of the offsets in bytes; 0 for cells of a fixed size.
    pub offsets: u64,
    /// The size of the validity in bytes; 0 for fields that are not nullable.
    pub validity: u64,
    /// 1 if these are the sizes of exactly these cells, 0 if they are upper bounds.
    pub is_exact: i32,
}

/// A callback that receives each object of a listing: the path, its length, the size of the object
/// in bytes, and the caller's data. Returns 1 to continue, 0 to stop, -1 for an error.
pub type tiledb_ls_callback_t =
    Option<unsafe extern "C-unwind" fn(*const std::ffi::c_char, usize, u64, *mut c_void) -> i32>;
/// A callback that receives each object of a listing: the path, its length, the size of the object
/// in bytes, 1 if it is a directory or 0 if not, and the caller's data. Returns 1 to continue, 0 to
/// stop, -1 for an error.
pub type tiledb_ls_callback_v2_t = Option<
    unsafe extern "C-unwind" fn(*const std::ffi::c_char, usize, u64, u8, *mut c_void) -> i32,
>;
