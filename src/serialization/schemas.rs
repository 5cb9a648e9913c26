//! Array schemas and their evolution as messages.
use crate::prelude::*;

/// Serializes a schema.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param buffer Set to the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_schema(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    entry::not_implemented(ctx, "tiledb_serialize_array_schema")
}

/// Creates a schema from a message.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param array_schema Set to the schema; free it with `tiledb_array_schema_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_schema(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    entry::not_implemented(ctx, "tiledb_deserialize_array_schema")
}

/// Serializes a list of changes to a schema.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema_evolution The list.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param buffer Set to the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_schema_evolution(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *const tiledb_array_schema_evolution_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    entry::not_implemented(ctx, "tiledb_serialize_array_schema_evolution")
}

/// Creates a list of changes to a schema of a message.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param array_schema_evolution Set to the list; free it with
///   `tiledb_array_schema_evolution_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_schema_evolution(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    array_schema_evolution: *mut *mut tiledb_array_schema_evolution_t,
) -> i32 {
    entry::not_implemented(ctx, "tiledb_deserialize_array_schema_evolution")
}

/// Makes of a message what is needed to create an array.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param storage_uri Set to a pointer to the array to be stored; free it with
///   `tiledb_string_free`.
/// @param array_schema Set to the schema; free it with `tiledb_array_schema_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_create(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    storage_uri: *mut *mut tiledb_string_t,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    entry::not_implemented(ctx, "tiledb_deserialize_array_create")
}
