//! Queries: what they do, submits, what came of them.
//!
//! Here is the handle and what a query is for. Beside: what it is asked to do (`settings`), its `buffers`, submitting it
//! and how it stands (`submits`), the sizes of results (`result_sizes`), and what it wrote (`fragments`).

use std::sync::Arc;

use tiledb_engine::array::Array;
use tiledb_engine::platform::lock::{MappedMutexGuard, Mutex, MutexGuard};
use tiledb_engine::query::Query;
use tiledb_engine::types::QueryType;

use crate::prelude::*;

pub mod buffers;
pub mod fragments;
pub mod result_sizes;
pub mod settings;
pub mod submits;

use buffers::Field;

/// What of a query changes.
pub(crate) struct QueryState {
    pub(crate) query: Query,
    pub(crate) fields: Vec<Field>,
}

// SAFETY: the pointers are the caller's buffers, used under the lock and only during submits.
unsafe impl Send for QueryState {}

/// A query: what it does, and the caller's buffers.
pub struct tiledb_query_t {
    /// Shared with the channels of the query.
    pub(crate) state: Arc<Mutex<QueryState>>,
    kept: kept::Kept,
}

impl tiledb_query_t {
    fn new(ctx: &tiledb_ctx_t, array: &Arc<Array>, query_type: QueryType) -> Result<Self> {
        let state = QueryState {
            query: Query::within(ctx.context(), array, query_type)?,
            fields: Vec::new(),
        };
        Ok(Self {
            state: Arc::new(Mutex::new(state)),
            kept: kept::Kept::default(),
        })
    }

    /// What the engine knows as the query.
    fn query(&self) -> MappedMutexGuard<'_, Query> {
        MutexGuard::map(self.state.lock(), |state| &mut state.query)
    }
}

/// Makes a query on an array, which must be open for `query_type`. It has the configuration of `ctx`, which need not be the
/// context of the array.
///
/// The array may be closed or freed before the query; a submit then fails. Free the query with
/// `tiledb_query_free`.
///
/// @param ctx The context that the query runs in; keeps the error if the call fails.
/// @param array An open array.
/// @param query_type What the query does; must be what the array is open for.
/// @param query Receives the query, which the caller owns.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_alloc(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    query_type: tiledb_query_type_t,
    query: *mut *mut tiledb_query_t,
) -> i32 {
    entry::with_context(ctx, |ctx| {
        let array = handle::borrow(array)?;
        let to = arg::out(query, "query")?;
        let query_type = arg::query_type(query_type)?;
        to.give(tiledb_query_t::new(ctx, &array.array, query_type)?);
        Ok(())
    })
}

/// Frees a query and sets the pointer to null. Null is fine at both levels. A write in global order
/// that was not finalized leaves nothing behind.
///
/// @param query The query to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_free(query: *mut *mut tiledb_query_t) {
    handle::release(query);
}

/// Makes another handle of the array that the query was made for: closing the one closes the other.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param array Receives the array, which the caller owns.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_array(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    array: *mut *mut tiledb_array_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let found = handle::borrow(query)?.query().array().clone();
        handle::make(array, "array", tiledb_array_t::new(found))
    })
}

/// Gets the statistics of the query, as JSON: what it counted and timed, not what others of its context did.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param stats_json Receives the text, empty where nothing was counted; free it with `tiledb_stats_free_str`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_stats(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    stats_json: *mut *mut c_char,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let text = handle::borrow(query)?.query().stats();
        arg::out(stats_json, "stats_json")?.set(kept::given(&text)?);
        Ok(())
    })
}

/// Tells what the query does.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param query_type Receives the query type.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_type(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    query_type: *mut tiledb_query_type_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let found = handle::borrow(query)?.query().query_type();
        arg::out(query_type, "query_type")?.set(found.code().into());
        Ok(())
    })
}

/// Finds the value of a text that `tiledb_query_type_to_str` gives.
///
/// @param str The text.
/// @param query_type Receives the value.
/// @return `TILEDB_OK`, or `TILEDB_ERR` for an unknown value or a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_type_from_str(
    str: *const c_char,
    query_type: *mut tiledb_query_type_t,
) -> capi_return_t {
    entry::plain(|| {
        let value = QueryType::from_name(arg::text(str, "str")?);
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown query type"))?;
        arg::out(query_type, "query_type")?.set(value.code().into());
        Ok(())
    })
}

/// Lends the text of what a query does, valid for ever.
///
/// @param query_type The value.
/// @param str Receives the text.
/// @return `TILEDB_OK`, or `TILEDB_ERR` for an unknown value or a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_type_to_str(
    query_type: tiledb_query_type_t,
    str: *mut *const c_char,
) -> capi_return_t {
    entry::plain(|| {
        let value = arg::known(QueryType::from_code(query_type), "query type", query_type)?;
        arg::out(str, "str")?.set(kept::constant(value.name()));
        Ok(())
    })
}
