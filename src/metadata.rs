//! The common part of the metadata functions of arrays and groups.

use tiledb_engine::internal::array::{MetadataItem, WithMetadata};

use crate::prelude::*;

/// Writes a value to the output parameters. The pointer refers to memory of the open array or
/// group. An empty value is reported as one value with a null pointer, as in libtiledb.
fn set_value_pointer(
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

/// Gets the value of a key, or a null pointer if the key does not exist.
pub(crate) unsafe fn get(
    object: &impl WithMetadata,
    key: Option<&str>,
    value_type: *mut tiledb_datatype_t,
    value_num: *mut u32,
    value: *mut *const c_void,
) -> Result<()> {
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    unsafe {
        let datatype = arg::out(value_type, "value_type")?;
        let num = arg::out(value_num, "value_num")?;
        let value = arg::out(value, "value")?;
        object.metadata_of(key, |item| match item {
            Some(item) => set_value_pointer(item, datatype, num, value),
            None => value.set(std::ptr::null()),
        })
    }
}

/// Gets a metadata item by its index in the order of the keys.
pub(crate) unsafe fn get_at(
    object: &impl WithMetadata,
    index: u64,
    key: *mut *const c_char,
    key_len: *mut u32,
    value_type: *mut tiledb_datatype_t,
    value_num: *mut u32,
    value: *mut *const c_void,
) -> Result<()> {
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    unsafe {
        let key = arg::out(key, "key")?;
        let key_len = arg::out(key_len, "key_len")?;
        let datatype = arg::out(value_type, "value_type")?;
        let num = arg::out(value_num, "value_num")?;
        let value = arg::out(value, "value")?;
        object.metadata_at(index, |item| {
            key.set(item.key_with_zero().as_ptr().cast());
            key_len.set(item.key().len() as u32);
            set_value_pointer(item, datatype, num, value);
        })
    }
}

/// Gets the number of items.
pub(crate) unsafe fn count(object: &impl WithMetadata, num: *mut u64) -> Result<()> {
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    let num = unsafe { arg::out(num, "num") }?;
    num.set(object.metadata_num()?);
    Ok(())
}

/// Checks whether a key exists.
pub(crate) unsafe fn has(
    object: &impl WithMetadata,
    key: Option<&str>,
    value_type: *mut tiledb_datatype_t,
    has_key: *mut i32,
) -> Result<()> {
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    unsafe {
        let datatype = arg::out(value_type, "value_type")?;
        let has = arg::out(has_key, "has_key")?;
        object.metadata_of(key, |item| {
            has.set(item.is_some().into());
            if let Some(item) = item {
                datatype.set(item.datatype.code().into());
            }
        })
    }
}

/// Sets the value of a key.
pub(crate) unsafe fn put(
    object: &impl WithMetadata,
    key: Option<&str>,
    value_type: tiledb_datatype_t,
    value_num: u32,
    value: *const c_void,
) -> Result<()> {
    let datatype = arg::datatype(value_type)?;
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    let values = unsafe { arg::values_or_none(value, datatype, value_num) }?;
    object.put_metadata(key, datatype, values)
}
