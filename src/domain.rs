//! Domains: the dimensions of an array, in order.

use tiledb_engine::internal::schema::{DomainDraft, Shared, shared};

use crate::dimension::tiledb_dimension_t;
use crate::prelude::*;
use crate::string::tiledb_string_t;

/// A domain. The schema that it was set on, and handles that were obtained from that schema, share
/// it: changes made through one handle are visible through the others.
pub struct tiledb_domain_handle_t {
    pub(crate) domain: Shared<DomainDraft>,
}
/// Name of the type in C programs.
pub type tiledb_domain_t = tiledb_domain_handle_t;

impl tiledb_domain_handle_t {
    /// Creates a handle for a domain.
    pub(crate) fn new(domain: Shared<DomainDraft>) -> Self {
        Self { domain }
    }
}

/// Adds a dimension after the existing ones. The domain shares it: filters that are set on it later
/// take effect too.
///
/// @param ctx The context; stores the error if the call fails.
/// @param domain The domain.
/// @param dim The dimension. The caller keeps ownership of the handle.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_add_dimension(
    ctx: *mut tiledb_ctx_t,
    domain: *mut tiledb_domain_t,
    dim: *mut tiledb_dimension_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let domain = handle::borrow(domain)?;
        let missing = "May not add a missing dimension; argument is NULL";
        let dim = handle::borrow_optional(dim).ok_or_else(|| Error::usage("C API", missing))?;
        domain.domain.write().dimensions.push(dim.dimension.clone());
        Ok(())
    })
}

/// Creates an empty domain.
///
/// @param ctx The context; stores the error if the call fails.
/// @param domain Set to the domain; free it with `tiledb_domain_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_alloc(
    ctx: *mut tiledb_ctx_t,
    domain: *mut *mut tiledb_domain_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let new_handle = tiledb_domain_t::new(shared(DomainDraft::default()));
        handle::make(domain, "domain", new_handle)
    })
}

/// Describes the dimensions of a domain as text.
///
/// @param ctx The context; stores the error if the call fails.
/// @param domain The domain.
/// @param out Set to the text; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_dump_str(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    out: *mut *mut tiledb_string_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let text = handle::borrow(domain)?.domain.read().finish().to_string();
        handle::make(out, "out", tiledb_string_t::new(text))
    })
}

/// Frees a domain. A schema that it was set on keeps it.
///
/// @param domain Pointer to the handle, which is set to null. Null and a pointer to null are
///   ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_free(domain: *mut *mut tiledb_domain_t) {
    handle::release(domain);
}

/// Gets a dimension by its index.
///
/// @param ctx The context; stores the error if the call fails.
/// @param domain The domain.
/// @param index The index, starting at 0.
/// @param dim Set to a handle that shares the dimension; free it with `tiledb_dimension_free`. Set
///   to null if the domain is empty and the index is 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_get_dimension_from_index(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    index: u32,
    dim: *mut *mut tiledb_dimension_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let domain = handle::borrow(domain)?;
        let to = arg::out(dim, "dim")?;
        let found = domain.domain.read().dimension_at(index)?;
        to.give_or_null(found.map(tiledb_dimension_t::new));
        Ok(())
    })
}

/// Gets a dimension by its name. It is an error if the name is unknown.
///
/// @param ctx The context; stores the error if the call fails.
/// @param domain The domain.
/// @param name The name.
/// @param dim Set to a handle that shares the dimension; free it with `tiledb_dimension_free`. Set
///   to null if the domain is empty.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_get_dimension_from_name(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    name: *const c_char,
    dim: *mut *mut tiledb_dimension_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let domain = handle::borrow(domain)?;
        let name = arg::text(name, "name")?;
        let found = domain.domain.read().dimension(name)?;
        arg::out(dim, "dim")?.give_or_null(found.map(tiledb_dimension_t::new));
        Ok(())
    })
}

/// Gets the number of dimensions.
///
/// @param ctx The context; stores the error if the call fails.
/// @param domain The domain.
/// @param ndim Set to the number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_get_ndim(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    ndim: *mut u32,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let domain = handle::borrow(domain)?;
        arg::out(ndim, "ndim")?.set(domain.domain.read().dimensions.len() as u32);
        Ok(())
    })
}

/// Gets the datatype of all dimensions. It is an error if the domain is empty or the datatypes
/// differ.
///
/// @param ctx The context; stores the error if the call fails.
/// @param domain The domain.
/// @param type Set to the datatype.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_get_type(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    r#type: *mut tiledb_datatype_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let domain = handle::borrow(domain)?;
        let output = arg::out(r#type, "type")?;
        output.set(domain.domain.read().datatype()?.code().into());
        Ok(())
    })
}

/// Checks whether a dimension with a name exists.
///
/// @param ctx The context; stores the error if the call fails.
/// @param domain The domain.
/// @param name The name.
/// @param has_dim Set to 1 if it exists, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_has_dimension(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    name: *const c_char,
    has_dim: *mut i32,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let domain = handle::borrow(domain)?;
        let name = arg::text(name, "name")?;
        arg::out(has_dim, "has_dim")?.set(domain.domain.read().has_dimension(name).into());
        Ok(())
    })
}
