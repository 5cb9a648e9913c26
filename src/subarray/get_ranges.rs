//! Ranges of coordinates, as subarrays have them.

use super::{copy_out, lend};
use crate::ends::Sizes;
use crate::prelude::*;

/// Lends a range of a dimension of fixed size. The pointers are valid until a range is added or the
/// subarray is freed.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension, from 0.
/// @param range_idx The index of the range, in the order of adding.
/// @param start Receives a pointer to the low end.
/// @param end Receives a pointer to the high end.
/// @param stride Receives null; may be null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_idx: u32,
    range_idx: u64,
    start: *mut *const c_void,
    end: *mut *const c_void,
    stride: *mut *const c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let ranges = handle::borrow(subarray)?.ranges.read();
        lend(ranges.range(dim_idx, range_idx)?, start, end, stride)
    })
}

/// Lends a range of a dimension of fixed size, given by name. The pointers are valid until a range
/// is added or the subarray is freed.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param subarray The subarray.
/// @param dim_name The name of the dimension.
/// @param range_idx The index of the range, in the order of adding.
/// @param start Receives a pointer to the low end.
/// @param end Receives a pointer to the high end.
/// @param stride Receives null; may be null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_from_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_name: *const c_char,
    range_idx: u64,
    start: *mut *const c_void,
    end: *mut *const c_void,
    stride: *mut *const c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let ranges = handle::borrow(subarray)?.ranges.read();
        let dim = ranges.dimension_index(arg::text(dim_name, "dim_name")?)?;
        lend(ranges.range(dim, range_idx)?, start, end, stride)
    })
}

/// Tells how many ranges a dimension has.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension, from 0.
/// @param range_num Receives the number; 1 where no range was added.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_num(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_idx: u32,
    range_num: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let number = handle::borrow(subarray)?.ranges.read().range_num(dim_idx)?;
        arg::out(range_num, "range_num")?.set(number);
        Ok(())
    })
}

/// Tells how many ranges a dimension, given by name, has.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param subarray The subarray.
/// @param dim_name The name of the dimension.
/// @param range_num Receives the number; 1 where no range was added.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_num_from_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_name: *const c_char,
    range_num: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let ranges = handle::borrow(subarray)?.ranges.read();
        let dim = ranges.dimension_index(arg::text(dim_name, "dim_name")?)?;
        arg::out(range_num, "range_num")?.set(ranges.range_num(dim)?);
        Ok(())
    })
}

/// Copies the ends of a range of a dimension of variable size.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension, from 0.
/// @param range_idx The index of the range, in the order of adding.
/// @param start Receives the bytes of the low end; must have room for
///   `tiledb_subarray_get_range_var_size`.
/// @param end Receives the bytes of the high end, likewise.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_var(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_idx: u32,
    range_idx: u64,
    start: *mut c_void,
    end: *mut c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let ranges = handle::borrow(subarray)?.ranges.read();
        copy_out(ranges.var_range(dim_idx, range_idx)?, start, end)
    })
}

/// Copies the ends of a range of a dimension of variable size, given by name.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param subarray The subarray.
/// @param dim_name The name of the dimension.
/// @param range_idx The index of the range, in the order of adding.
/// @param start Receives the bytes of the low end; must have room for
///   `tiledb_subarray_get_range_var_size`.
/// @param end Receives the bytes of the high end, likewise.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_var_from_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_name: *const c_char,
    range_idx: u64,
    start: *mut c_void,
    end: *mut c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let ranges = handle::borrow(subarray)?.ranges.read();
        let dim = ranges.dimension_index(arg::text(dim_name, "dim_name")?)?;
        copy_out(ranges.var_range(dim, range_idx)?, start, end)
    })
}

/// Tells the sizes of the ends of a range of a dimension of variable size.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension, from 0.
/// @param range_idx The index of the range, in the order of adding.
/// @param start_size Receives the size of the low end in bytes.
/// @param end_size Receives the size of the high end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_var_size(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_idx: u32,
    range_idx: u64,
    start_size: *mut u64,
    end_size: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let ranges = handle::borrow(subarray)?.ranges.read();
        let range = ranges.var_range(dim_idx, range_idx)?;
        Sizes::at(start_size, end_size)?.set(Some(range));
        Ok(())
    })
}

/// Tells the sizes of the ends of a range of a dimension of variable size, given by name.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param subarray The subarray.
/// @param dim_name The name of the dimension.
/// @param range_idx The index of the range, in the order of adding.
/// @param start_size Receives the size of the low end in bytes.
/// @param end_size Receives the size of the high end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_var_size_from_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_name: *const c_char,
    range_idx: u64,
    start_size: *mut u64,
    end_size: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let ranges = handle::borrow(subarray)?.ranges.read();
        let dim = ranges.dimension_index(arg::text(dim_name, "dim_name")?)?;
        let range = ranges.var_range(dim, range_idx)?;
        Sizes::at(start_size, end_size)?.set(Some(range));
        Ok(())
    })
}
