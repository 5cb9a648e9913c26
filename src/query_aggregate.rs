//! Aggregates: queries that compute sums, counts and other aggregates, with or without reading
//! cells.
//!
//! An operator is an aggregate function. An operation applies it to a field. A channel of a query
//! assigns a name to the result of an operation. The operators and the count operation are static
//! objects; the functions that return them and the exported constants refer to the same addresses.

use std::sync::Arc;
use std::sync::atomic::AtomicPtr;

use tiledb_engine::internal::aggregate::{Aggregate, AggregateOperator};
use tiledb_engine::internal::platform::lock::Mutex;

use crate::prelude::*;
use crate::query::QueryState;

/// An aggregate function.
pub struct tiledb_channel_operator_handle_t {
    /// The operator. The values differ, so that the objects have distinct addresses.
    kind: AggregateOperator,
}
/// Name of the type in C programs.
pub type tiledb_channel_operator_t = tiledb_channel_operator_handle_t;

/// An operator and the field it is applied to.
pub struct tiledb_channel_operation_handle_t {
    aggregate: Aggregate,
}
/// Name of the type in C programs.
pub type tiledb_channel_operation_t = tiledb_channel_operation_handle_t;

/// A channel of a query, which names the results of operations. Each query has one channel, which
/// contains all selected cells.
pub struct tiledb_query_channel_handle_t {
    query: Arc<Mutex<QueryState>>,
}
/// Name of the type in C programs.
pub type tiledb_query_channel_t = tiledb_query_channel_handle_t;

impl tiledb_query_channel_handle_t {
    pub(crate) fn new(query: Arc<Mutex<QueryState>>) -> Self {
        Self { query }
    }
}

static COUNT: tiledb_channel_operation_t = tiledb_channel_operation_t {
    aggregate: Aggregate::COUNT,
};
static MAX: tiledb_channel_operator_t = tiledb_channel_operator_t {
    kind: AggregateOperator::Max,
};
static MEAN: tiledb_channel_operator_t = tiledb_channel_operator_t {
    kind: AggregateOperator::Mean,
};
static MIN: tiledb_channel_operator_t = tiledb_channel_operator_t {
    kind: AggregateOperator::Min,
};
static NULL_COUNT: tiledb_channel_operator_t = tiledb_channel_operator_t {
    kind: AggregateOperator::NullCount,
};
static SUM: tiledb_channel_operator_t = tiledb_channel_operator_t {
    kind: AggregateOperator::Sum,
};

/// An exported C variable that points to one of the objects above: `const T *name`.
///
/// The pointer is atomic so that the variable is in writable memory. Programs get a copy of such a
/// variable, in memory of the same protection as the library's that they were linked with, and
/// libtiledb assigns its variables when it is loaded: a program linked with this library must be
/// able to run on libtiledb.
#[repr(transparent)]
pub struct Constant<T: 'static>(AtomicPtr<T>);

impl<T> Constant<T> {
    const fn new(object: &'static T) -> Self {
        Self(AtomicPtr::new(std::ptr::from_ref(object).cast_mut()))
    }
}

/// The operation that counts the selected cells.
#[unsafe(no_mangle)]
pub static tiledb_aggregate_count: Constant<tiledb_channel_operation_t> = Constant::new(&COUNT);
/// The maximum operator.
#[unsafe(no_mangle)]
pub static tiledb_channel_operator_max: Constant<tiledb_channel_operator_t> = Constant::new(&MAX);
/// The mean operator.
#[unsafe(no_mangle)]
pub static tiledb_channel_operator_mean: Constant<tiledb_channel_operator_t> = Constant::new(&MEAN);
/// The minimum operator.
#[unsafe(no_mangle)]
pub static tiledb_channel_operator_min: Constant<tiledb_channel_operator_t> = Constant::new(&MIN);
/// The operator that counts null cells.
#[unsafe(no_mangle)]
pub static tiledb_channel_operator_null_count: Constant<tiledb_channel_operator_t> =
    Constant::new(&NULL_COUNT);
/// The sum operator.
#[unsafe(no_mangle)]
pub static tiledb_channel_operator_sum: Constant<tiledb_channel_operator_t> = Constant::new(&SUM);

/// Gets the operation that counts the cells that a query selects.
///
/// It needs no field. It counts the cells that the read delivers: in sparse arrays those that the
/// ranges and the condition select, in dense arrays all cells of the ranges, because a dense read
/// delivers fill values for cells that are not written or that the condition does not select. Other
/// aggregates are those of the written cells that the condition selects.
///
/// The object lives as long as the library and is not freed; `tiledb_aggregate_count` is the same.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param operation Set to the operation.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_aggregate_count_get(
    ctx: *mut tiledb_ctx_t,
    operation: *mut *const tiledb_channel_operation_t,
) -> i32 {
    entry::with_context(ctx, |_| {
        arg::out(operation, "operation")?.set(&raw const COUNT);
        Ok(())
    })
}

/// Frees an operation from `tiledb_create_unary_aggregate` and sets the pointer to null.
///
/// The operation may be freed before the query that it was applied to. The operation of
/// `tiledb_aggregate_count_get` is not freed; only the pointer is set to null.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails. Ignored since 2.31.
/// @param op Pointer to the operation to free.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; `TILEDB_ERR` if `op` or the
///   handle that it points to is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_aggregate_free(
    ctx: *mut tiledb_ctx_t,
    op: *mut *mut tiledb_channel_operation_t,
) -> capi_return_t {
    entry::freeing(ctx, || {
        match op.as_mut() {
            Some(op) if std::ptr::eq(*op, &raw const COUNT) => *op = std::ptr::null_mut(),
            _ => handle::release_existing(op, "op")?,
        }
        Ok(())
    })
}

/// Adds an operation to a query and names the result.
///
/// Set a data buffer for the name, as for a field, and a validity buffer if the field is nullable.
/// The result is written when the query completes; until then, the content of the buffer is
/// unspecified. It is an error if the name is already used by a field or an operation, or after the
/// first submit.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param channel The channel of the query, from `tiledb_query_get_default_channel`.
/// @param output_field_name The name of the result; it is copied.
/// @param operation The operation. It can be applied to one channel only.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_channel_apply_aggregate(
    ctx: *mut tiledb_ctx_t,
    channel: *mut tiledb_query_channel_t,
    output_field_name: *const c_char,
    operation: *const tiledb_channel_operation_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let channel = handle::borrow(channel)?;
        if output_field_name.is_null() {
            return Err(arg::null("output_field"));
        }
        let name = arg::text(output_field_name, "output_field")?;
        let operation = handle::borrow(operation)?;
        let mut state = channel.query.lock();
        state.query.add_aggregate(name, &operation.aggregate)
    })
}

/// Gets the operator for the maximum value of a field.
///
/// The result has the datatype of the field. If no cell is selected, it is null or the fill value.
/// The operator is a static object that must not be freed; `tiledb_channel_operator_max` points to
/// it too.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param op Set to the operator.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_channel_operator_max_get(
    ctx: *mut tiledb_ctx_t,
    op: *mut *const tiledb_channel_operator_t,
) -> i32 {
    entry::with_context(ctx, |_| {
        arg::out(op, "op")?.set(&raw const MAX);
        Ok(())
    })
}

/// Gets the operator for the mean of a numeric field.
///
/// The result is a `double`. The operator is a static object that must not be freed;
/// `tiledb_channel_operator_mean` points to it too.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param op Set to the operator.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_channel_operator_mean_get(
    ctx: *mut tiledb_ctx_t,
    op: *mut *const tiledb_channel_operator_t,
) -> i32 {
    entry::with_context(ctx, |_| {
        arg::out(op, "op")?.set(&raw const MEAN);
        Ok(())
    })
}

/// Gets the operator for the minimum value of a field.
///
/// The result has the datatype of the field. If no cell is selected, it is null or the fill value.
/// The operator is a static object that must not be freed; `tiledb_channel_operator_min` points to
/// it too.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param op Set to the operator.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_channel_operator_min_get(
    ctx: *mut tiledb_ctx_t,
    op: *mut *const tiledb_channel_operator_t,
) -> i32 {
    entry::with_context(ctx, |_| {
        arg::out(op, "op")?.set(&raw const MIN);
        Ok(())
    })
}

/// Gets the operator that counts the null cells of a nullable field.
///
/// The result is a `uint64_t`. The operator is a static object that must not be freed;
/// `tiledb_channel_operator_null_count` points to it too.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param op Set to the operator.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_channel_operator_null_count_get(
    ctx: *mut tiledb_ctx_t,
    op: *mut *const tiledb_channel_operator_t,
) -> i32 {
    entry::with_context(ctx, |_| {
        arg::out(op, "op")?.set(&raw const NULL_COUNT);
        Ok(())
    })
}

/// Gets the operator for the sum of a numeric field.
///
/// The result is an `int64_t` for signed integers, a `uint64_t` for unsigned integers, and a
/// `double` for floating-point numbers. Integer sums saturate. The operator is a static object that
/// must not be freed; `tiledb_channel_operator_sum` points to it too.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param op Set to the operator.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_channel_operator_sum_get(
    ctx: *mut tiledb_ctx_t,
    op: *mut *const tiledb_channel_operator_t,
) -> i32 {
    entry::with_context(ctx, |_| {
        arg::out(op, "op")?.set(&raw const SUM);
        Ok(())
    })
}

/// Creates an operation that applies an operator to a field of a query.
///
/// It is an error if the field is unknown or if the operator does not support its datatype.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param op The operator.
/// @param input_field_name The name of the field: an attribute or a dimension.
/// @param operation Set to the operation; free it with `tiledb_aggregate_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_create_unary_aggregate(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    op: *const tiledb_channel_operator_t,
    input_field_name: *const c_char,
    operation: *mut *mut tiledb_channel_operation_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let query = query.as_ref().ok_or_else(|| arg::null("query"))?;
        let operator = handle::borrow(op)?.kind;
        let to = arg::out(operation, "operation")?;
        if input_field_name.is_null() {
            let name = operator.name();
            let message = format!("argument `input_field` may not be nullptr for operator {name}");
            return Err(Error::usage("C API", message));
        }
        let field = arg::text(input_field_name, "input_field_name")?;
        let aggregate = query.state.lock().query.make_aggregate(operator, field)?;
        to.give(tiledb_channel_operation_t { aggregate });
        Ok(())
    })
}

/// Frees the handle of a channel. Operations that were applied to the channel stay in the query.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails. Ignored since 2.31.
/// @param channel Pointer to the channel to free.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; `TILEDB_ERR` if `channel` or the
///   handle that it points to is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_channel_free(
    ctx: *mut tiledb_ctx_t,
    channel: *mut *mut tiledb_query_channel_t,
) -> capi_return_t {
    entry::freeing(ctx, || handle::release_existing(channel, "channel"))
}

/// Gets the channel of a query that contains all selected cells.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query, which must be a read.
/// @param channel Set to the channel; free it with `tiledb_query_channel_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_default_channel(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    channel: *mut *mut tiledb_query_channel_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let query = query.as_ref().ok_or_else(|| arg::null("query"))?;
        let new_handle = tiledb_query_channel_t::new(query.state.clone());
        handle::make(channel, "channel", new_handle)
    })
}
