//! Filters: what is done to the bytes of a chunk, with its options.

use tiledb_engine::filter::{Filter, FilterOption, FilterType};
use tiledb_engine::platform::lock::RwLock;

use crate::prelude::*;

/// A filter and its options.
pub struct tiledb_filter_handle_t {
    pub(crate) filter: RwLock<Filter>,
}
/// The name C programs use.
pub type tiledb_filter_t = tiledb_filter_handle_t;

impl tiledb_filter_handle_t {
    /// A handle of its own for a filter.
    pub(crate) fn new(filter: Filter) -> Self {
        Self {
            filter: RwLock::new(filter),
        }
    }
}

/// The option of a code, or an error that names it.
fn option_of(code: tiledb_filter_option_t) -> Result<FilterOption> {
    arg::known(FilterOption::from_code(code), "filter option", code)
}

/// Makes a filter with default options.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param type What it does, one of `TILEDB_FILTER_*`.
/// @param filter Receives the filter; free it with `tiledb_filter_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_alloc(
    ctx: *mut tiledb_ctx_t,
    r#type: tiledb_filter_type_t,
    filter: *mut *mut tiledb_filter_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let made = FilterType::from_code(r#type)
            .and_then(Filter::new)
            .ok_or_else(|| Error::usage("FilterCreate", format!("Invalid filter type {}", r#type)))?;
        handle::make(filter, "filter", tiledb_filter_t::new(made))
    })
}

/// Frees a filter. Lists it was added to keep their copy.
///
/// @param filter The handle; null afterwards. Null is accepted, and so is a pointer to null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_free(filter: *mut *mut tiledb_filter_t) {
    handle::release(filter);
}

/// Gets an option.
///
/// The type of the value is the option's: `TILEDB_COMPRESSION_LEVEL` is an `int32_t`; the two windows are `uint32_t`,
/// in bytes; `TILEDB_SCALE_FLOAT_BYTEWIDTH` is a `uint64_t`, factor and offset are `double`; `TILEDB_WEBP_QUALITY` is
/// a `float`, format and lossless are `uint8_t`; `TILEDB_COMPRESSION_REINTERPRET_DATATYPE` is a `uint8_t` that holds
/// a `tiledb_datatype_t`. It is an error if the filter has no such option.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param filter The filter.
/// @param option Which option.
/// @param value Receives the value; must have room for its type.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_get_option(
    ctx: *mut tiledb_ctx_t,
    filter: *mut tiledb_filter_t,
    option: tiledb_filter_option_t,
    value: *mut c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let filter = handle::borrow(filter)?;
        let value = arg::out(value.cast::<u8>(), "value")?;
        value.set_all(&filter.filter.read().option(option_of(option)?)?);
        Ok(())
    })
}

/// Gets what a filter does.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param filter The filter.
/// @param type Receives the type, one of `TILEDB_FILTER_*`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_get_type(
    ctx: *mut tiledb_ctx_t,
    filter: *mut tiledb_filter_t,
    r#type: *mut tiledb_filter_type_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let filter = handle::borrow(filter)?;
        arg::out(r#type, "type")?.set(filter.filter.read().kind().code().into());
        Ok(())
    })
}

/// Gives the filter option for its text.
///
/// @param str The text, as "COMPRESSION_LEVEL".
/// @param filter_option Receives the filter option.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_option_from_str(
    str: *const c_char,
    filter_option: *mut tiledb_filter_option_t,
) -> capi_return_t {
    entry::plain(|| {
        let value = FilterOption::from_name(arg::text(str, "str")?);
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown filter option"))?;
        arg::out(filter_option, "filter_option")?.set(value.code().into());
        Ok(())
    })
}

/// Gives the text for a filter option, as "COMPRESSION_LEVEL".
///
/// @param filter_option The filter option.
/// @param str Receives the text, which lives as long as the library; an empty one if there is no such value.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_option_to_str(
    filter_option: tiledb_filter_option_t,
    str: *mut *const c_char,
) -> capi_return_t {
    entry::plain(|| {
        let str = arg::out(str, "str")?;
        let value = FilterOption::from_code(filter_option);
        str.set(kept::constant(value.map_or("", FilterOption::name)));
        arg::known(value, "filter option", filter_option)?;
        Ok(())
    })
}

/// Sets an option.
///
/// The type of the value is as in `tiledb_filter_get_option`. Lists that the filter was added to before keep the old
/// value. It is an error if the filter has no such option, or the value is out of its range.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param filter The filter.
/// @param option Which option.
/// @param value Points to the value.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_set_option(
    ctx: *mut tiledb_ctx_t,
    filter: *mut tiledb_filter_t,
    option: tiledb_filter_option_t,
    value: *const c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let filter = handle::borrow(filter)?;
        let option = option_of(option)?;
        let value = arg::optional_bytes(value, option.physical().size());
        filter.filter.write().set_option(option, value)
    })
}

/// Gives the filter type for its text.
///
/// @param str The text, as "ZSTD".
/// @param filter_type Receives the filter type.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_type_from_str(
    str: *const c_char,
    filter_type: *mut tiledb_filter_type_t,
) -> capi_return_t {
    entry::plain(|| {
        let value = FilterType::from_name(arg::text(str, "str")?);
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown filter type"))?;
        arg::out(filter_type, "filter_type")?.set(value.code().into());
        Ok(())
    })
}

/// Gives the text for a filter type, as "ZSTD".
///
/// @param filter_type The filter type.
/// @param str Receives the text, which lives as long as the library; an empty one if there is no such value.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_type_to_str(
    filter_type: tiledb_filter_type_t,
    str: *mut *const c_char,
) -> capi_return_t {
    entry::plain(|| {
        let str = arg::out(str, "str")?;
        // The internal ones have no text.
        let hidden = [FilterType::Aes256Gcm, FilterType::Deprecated];
        let value = FilterType::from_code(filter_type).filter(|value| !hidden.contains(value));
        str.set(kept::constant(value.map_or("", FilterType::name)));
        arg::known(value, "filter type", filter_type)?;
        Ok(())
    })
}
