//! Serialization: objects as messages, in the encoding that TileDB servers and clients exchange.
//!
//! A message is JSON text or Cap'n Proto. The side matters: a client sends less of some objects than a server.

use tiledb_engine::types::SerializationType;

use crate::prelude::*;

/// Makes an array of a message.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param array_uri Where the array is.
/// @param array Receives the array; free it with `tiledb_array_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    array_uri: *const c_char,
    array: *mut *mut tiledb_array_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, buffer, serialize_type, client_side, array_uri, array);
        entry::not_implemented(ctx, "tiledb_deserialize_array")
    }
}

/// Makes of a message what is needed to create an array.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param storage_uri Receives where the array is to be stored; free it with `tiledb_string_free`.
/// @param array_schema Receives the schema; free it with `tiledb_array_schema_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_create(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    storage_uri: *mut *mut tiledb_string_t,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (
            ctx,
            buffer,
            serialize_type,
            client_side,
            storage_uri,
            array_schema,
        );
        entry::not_implemented(ctx, "tiledb_deserialize_array_create")
    }
}

/// Sets the metadata of an array from a message.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array.
/// @param serialization_type The encoding of the message.
/// @param buffer The message.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_metadata(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    buffer: *const tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, serialization_type, buffer);
        entry::not_implemented(ctx, "tiledb_deserialize_array_metadata")
    }
}

/// Sets the non-empty domain of an array, for all dimensions, from a message.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_non_empty_domain_all_dimensions(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, buffer, serialize_type, client_side);
        entry::not_implemented(
            ctx,
            "tiledb_deserialize_array_non_empty_domain_all_dimensions",
        )
    }
}

/// Reads a non-empty domain from a message, for arrays whose dimensions have one type.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array that says which type.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param nonempty_domain Receives both ends of each dimension, one after the other.
/// @param is_empty Receives 1 if there are no cells, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_nonempty_domain(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    nonempty_domain: *mut c_void,
    is_empty: *mut i32,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (
            ctx,
            array,
            buffer,
            serialize_type,
            client_side,
            nonempty_domain,
            is_empty,
        );
        entry::not_implemented(ctx, "tiledb_deserialize_array_nonempty_domain")
    }
}

/// Makes an open array of a message.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param array Receives the array; free it with `tiledb_array_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_open(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    array: *mut *mut tiledb_array_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, buffer, serialize_type, client_side, array);
        entry::not_implemented(ctx, "tiledb_deserialize_array_open")
    }
}

/// Makes a schema of a message.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param array_schema Receives the schema; free it with `tiledb_array_schema_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_schema(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, buffer, serialize_type, client_side, array_schema);
        entry::not_implemented(ctx, "tiledb_deserialize_array_schema")
    }
}

/// Makes a list of changes to a schema of a message.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param array_schema_evolution Receives the list; free it with `tiledb_array_schema_evolution_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_schema_evolution(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    array_schema_evolution: *mut *mut tiledb_array_schema_evolution_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (
            ctx,
            buffer,
            serialize_type,
            client_side,
            array_schema_evolution,
        );
        entry::not_implemented(ctx, "tiledb_deserialize_array_schema_evolution")
    }
}

/// Makes a configuration of a message.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param config Receives the configuration; free it with `tiledb_config_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_config(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    config: *mut *mut tiledb_config_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, buffer, serialize_type, client_side, config);
        entry::not_implemented(ctx, "tiledb_deserialize_config")
    }
}

/// Fills a fragment info from a message.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param array_uri Where the array is.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param fragment_info The fragment info to fill.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_fragment_info(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    array_uri: *const c_char,
    client_side: i32,
    fragment_info: *mut tiledb_fragment_info_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (
            ctx,
            buffer,
            serialize_type,
            array_uri,
            client_side,
            fragment_info,
        );
        entry::not_implemented(ctx, "tiledb_deserialize_fragment_info")
    }
}

/// Sets, from a message, what a fragment info is asked for.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param fragment_info The fragment info to set it in.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_fragment_info_request(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    fragment_info: *mut tiledb_fragment_info_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, buffer, serialize_type, client_side, fragment_info);
        entry::not_implemented(ctx, "tiledb_deserialize_fragment_info_request")
    }
}

/// Fills a group from a message.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param group The group to fill.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_group(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    group: *mut tiledb_group_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, buffer, serialize_type, client_side, group);
        entry::not_implemented(ctx, "tiledb_deserialize_group")
    }
}

/// Sets the metadata of a group from a message.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group.
/// @param serialization_type The encoding of the message.
/// @param buffer The message.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_group_metadata(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    serialization_type: tiledb_serialization_type_t,
    buffer: *const tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, serialization_type, buffer);
        entry::not_implemented(ctx, "tiledb_deserialize_group_metadata")
    }
}

/// Sets the state of a query from a message.
///
/// At the client, results go to the buffers that the query has.
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, buffer, serialize_type, client_side, query);
        entry::not_implemented(ctx, "tiledb_deserialize_query")
    }
}

/// Makes a query, and the array it belongs to, of a message.
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (
            ctx,
            buffer,
            serialize_type,
            client_side,
            array_uri,
            query,
            array,
        );
        entry::not_implemented(ctx, "tiledb_deserialize_query_and_array")
    }
}

/// Sets the estimated sizes of the results of a query from a message.
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, query, serialize_type, client_side, buffer);
        entry::not_implemented(ctx, "tiledb_deserialize_query_est_result_sizes")
    }
}

/// Answers, at the server, a request to delete fragments by name.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open for `TILEDB_MODIFY_EXCLUSIVE`.
/// @param serialization_type The encoding of the message.
/// @param request The message of the client.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_array_delete_fragments_list_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, serialization_type, request);
        entry::not_implemented(ctx, "tiledb_handle_array_delete_fragments_list_request")
    }
}

/// Answers, at the server, a request to delete fragments by time.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open for `TILEDB_MODIFY_EXCLUSIVE`.
/// @param serialization_type The encoding of the message.
/// @param request The message of the client.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_array_delete_fragments_timestamps_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, serialization_type, request);
        entry::not_implemented(
            ctx,
            "tiledb_handle_array_delete_fragments_timestamps_request",
        )
    }
}

/// Answers, at the server, a request for a consolidation plan.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open for reading.
/// @param serialization_type The encoding of the message.
/// @param request The message of the client.
/// @param response Receives the answer; a buffer of the caller.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_consolidation_plan_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
    response: *mut tiledb_buffer_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, serialization_type, request, response);
        entry::not_implemented(ctx, "tiledb_handle_consolidation_plan_request")
    }
}

/// Answers, at the server, a request for the schemas of an array.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open.
/// @param serialization_type The encoding of the message.
/// @param request The message of the client.
/// @param response Receives the answer; a buffer of the caller.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_load_array_schema_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
    response: *mut tiledb_buffer_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, serialization_type, request, response);
        entry::not_implemented(ctx, "tiledb_handle_load_array_schema_request")
    }
}

/// Answers, at the server, a request for the enumerations of an array.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open.
/// @param serialization_type The encoding of the message.
/// @param request The message of the client.
/// @param response Receives the answer; a buffer of the caller.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_load_enumerations_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
    response: *mut tiledb_buffer_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, serialization_type, request, response);
        entry::not_implemented(ctx, "tiledb_handle_load_enumerations_request")
    }
}

/// Answers, at the server, a request for the plan of a query.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open.
/// @param serialization_type The encoding of the message.
/// @param request The message of the client.
/// @param response Receives the answer; a buffer of the caller.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_query_plan_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
    response: *mut tiledb_buffer_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, serialization_type, request, response);
        entry::not_implemented(ctx, "tiledb_handle_query_plan_request")
    }
}

/// Gives the encoding for its text.
///
/// @param str The text, as "JSON".
/// @param serialization_type Receives the encoding.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialization_type_from_str(
    str: *const c_char,
    serialization_type: *mut tiledb_serialization_type_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::plain(|| {
            let value = SerializationType::from_name(arg::text(str, "str")?);
            let value = value.ok_or_else(|| Error::usage("C API", "Unknown serialization type"))?;
            arg::out(serialization_type, "serialization_type")?.set(value.code().into());
            Ok(())
        })
    }
}

/// Gives the text for an encoding, as "JSON".
///
/// @param serialization_type The encoding.
/// @param str Receives the text, which lives as long as the library.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialization_type_to_str(
    serialization_type: tiledb_serialization_type_t,
    str: *mut *const c_char,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::plain(|| {
            let value = arg::known(
                SerializationType::from_code(serialization_type),
                "serialization type",
                serialization_type,
            )?;
            arg::out(str, "str")?.set(kept::constant(value.name()));
            Ok(())
        })
    }
}

/// Makes a message of an array.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param buffer Receives the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, serialize_type, client_side, buffer);
        entry::not_implemented(ctx, "tiledb_serialize_array")
    }
}

/// Fails: the sizes it told are no longer supported.
///
/// Deprecated: still works, and goes with a later release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array.
/// @param subarray Not looked at.
/// @param serialize_type The encoding of the message.
/// @param buffer Not written.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_max_buffer_sizes(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    subarray: *const c_void,
    serialize_type: tiledb_serialization_type_t,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, subarray, serialize_type, buffer);
        entry::not_implemented(ctx, "tiledb_serialize_array_max_buffer_sizes")
    }
}

/// Makes a message of the metadata of an array.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open for reading.
/// @param serialization_type The encoding of the message.
/// @param buffer Receives the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_metadata(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, serialization_type, buffer);
        entry::not_implemented(ctx, "tiledb_serialize_array_metadata")
    }
}

/// Makes a message of the non-empty domain of an array, for all dimensions.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open for reading.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param buffer Receives the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_non_empty_domain_all_dimensions(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, serialize_type, client_side, buffer);
        entry::not_implemented(
            ctx,
            "tiledb_serialize_array_non_empty_domain_all_dimensions",
        )
    }
}

/// Makes a message of a non-empty domain, for arrays whose dimensions have one type.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array that says which type.
/// @param nonempty_domain Both ends of each dimension, one after the other.
/// @param is_empty 1 if there are no cells, else 0.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param buffer Receives the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_nonempty_domain(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    nonempty_domain: *const c_void,
    is_empty: i32,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (
            ctx,
            array,
            nonempty_domain,
            is_empty,
            serialize_type,
            client_side,
            buffer,
        );
        entry::not_implemented(ctx, "tiledb_serialize_array_nonempty_domain")
    }
}

/// Makes a message that opens an array.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param buffer_list Receives the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_open(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer_list: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, serialize_type, client_side, buffer_list);
        entry::not_implemented(ctx, "tiledb_serialize_array_open")
    }
}

/// Makes a message of a schema.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param buffer Receives the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_schema(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, serialize_type, client_side, buffer);
        entry::not_implemented(ctx, "tiledb_serialize_array_schema")
    }
}

/// Makes a message of a list of changes to a schema.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema_evolution The list.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param buffer Receives the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_schema_evolution(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *const tiledb_array_schema_evolution_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (
            ctx,
            array_schema_evolution,
            serialize_type,
            client_side,
            buffer,
        );
        entry::not_implemented(ctx, "tiledb_serialize_array_schema_evolution")
    }
}

/// Makes a message of a configuration. Secrets are in it.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param config The configuration.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param buffer Receives the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_config(
    ctx: *mut tiledb_ctx_t,
    config: *const tiledb_config_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, config, serialize_type, client_side, buffer);
        entry::not_implemented(ctx, "tiledb_serialize_config")
    }
}

/// Makes a message of a fragment info.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info, loaded.
/// @param serialization_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param buffer Receives the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_fragment_info(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *const tiledb_fragment_info_t,
    serialization_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, serialization_type, client_side, buffer);
        entry::not_implemented(ctx, "tiledb_serialize_fragment_info")
    }
}

/// Makes a message that asks for a fragment info.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info to ask for.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param buffer Receives the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_fragment_info_request(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *const tiledb_fragment_info_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, serialize_type, client_side, buffer);
        entry::not_implemented(ctx, "tiledb_serialize_fragment_info_request")
    }
}

/// Makes a message of a group.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group, open.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param buffer_list Receives the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_group(
    ctx: *mut tiledb_ctx_t,
    group: *const tiledb_group_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer_list: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, serialize_type, client_side, buffer_list);
        entry::not_implemented(ctx, "tiledb_serialize_group")
    }
}

/// Makes a message of the metadata of a group.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param group The group, open.
/// @param serialization_type The encoding of the message.
/// @param buffer Receives the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_group_metadata(
    ctx: *mut tiledb_ctx_t,
    group: *const tiledb_group_t,
    serialization_type: tiledb_serialization_type_t,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, serialization_type, buffer);
        entry::not_implemented(ctx, "tiledb_serialize_group_metadata")
    }
}

/// Makes a message of the state of a query, in several buffers: those of the caller are not copied.
///
/// The buffers of the query must stay as they are while the list is in use.
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, query, serialize_type, client_side, buffer_list);
        entry::not_implemented(ctx, "tiledb_serialize_query")
    }
}

/// Makes a message of the estimated sizes of the results of a query.
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, query, serialize_type, client_side, buffer);
        entry::not_implemented(ctx, "tiledb_serialize_query_est_result_sizes")
    }
}
