//! Creating, inspecting, copying, moving and removing files.

use super::{tiledb_vfs_t, uri_argument};
use crate::prelude::*;

/// Copies a file within a storage backend or between two.
///
/// @param ctx The context; stores the error if the call fails.
/// @param vfs The file system.
/// @param old_uri URI of the file.
/// @param new_uri URI of the copy. An existing file is replaced.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_copy_file(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    old_uri: *const c_char,
    new_uri: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        vfs.copy_file(
            &uri_argument(old_uri, "old_uri")?,
            &uri_argument(new_uri, "new_uri")?,
        )
    })
}

/// Gets the size of a file.
///
/// @param ctx The context; stores the error if the call fails.
/// @param vfs The file system.
/// @param uri URI of the file.
/// @param size Set to the size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        size.set(vfs.file_size(&uri_argument(uri, "uri")?)?);
        Ok(())
    })
}

/// Checks whether a file exists.
///
/// @param ctx The context; stores the error if the call fails.
/// @param vfs The file system.
/// @param uri URI of the file.
/// @param is_file Set to 1 if it exists, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        is_file.set(i32::from(
            vfs.is_accessible_file(&uri_argument(uri, "uri")?)?,
        ));
        Ok(())
    })
}

/// Moves a file within a storage backend.
///
/// @param ctx The context; stores the error if the call fails.
/// @param vfs The file system.
/// @param old_uri URI of the file.
/// @param new_uri The new URI. An existing file is replaced.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_move_file(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    old_uri: *const c_char,
    new_uri: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        let (old, new) = (
            uri_argument(old_uri, "old_uri")?,
            uri_argument(new_uri, "new_uri")?,
        );
        vfs.move_file(&old, &new)
    })
}

/// Removes a file. It is an error if the file does not exist.
///
/// @param ctx The context; stores the error if the call fails.
/// @param vfs The file system.
/// @param uri URI of the file.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_remove_file(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        vfs.remove_file(&uri_argument(uri, "uri")?)
    })
}

/// Creates an empty file if none exists, and makes it durable.
///
/// @param ctx The context; stores the error if the call fails.
/// @param vfs The file system.
/// @param uri URI of the file.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_touch(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        vfs.touch(&uri_argument(uri, "uri")?)
    })
}
