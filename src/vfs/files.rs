//! Files: made, looked at, copied, moved, removed.

use super::{place, tiledb_vfs_t};
use crate::prelude::*;

/// Copies a file, within a storage or from one to another.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param vfs The file system.
/// @param old_uri The file.
/// @param new_uri The place of the copy; a file that is there is replaced.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_copy_file(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    old_uri: *const c_char,
    new_uri: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        vfs.copy_file(&place(old_uri, "old_uri")?, &place(new_uri, "new_uri")?)
    })
}

/// Gets the size of a file.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param vfs The file system.
/// @param uri The file.
/// @param size Becomes the size, in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_file_size(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
    size: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        let size = arg::out(size, "size")?;
        size.set(vfs.file_size(&place(uri, "uri")?)?);
        Ok(())
    })
}

/// Tells whether there is a file.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param vfs The file system.
/// @param uri The place.
/// @param is_file Becomes 1 if a file is there, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_is_file(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
    is_file: *mut i32,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        let is_file = arg::out(is_file, "is_file")?;
        is_file.set(i32::from(vfs.is_file(&place(uri, "uri")?)?));
        Ok(())
    })
}

/// Gives a file another place in the same storage.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param vfs The file system.
/// @param old_uri The file.
/// @param new_uri Its new place; a file that is there is replaced.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_move_file(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    old_uri: *const c_char,
    new_uri: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        let (old, new) = (place(old_uri, "old_uri")?, place(new_uri, "new_uri")?);
        vfs.rename("move_file", &old, &new)
    })
}

/// Removes a file. A missing one is an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param vfs The file system.
/// @param uri The file.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_remove_file(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        vfs.remove_file(&place(uri, "uri")?)
    })
}

/// Makes an empty file, unless there is one. It is on disk then.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param vfs The file system.
/// @param uri The file.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_touch(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        vfs.touch(&place(uri, "uri")?)
    })
}
