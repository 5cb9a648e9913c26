//! Subarrays: the ranges of each dimension that a query reads or writes.
//!
//! This file contains the handle and the settings of a subarray. Other files: adding (`add_ranges`)
//! and getting (`get_ranges`) ranges of coordinates, and ranges of labels (`label_ranges`).

use tiledb_engine::internal::platform::lock::RwLock;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::Range;

use crate::prelude::*;

pub mod add_ranges;
pub mod get_ranges;
pub mod label_ranges;

/// The ranges of each dimension that a query reads or writes.
pub struct tiledb_subarray_handle_t {
    /// The ranges. Pointers that getters returned refer to them.
    pub(crate) ranges: RwLock<Subarray>,
    returned: c_strings::GetterValues,
}

impl tiledb_subarray_handle_t {
    /// Creates a handle that owns ranges.
    pub(crate) fn new(ranges: Subarray) -> Self {
        Self {
            ranges: RwLock::new(ranges),
            returned: c_strings::GetterValues::default(),
        }
    }
}

/// Name of the type in C programs.
pub type tiledb_subarray_t = tiledb_subarray_handle_t;

fn reject_stride(stride: *const c_void) -> Result<()> {
    if stride.is_null() {
        return Ok(());
    }
    Err(Error::usage("C API", "Stride is currently unsupported"))
}

/// Writes pointers to the bounds of a range to output parameters, and a null pointer to `stride`,
/// which may be null.
pub(crate) unsafe fn set_range_pointers(
    range: &Range,
    start: *mut *const c_void,
    end: *mut *const c_void,
    stride: *mut *const c_void,
) -> Result<()> {
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
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

/// Copies the bounds of a range to the caller's buffers.
pub(crate) unsafe fn copy_range(range: &Range, start: *mut c_void, end: *mut c_void) -> Result<()> {
    for (bytes, output, name) in [(range.start(), start, "start"), (range.end(), end, "end")] {
        if output.is_null() && !bytes.is_empty() {
            return Err(arg::null(name));
        }
    }
    // SAFETY: the caller's buffers have the sizes that the function for sizes returns.
    unsafe {
        std::ptr::copy_nonoverlapping(range.start().as_ptr(), start.cast(), range.start().len());
        std::ptr::copy_nonoverlapping(range.end().as_ptr(), end.cast(), range.end().len());
    }
    Ok(())
}

/// Replaces all ranges by those in a buffer; does nothing if it is null.
pub(crate) unsafe fn set_all(ranges: &mut Subarray, bounds: *const c_void) -> Result<()> {
    let size = ranges.all_size()?;
    if bounds.is_null() {
        return Ok(());
    }
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    ranges.set_all(unsafe { arg::bytes(bounds, size as u64, "subarray_v")? })
}

/// Creates a subarray, which initially selects the complete domain.
///
/// The array must be open. It may be closed or freed before the subarray.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array An open array.
/// @param subarray Set to the subarray; free it with `tiledb_subarray_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let new_subarray = Subarray::new(&array.array.schema()?);
        handle::make(
            subarray,
            "subarray",
            tiledb_subarray_handle_t::new(new_subarray),
        )
    })
}

/// Frees a subarray.
///
/// @param subarray Pointer to the handle, which is set to null. Null and a pointer to null are
///   ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_free(subarray: *mut *mut tiledb_subarray_t) {
    handle::release(subarray);
}

/// Sets whether a range that starts directly after the end of the previous one is merged with it,
/// which is the default. It is an error after a range was added.
///
/// @param ctx The context; stores the error if the call fails.
/// @param subarray The subarray.
/// @param coalesce_ranges 1 to merge adjacent ranges, 0 to keep them separate.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Sets the configuration of a subarray. `sm.read_range_oob` determines the treatment of ranges
/// that are not inside the domain: `error` rejects them, `warn` crops them to the domain.
///
/// A new subarray rejects them.
///
/// @param ctx The context; stores the error if the call fails.
/// @param subarray The subarray.
/// @param config The configuration.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Replaces all ranges by one range per dimension. All dimensions must have the same fixed-size
/// datatype.
///
/// @param ctx The context; stores the error if the call fails.
/// @param subarray The subarray.
/// @param subarray_v The lower and the upper end of each dimension, both included, stored
///   consecutively.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_set_subarray(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    subarray_v: *const c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        set_all(&mut handle::borrow(subarray)?.ranges.write(), subarray_v)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null_mut;

    #[test]
    fn a_missing_buffer_for_a_bound_is_an_error_that_names_it() {
        let range = Range::of(1_i32, 2);
        let mut bytes = [0_u8; 4];
        let buffer = bytes.as_mut_ptr().cast();
        for (start, end, name) in [(null_mut(), buffer, "start"), (buffer, null_mut(), "end")] {
            // SAFETY: the buffers are null or large enough.
            let copied = unsafe { copy_range(&range, start, end) };
            let error = copied.expect_err("a null buffer").to_string();
            assert!(error.contains(&format!("`{name}`")), "{error}");
        }
    }
}
