//! Adding ranges of coordinates to subarrays.

use tiledb_engine::internal::subarray::Subarray;

use super::reject_stride;
use crate::prelude::*;

/// Adds a range of a fixed-size dimension.
pub(crate) unsafe fn add_range(
    ranges: &mut Subarray,
    dim: impl FnOnce(&Subarray) -> Result<u32>,
    start: *const c_void,
    end: *const c_void,
    stride: *const c_void,
) -> Result<()> {
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    unsafe {
        reject_stride(stride)?;
        let dim = dim(ranges)?;
        let size = ranges.coordinate_size(dim)? as u64;
        if start.is_null() || end.is_null() {
            return Err(Error::usage("Subarray", "Cannot add range; Invalid range"));
        }
        ranges.add_range(
            dim,
            arg::bytes(start, size, "start")?,
            arg::bytes(end, size, "end")?,
        )
    }
}

/// Reads an end of a variable-size range. Null with size 0 is an open end.
pub(crate) unsafe fn var_end<'a>(end: *const c_void, size: u64) -> Result<&'a [u8]> {
    if end.is_null() && size > 0 {
        return Err(Error::usage("Subarray", "Cannot add range; Invalid range"));
    }
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    unsafe { arg::bytes(end, size, "range") }
}

/// Adds ranges of one coordinate each to a fixed-size dimension.
pub(crate) unsafe fn add_points(
    ranges: &mut Subarray,
    dim: u32,
    start: *const c_void,
    count: u64,
) -> Result<()> {
    if start.is_null() {
        return Err(Error::usage(
            "Subarray",
            "Cannot add ranges; Invalid start pointer",
        ));
    }
    let size = ranges.point_size(dim)? as u64;
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    let points = unsafe { arg::bytes(start, size.saturating_mul(count), "start")? };
    ranges.add_points(dim, points)
}

/// Adds `count` ranges of one coordinate each to a fixed-size dimension.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension, from 0.
/// @param start The coordinates, stored consecutively.
/// @param count The number of coordinates.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_point_ranges(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_idx: u32,
    start: *const c_void,
    count: u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let mut ranges = handle::borrow(subarray)?.ranges.write();
        add_points(&mut ranges, dim_idx, start, count)
    })
}

/// Adds ranges of one coordinate each to a variable-size dimension.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension, from 0.
/// @param start The coordinates, stored consecutively.
/// @param start_size The size of the coordinates in bytes.
/// @param start_offsets The start of each coordinate in bytes.
/// @param start_offsets_size The number of coordinates.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_point_ranges_var(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_idx: u32,
    start: *const c_void,
    start_size: u64,
    start_offsets: *const u64,
    start_offsets_size: u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let mut ranges = handle::borrow(subarray)?.ranges.write();
        if start.is_null() || start_offsets.is_null() {
            return Err(Error::usage(
                "Subarray",
                "Cannot add ranges; Invalid start pointer",
            ));
        }
        let values = arg::bytes(start, start_size, "start")?;
        let len = start_offsets_size.saturating_mul(8);
        let offsets = arg::bytes(start_offsets.cast(), len, "start_offsets")?;
        let offsets: Vec<u64> = offsets.chunks_exact(8).map(arg::offset).collect();
        ranges.add_points_var(dim_idx, values, &offsets)
    })
}

/// Adds a range to a fixed-size dimension. The first range replaces the default range, which is the
/// complete domain. Ranges are used in the order in which they were added.
///
/// @param ctx The context; stores the error if the call fails.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension, from 0.
/// @param start Pointer to the lower end, included; a value of the datatype of the dimension.
/// @param end Pointer to the upper end, included.
/// @param stride Must be null; strides are not supported.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_range(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_idx: u32,
    start: *const c_void,
    end: *const c_void,
    stride: *const c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let mut ranges = handle::borrow(subarray)?.ranges.write();
        add_range(&mut ranges, |_| Ok(dim_idx), start, end, stride)
    })
}

/// Adds a range to a fixed-size dimension, which is selected by name.
///
/// @param ctx The context; stores the error if the call fails.
/// @param subarray The subarray.
/// @param dim_name The name of the dimension.
/// @param start Pointer to the lower end, included; a value of the datatype of the dimension.
/// @param end Pointer to the upper end, included.
/// @param stride Must be null; strides are not supported.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_range_by_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_name: *const c_char,
    start: *const c_void,
    end: *const c_void,
    stride: *const c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let name = arg::text(dim_name, "dim_name")?;
        let mut ranges = handle::borrow(subarray)?.ranges.write();
        add_range(
            &mut ranges,
            |ranges| ranges.dimension_index(name),
            start,
            end,
            stride,
        )
    })
}

/// Adds a range to a variable-size dimension, such as a string dimension.
///
/// @param ctx The context; stores the error if the call fails.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension, from 0.
/// @param start The lower end, included; null with size 0 for an open end.
/// @param start_size The size of the lower end in bytes.
/// @param end The upper end, included; null with size 0 for an open end.
/// @param end_size The size of the upper end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_range_var(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_idx: u32,
    start: *const c_void,
    start_size: u64,
    end: *const c_void,
    end_size: u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let ends = (var_end(start, start_size)?, var_end(end, end_size)?);
        handle::borrow(subarray)?
            .ranges
            .write()
            .add_range_var(dim_idx, ends.0, ends.1)
    })
}

/// Adds a range to a variable-size dimension, which is selected by name.
///
/// @param ctx The context; stores the error if the call fails.
/// @param subarray The subarray.
/// @param dim_name The name of the dimension.
/// @param start The lower end, included; null with size 0 for an open end.
/// @param start_size The size of the lower end in bytes.
/// @param end The upper end, included; null with size 0 for an open end.
/// @param end_size The size of the upper end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_range_var_by_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_name: *const c_char,
    start: *const c_void,
    start_size: u64,
    end: *const c_void,
    end_size: u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let ends = (var_end(start, start_size)?, var_end(end, end_size)?);
        let mut ranges = handle::borrow(subarray)?.ranges.write();
        let dim = ranges.dimension_index(arg::text(dim_name, "dim_name")?)?;
        ranges.add_range_var(dim, ends.0, ends.1)
    })
}
