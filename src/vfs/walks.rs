//! What is in a folder, and in the folders below it, told to callbacks.

use tiledb_engine::vfs::{Next, Uri};

use super::{place, tiledb_vfs_t};
use crate::callback;
use crate::exception::caught;
use crate::prelude::*;

/// The place a walk starts at.
unsafe fn walk_start(path: *const c_char) -> Result<Uri> {
    if path.is_null() {
        let message = "Invalid TileDB object: VFS passed a null path.";
        return Err(Error::usage("C API", message));
    }
    // SAFETY: not null; the caller's contract.
    unsafe { place(path, "path") }
}

/// Lists what is in a directory, sorted. A missing directory has nothing in it.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param vfs The file system.
/// @param path The directory.
/// @param callback Called with the URI of each object, valid for the call, and `data`. It answers 1 to go on, -1 to fail
///     the listing, anything else to end it.
/// @param data Handed to the callback.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
        let folder = place(path, "path")?;
        for entry in vfs.list(&folder)? {
            let (text, _) = callback::place_text(&folder.join(&entry.name));
            let answer = caught(|| callback(text.as_ptr(), data))?;
            if callback::strict(answer)? == Next::Stop {
                break;
            }
        }
        Ok(())
    })
}

/// Lists all that is below a directory: a directory, then what is in it. Symbolic links are not followed.
///
/// Deprecated: `tiledb_vfs_ls_recursive_v2` tells directories apart.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param vfs The file system.
/// @param path The directory; a missing one is an error.
/// @param callback Called with the URI of each object, its length, the size of the object in bytes (0 for a directory), and
///     `data`. The URI is valid for the call. It answers 1 to go on, 0 to end the listing, -1 to fail it.
/// @param data Handed to the callback.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Lists all that is below a directory: a directory, then what is in it. Symbolic links are not followed.
///
/// Experimental.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param vfs The file system.
/// @param path The directory; a missing one is an error.
/// @param callback Called with the URI of each object, its length, the size of the object in bytes, 1 for a directory or 0
///     for a file, and `data`. The URI is valid for the call. It answers 1 to go on, 0 to end the listing, -1 to fail it.
/// @param data Handed to the callback.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
