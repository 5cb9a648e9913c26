//! Opening and closing of arrays: query type, time range and configuration.

use tiledb_engine::internal::rest::location;
use tiledb_engine::internal::types::QueryType;

use crate::prelude::*;

/// Opens an array for reading, writing, deleting or updating.
///
/// To open the array at another time, set the open timestamps first. To open an encrypted array,
/// set `sm.encryption_type` and `sm.encryption_key` in the configuration of the array. An open
/// array is a snapshot: it does not show later writes.
///
/// It is an error if the process has the array open for `TILEDB_MODIFY_EXCLUSIVE`, or if this is
/// the query type and the process has the array open.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, which must not be open.
/// @param query_type The type of the queries that the array is opened for.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_open(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    query_type: tiledb_query_type_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let array = &handle::borrow(array)?.array;
        location::open_array(array, QueryType::from_code(query_type))
    })
}

/// Opens an array that is open for reading again, so that it shows what was written since.
///
/// It shows all writes up to now, or up to the end timestamp if one was set after the array was
/// opened.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, which must be open for reading.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_reopen(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| handle::borrow(array)?.array.reopen())
}

/// Closes an array. Does nothing if the array is not open.
///
/// Queries on the array can no longer be submitted; the caller must still free them. If changed
/// metadata cannot be written, it is discarded, and the array is closed all the same.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_close(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let array = &handle::borrow(array)?.array;
        // Destructors in C++ close open arrays, and end the program if that fails.
        array.close().inspect_err(|_| array.close_without_changes())
    })
}

/// Checks whether an array is open.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array.
/// @param is_open Set to 1 if it is open, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Gets the query type that an array was last opened for; `TILEDB_READ` if it was never opened.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array.
/// @param query_type Set to the type.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Gets the configuration of an array.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array.
/// @param config Set to a copy of the configuration; free it with `tiledb_config_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Sets configuration parameters of an array for the next time it is opened. Parameters that are
/// not set in `config` keep their values.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, not open.
/// @param config The parameters; they are copied.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Gets the start of the time range of an array.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array.
/// @param timestamp_start Set to the start in milliseconds since 1970-01-01 UTC; 0 by default.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Gets the end of the time range of an array.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array.
/// @param timestamp_end Set to the end in milliseconds since 1970-01-01 UTC. If no end was set, it
///   is the time of the opening after opening for reading, and 0 after opening for anything else.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Sets the start of the time range for the next time the array is opened.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array.
/// @param timestamp_start The first millisecond of the range, since 1970-01-01 UTC.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Sets the end of the time range for the next time the array is opened. Writes to an array that is
/// opened with an end timestamp have that timestamp.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array.
/// @param timestamp_end The last millisecond of the range, since 1970-01-01 UTC; `UINT64_MAX` means
///   the time of the opening.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
