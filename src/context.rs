//! DOC family

use crate::prelude::*;

/// DOC handle
pub struct tiledb_ctx_handle_t {
    /// The storage, and with it the engine's context.
    pub(crate) vfs: std::sync::Arc<tiledb_engine::vfs::Vfs>,
    last_error: parking_lot::Mutex<Option<String>>,
}

impl tiledb_ctx_handle_t {
    /// Keeps an error for `tiledb_ctx_get_last_error`.
    pub(crate) fn keep_error(&self, error: &Error) {
        *self.last_error.lock() = Some(error.to_string());
    }
}
/// The name C programs use.
pub type tiledb_ctx_t = tiledb_ctx_handle_t;

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_alloc(
    config: *mut tiledb_config_t,
    ctx: *mut *mut tiledb_ctx_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (config, ctx);
        entry::not_implemented_plain("tiledb_ctx_alloc")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_alloc_with_error(
    config: *mut tiledb_config_t,
    ctx: *mut *mut tiledb_ctx_t,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (config, ctx, error);
        entry::not_implemented_with_error(error, "tiledb_ctx_alloc_with_error")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_cancel_tasks(ctx: *mut tiledb_ctx_t) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx,);
        entry::not_implemented(ctx, "tiledb_ctx_cancel_tasks")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_free(ctx: *mut *mut tiledb_ctx_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx,);
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_get_config(
    ctx: *mut tiledb_ctx_t,
    config: *mut *mut tiledb_config_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, config);
        entry::not_implemented(ctx, "tiledb_ctx_get_config")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_get_data_protocol(
    ctx: *mut tiledb_ctx_t,
    uri: *const c_char,
    data_protocol: *mut tiledb_data_protocol_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, uri, data_protocol);
        entry::not_implemented(ctx, "tiledb_ctx_get_data_protocol")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_get_last_error(
    ctx: *mut tiledb_ctx_t,
    err: *mut *mut tiledb_error_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, err);
        entry::not_implemented(ctx, "tiledb_ctx_get_last_error")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_get_stats(
    ctx: *mut tiledb_ctx_t,
    stats_json: *mut *mut c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, stats_json);
        entry::not_implemented(ctx, "tiledb_ctx_get_stats")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_is_supported_fs(
    ctx: *mut tiledb_ctx_t,
    fs: tiledb_filesystem_t,
    is_supported: *mut i32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fs, is_supported);
        entry::not_implemented(ctx, "tiledb_ctx_is_supported_fs")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_set_tag(
    ctx: *mut tiledb_ctx_t,
    key: *const c_char,
    value: *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, key, value);
        entry::not_implemented(ctx, "tiledb_ctx_set_tag")
    }
}
