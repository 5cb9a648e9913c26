//! Query plan: how a query will run.

use crate::prelude::*;

/// Tells, as JSON text, how a query will run: the array and its type, the strategy, the layout, the fields.
///
/// Layout and buffers of the query must be set. The query is not submitted.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param plan Receives the text; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_plan(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    plan: *mut *mut tiledb_string_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let query = query.as_ref().ok_or_else(|| arg::null("query"))?;
            let state = query.state.lock();
            let names = state.fields.iter().map(|field| &field.name[..]);
            let text = state.query.describe(&names.collect::<Vec<_>>())?;
            handle::make(plan, "plan", tiledb_string_t::new(text))
        })
    }
}
