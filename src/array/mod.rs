//! Arrays: made, opened for a purpose and a moment in time, closed, removed.
//!
//! A handle names an array; opening it looks at what is stored, and it sees that until it is closed or reopened. Here is
//! the handle and what is done with a whole array; beside: how it is opened (`opening`), its schemas and enumerations
//! (`schemas`), the removal of fragments (`fragments`), what it says of its cells (`non_empty_domain`), and its keys and
//! values (`metadata`).

use std::sync::Arc;

use tiledb_engine::array::{self, Array};
use tiledb_engine::object;

use crate::prelude::*;

pub mod fragments;
pub mod metadata;
pub mod non_empty_domain;
pub mod opening;
pub mod schemas;

/// An array: closed, or open with what one opening sees.
pub struct tiledb_array_handle_t {
    /// The engine's array; queries hold it too.
    pub(crate) array: Arc<Array>,
    /// Texts and values that the array lends.
    pub(crate) kept: kept::Kept,
}

impl tiledb_array_handle_t {
    /// A handle of its own for an array.
    pub(crate) fn new(array: Arc<Array>) -> Self {
        Self {
            array,
            kept: kept::Kept::default(),
        }
    }
}

/// The name C programs use.
pub type tiledb_array_t = tiledb_array_handle_t;

/// Makes a handle for an array. Nothing is read: the array need not exist yet.
///
/// The caller frees it with `tiledb_array_free`.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_uri Where the array is: a URI or a path.
/// @param array Gets the handle.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_alloc(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    array: *mut *mut tiledb_array_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let made = Array::new(&ctx.vfs, arg::place(array_uri, "array_uri")?)?;
        let made = tiledb_array_handle_t::new(Arc::new(made));
        handle::make(array, "array", made)
    })
}

/// Makes an array: its folder, and the first schema file in it.
///
/// An array that is there already is an error, a schema that does not pass `tiledb_array_schema_check` too. The array is
/// encrypted when the context's configuration has a key (`sm.encryption_key`).
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_uri Where to make the array: a URI or a path.
/// @param array_schema The schema; stays the caller's.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_create(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    array_schema: *const tiledb_array_schema_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let schema = handle::borrow(array_schema)?;
        let uri = arg::uri(array_uri, "array_uri")?;
        array::create(&ctx.vfs, &uri, &schema.finish()?, None)?;
        schema.note_made(uri);
        Ok(())
    })
}

/// Removes an array with all its fragments, schemas and metadata.
///
/// Files in its folder that are not the array's stay, and the folder with them. The key of an encrypted array is that of the
/// context's configuration.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param uri Where the array is: a URI or a path.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_delete(
    ctx: *mut tiledb_ctx_t,
    uri: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        object::remove_array(&ctx.vfs, arg::place(uri, "uri")?)
    })
}

/// Tells how an array is encrypted. Needs no key.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_uri Where the array is: a URI or a path.
/// @param encryption_type Gets the type.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_encryption_type(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    encryption_type: *mut tiledb_encryption_type_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let uri = arg::uri(array_uri, "array_uri")?;
        let out = arg::out(encryption_type, "encryption_type")?;
        out.set(array::encryption_type(&ctx.vfs, &uri)?.code().into());
        Ok(())
    })
}

/// Frees an array handle, and closes the array for it. Queries of it keep what they need. Metadata that was put or deleted
/// is written by `tiledb_array_close` only.
///
/// @param array The handle; null is left there. Null is fine at both levels.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_free(array: *mut *mut tiledb_array_t) {
    handle::release(array)
}

/// Gives the URI of an array, whole, also where the handle was made from a path.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array.
/// @param array_uri Gets the text, which lives as long as the handle.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_uri(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    array_uri: *mut *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let array = handle::borrow(array)?;
        let out = arg::out(array_uri, "array_uri")?;
        out.set(array.kept.text(array.array.uri().as_str()));
        Ok(())
    })
}
