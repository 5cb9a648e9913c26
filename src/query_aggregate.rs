//! DOC family

use crate::prelude::*;

/// DOC handle
pub struct tiledb_channel_operation_handle_t {
    _later: (),
}
/// The name C programs use.
pub type tiledb_channel_operation_t = tiledb_channel_operation_handle_t;

/// DOC handle
pub struct tiledb_channel_operator_handle_t {
    _later: (),
}
/// The name C programs use.
pub type tiledb_channel_operator_t = tiledb_channel_operator_handle_t;

/// DOC handle
pub struct tiledb_query_channel_handle_t {
    _later: (),
}
/// The name C programs use.
pub type tiledb_query_channel_t = tiledb_query_channel_handle_t;

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_aggregate_count_get(
    ctx: *mut tiledb_ctx_t,
    operation: *mut *const tiledb_channel_operation_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, operation);
        entry::not_implemented(ctx, "tiledb_aggregate_count_get")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_aggregate_free(
    ctx: *mut tiledb_ctx_t,
    op: *mut *mut tiledb_channel_operation_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, op);
        entry::not_implemented(ctx, "tiledb_aggregate_free")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_channel_apply_aggregate(
    ctx: *mut tiledb_ctx_t,
    channel: *mut tiledb_query_channel_t,
    output_field_name: *const c_char,
    operation: *const tiledb_channel_operation_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, channel, output_field_name, operation);
        entry::not_implemented(ctx, "tiledb_channel_apply_aggregate")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_channel_operator_max_get(
    ctx: *mut tiledb_ctx_t,
    op: *mut *const tiledb_channel_operator_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, op);
        entry::not_implemented(ctx, "tiledb_channel_operator_max_get")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_channel_operator_mean_get(
    ctx: *mut tiledb_ctx_t,
    op: *mut *const tiledb_channel_operator_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, op);
        entry::not_implemented(ctx, "tiledb_channel_operator_mean_get")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_channel_operator_min_get(
    ctx: *mut tiledb_ctx_t,
    op: *mut *const tiledb_channel_operator_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, op);
        entry::not_implemented(ctx, "tiledb_channel_operator_min_get")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_channel_operator_null_count_get(
    ctx: *mut tiledb_ctx_t,
    op: *mut *const tiledb_channel_operator_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, op);
        entry::not_implemented(ctx, "tiledb_channel_operator_null_count_get")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_channel_operator_sum_get(
    ctx: *mut tiledb_ctx_t,
    op: *mut *const tiledb_channel_operator_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, op);
        entry::not_implemented(ctx, "tiledb_channel_operator_sum_get")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_create_unary_aggregate(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    op: *const tiledb_channel_operator_t,
    input_field_name: *const c_char,
    operation: *mut *mut tiledb_channel_operation_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, query, op, input_field_name, operation);
        entry::not_implemented(ctx, "tiledb_create_unary_aggregate")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_channel_free(
    ctx: *mut tiledb_ctx_t,
    channel: *mut *mut tiledb_query_channel_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, channel);
        entry::not_implemented(ctx, "tiledb_query_channel_free")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_default_channel(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    channel: *mut *mut tiledb_query_channel_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, query, channel);
        entry::not_implemented(ctx, "tiledb_query_get_default_channel")
    }
}
