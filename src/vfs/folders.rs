//! Creating, inspecting, copying, moving and removing directories.

use super::{tiledb_vfs_t, uri_argument};
use crate::prelude::*;

/// Copies a directory with its contents.
///
/// @param ctx The context; stores the error if the call fails.
/// @param vfs The file system.
/// @param old_uri URI of the directory.
/// @param new_uri URI of the copy. Existing files are replaced.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_copy_dir(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    old_uri: *const c_char,
    new_uri: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        vfs.copy_dir(
            &uri_argument(old_uri, "old_uri")?,
            &uri_argument(new_uri, "new_uri")?,
        )
    })
}

/// Creates a directory and its missing parents. An existing directory is not an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param vfs The file system.
/// @param uri URI of the directory.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_create_dir(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        vfs.create_dir(&uri_argument(uri, "uri")?)
    })
}

/// Gets the sum of the sizes of all files below a directory.
///
/// @param ctx The context; stores the error if the call fails.
/// @param vfs The file system.
/// @param uri URI of the directory.
/// @param size Set to the sum in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        size.set(vfs.dir_size(&uri_argument(uri, "uri")?)?);
        Ok(())
    })
}

/// Checks whether a directory exists.
///
/// @param ctx The context; stores the error if the call fails.
/// @param vfs The file system.
/// @param uri URI of the directory.
/// @param is_dir Set to 1 if it exists, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        is_dir.set(i32::from(
            vfs.is_accessible_dir(&uri_argument(uri, "uri")?)?,
        ));
        Ok(())
    })
}

/// Moves a directory within a storage backend.
///
/// @param ctx The context; stores the error if the call fails.
/// @param vfs The file system.
/// @param old_uri URI of the directory.
/// @param new_uri The new URI. Missing parent directories are created.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_move_dir(
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
        vfs.rename("move_dir", &old, &new)
    })
}

/// Removes a directory with its contents. It is an error if the directory does not exist.
///
/// @param ctx The context; stores the error if the call fails.
/// @param vfs The file system.
/// @param uri URI of the directory.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_remove_dir(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        vfs.remove_dir(&uri_argument(uri, "uri")?)
    })
}
