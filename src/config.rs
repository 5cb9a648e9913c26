//! DOC family

use parking_lot::RwLock;
use tiledb_engine::config::Config;

use crate::prelude::*;

/// DOC handle
pub struct tiledb_config_iter_handle_t {
    _later: (),
}
/// The name C programs use.
pub type tiledb_config_iter_t = tiledb_config_iter_handle_t;

/// A set of configuration parameters.
pub struct tiledb_config_handle_t {
    config: RwLock<Config>,
    /// Texts that the configuration lends.
    kept: kept::Kept,
}

impl tiledb_config_handle_t {
    /// A handle of its own for these parameters.
    pub(crate) fn new(config: Config) -> Self {
        Self {
            config: RwLock::new(config),
            kept: kept::Kept::default(),
        }
    }

    /// The parameters as they are now.
    pub(crate) fn config(&self) -> Config {
        self.config.read().clone()
    }
}

/// The name C programs use.
pub type tiledb_config_t = tiledb_config_handle_t;

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_alloc(
    config: *mut *mut tiledb_config_t,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (config, error);
        entry::not_implemented_with_error(error, "tiledb_config_alloc")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_compare(
    lhs: *mut tiledb_config_t,
    rhs: *mut tiledb_config_t,
    equal: *mut u8,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (lhs, rhs, equal);
        entry::not_implemented_plain("tiledb_config_compare")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_free(config: *mut *mut tiledb_config_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (config,);
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_get(
    config: *mut tiledb_config_t,
    param: *const c_char,
    value: *mut *const c_char,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (config, param, value, error);
        entry::not_implemented_with_error(error, "tiledb_config_get")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_iter_alloc(
    config: *mut tiledb_config_t,
    prefix: *const c_char,
    config_iter: *mut *mut tiledb_config_iter_t,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (config, prefix, config_iter, error);
        entry::not_implemented_with_error(error, "tiledb_config_iter_alloc")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_iter_done(
    config_iter: *mut tiledb_config_iter_t,
    done: *mut i32,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (config_iter, done, error);
        entry::not_implemented_with_error(error, "tiledb_config_iter_done")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_iter_free(config_iter: *mut *mut tiledb_config_iter_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (config_iter,);
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_iter_here(
    config_iter: *mut tiledb_config_iter_t,
    param: *mut *const c_char,
    value: *mut *const c_char,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (config_iter, param, value, error);
        entry::not_implemented_with_error(error, "tiledb_config_iter_here")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_iter_next(
    config_iter: *mut tiledb_config_iter_t,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (config_iter, error);
        entry::not_implemented_with_error(error, "tiledb_config_iter_next")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_iter_reset(
    config: *mut tiledb_config_t,
    config_iter: *mut tiledb_config_iter_t,
    prefix: *const c_char,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (config, config_iter, prefix, error);
        entry::not_implemented_with_error(error, "tiledb_config_iter_reset")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_load_from_file(
    config: *mut tiledb_config_t,
    filename: *const c_char,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (config, filename, error);
        entry::not_implemented_with_error(error, "tiledb_config_load_from_file")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_save_to_file(
    config: *mut tiledb_config_t,
    filename: *const c_char,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (config, filename, error);
        entry::not_implemented_with_error(error, "tiledb_config_save_to_file")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_set(
    config: *mut tiledb_config_t,
    param: *const c_char,
    value: *const c_char,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (config, param, value, error);
        entry::not_implemented_with_error(error, "tiledb_config_set")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_unset(
    config: *mut tiledb_config_t,
    param: *const c_char,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (config, param, error);
        entry::not_implemented_with_error(error, "tiledb_config_unset")
    }
}
