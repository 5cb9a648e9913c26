//! Query plans: how a query will be executed.

use crate::prelude::*;

/// Returns the plan of a query as JSON: the array and its type, the strategy, the layout, the
/// fields.
///
/// The layout and the buffers of the query must be set, and the subarray of a dense read. The query
/// is not submitted but initialized: its status becomes `TILEDB_INITIALIZED`, and the layout, the
/// subarray, the condition, the aggregates and the configuration cannot be changed any more, nor
/// buffers set for other fields.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param plan Set to a new string; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_plan(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    plan: *mut *mut tiledb_string_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let query = query.as_ref().ok_or_else(|| arg::null("query"))?;
        let text = query.state.lock().plan()?;
        handle::make(plan, "plan", tiledb_string_t::new(text))
    })
}
