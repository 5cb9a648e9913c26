//! Queries on arrays.
//!
//! This file contains the handle. Other files: layout, ranges and condition (`settings`), `buffers`
//! (each one a `caller_buffer`), submits and status (`submits`), sizes of results (`result_sizes`),
//! explanations (`explain`), the fragments that a query wrote (`fragments`), queries as messages
//! (`messages`), and queries that a server runs (`remote`).

use std::sync::Arc;

use tiledb_engine::internal::array::Array;
use tiledb_engine::internal::platform::lock::{MappedMutexGuard, Mutex, MutexGuard};
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::rest::PartialTile;
use tiledb_engine::internal::types::QueryType;

use crate::arrow_data::ImportedArray;
use crate::prelude::*;

pub mod buffers;
mod caller_buffer;
pub mod explain;
mod field_list;
pub mod fragments;
mod messages;
mod remote;
pub mod result_sizes;
pub mod settings;
pub mod submits;

use field_list::FieldList;
use messages::MessageBuffer;

/// The mutable state of a query.
pub(crate) struct QueryState {
    pub(crate) query: Query,
    pub(crate) fields: FieldList,
    /// The array that some of the buffers of a write belong to.
    pub(crate) arrow: Option<ImportedArray>,
    /// The memory of fields that a server received.
    received: Vec<MessageBuffer>,
    /// The fields whose memory the query owns.
    received_names: Vec<String>,
    /// The cells of a write in global order that the server does not have yet.
    partial: PartialTile,
}

// SAFETY: the pointers refer to the caller's buffers. They are used only under the lock and during
// submits.
unsafe impl Send for QueryState {}

/// A query and the caller's buffers.
pub struct tiledb_query_t {
    /// Shared with the channels of the query.
    pub(crate) state: Arc<Mutex<QueryState>>,
    returned: c_strings::GetterValues,
}

impl tiledb_query_t {
    pub(crate) fn new(
        ctx: &tiledb_ctx_t,
        array: &Arc<Array>,
        query_type: QueryType,
    ) -> Result<Self> {
        let state = QueryState {
            query: Query::within(ctx.context(), array, query_type)?,
            fields: FieldList::default(),
            arrow: None,
            received: Vec::new(),
            received_names: Vec::new(),
            partial: PartialTile::default(),
        };
        Ok(Self {
            state: Arc::new(Mutex::new(state)),
            returned: c_strings::GetterValues::default(),
        })
    }

    /// Returns the query of the engine.
    pub(crate) fn query(&self) -> MappedMutexGuard<'_, Query> {
        MutexGuard::map(self.state.lock(), |state| &mut state.query)
    }
}

/// Creates a query on an array, which must be open for `query_type`. The query uses the
/// configuration of `ctx`, which need not be the context of the array.
///
/// The array may be closed or freed before the query. A query that was submitted before then
/// continues, except at a `tiledb://` URI; otherwise the first submit fails.
///
/// @param ctx The context that the query runs in; stores the error if the call fails.
/// @param array An open array.
/// @param query_type The type of the query, which must be the type that the array is open for.
/// @param query Set to the query; free it with `tiledb_query_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_alloc(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    query_type: tiledb_query_type_t,
    query: *mut *mut tiledb_query_t,
) -> i32 {
    entry::with_context(ctx, |ctx| {
        let array = handle::borrow(array)?;
        // Programs free it after an error, too.
        arg::out(query, "query")?.set(std::ptr::null_mut());
        let query_type = arg::query_type(query_type)?;
        let new_query = tiledb_query_t::new(ctx, &array.array, query_type)?;
        handle::make(query, "query", new_query)
    })
}

/// Frees a query. A write in global order that was not finalized is discarded.
///
/// @param query Pointer to the handle, which is set to null. Null and a pointer to null are
///   ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_free(query: *mut *mut tiledb_query_t) {
    handle::release(query);
}

/// Creates another handle of the array of the query. Closing either handle closes the array.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param array Set to the array; free it with `tiledb_array_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_array(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    array: *mut *mut tiledb_array_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let found = handle::borrow(query)?.query().request().array.clone();
        handle::make(array, "array", tiledb_array_t::new(found))
    })
}

/// Gets the statistics of the query as JSON, without those of other queries of the context.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param stats_json Set to the text, which is empty if nothing was recorded; free it with
///   `tiledb_stats_free_str`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_stats(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    stats_json: *mut *mut c_char,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let text = handle::borrow(query)?.query().stats();
        arg::out(stats_json, "stats_json")?.set(c_strings::allocate(&text)?);
        Ok(())
    })
}

/// Gets the type of a query.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param query_type Set to the query type.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_type(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    query_type: *mut tiledb_query_type_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let found = handle::borrow(query)?.query().request().query_type;
        arg::out(query_type, "query_type")?.set(found.code().into());
        Ok(())
    })
}

/// Converts the name of a query type to its value.
///
/// @param str The name.
/// @param query_type Set to the value.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_type_from_str(
    str: *const c_char,
    query_type: *mut tiledb_query_type_t,
) -> capi_return_t {
    entry::code_only(|| {
        let value = QueryType::from_name(arg::text(str, "str")?);
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown query type"))?;
        arg::out(query_type, "query_type")?.set(value.code().into());
        Ok(())
    })
}

/// Gets the name of a query type, such as "READ".
///
/// @param query_type The value.
/// @param str Set to a static string.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_type_to_str(
    query_type: tiledb_query_type_t,
    str: *mut *const c_char,
) -> capi_return_t {
    entry::code_only(|| {
        let value = arg::enum_value(QueryType::from_code(query_type), "query type", query_type)?;
        arg::out(str, "str")?.set(c_strings::constant(value.name()));
        Ok(())
    })
}
