//! Contexts: the configuration, statistics and last error that calls share.

use std::sync::Arc;

use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::platform::lock::Mutex;
use tiledb_engine::internal::rest;
use tiledb_engine::internal::vfs::{Scheme, Uri, Vfs};

use crate::prelude::*;

/// A context: configuration, limits, statistics and the last error. Several threads may use it at
/// once; they share the last error. Creating one takes microseconds and starts no thread.
pub struct tiledb_ctx_handle_t {
    /// The virtual file system, which contains the context of the engine.
    pub(crate) vfs: Arc<Vfs>,
    last_error: Mutex<Option<CString>>,
}

impl tiledb_ctx_handle_t {
    /// Creates a context with a configuration, or with the default one for null.
    unsafe fn new(config: *mut tiledb_config_t) -> Result<Self> {
        // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
        let config = unsafe { handle::borrow_optional(config) };
        let config = config.map_or_else(Config::new, tiledb_config_t::config);
        Ok(Self {
            vfs: Vfs::new(&Context::new(config)?)?,
            last_error: Mutex::default(),
        })
    }

    /// Returns the context of the engine.
    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.vfs.context
    }

    /// Returns the configuration of an argument, or that of the context if the argument is null.
    pub(crate) unsafe fn config_or(&self, config: *const tiledb_config_t) -> Config {
        let default_config = &self.context().config;
        // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
        unsafe { handle::borrow_optional(config) }.map_or_else(
            || default_config.clone(),
            |config| {
                let mut merged = default_config.clone();
                merged.inherit(&config.config());
                merged
            },
        )
    }

    /// Stores an error for `tiledb_ctx_get_last_error`.
    pub(crate) fn keep_error(&self, error: &Error) {
        *self.last_error.lock() = Some(c_strings::c_string(&error.libtiledb_text()));
    }
}
/// Name of the type in C programs.
pub type tiledb_ctx_t = tiledb_ctx_handle_t;

/// A value of the C enum `tiledb_data_protocol_t`.
const PROTOCOL_V2: tiledb_data_protocol_t = 0;
/// A value of the C enum `tiledb_data_protocol_t`.
const PROTOCOL_V3: tiledb_data_protocol_t = 1;

/// Returns the URI scheme for a value of the C enum `tiledb_filesystem_t`; `None` for HDFS, which
/// is no longer supported, and for unknown values.
fn scheme_of(filesystem: tiledb_filesystem_t) -> Option<Scheme> {
    match filesystem {
        1 => Some(Scheme::S3),
        2 => Some(Scheme::Azure),
        3 => Some(Scheme::Gcs),
        4 => Some(Scheme::Memory),
        5 => Some(Scheme::TileDb),
        _ => None,
    }
}

/// Creates a context.
///
/// @param config The configuration, which is copied; null for the defaults.
/// @param ctx Set to the new context; free it with `tiledb_ctx_free`.
/// @return `TILEDB_OK` or `TILEDB_ERR`. Use `tiledb_ctx_alloc_with_error` to get the reason.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_alloc(
    config: *mut tiledb_config_t,
    ctx: *mut *mut tiledb_ctx_t,
) -> capi_return_t {
    entry::code_only(|| handle::make(ctx, "ctx", tiledb_ctx_t::new(config)?))
}

/// Creates a context, and returns an error object on failure.
///
/// @param config The configuration, which is copied; null for the defaults.
/// @param ctx Set to the new context; free it with `tiledb_ctx_free`.
/// @param error Set to the error, or to null on success. Free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; otherwise `TILEDB_ERR`.
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

/// Cancels the operations that other threads are running with a context; they fail with an error.
/// Operations started later are not affected.
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

/// Frees a context. Arrays, queries and other objects that were created with it remain usable.
///
/// @param ctx Pointer to the handle, which is set to null. Null and a pointer to null are ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_free(ctx: *mut *mut tiledb_ctx_t) {
    handle::release(ctx)
}

/// Gets a copy of the configuration of a context.
///
/// @param ctx The context; stores the error if the call fails.
/// @param config Set to a copy of the configuration; free it with `tiledb_config_free`. Changing it
///   does not change the context.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_get_config(
    ctx: *mut tiledb_ctx_t,
    config: *mut *mut tiledb_config_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let copy = ctx.context().config.thawed();
        handle::make(config, "config", tiledb_config_t::new(copy))
    })
}

/// Gets the data protocol of a URI.
///
/// @param ctx The context; stores the error if the call fails.
/// @param uri The URI.
/// @param data_protocol Set to the protocol: `TILEDB_DATA_PROTOCOL_V3` for `tiledb://` URIs, unless
///   the server of the configuration is a legacy one; otherwise `TILEDB_DATA_PROTOCOL_V2`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_get_data_protocol(
    ctx: *mut tiledb_ctx_t,
    uri: *const c_char,
    data_protocol: *mut tiledb_data_protocol_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let invalid = |_| Error::usage("C API", "Cannot get data protocol; Invalid URI");
        let uri = arg::text(uri, "uri")
            .and_then(Uri::parse)
            .map_err(invalid)?;
        let data_protocol = arg::out(data_protocol, "data_protocol")?;
        let is_v3 =
            uri.scheme() == Scheme::TileDb && !rest::location::is_legacy_server(ctx.context())?;
        data_protocol.set(if is_v3 { PROTOCOL_V3 } else { PROTOCOL_V2 });
        Ok(())
    })
}

/// Gets the error of the last call that failed with a context in any thread. Calls that succeed do
/// not clear it.
///
/// @param ctx The context.
/// @param err Set to a new error object, or to null if no call has failed; free it with
///   `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Gets the statistics of a context as a JSON object with timers in seconds and counters.
/// Statistics are recorded by default; `tiledb_stats_disable` stops it.
///
/// @param ctx The context; stores the error if the call fails.
/// @param stats_json Set to the text, which is empty if nothing was recorded; free it with
///   `tiledb_stats_free_str`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_get_stats(
    ctx: *mut tiledb_ctx_t,
    stats_json: *mut *mut c_char,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let stats_json = arg::out(stats_json, "stats_json")?;
        stats_json.set(c_strings::allocate(&ctx.context().stats.dump())?);
        Ok(())
    })
}

/// Checks whether a storage backend is supported. Local files always are.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fs The backend.
/// @param is_supported Set to 1 if it is supported, otherwise 0; 0 for an unknown backend.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_is_supported_fs(
    ctx: *mut tiledb_ctx_t,
    fs: tiledb_filesystem_t,
    is_supported: *mut i32,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let supported = scheme_of(fs).is_some_and(Vfs::supports);
        arg::out(is_supported, "is_supported")?.set(i32::from(supported));
        Ok(())
    })
}

/// Sets a tag, which is sent with requests to a server. An existing tag with the same key is
/// replaced.
///
/// @param ctx The context; stores the error if the call fails.
/// @param key The key.
/// @param value The value.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
