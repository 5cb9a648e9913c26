//! Getting the ranges of coordinates of subarrays.

use super::{copy_range, set_range_pointers};
use crate::prelude::*;
use crate::range_output::SizePointers;

/// Gets a range of a fixed-size dimension. The pointers are valid until a range is added or the
/// subarray is freed.
///
/// @param ctx The context; stores the error if the call fails.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension, from 0.
/// @param range_idx The index of the range, in the order in which ranges were added.
/// @param start Set to a pointer to the lower end.
/// @param end Set to a pointer to the upper end.
/// @param stride Set to null, unless the pointer itself is null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        set_range_pointers(ranges.range(dim_idx, range_idx)?, start, end, stride)
    })
}

/// Gets a range of a fixed-size dimension, which is selected by name. The pointers are valid until
/// a range is added or the subarray is freed.
///
/// @param ctx The context; stores the error if the call fails.
/// @param subarray The subarray.
/// @param dim_name The name of the dimension.
/// @param range_idx The index of the range, in the order in which ranges were added.
/// @param start Set to a pointer to the lower end.
/// @param end Set to a pointer to the upper end.
/// @param stride Set to null, unless the pointer itself is null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        set_range_pointers(ranges.range(dim, range_idx)?, start, end, stride)
    })
}

/// Gets the number of ranges of the dimension.
///
/// @param ctx The context; stores the error if the call fails.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension, from 0.
/// @param range_num Set to the number; 1 if no range was added.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Gets the number of ranges of a dimension, which is selected by name.
///
/// @param ctx The context; stores the error if the call fails.
/// @param subarray The subarray.
/// @param dim_name The name of the dimension.
/// @param range_num Set to the number; 1 if no range was added.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Copies the ends of a range of a variable-size dimension.
///
/// @param ctx The context; stores the error if the call fails.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension, from 0.
/// @param range_idx The index of the range, in the order in which ranges were added.
/// @param start Buffer that receives the lower end.
/// @param end Buffer that receives the upper end. `tiledb_subarray_get_range_var_size` returns the
///   sizes of both.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        copy_range(ranges.var_range(dim_idx, range_idx)?, start, end)
    })
}

/// Copies the ends of a range of a variable-size dimension, which is selected by name.
///
/// @param ctx The context; stores the error if the call fails.
/// @param subarray The subarray.
/// @param dim_name The name of the dimension.
/// @param range_idx The index of the range, in the order in which ranges were added.
/// @param start Buffer that receives the lower end.
/// @param end Buffer that receives the upper end. `tiledb_subarray_get_range_var_size` returns the
///   sizes of both.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        copy_range(ranges.var_range(dim, range_idx)?, start, end)
    })
}

/// Gets the sizes of the ends of a range of a variable-size dimension.
///
/// @param ctx The context; stores the error if the call fails.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension, from 0.
/// @param range_idx The index of the range, in the order in which ranges were added.
/// @param start_size Set to the size of the lower end in bytes.
/// @param end_size Set to the size of the upper end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        SizePointers::new(start_size, end_size)?.set(Some(range));
        Ok(())
    })
}

/// Gets the sizes of the ends of a range of a variable-size dimension, which is selected by name.
///
/// @param ctx The context; stores the error if the call fails.
/// @param subarray The subarray.
/// @param dim_name The name of the dimension.
/// @param range_idx The index of the range, in the order in which ranges were added.
/// @param start_size Set to the size of the lower end in bytes.
/// @param end_size Set to the size of the upper end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        SizePointers::new(start_size, end_size)?.set(Some(range));
        Ok(())
    })
}
