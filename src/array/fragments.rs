//! Removal of fragments by URI or by time range.

use std::fmt::Display;

use tiledb_engine::internal::rest::location;
use tiledb_engine::internal::types::TimeRange;

use tiledb_engine::internal::error::{ArrayError, MaintenanceError};

use crate::prelude::*;

/// Removes fragments by their URIs. If a URI is not a fragment of the array, it is an error and
/// nothing is removed. It is also an error if the process has the array open.
///
/// @param ctx The context; stores the error if the call fails.
/// @param uri_str URI or path of the array.
/// @param fragment_uris The URIs of the fragments.
/// @param num_fragments The number of URIs.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_delete_fragments_list(
    ctx: *mut tiledb_ctx_t,
    uri_str: *const c_char,
    fragment_uris: *mut *const c_char,
    num_fragments: usize,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let failed = |why: &dyn Display| {
            let message = format!("Failed to delete fragments list; {why}");
            Error::usage("C API", message)
        };
        if num_fragments == 0 {
            return Err(failed(&"Invalid input number of fragments"));
        }
        let uri = arg::uri(uri_str, "uri_str")?;
        let names = arg::texts(
            fragment_uris.cast_const(),
            num_fragments as u64,
            "fragment_uris",
        )?;
        location::delete_named_fragments(&ctx.vfs, &uri, &names, &ctx.context().config).map_err(
            |error| match error.cause() {
                Cause::Array(ArrayError::Listing { .. })
                | Cause::Maintenance(MaintenanceError::NotAFragment { .. }) => {
                    failed(&error.libtiledb_text())
                }
                _ => error,
            },
        )
    })
}

/// Removes the fragments whose timestamps are completely inside a time range. It is an error if the
/// process has the array open.
///
/// @param ctx The context; stores the error if the call fails.
/// @param uri_str URI or path of the array.
/// @param timestamp_start The first millisecond of the range, since 1970-01-01 UTC.
/// @param timestamp_end The last millisecond of the range, since 1970-01-01 UTC.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_delete_fragments_v2(
    ctx: *mut tiledb_ctx_t,
    uri_str: *const c_char,
    timestamp_start: u64,
    timestamp_end: u64,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let uri = arg::uri(uri_str, "uri_str")?;
        let timestamps = TimeRange {
            start: timestamp_start,
            end: timestamp_end,
        };
        location::delete_fragments(&ctx.vfs, &uri, timestamps, &ctx.context().config)
    })
}
