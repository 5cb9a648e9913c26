//! Metadata of arrays: keys with typed values, beside the cells.

use tiledb_engine::array::HoldsMetadata;

use crate::metadata;
use crate::prelude::*;

/// Deletes a key of an array's metadata when the array is closed. A key that is not there is fine.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open for writing.
/// @param key The key.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_delete_metadata(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    key: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let array = handle::borrow(array)?;
        array.array.delete_metadata(arg::optional_text(key, "key")?)
    })
}

/// Gives the value of a key.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open for reading.
/// @param key The key.
/// @param value_type Gets the datatype.
/// @param value_num Gets the number of values.
/// @param value Gets the values, which live until the array is closed or reopened; null where there is no such key, the
///   datatype and the number are not touched then. An empty value is told as one value with a null pointer.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_metadata(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    key: *const c_char,
    value_type: *mut tiledb_datatype_t,
    value_num: *mut u32,
    value: *mut *const c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let array = &handle::borrow(array)?.array;
        let key = arg::optional_text(key, "key")?;
        metadata::get(&**array, key, value_type, value_num, value)
    })
}

/// Gives a key and its value by its place in the order of keys.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open for reading.
/// @param index The place, from 0 on.
/// @param key Gets the key, with a zero behind it, which lives until the array is closed or reopened.
/// @param key_len Gets the length of the key in bytes.
/// @param value_type Gets the datatype.
/// @param value_num Gets the number of values.
/// @param value Gets the values, which live as long as the key; null for an empty value, which is told as one value.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_metadata_from_index(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    index: u64,
    key: *mut *const c_char,
    key_len: *mut u32,
    value_type: *mut tiledb_datatype_t,
    value_num: *mut u32,
    value: *mut *const c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let array = &handle::borrow(array)?.array;
        metadata::get_at(
            &**array,
            index,
            (key, key_len),
            value_type,
            value_num,
            value,
        )
    })
}

/// Counts the keys of an array's metadata.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open for reading.
/// @param num Gets the number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_metadata_num(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    num: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        metadata::count(&*handle::borrow(array)?.array, num)
    })
}

/// Tells whether an array's metadata has a key.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open for reading.
/// @param key The key.
/// @param value_type Gets the datatype of its value; stays as it was where there is no such key.
/// @param has_key Gets 1 if there is such a key, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_has_metadata_key(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    key: *const c_char,
    value_type: *mut tiledb_datatype_t,
    has_key: *mut i32,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let array = &handle::borrow(array)?.array;
        let key = arg::optional_text(key, "key")?;
        metadata::has(&**array, key, value_type, has_key)
    })
}

/// Puts a value under a key when the array is closed; an earlier value gives way.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open for writing.
/// @param key The key.
/// @param value_type The datatype; not `TILEDB_ANY`.
/// @param value_num The number of values.
/// @param value The values; they are copied. Null puts the empty value, whatever the number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_put_metadata(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    key: *const c_char,
    value_type: tiledb_datatype_t,
    value_num: u32,
    value: *const c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let array = &handle::borrow(array)?.array;
        let key = arg::optional_text(key, "key")?;
        metadata::put(&**array, key, value_type, value_num, value)
    })
}
