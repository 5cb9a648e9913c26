//! The schemas and enumerations of arrays, and schema evolution.

use tiledb_engine::internal::array;
use tiledb_engine::internal::rest::location;

use crate::prelude::*;

/// Gets the schema of an open array: the latest in its time range; if it is open for writing, the
/// latest schema of the array.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, which must be open.
/// @param array_schema Set to a copy of the schema; free it with `tiledb_array_schema_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Changes the schema of an array. Existing fragments keep the schema that they were written with.
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_uri URI or path of the array.
/// @param array_schema_evolution The changes; the caller keeps ownership.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        location::evolve(&ctx.vfs, &uri, &evolution.changes())
    })
}

/// Upgrades an array to the newest format version by writing its schema in that version. Existing
/// fragments are not rewritten.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_uri URI or path of the array.
/// @param config The configuration to use; null means the configuration of the context.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Gets an enumeration of the schema of an open array, and loads it if necessary. Experimental:
/// this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, which must be open.
/// @param name The name of the enumeration.
/// @param enumeration Set to the enumeration; free it with `tiledb_enumeration_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Loads all enumerations of the schema of an open array that are not loaded yet. Experimental:
/// this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, which must be open.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_load_all_enumerations(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| handle::borrow(array)?.array.load_enumerations())
}

/// Loads the enumerations of all schemas of an open array. Experimental: this function may change
/// in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, which must be open.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
