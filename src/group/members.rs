//! The members of groups.

use tiledb_engine::internal::group::MemberUri;
use tiledb_engine::internal::types::ObjectType;

use crate::prelude::*;

fn member_uri(uri: &str, relative: u8) -> MemberUri<'_> {
    match relative {
        0 => MemberUri::Absolute(uri),
        _ => MemberUri::Relative(uri),
    }
}

/// Adds an array or a group as a member of a group.
///
/// The group must be open for writing. An existing member with the same name, or with the same URI
/// if it has no name, is replaced; it is an error if that member was added since the group was
/// opened. The object need not exist yet; its type is unknown then.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group.
/// @param uri URI of the member.
/// @param relative 1 if `uri` is relative to the group, so that both can be moved together; 0 if it
///   is absolute.
/// @param name A name for the member, or null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        group.add_member(member_uri(uri, relative), name, None)
    })
}

/// Adds a member whose type the caller specifies, so that storage is not accessed to find it.
///
/// Otherwise equivalent to `tiledb_group_add_member`.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group.
/// @param uri URI of the member.
/// @param relative 1 if `uri` is relative to the group, so that both can be moved together; 0 if it
///   is absolute.
/// @param name A name for the member, or null.
/// @param type `TILEDB_ARRAY` or `TILEDB_GROUP`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        group.add_member(member_uri(uri, relative), name, Some(kind))
    })
}

/// Checks whether the URI of a member is relative to the group.
///
/// The group must be open for reading. It is an error if the member does not exist.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group.
/// @param name The name of the member.
/// @param relative Set to 1 if it is relative, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Gets a member by its index. The order of the members is unspecified.
///
/// The group must be open for reading. It is an error if the index is too large.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group.
/// @param index The index, starting at 0.
/// @param uri Set to the absolute URI; free it with `tiledb_string_free`.
/// @param type Set to the type.
/// @param name Set to the name, or null if it has none; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let output = arg::out(uri, "uri")?;
        let kind = arg::out(r#type, "type")?;
        let named = arg::out(name, "name")?;
        let member = group.member_at(index)?;
        output.give(tiledb_string_t::new(member.uri));
        kind.set(member.kind.code().into());
        named.give_or_null(member.name.map(tiledb_string_t::new));
        Ok(())
    })
}

/// Gets a member by its name.
///
/// The group must be open for reading. It is an error if the member does not exist.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group.
/// @param name The name.
/// @param uri Set to the absolute URI; free it with `tiledb_string_free`.
/// @param type Set to the type.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let output = arg::out(uri, "uri")?;
        let kind = arg::out(r#type, "type")?;
        let member = group.member_named(arg::text(name, "name")?)?;
        kind.set(member.kind.code().into());
        output.give(tiledb_string_t::new(member.uri));
        Ok(())
    })
}

/// Gets the number of members.
///
/// The group must be open for reading.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group.
/// @param count Set to the count.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Removes a member from a group. The array or group itself is not removed.
///
/// The group must be open for writing. It is an error if the member was added since the group was
/// opened, or if several members have the URI.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group.
/// @param name_or_uri The name of the member, or its URI if it has none.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
