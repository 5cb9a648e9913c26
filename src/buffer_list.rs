//! DOC family

use crate::prelude::*;

/// DOC handle
pub struct tiledb_buffer_list_handle_t {
    _later: (),
}
/// The name C programs use.
pub type tiledb_buffer_list_t = tiledb_buffer_list_handle_t;

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_list_alloc(
    ctx: *mut tiledb_ctx_t,
    buffer_list: *mut *mut tiledb_buffer_list_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, buffer_list);
        entry::not_implemented(ctx, "tiledb_buffer_list_alloc")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_list_flatten(
    ctx: *mut tiledb_ctx_t,
    buffer_list: *mut tiledb_buffer_list_t,
    buffer: *mut *mut tiledb_buffer_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, buffer_list, buffer);
        entry::not_implemented(ctx, "tiledb_buffer_list_flatten")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_list_free(buffer_list: *mut *mut tiledb_buffer_list_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (buffer_list,);
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_list_get_buffer(
    ctx: *mut tiledb_ctx_t,
    buffer_list: *const tiledb_buffer_list_t,
    buffer_idx: u64,
    buffer: *mut *mut tiledb_buffer_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, buffer_list, buffer_idx, buffer);
        entry::not_implemented(ctx, "tiledb_buffer_list_get_buffer")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_list_get_num_buffers(
    ctx: *mut tiledb_ctx_t,
    buffer_list: *const tiledb_buffer_list_t,
    num_buffers: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, buffer_list, num_buffers);
        entry::not_implemented(ctx, "tiledb_buffer_list_get_num_buffers")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_list_get_total_size(
    ctx: *mut tiledb_ctx_t,
    buffer_list: *const tiledb_buffer_list_t,
    total_size: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, buffer_list, total_size);
        entry::not_implemented(ctx, "tiledb_buffer_list_get_total_size")
    }
}
