//! Metadata of arrays: keys with typed values, beside the cells.

use tiledb_engine::array::MetadataItem;

use crate::prelude::*;

/// Hands out a value. It stays where the opening of the array keeps it. An empty one looks like one value without a
/// place: so programs know it.
fn lend(
    item: MetadataItem<'_>,
    datatype: arg::Out<tiledb_datatype_t>,
    num: arg::Out<u32>,
    value: arg::Out<*const c_void>,
) {
    datatype.set(item.datatype.code().into());
    num.set(item.num.max(1));
    value.set(match item.num {
        0 => std::ptr::null(),
        _ => item.words.as_ptr().cast(),
    });
}

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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let array = handle::borrow(array)?;
            array.array.delete_metadata(arg::optional_text(key, "key")?)
        })
    }
}

/// Gives the value of a key.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open for reading.
/// @param key The key.
/// @param value_type Gets the datatype.
/// @param value_num Gets the number of values.
/// @param value Gets the values, which live as long as the array is open; null where there is no such key, the datatype
///   and the number are not touched then. An empty value is told as one value with a null pointer.
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let array = handle::borrow(array)?;
            let datatype = arg::out(value_type, "value_type")?;
            let num = arg::out(value_num, "value_num")?;
            let value = arg::out(value, "value")?;
            let key = arg::optional_text(key, "key")?;
            array.array.metadata_of(key, |item| match item {
                Some(item) => lend(item, datatype, num, value),
                None => value.set(std::ptr::null()),
            })
        })
    }
}

/// Gives a key and its value by its place in the order of keys.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open for reading.
/// @param index The place, from 0 on.
/// @param key Gets the key, which lives as long as the array is open.
/// @param key_len Gets the length of the key in bytes.
/// @param value_type Gets the datatype.
/// @param value_num Gets the number of values.
/// @param value Gets the values, which live as long as the array is open.
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let array = handle::borrow(array)?;
            let key = arg::out(key, "key")?;
            let key_len = arg::out(key_len, "key_len")?;
            let datatype = arg::out(value_type, "value_type")?;
            let num = arg::out(value_num, "value_num")?;
            let value = arg::out(value, "value")?;
            array.array.metadata_at(index, |item| {
                key.set(item.key_with_zero().as_ptr().cast());
                key_len.set(item.key().len() as u32);
                lend(item, datatype, num, value);
            })
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let array = handle::borrow(array)?;
            let num = arg::out(num, "num")?;
            num.set(array.array.metadata_num()?);
            Ok(())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let array = handle::borrow(array)?;
            let datatype = arg::out(value_type, "value_type")?;
            let has = arg::out(has_key, "has_key")?;
            let key = arg::optional_text(key, "key")?;
            array.array.metadata_of(key, |item| {
                has.set(item.is_some().into());
                if let Some(item) = item {
                    datatype.set(item.datatype.code().into());
                }
            })
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let array = handle::borrow(array)?;
            let key = arg::optional_text(key, "key")?;
            let datatype = arg::datatype(value_type)?;
            let values = arg::values_or_none(value, datatype, value_num)?;
            array.array.put_metadata(key, datatype, values)
        })
    }
}
