//! Rectangle of n dimensions: one range for each dimension of a domain.

use tiledb_engine::schema::{NdRectangle, Shared, shared};
use tiledb_engine::types::Range;

use crate::prelude::*;

/// One range for each dimension of a domain, unset at first.
pub struct tiledb_ndrectangle_handle_t {
    pub(crate) rectangle: Shared<NdRectangle>,
    /// Ends of ranges that it lends.
    kept: kept::Kept,
}

impl tiledb_ndrectangle_handle_t {
    /// A handle for a rectangle.
    pub(crate) fn new(rectangle: Shared<NdRectangle>) -> Self {
        Self {
            rectangle,
            kept: kept::Kept::default(),
        }
    }

    /// Sets a range, as C gives it.
    unsafe fn set(&self, index: u32, range: &tiledb_range_t) -> Result<()> {
        // SAFETY: the caller's contract.
        let (start, end) = unsafe {
            (
                arg::bytes(range.min, range.min_size, "min")?,
                arg::bytes(range.max, range.max_size, "max")?,
            )
        };
        self.rectangle.write().set_range(index, start, end)
    }

    /// A range as C reads it, all null where it is not set; it lives as long as the handle.
    fn lend(&self, range: Option<&Range>) -> tiledb_range_t {
        let Some(range) = range else {
            return tiledb_range_t {
                min: std::ptr::null(),
                min_size: 0,
                max: std::ptr::null(),
                max_size: 0,
            };
        };
        tiledb_range_t {
            min: self.kept.value(range.start()),
            min_size: range.start().len() as u64,
            max: self.kept.value(range.end()),
            max_size: range.end().len() as u64,
        }
    }
}
/// The name C programs use.
pub type tiledb_ndrectangle_t = tiledb_ndrectangle_handle_t;

/// Makes a rectangle for a domain, its ranges not set.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param domain The domain; it may be freed before the rectangle.
/// @param ndr Receives the rectangle; free it with `tiledb_ndrectangle_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_alloc(
    ctx: *mut tiledb_ctx_t,
    domain: *mut tiledb_domain_t,
    ndr: *mut *mut tiledb_ndrectangle_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let domain = handle::borrow(domain)?.domain.read().finish();
        let to = arg::out(ndr, "ndr")?;
        let made = tiledb_ndrectangle_t::new(shared(NdRectangle::new(domain)?));
        to.give(made);
        Ok(())
    })
}

/// Gives a text that describes a rectangle, for people to read.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param ndr The rectangle.
/// @param out Receives the text; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_dump_str(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    out: *mut *mut tiledb_string_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let text = handle::borrow(ndr)?.rectangle.read().to_string();
        handle::make(out, "out", tiledb_string_t::new(text))
    })
}

/// Frees a rectangle and sets the pointer to null. Pointers that its getters returned become invalid.
///
/// Experimental: may change from release to release.
///
/// @param ndr Pointer to the rectangle to free.
/// @return `TILEDB_OK`; `TILEDB_ERR` if `ndr` or the handle that it points to is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_free(
    ndr: *mut *mut tiledb_ndrectangle_t,
) -> capi_return_t {
    entry::plain(|| handle::release_existing(ndr, "ndr"))
}

/// Says how many dimensions a rectangle has.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param ndr The rectangle.
/// @param ndim Receives the count.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_get_dim_num(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    ndim: *mut u32,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let ndr = handle::borrow(ndr)?;
        arg::out(ndim, "ndim")?.set(ndr.rectangle.read().dim_num());
        Ok(())
    })
}

/// Gives the type of a dimension by its index.
///
/// It is an error if there is no such dimension.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param ndr The rectangle.
/// @param idx The index of the dimension, from 0.
/// @param type Receives the type of the values of its range.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_get_dtype(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    idx: u32,
    r#type: *mut tiledb_datatype_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let ndr = handle::borrow(ndr)?;
        let to = arg::out(r#type, "type")?;
        to.set(ndr.rectangle.read().datatype(idx)?.code().into());
        Ok(())
    })
}

/// Gives the type of a dimension by its name.
///
/// It is an error if there is no such dimension.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param ndr The rectangle.
/// @param name The name of the dimension.
/// @param type Receives the type of the values of its range.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_get_dtype_from_name(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    name: *const c_char,
    r#type: *mut tiledb_datatype_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let ndr = handle::borrow(ndr)?;
        let index = ndr.rectangle.read().index_of(arg::text(name, "name")?)?;
        let to = arg::out(r#type, "type")?;
        to.set(ndr.rectangle.read().datatype(index)?.code().into());
        Ok(())
    })
}

/// Gives the range of a dimension by its index.
///
/// It is an error if there is no such dimension.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param ndr The rectangle.
/// @param idx The index of the dimension, from 0.
/// @param range Receives pointers to both ends, with sizes in bytes, which live as long as the rectangle's handle; null and
///   0 where the range was not set.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_get_range(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    idx: u32,
    range: *mut tiledb_range_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let ndr = handle::borrow(ndr)?;
        let to = arg::out(range, "range")?;
        to.set(ndr.lend(ndr.rectangle.read().range(idx)?));
        Ok(())
    })
}

/// Gives the range of a dimension by its name.
///
/// It is an error if there is no such dimension.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param ndr The rectangle.
/// @param name The name of the dimension.
/// @param range Receives pointers to both ends, with sizes in bytes, which live as long as the rectangle's handle; null and
///   0 where the range was not set.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_get_range_from_name(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    name: *const c_char,
    range: *mut tiledb_range_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let ndr = handle::borrow(ndr)?;
        let index = ndr.rectangle.read().index_of(arg::text(name, "name")?)?;
        let to = arg::out(range, "range")?;
        to.set(ndr.lend(ndr.rectangle.read().range(index)?));
        Ok(())
    })
}

/// Sets the range of a dimension by its index.
///
/// Both ends belong to the range. It is an error if there is no such dimension, if the sizes are not those of its type,
/// or if the lower end is above the upper one.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param ndr The rectangle.
/// @param idx The index of the dimension, from 0.
/// @param range The ends, in the type of the dimension, with sizes in bytes; copied.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_set_range(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    idx: u32,
    range: *mut tiledb_range_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let ndr = handle::borrow(ndr)?;
        ndr.set(idx, arg::some(range, "range")?)
    })
}

/// Sets the range of a dimension by its name.
///
/// Both ends belong to the range. It is an error if there is no such dimension, if the sizes are not those of its type,
/// or if the lower end is above the upper one.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param ndr The rectangle.
/// @param name The name of the dimension.
/// @param range The ends, in the type of the dimension, with sizes in bytes; copied.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_set_range_for_name(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    name: *const c_char,
    range: *mut tiledb_range_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let ndr = handle::borrow(ndr)?;
        let name = arg::text(name, "name")?;
        let range = arg::some(range, "range")?;
        let index = ndr.rectangle.read().index_of(name)?;
        ndr.set(index, range)
    })
}
