//! Incomplete uploads in object stores.

use std::ops::ControlFlow;

use super::{tiledb_vfs_t, uri_argument};
use crate::callback;
use crate::exception::caught;
use crate::prelude::*;

/// Extension: lists the uploads below a prefix that were begun and not completed. A process that is
/// killed while it writes a large object leaves one. It is invisible, but its parts are charged. It
/// is an error for local files and files in memory. Google Cloud Storage lists no uploads; it
/// removes them after a week.
///
/// @param ctx The context; stores the error if the call fails.
/// @param vfs The file system.
/// @param uri URI of a bucket, a folder or an object. Uploads of all objects whose URIs start with
///   it are listed.
/// @param callback Called with the URI of the object of each upload, valid for the call, and
///   `data`. It returns 1 to continue, -1 to make the call fail, anything else to end the listing.
/// @param data Passed to the callback.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_rs_vfs_uploads(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
    callback: Option<unsafe extern "C-unwind" fn(*const c_char, *mut c_void) -> i32>,
    data: *mut c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        let callback = callback.ok_or_else(callback::missing_for_ls)?;
        let uri = uri_argument(uri, "uri")?;
        for upload in vfs.uploads(&uri)? {
            let text = c_strings::c_string(upload.as_str());
            let returned = caught(|| callback(text.as_ptr(), data))?;
            if callback::strict(returned)? == ControlFlow::Break(()) {
                break;
            }
        }
        Ok(())
    })
}

/// Extension: aborts the uploads below a prefix that were begun and not completed, and removes
/// their parts. An upload that another process has under way fails. It is an error for local files
/// and files in memory.
///
/// @param ctx The context; stores the error if the call fails.
/// @param vfs The file system.
/// @param uri URI of a bucket, a folder or an object. Uploads of all objects whose URIs start with
///   it are aborted.
/// @param num Set to the number of uploads that were aborted.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_rs_vfs_abort_uploads(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
    num: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        let num = arg::out(num, "num")?;
        num.set(vfs.abort_uploads(&uri_argument(uri, "uri")?)?);
        Ok(())
    })
}
