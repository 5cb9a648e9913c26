//! Functions that delete parts of an array that is open for exclusive modification.

use tiledb_engine::internal::array::exclusive_type;
use tiledb_engine::internal::maintenance;
use tiledb_engine::internal::rest::location;
use tiledb_engine::internal::types::TimeRange;
use tiledb_engine::internal::vfs::Scheme;

use super::with_config;
use crate::prelude::*;

/// Checks that an array is open for exclusive modification.
fn check_exclusive(array: &tiledb_array_t) -> Result<()> {
    let array = &array.array;
    if array.is_open() && array.query_type() == exclusive_type() {
        return Ok(());
    }
    let message = format!(
        "Array: [ensure_array_is_valid_for_delete] Query type must be {} to perform a delete.",
        exclusive_type().name()
    );
    Err(Error::usage("[TileDB::Array] Error", message))
}

/// Removes the fragments of an array whose timestamps are completely inside a time range.
///
/// Deprecated: `tiledb_array_delete_fragments_v2` does not need an open array. libtiledb 2.30 does
/// not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, open for `TILEDB_MODIFY_EXCLUSIVE`. It stays open.
/// @param uri_str URI or path of the array.
/// @param timestamp_start The first millisecond of the range, since 1970-01-01 UTC.
/// @param timestamp_end The last millisecond of the range, since 1970-01-01 UTC.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_delete_fragments(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    uri_str: *const c_char,
    timestamp_start: u64,
    timestamp_end: u64,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let array = handle::borrow(array)?;
        check_exclusive(array)?;
        let uri = arg::uri(uri_str, "uri_str")?;
        let timestamps = TimeRange {
            start: timestamp_start,
            end: timestamp_end,
        };
        let config = array.array.config();
        if uri == array.array.uri && uri.scheme() != Scheme::TileDb {
            // The handle has the array open exclusively.
            maintenance::delete_fragments(&ctx.vfs, &uri, timestamps, &config)
        } else {
            location::delete_fragments(&ctx.vfs, &uri, timestamps, &config)
        }
    })
}

/// Removes an array with all its fragments, schemas and metadata, and closes it.
///
/// Deprecated: `tiledb_array_delete` does not need an open array. libtiledb 2.30 does not have this
/// function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, open for `TILEDB_MODIFY_EXCLUSIVE`. It stays open if the call fails.
/// @param uri URI or path of the array.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_delete_array(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    uri: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let array = handle::borrow(array)?;
        check_exclusive(array)?;
        let uri = arg::uri_text(uri, "uri")?;
        let vfs = with_config(ctx, array.array.config())?;
        // The removal opens the array exclusively itself.
        array.array.close_without_changes();
        location::remove_array(&vfs, uri).inspect_err(|_| {
            // The first error is the one to report.
            drop(array.array.open(exclusive_type()));
        })
    })
}
