//! Submitting and finalizing queries, and their status.

use tiledb_engine::internal::rest::QueryStep;
use tiledb_engine::internal::types::{QueryStatus, QueryType};

use super::QueryState;
use super::buffers::{read_buffers, separate_buffers, written_cells};
use crate::prelude::*;

impl QueryState {
    /// Reads into the buffers, writes their cells, or deletes: in this process, or on the server of
    /// the array.
    ///
    /// The caller keeps the buffers of the query and the pointers to their sizes valid during the
    /// call, and the buffers of a read do not overlap with others. The same holds for the functions
    /// below.
    pub(crate) unsafe fn submit(&mut self) -> Result<()> {
        if self.query.request().is_served() {
            // SAFETY: as for this function.
            return unsafe { self.submit_to_server(QueryStep::Submit) };
        }
        let QueryState { query, fields, .. } = self;
        match query.request().query_type {
            QueryType::Write => {
                let width = query.request().written_form()?.width;
                // SAFETY: the buffers are valid during the submit; they are only read.
                let cells = unsafe { written_cells(query, fields, width)? };
                query.write(&cells)
            }
            QueryType::Read => {
                separate_buffers(query, fields)?;
                // SAFETY: the buffers are valid during the submit and do not overlap.
                let mut buffers = unsafe { read_buffers(fields) };
                let delivered = query.read(&mut buffers)?;
                for (field, sizes) in fields.iter().zip(delivered) {
                    // SAFETY: the pointers to the sizes are valid during the submit.
                    unsafe {
                        field.data.set_size(sizes.data);
                        field.offsets.set_size(sizes.offsets);
                        field.validity.set_size(sizes.validity);
                    }
                }
                Ok(())
            }
            _ => query.delete(),
        }
    }

    /// Writes the last cells of a write in global order and completes it.
    pub(crate) unsafe fn submit_and_finalize(&mut self) -> Result<()> {
        if self.query.request().is_served() {
            // SAFETY: as for this function.
            return unsafe { self.submit_to_server(QueryStep::SubmitAndFinalize) };
        }
        // SAFETY: as for this function.
        unsafe { self.submit()? };
        self.query.finalize()
    }

    /// Completes a write.
    pub(crate) unsafe fn finalize(&mut self) -> Result<()> {
        if self.query.request().is_served() {
            // SAFETY: as for this function.
            return unsafe { self.finalize_on_server() };
        }
        self.query.finalize()
    }

    /// Initializes the query and returns its plan as JSON.
    pub(crate) unsafe fn plan(&mut self) -> Result<String> {
        if self.query.request().is_served() {
            // SAFETY: as for this function.
            return unsafe { self.plan_on_server() };
        }
        let QueryState { query, fields, .. } = self;
        // The buffers are checked as the first submit does.
        match query.request().query_type {
            QueryType::Read => {
                separate_buffers(query, fields)?;
                // SAFETY: the buffers are valid during the call.
                query.check_planned_read(&unsafe { read_buffers(fields) })?;
            }
            QueryType::Write => {
                let width = query.request().written_form()?.width;
                // SAFETY: the buffers are valid during the call.
                query.check_planned_write(&unsafe { written_cells(query, fields, width)? })?;
            }
            _ => {}
        }
        let names: Vec<&str> = fields.iter().map(|field| &field.name[..]).collect();
        query.initialize_and_describe(&names)
    }
}

impl tiledb_query_t {
    /// Submits the query. Reads and writes use slices of the caller's buffers.
    pub(crate) unsafe fn submit(&self) -> Result<()> {
        // SAFETY: the caller keeps the buffers valid during the submit.
        unsafe { self.state.lock().submit() }
    }
}

/// Submits a query. A read whose results do not fit into the buffers delivers a part, and its
/// status is `TILEDB_INCOMPLETE`; submit the query again to read the next part into the same
/// buffers. A write in global order appends the cells of each submit and ends with
/// `tiledb_query_finalize`. Other writes are complete and visible when this function returns.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_submit(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| handle::borrow(query)?.submit())
}

/// Submits the last cells of a write in global order and finalizes it. Does nothing if `query` is
/// null.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query, or null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_submit_and_finalize(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        if query.is_null() {
            return Ok(());
        }
        let query = handle::borrow(query)?;
        let mut state = query.state.lock();
        state.query.request().check_may_finalize()?;
        state.submit_and_finalize()
    })
}

/// Finalizes a write in global order and makes it visible. Does nothing for other queries and for
/// null.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query, or null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_finalize(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        handle::borrow_optional(query).map_or(Ok(()), |query| query.state.lock().finalize())
    })
}

/// Gets the status of a query.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param status Set to the status.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_status(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    status: *mut tiledb_query_status_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let found = handle::borrow(query)?.query().status();
        arg::out(status, "status")?.set(found.code().into());
        Ok(())
    })
}

/// Gets the reason why a query is incomplete: the size of the buffers or the memory budget.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param status_details Set to the reason.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_status_details(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    status_details: *mut tiledb_query_status_details_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let reason = handle::borrow(query)?.query().reason();
        let details = tiledb_query_status_details_t {
            incomplete_reason: reason.code().into(),
        };
        arg::out(status_details, "status_details")?.set(details);
        Ok(())
    })
}

/// Checks whether the last submit of a read delivered any cell.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param has_results Set to 1 if it did, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_has_results(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    has_results: *mut i32,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let found = handle::borrow(query)?.query().has_results();
        arg::out(has_results, "has_results")?.set(i32::from(found));
        Ok(())
    })
}

/// Converts the name of a query status to its value.
///
/// @param str The text.
/// @param query_status Set to the value.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_status_from_str(
    str: *const c_char,
    query_status: *mut tiledb_query_status_t,
) -> i32 {
    entry::code_only(|| {
        let value = QueryStatus::from_name(arg::text(str, "str")?);
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown query status"))?;
        arg::out(query_status, "query_status")?.set(value.code().into());
        Ok(())
    })
}

/// Gets the name of a query status, such as "COMPLETED".
///
/// @param query_status The value.
/// @param str Set to the text.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_status_to_str(
    query_status: tiledb_query_status_t,
    str: *mut *const c_char,
) -> i32 {
    entry::code_only(|| {
        let value = arg::enum_value(
            QueryStatus::from_code(query_status),
            "query status",
            query_status,
        )?;
        arg::out(str, "str")?.set(c_strings::constant(value.name()));
        Ok(())
    })
}
