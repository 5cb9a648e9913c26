//! Listings of directories with callbacks.

use std::ops::ControlFlow;

use tiledb_engine::internal::vfs::Uri;

use super::{tiledb_vfs_t, uri_argument};
use crate::callback;
use crate::exception::caught;
use crate::prelude::*;

/// Reads the URI of the directory to list.
unsafe fn walk_start(path: *const c_char) -> Result<Uri> {
    if path.is_null() {
        let message = "Invalid TileDB object: VFS passed a null path.";
        return Err(Error::usage("C API", message));
    }
    // SAFETY: checked not to be null; otherwise valid by the contract in lib.rs.
    unsafe { uri_argument(path, "path") }
}

/// Lists the entries of a directory, sorted. A missing directory has no entries.
///
/// @param ctx The context; stores the error if the call fails.
/// @param vfs The file system.
/// @param path URI of the directory.
/// @param callback Called with the URI of each object, valid for the call, and `data`. It returns 1
///   to continue, -1 to make the call fail, anything else to end the listing.
/// @param data Passed to the callback.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_ls(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    path: *const c_char,
    callback: Option<unsafe extern "C-unwind" fn(*const c_char, *mut c_void) -> i32>,
    data: *mut c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        let callback = callback.ok_or_else(callback::missing_for_ls)?;
        let folder = uri_argument(path, "path")?;
        for entry in vfs.list(&folder)? {
            let (text, _) = callback::uri_c_string(&folder.join(&entry.name));
            let code = caught(|| callback(text.as_ptr(), data))?;
            if callback::strict(code)? == ControlFlow::Break(()) {
                break;
            }
        }
        Ok(())
    })
}

/// Lists all files and directories below a directory recursively. A directory is listed before its
/// entries. Symbolic links are not followed.
///
/// Deprecated: use `tiledb_vfs_ls_recursive_v2`, whose callback receives the kind of each entry.
///
/// @param ctx The context; stores the error if the call fails.
/// @param vfs The file system.
/// @param path URI of the directory. It is an error if it does not exist.
/// @param callback Called with the URI of each object, its length, the size of the object in bytes
///   (0 for a directory), and `data`. The URI is valid for the call. It returns 1 to continue, 0 to
///   stop the listing, -1 to make the call fail.
/// @param data Passed to the callback.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_ls_recursive(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    path: *const c_char,
    callback: tiledb_ls_callback_t,
    data: *mut c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        let start = walk_start(path)?;
        vfs.walk(&start, &mut callback::visitor(callback, data)?)
    })
}

/// Lists all files and directories below a directory recursively. A directory is listed before its
/// entries. Symbolic links are not followed.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param vfs The file system.
/// @param path URI of the directory. It is an error if it does not exist.
/// @param callback Called with the URI of each object, its length, the size of the object in bytes,
///   1 for a directory or 0 for a file, and `data`. The URI is valid for the call. It returns 1 to
///   continue, 0 to stop the listing, -1 to make the call fail.
/// @param data Passed to the callback.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_ls_recursive_v2(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    path: *const c_char,
    callback: tiledb_ls_callback_v2_t,
    data: *mut c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        let start = walk_start(path)?;
        vfs.walk(&start, &mut callback::visitor_v2(callback, data)?)
    })
}
