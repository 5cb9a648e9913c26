<<<<<<< HEAD
//! Domains: the dimensions of an array.

use tiledb_engine::schema::{Dimension, DomainDraft, Shared, shared};
=======
//! Domains: the dimensions of an array, in order.
>>>>>>> model

use tiledb_engine::schema::{Dimension, DomainDraft, Shared, shared};

use crate::dimension::tiledb_dimension_t;
use crate::prelude::*;
use crate::string::tiledb_string_t;

<<<<<<< HEAD
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
=======
/// A domain. A schema it was set on, and handles got from that, share it: what is added here shows there.
pub struct tiledb_domain_handle_t {
    pub(crate) domain: Shared<DomainDraft>,
>>>>>>> model
}
/// The name C programs use.
pub type tiledb_domain_t = tiledb_domain_handle_t;

<<<<<<< HEAD
/// Appends a dimension, which may be freed afterwards.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param domain The domain.
/// @param dim The dimension.
=======
impl tiledb_domain_handle_t {
    /// A handle for a domain.
    pub(crate) fn new(domain: Shared<DomainDraft>) -> Self {
        Self { domain }
    }
}

/// Hands out a handle for a dimension; null for none.
unsafe fn give(
    to: *mut *mut tiledb_dimension_t,
    dimension: Option<Shared<Dimension>>,
) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe {
        match dimension {
            Some(dimension) => handle::make(to, "dim", tiledb_dimension_t::new(dimension)),
            None => {
                arg::out(to, "dim")?.set(std::ptr::null_mut());
                Ok(())
            }
        }
    }
}

/// Adds a dimension after the others. The domain shares it: filters set on it later count too.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param domain The domain.
/// @param dim The dimension, whose handle stays the caller's.
>>>>>>> model
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
<<<<<<< HEAD
            if dim.is_null() {
                return Err(Error::usage(
                    "C API",
                    "May not add a missing dimension; argument is NULL",
                ));
            }
            let dimension = handle::borrow(dim)?.dimension.clone();
            domain.domain.write().dimensions.push(dimension);
=======
            let missing = "May not add a missing dimension; argument is NULL";
            let dim = handle::borrow_optional(dim).ok_or_else(|| Error::usage("C API", missing))?;
            domain.domain.write().dimensions.push(dim.dimension.clone());
>>>>>>> model
            Ok(())
        })
    }
}

<<<<<<< HEAD
/// Makes a domain without dimensions. Free it with `tiledb_domain_free`.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param domain Receives the domain, which the caller owns.
=======
/// Makes an empty domain.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param domain Receives the domain; free it with `tiledb_domain_free`.
>>>>>>> model
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_alloc(
    ctx: *mut tiledb_ctx_t,
    domain: *mut *mut tiledb_domain_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
<<<<<<< HEAD
            handle::make(
                domain,
                "domain",
                tiledb_domain_handle_t::new(shared(DomainDraft::default())),
            )
=======
            let made = tiledb_domain_t::new(shared(DomainDraft::default()));
            handle::make(domain, "domain", made)
>>>>>>> model
        })
    }
}

<<<<<<< HEAD
/// Describes a domain as text.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param domain The domain.
/// @param out Receives the text, which the caller owns.
=======
/// Describes the dimensions of a domain as text.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param domain The domain.
/// @param out Receives the text; free it with `tiledb_string_free`.
>>>>>>> model
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

<<<<<<< HEAD
/// Frees a domain and sets the pointer to null. Null is fine at both levels; schemas keep what was
/// set.
///
/// @param domain The domain to free.
=======
/// Frees a domain. A schema it was set on keeps it.
///
/// @param domain The handle; null afterwards. Null is accepted, and so is a pointer to null.
>>>>>>> model
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_free(domain: *mut *mut tiledb_domain_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        handle::release(domain);
    }
}

<<<<<<< HEAD
/// Makes a handle of a dimension.
=======
/// Gets a dimension by its index.
>>>>>>> model
///
/// @param ctx The context; keeps the error if the call fails.
/// @param domain The domain.
/// @param index The index, from 0.
<<<<<<< HEAD
/// @param dim Receives the dimension, which the caller owns; null for index 0 of an empty domain.
=======
/// @param dim Receives a handle that shares the dimension; free it with `tiledb_dimension_free`. Null for the first
///   of an empty domain.
>>>>>>> model
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
<<<<<<< HEAD
            let found = handle::borrow(domain)?.domain.read().dimension_at(index)?;
            hand_out(found, dim)
=======
            let domain = handle::borrow(domain)?;
            arg::out(dim, "dim")?;
            give(dim, domain.domain.read().dimension_at(index)?)
>>>>>>> model
        })
    }
}

<<<<<<< HEAD
/// Makes a handle of a dimension.
=======
/// Gets a dimension by its name. It is an error if there is none of the name.
>>>>>>> model
///
/// @param ctx The context; keeps the error if the call fails.
/// @param domain The domain.
/// @param name The name.
<<<<<<< HEAD
/// @param dim Receives the dimension, which the caller owns; null where the domain is empty.
=======
/// @param dim Receives a handle that shares the dimension; free it with `tiledb_dimension_free`. Null if the domain
///   is empty.
>>>>>>> model
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
<<<<<<< HEAD
            let domain = handle::borrow(domain)?.domain.read();
            if domain.dimensions.is_empty() {
                return hand_out(None, dim);
            }
            hand_out(domain.dimension(arg::text(name, "name")?)?, dim)
=======
            let domain = handle::borrow(domain)?;
            let name = arg::text(name, "name")?;
            give(dim, domain.domain.read().dimension(name)?)
>>>>>>> model
        })
    }
}

<<<<<<< HEAD
/// Tells how many dimensions a domain has.
=======
/// Gets the number of dimensions.
>>>>>>> model
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
<<<<<<< HEAD
            let number = handle::borrow(domain)?.domain.read().dimensions.len();
            arg::out(ndim, "ndim")?.set(number as u32);
=======
            let domain = handle::borrow(domain)?;
            arg::out(ndim, "ndim")?.set(domain.domain.read().dimensions.len() as u32);
>>>>>>> model
            Ok(())
        })
    }
}

<<<<<<< HEAD
/// Tells the datatype of the dimensions; an error where they differ.
=======
/// Gets the datatype of all dimensions. It is an error if there are none, or if their datatypes differ.
>>>>>>> model
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
<<<<<<< HEAD
            let datatype = handle::borrow(domain)?.domain.read().datatype()?;
            arg::out(type_, "type")?.set(datatype.code().into());
=======
            let domain = handle::borrow(domain)?;
            let place = arg::out(type_, "type_")?;
            place.set(domain.domain.read().datatype()?.code().into());
>>>>>>> model
            Ok(())
        })
    }
}

<<<<<<< HEAD
/// Tells whether a domain has a dimension of a name.
=======
/// Says whether there is a dimension of a name.
>>>>>>> model
///
/// @param ctx The context; keeps the error if the call fails.
/// @param domain The domain.
/// @param name The name.
<<<<<<< HEAD
/// @param has_dim Receives 1 or 0.
=======
/// @param has_dim Receives 1 if there is, else 0.
>>>>>>> model
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
<<<<<<< HEAD
            let domain = handle::borrow(domain)?.domain.read();
            let found = domain.has_dimension(arg::text(name, "name")?);
            arg::out(has_dim, "has_dim")?.set(i32::from(found));
=======
            let domain = handle::borrow(domain)?;
            let name = arg::text(name, "name")?;
            arg::out(has_dim, "has_dim")?.set(domain.domain.read().has_dimension(name).into());
>>>>>>> model
            Ok(())
        })
    }
}
