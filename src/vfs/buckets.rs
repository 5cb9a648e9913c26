//! Buckets of object stores.

use super::{tiledb_vfs_t, uri_argument};
use crate::prelude::*;

/// Creates a bucket in an object store. It is an error for local files and files in memory.
///
/// @param ctx The context; stores the error if the call fails.
/// @param vfs The file system.
/// @param uri URI of the bucket.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_create_bucket(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        vfs.create_bucket(&uri_argument(uri, "uri")?)
    })
}

/// Removes all objects of a bucket. It is an error for local files and files in memory.
///
/// @param ctx The context; stores the error if the call fails.
/// @param vfs The file system.
/// @param uri URI of the bucket.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_empty_bucket(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        vfs.empty_bucket(&uri_argument(uri, "uri")?)
    })
}

/// Checks whether a bucket exists. It is an error for local files and files in memory.
///
/// @param ctx The context; stores the error if the call fails.
/// @param vfs The file system.
/// @param uri URI of the bucket.
/// @param is_bucket Set to 1 if it exists, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let found = vfs.is_bucket(&uri_argument(uri, "uri")?)?;
        is_bucket.set(i32::from(found));
        Ok(())
    })
}

/// Checks whether a bucket is empty. It is an error for local files and files in memory.
///
/// @param ctx The context; stores the error if the call fails.
/// @param vfs The file system.
/// @param uri URI of the bucket.
/// @param is_empty Set to 1 if it contains no object, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let found = vfs.is_empty_bucket(&uri_argument(uri, "uri")?)?;
        is_empty.set(i32::from(found));
        Ok(())
    })
}

/// Removes a bucket and all objects in it. It is an error for local files and files in memory.
///
/// @param ctx The context; stores the error if the call fails.
/// @param vfs The file system.
/// @param uri URI of the bucket.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_remove_bucket(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        vfs.remove_bucket(&uri_argument(uri, "uri")?)
    })
}
