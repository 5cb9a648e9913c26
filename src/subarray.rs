//! Subarrays: the ranges of each dimension that a query reads or writes.

use parking_lot::RwLock;
use tiledb_engine::query::subarray::Subarray;
use tiledb_engine::types::Range;

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

fn refuse_stride(stride: *const c_void) -> Result<()> {
    match stride.is_null() {
        true => Ok(()),
        false => Err(Error::usage("C API", "Stride is currently unsupported")),
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

/// Adds a range to a dimension by the values of one of its labels, of fixed size.
///
/// Status: experimental.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param subarray The subarray.
/// @param label_name The name of the dimension label.
/// @param start The low end, included.
/// @param end The high end, included.
/// @param stride Must be null; strides are not supported.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_label_range(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    label_name: *const c_char,
    start: *const c_void,
    end: *const c_void,
    stride: *const c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let mut ranges = handle::borrow(subarray)?.ranges.write();
            refuse_stride(stride)?;
            if start.is_null() || end.is_null() {
                return Err(Error::usage("Subarray", "[add_label_range] Invalid range"));
            }
            let name = arg::text(label_name, "label_name")?;
            let size = ranges.label_value_size(name)? as u64;
            let (start, end) = (
                arg::bytes(start, size, "start")?,
                arg::bytes(end, size, "end")?,
            );
            ranges.add_label_range(name, start, end)
        })
    }
}

/// Adds a range to a dimension by the values of one of its labels, of variable size.
///
/// Status: experimental.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param subarray The subarray.
/// @param label_name The name of the dimension label.
/// @param start The low end, included.
/// @param start_size The size of the low end in bytes.
/// @param end The high end, included.
/// @param end_size The size of the high end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_label_range_var(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    label_name: *const c_char,
    start: *const c_void,
    start_size: u64,
    end: *const c_void,
    end_size: u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let mut ranges = handle::borrow(subarray)?.ranges.write();
            if (start.is_null() && start_size > 0) || (end.is_null() && end_size > 0) {
                return Err(Error::usage(
                    "Subarray",
                    "[add_label_range_var] Invalid range",
                ));
            }
            let (start, end) = (
                arg::bytes(start, start_size, "start")?,
                arg::bytes(end, end_size, "end")?,
            );
            ranges.add_label_range_var(arg::text(label_name, "label_name")?, start, end)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            add_range(subarray, |_| Ok(dim_idx), start, end, stride)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let ends = (var_end(start, start_size)?, var_end(end, end_size)?);
            handle::borrow(subarray)?
                .ranges
                .write()
                .add_range_var(dim_idx, ends.0, ends.1)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let ends = (var_end(start, start_size)?, var_end(end, end_size)?);
            let mut ranges = handle::borrow(subarray)?.ranges.write();
            let dim = ranges.dimension_index(arg::text(dim_name, "dim_name")?)?;
            ranges.add_range_var(dim, ends.0, ends.1)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
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
}

/// Frees a subarray and sets the pointer to null. Null is fine at both levels.
///
/// @param subarray The subarray to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_free(subarray: *mut *mut tiledb_subarray_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        handle::release(subarray);
    }
}

/// Lends the name of the label that the ranges of a dimension are given by.
///
/// Status: experimental.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension, from 0.
/// @param label_name Receives the name, valid as long as the subarray.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_label_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_idx: u32,
    label_name: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let subarray = handle::borrow(subarray)?;
            let name = subarray.ranges.read().label_name(dim_idx)?.to_owned();
            arg::out(label_name, "label_name")?.set(subarray.kept.text(&name));
            Ok(())
        })
    }
}

/// Lends a range of a label of fixed size.
///
/// Status: experimental.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param subarray The subarray.
/// @param label_name The name of the dimension label.
/// @param range_idx The index of the range, in the order of adding.
/// @param start Receives a pointer to the low end.
/// @param end Receives a pointer to the high end.
/// @param stride Receives null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_label_range(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    label_name: *const c_char,
    range_idx: u64,
    start: *mut *const c_void,
    end: *mut *const c_void,
    stride: *mut *const c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let ranges = handle::borrow(subarray)?.ranges.read();
            let name = arg::text(label_name, "label_name")?;
            lend(
                ranges.label_range(name, range_idx, "get_label_range")?,
                start,
                end,
                stride,
            )
        })
    }
}

/// Tells how many ranges a label has.
///
/// Status: experimental.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param subarray The subarray.
/// @param label_name The name of the dimension label.
/// @param range_num Receives the number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_label_range_num(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    label_name: *const c_char,
    range_num: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let ranges = handle::borrow(subarray)?.ranges.read();
            let number = ranges.label_range_num(arg::text(label_name, "label_name")?)?;
            arg::out(range_num, "range_num")?.set(number);
            Ok(())
        })
    }
}

/// Copies the ends of a range of a label of variable size.
///
/// Status: experimental.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param subarray The subarray.
/// @param label_name The name of the dimension label.
/// @param range_idx The index of the range, in the order of adding.
/// @param start Receives the bytes of the low end.
/// @param end Receives the bytes of the high end.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_label_range_var(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    label_name: *const c_char,
    range_idx: u64,
    start: *mut c_void,
    end: *mut c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let ranges = handle::borrow(subarray)?.ranges.read();
            let name = arg::text(label_name, "label_name")?;
            copy_out(
                ranges.label_range(name, range_idx, "get_label_range_var")?,
                start,
                end,
            )
        })
    }
}

/// Tells the sizes of the ends of a range of a label of variable size.
///
/// Status: experimental.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param subarray The subarray.
/// @param label_name The name of the dimension label.
/// @param range_idx The index of the range, in the order of adding.
/// @param start_size Receives the size of the low end in bytes.
/// @param end_size Receives the size of the high end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_label_range_var_size(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    label_name: *const c_char,
    range_idx: u64,
    start_size: *mut u64,
    end_size: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let ranges = handle::borrow(subarray)?.ranges.read();
            let name = arg::text(label_name, "label_name")?;
            let range = ranges.label_range(name, range_idx, "get_label_range_var_size")?;
            arg::out(start_size, "start_size")?.set(range.start().len() as u64);
            arg::out(end_size, "end_size")?.set(range.end().len() as u64);
            Ok(())
        })
    }
}

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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let ranges = handle::borrow(subarray)?.ranges.read();
            lend(ranges.range(dim_idx, range_idx)?, start, end, stride)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let ranges = handle::borrow(subarray)?.ranges.read();
            let dim = ranges.dimension_index(arg::text(dim_name, "dim_name")?)?;
            lend(ranges.range(dim, range_idx)?, start, end, stride)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let number = handle::borrow(subarray)?.ranges.read().range_num(dim_idx)?;
            arg::out(range_num, "range_num")?.set(number);
            Ok(())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let ranges = handle::borrow(subarray)?.ranges.read();
            let dim = ranges.dimension_index(arg::text(dim_name, "dim_name")?)?;
            arg::out(range_num, "range_num")?.set(ranges.range_num(dim)?);
            Ok(())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let ranges = handle::borrow(subarray)?.ranges.read();
            copy_out(ranges.var_range(dim_idx, range_idx)?, start, end)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let ranges = handle::borrow(subarray)?.ranges.read();
            let dim = ranges.dimension_index(arg::text(dim_name, "dim_name")?)?;
            copy_out(ranges.var_range(dim, range_idx)?, start, end)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let ranges = handle::borrow(subarray)?.ranges.read();
            let range = ranges.var_range(dim_idx, range_idx)?;
            arg::out(start_size, "start_size")?.set(range.start().len() as u64);
            arg::out(end_size, "end_size")?.set(range.end().len() as u64);
            Ok(())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let ranges = handle::borrow(subarray)?.ranges.read();
            let dim = ranges.dimension_index(arg::text(dim_name, "dim_name")?)?;
            let range = ranges.var_range(dim, range_idx)?;
            arg::out(start_size, "start_size")?.set(range.start().len() as u64);
            arg::out(end_size, "end_size")?.set(range.end().len() as u64);
            Ok(())
        })
    }
}

/// Tells whether the ranges of a dimension are given by one of its labels.
///
/// Status: experimental.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension, from 0.
/// @param has_label_range Receives 1 or 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_has_label_ranges(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_idx: u32,
    has_label_range: *mut i32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let ranges = handle::borrow(subarray)?.ranges.read();
            let found = ranges.has_label_ranges(dim_idx);
            arg::out(has_label_range, "has_label_range")?.set(i32::from(found));
            Ok(())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            handle::borrow(subarray)?
                .ranges
                .write()
                .set_coalesce(coalesce_ranges != 0)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let subarray = handle::borrow(subarray)?;
            let config = handle::borrow(config)?.config();
            subarray.ranges.write().set_config(&config)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
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
}
