//! Filters: one step of what is done to data on its way to storage, with its options.

use parking_lot::Mutex;
use tiledb_engine::filter::{Filter, FilterOption, FilterType};

use crate::prelude::*;

/// A filter with its options.
pub struct tiledb_filter_handle_t {
    pub(crate) filter: Mutex<Filter>,
}

impl tiledb_filter_handle_t {
    /// A handle of its own for a filter.
    pub(crate) fn new(filter: Filter) -> Self {
        Self {
            filter: Mutex::new(filter),
        }
    }
}
/// The name C programs use.
pub type tiledb_filter_t = tiledb_filter_handle_t;

/// Makes a filter with the default options. Free it with `tiledb_filter_free`.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param type_ The kind of filter.
/// @param filter Receives the filter, which the caller owns.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_alloc(
    ctx: *mut tiledb_ctx_t,
    type_: tiledb_filter_type_t,
    filter: *mut *mut tiledb_filter_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let made = FilterType::from_code(type_).and_then(Filter::new);
            let made = made.ok_or_else(|| {
                Error::usage("FilterCreate", format!("Invalid filter type {type_}"))
            })?;
            handle::make(filter, "filter", tiledb_filter_handle_t::new(made))
        })
    }
}

/// Frees a filter and sets the pointer to null. Null is fine at both levels; lists keep their own
/// copy.
///
/// @param filter The filter to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_free(filter: *mut *mut tiledb_filter_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        handle::release(filter);
    }
}

/// Copies the value of an option of a filter.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param filter The filter.
/// @param option The option.
/// @param value Receives the value, of the type that `tiledb_filter_set_option` takes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_get_option(
    ctx: *mut tiledb_ctx_t,
    filter: *mut tiledb_filter_t,
    option: tiledb_filter_option_t,
    value: *mut c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let found = handle::borrow(filter)?.filter.lock();
            let to = arg::out(value.cast::<u8>(), "value")?;
            let option = arg::known(FilterOption::from_code(option), "filter option", option)?;
            to.set_bytes(&found.option(option)?);
            Ok(())
        })
    }
}

/// Tells what kind of filter it is.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param filter The filter.
/// @param type_ Receives the kind.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_get_type(
    ctx: *mut tiledb_ctx_t,
    filter: *mut tiledb_filter_t,
    type_: *mut tiledb_filter_type_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let kind = handle::borrow(filter)?.filter.lock().kind();
            arg::out(type_, "type")?.set(kind.code().into());
            Ok(())
        })
    }
}

/// Finds the value of a text that `tiledb_filter_option_to_str` gives.
///
/// @param str The text.
/// @param filter_option Receives the value.
/// @return `TILEDB_OK`, or `TILEDB_ERR` for an unknown value or a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_option_from_str(
    str: *const c_char,
    filter_option: *mut tiledb_filter_option_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::plain(|| {
            let value = FilterOption::from_name(arg::text(str, "str")?);
            let value = value.ok_or_else(|| Error::usage("C API", "Unknown filter option"))?;
            arg::out(filter_option, "filter_option")?.set(value.code().into());
            Ok(())
        })
    }
}

/// Lends the text of a filter option, valid for ever.
///
/// @param filter_option The value.
/// @param str Receives the text.
/// @return `TILEDB_OK`, or `TILEDB_ERR` for an unknown value or a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_option_to_str(
    filter_option: tiledb_filter_option_t,
    str: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::plain(|| {
            let value = arg::known(
                FilterOption::from_code(filter_option),
                "filter option",
                filter_option,
            )?;
            arg::out(str, "str")?.set(kept::constant(value.name()));
            Ok(())
        })
    }
}

/// Sets an option of a filter. The value is a 32-bit signed integer (compression level), a 32-bit
/// unsigned one (windows), a 64-bit unsigned one (byte width), a double (scale, offset), a float
/// (quality) or a byte (formats, flags, datatypes).
///
/// @param ctx The context; keeps the error if the call fails.
/// @param filter The filter.
/// @param option The option.
/// @param value The value, of the type that the option has.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_set_option(
    ctx: *mut tiledb_ctx_t,
    filter: *mut tiledb_filter_t,
    option: tiledb_filter_option_t,
    value: *const c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let filter = handle::borrow(filter)?;
            let option = arg::known(FilterOption::from_code(option), "filter option", option)?;
            let value = match value.is_null() {
                true => None,
                false => Some(arg::bytes(value, option.physical().size() as u64, "value")?),
            };
            filter.filter.lock().set_option(option, value)
        })
    }
}

/// Finds the value of a text that `tiledb_filter_type_to_str` gives.
///
/// @param str The text.
/// @param filter_type Receives the value.
/// @return `TILEDB_OK`, or `TILEDB_ERR` for an unknown value or a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_type_from_str(
    str: *const c_char,
    filter_type: *mut tiledb_filter_type_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::plain(|| {
            let value = FilterType::from_name(arg::text(str, "str")?);
            let value = value.ok_or_else(|| Error::usage("C API", "Unknown filter type"))?;
            arg::out(filter_type, "filter_type")?.set(value.code().into());
            Ok(())
        })
    }
}

/// Lends the text of a kind of filter, valid for ever.
///
/// @param filter_type The value.
/// @param str Receives the text.
/// @return `TILEDB_OK`, or `TILEDB_ERR` for an unknown value or a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_type_to_str(
    filter_type: tiledb_filter_type_t,
    str: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::plain(|| {
            let value = arg::known(
                FilterType::from_code(filter_type),
                "filter type",
                filter_type,
            )?;
            arg::out(str, "str")?.set(kept::constant(value.name()));
            Ok(())
        })
    }
}
