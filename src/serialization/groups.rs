//! Groups as messages.
use tiledb_engine::internal::array::WithMetadata as _;
use tiledb_engine::internal::serialization::{
    MessageEncoding, read_group, read_metadata, write_group, write_metadata,
};

use crate::prelude::*;

/// Serializes a group.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group, which must be open.
/// @param serialize_type The encoding of the message.
/// @param client_side Without effect: the message is the same on both sides.
/// @param buffer_list Set to the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_group(
    ctx: *mut tiledb_ctx_t,
    group: *const tiledb_group_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer_list: *mut *mut tiledb_buffer_t,
) -> i32 {
    let _ = client_side;
    entry::with_context(ctx, |_| {
        let group = handle::borrow(group)?;
        let out = arg::out(buffer_list, "buffer_list")?;
        let message = write_group(&group.group, MessageEncoding::from_code(serialize_type))?;
        out.give(tiledb_buffer_t::of_message(message));
        Ok(())
    })
}

/// Fills a group from a message.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side Without effect: the message is the same on both sides.
/// @param group The group to fill.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_group(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    group: *mut tiledb_group_t,
) -> i32 {
    let _ = client_side;
    entry::with_context(ctx, |_| {
        let buffer = handle::borrow(buffer)?;
        let group = handle::borrow(group)?;
        let encoding = MessageEncoding::from_code(serialize_type);
        buffer.read(|message| read_group(message, encoding, &group.group))
    })
}

/// Serializes the metadata of a group.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group, which must be open.
/// @param serialization_type The encoding of the message.
/// @param buffer Set to the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_group_metadata(
    ctx: *mut tiledb_ctx_t,
    group: *const tiledb_group_t,
    serialization_type: tiledb_serialization_type_t,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    entry::with_context(ctx, |_| {
        let group = handle::borrow(group)?;
        let out = arg::out(buffer, "buffer")?;
        let entries = group.group.metadata_entries()?;
        let encoding = MessageEncoding::from_code(serialization_type);
        let message = write_metadata(&entries, encoding)?;
        out.give(tiledb_buffer_t::of_message(message));
        Ok(())
    })
}

/// Sets the metadata of a group from a message.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group.
/// @param serialization_type The encoding of the message.
/// @param buffer The message.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_group_metadata(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    serialization_type: tiledb_serialization_type_t,
    buffer: *const tiledb_buffer_t,
) -> i32 {
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        let buffer = handle::borrow(buffer)?;
        let encoding = MessageEncoding::from_code(serialization_type);
        let config = group.config();
        let entries = buffer.read(|message| read_metadata(message, encoding, &config))?;
        group.apply_metadata(&entries)
    })
}
