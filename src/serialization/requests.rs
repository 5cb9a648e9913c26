//! Handling of client requests on a server.
use tiledb_engine::internal::array::{Array, exclusive_type};
use tiledb_engine::internal::maintenance::{self, ConsolidationPlan};
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::serialization::{
    MessageEncoding, read_consolidation_plan_request, read_delete_fragments_list_request,
    read_delete_fragments_request, read_load_enumerations_request, read_load_schema_request,
    read_query_plan_request, write_consolidation_plan_response, write_load_enumerations_response,
    write_load_schema_response, write_query_plan_response,
};

use crate::prelude::*;

/// Returns an error unless an array is open for changes that exclude others.
fn check_exclusive(array: &Array, failed: impl FnOnce() -> Error) -> Result<()> {
    if array.is_open() && array.query_type() == exclusive_type() {
        Ok(())
    } else {
        Err(failed())
    }
}

/// Handles, on the server, a request to delete fragments by name.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, open for `TILEDB_MODIFY_EXCLUSIVE`.
/// @param serialization_type The encoding of the message.
/// @param request The message of the client.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_array_delete_fragments_list_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let array = &handle::borrow(array)?.array;
        let request = handle::borrow(request)?;
        let encoding = MessageEncoding::from_code(serialization_type);
        let names = request.read(|bytes| read_delete_fragments_list_request(bytes, encoding))?;
        let uris: Vec<String> = names
            .iter()
            .map(|name| array.uri.join(name).to_string())
            .collect();
        let uris: Vec<&str> = uris.iter().map(String::as_str).collect();
        let failed = || Error::usage("C API", "Failed to delete fragments_list");
        check_exclusive(array, failed)?;
        let config = &ctx.context().config;
        maintenance::delete_named_fragments(&ctx.vfs, &array.uri, &uris, config)
            .map_err(|_| failed())
    })
}

/// Handles, on the server, a request to delete fragments by time.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, open for `TILEDB_MODIFY_EXCLUSIVE`.
/// @param serialization_type The encoding of the message.
/// @param request The message of the client.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_array_delete_fragments_timestamps_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let array = &handle::borrow(array)?.array;
        let request = handle::borrow(request)?;
        let encoding = MessageEncoding::from_code(serialization_type);
        let times = request.read(|bytes| read_delete_fragments_request(bytes, encoding))?;
        let failed = || Error::usage("C API", "Failed to delete fragments");
        check_exclusive(array, failed)?;
        let config = &ctx.context().config;
        maintenance::delete_fragments(&ctx.vfs, &array.uri, times, config).map_err(|_| failed())
    })
}

/// Handles, on the server, a request for a consolidation plan.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, which must be open for reading.
/// @param serialization_type The encoding of the message.
/// @param request The message of the client.
/// @param response The caller's buffer, which receives the response.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_consolidation_plan_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
    response: *mut tiledb_buffer_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let array = &handle::borrow(array)?.array;
        let request = handle::borrow(request)?;
        let response = handle::borrow(response)?;
        if !array.is_open() {
            let message = "Cannot get consolidation plan. Input array is not open";
            return Err(Error::usage("TileDB internal", message));
        }
        let encoding = MessageEncoding::from_code(serialization_type);
        let size = request.read(|bytes| read_consolidation_plan_request(bytes, encoding))?;
        let plan = ConsolidationPlan::new(array, size)?;
        response.set_message(write_consolidation_plan_response(&plan, encoding)?);
        Ok(())
    })
}

/// Handles, on the server, a request for the schemas of an array.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, open.
/// @param serialization_type The encoding of the message.
/// @param request The message of the client.
/// @param response The caller's buffer, which receives the response.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_load_array_schema_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
    response: *mut tiledb_buffer_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let array = &handle::borrow(array)?.array;
        let request = handle::borrow(request)?;
        let response = handle::borrow(response)?;
        let encoding = MessageEncoding::from_code(serialization_type);
        let config = request.read(|bytes| read_load_schema_request(bytes, encoding))?;
        if config.flag("rest.load_enumerations_on_array_open")? {
            array.load_enumerations()?;
        }
        let (latest, all) = (array.schema()?, array.all_schemas()?);
        response.set_message(write_load_schema_response(&latest, &all, encoding)?);
        Ok(())
    })
}

/// Handles, on the server, a request for the enumerations of an array.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, open.
/// @param serialization_type The encoding of the message.
/// @param request The message of the client.
/// @param response The caller's buffer, which receives the response.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_load_enumerations_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
    response: *mut tiledb_buffer_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let array = &handle::borrow(array)?.array;
        let request = handle::borrow(request)?;
        let response = handle::borrow(response)?;
        let encoding = MessageEncoding::from_code(serialization_type);
        let names = request.read(|bytes| read_load_enumerations_request(bytes, encoding))?;
        let enumerations = array.enumerations_of_schemas(&names)?;
        response.set_message(write_load_enumerations_response(&enumerations, encoding)?);
        Ok(())
    })
}

/// Handles, on the server, a request for the plan of a query.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, open.
/// @param serialization_type The encoding of the message.
/// @param request The message of the client.
/// @param response The caller's buffer, which receives the response.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_query_plan_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
    response: *mut tiledb_buffer_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let array = &handle::borrow(array)?.array;
        let request = handle::borrow(request)?;
        let response = handle::borrow(response)?;
        let encoding = MessageEncoding::from_code(serialization_type);
        let mut query = Query::within(ctx.context(), array, array.query_type())?;
        let received = request.read(|bytes| read_query_plan_request(bytes, &query, encoding))?;
        let (state, fields) = received.unzip();
        if let Some(state) = state {
            query.receive(state);
        }
        let fields = fields.unwrap_or_default();
        let read = fields.iter().filter(|field| !field.is_aggregate);
        let names: Vec<&str> = read.map(|field| &field.name[..]).collect();
        let message = write_query_plan_response(&query.request().plan(&names), encoding)?;
        response.set_message(message);
        Ok(())
    })
}
