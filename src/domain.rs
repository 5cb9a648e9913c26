//! Domains: the dimensions of an array.

use tiledb_engine::schema::{Dimension, DomainDraft, Shared, shared};

use crate::prelude::*;

/// The dimensions of an array; changes are seen by the schema it was set on.
pub struct tiledb_domain_handle_t {
    pub(crate) domain: Shared<DomainDraft>,
}

impl tiledb_domain_handle_t {
    /// A handle of its own for a domain.
    pub(crate) fn new(domain: Shared<DomainDraft>) -> Self {
        Self { domain }
    }
}

/// Hands out a dimension, or null where there is none.
unsafe fn hand_out(
    found: Option<Shared<Dimension>>,
    dim: *mut *mut tiledb_dimension_t,
) -> Result<()> {
    // SAFETY: the contract of this layer.
    unsafe {
        match found {
            Some(found) => handle::make(dim, "dim", tiledb_dimension_t::new(found)),
            None => {
                arg::out(dim, "dim")?.set(std::ptr::null_mut());
                Ok(())
            }
        }
    }
}
/// The name C programs use.
pub type tiledb_domain_t = tiledb_domain_handle_t;

/// Appends a dimension, which may be freed afterwards.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param domain The domain.
/// @param dim The dimension.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_add_dimension(
    ctx: *mut tiledb_ctx_t,
    domain: *mut tiledb_domain_t,
    dim: *mut tiledb_dimension_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let domain = handle::borrow(domain)?;
            if dim.is_null() {
                return Err(Error::usage(
                    "C API",
                    "May not add a missing dimension; argument is NULL",
                ));
            }
            let dimension = handle::borrow(dim)?.dimension.clone();
            domain.domain.write().dimensions.push(dimension);
            Ok(())
        })
    }
}

/// Makes a domain without dimensions. Free it with `tiledb_domain_free`.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param domain Receives the domain, which the caller owns.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_alloc(
    ctx: *mut tiledb_ctx_t,
    domain: *mut *mut tiledb_domain_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            handle::make(
                domain,
                "domain",
                tiledb_domain_handle_t::new(shared(DomainDraft::default())),
            )
        })
    }
}

/// Describes a domain as text.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param domain The domain.
/// @param out Receives the text, which the caller owns.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_dump_str(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    out: *mut *mut tiledb_string_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let text = handle::borrow(domain)?.domain.read().finish().to_string();
            handle::make(out, "out", tiledb_string_t::new(text))
        })
    }
}

/// Frees a domain and sets the pointer to null. Null is fine at both levels; schemas keep what was
/// set.
///
/// @param domain The domain to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_free(domain: *mut *mut tiledb_domain_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        handle::release(domain);
    }
}

/// Makes a handle of a dimension.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param domain The domain.
/// @param index The index, from 0.
/// @param dim Receives the dimension, which the caller owns; null for index 0 of an empty domain.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_get_dimension_from_index(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    index: u32,
    dim: *mut *mut tiledb_dimension_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let found = handle::borrow(domain)?.domain.read().dimension_at(index)?;
            hand_out(found, dim)
        })
    }
}

/// Makes a handle of a dimension.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param domain The domain.
/// @param name The name.
/// @param dim Receives the dimension, which the caller owns; null where the domain is empty.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_get_dimension_from_name(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    name: *const c_char,
    dim: *mut *mut tiledb_dimension_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let domain = handle::borrow(domain)?.domain.read();
            if domain.dimensions.is_empty() {
                return hand_out(None, dim);
            }
            hand_out(domain.dimension(arg::text(name, "name")?)?, dim)
        })
    }
}

/// Tells how many dimensions a domain has.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param domain The domain.
/// @param ndim Receives the number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_get_ndim(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    ndim: *mut u32,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let number = handle::borrow(domain)?.domain.read().dimensions.len();
            arg::out(ndim, "ndim")?.set(number as u32);
            Ok(())
        })
    }
}

/// Tells the datatype of the dimensions; an error where they differ.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param domain The domain.
/// @param type_ Receives the datatype.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_get_type(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    type_: *mut tiledb_datatype_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let datatype = handle::borrow(domain)?.domain.read().datatype()?;
            arg::out(type_, "type")?.set(datatype.code().into());
            Ok(())
        })
    }
}

/// Tells whether a domain has a dimension of a name.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param domain The domain.
/// @param name The name.
/// @param has_dim Receives 1 or 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_has_dimension(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    name: *const c_char,
    has_dim: *mut i32,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let domain = handle::borrow(domain)?.domain.read();
            let found = domain.has_dimension(arg::text(name, "name")?);
            arg::out(has_dim, "has_dim")?.set(i32::from(found));
            Ok(())
        })
    }
}
