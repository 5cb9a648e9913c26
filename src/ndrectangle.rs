//! N-dimensional rectangles: one range for each dimension of a domain.

use tiledb_engine::internal::schema::{NdRectangle, Shared, shared};
use tiledb_engine::internal::types::Range;

use crate::prelude::*;

/// One range for each dimension of a domain. Ranges are initially unset.
pub struct tiledb_ndrectangle_handle_t {
    pub(crate) rectangle: Shared<NdRectangle>,
    /// Ends of ranges that getters returned; the rectangle owns them.
    returned: c_strings::GetterValues,
}

impl tiledb_ndrectangle_handle_t {
    /// Creates a handle for a rectangle.
    pub(crate) fn new(rectangle: Shared<NdRectangle>) -> Self {
        Self {
            rectangle,
            returned: c_strings::GetterValues::default(),
        }
    }

    /// Sets a range from a C argument.
    unsafe fn set(&self, index: u32, range: &tiledb_range_t) -> Result<()> {
        // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
        let (start, end) = unsafe {
            (
                arg::bytes(range.min, range.min_size, "min")?,
                arg::bytes(range.max, range.max_size, "max")?,
            )
        };
        self.rectangle.write().set_range(index, start, end)
    }

    /// Returns a range for C, which is null if the range is not set. The handle owns the memory.
    fn range_pointers(&self, range: Option<&Range>) -> tiledb_range_t {
        let Some(range) = range else {
            return tiledb_range_t {
                min: std::ptr::null(),
                min_size: 0,
                max: std::ptr::null(),
                max_size: 0,
            };
        };
        tiledb_range_t {
            min: self.returned.value(range.start()),
            min_size: range.start().len() as u64,
            max: self.returned.value(range.end()),
            max_size: range.end().len() as u64,
        }
    }
}
/// Name of the type in C programs.
pub type tiledb_ndrectangle_t = tiledb_ndrectangle_handle_t;

/// Creates a rectangle for a domain. Its ranges are unset.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param domain The domain; it may be freed before the rectangle.
/// @param ndr Set to the rectangle; free it with `tiledb_ndrectangle_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_alloc(
    ctx: *mut tiledb_ctx_t,
    domain: *mut tiledb_domain_t,
    ndr: *mut *mut tiledb_ndrectangle_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let domain = handle::borrow(domain)?.domain.read().finish();
        let to = arg::out(ndr, "ndr")?;
        let new_handle = tiledb_ndrectangle_t::new(shared(NdRectangle::new(domain)?));
        to.give(new_handle);
        Ok(())
    })
}

/// Gets a description of a rectangle as text.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param ndr The rectangle.
/// @param out Set to the text; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Frees a rectangle. Pointers that its getters returned become invalid.
///
/// Experimental: this function may change in any release.
///
/// @param ndr Pointer to the rectangle to free.
/// @return `TILEDB_OK`; `TILEDB_ERR` if `ndr` or the handle that it points to is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_free(
    ndr: *mut *mut tiledb_ndrectangle_t,
) -> capi_return_t {
    entry::code_only(|| handle::release_existing(ndr, "ndr"))
}

/// Gets the number of dimensions of a rectangle.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param ndr The rectangle.
/// @param ndim Set to the count.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Gets the datatype of a dimension by its index.
///
/// It is an error if the dimension does not exist.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param ndr The rectangle.
/// @param idx The index of the dimension, from 0.
/// @param type Set to the datatype.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Gets the datatype of a dimension by its name.
///
/// It is an error if the dimension does not exist.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param ndr The rectangle.
/// @param name The name of the dimension.
/// @param type Set to the datatype.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Gets the range of a dimension by its index.
///
/// It is an error if the dimension does not exist.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param ndr The rectangle.
/// @param idx The index of the dimension, from 0.
/// @param range Set to pointers to both ends with their sizes in bytes, valid until the rectangle
///   is freed; null and 0 if the range is not set.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        to.set(ndr.range_pointers(ndr.rectangle.read().range(idx)?));
        Ok(())
    })
}

/// Gets the range of a dimension by its name.
///
/// It is an error if the dimension does not exist.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param ndr The rectangle.
/// @param name The name of the dimension.
/// @param range Set to pointers to both ends with their sizes in bytes, valid until the rectangle
///   is freed; null and 0 if the range is not set.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        to.set(ndr.range_pointers(ndr.rectangle.read().range(index)?));
        Ok(())
    })
}

/// Sets the range of a dimension by its index.
///
/// Both ends are included. It is an error if the dimension does not exist, if a size differs from
/// the size of its datatype, or if the lower end is above the upper end.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param ndr The rectangle.
/// @param idx The index of the dimension, from 0.
/// @param range Pointers to the ends, values of the datatype of the dimension, with their sizes in
///   bytes. The ends are copied.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_set_range(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    idx: u32,
    range: *mut tiledb_range_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let ndr = handle::borrow(ndr)?;
        ndr.set(idx, arg::dereference(range, "range")?)
    })
}

/// Sets the range of a dimension by its name.
///
/// Both ends are included. It is an error if the dimension does not exist, if a size differs from
/// the size of its datatype, or if the lower end is above the upper end.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param ndr The rectangle.
/// @param name The name of the dimension.
/// @param range Pointers to the ends, values of the datatype of the dimension, with their sizes in
///   bytes. The ends are copied.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let range = arg::dereference(range, "range")?;
        let index = ndr.rectangle.read().index_of(name)?;
        ndr.set(index, range)
    })
}
