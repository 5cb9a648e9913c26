//! Aggregates: a query computes a sum, a count and the like instead of, or beside, giving cells.
//!
//! An operator says what is computed, an operation binds it to a field, and a channel of a query gives the operation's
//! result a name. The operators and the count are objects that live as long as the library; the functions that get
//! them and the exported constants give the same addresses.

use crate::prelude::*;

/// What is computed for a field of a query.
pub struct tiledb_channel_operator_handle_t {
    /// Which one it is; distinct, so that the objects have distinct addresses.
    #[expect(dead_code, reason = "goes when operations are bound to fields")]
    kind: Operator,
}
/// The name C programs use.
pub type tiledb_channel_operator_t = tiledb_channel_operator_handle_t;

/// An operator with the field it works on, ready to be applied to a channel.
pub struct tiledb_channel_operation_handle_t {
    /// The operation that needs no field.
    #[expect(dead_code, reason = "goes when operations are applied to channels")]
    kind: Operator,
}
/// The name C programs use.
pub type tiledb_channel_operation_t = tiledb_channel_operation_handle_t;

/// Where the results of a query's operations get their names: one per query, over all its cells.
pub struct tiledb_query_channel_handle_t {
    _later: (),
}
/// The name C programs use.
pub type tiledb_query_channel_t = tiledb_query_channel_handle_t;

#[derive(Clone, Copy)]
enum Operator {
    Count,
    Max,
    Mean,
    Min,
    NullCount,
    Sum,
}

static COUNT: tiledb_channel_operation_t = tiledb_channel_operation_t {
    kind: Operator::Count,
};
static MAX: tiledb_channel_operator_t = tiledb_channel_operator_t {
    kind: Operator::Max,
};
static MEAN: tiledb_channel_operator_t = tiledb_channel_operator_t {
    kind: Operator::Mean,
};
static MIN: tiledb_channel_operator_t = tiledb_channel_operator_t {
    kind: Operator::Min,
};
static NULL_COUNT: tiledb_channel_operator_t = tiledb_channel_operator_t {
    kind: Operator::NullCount,
};
static SUM: tiledb_channel_operator_t = tiledb_channel_operator_t {
    kind: Operator::Sum,
};

/// An exported C variable that points to one of the objects above: `const T *name`.
#[repr(transparent)]
pub struct Constant<T: 'static>(&'static T);

/// The count of the selected cells.
#[unsafe(no_mangle)]
pub static tiledb_aggregate_count: Constant<tiledb_channel_operation_t> = Constant(&COUNT);
/// The greatest value.
#[unsafe(no_mangle)]
pub static tiledb_channel_operator_max: Constant<tiledb_channel_operator_t> = Constant(&MAX);
/// The mean.
#[unsafe(no_mangle)]
pub static tiledb_channel_operator_mean: Constant<tiledb_channel_operator_t> = Constant(&MEAN);
/// The least value.
#[unsafe(no_mangle)]
pub static tiledb_channel_operator_min: Constant<tiledb_channel_operator_t> = Constant(&MIN);
/// The count of null cells.
#[unsafe(no_mangle)]
pub static tiledb_channel_operator_null_count: Constant<tiledb_channel_operator_t> =
    Constant(&NULL_COUNT);
/// The sum.
#[unsafe(no_mangle)]
pub static tiledb_channel_operator_sum: Constant<tiledb_channel_operator_t> = Constant(&SUM);

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_aggregate_count_get(
    ctx: *mut tiledb_ctx_t,
    operation: *mut *const tiledb_channel_operation_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            arg::out(operation, "operation")?.set(&raw const COUNT);
            Ok(())
        })
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
        entry::with_context(ctx, |_| {
            handle::release(op);
            Ok(())
        })
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
        entry::with_context(ctx, |_| {
            arg::out(op, "op")?.set(&raw const MAX);
            Ok(())
        })
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
        entry::with_context(ctx, |_| {
            arg::out(op, "op")?.set(&raw const MEAN);
            Ok(())
        })
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
        entry::with_context(ctx, |_| {
            arg::out(op, "op")?.set(&raw const MIN);
            Ok(())
        })
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
        entry::with_context(ctx, |_| {
            arg::out(op, "op")?.set(&raw const NULL_COUNT);
            Ok(())
        })
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
        entry::with_context(ctx, |_| {
            arg::out(op, "op")?.set(&raw const SUM);
            Ok(())
        })
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
        entry::with_context(ctx, |_| {
            handle::release(channel);
            Ok(())
        })
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
