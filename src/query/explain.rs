//! Explanations of reads.

use super::QueryState;
use crate::prelude::*;

/// Extension: explains a read. Before the first submit this is the plan: the reader, the fragments
/// and tiles that are read or excluded, by which means, and their bytes. Afterwards it also has
/// what happened: cells, bytes and requests, and the time of each stage. Hints suggest how the read
/// would be faster, with numbers.
///
/// The query is not started. Metadata of all tiles in the ranges is read.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query. Without buffers, all attributes are explained.
/// @param format The format of the text.
/// @param explanation Set to a new string; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`, for
///   example if the query is not a read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_rs_query_explain(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    format: tiledb_rs_explain_format_t,
    explanation: *mut *mut tiledb_string_t,
) -> capi_return_t {
    const TEXT: u32 = 0;
    const JSON: u32 = 1;
    entry::with_context(ctx, |_ctx| {
        let QueryState { query, fields, .. } = &*handle::borrow(query)?.state.lock();
        let names: Vec<&str> = fields.iter().map(|field| &field.name[..]).collect();
        let known = Some(format).filter(|format| matches!(*format, TEXT | JSON));
        let format = arg::enum_value(known, "format of explanations", format)?;
        let explained = query.explain(&names)?;
        let text = if format == JSON {
            explained.to_json()
        } else {
            explained.to_string()
        };
        handle::make(explanation, "explanation", tiledb_string_t::new(text))
    })
}
