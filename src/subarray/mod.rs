//! Subarrays: the ranges of each dimension that a query reads or writes.
//!
//! Here is the handle, and what counts for all ranges. Beside: ranges of coordinates, added (`add_ranges`) and asked for
//! (`get_ranges`), and ranges by label, both (`label_ranges`).

use tiledb_engine::platform::lock::RwLock;
use tiledb_engine::subarray::Subarray;
use tiledb_engine::types::Range;

use crate::prelude::*;

pub mod add_ranges;
pub mod get_ranges;
pub mod label_ranges;

/// The ranges of each dimension that a query reads or writes.
pub struct tiledb_subarray_handle_t {
    /// The ranges; lent ends point into them.
    pub(crate) ranges: RwLock<Subarray>,
    kept: kept::Kept,
}

impl tiledb_subarray_handle_t {
    /// A handle of its own for these ranges.
    pub(crate) fn new(ranges: Subarray) -> Self {
        Self {
            ranges: RwLock::new(ranges),
            kept: kept::Kept::default(),
        }
    }
}

/// The name C programs use.
pub type tiledb_subarray_t = tiledb_subarray_handle_t;

fn refuse_stride(stride: *const c_void) -> Result<()> {
    match stride.is_null() {
        true => Ok(()),
        false => Err(Error::usage("C API", "Stride is currently unsupported")),
    }
}

/// Hands out pointers to the ends of a range.
unsafe fn lend(
    range: &Range,
    start: *mut *const c_void,
    end: *mut *const c_void,
    stride: *mut *const c_void,
) -> Result<()> {
    // SAFETY: the contract of this layer.
    unsafe {
        let (start, end) = (arg::out(start, "start")?, arg::out(end, "end")?);
        start.set(range.start().as_ptr().cast());
        end.set(range.end().as_ptr().cast());
        if !stride.is_null() {
            stride.write(std::ptr::null());
        }
    }
    Ok(())
}

/// Copies the ends of a range into the caller's memory.
unsafe fn copy_out(range: &Range, start: *mut c_void, end: *mut c_void) -> Result<()> {
    if (start.is_null() && !range.start().is_empty()) || (end.is_null() && !range.end().is_empty())
    {
        return Err(arg::null("start"));
    }
    // SAFETY: the caller has made room for the sizes it was told.
    unsafe {
        std::ptr::copy_nonoverlapping(range.start().as_ptr(), start.cast(), range.start().len());
        std::ptr::copy_nonoverlapping(range.end().as_ptr(), end.cast(), range.end().len());
    }
    Ok(())
}

/// Makes a subarray: the ranges of each dimension that a query reads or writes. A new one is the
/// whole domain.
///
/// The array must be open, and may be closed or freed before the subarray. Free it with
/// `tiledb_subarray_free`.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array An open array.
/// @param subarray Receives the subarray, which the caller owns.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_alloc(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    subarray: *mut *mut tiledb_subarray_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let array = handle::borrow(array)?;
        if !array.array.is_open() {
            return Err(Error::usage(
                "C API",
                "Cannot create subarray; array is not open",
            ));
        }
        let made = Subarray::new(&array.array.schema()?);
        handle::make(subarray, "subarray", tiledb_subarray_handle_t::new(made))
    })
}

/// Frees a subarray and sets the pointer to null. Null is fine at both levels.
///
/// @param subarray The subarray to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_free(subarray: *mut *mut tiledb_subarray_t) {
    handle::release(subarray);
}

/// Sets whether a range that begins right after the last one becomes one with it, as it does by
/// default. Only before the first range is added.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param subarray The subarray.
/// @param coalesce_ranges 0 keeps ranges apart.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_set_coalesce_ranges(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    coalesce_ranges: c_int,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        handle::borrow(subarray)?
            .ranges
            .write()
            .set_coalesce(coalesce_ranges != 0)
    })
}

/// Sets how ranges out of the domain's bounds are treated, by `sm.read_range_oob`: `error` refuses
/// them, `warn` crops them to the domain.
///
/// A new subarray refuses them.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param subarray The subarray.
/// @param config The configuration.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_set_config(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    config: *mut tiledb_config_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let subarray = handle::borrow(subarray)?;
        let config = handle::borrow(config)?.config();
        subarray.ranges.write().set_config(&config)
    })
}

/// Replaces all ranges by one per dimension. All dimensions must have one datatype of fixed size.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param subarray The subarray.
/// @param subarray_v Low and high end of each dimension, one after the other, both included.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_set_subarray(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    subarray_v: *const c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let subarray = handle::borrow(subarray)?;
        let size = subarray.ranges.read().all_size()?;
        if subarray_v.is_null() {
            return Ok(());
        }
        subarray
            .ranges
            .write()
            .set_all(arg::bytes(subarray_v, size as u64, "subarray_v")?)
    })
}
