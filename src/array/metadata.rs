//! Metadata of arrays: typed values with string keys.

use tiledb_engine::internal::array::WithMetadata;

use crate::metadata;
use crate::prelude::*;

/// Deletes a metadata item when the array is closed. A missing key is not an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, which must be open for writing.
/// @param key The key.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Gets a metadata item by its key.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, open for reading.
/// @param key The key.
/// @param value_type Set to the datatype.
/// @param value_num Set to the number of values.
/// @param value Set to a pointer to the values, valid until the array is closed or reopened. If the
///   key does not exist, it is set to null, and `value_type` and `value_num` are not written. For
///   an empty value, `value_num` is set to 1 and `value` to null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Gets a metadata item by its index in the order of the keys.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, open for reading.
/// @param index The index, starting at 0.
/// @param key Set to the zero-terminated key, valid until the array is closed or reopened.
/// @param key_len Set to the length of the key in bytes.
/// @param value_type Set to the datatype.
/// @param value_num Set to the number of values.
/// @param value Set to a pointer to the values, valid as long as the key. For an empty value,
///   `value_num` is set to 1 and `value` to null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        metadata::get_at(&**array, index, key, key_len, value_type, value_num, value)
    })
}

/// Gets the number of metadata items of an array.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, open for reading.
/// @param num Set to the number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Checks whether the metadata of an array contains a key.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, open for reading.
/// @param key The key.
/// @param value_type Set to the datatype of the value; not written if the key does not exist.
/// @param has_key Set to 1 if the key exists, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Sets a metadata item when the array is closed. An existing value is replaced.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, which must be open for writing.
/// @param key The key.
/// @param value_type The datatype; not `TILEDB_ANY`.
/// @param value_num The number of values.
/// @param value The values; they are copied. Null stores an empty value; `value_num` is ignored
///   then.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
