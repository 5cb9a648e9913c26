//! Handles of open files: opened in a mode, read, written, closed.

use tiledb_engine::vfs::{FileHandle, FileMode};

use super::{place, tiledb_vfs_t};
use crate::prelude::*;

/// An open file. It may be used from several threads, which take turns.
pub struct tiledb_vfs_fh_handle_t {
    file: FileHandle,
}

/// The name C programs use.
pub type tiledb_vfs_fh_t = tiledb_vfs_fh_handle_t;

/// Ends the use of an open file. What was written is on disk then, and a file opened for writing exists, empty perhaps.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fh The file. It is still to be freed with `tiledb_vfs_fh_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_close(
    ctx: *mut tiledb_ctx_t,
    fh: *mut tiledb_vfs_fh_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| handle::borrow(fh)?.file.close())
}

/// Frees the handle of a file. One that was written to is to be closed first: this call does not tell of errors.
///
/// @param fh The file; null afterwards. Null is fine at both levels.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_fh_free(fh: *mut *mut tiledb_vfs_fh_t) {
    handle::release(fh)
}

/// Tells whether a file was closed.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fh The file.
/// @param is_closed Becomes 1 if it was closed, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Gets the mode of a name, such as "VFS_READ".
///
/// @param str The name.
/// @param vfs_mode Becomes the mode.
/// @return `TILEDB_OK`; `TILEDB_ERR` for an unknown name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_mode_from_str(
    str: *const c_char,
    vfs_mode: *mut tiledb_vfs_mode_t,
) -> capi_return_t {
    entry::plain(|| {
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
/// @param str Becomes the name, which lasts for ever; an empty text for an unknown mode.
/// @return `TILEDB_OK`; `TILEDB_ERR` for an unknown mode.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_mode_to_str(
    vfs_mode: tiledb_vfs_mode_t,
    str: *mut *const c_char,
) -> capi_return_t {
    entry::plain(|| {
        let mode = FileMode::from_code(vfs_mode);
        arg::out(str, "str")?.set(kept::constant(mode.map_or("", FileMode::name)));
        arg::known(mode, "VFS mode", vfs_mode).map(drop)
    })
}

/// Opens a file. For reading it must be there; opening for writing removes it, and it comes back with the first write or
/// with closing; for appending it may be there.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param vfs The file system.
/// @param uri The file.
/// @param mode What it is opened for.
/// @param fh Where the handle goes. Close it with `tiledb_vfs_close`, then free it with `tiledb_vfs_fh_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
        let uri = place(uri, "uri").map_err(invalid)?;
        let mode = arg::known(FileMode::from_code(mode), "VFS mode", mode)?;
        let file = FileHandle::open(vfs, uri, mode)?;
        handle::make(fh, "fh", tiledb_vfs_fh_t { file })
    })
}

/// Reads from an open file.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fh The file.
/// @param offset Where to start, in bytes from the start of the file.
/// @param buffer Where the bytes go.
/// @param nbytes How many bytes; fewer in the file is an error.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Puts what was written to an open file on disk.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fh The file.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_sync(
    ctx: *mut tiledb_ctx_t,
    fh: *mut tiledb_vfs_fh_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| handle::borrow(fh)?.file.sync())
}

/// Writes behind what an open file holds.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fh The file.
/// @param buffer The bytes; they are no longer needed afterwards.
/// @param nbytes How many bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
