//! Arrays: handles, creation, removal and encryption.
//!
//! A handle names an array. Opening it takes a snapshot of the stored array, which is used until
//! the handle is closed or reopened. Other files: `open`; `schemas` with enumerations;
//! `fragments`, their removal; `non_empty_domain`; `metadata`.

use std::sync::Arc;

use tiledb_engine::internal::array::Array;
use tiledb_engine::internal::rest::location;
use tiledb_engine::internal::vfs::{Uri, Vfs};

use crate::prelude::*;

pub mod fragments;
pub mod metadata;
pub mod non_empty_domain;
pub mod open;
pub mod schemas;

/// An array that is closed, or open with a snapshot of the stored array.
pub struct tiledb_array_handle_t {
    /// The array of the engine, shared with queries.
    pub(crate) array: Arc<Array>,
    /// Strings and values that getters returned; the array owns them.
    pub(crate) returned: c_strings::GetterValues,
}

impl tiledb_array_handle_t {
    /// Creates a handle that owns an array.
    pub(crate) fn new(array: Arc<Array>) -> Self {
        Self {
            array,
            returned: c_strings::GetterValues::default(),
        }
    }
}

/// Name of the type in C programs.
pub type tiledb_array_t = tiledb_array_handle_t;

/// Creates a handle for an array. Storage is not accessed, and the array need not exist.
///
/// Free it with `tiledb_array_free`.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_uri URI or path of the array.
/// @param array Set to the new handle.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_alloc(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    array: *mut *mut tiledb_array_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let new_array = Array::new(&ctx.vfs, arg::uri_text(array_uri, "array_uri")?)?;
        let new_handle = tiledb_array_handle_t::new(Arc::new(new_array));
        handle::make(array, "array", new_handle)
    })
}

/// Creates an array in storage: a folder with a schema.
///
/// It is an error if an array exists at the URI or if `tiledb_array_schema_check` fails for the
/// schema. The array is encrypted if the configuration of the context contains `sm.encryption_key`.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_uri URI or path of the new array.
/// @param array_schema The schema; the caller keeps ownership.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_create(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    array_schema: *const tiledb_array_schema_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let schema = handle::borrow(array_schema)?;
        let uri = arg::uri(array_uri, "array_uri")?;
        create(ctx, &ctx.vfs, uri, schema)
    })
}

/// Creates an array in `vfs`, whose configuration has the key.
pub(crate) fn create(
    ctx: &tiledb_ctx_t,
    vfs: &Arc<Vfs>,
    uri: Uri,
    schema: &tiledb_array_schema_t,
) -> Result<()> {
    let finished = schema.finish_for_array(ctx).map_err(|invalid| {
        // As in libtiledb, an existing array is reported before an invalid schema.
        let exists = location::check_is_free(vfs, &uri);
        exists.err().unwrap_or(invalid)
    })?;
    location::create_array(vfs, &uri, &finished)?;
    schema.note_made(uri);
    Ok(())
}

/// Removes an array with all its fragments, schemas and metadata.
///
/// Files in the folder that do not belong to the array are not removed; the folder then remains.
/// The key of an encrypted array is taken from the configuration of the context. It is an error if
/// the process has the array open.
///
/// @param ctx The context; stores the error if the call fails.
/// @param uri URI or path of the array.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_delete(
    ctx: *mut tiledb_ctx_t,
    uri: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let uri = arg::uri_text(uri, "uri")?;
        location::remove_array(&ctx.vfs, uri)
    })
}

/// Gets the encryption type of an array. No key is needed.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_uri URI or path of the array.
/// @param encryption_type Set to the type.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_encryption_type(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    encryption_type: *mut tiledb_encryption_type_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let uri = arg::uri(array_uri, "array_uri")?;
        let out = arg::out(encryption_type, "encryption_type")?;
        let found = location::encryption_type(&ctx.vfs, &uri)?;
        out.set(found.code().into());
        Ok(())
    })
}

/// Closes and frees an array handle. Existing queries on the array may still be freed afterwards.
/// Only `tiledb_array_close` writes metadata changes; this function discards them.
///
/// @param array Pointer to the handle, which is set to null. Null and a pointer to null are
///   ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_free(array: *mut *mut tiledb_array_t) {
    handle::release(array)
}

/// Gets the absolute URI of an array, also if the handle was created from a relative path.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array.
/// @param array_uri Set to the URI, valid until the handle is freed.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_uri(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    array_uri: *mut *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let array = handle::borrow(array)?;
        let out = arg::out(array_uri, "array_uri")?;
        out.set(array.returned.text(array.array.uri.as_str()));
        Ok(())
    })
}
