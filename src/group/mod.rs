//! Group: a folder of arrays and groups, its members named, with metadata of its own.
//!
//! Members are told by URI, absolute or relative to the group; changes are written when the group is closed. Here groups
//! are made, opened, told and removed; beside: their `members` and their `metadata`.

use tiledb_engine::group::{self, Group};

use crate::prelude::*;

pub mod members;
pub mod metadata;

/// A group, open or not. Free it with `tiledb_group_free`, closed or not; what was not closed is not written.
pub struct tiledb_group_handle_t {
    pub(crate) group: Group,
    /// Texts that the group lends.
    kept: kept::Kept,
}

/// The name C programs use.
pub type tiledb_group_t = tiledb_group_handle_t;

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
    entry::with_context(ctx, |ctx| {
        arg::out(group, "group")?;
        let made = tiledb_group_handle_t {
            group: Group::new(&ctx.vfs, arg::text(group_uri, "group_uri")?)?,
            kept: kept::Kept::default(),
        };
        handle::make(group, "group", made)
    })
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
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        group.close()
    })
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
    entry::with_context(ctx, |ctx| {
        let uri = arg::text(group_uri, "group_uri")?;
        group::create(&ctx.vfs, uri)
    })
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
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        let uri = arg::text(uri, "group_uri")?;
        group.delete(uri, recursive != 0)
    })
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
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        arg::out(dump_ascii, "dump_ascii")?;
        let text = group.dump(recursive != 0)?;
        handle::make(dump_ascii, "dump_ascii", tiledb_string_t::new(text))
    })
}

/// Frees a group, and with it the values that its getters lent.
///
/// Accepts null at both levels and leaves null behind.
///
/// @param group Where the group is; set to null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_free(group: *mut *mut tiledb_group_t) {
    handle::release(group);
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
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        let found = tiledb_config_t::new(group.config());
        handle::make(config, "config", found)
    })
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
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        let query_type = arg::out(query_type, "query_type")?;
        query_type.set(group.query_type()?.code().into());
        Ok(())
    })
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
    entry::with_context(ctx, |_| {
        let handle = handle::borrow(group)?;
        let uri = arg::out(group_uri, "group_uri")?;
        uri.set(handle.kept.text(handle.group.uri().as_str()));
        Ok(())
    })
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
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        let is_open = arg::out(is_open, "is_open")?;
        is_open.set(group.is_open().into());
        Ok(())
    })
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
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        group.open(arg::query_type(query_type)?)
    })
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
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        group.set_config(&handle::borrow(config)?.config())
    })
}
