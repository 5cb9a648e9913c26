//! Arrays as messages: opened, their metadata, their non-empty domains.
use std::sync::Arc;

use tiledb_engine::internal::array::{Array, WithMetadata as _};
use tiledb_engine::internal::serialization::{
    MessageEncoding, bounds_size, common_datatype, read_array, read_array_open, read_metadata,
    read_non_empty_domain, read_non_empty_domains, write_array, write_array_open, write_metadata,
    write_non_empty_domain, write_non_empty_domains,
};

use crate::prelude::*;

/// Returns the error for a missing non-empty domain.
fn null_domain(verb: &str) -> Error {
    let message = format!("Error {verb} nonempty domain; nonempty domain is null.");
    Error::usage("[TileDB::Serialization] Error", message)
}

/// Serializes an open array: schemas, time range, and what its configuration selects with
/// `rest.use_refactored_array_open...` and `rest.load_...`.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, which must be open.
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
    entry::with_context(ctx, |_| {
        let array = &handle::borrow(array)?.array;
        let encoding = MessageEncoding::from_code(serialize_type);
        let message = write_array(array, client_side != 0, encoding)?;
        handle::make(buffer, "buffer", tiledb_buffer_t::of_message(message))
    })
}

/// Creates an open array from a message. Storage is accessed for what the message does not contain.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side Without effect: the message is the same on both sides.
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
    let _ = client_side;
    entry::with_context(ctx, |ctx| {
        let buffer = handle::borrow(buffer)?;
        let out = arg::out(array, "array")?;
        let uri = arg::uri(array_uri, "array_uri")
            .map_err(|_| Error::usage("C API", "Cannot deserialize array; Invalid URI"))?;
        let encoding = MessageEncoding::from_code(serialize_type);
        let read = |message: &[u8]| read_array(message, encoding, &ctx.vfs, uri.as_str());
        out.give(tiledb_array_t::new(Arc::new(buffer.read(read)?)));
        Ok(())
    })
}

/// Serializes a request to open an array.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array.
/// @param serialize_type The encoding of the message.
/// @param client_side Without effect: the message is the same on both sides.
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
    let _ = client_side;
    entry::with_context(ctx, |_| {
        let array = &handle::borrow(array)?.array;
        let encoding = MessageEncoding::from_code(serialize_type);
        let message = write_array_open(&array.config(), array.query_type(), encoding)?;
        handle::make(
            buffer_list,
            "buffer_list",
            tiledb_buffer_t::of_message(message),
        )
    })
}

/// Creates an array from a request to open one: with its configuration and query type, and
/// without a URI. It is not opened.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side Without effect: the message is the same on both sides.
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
    let _ = client_side;
    entry::with_context(ctx, |ctx| {
        let buffer = handle::borrow(buffer)?;
        let out = arg::out(array, "array")?;
        let encoding = MessageEncoding::from_code(serialize_type);
        let request = buffer.read(|message| read_array_open(message, encoding))?;
        let array = Array::new(&ctx.vfs, "deserialized_array")?;
        array.receive_open(request.0, request.1);
        out.give(tiledb_array_t::new(Arc::new(array)));
        Ok(())
    })
}

/// Serializes the metadata of an array that is open for reading, or the changes of one that is open
/// for writing.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, which must be open.
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
    entry::with_context(ctx, |_| {
        let entries = handle::borrow(array)?.array.metadata_entries()?;
        let encoding = MessageEncoding::from_code(serialization_type);
        let message = write_metadata(&entries, encoding)?;
        handle::make(buffer, "buffer", tiledb_buffer_t::of_message(message))
    })
}

/// Puts and deletes metadata of an array as a message says. If the array is open for writing,
/// closing it writes the changes; if it is open for reading, only the array handle has them.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, which must be open.
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
    entry::with_context(ctx, |_| {
        let array = &handle::borrow(array)?.array;
        let buffer = handle::borrow(buffer)?;
        let encoding = MessageEncoding::from_code(serialization_type);
        let config = array.config();
        let entries = buffer.read(|message| read_metadata(message, encoding, &config))?;
        array.apply_metadata(&entries)
    })
}

/// Serializes the non-empty domain of an array for all dimensions.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, which must be open for reading.
/// @param serialize_type The encoding of the message.
/// @param client_side Without effect: the message is the same on both sides.
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
    let _ = client_side;
    entry::with_context(ctx, |_| {
        let open = handle::borrow(array)?.array.snapshot()?;
        let encoding = MessageEncoding::from_code(serialize_type);
        let message = write_non_empty_domains(open.non_empty_domain(), encoding)?;
        handle::make(buffer, "buffer", tiledb_buffer_t::of_message(message))
    })
}

/// Sets the non-empty domain of an array, for all dimensions, from a message.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, which must be open.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side Without effect: the message is the same on both sides.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_non_empty_domain_all_dimensions(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
) -> i32 {
    let _ = client_side;
    entry::with_context(ctx, |_| {
        let array = &handle::borrow(array)?.array;
        let buffer = handle::borrow(buffer)?;
        let schema = array.schema()?;
        let encoding = MessageEncoding::from_code(serialize_type);
        let read = |message: &[u8]| read_non_empty_domains(message, encoding, &schema.domain);
        array.set_non_empty_domain(buffer.read(read)?);
        Ok(())
    })
}

/// Creates a message of a non-empty domain, for arrays whose dimensions have one type.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, which must be open.
/// @param nonempty_domain Both ends of each dimension, one after the other.
/// @param is_empty 1 if the array has no cells, otherwise 0.
/// @param serialize_type The encoding of the message.
/// @param client_side Without effect: the message is the same on both sides.
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
    let _ = client_side;
    entry::with_context(ctx, |_| {
        let schema = handle::borrow(array)?.array.schema()?;
        let encoding = MessageEncoding::from_code(serialize_type);
        let bounds = match is_empty {
            0 => {
                let datatype = common_datatype(&schema.domain)?;
                let size = bounds_size(&schema.domain, datatype);
                let bounds = arg::optional_bytes(nonempty_domain, size);
                Some(bounds.ok_or_else(|| null_domain("serializing"))?)
            }
            _ => None,
        };
        let message = write_non_empty_domain(bounds, encoding, &schema.domain)?;
        handle::make(buffer, "buffer", tiledb_buffer_t::of_message(message))
    })
}

/// Reads a non-empty domain from a message, for arrays whose dimensions have one type.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, which must be open.
/// @param buffer The message.
/// @param serialize_type The encoding of the message.
/// @param client_side Without effect: the message is the same on both sides.
/// @param nonempty_domain Set to both ends of each dimension, one after the other, if the array has
///   cells.
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
    let _ = client_side;
    entry::with_context(ctx, |_| {
        let array = &handle::borrow(array)?.array;
        let buffer = handle::borrow(buffer)?;
        if nonempty_domain.is_null() {
            return Err(null_domain("deserializing"));
        }
        let out = arg::out(nonempty_domain.cast::<u8>(), "nonempty_domain")?;
        let is_empty = arg::out(is_empty, "is_empty")?;
        let schema = array.schema()?;
        let encoding = MessageEncoding::from_code(serialize_type);
        let read = |message: &[u8]| read_non_empty_domain(message, encoding, &schema.domain);
        let bounds = buffer.read(read)?;
        is_empty.set(i32::from(bounds.is_none()));
        out.set_all(bounds.as_deref().unwrap_or_default());
        Ok(())
    })
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
    let _ = array;
    let _ = subarray;
    let _ = serialize_type;
    let _ = buffer;
    entry::with_context(ctx, |_| {
        let message = "tiledb_serialize_array_max_buffer_sizes is no longer supported.";
        Err(Error::usage("C API", message))
    })
}
