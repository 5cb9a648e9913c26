//! Aggregates: a query computes a sum, a count and the like instead of, or beside, giving cells.
//!
//! An operator says what is computed, an operation binds it to a field, and a channel of a query gives the operation's
//! result a name. The operators and the count are objects that live as long as the library; the functions that get
//! them and the exported constants give the same addresses.

use std::sync::Arc;
use std::sync::atomic::AtomicPtr;

use tiledb_engine::aggregate::{Aggregate, Operator};
use tiledb_engine::platform::lock::Mutex;

use crate::prelude::*;
use crate::query::QueryState;

/// What is computed for a field of a query.
pub struct tiledb_channel_operator_handle_t {
    /// Which one it is; distinct, so that the objects have distinct addresses.
    kind: Operator,
}
/// The name C programs use.
pub type tiledb_channel_operator_t = tiledb_channel_operator_handle_t;

/// An operator with the field it works on, ready to be applied to a channel.
pub struct tiledb_channel_operation_handle_t {
    aggregate: Aggregate,
}
/// The name C programs use.
pub type tiledb_channel_operation_t = tiledb_channel_operation_handle_t;

/// Where the results of a query's operations get their names: one per query, over all its cells.
pub struct tiledb_query_channel_handle_t {
    query: Arc<Mutex<QueryState>>,
}
/// The name C programs use.
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
///
/// The pointer is atomic so that the variable is in writable memory. Programs get a copy of such a variable, in memory of the
/// same protection as the library's that they were linked with, and libtiledb assigns its variables when it is loaded: a program
/// linked with this library must be able to run on libtiledb.
#[repr(transparent)]
pub struct Constant<T: 'static>(AtomicPtr<T>);

impl<T> Constant<T> {
    const fn new(object: &'static T) -> Self {
        Self(AtomicPtr::new(std::ptr::from_ref(object).cast_mut()))
    }
}

/// The count of the selected cells.
#[unsafe(no_mangle)]
pub static tiledb_aggregate_count: Constant<tiledb_channel_operation_t> = Constant::new(&COUNT);
/// The greatest value.
#[unsafe(no_mangle)]
pub static tiledb_channel_operator_max: Constant<tiledb_channel_operator_t> = Constant::new(&MAX);
/// The mean.
#[unsafe(no_mangle)]
pub static tiledb_channel_operator_mean: Constant<tiledb_channel_operator_t> = Constant::new(&MEAN);
/// The least value.
#[unsafe(no_mangle)]
pub static tiledb_channel_operator_min: Constant<tiledb_channel_operator_t> = Constant::new(&MIN);
/// The count of null cells.
#[unsafe(no_mangle)]
pub static tiledb_channel_operator_null_count: Constant<tiledb_channel_operator_t> =
    Constant::new(&NULL_COUNT);
/// The sum.
#[unsafe(no_mangle)]
pub static tiledb_channel_operator_sum: Constant<tiledb_channel_operator_t> = Constant::new(&SUM);

/// Gives the operation that counts the cells a query selects.
///
/// It needs no field. The object lives as long as the library and is not freed; `tiledb_aggregate_count` is the same.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param operation Receives the operation.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
/// The operation may be freed before the query that it was applied to. The operation of `tiledb_aggregate_count_get` is not
/// freed; only the pointer is set to null.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param op Pointer to the operation to free.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; `TILEDB_ERR` if `op` or the handle that it points to is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_aggregate_free(
    ctx: *mut tiledb_ctx_t,
    op: *mut *mut tiledb_channel_operation_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        match op.as_mut() {
            Some(op) if std::ptr::eq(*op, &raw const COUNT) => *op = std::ptr::null_mut(),
            _ => handle::release_existing(op, "op")?,
        }
        Ok(())
    })
}

/// Has a query compute an operation and give the result under a name.
///
/// Set a data buffer for that name, as for a field, and a validity buffer if the field is nullable. The result is there
/// once the query completes; until then the buffer holds nothing of use. A name may be given once, must not be that of
/// a field, and no operation can be added after the first submit.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param channel The channel of the query, from `tiledb_query_get_default_channel`.
/// @param output_field_name The name of the result; copied.
/// @param operation What to compute; may be applied to one channel only.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Gives the operator for the greatest value of a field.
///
/// The result has the type of the field; it is null, or a fill value, where no cell was selected. The object lives as
/// long as the library and is not freed; `tiledb_channel_operator_max` is the same.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param op Receives the operator.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Gives the operator for the mean of a numeric field.
///
/// The result is a `double`. The object lives as long as the library and is not freed; `tiledb_channel_operator_mean`
/// is the same.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param op Receives the operator.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Gives the operator for the least value of a field.
///
/// The result has the type of the field; it is null, or a fill value, where no cell was selected. The object lives as
/// long as the library and is not freed; `tiledb_channel_operator_min` is the same.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param op Receives the operator.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Gives the operator that counts the null cells of a nullable field.
///
/// The result is a `uint64_t`. The object lives as long as the library and is not freed;
/// `tiledb_channel_operator_null_count` is the same.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param op Receives the operator.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Gives the operator for the sum of a numeric field.
///
/// The result is an `int64_t` for signed integers, a `uint64_t` for unsigned ones, a `double` for reals. A sum beyond
/// the type stays at its end. The object lives as long as the library and is not freed; `tiledb_channel_operator_sum`
/// is the same.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param op Receives the operator.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Binds an operator to a field of a query.
///
/// It is an error if the field is unknown or has a type the operator cannot work on, as a sum of texts.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query whose field it is.
/// @param op The operator.
/// @param input_field_name The name of the field: an attribute or a dimension.
/// @param operation Receives the operation; free it with `tiledb_aggregate_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Frees the handle of a channel and sets the pointer to null. Operations that were applied to the channel stay with the query.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param channel Pointer to the channel to free.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; `TILEDB_ERR` if `channel` or the handle that it points to is
/// null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_channel_free(
    ctx: *mut tiledb_ctx_t,
    channel: *mut *mut tiledb_query_channel_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| handle::release_existing(channel, "channel"))
}

/// Gives the channel that sees every cell a query selects.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query; a read.
/// @param channel Receives the channel; free it with `tiledb_query_channel_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_default_channel(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    channel: *mut *mut tiledb_query_channel_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let query = query.as_ref().ok_or_else(|| arg::null("query"))?;
        let made = tiledb_query_channel_t::new(query.state.clone());
        handle::make(channel, "channel", made)
    })
}
