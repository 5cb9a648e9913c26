//! DOC family

use crate::prelude::*;

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_plan(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    plan: *mut *mut tiledb_string_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, query, plan);
        entry::not_implemented(ctx, "tiledb_query_get_plan")
    }
}
