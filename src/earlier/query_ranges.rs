//! Functions that change and get the ranges of a query without a subarray.

use tiledb_engine::internal::subarray::Subarray;

use crate::prelude::*;
use crate::range_output::SizePointers;
use crate::subarray::add_ranges::{add_points, add_range, var_end};
use crate::subarray::{copy_range, set_all, set_range_pointers};

/// Changes a copy of the ranges of a query, which replaces them if that succeeds.
unsafe fn change(
    query: *mut tiledb_query_t,
    body: impl FnOnce(&mut Subarray) -> Result<()>,
) -> Result<()> {
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    let query = unsafe { handle::borrow(query) }?;
    let mut query = query.query();
    let mut ranges = query.request().subarray.clone();
    body(&mut ranges)?;
    query.set_subarray(&ranges)
}

/// Sets one range per dimension. All dimensions must have the same fixed-size datatype.
///
/// Deprecated: use `tiledb_subarray_set_subarray` and `tiledb_query_set_subarray_t`. libtiledb 2.30
/// does not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param subarray The lower and the upper end of each dimension, both included, stored
///   consecutively.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_subarray(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    subarray: *const c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_| change(query, |ranges| set_all(ranges, subarray)))
}

/// Adds a range to a fixed-size dimension. The first range replaces the default range, which is the
/// complete domain.
///
/// Deprecated: use `tiledb_subarray_add_range` and `tiledb_query_set_subarray_t`. libtiledb 2.30
/// does not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param dim_idx The index of the dimension, from 0.
/// @param start Pointer to the lower end, included; a value of the datatype of the dimension.
/// @param end Pointer to the upper end, included.
/// @param stride Must be null; strides are not supported.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_add_range(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    dim_idx: u32,
    start: *const c_void,
    end: *const c_void,
    stride: *const c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        change(query, |ranges| {
            add_range(ranges, |_| Ok(dim_idx), start, end, stride)
        })
    })
}

/// Adds a range to a fixed-size dimension, which is selected by name.
///
/// Deprecated: use `tiledb_subarray_add_range_by_name` and `tiledb_query_set_subarray_t`. libtiledb
/// 2.30 does not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param dim_name The name of the dimension.
/// @param start Pointer to the lower end, included; a value of the datatype of the dimension.
/// @param end Pointer to the upper end, included.
/// @param stride Must be null; strides are not supported.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_add_range_by_name(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    dim_name: *const c_char,
    start: *const c_void,
    end: *const c_void,
    stride: *const c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let name = arg::text(dim_name, "dim_name")?;
        change(query, |ranges| {
            add_range(
                ranges,
                |ranges| ranges.dimension_index(name),
                start,
                end,
                stride,
            )
        })
    })
}

/// Adds `count` ranges of one coordinate each to a fixed-size dimension.
///
/// Deprecated: use `tiledb_subarray_add_point_ranges` and `tiledb_query_set_subarray_t`. libtiledb
/// 2.30 does not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param dim_idx The index of the dimension, from 0.
/// @param start The coordinates, stored consecutively.
/// @param count The number of coordinates.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_add_point_ranges(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    dim_idx: u32,
    start: *const c_void,
    count: u64,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        change(query, |ranges| add_points(ranges, dim_idx, start, count))
    })
}

/// Adds a range to a variable-size dimension.
///
/// Deprecated: use `tiledb_subarray_add_range_var` and `tiledb_query_set_subarray_t`. libtiledb
/// 2.30 does not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param dim_idx The index of the dimension, from 0.
/// @param start The lower end, included; null with size 0 for an open end.
/// @param start_size The size of the lower end in bytes.
/// @param end The upper end, included; null with size 0 for an open end.
/// @param end_size The size of the upper end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_add_range_var(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    dim_idx: u32,
    start: *const c_void,
    start_size: u64,
    end: *const c_void,
    end_size: u64,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let (start, end) = (var_end(start, start_size)?, var_end(end, end_size)?);
        change(query, |ranges| ranges.add_range_var(dim_idx, start, end))
    })
}

/// Adds a range to a variable-size dimension, which is selected by name.
///
/// Deprecated: use `tiledb_subarray_add_range_var_by_name` and `tiledb_query_set_subarray_t`.
/// libtiledb 2.30 does not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param dim_name The name of the dimension.
/// @param start The lower end, included; null with size 0 for an open end.
/// @param start_size The size of the lower end in bytes.
/// @param end The upper end, included; null with size 0 for an open end.
/// @param end_size The size of the upper end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_add_range_var_by_name(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    dim_name: *const c_char,
    start: *const c_void,
    start_size: u64,
    end: *const c_void,
    end_size: u64,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let (start, end) = (var_end(start, start_size)?, var_end(end, end_size)?);
        let name = arg::text(dim_name, "dim_name")?;
        change(query, |ranges| {
            let dim = ranges.dimension_index(name)?;
            ranges.add_range_var(dim, start, end)
        })
    })
}

/// Gets the number of ranges of a dimension.
///
/// Deprecated: use `tiledb_query_get_subarray_t` and `tiledb_subarray_get_range_num`. libtiledb
/// 2.30 does not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param dim_idx The index of the dimension, from 0.
/// @param range_num Set to the number; 1 if no range was added.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_range_num(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    dim_idx: u32,
    range_num: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let query = handle::borrow(query)?.query();
        let ranges = &query.request().subarray;
        let number = ranges.range_num(dim_idx)?;
        arg::out(range_num, "range_num")?.set(number);
        Ok(())
    })
}

/// Gets the number of ranges of a dimension, which is selected by name.
///
/// Deprecated: use `tiledb_query_get_subarray_t` and `tiledb_subarray_get_range_num_from_name`.
/// libtiledb 2.30 does not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param dim_name The name of the dimension.
/// @param range_num Set to the number; 1 if no range was added.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_range_num_from_name(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    dim_name: *const c_char,
    range_num: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let query = handle::borrow(query)?.query();
        let ranges = &query.request().subarray;
        let dim = ranges.dimension_index(arg::text(dim_name, "dim_name")?)?;
        let number = ranges.range_num(dim)?;
        arg::out(range_num, "range_num")?.set(number);
        Ok(())
    })
}

/// Gets a range of a fixed-size dimension.
///
/// Deprecated: use `tiledb_query_get_subarray_t` and `tiledb_subarray_get_range`. libtiledb 2.30
/// does not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param dim_idx The index of the dimension, from 0.
/// @param range_idx The index of the range, in the order in which ranges were added.
/// @param start Set to a pointer to the lower end, which is valid until the ranges of the query are
///   changed, or the query is submitted or freed.
/// @param end Set to a pointer to the upper end, valid as long.
/// @param stride Set to null, unless the pointer itself is null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_range(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    dim_idx: u32,
    range_idx: u64,
    start: *mut *const c_void,
    end: *mut *const c_void,
    stride: *mut *const c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let query = handle::borrow(query)?.query();
        let ranges = &query.request().subarray;
        set_range_pointers(ranges.range(dim_idx, range_idx)?, start, end, stride)
    })
}

/// Gets a range of a fixed-size dimension, which is selected by name.
///
/// Deprecated: use `tiledb_query_get_subarray_t` and `tiledb_subarray_get_range_from_name`.
/// libtiledb 2.30 does not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param dim_name The name of the dimension.
/// @param range_idx The index of the range, in the order in which ranges were added.
/// @param start Set to a pointer to the lower end, which is valid until the ranges of the query are
///   changed, or the query is submitted or freed.
/// @param end Set to a pointer to the upper end, valid as long.
/// @param stride Set to null, unless the pointer itself is null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_range_from_name(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    dim_name: *const c_char,
    range_idx: u64,
    start: *mut *const c_void,
    end: *mut *const c_void,
    stride: *mut *const c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let query = handle::borrow(query)?.query();
        let ranges = &query.request().subarray;
        let dim = ranges.dimension_index(arg::text(dim_name, "dim_name")?)?;
        set_range_pointers(ranges.range(dim, range_idx)?, start, end, stride)
    })
}

/// Gets the sizes of the ends of a range of a variable-size dimension.
///
/// Deprecated: use `tiledb_query_get_subarray_t` and `tiledb_subarray_get_range_var_size`.
/// libtiledb 2.30 does not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param dim_idx The index of the dimension, from 0.
/// @param range_idx The index of the range, in the order in which ranges were added.
/// @param start_size Set to the size of the lower end in bytes.
/// @param end_size Set to the size of the upper end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_range_var_size(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    dim_idx: u32,
    range_idx: u64,
    start_size: *mut u64,
    end_size: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let query = handle::borrow(query)?.query();
        let ranges = &query.request().subarray;
        let range = ranges.var_range(dim_idx, range_idx)?;
        SizePointers::new(start_size, end_size)?.set(Some(range));
        Ok(())
    })
}

/// Gets the sizes of the ends of a range of a variable-size dimension, which is selected by name.
///
/// Deprecated: use `tiledb_query_get_subarray_t` and
/// `tiledb_subarray_get_range_var_size_from_name`. libtiledb 2.30 does not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param dim_name The name of the dimension.
/// @param range_idx The index of the range, in the order in which ranges were added.
/// @param start_size Set to the size of the lower end in bytes.
/// @param end_size Set to the size of the upper end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_range_var_size_from_name(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    dim_name: *const c_char,
    range_idx: u64,
    start_size: *mut u64,
    end_size: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let query = handle::borrow(query)?.query();
        let ranges = &query.request().subarray;
        let dim = ranges.dimension_index(arg::text(dim_name, "dim_name")?)?;
        let range = ranges.var_range(dim, range_idx)?;
        SizePointers::new(start_size, end_size)?.set(Some(range));
        Ok(())
    })
}

/// Copies the ends of a range of a variable-size dimension.
///
/// Deprecated: use `tiledb_query_get_subarray_t` and `tiledb_subarray_get_range_var`. libtiledb
/// 2.30 does not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param dim_idx The index of the dimension, from 0.
/// @param range_idx The index of the range, in the order in which ranges were added.
/// @param start Buffer that receives the lower end.
/// @param end Buffer that receives the upper end.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_range_var(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    dim_idx: u32,
    range_idx: u64,
    start: *mut c_void,
    end: *mut c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let query = handle::borrow(query)?.query();
        let ranges = &query.request().subarray;
        copy_range(ranges.var_range(dim_idx, range_idx)?, start, end)
    })
}

/// Copies the ends of a range of a variable-size dimension, which is selected by name.
///
/// Deprecated: use `tiledb_query_get_subarray_t` and `tiledb_subarray_get_range_var_from_name`.
/// libtiledb 2.30 does not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param dim_name The name of the dimension.
/// @param range_idx The index of the range, in the order in which ranges were added.
/// @param start Buffer that receives the lower end.
/// @param end Buffer that receives the upper end.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_range_var_from_name(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    dim_name: *const c_char,
    range_idx: u64,
    start: *mut c_void,
    end: *mut c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let query = handle::borrow(query)?.query();
        let ranges = &query.request().subarray;
        let dim = ranges.dimension_index(arg::text(dim_name, "dim_name")?)?;
        copy_range(ranges.var_range(dim, range_idx)?, start, end)
    })
}
