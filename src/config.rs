//! Configurations: parameters by name, in files, and one after the other.

use tiledb_engine::config::Config;
use tiledb_engine::platform::lock::Mutex;

use crate::prelude::*;

/// A set of configuration parameters. It may be used from several threads.
pub struct tiledb_config_handle_t {
    config: Mutex<Config>,
    /// Values that the configuration lends.
    kept: kept::KeptByName,
}
/// The name C programs use.
pub type tiledb_config_t = tiledb_config_handle_t;

impl tiledb_config_handle_t {
    /// A handle for a configuration.
    pub(crate) fn new(config: Config) -> Self {
        Self {
            config: Mutex::new(config),
            kept: kept::KeptByName::default(),
        }
    }

    /// The configuration as it is now.
    pub(crate) fn config(&self) -> Config {
        self.config.lock().clone()
    }

    /// A value as C reads it; null for a parameter that is neither known nor set.
    fn value(&self, param: &str) -> Result<*const c_char> {
        let found = self.config().get_checked(param)?;
        Ok(found.map_or(std::ptr::null(), |text| self.kept.text(param, &text)))
    }

    /// Takes a value back, and what was lent of it where the parameter is gone.
    fn unset(&self, param: &str) {
        let mut config = self.config.lock();
        config.unset(param);
        if config.get(param).is_none() {
            self.kept.forget(param);
        }
    }
}

/// A walk over the parameters of a configuration as they were when it began.
pub struct tiledb_config_iter_handle_t {
    walk: Mutex<Walk>,
}
/// The name C programs use.
pub type tiledb_config_iter_t = tiledb_config_iter_handle_t;

/// Parameters with their values, and how many of them are behind us.
struct Walk {
    rows: Vec<(CString, CString)>,
    at: usize,
}

impl Walk {
    fn new(config: &tiledb_config_t, prefix: &str) -> Result<Self> {
        let config = config.config();
        config.check_profile()?;
        let rows = config.with_prefix(prefix).into_iter();
        Ok(Self {
            rows: rows
                .map(|(name, value)| (kept::c_string(&name), kept::c_string(&value)))
                .collect(),
            at: 0,
        })
    }
}

/// Makes a configuration with the default value for every parameter.
///
/// @param config Where the new configuration goes. Free it with `tiledb_config_free`.
/// @param error Where an error goes; null on success. Free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_alloc(
    config: *mut *mut tiledb_config_t,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || {
        handle::make(config, "config", tiledb_config_t::new(Config::new()))
    })
}

/// Compares the names and values of two configurations, unknown names included. The environment does not count.
///
/// @param lhs One configuration.
/// @param rhs The other.
/// @param equal Becomes 1 if they are equal, else 0.
/// @return `TILEDB_OK` or `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_compare(
    lhs: *mut tiledb_config_t,
    rhs: *mut tiledb_config_t,
    equal: *mut u8,
) -> capi_return_t {
    entry::plain(|| {
        let (lhs, rhs) = (handle::borrow(lhs)?, handle::borrow(rhs)?);
        arg::out(equal, "equal")?.set(u8::from(lhs.config() == rhs.config()));
        Ok(())
    })
}

/// Frees a configuration. What was made with it keeps working.
///
/// @param config The configuration; null afterwards. Null is fine at both levels.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_free(config: *mut *mut tiledb_config_t) {
    handle::release(config)
}

/// Gets the value of a parameter: as it was set, from the environment, from a loaded file, or the default.
///
/// @param config The configuration.
/// @param param The name of the parameter.
/// @param value Becomes the value, or null for a parameter that is neither known nor set. It belongs to the
///     configuration and lasts until the parameter changes or the configuration is freed.
/// @param error Where an error goes; null on success. Free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
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

/// Begins a walk over the parameters, sorted by name.
///
/// @param config The configuration. Later changes to it are not seen.
/// @param prefix Only parameters whose names begin with it; the names are given without it. Null or empty for all.
/// @param config_iter Where the walk goes. Free it with `tiledb_config_iter_free`.
/// @param error Where an error goes; null on success. Free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
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

/// Tells whether a walk has no parameter left.
///
/// @param config_iter The walk.
/// @param done Becomes 1 if it is at its end, else 0.
/// @param error Where an error goes; null on success. Free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_iter_done(
    config_iter: *mut tiledb_config_iter_t,
    done: *mut i32,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || {
        let walk = handle::borrow(config_iter)?.walk.lock();
        arg::out(done, "done")?.set(i32::from(walk.at >= walk.rows.len()));
        Ok(())
    })
}

/// Frees a walk.
///
/// @param config_iter The walk; null afterwards. Null is fine at both levels.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_iter_free(config_iter: *mut *mut tiledb_config_iter_t) {
    handle::release(config_iter)
}

/// Gets the parameter that a walk is at.
///
/// @param config_iter The walk.
/// @param param Becomes the name, without the prefix; null at the end. It belongs to the walk and lasts until the walk is
///     reset or freed.
/// @param value Becomes the value; the same holds for it.
/// @param error Where an error goes; null on success. Free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
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
        let row = walk.rows.get(walk.at);
        param.set(row.map_or(std::ptr::null(), |row| row.0.as_ptr()));
        value.set(row.map_or(std::ptr::null(), |row| row.1.as_ptr()));
        Ok(())
    })
}

/// Goes to the next parameter. At the end of a walk it does nothing.
///
/// @param config_iter The walk.
/// @param error Where an error goes; null on success. Free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_iter_next(
    config_iter: *mut tiledb_config_iter_t,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || {
        let mut walk = handle::borrow(config_iter)?.walk.lock();
        walk.at = walk.rows.len().min(walk.at + 1);
        Ok(())
    })
}

/// Begins a walk anew, over another configuration or with another prefix.
///
/// @param config The configuration. Later changes to it are not seen.
/// @param config_iter The walk. What it lent before is no longer valid.
/// @param prefix As for `tiledb_config_iter_alloc`.
/// @param error Where an error goes; null on success. Free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
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

/// Takes the parameters that a text file holds: a name and a value on each line, a comment behind `#`. The values are not
/// checked, and the environment outranks them.
///
/// @param config The configuration.
/// @param filename The path of the file.
/// @param error Where an error goes; null on success. It tells the line, counted from 0. Free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
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

/// Writes the parameters to a text file, sorted by name. Empty values are left out, and names, keys, tokens and passwords
/// for storage services and servers. The key of encrypted arrays, `sm.encryption_key`, is written.
///
/// @param config The configuration.
/// @param filename The path of the file; what is there is replaced.
/// @param error Where an error goes; null on success. Free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
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

/// Sets a parameter. Names that are not known are kept, too. Numbers must be plain decimal (one leading `+` is fine) and
/// in range, booleans `true` or `false` in any letter case; some parameters are only checked when they are used.
///
/// @param config The configuration.
/// @param param The name of the parameter.
/// @param value Its value.
/// @param error Where an error goes; null on success. Free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
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

/// Gives a known parameter its default again, and removes one that is not known.
///
/// @param config The configuration.
/// @param param The name of the parameter.
/// @param error Where an error goes; null on success. Free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
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
