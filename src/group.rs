//! Group: a folder of arrays and groups, its members named, with metadata of its own.
//!
//! Members are told by URI, absolute or relative to the group; changes are written when the group is closed.

use tiledb_engine::array::HoldsMetadata;
use tiledb_engine::group::{self, Group};
use tiledb_engine::types::ObjectType;

use crate::metadata;
use crate::prelude::*;

/// A group, open or not. Free it with `tiledb_group_free`, closed or not; what was not closed is not written.
pub struct tiledb_group_handle_t {
    group: Group,
    /// Texts that the group lends.
    kept: kept::Kept,
}
/// The name C programs use.
pub type tiledb_group_t = tiledb_group_handle_t;

/// Adds an array or a group as a member.
///
/// The group must be open for writing. It is an error if the name or the URI is that of a member; whether an object is
/// there is found out when the group is closed.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @param uri Where the member is.
/// @param relative 1 if `uri` is relative to the group, so that both can be moved together, 0 if it is absolute.
/// @param name Another name for it, or null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_add_member(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    uri: *const c_char,
    relative: u8,
    name: *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let group = &handle::borrow(group)?.group;
            let uri = arg::text(uri, "group_uri")?;
            let name = arg::optional_text(name, "name")?;
            group.add_member(uri, relative != 0, name, None)
        })
    }
}

/// Adds a member whose type the caller knows, so that storage need not be asked.
///
/// Otherwise as `tiledb_group_add_member`.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @param uri Where the member is.
/// @param relative 1 if `uri` is relative to the group, so that both can be moved together, 0 if it is absolute.
/// @param name Another name for it, or null.
/// @param type_ `TILEDB_ARRAY` or `TILEDB_GROUP`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_add_member_with_type(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    uri: *const c_char,
    relative: u8,
    name: *const c_char,
    type_: tiledb_object_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let group = &handle::borrow(group)?.group;
            let uri = arg::text(uri, "group_uri")?;
            let kind = ObjectType::from_code(type_).filter(|kind| *kind != ObjectType::Invalid);
            let unknown = || Error::usage("C API", "Invalid object `type`");
            let kind = kind.ok_or_else(unknown)?;
            let name = arg::optional_text(name, "name")?;
            group.add_member(uri, relative != 0, name, Some(kind))
        })
    }
}

/// Makes a handle of a group, not open. Nothing is read.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group_uri Where the group is.
/// @param group Receives the group; free it with `tiledb_group_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_alloc(
    ctx: *mut tiledb_ctx_t,
    group_uri: *const c_char,
    group: *mut *mut tiledb_group_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |ctx| {
            arg::out(group, "group")?;
            let made = tiledb_group_handle_t {
                group: Group::new(&ctx.vfs, arg::text(group_uri, "group_uri")?)?,
                kept: kept::Kept::default(),
            };
            handle::make(group, "group", made)
        })
    }
}

/// Closes a group, and writes the changes of one open for writing.
///
/// Closing a group that is not open is no error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_close(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let group = &handle::borrow(group)?.group;
            group.close()
        })
    }
}

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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |ctx| {
            let uri = arg::text(group_uri, "group_uri")?;
            let config = ctx.config_or(config);
            group::consolidate_metadata(&ctx.vfs, uri, &config)
        })
    }
}

/// Makes an empty group.
///
/// It is an error if an array or a group is there.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group_uri Where it is to be.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_create(
    ctx: *mut tiledb_ctx_t,
    group_uri: *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |ctx| {
            let uri = arg::text(group_uri, "group_uri")?;
            group::create(&ctx.vfs, uri)
        })
    }
}

/// Removes a group, and with it what is below its folder.
///
/// The group must be open for `TILEDB_MODIFY_EXCLUSIVE`; it is closed afterwards.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @param uri Where the group is.
/// @param recursive 1 to remove its members too, wherever they are, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_delete_group(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    uri: *const c_char,
    recursive: u8,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let group = &handle::borrow(group)?.group;
            let uri = arg::text(uri, "group_uri")?;
            group.delete(uri, recursive != 0)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let group = &handle::borrow(group)?.group;
            let key = arg::text(key, "key")?;
            group.delete_metadata(Some(key))
        })
    }
}

/// Gives a text that lists the members of an open group, for people to read.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @param dump_ascii Receives the text; free it with `tiledb_string_free`.
/// @param recursive 1 to list the members of groups within it, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_dump_str_v2(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    dump_ascii: *mut *mut tiledb_string_t,
    recursive: u8,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let group = &handle::borrow(group)?.group;
            arg::out(dump_ascii, "dump_ascii")?;
            let text = group.dump(recursive != 0)?;
            handle::make(dump_ascii, "dump_ascii", tiledb_string_t::new(text))
        })
    }
}

/// Frees a group, and with it the values that its getters lent.
///
/// Accepts null at both levels and leaves null behind.
///
/// @param group Where the group is; set to null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_free(group: *mut *mut tiledb_group_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        handle::release(group);
    }
}

/// Gives a copy of the parameters of a group.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @param config Receives the parameters; free them with `tiledb_config_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_config(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    config: *mut *mut tiledb_config_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let group = &handle::borrow(group)?.group;
            let found = tiledb_config_t::new(group.config());
            handle::make(config, "config", found)
        })
    }
}

/// Says whether the URI of a member is relative to the group.
///
/// The group must be open for reading. It is an error if there is no such member.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @param name The name of the member.
/// @param relative Receives 1 if it is relative, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_is_relative_uri_by_name(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    name: *const c_char,
    relative: *mut u8,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let group = &handle::borrow(group)?.group;
            let name = arg::text(name, "name")?;
            let relative = arg::out(relative, "relative")?;
            relative.set(group.member_named(name)?.relative.into());
            Ok(())
        })
    }
}

/// Gives a member by its index. The order of members means nothing.
///
/// The group must be open for reading. It is an error if the index is not below the count.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @param index Which member, from 0.
/// @param uri Receives its absolute URI; free it with `tiledb_string_free`.
/// @param type_ Receives its type.
/// @param name Receives its name, or null if it has none; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_member_by_index_v2(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    index: u64,
    uri: *mut *mut tiledb_string_t,
    type_: *mut tiledb_object_t,
    name: *mut *mut tiledb_string_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let group = &handle::borrow(group)?.group;
            let place = arg::out(uri, "uri")?;
            let kind = arg::out(type_, "type")?;
            let named = arg::out(name, "name")?;
            let member = group.member_at(index)?;
            place.set(Box::into_raw(Box::new(tiledb_string_t::new(member.uri))));
            kind.set(member.kind.code().into());
            let text = member.name.map(tiledb_string_t::new);
            named.set(text.map_or(std::ptr::null_mut(), |text| Box::into_raw(Box::new(text))));
            Ok(())
        })
    }
}

/// Gives a member by its name.
///
/// The group must be open for reading. It is an error if there is no such member.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @param name The name.
/// @param uri Receives its absolute URI; free it with `tiledb_string_free`.
/// @param type_ Receives its type.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_member_by_name_v2(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    name: *const c_char,
    uri: *mut *mut tiledb_string_t,
    type_: *mut tiledb_object_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let group = &handle::borrow(group)?.group;
            arg::out(uri, "uri")?;
            let kind = arg::out(type_, "type")?;
            let member = group.member_named(arg::text(name, "name")?)?;
            kind.set(member.kind.code().into());
            handle::make(uri, "uri", tiledb_string_t::new(member.uri))
        })
    }
}

/// Says how many members there are.
///
/// The group must be open for reading.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @param count Receives the count.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_member_count(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    count: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let group = &handle::borrow(group)?.group;
            let count = arg::out(count, "count")?;
            count.set(group.member_count()?);
            Ok(())
        })
    }
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
/// @param value Receives where the value is, null if there is none; it lives until the group is closed or freed.
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let group = &handle::borrow(group)?.group;
            let key = arg::text(key, "key")?;
            metadata::get(group, Some(key), value_type, value_num, value)
        })
    }
}

/// Gives a value of the metadata by its index, in the order of the keys.
///
/// The group must be open for reading. It is an error if the index is not below the count.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @param index Which value, from 0.
/// @param key Receives the key, without a zero at the end; it lives until the group is closed or freed.
/// @param key_len Receives its length in bytes.
/// @param value_type Receives the type of the value.
/// @param value_num Receives how many of the type there are.
/// @param value Receives where the value is; it lives until the group is closed or freed.
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let group = &handle::borrow(group)?.group;
            metadata::get_at(group, index, (key, key_len), value_type, value_num, value)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let group = &handle::borrow(group)?.group;
            metadata::count(group, num)
        })
    }
}

/// Says what a group is open for.
///
/// It is an error if it is not open.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @param query_type Receives the type.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_query_type(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    query_type: *mut tiledb_query_type_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let group = &handle::borrow(group)?.group;
            let query_type = arg::out(query_type, "query_type")?;
            query_type.set(group.query_type()?.code().into());
            Ok(())
        })
    }
}

/// Gives the URI of a group.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @param group_uri Receives the URI, which lives as long as the group.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_uri(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    group_uri: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let handle = handle::borrow(group)?;
            let uri = arg::out(group_uri, "group_uri")?;
            uri.set(handle.kept.text(handle.group.uri().as_str()));
            Ok(())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let group = &handle::borrow(group)?.group;
            let key = arg::text(key, "key")?;
            metadata::has(group, Some(key), value_type, has_key)
        })
    }
}

/// Says whether a group is open.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @param is_open Receives 1 if it is, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_is_open(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    is_open: *mut i32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let group = &handle::borrow(group)?.group;
            let is_open = arg::out(is_open, "is_open")?;
            is_open.set(group.is_open().into());
            Ok(())
        })
    }
}

/// Opens a group.
///
/// To see another moment in time, set `sm.group.timestamp_start` and `sm.group.timestamp_end` first. It is an error if
/// the group is open already or does not exist.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @param query_type What it is opened for: `TILEDB_READ`, `TILEDB_WRITE` or `TILEDB_MODIFY_EXCLUSIVE`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_open(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    query_type: tiledb_query_type_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let group = &handle::borrow(group)?.group;
            group.open(arg::query_type(query_type)?)
        })
    }
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
/// @param value The value; copied.
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let group = &handle::borrow(group)?.group;
            let key = arg::text(key, "key")?;
            metadata::put(group, Some(key), value_type, value_num, value)
        })
    }
}

/// Removes a member from the list; the array or group itself stays.
///
/// The group must be open for writing. It is an error if the member was added since the group was opened, or if a URI
/// is given that several members have.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @param name_or_uri The name of the member, or its URI if it has none.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_remove_member(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    name_or_uri: *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let group = &handle::borrow(group)?.group;
            let name = arg::text(name_or_uri, "name")?;
            group.remove_member(name)
        })
    }
}

/// Sets the parameters of a group.
///
/// It is an error if the group is open.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @param config The parameters; copied.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_set_config(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    config: *mut tiledb_config_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let group = &handle::borrow(group)?.group;
            group.set_config(&handle::borrow(config)?.config())
        })
    }
}

/// Removes the metadata files that `tiledb_group_consolidate_metadata` has merged.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group_uri Where the group is.
/// @param _config Parameters, or null; none matters yet.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_vacuum_metadata(
    ctx: *mut tiledb_ctx_t,
    group_uri: *const c_char,
    _config: *mut tiledb_config_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |ctx| {
            let uri = arg::text(group_uri, "group_uri")?;
            group::vacuum_metadata(&ctx.vfs, uri)
        })
    }
}
