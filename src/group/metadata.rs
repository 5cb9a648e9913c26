//! Metadata of groups: typed values with string keys, and the consolidation and vacuum of their
//! files.

use tiledb_engine::internal::array::WithMetadata;
use tiledb_engine::internal::group;

use crate::metadata;
use crate::prelude::*;

/// Consolidates the metadata files of a group into one. `tiledb_group_vacuum_metadata` removes the
/// replaced files.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group_uri URI of the group.
/// @param config The configuration to use; null means the configuration of the context.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Deletes a metadata item. A missing key is not an error.
///
/// The group must be open for writing.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group.
/// @param key The key.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Gets a metadata item by its key. A missing key is not an error.
///
/// The group must be open for reading.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group.
/// @param key The key.
/// @param value_type Set to the type of the value.
/// @param value_num Set to the number of values.
/// @param value Set to a pointer to the values, valid until the group is closed or freed; set to
///   null if the key does not exist. For an empty value, `value_num` is set to 1 and `value` to
///   null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Gets a metadata item by its index in the order of the keys.
///
/// The group must be open for reading. It is an error if the index is too large.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group.
/// @param index The index, starting at 0.
/// @param key Set to the zero-terminated key, valid until the group is closed or freed.
/// @param key_len Set to the length in bytes.
/// @param value_type Set to the type of the value.
/// @param value_num Set to the number of values.
/// @param value Set to a pointer to the values, valid until the group is closed or freed; set to
///   null for an empty value.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        metadata::get_at(group, index, key, key_len, value_type, value_num, value)
    })
}

/// Gets the number of metadata items of a group.
///
/// The group must be open for reading.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group.
/// @param num Set to the count.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Checks whether the metadata has a key.
///
/// The group must be open for reading.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group.
/// @param key The key.
/// @param value_type Set to the type of the value; not written if the key is not there.
/// @param has_key Set to 1 if the key is there, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Sets a metadata item. An existing value with the same key is replaced.
///
/// The group must be open for writing. The item is written when the group is closed.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group.
/// @param key The key.
/// @param value_type The type of the value; not `TILEDB_ANY`.
/// @param value_num The number of values.
/// @param value The values; they are copied. Null stores an empty value; `value_num` is ignored
///   then.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Removes the metadata files that `tiledb_group_consolidate_metadata` has replaced.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group_uri URI of the group.
/// @param config The configuration to use; null means the configuration of the context.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
