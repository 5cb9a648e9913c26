//! Groups: collections of arrays and groups, with names for the members and with metadata.
//!
//! A member has an absolute URI or a URI relative to the group. Changes are written when the group
//! is closed. This file contains creation, opening, description and removal; `members`,
//! `metadata` and `snapshot` contain the rest.

use tiledb_engine::internal::group::Group;
use tiledb_engine::internal::rest::location;

use crate::prelude::*;

pub mod members;
pub mod metadata;
pub mod snapshot;

/// A group that is open or closed. `tiledb_group_free` frees it in either state; changes that were
/// not written by `tiledb_group_close` are discarded.
pub struct tiledb_group_handle_t {
    pub(crate) group: Group,
    /// Strings that getters returned; the group owns them.
    returned: c_strings::GetterValues,
}

impl tiledb_group_handle_t {
    fn new(group: Group) -> Self {
        Self {
            group,
            returned: c_strings::GetterValues::default(),
        }
    }
}

/// Name of the type in C programs.
pub type tiledb_group_t = tiledb_group_handle_t;

/// Creates a handle for a group, which is not open. Storage is not accessed.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group_uri URI of the group.
/// @param group Set to the group; free it with `tiledb_group_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_alloc(
    ctx: *mut tiledb_ctx_t,
    group_uri: *const c_char,
    group: *mut *mut tiledb_group_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        arg::out(group, "group")?;
        let new_group = Group::new(&ctx.vfs, arg::text(group_uri, "group_uri")?)?;
        handle::make(group, "group", tiledb_group_handle_t::new(new_group))
    })
}

/// Closes a group. If it is open for writing, its changes are written.
///
/// Does nothing if the group is not open.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_close(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        group.close()
    })
}

/// Creates an empty group.
///
/// It is an error if an array or a group exists at the URI.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group_uri URI of the new group.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_create(
    ctx: *mut tiledb_ctx_t,
    group_uri: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let uri = arg::text(group_uri, "group_uri")?;
        location::create_group(&ctx.vfs, uri)
    })
}

/// Removes a group. Other files in its folder are kept, and then the folder too.
///
/// The group must be open for `TILEDB_MODIFY_EXCLUSIVE`. It is closed by this call.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group.
/// @param uri URI of the group.
/// @param recursive 1 to remove its members too, wherever they are stored, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_delete_group(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    uri: *const c_char,
    recursive: u8,
) -> i32 {
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        let uri = arg::text(uri, "group_uri")?;
        group.delete(uri, recursive != 0)
    })
}

/// Gets a list of the members of an open group as text.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group.
/// @param dump_ascii Set to the text; free it with `tiledb_string_free`.
/// @param recursive 1 to list the members of member groups too, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_dump_str_v2(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    dump_ascii: *mut *mut tiledb_string_t,
    recursive: u8,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        arg::out(dump_ascii, "dump_ascii")?;
        let text = group.dump(recursive != 0)?;
        handle::make(dump_ascii, "dump_ascii", tiledb_string_t::new(text))
    })
}

/// Frees a group and the strings and values that its getters returned.
///
/// @param group Pointer to the handle, which is set to null. Null and a pointer to null are
///   ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_free(group: *mut *mut tiledb_group_t) {
    handle::release(group);
}

/// Gets a copy of the configuration of a group.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group.
/// @param config Set to the configuration; free it with `tiledb_config_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_config(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    config: *mut *mut tiledb_config_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        let found = tiledb_config_t::new(group.config());
        handle::make(config, "config", found)
    })
}

/// Gets the query type that a group is open for.
///
/// It is an error if the group is not open.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group.
/// @param query_type Set to the type.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_query_type(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    query_type: *mut tiledb_query_type_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        let query_type = arg::out(query_type, "query_type")?;
        query_type.set(group.query_type()?.code().into());
        Ok(())
    })
}

/// Gets the URI of a group.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group.
/// @param group_uri Set to the URI, valid until the group is freed.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_uri(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    group_uri: *mut *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let handle = handle::borrow(group)?;
        let uri = arg::out(group_uri, "group_uri")?;
        uri.set(handle.returned.text(handle.group.uri.as_str()));
        Ok(())
    })
}

/// Checks whether a group is open.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group.
/// @param is_open Set to 1 if it is, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_is_open(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    is_open: *mut i32,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        let is_open = arg::out(is_open, "is_open")?;
        is_open.set(group.is_open().into());
        Ok(())
    })
}

/// Opens a group.
///
/// To open the group at another time, set `sm.group.timestamp_start` and `sm.group.timestamp_end`
/// first. It is an error if the group is open already or does not exist.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group.
/// @param query_type `TILEDB_READ`, `TILEDB_WRITE` or `TILEDB_MODIFY_EXCLUSIVE`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_open(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    query_type: tiledb_query_type_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        let query_type = arg::query_type(query_type)?;
        location::open_group(group, query_type)
    })
}

/// Sets the configuration of a group.
///
/// It is an error if the group is open.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group.
/// @param config The configuration; it is copied.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_set_config(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    config: *mut tiledb_config_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        group.set_config(&handle::borrow(config)?.config())
    })
}
