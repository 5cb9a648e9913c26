//! Current domain: the part of an array's domain that is in use now. It can grow, by schema evolution, and never
//! shrinks.

use tiledb_engine::platform::lock::Mutex;
use tiledb_engine::schema::{CurrentDomainText, NdRectangle, Shared};

use crate::prelude::*;

/// The one shape that there is.
const NDRECTANGLE: tiledb_current_domain_type_t = 0;

/// The part of a domain that is in use, empty until a rectangle is set.
pub struct tiledb_current_domain_handle_t {
    rectangle: Mutex<Option<Shared<NdRectangle>>>,
}

impl tiledb_current_domain_handle_t {
    /// A handle for a rectangle, or an empty one.
    pub(crate) fn new(rectangle: Option<Shared<NdRectangle>>) -> Self {
        Self {
            rectangle: Mutex::new(rectangle),
        }
    }

    /// The rectangle, where there is one.
    pub(crate) fn get(&self) -> Option<Shared<NdRectangle>> {
        self.rectangle.lock().clone()
    }

    /// The rectangle; an error, in these words, where there is none.
    fn rectangle(&self, missing: &str) -> Result<Shared<NdRectangle>> {
        let missing = || Error::usage("TileDB internal", missing);
        self.get().ok_or_else(missing)
    }
}
/// The name C programs use.
pub type tiledb_current_domain_t = tiledb_current_domain_handle_t;

/// Makes a current domain that is empty.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param current_domain Receives it; free it with `tiledb_current_domain_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Gives a text that describes a current domain, for people to read.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param current_domain The current domain.
/// @param out Receives the text; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_dump_str(
    ctx: *mut tiledb_ctx_t,
    current_domain: *mut tiledb_current_domain_t,
    out: *mut *mut tiledb_string_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let rectangle = handle::borrow(current_domain)?.get();
        let rectangle = rectangle.as_ref().map(|rectangle| rectangle.read());
        let text = CurrentDomainText(rectangle.as_deref()).to_string();
        handle::make(out, "out", tiledb_string_t::new(text))
    })
}

/// Frees a current domain and sets the pointer to null.
///
/// Experimental: may change from release to release.
///
/// @param current_domain Pointer to the current domain to free.
/// @return `TILEDB_OK`; `TILEDB_ERR` if `current_domain` or the handle that it points to is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_free(
    current_domain: *mut *mut tiledb_current_domain_t,
) -> capi_return_t {
    entry::plain(|| handle::release_existing(current_domain, "current_domain"))
}

/// Says whether nothing was set, so that the whole domain is in use.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param current_domain The current domain.
/// @param is_empty Receives 1 if it is empty, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Gives the rectangle of a current domain.
///
/// It is an error if the current domain is empty.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param current_domain The current domain.
/// @param ndr Receives the rectangle; free it with `tiledb_ndrectangle_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Says which shape a current domain has.
///
/// It is an error if the current domain is empty.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param current_domain The current domain.
/// @param type Receives the shape.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Makes a rectangle the current domain.
///
/// It is an error if one is set already. Whether it lies inside the domain is checked when the schema takes it.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param current_domain The current domain.
/// @param ndr The rectangle, with a range for every dimension; stays the caller's.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
