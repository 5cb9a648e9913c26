//! Configurations: setting and getting parameters, configuration files, and iteration.

use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::platform::lock::Mutex;

use crate::prelude::*;

/// A set of configuration parameters. Several threads may use it at once.
pub struct tiledb_config_handle_t {
    config: Mutex<Config>,
    /// Values that getters returned; the configuration owns them.
    returned: c_strings::ReturnedByName,
}
/// Name of the type in C programs.
pub type tiledb_config_t = tiledb_config_handle_t;

impl tiledb_config_handle_t {
    /// Creates a handle for a configuration.
    pub(crate) fn new(config: Config) -> Self {
        Self {
            config: Mutex::new(config),
            returned: c_strings::ReturnedByName::default(),
        }
    }

    /// Returns a copy of the configuration.
    pub(crate) fn config(&self) -> Config {
        self.config.lock().clone()
    }

    /// Returns a pointer to the value of a parameter, or null if the parameter is neither known nor
    /// set.
    fn value(&self, param: &str) -> Result<*const c_char> {
        let found = self.config().get_checked(param)?;
        Ok(found.map_or(std::ptr::null(), |text| self.returned.text(param, &text)))
    }

    /// Resets a parameter, and frees the string that getters returned if the parameter no longer
    /// exists.
    fn unset(&self, param: &str) {
        let mut config = self.config.lock();
        config.unset(param);
        if config.get(param).is_none() {
            self.returned.forget(param);
        }
    }
}

/// An iterator over the parameters of a configuration at the time when the iterator was created.
pub struct tiledb_config_iter_handle_t {
    walk: Mutex<Walk>,
}
/// Name of the type in C programs.
pub type tiledb_config_iter_t = tiledb_config_iter_handle_t;

/// The parameters with their values, and the position of the iterator.
struct Walk {
    rows: Vec<(CString, CString)>,
    next: usize,
}

impl Walk {
    fn new(config: &tiledb_config_t, prefix: &str) -> Result<Self> {
        let config = config.config();
        config.check_profile()?;
        let rows = config.with_prefix(prefix).into_iter();
        Ok(Self {
            rows: rows
                .map(|(name, value)| (c_strings::c_string(&name), c_strings::c_string(&value)))
                .collect(),
            next: 0,
        })
    }
}

/// Creates a configuration with the default value for every parameter.
///
/// @param config Set to the new configuration. Free it with `tiledb_config_free`.
/// @param error Set to the error, or to null on success. Free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_alloc(
    config: *mut *mut tiledb_config_t,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || {
        handle::make(config, "config", tiledb_config_t::new(Config::new()))
    })
}

/// Compares the names and values of two configurations, including unknown names. Environment
/// variables are not considered.
///
/// @param lhs The first configuration.
/// @param rhs The second configuration.
/// @param equal Set to 1 if they are equal, otherwise 0.
/// @return `TILEDB_OK` or `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_compare(
    lhs: *mut tiledb_config_t,
    rhs: *mut tiledb_config_t,
    equal: *mut u8,
) -> capi_return_t {
    entry::code_only(|| {
        let (lhs, rhs) = (handle::borrow(lhs)?, handle::borrow(rhs)?);
        arg::out(equal, "equal")?.set(u8::from(lhs.config() == rhs.config()));
        Ok(())
    })
}

/// Frees a configuration. Objects that were created with it have a copy.
///
/// @param config Pointer to the handle, which is set to null. Null and a pointer to null are
///   ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_free(config: *mut *mut tiledb_config_t) {
    handle::release(config)
}

/// Gets the value of a parameter: the value that was set, from the environment, from a loaded file,
/// or the default.
///
/// @param config The configuration.
/// @param param The name of the parameter.
/// @param value Set to the value, or to null for a parameter that is neither known nor set. It is
///   valid until the parameter changes or the configuration is freed.
/// @param error Set to the error, or to null on success. Free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_get(
    config: *mut tiledb_config_t,
    param: *const c_char,
    value: *mut *const c_char,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || {
        let config = handle::borrow(config)?;
        let param = arg::text(param, "param")?;
        arg::out(value, "value")?.set(config.value(param)?);
        Ok(())
    })
}

/// Creates an iterator over the parameters, sorted by name.
/// @param config The configuration. Later changes to it have no effect on the iterator.
/// @param prefix Selects the parameters whose names begin with it; their names are returned without
///   it. Null and the empty string select all parameters.
/// @param config_iter Set to the iterator; free it with `tiledb_config_iter_free`.
/// @param error Set to the error, or to null on success. Free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_iter_alloc(
    config: *mut tiledb_config_t,
    prefix: *const c_char,
    config_iter: *mut *mut tiledb_config_iter_t,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || {
        let config = handle::borrow(config)?;
        let prefix = arg::optional_text(prefix, "prefix")?.unwrap_or_default();
        let walk = Mutex::new(Walk::new(config, prefix)?);
        handle::make(config_iter, "config_iter", tiledb_config_iter_t { walk })
    })
}

/// Checks whether an iterator is at the end.
///
/// @param config_iter The iterator.
/// @param done Set to 1 if it is at its end, otherwise 0.
/// @param error Set to the error, or to null on success. Free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_iter_done(
    config_iter: *mut tiledb_config_iter_t,
    done: *mut i32,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || {
        let walk = handle::borrow(config_iter)?.walk.lock();
        arg::out(done, "done")?.set(i32::from(walk.next >= walk.rows.len()));
        Ok(())
    })
}

/// Frees an iterator.
///
/// @param config_iter Pointer to the handle, which is set to null. Null and a pointer to null are
///   ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_iter_free(config_iter: *mut *mut tiledb_config_iter_t) {
    handle::release(config_iter)
}

/// Gets the current parameter of an iterator.
///
/// @param config_iter The iterator.
/// @param param Set to the name without the prefix, or to null at the end. It is valid until the
///   iterator is reset or freed.
/// @param value Set to the value, or to null at the end. It is valid until the iterator is reset or
///   freed.
/// @param error Set to the error, or to null on success. Free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_iter_here(
    config_iter: *mut tiledb_config_iter_t,
    param: *mut *const c_char,
    value: *mut *const c_char,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || {
        let walk = handle::borrow(config_iter)?.walk.lock();
        let (param, value) = (arg::out(param, "param")?, arg::out(value, "value")?);
        let row = walk.rows.get(walk.next);
        param.set(row.map_or(std::ptr::null(), |row| row.0.as_ptr()));
        value.set(row.map_or(std::ptr::null(), |row| row.1.as_ptr()));
        Ok(())
    })
}

/// Advances an iterator to the next parameter. Does nothing at the end.
///
/// @param config_iter The iterator.
/// @param error Set to the error, or to null on success. Free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_iter_next(
    config_iter: *mut tiledb_config_iter_t,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || {
        let mut walk = handle::borrow(config_iter)?.walk.lock();
        walk.next = walk.rows.len().min(walk.next + 1);
        Ok(())
    })
}

/// Restarts an iterator, optionally with another configuration or prefix.
///
/// @param config The configuration. Later changes to it have no effect on the iterator.
/// @param config_iter The iterator. Strings that it returned before become invalid.
/// @param prefix Selects parameters as in `tiledb_config_iter_alloc`.
/// @param error Set to the error, or to null on success. Free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_iter_reset(
    config: *mut tiledb_config_t,
    config_iter: *mut tiledb_config_iter_t,
    prefix: *const c_char,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || {
        let config = handle::borrow(config)?;
        let config_iter = handle::borrow(config_iter)?;
        let prefix = arg::optional_text(prefix, "prefix")?.unwrap_or_default();
        *config_iter.walk.lock() = Walk::new(config, prefix)?;
        Ok(())
    })
}

/// Loads parameters from a text file with a name and a value on each line. `#` starts a comment.
/// The values are not checked. Environment variables take precedence over them.
///
/// @param config The configuration.
/// @param filename The path of the file.
/// @param error Set to the error, or to null on success; free it with `tiledb_error_free`. The
///   message contains the line number, starting at 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_load_from_file(
    config: *mut tiledb_config_t,
    filename: *const c_char,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || {
        let config = handle::borrow(config)?;
        let missing = "Cannot load from file; null filename";
        let filename = arg::text_or(filename, "filename", missing)?;
        config.config.lock().load(filename)
    })
}

/// Writes the parameters to a text file, sorted by name. Empty values, and the user names, keys,
/// tokens and passwords of storage services and servers are omitted. The encryption key
/// `sm.encryption_key` is written.
///
/// @param config The configuration.
/// @param filename The path of the file. An existing file is replaced.
/// @param error Set to the error, or to null on success. Free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_save_to_file(
    config: *mut tiledb_config_t,
    filename: *const c_char,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || {
        let config = handle::borrow(config)?;
        let missing = "Cannot save to file; null filename";
        let filename = arg::text_or(filename, "filename", missing)?;
        config.config().save(filename)
    })
}

/// Sets a parameter. Unknown names are stored too. Numbers must be decimal, with an optional
/// leading `+`, and in range. Booleans must be `true` or `false` in any letter case. Some
/// parameters are checked only when they are used.
///
/// @param config The configuration.
/// @param param The name of the parameter.
/// @param value The value.
/// @param error Set to the error, or to null on success. Free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_set(
    config: *mut tiledb_config_t,
    param: *const c_char,
    value: *const c_char,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || {
        let config = handle::borrow(config)?;
        let param = arg::text(param, "param")?;
        let value = arg::text(value, "value")?;
        config.config.lock().set(param, value)
    })
}

/// Resets a known parameter to its default value, and removes an unknown one.
///
/// @param config The configuration.
/// @param param The name of the parameter.
/// @param error Set to the error, or to null on success. Free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_unset(
    config: *mut tiledb_config_t,
    param: *const c_char,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || {
        let config = handle::borrow(config)?;
        config.unset(arg::text(param, "param")?);
        Ok(())
    })
}
