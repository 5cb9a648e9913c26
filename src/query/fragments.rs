//! The fragments that a query wrote, and the number of fragments that a read uses.

use crate::prelude::*;

/// Gets the number of fragments that a query has written.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param num Set to the number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Gets the timestamp range of a fragment that a query has written, in milliseconds since
/// 1970-01-01 UTC.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param idx The index of the fragment, from 0.
/// @param t1 Set to the start of the range.
/// @param t2 Set to the end of the range.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Gets the URI of a fragment that a query has written.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param idx The index of the fragment, from 0.
/// @param uri Set to the URI, valid until the query is freed.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        arg::out(uri, "uri")?.set(query.returned.text(found.as_str()));
        Ok(())
    })
}

/// Gets the number of fragments that overlap the ranges of a read. It is 0 before the first submit.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param relevant_fragment_num Set to the number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
