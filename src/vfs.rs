//! The virtual file system: files and directories wherever they are stored, and handles of open files.
//!
//! Places are given as URIs (`file:///a/b`, `mem://a`) or as paths, which are made absolute.

use std::sync::Arc;

use tiledb_engine::config::Config;
use tiledb_engine::context::Context;
use tiledb_engine::vfs::{FileHandle, FileMode, Next, Uri, Vfs};

use crate::callback;
use crate::exception::caught;
use crate::prelude::*;

/// An open file. It may be used from several threads, which take turns.
pub struct tiledb_vfs_fh_handle_t {
    file: FileHandle,
}
/// The name C programs use.
pub type tiledb_vfs_fh_t = tiledb_vfs_fh_handle_t;

/// A virtual file system. It may be used from several threads. Files in memory belong to it and go with it.
pub struct tiledb_vfs_handle_t {
    vfs: Arc<Vfs>,
    config: Config,
}
/// The name C programs use.
pub type tiledb_vfs_t = tiledb_vfs_handle_t;

impl tiledb_vfs_handle_t {
    /// A file system with the configuration of a context, and what was set in another one on top.
    fn new(context: &Arc<Context>, own: Option<&tiledb_config_t>) -> Result<Self> {
        let mut config = context.config().thawed();
        let vfs = match own {
            None => Vfs::new(context)?,
            Some(own) => {
                config.inherit(&own.config());
                Vfs::new(&Context::new(config.clone())?)?
            }
        };
        Ok(Self { vfs, config })
    }
}

/// The place that an argument names. Null is as wrong as nothing.
unsafe fn place(uri: *const c_char, name: &str) -> Result<Uri> {
    if uri.is_null() {
        return Uri::parse("");
    }
    // SAFETY: not null; the caller's contract.
    Uri::parse(unsafe { arg::text(uri, name) }?)
}

/// The place a walk starts at.
unsafe fn walk_start(path: *const c_char) -> Result<Uri> {
    if path.is_null() {
        let message = "Invalid TileDB object: VFS passed a null path.";
        return Err(Error::usage("C API", message));
    }
    // SAFETY: not null; the caller's contract.
    unsafe { place(path, "path") }
}

/// Makes a virtual file system.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param config What was set in it outranks the configuration of the context. It stays the caller's; null for none.
/// @param vfs Where the new file system goes. Free it with `tiledb_vfs_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_alloc(
    ctx: *mut tiledb_ctx_t,
    config: *mut tiledb_config_t,
    vfs: *mut *mut tiledb_vfs_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |ctx| {
            let made = tiledb_vfs_t::new(ctx.vfs.context(), handle::borrow_optional(config))?;
            handle::make(vfs, "vfs", made)
        })
    }
}

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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe { entry::with_context(ctx, |_ctx| handle::borrow(fh)?.file.close()) }
}

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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let vfs = &handle::borrow(vfs)?.vfs;
            vfs.copy_dir(&place(old_uri, "old_uri")?, &place(new_uri, "new_uri")?)
        })
    }
}

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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let vfs = &handle::borrow(vfs)?.vfs;
            vfs.copy_file(&place(old_uri, "old_uri")?, &place(new_uri, "new_uri")?)
        })
    }
}

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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let vfs = &handle::borrow(vfs)?.vfs;
            vfs.bucket("create_bucket", &place(uri, "uri")?)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let vfs = &handle::borrow(vfs)?.vfs;
            vfs.create_dir(&place(uri, "uri")?)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let vfs = &handle::borrow(vfs)?.vfs;
            let size = arg::out(size, "size")?;
            size.set(vfs.dir_size(&place(uri, "uri")?)?);
            Ok(())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let vfs = &handle::borrow(vfs)?.vfs;
            vfs.bucket("empty_bucket", &place(uri, "uri")?)
        })
    }
}

/// Frees the handle of a file. One that was written to is to be closed first: this call does not tell of errors.
///
/// @param fh The file; null afterwards. Null is fine at both levels.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_fh_free(fh: *mut *mut tiledb_vfs_fh_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe { handle::release(fh) }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let file = &handle::borrow(fh)?.file;
            arg::out(is_closed, "is_closed")?.set(i32::from(file.is_closed()));
            Ok(())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let vfs = &handle::borrow(vfs)?.vfs;
            let size = arg::out(size, "size")?;
            size.set(vfs.file_size(&place(uri, "uri")?)?);
            Ok(())
        })
    }
}

/// Frees a virtual file system. Files that are open stay usable.
///
/// @param vfs The file system; null afterwards. Null is fine at both levels.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_free(vfs: *mut *mut tiledb_vfs_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe { handle::release(vfs) }
}

/// Gets a copy of the configuration of a file system.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param vfs The file system.
/// @param config Where the copy goes. Free it with `tiledb_config_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_get_config(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    config: *mut *mut tiledb_config_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let copy = handle::borrow(vfs)?.config.clone();
            handle::make(config, "config", tiledb_config_t::new(copy))
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let vfs = &handle::borrow(vfs)?.vfs;
            let is_bucket = arg::out(is_bucket, "is_bucket")?;
            vfs.bucket("is_bucket", &place(uri, "uri")?)?;
            is_bucket.set(1);
            Ok(())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let vfs = &handle::borrow(vfs)?.vfs;
            let is_dir = arg::out(is_dir, "is_dir")?;
            is_dir.set(i32::from(vfs.is_dir(&place(uri, "uri")?)?));
            Ok(())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let vfs = &handle::borrow(vfs)?.vfs;
            let is_empty = arg::out(is_empty, "is_empty")?;
            vfs.bucket("is_empty_bucket", &place(uri, "uri")?)?;
            is_empty.set(1);
            Ok(())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let vfs = &handle::borrow(vfs)?.vfs;
            let is_file = arg::out(is_file, "is_file")?;
            is_file.set(i32::from(vfs.is_file(&place(uri, "uri")?)?));
            Ok(())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let vfs = &handle::borrow(vfs)?.vfs;
            let start = walk_start(path)?;
            vfs.walk(&start, &mut callback::visitor(callback, data)?)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let vfs = &handle::borrow(vfs)?.vfs;
            let start = walk_start(path)?;
            vfs.walk(&start, &mut callback::visitor_v2(callback, data)?)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::plain(|| {
            let str = arg::text(str, "str")?;
            let vfs_mode = arg::out(vfs_mode, "vfs_mode")?;
            let unknown = || Error::usage("C API", format!("Unknown VFS mode '{str}'"));
            vfs_mode.set(FileMode::from_name(str).ok_or_else(unknown)? as tiledb_vfs_mode_t);
            Ok(())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::plain(|| {
            let mode = FileMode::from_code(vfs_mode);
            arg::out(str, "str")?.set(kept::constant(mode.map_or("", FileMode::name)));
            arg::known(mode, "VFS mode", vfs_mode).map(drop)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let vfs = &handle::borrow(vfs)?.vfs;
            let (old, new) = (place(old_uri, "old_uri")?, place(new_uri, "new_uri")?);
            vfs.rename("move_dir", &old, &new)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let vfs = &handle::borrow(vfs)?.vfs;
            let (old, new) = (place(old_uri, "old_uri")?, place(new_uri, "new_uri")?);
            vfs.rename("move_file", &old, &new)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let file = &handle::borrow(fh)?.file;
            file.read(offset, arg::bytes_mut(buffer, nbytes, "buffer")?)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let vfs = &handle::borrow(vfs)?.vfs;
            vfs.bucket("remove_bucket", &place(uri, "uri")?)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let vfs = &handle::borrow(vfs)?.vfs;
            vfs.remove_dir(&place(uri, "uri")?)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let vfs = &handle::borrow(vfs)?.vfs;
            vfs.remove_file(&place(uri, "uri")?)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe { entry::with_context(ctx, |_ctx| handle::borrow(fh)?.file.sync()) }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let vfs = &handle::borrow(vfs)?.vfs;
            vfs.touch(&place(uri, "uri")?)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let file = &handle::borrow(fh)?.file;
            file.write(arg::bytes(buffer, nbytes, "buffer")?)
        })
    }
}
