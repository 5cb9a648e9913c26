//! Profiles: named sets of parameters that are stored in a file.

use tiledb_engine::internal::config::Profile;
use tiledb_engine::internal::platform::lock::Mutex;

use crate::prelude::*;

/// A named set of parameters, in memory until it is saved. Several threads may use it at once.
pub struct tiledb_profile_handle_t {
    profile: Mutex<Profile>,
}
/// Name of the type in C programs.
pub type tiledb_profile_t = tiledb_profile_handle_t;

/// Creates a profile without parameters. Nothing is read or written.
///
/// Experimental: this function may change in any release.
///
/// @param name The name, or null for "default".
/// @param dir The folder of the profiles file; null for the value of the environment variable
///   `TILEDB_PROFILE_DIR`, or `.tiledb` in the home folder if the variable is not set.
/// @param profile Set to the profile; free it with `tiledb_profile_free`.
/// @param error Set to the error, or to null on success; free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_alloc(
    name: *const c_char,
    dir: *const c_char,
    profile: *mut *mut tiledb_profile_t,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || {
        let name = arg::optional_text(name, "name")?;
        let new_profile = Profile::new(name, arg::optional_text(dir, "dir")?)?;
        let new_handle = tiledb_profile_t {
            profile: Mutex::new(new_profile),
        };
        handle::make(profile, "profile", new_handle)
    })
}

/// Gets a description of a profile as text. It contains secret values.
///
/// Experimental: this function may change in any release.
///
/// @param profile The profile.
/// @param out Set to the text; free it with `tiledb_string_free`.
/// @param error Set to the error, or to null on success; free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; otherwise `TILEDB_ERR`.
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

/// Frees a profile. The file is not removed.
///
/// Experimental: this function may change in any release.
///
/// @param profile Pointer to the handle, which is set to null. Null and a pointer to null are
///   ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_free(profile: *mut *mut tiledb_profile_t) {
    handle::release(profile);
}

/// Gets the folder of the file of a profile.
///
/// Experimental: this function may change in any release.
///
/// @param profile The profile.
/// @param dir Set to the path; free it with `tiledb_string_free`.
/// @param error Set to the error, or to null on success; free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; otherwise `TILEDB_ERR`.
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

/// Gets the name of a profile.
///
/// Experimental: this function may change in any release.
///
/// @param profile The profile.
/// @param name Set to the name; free it with `tiledb_string_free`.
/// @param error Set to the error, or to null on success; free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; otherwise `TILEDB_ERR`.
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

/// Gets the value of a parameter of a profile.
///
/// The value is null if the profile does not have the parameter; that is not an error.
///
/// Experimental: this function may change in any release.
///
/// @param profile The profile.
/// @param param The name of the parameter.
/// @param value Set to the value; free it with `tiledb_string_free`.
/// @param error Set to the error, or to null on success; free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; otherwise `TILEDB_ERR`.
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
/// It is an error if the file does not contain a profile with this name.
///
/// Experimental: this function may change in any release.
///
/// @param profile The profile.
/// @param error Set to the error, or to null on success; free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_load(
    profile: *mut tiledb_profile_t,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    entry::with_error(error, || handle::borrow(profile)?.profile.lock().load())
}

/// Removes a profile from its file.
///
/// It is an error if the file does not contain a profile with this name.
///
/// Experimental: this function may change in any release.
///
/// @param name The name, or null for "default".
/// @param dir The folder of the file; null for `.tiledb` in the home folder. `TILEDB_PROFILE_DIR`
///   is not used.
/// @param error Set to the error, or to null on success; free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; otherwise `TILEDB_ERR`.
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

/// Writes the parameters of a profile to its file, which may contain other profiles.
///
/// Experimental: this function may change in any release.
///
/// @param profile The profile.
/// @param overwrite 1 to replace an existing profile with this name; 0 if an existing one is an
///   error.
/// @param error Set to the error, or to null on success; free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; otherwise `TILEDB_ERR`.
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
/// Experimental: this function may change in any release.
///
/// @param profile The profile.
/// @param param The name of the parameter.
/// @param value The value as text; null means an empty string.
/// @param error Set to the error, or to null on success; free it with `tiledb_error_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_ERROR` if `error` is null; otherwise `TILEDB_ERR`.
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
