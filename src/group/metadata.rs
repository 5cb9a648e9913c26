//! Metadata of groups: keys with typed values, and the upkeep of their files.

use tiledb_engine::array::HoldsMetadata;
use tiledb_engine::group;

use crate::metadata;
use crate::prelude::*;

/// Merges the metadata files of a group into one; `tiledb_group_vacuum_metadata` removes the others.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group_uri Where the group is.
/// @param config Parameters, or null for those of the context.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_consolidate_metadata(
    ctx: *mut tiledb_ctx_t,
    group_uri: *const c_char,
    config: *mut tiledb_config_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let uri = arg::text(group_uri, "group_uri")?;
        let config = ctx.config_or(config);
        group::consolidate_metadata(&ctx.vfs, uri, &config)
    })
}

/// Removes a value from the metadata. That it is not there is no error.
///
/// The group must be open for writing.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @param key The key, a text.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_delete_metadata(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    key: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        let key = arg::text(key, "key")?;
        group.delete_metadata(Some(key))
    })
}

/// Gives a value of the metadata by its key. That it is not there is no error.
///
/// The group must be open for reading.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @param key The key, a text.
/// @param value_type Receives the type of the value.
/// @param value_num Receives how many of the type there are.
/// @param value Receives where the value is, null if there is none; it lives until the group is closed or freed. An empty
///   value is told as one with a null pointer.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_metadata(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    key: *const c_char,
    value_type: *mut tiledb_datatype_t,
    value_num: *mut u32,
    value: *mut *const c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        let key = arg::text(key, "key")?;
        metadata::get(group, Some(key), value_type, value_num, value)
    })
}

/// Gives a value of the metadata by its index, in the order of the keys.
///
/// The group must be open for reading. It is an error if the index is not below the count.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @param index Which value, from 0.
/// @param key Receives the key, with a zero behind it; it lives until the group is closed or freed.
/// @param key_len Receives its length in bytes.
/// @param value_type Receives the type of the value.
/// @param value_num Receives how many of the type there are.
/// @param value Receives where the value is, null for an empty one; it lives until the group is closed or freed.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_metadata_from_index(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    index: u64,
    key: *mut *const c_char,
    key_len: *mut u32,
    value_type: *mut tiledb_datatype_t,
    value_num: *mut u32,
    value: *mut *const c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        metadata::get_at(group, index, (key, key_len), value_type, value_num, value)
    })
}

/// Says how many values the metadata has.
///
/// The group must be open for reading.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @param num Receives the count.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_metadata_num(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    num: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        metadata::count(group, num)
    })
}

/// Says whether the metadata has a key.
///
/// The group must be open for reading.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @param key The key, a text.
/// @param value_type Receives the type of the value; not written if the key is not there.
/// @param has_key Receives 1 if the key is there, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_has_metadata_key(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    key: *const c_char,
    value_type: *mut tiledb_datatype_t,
    has_key: *mut i32,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        let key = arg::text(key, "key")?;
        metadata::has(group, Some(key), value_type, has_key)
    })
}

/// Sets a value of the metadata, in place of one with the same key.
///
/// The group must be open for writing; the value is written when it is closed.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @param key The key, a text.
/// @param value_type The type of the value; not `TILEDB_ANY`.
/// @param value_num How many of the type there are.
/// @param value The value; copied. Null puts the empty value, whatever the number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_put_metadata(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    key: *const c_char,
    value_type: tiledb_datatype_t,
    value_num: u32,
    value: *const c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        let key = arg::text(key, "key")?;
        metadata::put(group, Some(key), value_type, value_num, value)
    })
}

/// Removes the metadata files that `tiledb_group_consolidate_metadata` has merged.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group_uri Where the group is.
/// @param config Parameters, or null for those of `ctx`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_vacuum_metadata(
    ctx: *mut tiledb_ctx_t,
    group_uri: *const c_char,
    config: *mut tiledb_config_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let uri = arg::text(group_uri, "group_uri")?;
        let config = ctx.config_or(config);
        group::vacuum_metadata(&ctx.vfs, uri, &config)
    })
}
