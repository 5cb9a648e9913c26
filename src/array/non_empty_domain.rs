//! The non-empty domain of arrays: the smallest rectangle that contains every written cell.
//!
//! All functions require an array that is open for reading. If no cell was written, they set
//! `is_empty` to 1 and do not write the other output parameters.

use tiledb_engine::internal::array::{DimensionKey, RangeRequest};
use tiledb_engine::internal::types::Range;

use crate::prelude::*;
use crate::range_output::{EndPointers, SizePointers, set_both};

/// Returns the range of one dimension, or `None` if the array has no cells.
unsafe fn range(
    array: *mut tiledb_array_t,
    key: DimensionKey<'_>,
    form: RangeRequest,
) -> Result<Option<Range>> {
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    unsafe { handle::borrow(array)? }
        .array
        .non_empty_range(key, form)
}

/// Reads the name of a dimension, which must not be null.
unsafe fn field_name<'a>(name: *const c_char) -> Result<&'a str> {
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    unsafe { arg::text_or(name, "name", "Pointer to field name may not be NULL") }
}

/// Gets the non-empty domain of an array whose dimensions all have the same fixed-size datatype.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, open for reading.
/// @param domain Buffer for two values per dimension, which receives the lower and upper end of
///   each.
/// @param is_empty Set to 1 if no cell was written, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    domain: *mut c_void,
    is_empty: *mut i32,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let array = handle::borrow(array)?;
        let to = arg::out(domain.cast::<u8>(), "domain")?;
        let empty = arg::out(is_empty, "is_empty")?;
        let bounds = array.array.non_empty_bounds()?;
        empty.set(bounds.is_none().into());
        if let Some(bounds) = bounds {
            to.set_all(&bounds);
        }
        Ok(())
    })
}

/// Gets the non-empty domain of a fixed-size dimension by its index.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, open for reading.
/// @param idx The index of the dimension, starting at 0.
/// @param domain Buffer for two values of the datatype, which receives the lower and the upper end.
/// @param is_empty Set to 1 if no cell was written, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain_from_index(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    idx: u32,
    domain: *mut c_void,
    is_empty: *mut i32,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let key = DimensionKey::Index(idx);
        let to = arg::out(domain.cast::<u8>(), "domain")?;
        let empty = arg::out(is_empty, "is_empty")?;
        let range = range(array, key, RangeRequest::Fixed)?;
        empty.set(range.is_none().into());
        if let Some(range) = range {
            set_both(to, &range);
        }
        Ok(())
    })
}

/// Gets the non-empty domain of a fixed-size dimension by its name.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, open for reading.
/// @param name The name of the dimension.
/// @param domain Buffer for two values of the datatype, which receives the lower and the upper end.
/// @param is_empty Set to 1 if no cell was written, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain_from_name(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    name: *const c_char,
    domain: *mut c_void,
    is_empty: *mut i32,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let key = DimensionKey::Name(field_name(name)?);
        let to = arg::out(domain.cast::<u8>(), "domain")?;
        let empty = arg::out(is_empty, "is_empty")?;
        let range = range(array, key, RangeRequest::Fixed)?;
        empty.set(range.is_none().into());
        if let Some(range) = range {
            set_both(to, &range);
        }
        Ok(())
    })
}

/// Gets the non-empty domain of a variable-size dimension by its index.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, open for reading.
/// @param idx The index of the dimension, starting at 0.
/// @param start Buffer that receives the lower end.
/// @param end Buffer that receives the upper end.
///   `tiledb_array_get_non_empty_domain_var_size_from_index` returns the sizes of both buffers.
/// @param is_empty Set to 1 if no cell was written, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain_var_from_index(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    idx: u32,
    start: *mut c_void,
    end: *mut c_void,
    is_empty: *mut i32,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let key = DimensionKey::Index(idx);
        let to = EndPointers::new(start, end)?;
        let empty = arg::out(is_empty, "is_empty")?;
        let range = range(array, key, RangeRequest::Var)?;
        empty.set(range.is_none().into());
        if let Some(range) = range {
            to.set(&range);
        }
        Ok(())
    })
}

/// Gets the non-empty domain of a variable-size dimension by its name.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, open for reading.
/// @param name The name of the dimension.
/// @param start Buffer that receives the lower end.
/// @param end Buffer that receives the upper end.
///   `tiledb_array_get_non_empty_domain_var_size_from_name` returns the sizes of both buffers.
/// @param is_empty Set to 1 if no cell was written, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain_var_from_name(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    name: *const c_char,
    start: *mut c_void,
    end: *mut c_void,
    is_empty: *mut i32,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let key = DimensionKey::Name(field_name(name)?);
        let to = EndPointers::new(start, end)?;
        let empty = arg::out(is_empty, "is_empty")?;
        let range = range(array, key, RangeRequest::Var)?;
        empty.set(range.is_none().into());
        if let Some(range) = range {
            to.set(&range);
        }
        Ok(())
    })
}

/// Gets the sizes of the ends of the non-empty domain of a variable-size dimension by its index.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, open for reading.
/// @param idx The index of the dimension, starting at 0.
/// @param start_size Set to the size of the lower end in bytes; 0 if no cell was written.
/// @param end_size Set to the size of the upper end in bytes; 0 if no cell was written.
/// @param is_empty Set to 1 if no cell was written, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain_var_size_from_index(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    idx: u32,
    start_size: *mut u64,
    end_size: *mut u64,
    is_empty: *mut i32,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let key = DimensionKey::Index(idx);
        let to = SizePointers::new(start_size, end_size)?;
        let empty = arg::out(is_empty, "is_empty")?;
        let range = range(array, key, RangeRequest::Var)?;
        empty.set(range.is_none().into());
        to.set(range.as_ref());
        Ok(())
    })
}

/// Gets the sizes of the ends of the non-empty domain of a variable-size dimension by its name.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, open for reading.
/// @param name The name of the dimension.
/// @param start_size Set to the size of the lower end in bytes; 0 if no cell was written.
/// @param end_size Set to the size of the upper end in bytes; 0 if no cell was written.
/// @param is_empty Set to 1 if no cell was written, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain_var_size_from_name(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    name: *const c_char,
    start_size: *mut u64,
    end_size: *mut u64,
    is_empty: *mut i32,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let key = DimensionKey::Name(field_name(name)?);
        let to = SizePointers::new(start_size, end_size)?;
        let empty = arg::out(is_empty, "is_empty")?;
        let range = range(array, key, RangeRequest::Var)?;
        empty.set(range.is_none().into());
        to.set(range.as_ref());
        Ok(())
    })
}
