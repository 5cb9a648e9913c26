//! Profile: parameters kept in a file under a name, so that programs need not carry them.

use tiledb_engine::config::Profile;
use tiledb_engine::platform::lock::Mutex;

use crate::prelude::*;

/// A named set of parameters, in memory until it is saved. It may be used from several threads.
pub struct tiledb_profile_handle_t {
    profile: Mutex<Profile>,
}
/// The name C programs use.
pub type tiledb_profile_t = tiledb_profile_handle_t;

/// Makes a profile without parameters. Nothing is read or written.
///
/// Experimental: may change from release to release.
///
/// @param name The name, or null for "default".
/// @param dir The folder of the file; null for that of the environment variable `TILEDB_PROFILE_DIR`, or without that for
///   `.tiledb` in the home folder.
/// @param profile Receives the profile; free it with `tiledb_profile_free`.
/// @param error Receives the error, or null on success; free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_alloc(
    name: *const c_char,
    dir: *const c_char,
    profile: *mut *mut tiledb_profile_t,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || {
        let name = arg::optional_text(name, "name")?;
        let made = Profile::new(name, arg::optional_text(dir, "dir")?)?;
        let made = tiledb_profile_t {
            profile: Mutex::new(made),
        };
        handle::make(profile, "profile", made)
    })
}

/// Gives a text that describes a profile, for people to read. Secrets are in it.
///
/// Experimental: may change from release to release.
///
/// @param profile The profile.
/// @param out Receives the text; free it with `tiledb_string_free`.
/// @param error Receives the error, or null on success; free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_dump_str(
    profile: *mut tiledb_profile_t,
    out: *mut *mut tiledb_string_t,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || {
        let text = handle::borrow(profile)?.profile.lock().dump();
        handle::make(out, "out", tiledb_string_t::new(text))
    })
}

/// Frees a profile; the file stays.
///
/// Accepts null at both levels and leaves null behind.
///
/// Experimental: may change from release to release.
///
/// @param profile Where the profile is; set to null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_free(profile: *mut *mut tiledb_profile_t) {
    handle::release(profile);
}

/// Says in which folder the file of a profile is.
///
/// Experimental: may change from release to release.
///
/// @param profile The profile.
/// @param dir Receives the path; free it with `tiledb_string_free`.
/// @param error Receives the error, or null on success; free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_get_dir(
    profile: *mut tiledb_profile_t,
    dir: *mut *mut tiledb_string_t,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || {
        let text = handle::borrow(profile)?.profile.lock().folder().to_owned();
        handle::make(dir, "dir", tiledb_string_t::new(text))
    })
}

/// Gives the name of a profile.
///
/// Experimental: may change from release to release.
///
/// @param profile The profile.
/// @param name Receives the name; free it with `tiledb_string_free`.
/// @param error Receives the error, or null on success; free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_get_name(
    profile: *mut tiledb_profile_t,
    name: *mut *mut tiledb_string_t,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || {
        let text = handle::borrow(profile)?.profile.lock().name().to_owned();
        handle::make(name, "name", tiledb_string_t::new(text))
    })
}

/// Gives the value of a parameter of a profile.
///
/// Null, and no error, if the profile does not have it.
///
/// Experimental: may change from release to release.
///
/// @param profile The profile.
/// @param param The name of the parameter.
/// @param value Receives the value; free it with `tiledb_string_free`.
/// @param error Receives the error, or null on success; free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_get_param(
    profile: *mut tiledb_profile_t,
    param: *const c_char,
    value: *mut *mut tiledb_string_t,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || {
        let profile = handle::borrow(profile)?.profile.lock();
        let to = arg::out(value, "value")?;
        let missing = "[tiledb_profile_get_param] Parameter cannot be null.";
        let found = profile.get(arg::text_or(param, "param", missing)?);
        to.give_or_null(found.map(tiledb_string_t::new));
        Ok(())
    })
}

/// Reads the parameters of a profile from its file.
///
/// It is an error if the file has no profile of this name.
///
/// Experimental: may change from release to release.
///
/// @param profile The profile.
/// @param error Receives the error, or null on success; free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_load(
    profile: *mut tiledb_profile_t,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || handle::borrow(profile)?.profile.lock().load())
}

/// Removes a profile from its file.
///
/// It is an error if the file has no profile of this name.
///
/// Experimental: may change from release to release.
///
/// @param name The name, or null for "default".
/// @param dir The folder of the file, or null for `.tiledb` in the home folder, whatever the environment says.
/// @param error Receives the error, or null on success; free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_remove(
    name: *const c_char,
    dir: *const c_char,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || {
        let name = arg::optional_text(name, "name")?;
        Profile::remove(name, arg::optional_text(dir, "dir")?)
    })
}

/// Writes the parameters of a profile to its file, beside other profiles.
///
/// Experimental: may change from release to release.
///
/// @param profile The profile.
/// @param overwrite 1 to replace a profile of this name, 0 to make that an error.
/// @param error Receives the error, or null on success; free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_save(
    profile: *mut tiledb_profile_t,
    overwrite: u8,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || {
        handle::borrow(profile)?.profile.lock().save(overwrite != 0)
    })
}

/// Sets a parameter of a profile, in memory.
///
/// Experimental: may change from release to release.
///
/// @param profile The profile.
/// @param param The name of the parameter.
/// @param value The value, as text; null is an empty one.
/// @param error Receives the error, or null on success; free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_set_param(
    profile: *mut tiledb_profile_t,
    param: *const c_char,
    value: *const c_char,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || {
        let profile = handle::borrow(profile)?;
        let missing = "[tiledb_profile_set_param] Parameter cannot be null.";
        let param = arg::text_or(param, "param", missing)?;
        let value = arg::optional_text(value, "value")?.unwrap_or_default();
        profile.profile.lock().set(param, value)
    })
}
