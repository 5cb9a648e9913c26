//! Opening arrays: for what, as of when, with which parameters.

use tiledb_engine::types::QueryType;

use crate::prelude::*;

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
    entry::with_context(ctx, |_| {
        let array = handle::borrow(array)?;
        array.array.open_as(QueryType::from_code(query_type))
    })
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
    entry::with_context(ctx, |_| handle::borrow(array)?.array.reopen())
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
    entry::with_context(ctx, |_| handle::borrow(array)?.array.close())
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
    entry::with_context(ctx, |_| {
        let array = handle::borrow(array)?;
        arg::out(is_open, "is_open")?.set(array.array.is_open().into());
        Ok(())
    })
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
    entry::with_context(ctx, |_| {
        let found = handle::borrow(array)?.array.query_type();
        arg::out(query_type, "query_type")?.set(found.code().into());
        Ok(())
    })
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
    entry::with_context(ctx, |_| {
        let found = handle::borrow(array)?.array.config();
        handle::make(config, "config", tiledb_config_t::new(found))
    })
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
    entry::with_context(ctx, |_| {
        let array = handle::borrow(array)?;
        array.array.set_config(&handle::borrow(config)?.config())
    })
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
    entry::with_context(ctx, |_| {
        let array = handle::borrow(array)?;
        arg::out(timestamp_start, "timestamp_start")?.set(array.array.open_timestamp_start());
        Ok(())
    })
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
    entry::with_context(ctx, |_| {
        let array = handle::borrow(array)?;
        arg::out(timestamp_end, "timestamp_end")?.set(array.array.open_timestamp_end());
        Ok(())
    })
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
    entry::with_context(ctx, |_| {
        handle::borrow(array)?
            .array
            .set_open_timestamp_start(timestamp_start);
        Ok(())
    })
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
    entry::with_context(ctx, |_| {
        handle::borrow(array)?
            .array
            .set_open_timestamp_end(timestamp_end);
        Ok(())
    })
}
