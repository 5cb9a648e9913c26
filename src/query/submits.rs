//! Submitting queries, finishing them, and how they stand.

use tiledb_engine::buffers::{FieldBuffers, FieldCells};
use tiledb_engine::types::{QueryStatus, QueryType};

use super::QueryState;
use super::buffers::refuse_overlaps;
use crate::prelude::*;

impl tiledb_query_t {
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
        if let Err(refused) = refuse_overlaps(fields) {
            // Programs count eight bytes for each offset, of half the width too, as for writes.
            if query.offset_bits()? != 32 {
                return Err(refused);
            }
            fields.iter_mut().for_each(|field| field.offsets.halve());
            refuse_overlaps(fields)?;
        }
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
    entry::with_context(ctx, |_ctx| handle::borrow(query)?.submit())
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
    entry::with_context(ctx, |_ctx| {
        if query.is_null() {
            return Ok(());
        }
        let query = handle::borrow(query)?;
        query.query().check_may_finalize()?;
        query.submit()?;
        query.query().finalize()
    })
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
    entry::with_context(ctx, |_ctx| match query.is_null() {
        true => Ok(()),
        false => handle::borrow(query)?.query().finalize(),
    })
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
    entry::with_context(ctx, |_ctx| {
        let found = handle::borrow(query)?.query().status();
        arg::out(status, "status")?.set(found.code().into());
        Ok(())
    })
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
    entry::with_context(ctx, |_ctx| {
        let reason = handle::borrow(query)?.query().reason();
        let details = tiledb_query_status_details_t {
            incomplete_reason: reason.code().into(),
        };
        arg::out(status_details, "status_details")?.set(details);
        Ok(())
    })
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
    entry::with_context(ctx, |_ctx| {
        let found = handle::borrow(query)?.query().has_results();
        arg::out(has_results, "has_results")?.set(i32::from(found));
        Ok(())
    })
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
    entry::plain(|| {
        let value = QueryStatus::from_name(arg::text(str, "str")?);
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown query status"))?;
        arg::out(query_status, "query_status")?.set(value.code().into());
        Ok(())
    })
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
