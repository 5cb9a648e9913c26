//! Serialization of objects to the messages that TileDB servers and clients exchange.
//!
//! A message is JSON text or in Cap'n Proto format. Some objects have fewer fields on the client
//! side than on the server side. Files: `arrays`, `schemas`, `queries`, `groups`, `fragment_infos`,
//! and `requests`, which a server handles.
use tiledb_engine::internal::serialization::{MessageEncoding, read_config, write_config};
use tiledb_engine::internal::types::SerializationType;

use crate::prelude::*;

pub mod arrays;
pub mod fragment_infos;
pub mod groups;
pub mod queries;
pub mod requests;
pub mod schemas;

/// Converts the name of a value to the encoding.
///
/// @param str The name, such as "JSON".
/// @param serialization_type Set to the encoding.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialization_type_from_str(
    str: *const c_char,
    serialization_type: *mut tiledb_serialization_type_t,
) -> i32 {
    entry::code_only(|| {
        let value = SerializationType::from_name(arg::text(str, "str")?);
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown serialization type"))?;
        arg::out(serialization_type, "serialization_type")?.set(value.code().into());
        Ok(())
    })
}

/// Gets the name of the encoding, such as "JSON".
///
/// @param serialization_type The encoding.
/// @param str Set to a static string.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialization_type_to_str(
    serialization_type: tiledb_serialization_type_t,
    str: *mut *const c_char,
) -> i32 {
    entry::code_only(|| {
        let value = arg::enum_value(
            SerializationType::from_code(serialization_type),
            "serialization type",
            serialization_type,
        )?;
        arg::out(str, "str")?.set(c_strings::constant(value.name()));
        Ok(())
    })
}

/// Serializes a configuration, including secret values.
///
/// @param ctx The context; stores the error if the call fails.
/// @param config The configuration.
/// @param serialize_type The encoding of the message.
/// @param client_side Without effect: the message is the same on both sides.
/// @param buffer Set to the message; free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_config(
    ctx: *mut tiledb_ctx_t,
    config: *const tiledb_config_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    let _ = client_side;
    entry::with_context(ctx, |_| {
        let config = handle::borrow(config)?.config();
        let message = write_config(&config, MessageEncoding::from_code(serialize_type))?;
        handle::make(buffer, "buffer", tiledb_buffer_t::of_message(message))
    })
}

/// Creates a configuration from a message.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side Without effect: the message is the same on both sides.
/// @param config Set to the configuration; free it with `tiledb_config_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_config(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    config: *mut *mut tiledb_config_t,
) -> i32 {
    let _ = client_side;
    entry::with_context(ctx, |_| {
        let buffer = handle::borrow(buffer)?;
        let out = arg::out(config, "config")?;
        let encoding = MessageEncoding::from_code(serialize_type);
        let config = buffer.read(|message| read_config(message, encoding))?;
        out.give(tiledb_config_t::new(config));
        Ok(())
    })
}
