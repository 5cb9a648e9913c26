//! Buckets of object stores.

use super::{place, tiledb_vfs_t};
use crate::prelude::*;

/// Makes a bucket in an object store. Local files and files in memory have none: an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param vfs The file system.
/// @param uri The bucket.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_create_bucket(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        vfs.bucket("create_bucket", &place(uri, "uri")?)
    })
}

/// Removes everything from a bucket. Local files and files in memory have none: an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param vfs The file system.
/// @param uri The bucket.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_empty_bucket(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        vfs.bucket("empty_bucket", &place(uri, "uri")?)
    })
}

/// Tells whether there is a bucket. Local files and files in memory have none: an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param vfs The file system.
/// @param uri The bucket.
/// @param is_bucket Becomes 1 if there is one, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_is_bucket(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
    is_bucket: *mut i32,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        let is_bucket = arg::out(is_bucket, "is_bucket")?;
        vfs.bucket("is_bucket", &place(uri, "uri")?)?;
        is_bucket.set(1);
        Ok(())
    })
}

/// Tells whether a bucket is empty. Local files and files in memory have none: an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param vfs The file system.
/// @param uri The bucket.
/// @param is_empty Becomes 1 if nothing is in it, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_is_empty_bucket(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
    is_empty: *mut i32,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        let is_empty = arg::out(is_empty, "is_empty")?;
        vfs.bucket("is_empty_bucket", &place(uri, "uri")?)?;
        is_empty.set(1);
        Ok(())
    })
}

/// Removes a bucket. Local files and files in memory have none: an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param vfs The file system.
/// @param uri The bucket.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_remove_bucket(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        vfs.bucket("remove_bucket", &place(uri, "uri")?)
    })
}
