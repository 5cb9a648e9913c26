//! The fragments that a query wrote, and how many a read has to do with.

use crate::prelude::*;

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
    entry::with_context(ctx, |_ctx| {
        let written = handle::borrow(query)?.query().written_num()?;
        arg::out(num, "num")?.set(written);
        Ok(())
    })
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
    entry::with_context(ctx, |_ctx| {
        let query = handle::borrow(query)?.query();
        let found = query
            .written_fragment(idx, "fragment timestamp range")?
            .timestamps;
        let (t1, t2) = (arg::out(t1, "t1")?, arg::out(t2, "t2")?);
        t1.set(found.start);
        t2.set(found.end);
        Ok(())
    })
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
    entry::with_context(ctx, |_ctx| {
        let query = handle::borrow(query)?;
        let found = query
            .query()
            .written_fragment(idx, "fragment URI")?
            .uri
            .clone();
        arg::out(uri, "uri")?.set(query.kept.text(found.as_str()));
        Ok(())
    })
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
    entry::with_context(ctx, |_ctx| {
        let found = handle::borrow(query)?.query().relevant_fragment_num();
        arg::out(relevant_fragment_num, "relevant_fragment_num")?.set(found);
        Ok(())
    })
}
