//! Folders: made, looked at, copied, moved, removed.

use super::{place, tiledb_vfs_t};
use crate::prelude::*;

/// Copies a directory and all in it.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param vfs The file system.
/// @param old_uri The directory.
/// @param new_uri The place of the copy; files that are there are replaced.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_copy_dir(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    old_uri: *const c_char,
    new_uri: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        vfs.copy_dir(&place(old_uri, "old_uri")?, &place(new_uri, "new_uri")?)
    })
}

/// Makes a directory and those above it. An existing one is fine.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param vfs The file system.
/// @param uri The directory.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_create_dir(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        vfs.create_dir(&place(uri, "uri")?)
    })
}

/// Adds up the sizes of all files below a directory.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param vfs The file system.
/// @param uri The directory.
/// @param size Becomes the sum, in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_dir_size(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
    size: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        let size = arg::out(size, "size")?;
        size.set(vfs.dir_size(&place(uri, "uri")?)?);
        Ok(())
    })
}

/// Tells whether there is a directory.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param vfs The file system.
/// @param uri The place.
/// @param is_dir Becomes 1 if a directory is there, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_is_dir(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
    is_dir: *mut i32,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        let is_dir = arg::out(is_dir, "is_dir")?;
        is_dir.set(i32::from(vfs.is_dir(&place(uri, "uri")?)?));
        Ok(())
    })
}

/// Gives a directory another place in the same storage.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param vfs The file system.
/// @param old_uri The directory.
/// @param new_uri Its new place; the directories above are made.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_move_dir(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    old_uri: *const c_char,
    new_uri: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        let (old, new) = (place(old_uri, "old_uri")?, place(new_uri, "new_uri")?);
        vfs.rename("move_dir", &old, &new)
    })
}

/// Removes a directory and all in it. A missing one is an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param vfs The file system.
/// @param uri The directory.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_remove_dir(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        vfs.remove_dir(&place(uri, "uri")?)
    })
}
