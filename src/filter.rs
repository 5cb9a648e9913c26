//! DOC family

use crate::prelude::*;

/// DOC handle
pub struct tiledb_filter_handle_t {
    _later: (),
}
/// The name C programs use.
pub type tiledb_filter_t = tiledb_filter_handle_t;

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_alloc(
    ctx: *mut tiledb_ctx_t,
    type_: tiledb_filter_type_t,
    filter: *mut *mut tiledb_filter_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, type_, filter);
        entry::not_implemented(ctx, "tiledb_filter_alloc")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_free(filter: *mut *mut tiledb_filter_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (filter,);
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_get_option(
    ctx: *mut tiledb_ctx_t,
    filter: *mut tiledb_filter_t,
    option: tiledb_filter_option_t,
    value: *mut c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, filter, option, value);
        entry::not_implemented(ctx, "tiledb_filter_get_option")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_get_type(
    ctx: *mut tiledb_ctx_t,
    filter: *mut tiledb_filter_t,
    type_: *mut tiledb_filter_type_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, filter, type_);
        entry::not_implemented(ctx, "tiledb_filter_get_type")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_option_from_str(
    str: *const c_char,
    filter_option: *mut tiledb_filter_option_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (str, filter_option);
        entry::not_implemented_plain("tiledb_filter_option_from_str")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_option_to_str(
    filter_option: tiledb_filter_option_t,
    str: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (filter_option, str);
        entry::not_implemented_plain("tiledb_filter_option_to_str")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_set_option(
    ctx: *mut tiledb_ctx_t,
    filter: *mut tiledb_filter_t,
    option: tiledb_filter_option_t,
    value: *const c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, filter, option, value);
        entry::not_implemented(ctx, "tiledb_filter_set_option")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_type_from_str(
    str: *const c_char,
    filter_type: *mut tiledb_filter_type_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (str, filter_type);
        entry::not_implemented_plain("tiledb_filter_type_from_str")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_type_to_str(
    filter_type: tiledb_filter_type_t,
    str: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (filter_type, str);
        entry::not_implemented_plain("tiledb_filter_type_to_str")
    }
}
