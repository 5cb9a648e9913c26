//! DOC family

use crate::prelude::*;

/// DOC handle
pub struct tiledb_query_field_handle_t {
    _later: (),
}
/// The name C programs use.
pub type tiledb_query_field_t = tiledb_query_field_handle_t;

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_field_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    field: *mut tiledb_query_field_t,
    cell_val_num: *mut u32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, field, cell_val_num);
        entry::not_implemented(ctx, "tiledb_field_cell_val_num")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_field_channel(
    ctx: *mut tiledb_ctx_t,
    field: *mut tiledb_query_field_t,
    channel: *mut *mut tiledb_query_channel_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, field, channel);
        entry::not_implemented(ctx, "tiledb_field_channel")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_field_datatype(
    ctx: *mut tiledb_ctx_t,
    field: *mut tiledb_query_field_t,
    type_: *mut tiledb_datatype_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, field, type_);
        entry::not_implemented(ctx, "tiledb_field_datatype")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_field_get_nullable(
    ctx: *mut tiledb_ctx_t,
    field: *mut tiledb_query_field_t,
    nullable: *mut u8,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, field, nullable);
        entry::not_implemented(ctx, "tiledb_field_get_nullable")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_field_origin(
    ctx: *mut tiledb_ctx_t,
    field: *mut tiledb_query_field_t,
    origin: *mut tiledb_field_origin_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, field, origin);
        entry::not_implemented(ctx, "tiledb_field_origin")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_field_free(
    ctx: *mut tiledb_ctx_t,
    field: *mut *mut tiledb_query_field_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, field);
        entry::not_implemented(ctx, "tiledb_query_field_free")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_field(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    field_name: *const c_char,
    field: *mut *mut tiledb_query_field_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, query, field_name, field);
        entry::not_implemented(ctx, "tiledb_query_get_field")
    }
}
