//! DOC family

use crate::prelude::*;

/// DOC handle
pub struct tiledb_query_condition_t {
    _later: (),
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_alloc(
    ctx: *mut tiledb_ctx_t,
    cond: *mut *mut tiledb_query_condition_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, cond);
        entry::not_implemented(ctx, "tiledb_query_condition_alloc")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_alloc_set_membership(
    ctx: *mut tiledb_ctx_t,
    field_name: *const c_char,
    data: *const c_void,
    data_size: u64,
    offsets: *const c_void,
    offests_size: u64,
    op: tiledb_query_condition_op_t,
    cond: *mut *mut tiledb_query_condition_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (
            ctx,
            field_name,
            data,
            data_size,
            offsets,
            offests_size,
            op,
            cond,
        );
        entry::not_implemented(ctx, "tiledb_query_condition_alloc_set_membership")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_combine(
    ctx: *mut tiledb_ctx_t,
    left_cond: *const tiledb_query_condition_t,
    right_cond: *const tiledb_query_condition_t,
    combination_op: tiledb_query_condition_combination_op_t,
    combined_cond: *mut *mut tiledb_query_condition_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, left_cond, right_cond, combination_op, combined_cond);
        entry::not_implemented(ctx, "tiledb_query_condition_combine")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_free(cond: *mut *mut tiledb_query_condition_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (cond,);
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_init(
    ctx: *mut tiledb_ctx_t,
    cond: *mut tiledb_query_condition_t,
    attribute_name: *const c_char,
    condition_value: *const c_void,
    condition_value_size: u64,
    op: tiledb_query_condition_op_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (
            ctx,
            cond,
            attribute_name,
            condition_value,
            condition_value_size,
            op,
        );
        entry::not_implemented(ctx, "tiledb_query_condition_init")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_negate(
    ctx: *mut tiledb_ctx_t,
    cond: *const tiledb_query_condition_t,
    negated_cond: *mut *mut tiledb_query_condition_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, cond, negated_cond);
        entry::not_implemented(ctx, "tiledb_query_condition_negate")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_set_use_enumeration(
    ctx: *mut tiledb_ctx_t,
    cond: *const tiledb_query_condition_t,
    use_enumeration: c_int,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, cond, use_enumeration);
        entry::not_implemented(ctx, "tiledb_query_condition_set_use_enumeration")
    }
}
