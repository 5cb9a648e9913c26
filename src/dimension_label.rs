//! DOC family

use crate::prelude::*;

/// DOC handle
pub struct tiledb_dimension_label_handle_t {
    _later: (),
}
/// The name C programs use.
pub type tiledb_dimension_label_t = tiledb_dimension_label_handle_t;

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_free(
    dim_label: *mut *mut tiledb_dimension_label_t,
) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (dim_label,);
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_dimension_index(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    dim_index: *mut u32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, dim_label, dim_index);
        entry::not_implemented(ctx, "tiledb_dimension_label_get_dimension_index")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_label_attr_name(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    label_attr_name: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, dim_label, label_attr_name);
        entry::not_implemented(ctx, "tiledb_dimension_label_get_label_attr_name")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_label_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    label_cell_val_num: *mut u32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, dim_label, label_cell_val_num);
        entry::not_implemented(ctx, "tiledb_dimension_label_get_label_cell_val_num")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_label_order(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    label_order: *mut tiledb_data_order_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, dim_label, label_order);
        entry::not_implemented(ctx, "tiledb_dimension_label_get_label_order")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_label_type(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    label_type: *mut tiledb_datatype_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, dim_label, label_type);
        entry::not_implemented(ctx, "tiledb_dimension_label_get_label_type")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_name(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    name: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, dim_label, name);
        entry::not_implemented(ctx, "tiledb_dimension_label_get_name")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_uri(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    uri: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, dim_label, uri);
        entry::not_implemented(ctx, "tiledb_dimension_label_get_uri")
    }
}
