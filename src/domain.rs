//! DOC family

use crate::prelude::*;

/// DOC handle
pub struct tiledb_domain_handle_t {
    _later: (),
}
/// The name C programs use.
pub type tiledb_domain_t = tiledb_domain_handle_t;

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_add_dimension(
    ctx: *mut tiledb_ctx_t,
    domain: *mut tiledb_domain_t,
    dim: *mut tiledb_dimension_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, domain, dim);
        entry::not_implemented(ctx, "tiledb_domain_add_dimension")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_alloc(
    ctx: *mut tiledb_ctx_t,
    domain: *mut *mut tiledb_domain_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, domain);
        entry::not_implemented(ctx, "tiledb_domain_alloc")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_dump_str(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    out: *mut *mut tiledb_string_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, domain, out);
        entry::not_implemented(ctx, "tiledb_domain_dump_str")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_free(domain: *mut *mut tiledb_domain_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (domain,);
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_get_dimension_from_index(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    index: u32,
    dim: *mut *mut tiledb_dimension_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, domain, index, dim);
        entry::not_implemented(ctx, "tiledb_domain_get_dimension_from_index")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_get_dimension_from_name(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    name: *const c_char,
    dim: *mut *mut tiledb_dimension_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, domain, name, dim);
        entry::not_implemented(ctx, "tiledb_domain_get_dimension_from_name")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_get_ndim(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    ndim: *mut u32,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, domain, ndim);
        entry::not_implemented(ctx, "tiledb_domain_get_ndim")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_get_type(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    type_: *mut tiledb_datatype_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, domain, type_);
        entry::not_implemented(ctx, "tiledb_domain_get_type")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_has_dimension(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    name: *const c_char,
    has_dim: *mut i32,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, domain, name, has_dim);
        entry::not_implemented(ctx, "tiledb_domain_has_dimension")
    }
}
