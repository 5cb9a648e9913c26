//! Serialization: objects as messages, in the encoding that TileDB servers and clients exchange.
//!
//! A message is JSON text or Cap'n Proto. The side matters: a client sends less of some objects than a server. Beside: the
//! messages of `arrays`, of their `schemas`, of `queries`, of `groups` and of `fragment_infos`, and the `requests` that
//! a server answers.
#![expect(
    unused_variables,
    reason = "the names are those of the header, and messages do not work yet"
)]

use tiledb_engine::types::SerializationType;

use crate::prelude::*;

pub mod arrays;
pub mod fragment_infos;
pub mod groups;
pub mod queries;
pub mod requests;
pub mod schemas;

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
    entry::plain(|| {
        let value = SerializationType::from_name(arg::text(str, "str")?);
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown serialization type"))?;
        arg::out(serialization_type, "serialization_type")?.set(value.code().into());
        Ok(())
    })
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

/// Makes a message of a configuration. Secrets are in it.
///
/// Does not work yet: always an error.
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
    entry::not_implemented(ctx, "tiledb_serialize_config")
}

/// Makes a configuration of a message.
///
/// Does not work yet: always an error.
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
    entry::not_implemented(ctx, "tiledb_deserialize_config")
}
