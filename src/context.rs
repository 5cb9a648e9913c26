//! Contexts: what calls share, and where the last error of a call is kept.

use std::sync::Arc;

use tiledb_engine::config::Config;
use tiledb_engine::context::Context;
use tiledb_engine::platform::lock::Mutex;
use tiledb_engine::vfs::{Scheme, Uri, Vfs};

use crate::prelude::*;

/// A context: configuration, limits, statistics, and the last error. It may be used from several threads; they share the
/// last error. Making one costs microseconds and starts no thread.
pub struct tiledb_ctx_handle_t {
    /// The storage, and with it the engine's context.
    pub(crate) vfs: Arc<Vfs>,
    last_error: Mutex<Option<CString>>,
}

impl tiledb_ctx_handle_t {
    /// A context with a configuration; the default one where there is none.
    unsafe fn new(config: *mut tiledb_config_t) -> Result<Self> {
        // SAFETY: the caller's contract.
        let config = unsafe { handle::borrow_optional(config) };
        let config = config.map_or_else(Config::new, tiledb_config_t::config);
        Ok(Self {
            vfs: Vfs::new(&Context::new(config)?)?,
            last_error: Mutex::default(),
        })
    }

    /// The engine's context.
    pub(crate) fn context(&self) -> &Arc<Context> {
        self.vfs.context()
    }

    /// The configuration of an argument, or that of the context where it is null.
    pub(crate) unsafe fn config_or(&self, config: *const tiledb_config_t) -> Config {
        let own = self.context().config();
        // SAFETY: the caller's contract.
        unsafe { handle::borrow_optional(config) }.map_or_else(
            || own.clone(),
            |config| {
                let mut merged = own.clone();
                merged.inherit(&config.config());
                merged
            },
        )
    }

    /// Keeps an error for `tiledb_ctx_get_last_error`.
    pub(crate) fn keep_error(&self, error: &Error) {
        *self.last_error.lock() = Some(kept::c_string(&error.to_string()));
    }
}
/// The name C programs use.
pub type tiledb_ctx_t = tiledb_ctx_handle_t;

/// A value of the C enum `tiledb_data_protocol_t`: what servers speak today, and what is no server's.
const PROTOCOL_V2: tiledb_data_protocol_t = 0;

/// A value of the C enum `tiledb_filesystem_t`: files in memory.
const FILESYSTEM_MEM: tiledb_filesystem_t = 4;

/// Makes a context.
///
/// @param config Its configuration, which stays the caller's and may be freed; null for the defaults.
/// @param ctx Where the new context goes; left as it is on failure. Free it with `tiledb_ctx_free`.
/// @return `TILEDB_OK` or `TILEDB_ERR`. `tiledb_ctx_alloc_with_error` tells why.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_alloc(
    config: *mut tiledb_config_t,
    ctx: *mut *mut tiledb_ctx_t,
) -> capi_return_t {
    entry::plain(|| handle::make(ctx, "ctx", tiledb_ctx_t::new(config)?))
}

/// Makes a context, and tells why if it cannot.
///
/// @param config Its configuration, which stays the caller's and may be freed; null for the defaults.
/// @param ctx Where the new context goes; left as it is on failure. Free it with `tiledb_ctx_free`.
/// @param error Where an error goes; null on success. Free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_alloc_with_error(
    config: *mut tiledb_config_t,
    ctx: *mut *mut tiledb_ctx_t,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || {
        handle::make(ctx, "ctx", tiledb_ctx_t::new(config)?)
    })
}

/// Cancels what runs with a context in other threads; it ends with an error. What begins later runs.
///
/// @param ctx The context.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_cancel_tasks(ctx: *mut tiledb_ctx_t) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        ctx.context().cancel();
        Ok(())
    })
}

/// Frees a context. Arrays, queries and other objects made with it keep working.
///
/// @param ctx The context; null afterwards. Null is fine at both levels.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_free(ctx: *mut *mut tiledb_ctx_t) {
    handle::release(ctx)
}

/// Gets a copy of the configuration of a context.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param config Where the copy goes. Changing it does not change the context. Free it with `tiledb_config_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_get_config(
    ctx: *mut tiledb_ctx_t,
    config: *mut *mut tiledb_config_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let copy = ctx.context().config().thawed();
        handle::make(config, "config", tiledb_config_t::new(copy))
    })
}

/// Gets the protocol that the storage behind a URI speaks.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param uri The URI. Those of a TileDB server are an error: this library does not speak to servers.
/// @param data_protocol Becomes the protocol; `TILEDB_DATA_PROTOCOL_V2` for all storage that is no server.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_get_data_protocol(
    ctx: *mut tiledb_ctx_t,
    uri: *const c_char,
    data_protocol: *mut tiledb_data_protocol_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let invalid = |_| Error::usage("C API", "Cannot get data protocol; Invalid URI");
        let uri = arg::text(uri, "uri")
            .and_then(Uri::parse)
            .map_err(invalid)?;
        let data_protocol = arg::out(data_protocol, "data_protocol")?;
        if uri.scheme() == Scheme::TileDb {
            let message = format!("This build has no client for the server of '{uri}'");
            return Err(Error::usage("[TileDB::REST] Error", message));
        }
        data_protocol.set(PROTOCOL_V2);
        Ok(())
    })
}

/// Gets the last error of a context: that of the last call that failed with it, in any thread. Success does not clear it.
///
/// @param ctx The context.
/// @param err Becomes a new error object, or null if no call has failed. Free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_get_last_error(
    ctx: *mut tiledb_ctx_t,
    err: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let err = arg::out(err, "err")?;
        let last = ctx.last_error.lock().clone();
        err.set(last.map_or(std::ptr::null_mut(), tiledb_error_t::boxed_text));
        Ok(())
    })
}

/// Gets the statistics of a context as a JSON object: timers in seconds, and counters. They are recorded from the beginning,
/// unless `tiledb_stats_disable` was called.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param stats_json Becomes the text, empty where nothing was counted. Free it with `tiledb_stats_free_str`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_get_stats(
    ctx: *mut tiledb_ctx_t,
    stats_json: *mut *mut c_char,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let stats_json = arg::out(stats_json, "stats_json")?;
        stats_json.set(kept::given(&ctx.context().stats().dump())?);
        Ok(())
    })
}

/// Tells whether a kind of storage can be used. Local files always can.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fs The kind of storage.
/// @param is_supported Becomes 1 if it can be used, else 0; 0 also for a kind that is not known.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_is_supported_fs(
    ctx: *mut tiledb_ctx_t,
    fs: tiledb_filesystem_t,
    is_supported: *mut i32,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        arg::out(is_supported, "is_supported")?.set(i32::from(fs == FILESYSTEM_MEM));
        Ok(())
    })
}

/// Sets a tag, which goes along with requests to a server. A tag of the same key is replaced.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param key The key.
/// @param value The value.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_set_tag(
    ctx: *mut tiledb_ctx_t,
    key: *const c_char,
    value: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let key = arg::text_or(key, "key", "tiledb_ctx_set_tag: key may not be null")?;
        let value = arg::text_or(value, "value", "tiledb_ctx_set_tag: value may not be null")?;
        ctx.context().set_tag(key, value);
        Ok(())
    })
}
