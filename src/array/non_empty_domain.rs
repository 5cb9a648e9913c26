//! The non-empty domain of arrays: the smallest rectangle that holds every cell that was written.
//!
//! All functions want an array that is open for reading. `is_empty` gets 1 where no cell was written, and the ends are
//! not touched then.

use tiledb_engine::array::{DimensionKey, RangeForm};
use tiledb_engine::types::Range;

use crate::ends::{Ends, Sizes, set_both};
use crate::prelude::*;

/// The range of one dimension; `None` where there are no cells.
unsafe fn range(
    array: *mut tiledb_array_t,
    key: DimensionKey<'_>,
    form: RangeForm,
) -> Result<Option<Range>> {
    // SAFETY: the caller's contract.
    unsafe { handle::borrow(array)? }
        .array
        .non_empty_range(key, form)
}

/// The name of a dimension, which must not be null.
unsafe fn field_name<'a>(name: *const c_char) -> Result<&'a str> {
    // SAFETY: the caller's contract.
    unsafe { arg::text_or(name, "name", "Pointer to field name may not be NULL") }
}

/// Gives the non-empty domain of an array whose dimensions have one datatype of fixed size.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open for reading.
/// @param domain Gets low and high end of each dimension, one after the other; needs room for two values a dimension.
/// @param is_empty Gets 1 if no cell was written, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Gives the non-empty domain of one fixed-size dimension, by index.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open for reading.
/// @param idx The index of the dimension, from 0 on.
/// @param domain Gets low and high end, one after the other; needs room for two values.
/// @param is_empty Gets 1 if no cell was written, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
        let range = range(array, key, RangeForm::Fixed)?;
        empty.set(range.is_none().into());
        if let Some(range) = range {
            set_both(to, &range);
        }
        Ok(())
    })
}

/// Gives the non-empty domain of one fixed-size dimension, by name.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open for reading.
/// @param name The name of the dimension.
/// @param domain Gets low and high end, one after the other; needs room for two values.
/// @param is_empty Gets 1 if no cell was written, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
        let range = range(array, key, RangeForm::Fixed)?;
        empty.set(range.is_none().into());
        if let Some(range) = range {
            set_both(to, &range);
        }
        Ok(())
    })
}

/// Gives the non-empty domain of one variable-size dimension, by index.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open for reading.
/// @param idx The index of the dimension, from 0 on.
/// @param start Gets the low end; needs room for as many bytes as `tiledb_array_get_non_empty_domain_var_size_from_index` says.
/// @param end Gets the high end; the same.
/// @param is_empty Gets 1 if no cell was written, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
        let to = Ends::at(start, end)?;
        let empty = arg::out(is_empty, "is_empty")?;
        let range = range(array, key, RangeForm::Var)?;
        empty.set(range.is_none().into());
        if let Some(range) = range {
            to.set(&range);
        }
        Ok(())
    })
}

/// Gives the non-empty domain of one variable-size dimension, by name.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open for reading.
/// @param name The name of the dimension.
/// @param start Gets the low end; needs room for as many bytes as `tiledb_array_get_non_empty_domain_var_size_from_name` says.
/// @param end Gets the high end; the same.
/// @param is_empty Gets 1 if no cell was written, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
        let to = Ends::at(start, end)?;
        let empty = arg::out(is_empty, "is_empty")?;
        let range = range(array, key, RangeForm::Var)?;
        empty.set(range.is_none().into());
        if let Some(range) = range {
            to.set(&range);
        }
        Ok(())
    })
}

/// Gives the sizes of the non-empty domain of one variable-size dimension, by index.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open for reading.
/// @param idx The index of the dimension, from 0 on.
/// @param start_size Gets the size of the low end in bytes; 0 if no cell was written.
/// @param end_size Gets the size of the high end in bytes; 0 if no cell was written.
/// @param is_empty Gets 1 if no cell was written, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
        let to = Sizes::at(start_size, end_size)?;
        let empty = arg::out(is_empty, "is_empty")?;
        let range = range(array, key, RangeForm::Var)?;
        empty.set(range.is_none().into());
        to.set(range.as_ref());
        Ok(())
    })
}

/// Gives the sizes of the non-empty domain of one variable-size dimension, by name.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open for reading.
/// @param name The name of the dimension.
/// @param start_size Gets the size of the low end in bytes; 0 if no cell was written.
/// @param end_size Gets the size of the high end in bytes; 0 if no cell was written.
/// @param is_empty Gets 1 if no cell was written, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
        let to = Sizes::at(start_size, end_size)?;
        let empty = arg::out(is_empty, "is_empty")?;
        let range = range(array, key, RangeForm::Var)?;
        empty.set(range.is_none().into());
        to.set(range.as_ref());
        Ok(())
    })
}
