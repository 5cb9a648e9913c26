//! Array schemas and their evolution as messages.

use std::sync::Arc;

use tiledb_engine::internal::array;
use tiledb_engine::internal::schema::{ArraySchema, SchemaDraft};
use tiledb_engine::internal::serialization::{
    MessageEncoding, read_array_create, read_schema, read_schema_evolution, write_schema,
    write_schema_evolution,
};

use crate::prelude::*;

/// Creates a handle for a schema of a message, with the URI in it, which may be empty.
fn received(schema: ArraySchema, uri: &str) -> tiledb_array_schema_t {
    let schema = Arc::new(schema);
    match array::parse_uri(uri) {
        Ok(uri) => tiledb_array_schema_t::of(&schema, &uri, None),
        Err(_) => tiledb_array_schema_t::new(SchemaDraft::of(&schema)),
    }
}

/// Serializes a schema.
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
    entry::with_context(ctx, |_| {
        let handle = handle::borrow(array_schema)?;
        let schema = handle.schema.read().snapshot();
        let uri = handle.array_uri();
        let uri = uri.as_ref().map_or("", |uri| uri.as_str());
        let uri = (client_side != 0).then_some(uri);
        let message = write_schema(&schema, uri, MessageEncoding::from_code(serialize_type))?;
        handle::make(buffer, "buffer", tiledb_buffer_t::of_message(message))
    })
}

/// Creates a schema from a message.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side Without effect: the message is the same on both sides.
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
    let _ = client_side;
    entry::with_context(ctx, |_| {
        let buffer = handle::borrow(buffer)?;
        let out = arg::out(array_schema, "array_schema")?;
        let encoding = MessageEncoding::from_code(serialize_type);
        let (schema, uri) = buffer.read(|message| read_schema(message, encoding))?;
        out.give(received(schema, &uri));
        Ok(())
    })
}

/// Serializes a list of changes to a schema.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema_evolution The list.
/// @param serialize_type The encoding of the message.
/// @param client_side Without effect: the message is the same on both sides.
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
    let _ = client_side;
    entry::with_context(ctx, |_| {
        let changes = handle::borrow(array_schema_evolution)?.changes();
        let encoding = MessageEncoding::from_code(serialize_type);
        let message = write_schema_evolution(&changes, encoding)?;
        handle::make(buffer, "buffer", tiledb_buffer_t::of_message(message))
    })
}

/// Creates a list of changes to a schema of a message.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side Without effect: the message is the same on both sides.
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
    let _ = client_side;
    entry::with_context(ctx, |ctx| {
        let buffer = handle::borrow(buffer)?;
        let out = arg::out(array_schema_evolution, "array_schema_evolution")?;
        let encoding = MessageEncoding::from_code(serialize_type);
        let config = &ctx.context().config;
        let read = |message: &[u8]| read_schema_evolution(message, encoding, config);
        out.give(tiledb_array_schema_evolution_t::new(buffer.read(read)?));
        Ok(())
    })
}

/// Reads a request to create an array.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side Without effect: the message is the same on both sides.
/// @param storage_uri Set to the URI of the array in storage, which is empty if the server chooses
///   it; free it with `tiledb_string_free`.
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
    let _ = client_side;
    entry::with_context(ctx, |_| {
        let buffer = handle::borrow(buffer)?;
        let out = arg::out(array_schema, "array_schema")?;
        let storage_out = arg::out(storage_uri, "storage_uri")?;
        let encoding = MessageEncoding::from_code(serialize_type);
        let creation = buffer.read(|message| read_array_create(message, encoding))?;
        out.give(received(creation.schema, &creation.uri));
        storage_out.give(tiledb_string_t::new(creation.storage));
        Ok(())
    })
}
