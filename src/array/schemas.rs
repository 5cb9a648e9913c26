//! The schemas of arrays and their enumerations, and how schemas are changed.

use tiledb_engine::array;

use crate::prelude::*;

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
    entry::with_context(ctx, |_| {
        let array = &handle::borrow(array)?.array;
        let schema = tiledb_array_schema_t::of_open(array)?;
        handle::make(array_schema, "array_schema", schema)
    })
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
    entry::with_context(ctx, |ctx| {
        if array_schema_evolution.is_null() {
            let message = "Invalid TileDB array schema evolution object";
            return Err(Error::usage("C API", message));
        }
        let evolution = handle::borrow(array_schema_evolution)?;
        let uri = arg::uri(array_uri, "array_uri")?;
        array::evolve(&ctx.vfs, &uri, &evolution.changes())
    })
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
    entry::with_context(ctx, |ctx| {
        let uri = arg::uri(array_uri, "array_uri")?;
        array::upgrade_version(&ctx.vfs, &uri, &ctx.config_or(config))
    })
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
    entry::with_context(ctx, |_ctx| {
        let array = &handle::borrow(array)?.array;
        let to = arg::out(enumeration, "enumeration")?;
        let name = arg::text_or(name, "name", "'attr_name' must not be null")?;
        let found = array.enumeration(name)?;
        to.give(tiledb_enumeration_t::new(found));
        Ok(())
    })
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
    entry::with_context(ctx, |_ctx| handle::borrow(array)?.array.load_enumerations())
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
    entry::with_context(ctx, |_ctx| {
        handle::borrow(array)?
            .array
            .load_enumerations_of_all_schemas()
    })
}
