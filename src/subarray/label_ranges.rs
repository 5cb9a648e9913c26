//! Ranges of the values of dimension labels.

use super::{copy_range, reject_stride, set_range_pointers};
use crate::prelude::*;
use crate::range_output::SizePointers;

/// Adds a range of values of a fixed-size dimension label.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param subarray The subarray.
/// @param label_name The name of the dimension label.
/// @param start Pointer to the lower end, included.
/// @param end Pointer to the upper end, included.
/// @param stride Must be null; strides are not supported.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_label_range(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    label_name: *const c_char,
    start: *const c_void,
    end: *const c_void,
    stride: *const c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let mut ranges = handle::borrow(subarray)?.ranges.write();
        reject_stride(stride)?;
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

/// Adds a range of values of a variable-size dimension label.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param subarray The subarray.
/// @param label_name The name of the dimension label.
/// @param start The lower end, included.
/// @param start_size The size of the lower end in bytes.
/// @param end The upper end, included.
/// @param end_size The size of the upper end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Gets the name of the label that selects the ranges of a dimension.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension, from 0.
/// @param label_name Set to the name, valid until the subarray is freed.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_label_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_idx: u32,
    label_name: *mut *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let subarray = handle::borrow(subarray)?;
        let name = subarray.ranges.read().label_name(dim_idx)?.to_owned();
        arg::out(label_name, "label_name")?.set(subarray.returned.text(&name));
        Ok(())
    })
}

/// Gets a range of a fixed-size label. The pointers are valid until a range is added or the
/// subarray is freed.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param subarray The subarray.
/// @param label_name The name of the dimension label.
/// @param range_idx The index of the range, in the order in which ranges were added.
/// @param start Set to a pointer to the lower end.
/// @param end Set to a pointer to the upper end.
/// @param stride Set to null, unless the pointer itself is null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
    entry::with_context(ctx, |_ctx| {
        let ranges = handle::borrow(subarray)?.ranges.read();
        let name = arg::text(label_name, "label_name")?;
        set_range_pointers(
            ranges.label_range(name, range_idx, "get_label_range")?,
            start,
            end,
            stride,
        )
    })
}

/// Gets the number of ranges of the label.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param subarray The subarray.
/// @param label_name The name of the dimension label.
/// @param range_num Set to the number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_label_range_num(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    label_name: *const c_char,
    range_num: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let ranges = handle::borrow(subarray)?.ranges.read();
        let number = ranges.label_range_num(arg::text(label_name, "label_name")?)?;
        arg::out(range_num, "range_num")?.set(number);
        Ok(())
    })
}

/// Copies the ends of a range of a variable-size label.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param subarray The subarray.
/// @param label_name The name of the dimension label.
/// @param range_idx The index of the range, in the order in which ranges were added.
/// @param start Buffer that receives the lower end.
/// @param end Buffer that receives the upper end. `tiledb_subarray_get_label_range_var_size`
///   returns the sizes of both.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_label_range_var(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    label_name: *const c_char,
    range_idx: u64,
    start: *mut c_void,
    end: *mut c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let ranges = handle::borrow(subarray)?.ranges.read();
        let name = arg::text(label_name, "label_name")?;
        copy_range(
            ranges.label_range(name, range_idx, "get_label_range_var")?,
            start,
            end,
        )
    })
}

/// Gets the sizes of the ends of a range of a variable-size label.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param subarray The subarray.
/// @param label_name The name of the dimension label.
/// @param range_idx The index of the range, in the order in which ranges were added.
/// @param start_size Set to the size of the lower end in bytes.
/// @param end_size Set to the size of the upper end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_label_range_var_size(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    label_name: *const c_char,
    range_idx: u64,
    start_size: *mut u64,
    end_size: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let ranges = handle::borrow(subarray)?.ranges.read();
        let name = arg::text(label_name, "label_name")?;
        let range = ranges.label_range(name, range_idx, "get_label_range_var_size")?;
        SizePointers::new(start_size, end_size)?.set(Some(range));
        Ok(())
    })
}

/// Checks whether a label selects the ranges of a dimension.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param subarray The subarray.
/// @param dim_idx The index of the dimension, from 0.
/// @param has_label_range Set to 1 if a label does, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_has_label_ranges(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_idx: u32,
    has_label_range: *mut i32,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let ranges = handle::borrow(subarray)?.ranges.read();
        let found = ranges.has_label_ranges(dim_idx);
        arg::out(has_label_range, "has_label_range")?.set(i32::from(found));
        Ok(())
    })
}
