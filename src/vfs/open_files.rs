//! Handles of open files: opening, reading, writing, closing.

use tiledb_engine::internal::vfs::{FileHandle, FileMode};

use super::{tiledb_vfs_t, uri_argument};
use crate::prelude::*;

/// An open file. Several threads may use it; their calls are serialized.
pub struct tiledb_vfs_fh_handle_t {
    file: FileHandle,
}

/// Name of the type in C programs.
pub type tiledb_vfs_fh_t = tiledb_vfs_fh_handle_t;

/// Closes a file and makes what was written durable. A file that was opened for writing exists
/// then, even if nothing was written. If what was written cannot be stored, the call fails and the
/// file is closed nevertheless.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fh The file. The caller must still free it with `tiledb_vfs_fh_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_close(
    ctx: *mut tiledb_ctx_t,
    fh: *mut tiledb_vfs_fh_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| handle::borrow(fh)?.file.close())
}

/// Frees the handle of a file. Close a file that was written to first, because this function does
/// not report errors.
///
/// @param fh Pointer to the handle, which is set to null. Null and a pointer to null are ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_fh_free(fh: *mut *mut tiledb_vfs_fh_t) {
    handle::release(fh)
}

/// Checks whether a file was closed.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fh The file.
/// @param is_closed Set to 1 if it was closed, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_fh_is_closed(
    ctx: *mut tiledb_ctx_t,
    fh: *mut tiledb_vfs_fh_t,
    is_closed: *mut i32,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let file = &handle::borrow(fh)?.file;
        arg::out(is_closed, "is_closed")?.set(i32::from(file.is_closed()));
        Ok(())
    })
}

/// Converts the name of a mode, such as "VFS_READ", to its value.
///
/// @param str The name.
/// @param vfs_mode Set to the mode.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the name is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_mode_from_str(
    str: *const c_char,
    vfs_mode: *mut tiledb_vfs_mode_t,
) -> capi_return_t {
    entry::code_only(|| {
        let str = arg::text(str, "str")?;
        let vfs_mode = arg::out(vfs_mode, "vfs_mode")?;
        let unknown = || Error::usage("C API", format!("Unknown VFS mode '{str}'"));
        vfs_mode.set(FileMode::from_name(str).ok_or_else(unknown)? as tiledb_vfs_mode_t);
        Ok(())
    })
}

/// Gets the name of a mode.
///
/// @param vfs_mode The mode.
/// @param str Set to a static string; to an empty string if the value is unknown.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_mode_to_str(
    vfs_mode: tiledb_vfs_mode_t,
    str: *mut *const c_char,
) -> capi_return_t {
    entry::code_only(|| {
        let mode = FileMode::from_code(vfs_mode);
        arg::out(str, "str")?.set(c_strings::constant(mode.map_or("", FileMode::name)));
        arg::enum_value(mode, "VFS mode", vfs_mode).map(drop)
    })
}

/// Opens a file. For reading, the file must exist. Opening for writing removes an existing file;
/// the first write or closing creates the new one. Opening for appending creates the file if
/// necessary.
///
/// @param ctx The context; stores the error if the call fails.
/// @param vfs The file system.
/// @param uri URI of the file.
/// @param mode The mode.
/// @param fh Set to the handle; close it with `tiledb_vfs_close`, then free it with
///   `tiledb_vfs_fh_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_open(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
    mode: tiledb_vfs_mode_t,
    fh: *mut *mut tiledb_vfs_fh_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let vfs = &handle::borrow(vfs)?.vfs;
        arg::out(fh, "fh")?;
        let invalid = |_| Error::usage("C API", "Invalid TileDB object: uri");
        let uri = uri_argument(uri, "uri").map_err(invalid)?;
        let mode = arg::enum_value(FileMode::from_code(mode), "VFS mode", mode)?;
        let file = FileHandle::open(vfs, uri, mode)?;
        handle::make(fh, "fh", tiledb_vfs_fh_t { file })
    })
}

/// Reads from an open file.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fh The file.
/// @param offset The position of the first byte in the file.
/// @param buffer Buffer that receives the bytes.
/// @param nbytes The number of bytes. It is an error if the file ends before.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_read(
    ctx: *mut tiledb_ctx_t,
    fh: *mut tiledb_vfs_fh_t,
    offset: u64,
    buffer: *mut c_void,
    nbytes: u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let file = &handle::borrow(fh)?.file;
        file.read(offset, arg::bytes_mut(buffer, nbytes, "buffer")?)
    })
}

/// Makes what was written to an open file durable.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fh The file.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_sync(
    ctx: *mut tiledb_ctx_t,
    fh: *mut tiledb_vfs_fh_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| handle::borrow(fh)?.file.sync())
}

/// Appends bytes to an open file.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fh The file.
/// @param buffer The bytes.
/// @param nbytes The number of bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_write(
    ctx: *mut tiledb_ctx_t,
    fh: *mut tiledb_vfs_fh_t,
    buffer: *const c_void,
    nbytes: u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let file = &handle::borrow(fh)?.file;
        if buffer.is_null() {
            let message = "buffer must not be nullptr";
            return Err(Error::usage("TileDB internal", message));
        }
        file.write(arg::bytes(buffer, nbytes, "buffer")?)
    })
}
