//! Handling of client requests on a server.
use crate::prelude::*;

/// Handles, on the server, a request to delete fragments by name.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, open for `TILEDB_MODIFY_EXCLUSIVE`.
/// @param serialization_type The encoding of the message.
/// @param request The message of the client.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_array_delete_fragments_list_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
) -> capi_return_t {
    entry::not_implemented(ctx, "tiledb_handle_array_delete_fragments_list_request")
}

/// Handles, on the server, a request to delete fragments by time.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, open for `TILEDB_MODIFY_EXCLUSIVE`.
/// @param serialization_type The encoding of the message.
/// @param request The message of the client.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_array_delete_fragments_timestamps_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
) -> capi_return_t {
    entry::not_implemented(
        ctx,
        "tiledb_handle_array_delete_fragments_timestamps_request",
    )
}

/// Handles, on the server, a request for a consolidation plan.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, which must be open for reading.
/// @param serialization_type The encoding of the message.
/// @param request The message of the client.
/// @param response The caller's buffer, which receives the response.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_consolidation_plan_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
    response: *mut tiledb_buffer_t,
) -> capi_return_t {
    entry::not_implemented(ctx, "tiledb_handle_consolidation_plan_request")
}

/// Handles, on the server, a request for the schemas of an array.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, open.
/// @param serialization_type The encoding of the message.
/// @param request The message of the client.
/// @param response The caller's buffer, which receives the response.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_load_array_schema_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
    response: *mut tiledb_buffer_t,
) -> capi_return_t {
    entry::not_implemented(ctx, "tiledb_handle_load_array_schema_request")
}

/// Handles, on the server, a request for the enumerations of an array.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, open.
/// @param serialization_type The encoding of the message.
/// @param request The message of the client.
/// @param response The caller's buffer, which receives the response.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_load_enumerations_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
    response: *mut tiledb_buffer_t,
) -> capi_return_t {
    entry::not_implemented(ctx, "tiledb_handle_load_enumerations_request")
}

/// Handles, on the server, a request for the plan of a query.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, open.
/// @param serialization_type The encoding of the message.
/// @param request The message of the client.
/// @param response The caller's buffer, which receives the response.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_query_plan_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
    response: *mut tiledb_buffer_t,
) -> capi_return_t {
    entry::not_implemented(ctx, "tiledb_handle_query_plan_request")
}
