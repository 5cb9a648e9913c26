//! Query condition: which cells a query gives, or deletes, by their values.

use crate::prelude::*;

/// A comparison of a field with a value or a set, or a combination of conditions.
pub struct tiledb_query_condition_t {
    _later: (),
}

/// Makes a condition that says nothing yet; `tiledb_query_condition_init` says what.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param cond Receives the condition; free it with `tiledb_query_condition_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Makes a condition that a field is one of a set of values, or none of them.
///
/// It is an error if the set is empty, if its size does not make whole values, or if `op` is another operator.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param field_name The name of the field; copied.
/// @param data The values, one after the other; copied. Labels, where the field uses an enumeration.
/// @param data_size Their size in bytes.
/// @param offsets Where each value starts, as `uint64_t` in bytes.
/// @param offests_size The size of the offsets in bytes.
/// @param op `TILEDB_IN` or `TILEDB_NOT_IN`.
/// @param cond Receives the condition; free it with `tiledb_query_condition_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Makes one condition of two.
///
/// `TILEDB_NOT` takes one condition only: the left one, with null as the right one; or use
/// `tiledb_query_condition_negate`.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param left_cond One condition; stays the caller's.
/// @param right_cond The other; stays the caller's.
/// @param combination_op How they are combined.
/// @param combined_cond Receives the condition; free it with `tiledb_query_condition_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Frees a condition. A query that it was set on keeps what it needs.
///
/// Accepts null at both levels and leaves null behind.
///
/// @param cond Where the condition is; set to null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_free(cond: *mut *mut tiledb_query_condition_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        handle::release(cond);
    }
}

/// Says what a condition compares: a field with a value.
///
/// A null value with size 0 stands for null, for `TILEDB_EQ` and `TILEDB_NE` only; for a text that is not nullable, the
/// empty text is any pointer with size 0. Whether the field exists and the value fits is found out when the query runs.
/// It is an error if the condition says something already.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param cond A condition from `tiledb_query_condition_alloc`.
/// @param attribute_name The name of the field, an attribute or a dimension; copied.
/// @param condition_value The value; copied. A label, where the field uses an enumeration.
/// @param condition_value_size Its size in bytes.
/// @param op How they are compared; not `TILEDB_IN` or `TILEDB_NOT_IN`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Makes the opposite of a condition.
///
/// A comparison with a null cell is false in both.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param cond The condition; stays as it is.
/// @param negated_cond Receives the opposite; free it with `tiledb_query_condition_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Says whether values of the condition are labels of an enumeration, which is the default, or the indexes that the
/// cells hold.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param cond The condition.
/// @param use_enumeration 1 for labels, 0 for indexes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
