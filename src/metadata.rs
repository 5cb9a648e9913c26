//! What the metadata functions of arrays and of groups have in common.

use tiledb_engine::array::{HoldsMetadata, MetadataItem};

use crate::prelude::*;

/// Hands out a value. It stays where the opening keeps it. An empty one looks like one value without a place: so programs
/// know it.
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

/// Gives the value of a key, or a null pointer.
pub(crate) unsafe fn get(
    of: &impl HoldsMetadata,
    key: Option<&str>,
    value_type: *mut tiledb_datatype_t,
    value_num: *mut u32,
    value: *mut *const c_void,
) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe {
        let datatype = arg::out(value_type, "value_type")?;
        let num = arg::out(value_num, "value_num")?;
        let value = arg::out(value, "value")?;
        of.metadata_of(key, |item| match item {
            Some(item) => lend(item, datatype, num, value),
            None => value.set(std::ptr::null()),
        })
    }
}

/// Gives a key and its value by its place in the order of keys.
pub(crate) unsafe fn get_at(
    of: &impl HoldsMetadata,
    index: u64,
    (key, key_len): (*mut *const c_char, *mut u32),
    value_type: *mut tiledb_datatype_t,
    value_num: *mut u32,
    value: *mut *const c_void,
) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe {
        let key = arg::out(key, "key")?;
        let key_len = arg::out(key_len, "key_len")?;
        let datatype = arg::out(value_type, "value_type")?;
        let num = arg::out(value_num, "value_num")?;
        let value = arg::out(value, "value")?;
        of.metadata_at(index, |item| {
            key.set(item.key_with_zero().as_ptr().cast());
            key_len.set(item.key().len() as u32);
            lend(item, datatype, num, value);
        })
    }
}

/// Counts the keys.
pub(crate) unsafe fn count(of: &impl HoldsMetadata, num: *mut u64) -> Result<()> {
    // SAFETY: the caller's contract.
    let num = unsafe { arg::out(num, "num") }?;
    num.set(of.metadata_num()?);
    Ok(())
}

/// Tells whether there is a key.
pub(crate) unsafe fn has(
    of: &impl HoldsMetadata,
    key: Option<&str>,
    value_type: *mut tiledb_datatype_t,
    has_key: *mut i32,
) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe {
        let datatype = arg::out(value_type, "value_type")?;
        let has = arg::out(has_key, "has_key")?;
        of.metadata_of(key, |item| {
            has.set(item.is_some().into());
            if let Some(item) = item {
                datatype.set(item.datatype.code().into());
            }
        })
    }
}

/// Puts a value under a key.
pub(crate) unsafe fn put(
    of: &impl HoldsMetadata,
    key: Option<&str>,
    value_type: tiledb_datatype_t,
    value_num: u32,
    value: *const c_void,
) -> Result<()> {
    let datatype = arg::datatype(value_type)?;
    // SAFETY: the caller's contract.
    let values = unsafe { arg::values_or_none(value, datatype, value_num) }?;
    of.put_metadata(key, datatype, values)
}
