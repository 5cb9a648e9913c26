//! The virtual file system: files and directories wherever they are stored, and handles of open
//! files.
//!
//! Functions take URIs (`file:///a/b`, `mem://a`) or paths, which are made absolute. This module
//! has the handle of the file system; `files`, `folders`, `buckets`, `walks` and `uploads` have its
//! operations, and `open_files` the handles of open files.

use std::sync::Arc;

use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::vfs::{Uri, Vfs};

use crate::prelude::*;

pub mod buckets;
pub mod files;
pub mod folders;
pub mod open_files;
pub mod uploads;
pub mod walks;

pub use open_files::tiledb_vfs_fh_t;

/// A virtual file system. Several threads may use it at once. It owns its files in memory
/// (`mem://`), which are freed with it.
pub struct tiledb_vfs_handle_t {
    vfs: Arc<Vfs>,
    config: Config,
}

/// Name of the type in C programs.
pub type tiledb_vfs_t = tiledb_vfs_handle_t;

impl tiledb_vfs_handle_t {
    /// Creates a file system with the configuration of a context and the parameters that another
    /// configuration sets.
    fn new(context: &Arc<Context>, overrides: Option<&tiledb_config_t>) -> Result<Self> {
        let mut config = context.config.thawed();
        let vfs = match overrides {
            None => Vfs::new(context)?,
            Some(overrides) => {
                config.inherit(&overrides.config());
                Vfs::new(&Context::new(config.clone())?)?
            }
        };
        Ok(Self { vfs, config })
    }
}

/// Reads a URI argument. Null and the empty string are errors.
unsafe fn uri_argument(uri: *const c_char, name: &str) -> Result<Uri> {
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    Uri::parse(unsafe { arg::uri_text(uri, name) }?)
}

/// Creates a virtual file system.
///
/// @param ctx The context; stores the error if the call fails.
/// @param config Parameters that are set in it replace those of the context; null for none. It is
///   copied.
/// @param vfs Set to the new file system; free it with `tiledb_vfs_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_alloc(
    ctx: *mut tiledb_ctx_t,
    config: *mut tiledb_config_t,
    vfs: *mut *mut tiledb_vfs_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let new_handle = tiledb_vfs_t::new(&ctx.vfs.context, handle::borrow_optional(config))?;
        handle::make(vfs, "vfs", new_handle)
    })
}

/// Frees a virtual file system. Open files remain usable.
///
/// @param vfs Pointer to the handle, which is set to null. Null and a pointer to null are ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_free(vfs: *mut *mut tiledb_vfs_t) {
    handle::release(vfs)
}

/// Gets a copy of the configuration of a file system.
///
/// @param ctx The context; stores the error if the call fails.
/// @param vfs The file system.
/// @param config Set to the copy; free it with `tiledb_config_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_get_config(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    config: *mut *mut tiledb_config_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let copy = handle::borrow(vfs)?.config.clone();
        handle::make(config, "config", tiledb_config_t::new(copy))
    })
}
