//! Fragment infos, and requests for them, as messages.
use tiledb_engine::internal::serialization::{
    MessageEncoding, read_fragment_info, read_fragment_info_request, write_fragment_info,
    write_fragment_info_request,
};

use crate::prelude::*;

/// Creates a message of a fragment info.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info, loaded.
/// @param serialization_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param buffer Set to the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_fragment_info(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *const tiledb_fragment_info_t,
    serialization_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let encoding = MessageEncoding::from_code(serialization_type);
        let message = write_fragment_info(info, client_side != 0, encoding)?;
        handle::make(buffer, "buffer", tiledb_buffer_t::of_message(message))
    })
}

/// Fills a fragment info from a message.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param array_uri URI or path of the array.
/// @param client_side Without effect: the message is the same on both sides.
/// @param fragment_info The fragment info to fill.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_fragment_info(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    array_uri: *const c_char,
    client_side: i32,
    fragment_info: *mut tiledb_fragment_info_t,
) -> i32 {
    let _ = client_side;
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let buffer = handle::borrow(buffer)?;
        let uri = arg::uri(array_uri, "array_uri").map_err(|_| {
            let message = "Failed to deserialize fragment info; Invalid array URI";
            Error::usage("Error", message)
        })?;
        let encoding = MessageEncoding::from_code(serialize_type);
        buffer.read(|message| read_fragment_info(message, encoding, &uri, info))
    })
}

/// Serializes a client's request for a fragment info.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info that is requested.
/// @param serialize_type The encoding of the message.
/// @param client_side Without effect: the message is the same on both sides.
/// @param buffer Set to the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_fragment_info_request(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *const tiledb_fragment_info_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    let _ = client_side;
    entry::with_context(ctx, |_| {
        let config = handle::borrow(fragment_info)?.info.config();
        let encoding = MessageEncoding::from_code(serialize_type);
        let message = write_fragment_info_request(&config, encoding)?;
        handle::make(buffer, "buffer", tiledb_buffer_t::of_message(message))
    })
}

/// Reads a client's request for a fragment info, on the server.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side Without effect: the message is the same on both sides.
/// @param fragment_info The fragment info, which gets the configuration of the request.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_fragment_info_request(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    fragment_info: *mut tiledb_fragment_info_t,
) -> i32 {
    let _ = client_side;
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let buffer = handle::borrow(buffer)?;
        let encoding = MessageEncoding::from_code(serialize_type);
        match buffer.read(|message| read_fragment_info_request(message, encoding))? {
            Some(config) => info.set_config(&config),
            None => Ok(()),
        }
    })
}
