//! Current domains: the part of the domain of an array that is in use. Schema evolution can expand
//! it, but not shrink it.

use tiledb_engine::internal::platform::lock::Mutex;
use tiledb_engine::internal::schema::{NdRectangle, Shared, current_domain_text};

use crate::prelude::*;

/// The only shape.
const NDRECTANGLE: tiledb_current_domain_type_t = 0;

/// The part of a domain that is in use. It is empty until a rectangle is set.
pub struct tiledb_current_domain_handle_t {
    rectangle: Mutex<Option<Shared<NdRectangle>>>,
}

impl tiledb_current_domain_handle_t {
    /// Creates a handle for a rectangle or for an empty current domain.
    pub(crate) fn new(rectangle: Option<Shared<NdRectangle>>) -> Self {
        Self {
            rectangle: Mutex::new(rectangle),
        }
    }

    /// Returns the rectangle, or `None` if the current domain is empty.
    pub(crate) fn get(&self) -> Option<Shared<NdRectangle>> {
        self.rectangle.lock().clone()
    }

    /// Returns the rectangle, or an error with this message if the current domain is empty.
    fn rectangle(&self, missing: &str) -> Result<Shared<NdRectangle>> {
        let missing = || Error::usage("TileDB internal", missing);
        self.get().ok_or_else(missing)
    }
}
/// Name of the type in C programs.
pub type tiledb_current_domain_t = tiledb_current_domain_handle_t;

/// Creates an empty current domain.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param current_domain Set to the current domain; free it with `tiledb_current_domain_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_create(
    ctx: *mut tiledb_ctx_t,
    current_domain: *mut *mut tiledb_current_domain_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let empty = tiledb_current_domain_t::new(None);
        handle::make(current_domain, "current_domain", empty)
    })
}

/// Gets a description of a current domain as text.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param current_domain The current domain.
/// @param out Set to the text; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_dump_str(
    ctx: *mut tiledb_ctx_t,
    current_domain: *mut tiledb_current_domain_t,
    out: *mut *mut tiledb_string_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let rectangle = handle::borrow(current_domain)?.get();
        let rectangle = rectangle.as_ref().map(|rectangle| rectangle.read());
        let text = current_domain_text(rectangle.as_deref());
        handle::make(out, "out", tiledb_string_t::new(text))
    })
}

/// Frees a current domain.
///
/// Experimental: this function may change in any release.
///
/// @param current_domain Pointer to the current domain to free.
/// @return `TILEDB_OK`; `TILEDB_ERR` if `current_domain` or the handle that it points to is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_free(
    current_domain: *mut *mut tiledb_current_domain_t,
) -> capi_return_t {
    entry::code_only(|| handle::release_existing(current_domain, "current_domain"))
}

/// Checks whether a current domain is empty, which means that the complete domain is in use.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param current_domain The current domain.
/// @param is_empty Set to 1 if it is empty, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_get_is_empty(
    ctx: *mut tiledb_ctx_t,
    current_domain: *mut tiledb_current_domain_t,
    is_empty: *mut u32,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let current_domain = handle::borrow(current_domain)?;
        let to = arg::out(is_empty, "is_empty")?;
        to.set(current_domain.get().is_none().into());
        Ok(())
    })
}

/// Gets the rectangle of a current domain.
///
/// It is an error if the current domain is empty.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param current_domain The current domain.
/// @param ndr Set to the rectangle; free it with `tiledb_ndrectangle_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_get_ndrectangle(
    ctx: *mut tiledb_ctx_t,
    current_domain: *mut tiledb_current_domain_t,
    ndr: *mut *mut tiledb_ndrectangle_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let current_domain = handle::borrow(current_domain)?;
        let rectangle = current_domain.rectangle(
            "It's not possible to get the ndrectangle from this current domain if one isn't set.",
        )?;
        handle::make(ndr, "ndr", tiledb_ndrectangle_t::new(rectangle))
    })
}

/// Gets the shape of a current domain.
///
/// It is an error if the current domain is empty.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param current_domain The current domain.
/// @param type Set to the shape.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_get_type(
    ctx: *mut tiledb_ctx_t,
    current_domain: *mut tiledb_current_domain_t,
    r#type: *mut tiledb_current_domain_type_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let current_domain = handle::borrow(current_domain)?;
        let to = arg::out(r#type, "type")?;
        current_domain.rectangle(
            "It's not possible to read the type, this CurrentDomain instance is empty.",
        )?;
        to.set(NDRECTANGLE);
        Ok(())
    })
}

/// Sets the rectangle of a current domain.
///
/// It is an error if a rectangle is set already. A schema with a current domain that is not inside
/// the domain is invalid: checking it and creating an array with it fail.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param current_domain The current domain.
/// @param ndr The rectangle, with a range for each dimension; the caller keeps ownership.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_set_ndrectangle(
    ctx: *mut tiledb_ctx_t,
    current_domain: *mut tiledb_current_domain_t,
    ndr: *mut tiledb_ndrectangle_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let current_domain = handle::borrow(current_domain)?;
        let rectangle = handle::borrow(ndr)?.rectangle.clone();
        let mut set = current_domain.rectangle.lock();
        if set.is_some() {
            let message = "Setting a rectangle on a non-empty CurrentDomain object is not allowed.";
            return Err(Error::usage("TileDB internal", message));
        }
        *set = Some(rectangle);
        Ok(())
    })
}
