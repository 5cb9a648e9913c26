//! Queries as messages.
use crate::prelude::*;

/// Makes a message of the state of a query, in several buffers: those of the caller are not copied.
///
/// The buffers of the query must stay as they are while the list is in use.
///
/// Does not work yet: always an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param buffer_list Receives the list; free it with `tiledb_buffer_list_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_query(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer_list: *mut *mut tiledb_buffer_list_t,
) -> i32 {
    entry::not_implemented(ctx, "tiledb_serialize_query")
}

/// Sets the state of a query from a message.
///
/// At the client, results go to the buffers that the query has.
///
/// Does not work yet: always an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param query The query to set it in; made for the same array.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_query(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    query: *mut tiledb_query_t,
) -> i32 {
    entry::not_implemented(ctx, "tiledb_deserialize_query")
}

/// Makes a query, and the array it belongs to, of a message.
///
/// Does not work yet: always an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param array_uri Where the array is.
/// @param query Receives the query; free it with `tiledb_query_free`.
/// @param array Receives the array; free it with `tiledb_array_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
    entry::not_implemented(ctx, "tiledb_deserialize_query_and_array")
}

/// Makes a message of the estimated sizes of the results of a query.
///
/// Does not work yet: always an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param buffer Receives the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_query_est_result_sizes(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    entry::not_implemented(ctx, "tiledb_serialize_query_est_result_sizes")
}

/// Sets the estimated sizes of the results of a query from a message.
///
/// Does not work yet: always an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query to set them in.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param buffer The message.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_query_est_result_sizes(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *const tiledb_buffer_t,
) -> i32 {
    entry::not_implemented(ctx, "tiledb_deserialize_query_est_result_sizes")
}
