//! The members of groups.

use tiledb_engine::types::ObjectType;

use crate::prelude::*;

/// Adds an array or a group as a member.
///
/// The group must be open for writing. A member of the same name, or of the same URI where there is no name, gives way; it
/// is an error if that was added since the group was opened. An object need not be there yet; its type is unknown then.
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
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        let uri = arg::text(uri, "group_uri")?;
        let name = arg::optional_text(name, "name")?;
        group.add_member(uri, relative != 0, name, None)
    })
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
/// @param type `TILEDB_ARRAY` or `TILEDB_GROUP`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_add_member_with_type(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    uri: *const c_char,
    relative: u8,
    name: *const c_char,
    r#type: tiledb_object_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        let uri = arg::text(uri, "group_uri")?;
        let kind = ObjectType::from_code(r#type).filter(|kind| *kind != ObjectType::Invalid);
        let unknown = || Error::usage("C API", "Invalid object `type`");
        let kind = kind.ok_or_else(unknown)?;
        let name = arg::optional_text(name, "name")?;
        group.add_member(uri, relative != 0, name, Some(kind))
    })
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
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        let name = arg::text(name, "name")?;
        let relative = arg::out(relative, "relative")?;
        relative.set(group.member_named(name)?.relative.into());
        Ok(())
    })
}

/// Gives a member by its index. The order of members means nothing.
///
/// The group must be open for reading. It is an error if the index is not below the count.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @param index Which member, from 0.
/// @param uri Receives its absolute URI; free it with `tiledb_string_free`.
/// @param type Receives its type.
/// @param name Receives its name, or null if it has none; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_member_by_index_v2(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    index: u64,
    uri: *mut *mut tiledb_string_t,
    r#type: *mut tiledb_object_t,
    name: *mut *mut tiledb_string_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        let place = arg::out(uri, "uri")?;
        let kind = arg::out(r#type, "type")?;
        let named = arg::out(name, "name")?;
        let member = group.member_at(index)?;
        place.give(tiledb_string_t::new(member.uri));
        kind.set(member.kind.code().into());
        named.give_or_null(member.name.map(tiledb_string_t::new));
        Ok(())
    })
}

/// Gives a member by its name.
///
/// The group must be open for reading. It is an error if there is no such member.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @param name The name.
/// @param uri Receives its absolute URI; free it with `tiledb_string_free`.
/// @param type Receives its type.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_member_by_name_v2(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    name: *const c_char,
    uri: *mut *mut tiledb_string_t,
    r#type: *mut tiledb_object_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        let place = arg::out(uri, "uri")?;
        let kind = arg::out(r#type, "type")?;
        let member = group.member_named(arg::text(name, "name")?)?;
        kind.set(member.kind.code().into());
        place.give(tiledb_string_t::new(member.uri));
        Ok(())
    })
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
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        let count = arg::out(count, "count")?;
        count.set(group.member_count()?);
        Ok(())
    })
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
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        let name = arg::text(name_or_uri, "name")?;
        group.remove_member(name)
    })
}
