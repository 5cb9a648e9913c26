//! DOC family

use crate::prelude::*;

/// DOC handle
pub struct tiledb_buffer_handle_t {
    _later: (),
}
/// The name C programs use.
pub type tiledb_buffer_t = tiledb_buffer_handle_t;

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_alloc(
    ctx: *mut tiledb_ctx_t,
    buffer: *mut *mut tiledb_buffer_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, buffer);
        entry::not_implemented(ctx, "tiledb_buffer_alloc")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_free(buffer: *mut *mut tiledb_buffer_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (buffer,);
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_get_data(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    data: *mut *mut c_void,
    num_bytes: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, buffer, data, num_bytes);
        entry::not_implemented(ctx, "tiledb_buffer_get_data")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_get_type(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    datatype: *mut tiledb_datatype_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, buffer, datatype);
        entry::not_implemented(ctx, "tiledb_buffer_get_type")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_set_data(
    ctx: *mut tiledb_ctx_t,
    buffer: *mut tiledb_buffer_t,
    data: *mut c_void,
    size: u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, buffer, data, size);
        entry::not_implemented(ctx, "tiledb_buffer_set_data")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_set_type(
    ctx: *mut tiledb_ctx_t,
    buffer: *mut tiledb_buffer_t,
    datatype: tiledb_datatype_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, buffer, datatype);
        entry::not_implemented(ctx, "tiledb_buffer_set_type")
    }
}
