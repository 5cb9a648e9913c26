//! DOC family

use crate::prelude::*;

/// DOC handle
pub struct tiledb_profile_handle_t {
    _later: (),
}
/// The name C programs use.
pub type tiledb_profile_t = tiledb_profile_handle_t;

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_alloc(
    name: *const c_char,
    dir: *const c_char,
    profile: *mut *mut tiledb_profile_t,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (name, dir, profile, error);
        entry::not_implemented_with_error(error, "tiledb_profile_alloc")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_dump_str(
    profile: *mut tiledb_profile_t,
    out: *mut *mut tiledb_string_t,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (profile, out, error);
        entry::not_implemented_with_error(error, "tiledb_profile_dump_str")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_free(profile: *mut *mut tiledb_profile_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (profile,);
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_get_dir(
    profile: *mut tiledb_profile_t,
    dir: *mut *mut tiledb_string_t,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (profile, dir, error);
        entry::not_implemented_with_error(error, "tiledb_profile_get_dir")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_get_name(
    profile: *mut tiledb_profile_t,
    name: *mut *mut tiledb_string_t,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (profile, name, error);
        entry::not_implemented_with_error(error, "tiledb_profile_get_name")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_get_param(
    profile: *mut tiledb_profile_t,
    param: *const c_char,
    value: *mut *mut tiledb_string_t,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (profile, param, value, error);
        entry::not_implemented_with_error(error, "tiledb_profile_get_param")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_load(
    profile: *mut tiledb_profile_t,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (profile, error);
        entry::not_implemented_with_error(error, "tiledb_profile_load")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_remove(
    name: *const c_char,
    dir: *const c_char,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (name, dir, error);
        entry::not_implemented_with_error(error, "tiledb_profile_remove")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_save(
    profile: *mut tiledb_profile_t,
    overwrite: u8,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (profile, overwrite, error);
        entry::not_implemented_with_error(error, "tiledb_profile_save")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_set_param(
    profile: *mut tiledb_profile_t,
    param: *const c_char,
    value: *const c_char,
    error: *mut *mut tiledb_error_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (profile, param, value, error);
        entry::not_implemented_with_error(error, "tiledb_profile_set_param")
    }
}
