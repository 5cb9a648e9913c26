//! DOC family

use crate::prelude::*;

/// DOC handle
pub struct tiledb_ndrectangle_handle_t {
    _later: (),
}
/// The name C programs use.
pub type tiledb_ndrectangle_t = tiledb_ndrectangle_handle_t;

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_alloc(
    ctx: *mut tiledb_ctx_t,
    domain: *mut tiledb_domain_t,
    ndr: *mut *mut tiledb_ndrectangle_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, domain, ndr);
        entry::not_implemented(ctx, "tiledb_ndrectangle_alloc")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_dump_str(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    out: *mut *mut tiledb_string_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, ndr, out);
        entry::not_implemented(ctx, "tiledb_ndrectangle_dump_str")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_free(
    ndr: *mut *mut tiledb_ndrectangle_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ndr,);
        entry::not_implemented_plain("tiledb_ndrectangle_free")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_get_dim_num(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    ndim: *mut u32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, ndr, ndim);
        entry::not_implemented(ctx, "tiledb_ndrectangle_get_dim_num")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_get_dtype(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    idx: u32,
    type_: *mut tiledb_datatype_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, ndr, idx, type_);
        entry::not_implemented(ctx, "tiledb_ndrectangle_get_dtype")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_get_dtype_from_name(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    name: *const c_char,
    type_: *mut tiledb_datatype_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, ndr, name, type_);
        entry::not_implemented(ctx, "tiledb_ndrectangle_get_dtype_from_name")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_get_range(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    idx: u32,
    range: *mut tiledb_range_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, ndr, idx, range);
        entry::not_implemented(ctx, "tiledb_ndrectangle_get_range")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_get_range_from_name(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    name: *const c_char,
    range: *mut tiledb_range_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, ndr, name, range);
        entry::not_implemented(ctx, "tiledb_ndrectangle_get_range_from_name")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_set_range(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    idx: u32,
    range: *mut tiledb_range_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, ndr, idx, range);
        entry::not_implemented(ctx, "tiledb_ndrectangle_set_range")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_set_range_for_name(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    name: *const c_char,
    range: *mut tiledb_range_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, ndr, name, range);
        entry::not_implemented(ctx, "tiledb_ndrectangle_set_range_for_name")
    }
}
