//! DOC family

use crate::prelude::*;

/// DOC handle
pub struct tiledb_filter_list_handle_t {
    _later: (),
}
/// The name C programs use.
pub type tiledb_filter_list_t = tiledb_filter_list_handle_t;

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_add_filter(
    ctx: *mut tiledb_ctx_t,
    filter_list: *mut tiledb_filter_list_t,
    filter: *mut tiledb_filter_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, filter_list, filter);
        entry::not_implemented(ctx, "tiledb_filter_list_add_filter")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_alloc(
    ctx: *mut tiledb_ctx_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, filter_list);
        entry::not_implemented(ctx, "tiledb_filter_list_alloc")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_free(filter_list: *mut *mut tiledb_filter_list_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (filter_list,);
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_get_filter_from_index(
    ctx: *mut tiledb_ctx_t,
    filter_list: *const tiledb_filter_list_t,
    index: u32,
    filter: *mut *mut tiledb_filter_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, filter_list, index, filter);
        entry::not_implemented(ctx, "tiledb_filter_list_get_filter_from_index")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_get_max_chunk_size(
    ctx: *mut tiledb_ctx_t,
    filter_list: *const tiledb_filter_list_t,
    max_chunk_size: *mut u32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, filter_list, max_chunk_size);
        entry::not_implemented(ctx, "tiledb_filter_list_get_max_chunk_size")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_get_nfilters(
    ctx: *mut tiledb_ctx_t,
    filter_list: *const tiledb_filter_list_t,
    nfilters: *mut u32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, filter_list, nfilters);
        entry::not_implemented(ctx, "tiledb_filter_list_get_nfilters")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_set_max_chunk_size(
    ctx: *mut tiledb_ctx_t,
    filter_list: *mut tiledb_filter_list_t,
    max_chunk_size: u32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, filter_list, max_chunk_size);
        entry::not_implemented(ctx, "tiledb_filter_list_set_max_chunk_size")
    }
}
