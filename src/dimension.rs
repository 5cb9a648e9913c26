//! DOC family

use crate::prelude::*;

/// DOC handle
pub struct tiledb_dimension_handle_t {
    _later: (),
}
/// The name C programs use.
pub type tiledb_dimension_t = tiledb_dimension_handle_t;

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_alloc(
    ctx: *mut tiledb_ctx_t,
    name: *const c_char,
    type_: tiledb_datatype_t,
    dim_domain: *const c_void,
    tile_extent: *const c_void,
    dim: *mut *mut tiledb_dimension_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, name, type_, dim_domain, tile_extent, dim);
        entry::not_implemented(ctx, "tiledb_dimension_alloc")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_dump_str(
    ctx: *mut tiledb_ctx_t,
    dimension: *const tiledb_dimension_t,
    out: *mut *mut tiledb_string_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, dimension, out);
        entry::not_implemented(ctx, "tiledb_dimension_dump_str")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_free(dim: *mut *mut tiledb_dimension_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (dim,);
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    dim: *const tiledb_dimension_t,
    cell_val_num: *mut u32,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, dim, cell_val_num);
        entry::not_implemented(ctx, "tiledb_dimension_get_cell_val_num")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_domain(
    ctx: *mut tiledb_ctx_t,
    dim: *const tiledb_dimension_t,
    domain: *mut *const c_void,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, dim, domain);
        entry::not_implemented(ctx, "tiledb_dimension_get_domain")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_filter_list(
    ctx: *mut tiledb_ctx_t,
    dim: *mut tiledb_dimension_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, dim, filter_list);
        entry::not_implemented(ctx, "tiledb_dimension_get_filter_list")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_name(
    ctx: *mut tiledb_ctx_t,
    dim: *const tiledb_dimension_t,
    name: *mut *const c_char,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, dim, name);
        entry::not_implemented(ctx, "tiledb_dimension_get_name")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_tile_extent(
    ctx: *mut tiledb_ctx_t,
    dim: *const tiledb_dimension_t,
    tile_extent: *mut *const c_void,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, dim, tile_extent);
        entry::not_implemented(ctx, "tiledb_dimension_get_tile_extent")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_type(
    ctx: *mut tiledb_ctx_t,
    dim: *const tiledb_dimension_t,
    type_: *mut tiledb_datatype_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, dim, type_);
        entry::not_implemented(ctx, "tiledb_dimension_get_type")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_set_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    dim: *mut tiledb_dimension_t,
    cell_val_num: u32,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, dim, cell_val_num);
        entry::not_implemented(ctx, "tiledb_dimension_set_cell_val_num")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_set_filter_list(
    ctx: *mut tiledb_ctx_t,
    dim: *mut tiledb_dimension_t,
    filter_list: *mut tiledb_filter_list_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, dim, filter_list);
        entry::not_implemented(ctx, "tiledb_dimension_set_filter_list")
    }
}
