//! Queries as messages.
use std::sync::Arc;

use tiledb_engine::internal::array::Array;
use tiledb_engine::internal::serialization::{
    MessageEncoding, Side, read_array_of_query, read_result_sizes, write_result_sizes,
};

use crate::prelude::*;

/// Returns the side that a C program names.
fn side_of(client_side: i32) -> Side {
    match client_side {
        1 => Side::Client,
        _ => Side::Server,
    }
}

/// Serializes the state of a query as a list of buffers: the message and, for a write of a client
/// or a read of a server, copies of the content of its buffers.
///
/// A server cannot serialize an incomplete query that has aggregates.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param serialize_type The encoding of the message, which must be `TILEDB_CAPNP`.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param buffer_list Set to the list; free it with `tiledb_buffer_list_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_query(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer_list: *mut *mut tiledb_buffer_list_t,
) -> i32 {
    entry::with_context(ctx, |_| {
        let query = handle::borrow(query)?;
        let out = arg::out(buffer_list, "buffer_list")?;
        let encoding = MessageEncoding::from_code(serialize_type);
        let parts = query.message(encoding, side_of(client_side))?;
        out.give(tiledb_buffer_list_t::new(parts));
        Ok(())
    })
}

/// Sets the state of a query from a message.
///
/// On the client side, results of a read are copied to the buffers of the query, which must be
/// large enough, and the sizes of the buffers are set. Without results, which a client sends before
/// the first submit, only the sizes are set. On the server side, the query gets buffers.
/// Those of a write have the content that follows the message. Those of a read have the sizes of
/// the buffers of the client and no memory: the server gets the sizes with
/// `tiledb_query_get_data_buffer` and similar functions, allocates, and sets the buffers. The query
/// does not change if the call fails.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer The message and what follows it, aligned to 8 bytes.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param query The query to change, which must be a query on the same array.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_query(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    query: *mut tiledb_query_t,
) -> i32 {
    entry::with_context(ctx, |_| {
        let query = handle::borrow(query)?;
        let buffer = handle::borrow(buffer)?;
        let encoding = MessageEncoding::from_code(serialize_type);
        buffer.read(|bytes| query.receive(bytes, encoding, side_of(client_side)))
    })
}

/// Creates a query and its array from a message. The array is open, and has what the message
/// contains.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer The message and what follows it, aligned to 8 bytes.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param array_uri URI or path of the array.
/// @param query Set to the query; free it with `tiledb_query_free`.
/// @param array Set to the array; free it with `tiledb_array_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_query_and_array(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    array_uri: *const c_char,
    query: *mut *mut tiledb_query_t,
    array: *mut *mut tiledb_array_t,
) -> i32 {
    entry::with_context(ctx, |ctx| {
        let buffer = handle::borrow(buffer)?;
        let query = arg::out(query, "query")?;
        let array = arg::out(array, "array")?;
        let uri = arg::uri(array_uri, "array_uri")?;
        let encoding = MessageEncoding::from_code(serialize_type);
        let new_array = Arc::new(Array::new(&ctx.vfs, uri.as_str())?);
        let config = &ctx.context().config;
        let received = buffer.read(|bytes| {
            let query_type = read_array_of_query(bytes, &new_array, config, encoding)?;
            let received = tiledb_query_t::new(ctx, &new_array, query_type)?;
            received.receive(bytes, encoding, side_of(client_side))?;
            Ok(received)
        })?;
        query.give(received);
        array.give(tiledb_array_t::new(new_array));
        Ok(())
    })
}

/// Serializes the estimated sizes of the results of a read for all attributes and dimensions.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param serialize_type The encoding of the message.
/// @param client_side Without effect: the message is the same on both sides.
/// @param buffer Set to the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_query_est_result_sizes(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    let _ = client_side;
    entry::with_context(ctx, |_| {
        let query = handle::borrow(query)?.query();
        let encoding = MessageEncoding::from_code(serialize_type);
        let message = write_result_sizes(&query, encoding)?;
        handle::make(buffer, "buffer", tiledb_buffer_t::of_message(message))
    })
}

/// Sets the estimated sizes of the results of a read from a message. They replace the estimates of
/// this process until another subarray is set.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query to change.
/// @param serialize_type The encoding of the message.
/// @param client_side Without effect: the message is the same on both sides.
/// @param buffer The message.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_query_est_result_sizes(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *const tiledb_buffer_t,
) -> i32 {
    let _ = client_side;
    entry::with_context(ctx, |_| {
        let mut query = handle::borrow(query)?.query();
        let buffer = handle::borrow(buffer)?;
        let encoding = MessageEncoding::from_code(serialize_type);
        let sizes = buffer.read(|bytes| read_result_sizes(bytes, &query, encoding))?;
        query.receive_estimates(sizes);
        Ok(())
    })
}
