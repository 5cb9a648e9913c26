//! Arrays as messages: opened, their metadata, their non-empty domains.
use crate::prelude::*;

/// Serializes an array.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param buffer Set to the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    entry::not_implemented(ctx, "tiledb_serialize_array")
}

/// Creates an array from a message.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param array_uri URI or path of the array.
/// @param array Set to the array; free it with `tiledb_array_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    array_uri: *const c_char,
    array: *mut *mut tiledb_array_t,
) -> i32 {
    entry::not_implemented(ctx, "tiledb_deserialize_array")
}

/// Serializes a request to open an array.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param buffer_list Set to the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_open(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer_list: *mut *mut tiledb_buffer_t,
) -> i32 {
    entry::not_implemented(ctx, "tiledb_serialize_array_open")
}

/// Creates an open array from a message.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param array Set to the array; free it with `tiledb_array_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_open(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    array: *mut *mut tiledb_array_t,
) -> i32 {
    entry::not_implemented(ctx, "tiledb_deserialize_array_open")
}

/// Serializes the metadata of an array.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, which must be open for reading.
/// @param serialization_type The encoding of the message.
/// @param buffer Set to the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_metadata(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    entry::not_implemented(ctx, "tiledb_serialize_array_metadata")
}

/// Sets the metadata of an array from a message.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array.
/// @param serialization_type The encoding of the message.
/// @param buffer The message.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_metadata(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    buffer: *const tiledb_buffer_t,
) -> i32 {
    entry::not_implemented(ctx, "tiledb_deserialize_array_metadata")
}

/// Serializes the non-empty domain of an array for all dimensions.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, which must be open for reading.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param buffer Set to the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_non_empty_domain_all_dimensions(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    entry::not_implemented(
        ctx,
        "tiledb_serialize_array_non_empty_domain_all_dimensions",
    )
}

/// Sets the non-empty domain of an array, for all dimensions, from a message.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_non_empty_domain_all_dimensions(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
) -> i32 {
    entry::not_implemented(
        ctx,
        "tiledb_deserialize_array_non_empty_domain_all_dimensions",
    )
}

/// Creates a message of a non-empty domain, for arrays whose dimensions have one type.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array that says which type.
/// @param nonempty_domain Both ends of each dimension, one after the other.
/// @param is_empty 1 if the array has no cells, otherwise 0.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param buffer Set to the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
    entry::not_implemented(ctx, "tiledb_serialize_array_nonempty_domain")
}

/// Reads a non-empty domain from a message, for arrays whose dimensions have one type.
///
/// Not implemented: always returns an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array that says which type.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side 1 if the caller is the client, 0 if it is the server.
/// @param nonempty_domain Set to both ends of each dimension, one after the other.
/// @param is_empty Set to 1 if the array has no cells, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
    entry::not_implemented(ctx, "tiledb_deserialize_array_nonempty_domain")
}

/// Always an error: libtiledb no longer supports these sizes.
///
/// Deprecated: goes with a later release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array.
/// @param subarray Not looked at.
/// @param serialize_type The encoding of the message.
/// @param buffer Not written.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_max_buffer_sizes(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    subarray: *const c_void,
    serialize_type: tiledb_serialization_type_t,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    entry::not_implemented(ctx, "tiledb_serialize_array_max_buffer_sizes")
}
