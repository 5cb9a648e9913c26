//! Queries as messages.
use crate::prelude::*;

/// Serializes the state of a query as a list of buffers. The caller's buffers are not copied.
///
/// The buffers of the query must not change while the list is in use.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param serialize_type The encoding of the message.
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
    entry::not_implemented(ctx, "tiledb_serialize_query")
}

/// Sets the state of a query from a message.
///
/// On the client side, results are copied to the buffers of the query.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer The message.
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
    entry::not_implemented(ctx, "tiledb_deserialize_query")
}

/// Creates a query and its array from a message.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer The message.
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
    entry::not_implemented(ctx, "tiledb_deserialize_query_and_array")
}

/// Serializes the estimated sizes of the results of a query.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
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
    entry::not_implemented(ctx, "tiledb_serialize_query_est_result_sizes")
}

/// Sets the estimated sizes of the results of a query from a message.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query to change.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
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
    entry::not_implemented(ctx, "tiledb_deserialize_query_est_result_sizes")
}
