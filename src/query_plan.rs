//! Query plans: how a query will be executed.

use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::types::QueryType;

use crate::prelude::*;
use crate::query::QueryState;
use crate::query::buffers::{Field, read_buffers, separate_buffers, written_cells};

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
        let mut state = query.state.lock();
        if state.query.request().is_served() {
            let text = state.request_plan()?;
            return handle::make(plan, "plan", tiledb_string_t::new(text));
        }
        let QueryState { query, fields, .. } = &mut *state;
        check_buffers(query, fields)?;
        let names: Vec<&str> = fields.iter().map(|field| &field.name[..]).collect();
        let text = query.initialize_and_describe(&names)?;
        handle::make(plan, "plan", tiledb_string_t::new(text))
    })
}

/// Checks the buffers of a query as the first submit does.
unsafe fn check_buffers(query: &Query, fields: &mut [Field]) -> Result<()> {
    // SAFETY: the caller keeps the buffers valid during the call.
    unsafe {
        match query.request().query_type() {
            QueryType::Read => {
                separate_buffers(query, fields)?;
                query.check_planned_read(&read_buffers(fields))
            }
            QueryType::Write => {
                let width = query.request().written_form()?.width;
                query.check_planned_write(&written_cells(fields, width)?)
            }
            _ => Ok(()),
        }
    }
}
