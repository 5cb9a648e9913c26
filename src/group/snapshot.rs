//! Snapshots of groups: a group and all its members, opened at one timestamp.

use std::sync::Arc;

use tiledb_engine::internal::group::GroupSnapshot;

use super::tiledb_group_handle_t;
use crate::array::tiledb_array_handle_t;
use crate::prelude::*;

/// A group with all its members, opened at one timestamp. It does not change.
pub struct tiledb_rs_group_snapshot_handle_t {
    snapshot: GroupSnapshot,
}

/// Name of the type in C programs.
pub type tiledb_rs_group_snapshot_t = tiledb_rs_group_snapshot_handle_t;

/// Extension: frees a snapshot of a group. Arrays and groups that were obtained from it stay valid.
///
/// @param snapshot Pointer to the handle, which is set to null. Null and a pointer to null are
///   ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_rs_group_snapshot_free(
    snapshot: *mut *mut tiledb_rs_group_snapshot_t,
) {
    handle::release(snapshot)
}

/// Extension: gets an array of a snapshot as a handle that is open for reading at the timestamp of
/// the snapshot. The array is not opened again.
///
/// Each call returns a new handle, which the caller frees with `tiledb_array_free`. It stays valid
/// after the snapshot has been freed. Closing or reopening it affects neither the snapshot nor
/// other handles.
///
/// @param ctx The context; stores the error if the call fails.
/// @param snapshot The snapshot.
/// @param index The index of the member; it must be an array.
/// @param array Set to the new handle.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_rs_group_snapshot_get_array(
    ctx: *mut tiledb_ctx_t,
    snapshot: *const tiledb_rs_group_snapshot_t,
    index: u64,
    array: *mut *mut tiledb_array_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let snapshot = &handle::borrow(snapshot)?.snapshot;
        let output = arg::out(array, "array")?;
        let member = Arc::new(snapshot.array(index)?);
        output.give(tiledb_array_handle_t::new(member));
        Ok(())
    })
}

/// Extension: gets a group of a snapshot as a handle that is open for reading at the timestamp of
/// the snapshot, for its members and its metadata.
///
/// Each call returns a new handle, which the caller frees with `tiledb_group_free`. It stays valid
/// after the snapshot has been freed.
///
/// @param ctx The context; stores the error if the call fails.
/// @param snapshot The snapshot.
/// @param index The index of the member, which must be a group; `UINT64_MAX` for the group that was
///   opened.
/// @param group Set to the new handle.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_rs_group_snapshot_get_group(
    ctx: *mut tiledb_ctx_t,
    snapshot: *const tiledb_rs_group_snapshot_t,
    index: u64,
    group: *mut *mut tiledb_group_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let snapshot = &handle::borrow(snapshot)?.snapshot;
        let output = arg::out(group, "group")?;
        let index = Some(index).filter(|index| *index != u64::MAX);
        output.give(tiledb_group_handle_t::new(snapshot.group(index)?));
        Ok(())
    })
}

/// Extension: gets a member of a snapshot by its index. The members of the opened group are first,
/// in the order of their names; then those of its member groups, and so on.
///
/// @param ctx The context; stores the error if the call fails.
/// @param snapshot The snapshot.
/// @param index The index, starting at 0.
/// @param uri Set to the absolute URI; free it with `tiledb_string_free`.
/// @param type Set to `TILEDB_ARRAY` or `TILEDB_GROUP`.
/// @param name Set to the name, or null if it has none; free it with `tiledb_string_free`.
/// @param group_index Set to the index of the group that contains the member; `UINT64_MAX` for the
///   group that was opened.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_rs_group_snapshot_get_member(
    ctx: *mut tiledb_ctx_t,
    snapshot: *const tiledb_rs_group_snapshot_t,
    index: u64,
    uri: *mut *mut tiledb_string_t,
    r#type: *mut tiledb_object_t,
    name: *mut *mut tiledb_string_t,
    group_index: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let snapshot = &handle::borrow(snapshot)?.snapshot;
        let uri = arg::out(uri, "uri")?;
        let kind = arg::out(r#type, "type")?;
        let name = arg::out(name, "name")?;
        let group_index = arg::out(group_index, "group_index")?;
        let member = snapshot.member(index)?;
        uri.give(tiledb_string_t::new(member.uri.clone()));
        kind.set(member.kind.code().into());
        name.give_or_null(member.name.clone().map(tiledb_string_t::new));
        group_index.set(member.group.map_or(u64::MAX, |index| index as u64));
        Ok(())
    })
}

/// Extension: gets the number of members of a snapshot, including those of member groups.
///
/// @param ctx The context; stores the error if the call fails.
/// @param snapshot The snapshot.
/// @param num Set to the number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_rs_group_snapshot_get_member_num(
    ctx: *mut tiledb_ctx_t,
    snapshot: *const tiledb_rs_group_snapshot_t,
    num: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let snapshot = &handle::borrow(snapshot)?.snapshot;
        arg::out(num, "num")?.set(snapshot.members.len() as u64);
        Ok(())
    })
}

/// Extension: gets the timestamp at which all members of a snapshot are open.
///
/// @param ctx The context; stores the error if the call fails.
/// @param snapshot The snapshot.
/// @param timestamp Set to the timestamp in milliseconds since 1970.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_rs_group_snapshot_get_timestamp(
    ctx: *mut tiledb_ctx_t,
    snapshot: *const tiledb_rs_group_snapshot_t,
    timestamp: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let snapshot = &handle::borrow(snapshot)?.snapshot;
        arg::out(timestamp, "timestamp")?.set(snapshot.timestamp);
        Ok(())
    })
}

/// Extension: opens a group and all its members, also those of member groups, for reading at one
/// timestamp.
///
/// All members show the state of one instant: a write that is committed while they are being opened
/// is visible in all members or in none. A group that contains itself, or is a member several
/// times, is a member for each of these; its own members are listed once.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group_uri URI of the group.
/// @param config The configuration to use, with the key of encrypted arrays and groups; null means
///   the configuration of the context.
/// @param timestamp The timestamp in milliseconds since 1970; `UINT64_MAX` means now.
/// @param snapshot Set to the snapshot; free it with `tiledb_rs_group_snapshot_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`, for
///   example if a member does not exist: the error contains its URI.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_rs_group_snapshot_open(
    ctx: *mut tiledb_ctx_t,
    group_uri: *const c_char,
    config: *mut tiledb_config_t,
    timestamp: u64,
    snapshot: *mut *mut tiledb_rs_group_snapshot_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let output = arg::out(snapshot, "snapshot")?;
        let uri = arg::text(group_uri, "group_uri")?;
        let timestamp = Some(timestamp).filter(|timestamp| *timestamp != u64::MAX);
        let snapshot = GroupSnapshot::open(&ctx.vfs, uri, &ctx.config_or(config), timestamp)?;
        output.give(tiledb_rs_group_snapshot_handle_t { snapshot });
        Ok(())
    })
}
