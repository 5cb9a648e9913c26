//! DOC family

use crate::prelude::*;

/// DOC handle
pub struct tiledb_current_domain_handle_t {
    _later: (),
}
/// The name C programs use.
pub type tiledb_current_domain_t = tiledb_current_domain_handle_t;

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_create(
    ctx: *mut tiledb_ctx_t,
    current_domain: *mut *mut tiledb_current_domain_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, current_domain);
        entry::not_implemented(ctx, "tiledb_current_domain_create")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_dump_str(
    ctx: *mut tiledb_ctx_t,
    current_domain: *mut tiledb_current_domain_t,
    out: *mut *mut tiledb_string_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, current_domain, out);
        entry::not_implemented(ctx, "tiledb_current_domain_dump_str")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_free(
    current_domain: *mut *mut tiledb_current_domain_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (current_domain,);
        entry::not_implemented_plain("tiledb_current_domain_free")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_get_is_empty(
    ctx: *mut tiledb_ctx_t,
    current_domain: *mut tiledb_current_domain_t,
    is_empty: *mut u32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, current_domain, is_empty);
        entry::not_implemented(ctx, "tiledb_current_domain_get_is_empty")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_get_ndrectangle(
    ctx: *mut tiledb_ctx_t,
    current_domain: *mut tiledb_current_domain_t,
    ndr: *mut *mut tiledb_ndrectangle_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, current_domain, ndr);
        entry::not_implemented(ctx, "tiledb_current_domain_get_ndrectangle")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_get_type(
    ctx: *mut tiledb_ctx_t,
    current_domain: *mut tiledb_current_domain_t,
    type_: *mut tiledb_current_domain_type_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, current_domain, type_);
        entry::not_implemented(ctx, "tiledb_current_domain_get_type")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_set_ndrectangle(
    ctx: *mut tiledb_ctx_t,
    current_domain: *mut tiledb_current_domain_t,
    ndr: *mut tiledb_ndrectangle_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, current_domain, ndr);
        entry::not_implemented(ctx, "tiledb_current_domain_set_ndrectangle")
    }
}
