//! Filters: transformations of the bytes of a chunk, and their options.

use tiledb_engine::internal::filter::{Filter, FilterOption, FilterType};
use tiledb_engine::internal::platform::lock::RwLock;

use crate::prelude::*;

/// A filter and its options.
pub struct tiledb_filter_handle_t {
    pub(crate) filter: RwLock<Filter>,
}
/// Name of the type in C programs.
pub type tiledb_filter_t = tiledb_filter_handle_t;

impl tiledb_filter_handle_t {
    /// Creates a handle that owns a filter.
    pub(crate) fn new(filter: Filter) -> Self {
        Self {
            filter: RwLock::new(filter),
        }
    }
}

/// Returns the option with a code, or an error that contains the code.
fn option_of(code: tiledb_filter_option_t) -> Result<FilterOption> {
    arg::enum_value(FilterOption::from_code(code), "filter option", code)
}

/// Creates a filter with default options.
///
/// @param ctx The context; stores the error if the call fails.
/// @param type The type, one of `TILEDB_FILTER_*`.
/// @param filter Set to the filter; free it with `tiledb_filter_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_alloc(
    ctx: *mut tiledb_ctx_t,
    r#type: tiledb_filter_type_t,
    filter: *mut *mut tiledb_filter_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let new_filter = FilterType::from_code(r#type)
            .and_then(Filter::new)
            .ok_or_else(|| {
                Error::usage("FilterCreate", format!("Invalid filter type {}", r#type))
            })?;
        handle::make(filter, "filter", tiledb_filter_t::new(new_filter))
    })
}

/// Frees a filter. Filter lists that it was added to keep their copies.
///
/// @param filter Pointer to the handle, which is set to null. Null and a pointer to null are
///   ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_free(filter: *mut *mut tiledb_filter_t) {
    handle::release(filter);
}

/// Gets an option of a filter.
///
/// The option determines the type of the value: `TILEDB_COMPRESSION_LEVEL` is an `int32_t`; the two
/// maximum windows are `uint32_t` in bytes; `TILEDB_SCALE_FLOAT_BYTEWIDTH` is a `uint64_t`; the
/// factor and the offset of the scale filter are `double`; `TILEDB_WEBP_QUALITY` is a `float`; the
/// WebP format and lossless option are `uint8_t`; `TILEDB_COMPRESSION_REINTERPRET_DATATYPE` is a
/// `uint8_t` that holds a `tiledb_datatype_t`. It is an error if the filter does not have the
/// option.
///
/// @param ctx The context; stores the error if the call fails.
/// @param filter The filter.
/// @param option The option, one of `tiledb_filter_option_t`.
/// @param value Buffer that receives the value; must be large enough for the type of the option.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Gets the type of a filter.
///
/// @param ctx The context; stores the error if the call fails.
/// @param filter The filter.
/// @param type Set to the type, one of `TILEDB_FILTER_*`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Converts the name of a value to the filter option.
///
/// @param str The name, such as "COMPRESSION_LEVEL".
/// @param filter_option Set to the filter option.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_option_from_str(
    str: *const c_char,
    filter_option: *mut tiledb_filter_option_t,
) -> capi_return_t {
    entry::code_only(|| {
        let value = FilterOption::from_name(arg::text(str, "str")?);
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown filter option"))?;
        arg::out(filter_option, "filter_option")?.set(value.code().into());
        Ok(())
    })
}

/// Gets the name of the filter option, such as "COMPRESSION_LEVEL".
///
/// @param filter_option The filter option.
/// @param str Set to a static string; to an empty string if the value is unknown.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_option_to_str(
    filter_option: tiledb_filter_option_t,
    str: *mut *const c_char,
) -> capi_return_t {
    entry::code_only(|| {
        let str = arg::out(str, "str")?;
        let value = FilterOption::from_code(filter_option);
        str.set(c_strings::constant(value.map_or("", FilterOption::name)));
        arg::enum_value(value, "filter option", filter_option)?;
        Ok(())
    })
}

/// Sets an option of a filter.
///
/// `tiledb_filter_get_option` lists the type of each option. Filter lists that the filter was added
/// to before keep the old value. It is an error if the filter does not have the option or if the
/// value is out of range.
///
/// @param ctx The context; stores the error if the call fails.
/// @param filter The filter.
/// @param option The option, one of `tiledb_filter_option_t`.
/// @param value Pointer to a value of the type of the option.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Filter types without a name in the C API.
const INTERNAL: [FilterType; 2] = [FilterType::Aes256Gcm, FilterType::Deprecated];

/// Converts the name of a value to the filter type.
///
/// @param str The name, such as "ZSTD".
/// @param filter_type Set to the filter type.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_type_from_str(
    str: *const c_char,
    filter_type: *mut tiledb_filter_type_t,
) -> capi_return_t {
    entry::code_only(|| {
        let value = FilterType::from_name(arg::text(str, "str")?);
        let value = value.filter(|value| !INTERNAL.contains(value));
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown filter type"))?;
        arg::out(filter_type, "filter_type")?.set(value.code().into());
        Ok(())
    })
}

/// Gets the name of the filter type, such as "ZSTD".
///
/// @param filter_type The filter type.
/// @param str Set to a static string; to an empty string if the value is unknown.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_type_to_str(
    filter_type: tiledb_filter_type_t,
    str: *mut *const c_char,
) -> capi_return_t {
    entry::code_only(|| {
        let str = arg::out(str, "str")?;
        let value = FilterType::from_code(filter_type).filter(|value| !INTERNAL.contains(value));
        str.set(c_strings::constant(value.map_or("", FilterType::name)));
        arg::enum_value(value, "filter type", filter_type)?;
        Ok(())
    })
}
