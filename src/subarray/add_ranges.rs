//! Ranges of coordinates, added to subarrays.

use tiledb_engine::subarray::Subarray;

use super::refuse_stride;
use crate::prelude::*;

/// Adds a range whose ends are pointers to coordinates.
unsafe fn add_range(
    subarray: *mut tiledb_subarray_t,
    dim: impl FnOnce(&Subarray) -> Result<u32>,
    start: *const c_void,
    end: *const c_void,
    stride: *const c_void,
) -> Result<()> {
    // SAFETY: the contract of this layer.
    unsafe {
        let mut ranges = handle::borrow(subarray)?.ranges.write();
        refuse_stride(stride)?;
        let dim = dim(&ranges)?;
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

/// An end of a range of variable size; null with size 0 is open.
unsafe fn var_end<'a>(end: *const c_void, size: u64) -> Result<&'a [u8]> {
    if end.is_null() && size > 0 {
        return Err(Error::usage("Subarray", "Cannot add range; Invalid range"));
    }
    // SAFETY: the contract of this layer.
    unsafe { arg::bytes(end, size, "range") }
}

/// Adds a range of one coordinate for each of `count` values of a dimension of fixed size.
///
/// Status: experimental.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension, from 0.
/// @param start The values, one after the other.
/// @param count How many.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
        if start.is_null() {
            return Err(Error::usage(
                "Subarray",
                "Cannot add ranges; Invalid start pointer",
            ));
        }
        let size = ranges.point_size(dim_idx)? as u64;
        ranges.add_points(
            dim_idx,
            arg::bytes(start, size.saturating_mul(count), "start")?,
        )
    })
}

/// Adds a range of one coordinate for each of the values of a dimension of variable size.
///
/// Status: experimental.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension, from 0.
/// @param start The values, one after the other.
/// @param start_size Their size in bytes.
/// @param start_offsets Where each value begins, in bytes.
/// @param start_offsets_size How many values there are.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Adds a range to a dimension of fixed size. The first range takes the place of the whole domain;
/// the order of adding is kept.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension, from 0.
/// @param start The low end, included; a value of the dimension's datatype.
/// @param end The high end, included.
/// @param stride Must be null; strides are not supported.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
        add_range(subarray, |_| Ok(dim_idx), start, end, stride)
    })
}

/// Adds a range to a dimension of fixed size, given by name.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param subarray The subarray.
/// @param dim_name The name of the dimension.
/// @param start The low end, included; a value of the dimension's datatype.
/// @param end The high end, included.
/// @param stride Must be null; strides are not supported.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
        add_range(
            subarray,
            |ranges| ranges.dimension_index(name),
            start,
            end,
            stride,
        )
    })
}

/// Adds a range to a dimension of variable size, such as text.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension, from 0.
/// @param start The low end, included; null with size 0 leaves it open.
/// @param start_size Its size in bytes.
/// @param end The high end, included; null with size 0 leaves it open.
/// @param end_size Its size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Adds a range to a dimension of variable size, given by name.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param subarray The subarray.
/// @param dim_name The name of the dimension.
/// @param start The low end, included; null with size 0 leaves it open.
/// @param start_size Its size in bytes.
/// @param end The high end, included; null with size 0 leaves it open.
/// @param end_size Its size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
