//! Queries: what they do, submits, what came of them.

use std::sync::Arc;

use parking_lot::Mutex;
use tiledb_engine::array::Array;
use tiledb_engine::query::Query;
use tiledb_engine::query::buffers::{FieldBuffers, FieldCells};
use tiledb_engine::types::{QueryStatus, QueryType};

use crate::prelude::*;
use crate::query_buffers::{Field, refuse_overlaps};

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

/// Adds the new value of a field to an update.
///
/// Status: experimental.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param field_name The attribute.
/// @param update_value The new value.
/// @param update_value_size Its size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_add_update_value(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    field_name: *const c_char,
    update_value: *const c_void,
    update_value_size: u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let query = handle::borrow(query)?;
            let why = match query.state.lock().query.query_type() {
                QueryType::Update => {
                    let field = arg::text(field_name, "field_name")?;
                    let value = arg::bytes(update_value, update_value_size, "update_value")?;
                    format!(
                        "updates are not supported ({} bytes for '{field}')",
                        value.len()
                    )
                }
                _ => "Operation only applicable to update queries".to_owned(),
            };
            let message = format!("Cannot add query update value; {why}");
            Err(Error::usage("[TileDB::Query] Error", message))
        })
    }
}

impl tiledb_query_t {
    fn new(array: &Arc<Array>, query_type: QueryType) -> Result<Self> {
        let state = QueryState {
            query: Query::new(array, query_type)?,
            fields: Vec::new(),
        };
        Ok(Self {
            state: Arc::new(Mutex::new(state)),
            kept: kept::Kept::default(),
        })
    }

    /// Submits with slices of the caller's buffers, made for this call alone.
    unsafe fn submit(&self) -> Result<()> {
        let QueryState { query, fields } = &mut *self.state.lock();
        if query.query_type() == QueryType::Write {
            let width = query.written_form()?.width;
            let mut cells = Vec::with_capacity(fields.len());
            for field in fields {
                // SAFETY: the caller's buffers, only read.
                let (data, offsets, validity) = unsafe {
                    (
                        field.data.content()?,
                        field.offsets.offsets(width)?,
                        field.validity.content()?,
                    )
                };
                cells.push(FieldCells {
                    name: &field.name,
                    data,
                    offsets,
                    validity,
                });
            }
            return query.write(&cells);
        }
        if query.query_type() != QueryType::Read {
            return query.delete();
        }
        refuse_overlaps(fields)?;
        let mut buffers = Vec::with_capacity(fields.len());
        for field in &*fields {
            // SAFETY: the caller's buffers, which do not overlap.
            let (data, offsets, validity) = unsafe {
                (
                    field.data.room(),
                    field.offsets.room(),
                    field.validity.room(),
                )
            };
            buffers.push(FieldBuffers {
                name: &field.name,
                data,
                offsets,
                validity,
            });
        }
        let delivered = query.read(&mut buffers)?;
        for (field, sizes) in fields.iter().zip(delivered) {
            // SAFETY: the caller's sizes.
            unsafe {
                field.data.tell(sizes.data);
                field.offsets.tell(sizes.offsets);
                field.validity.tell(sizes.validity);
            }
        }
        Ok(())
    }
}

/// Makes a query on an array, which must be open for `query_type`.
///
/// The array may be closed or freed before the query; a submit then fails. Free the query with
/// `tiledb_query_free`.
///
/// @param ctx The context; keeps the error if the call fails.
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let array = handle::borrow(array)?;
            let to = arg::out(query, "query")?;
            let query_type = arg::query_type(query_type)?;
            to.set(Box::into_raw(Box::new(tiledb_query_t::new(
                &array.array,
                query_type,
            )?)));
            Ok(())
        })
    }
}

/// Ends a write in global order and makes it visible. Nothing happens for other queries, and for null.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query, or null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_finalize(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| match query.is_null() {
            true => Ok(()),
            false => handle::borrow(query)?.state.lock().query.finalize(),
        })
    }
}

/// Frees a query and sets the pointer to null. Null is fine at both levels. A write in global order
/// that was not finalized leaves nothing behind.
///
/// @param query The query to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_free(query: *mut *mut tiledb_query_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        handle::release(query);
    }
}

/// Makes another handle of the array that the query was made for.
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let found = handle::borrow(query)?.state.lock().query.array().clone();
            handle::make(array, "array", tiledb_array_t::new(found))
        })
    }
}

/// Makes a copy of the configuration of the query.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param config Receives the configuration, which the caller owns.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_config(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    config: *mut *mut tiledb_config_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let found = handle::borrow(query)?.state.lock().query.config().clone();
            handle::make(config, "config", tiledb_config_t::new(found))
        })
    }
}

/// Tells how many fragments a write has made.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param num Receives the number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_fragment_num(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    num: *mut u32,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let written = handle::borrow(query)?.state.lock().query.written_num()?;
            arg::out(num, "num")?.set(written);
            Ok(())
        })
    }
}

/// Tells when a fragment that a write has made counts as written, in milliseconds since 1970.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param idx The index of the fragment, from 0.
/// @param t1 Receives the first time.
/// @param t2 Receives the last time.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_fragment_timestamp_range(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    idx: u64,
    t1: *mut u64,
    t2: *mut u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let state = handle::borrow(query)?.state.lock();
            let found = state
                .query
                .written_fragment(idx, "fragment timestamp range")?
                .timestamps;
            let (t1, t2) = (arg::out(t1, "t1")?, arg::out(t2, "t2")?);
            t1.set(found.start);
            t2.set(found.end);
            Ok(())
        })
    }
}

/// Lends the URI of a fragment that a write has made.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param idx The index of the fragment, from 0.
/// @param uri Receives the URI, valid as long as the query.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_fragment_uri(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    idx: u64,
    uri: *mut *const c_char,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let query = handle::borrow(query)?;
            let found = query
                .state
                .lock()
                .query
                .written_fragment(idx, "fragment URI")?
                .uri
                .clone();
            arg::out(uri, "uri")?.set(query.kept.text(found.as_str()));
            Ok(())
        })
    }
}

/// Tells the order of cells.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param query_layout Receives the layout.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_layout(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    query_layout: *mut tiledb_layout_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let layout = handle::borrow(query)?.state.lock().query.layout();
            arg::out(query_layout, "query_layout")?.set(layout.code().into());
            Ok(())
        })
    }
}

/// Tells how many fragments the query has to look at.
///
/// Status: experimental.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param relevant_fragment_num Receives the number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_relevant_fragment_num(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    relevant_fragment_num: *mut u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let found = handle::borrow(query)?
                .state
                .lock()
                .query
                .relevant_fragment_num();
            arg::out(relevant_fragment_num, "relevant_fragment_num")?.set(found);
            Ok(())
        })
    }
}

/// Tells what the context of the query has counted and timed, as JSON.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param stats_json Receives the text; free it with `tiledb_stats_free_str`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_stats(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    stats_json: *mut *mut c_char,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let text = handle::borrow(query)?.state.lock().query.stats();
            arg::out(stats_json, "stats_json")?.set(kept::given(&text)?);
            Ok(())
        })
    }
}

/// Tells how far the query has come.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param status Receives the status.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_status(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    status: *mut tiledb_query_status_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let found = handle::borrow(query)?.state.lock().query.status();
            arg::out(status, "status")?.set(found.code().into());
            Ok(())
        })
    }
}

/// Tells why the query is incomplete: buffers too small, or the memory budget.
///
/// Status: experimental.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param status_details Receives the reason.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_status_details(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    status_details: *mut tiledb_query_status_details_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let reason = handle::borrow(query)?.state.lock().query.reason();
            let details = tiledb_query_status_details_t {
                incomplete_reason: reason.code().into(),
            };
            arg::out(status_details, "status_details")?.set(details);
            Ok(())
        })
    }
}

/// Makes a copy of what the query reads or writes.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param subarray Receives the subarray, which the caller owns.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_subarray_t(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    subarray: *mut *mut tiledb_subarray_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let ranges = handle::borrow(query)?.state.lock().query.subarray().clone();
            handle::make(subarray, "subarray", tiledb_subarray_t::new(ranges))
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let found = handle::borrow(query)?.state.lock().query.query_type();
            arg::out(query_type, "query_type")?.set(found.code().into());
            Ok(())
        })
    }
}

/// Tells whether the last submit of a read delivered any cell.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param has_results Receives 1 or 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_has_results(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    has_results: *mut i32,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let found = handle::borrow(query)?.state.lock().query.has_results();
            arg::out(has_results, "has_results")?.set(i32::from(found));
            Ok(())
        })
    }
}

/// Sets the condition that cells of a read, or of a delete, must meet; the query keeps a copy.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param cond The condition.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_condition(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    cond: *const tiledb_query_condition_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let query = handle::borrow(query)?;
            let condition = handle::borrow(cond)?.condition()?;
            query.state.lock().query.set_condition(&condition)
        })
    }
}

/// Sets parameters for this query alone. Only before the first submit.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param config The configuration.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_config(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    config: *mut tiledb_config_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let query = handle::borrow(query)?;
            let config = handle::borrow(config)?.config();
            query.state.lock().query.set_config(&config)
        })
    }
}

/// Sets the order of cells in the buffers. Default: row-major for dense arrays, unordered for
/// sparse ones. Only before the first submit.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param layout `TILEDB_ROW_MAJOR`, `TILEDB_COL_MAJOR`, `TILEDB_GLOBAL_ORDER` or
///   `TILEDB_UNORDERED`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_layout(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    layout: tiledb_layout_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let query = handle::borrow(query)?;
            query.state.lock().query.set_layout(arg::layout(layout)?)
        })
    }
}

/// Sets what the query reads or writes; the query keeps a copy. Dense reads need one; dense writes
/// without one write the whole domain; sparse writes take none.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param subarray The subarray.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_subarray_t(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    subarray: *const tiledb_subarray_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let query = handle::borrow(query)?;
            let subarray = handle::borrow(subarray)?;
            query
                .state
                .lock()
                .query
                .set_subarray(&subarray.ranges.read())
        })
    }
}

/// Finds the value of a text that `tiledb_query_status_to_str` gives.
///
/// @param str The text.
/// @param query_status Receives the value.
/// @return `TILEDB_OK`, or `TILEDB_ERR` for an unknown value or a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_status_from_str(
    str: *const c_char,
    query_status: *mut tiledb_query_status_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::plain(|| {
            let value = QueryStatus::from_name(arg::text(str, "str")?);
            let value = value.ok_or_else(|| Error::usage("C API", "Unknown query status"))?;
            arg::out(query_status, "query_status")?.set(value.code().into());
            Ok(())
        })
    }
}

/// Lends the text of a query status, valid for ever.
///
/// @param query_status The value.
/// @param str Receives the text.
/// @return `TILEDB_OK`, or `TILEDB_ERR` for an unknown value or a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_status_to_str(
    query_status: tiledb_query_status_t,
    str: *mut *const c_char,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::plain(|| {
            let value = arg::known(
                QueryStatus::from_code(query_status),
                "query status",
                query_status,
            )?;
            arg::out(str, "str")?.set(kept::constant(value.name()));
            Ok(())
        })
    }
}

/// Reads or writes. A read that does not fit the buffers delivers what fits and stays incomplete:
/// empty the buffers and submit again for what follows. A write in global order takes the next
/// cells at each submit and ends with `tiledb_query_finalize`; other writes are complete, and
/// visible, when this returns.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_submit(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe { entry::with_context(ctx, |_ctx| handle::borrow(query)?.submit()) }
}

/// Submits the last cells of a write in global order and ends it. Nothing happens for null.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query, or null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_submit_and_finalize(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            if query.is_null() {
                return Ok(());
            }
            let query = handle::borrow(query)?;
            query.state.lock().query.check_may_finalize()?;
            query.submit()?;
            query.state.lock().query.finalize()
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::plain(|| {
            let value = QueryType::from_name(arg::text(str, "str")?);
            let value = value.ok_or_else(|| Error::usage("C API", "Unknown query type"))?;
            arg::out(query_type, "query_type")?.set(value.code().into());
            Ok(())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::plain(|| {
            let value = arg::known(QueryType::from_code(query_type), "query type", query_type)?;
            arg::out(str, "str")?.set(kept::constant(value.name()));
            Ok(())
        })
    }
}
