//! Arrays: made, opened for a purpose and a moment in time, closed, removed.
//!
//! A handle names an array; opening it looks at what is stored, and it sees that until it is closed or reopened. What it
//! says of its cells is in `array_non_empty_domain`, its keys and values are in `array_metadata`.

use std::sync::Arc;

use tiledb_engine::array::{self, Array};
use tiledb_engine::maintain;
use tiledb_engine::types::{QueryType, TimeRange};

use crate::prelude::*;

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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |ctx| {
            let made = Array::new(&ctx.vfs, arg::place(array_uri, "array_uri")?)?;
            let made = tiledb_array_handle_t::new(Arc::new(made));
            handle::make(array, "array", made)
        })
    }
}

/// Closes an array. One that is not open stays as it is.
///
/// Queries of it can no longer be submitted; they still have to be freed.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_close(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe { entry::with_context(ctx, |_| handle::borrow(array)?.array.close()) }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |ctx| {
            let schema = handle::borrow(array_schema)?;
            let uri = arg::uri(array_uri, "array_uri")?;
            array::create(&ctx.vfs, &uri, &schema.finish()?, None)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe { entry::with_context(ctx, |ctx| array::remove(&ctx.vfs, arg::place(uri, "uri")?)) }
}

/// Removes fragments by their URIs. A URI that is no fragment of the array is an error, and none is removed then.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param uri_str Where the array is: a URI or a path.
/// @param fragment_uris The URIs of the fragments.
/// @param num_fragments Their number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_delete_fragments_list(
    ctx: *mut tiledb_ctx_t,
    uri_str: *const c_char,
    fragment_uris: *mut *const c_char,
    num_fragments: usize,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |ctx| {
            let uri = arg::uri(uri_str, "uri_str")?;
            let names = arg::texts(
                fragment_uris.cast_const(),
                num_fragments as u64,
                "fragment_uris",
            )?;
            maintain::delete_named_fragments(&ctx.vfs, &uri, &names, ctx.context().config())
                .map_err(|error| {
                    let message = format!("Failed to delete fragments list; {error}");
                    Error::usage("C API", message)
                })
        })
    }
}

/// Removes the fragments that lie wholly in a time range.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param uri_str Where the array is: a URI or a path.
/// @param timestamp_start The first moment, in milliseconds since 1970-01-01 UTC.
/// @param timestamp_end The last moment, in milliseconds since 1970-01-01 UTC.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_delete_fragments_v2(
    ctx: *mut tiledb_ctx_t,
    uri_str: *const c_char,
    timestamp_start: u64,
    timestamp_end: u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |ctx| {
            let uri = arg::uri(uri_str, "uri_str")?;
            let timestamps = TimeRange {
                start: timestamp_start,
                end: timestamp_end,
            };
            maintain::delete_fragments(&ctx.vfs, &uri, timestamps, ctx.context().config())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |ctx| {
            let uri = arg::uri(array_uri, "array_uri")?;
            let out = arg::out(encryption_type, "encryption_type")?;
            out.set(array::encryption_type(&ctx.vfs, &uri)?.code().into());
            Ok(())
        })
    }
}

/// Changes the schema of an array (experimental). Fragments keep the schema they were written with.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_uri Where the array is: a URI or a path.
/// @param array_schema_evolution The changes; stay the caller's.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_evolve(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |ctx| {
            let evolution = handle::borrow(array_schema_evolution)?;
            let uri = arg::uri(array_uri, "array_uri")?;
            array::evolve(&ctx.vfs, &uri, &evolution.changes())
        })
    }
}

/// Frees an array handle, and closes the array for it. Queries of it keep what they need.
///
/// @param array The handle; null is left there. Null is fine at both levels.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_free(array: *mut *mut tiledb_array_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe { handle::release(array) }
}

/// Gives the configuration of an array.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array.
/// @param config Gets a copy, which the caller frees with `tiledb_config_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_config(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    config: *mut *mut tiledb_config_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let found = handle::borrow(array)?.array.config();
            handle::make(config, "config", tiledb_config_t::new(found))
        })
    }
}

/// Gives an enumeration of an open array's schema (experimental), loading it where it is not loaded yet.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open.
/// @param name The name of the enumeration.
/// @param enumeration Gets the enumeration, which the caller frees with `tiledb_enumeration_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_enumeration(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    name: *const c_char,
    enumeration: *mut *mut tiledb_enumeration_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let array = &handle::borrow(array)?.array;
            let to = arg::out(enumeration, "enumeration")?;
            let name = arg::text_or(name, "'attr_name' must not be null")?;
            let found = array.enumeration(name)?;
            to.set(Box::into_raw(Box::new(tiledb_enumeration_t::new(found))));
            Ok(())
        })
    }
}

/// Tells the end of the time range that an array was opened for.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array.
/// @param timestamp_end Gets it, in milliseconds since 1970-01-01 UTC. After opening for reading without an end set it is the
///     moment of opening; after opening for anything else without one it is 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_open_timestamp_end(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    timestamp_end: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let array = handle::borrow(array)?;
            arg::out(timestamp_end, "timestamp_end")?.set(array.array.open_timestamp_end());
            Ok(())
        })
    }
}

/// Tells the start of the time range that an array is opened for.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array.
/// @param timestamp_start Gets it, in milliseconds since 1970-01-01 UTC; 0 unless it was set.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_open_timestamp_start(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    timestamp_start: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let array = handle::borrow(array)?;
            arg::out(timestamp_start, "timestamp_start")?.set(array.array.open_timestamp_start());
            Ok(())
        })
    }
}

/// Tells what an array was last opened for; `TILEDB_READ` where it never was.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array.
/// @param query_type Gets the type.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_query_type(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    query_type: *mut tiledb_query_type_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let found = handle::borrow(array)?.array.query_type();
            arg::out(query_type, "query_type")?.set(found.code().into());
            Ok(())
        })
    }
}

/// Gives the schema that an open array sees: the latest in its time range, or for writing the latest of all.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open.
/// @param array_schema Gets a copy, which the caller frees with `tiledb_array_schema_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_schema(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let array = &handle::borrow(array)?.array;
            let schema = tiledb_array_schema_t::of_open(array)?;
            handle::make(array_schema, "array_schema", schema)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let array = handle::borrow(array)?;
            let out = arg::out(array_uri, "array_uri")?;
            out.set(array.kept.text(array.array.uri().as_str()));
            Ok(())
        })
    }
}

/// Tells whether an array is open.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array.
/// @param is_open Gets 1 if it is open, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_is_open(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    is_open: *mut i32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let array = handle::borrow(array)?;
            arg::out(is_open, "is_open")?.set(array.array.is_open().into());
            Ok(())
        })
    }
}

/// Loads all enumerations of an open array's schema (experimental). What is loaded already stays.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_load_all_enumerations(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe { entry::with_context(ctx, |_ctx| handle::borrow(array)?.array.load_enumerations()) }
}

/// Loads the enumerations of every schema that an open array ever had (experimental).
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_load_enumerations_all_schemas(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            handle::borrow(array)?
                .array
                .load_enumerations_of_all_schemas()
        })
    }
}

/// Opens an array for reading, writing, deleting or updating.
///
/// To see another moment in time, set the open timestamps first; to open an encrypted array, set its key in the array's
/// configuration (`sm.encryption_type`, `sm.encryption_key`). An open array sees what was stored when it was opened.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, not open.
/// @param query_type What the array is opened for.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_open(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    query_type: tiledb_query_type_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let array = handle::borrow(array)?;
            array.array.open_as(QueryType::from_code(query_type))
        })
    }
}

/// Opens an array that is open for reading anew, to see what was written since.
///
/// It sees everything until now, or until the end timestamp that was set after it was opened.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open for reading.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_reopen(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe { entry::with_context(ctx, |_| handle::borrow(array)?.array.reopen()) }
}

/// Sets configuration parameters of an array, for the next opening. Parameters that `config` does not set stay.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, not open.
/// @param config The parameters; they are copied.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_set_config(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    config: *mut tiledb_config_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let array = handle::borrow(array)?;
            array.array.set_config(&handle::borrow(config)?.config())
        })
    }
}

/// Sets the end of the time range that the next opening sees. What is written then counts as written at this time.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array.
/// @param timestamp_end The last moment, in milliseconds since 1970-01-01 UTC; `UINT64_MAX` stands for the moment of opening.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_set_open_timestamp_end(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    timestamp_end: u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            handle::borrow(array)?
                .array
                .set_open_timestamp_end(timestamp_end);
            Ok(())
        })
    }
}

/// Sets the start of the time range that the next opening sees.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array.
/// @param timestamp_start The first moment, in milliseconds since 1970-01-01 UTC.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_set_open_timestamp_start(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    timestamp_start: u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            handle::borrow(array)?
                .array
                .set_open_timestamp_start(timestamp_start);
            Ok(())
        })
    }
}

/// Brings an array to the newest format version, by a schema file of that version. Fragments stay as they are.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_uri Where the array is: a URI or a path.
/// @param config Parameters for the upgrade; null stands for those of the context.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_upgrade_version(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    config: *mut tiledb_config_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |ctx| {
            let uri = arg::uri(array_uri, "array_uri")?;
            array::upgrade_version(&ctx.vfs, &uri, &ctx.config_or(config))
        })
    }
}
