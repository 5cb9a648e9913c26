//! DOC family

use crate::prelude::*;

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    array_uri: *const c_char,
    array: *mut *mut tiledb_array_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, buffer, serialize_type, client_side, array_uri, array);
        entry::not_implemented(ctx, "tiledb_deserialize_array")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_create(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    storage_uri: *mut *mut tiledb_string_t,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (
            ctx,
            buffer,
            serialize_type,
            client_side,
            storage_uri,
            array_schema,
        );
        entry::not_implemented(ctx, "tiledb_deserialize_array_create")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_metadata(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    buffer: *const tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, serialization_type, buffer);
        entry::not_implemented(ctx, "tiledb_deserialize_array_metadata")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_non_empty_domain_all_dimensions(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, buffer, serialize_type, client_side);
        entry::not_implemented(
            ctx,
            "tiledb_deserialize_array_non_empty_domain_all_dimensions",
        )
    }
}

/// DOC
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (
            ctx,
            array,
            buffer,
            serialize_type,
            client_side,
            nonempty_domain,
            is_empty,
        );
        entry::not_implemented(ctx, "tiledb_deserialize_array_nonempty_domain")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_open(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    array: *mut *mut tiledb_array_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, buffer, serialize_type, client_side, array);
        entry::not_implemented(ctx, "tiledb_deserialize_array_open")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_schema(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, buffer, serialize_type, client_side, array_schema);
        entry::not_implemented(ctx, "tiledb_deserialize_array_schema")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_schema_evolution(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    array_schema_evolution: *mut *mut tiledb_array_schema_evolution_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (
            ctx,
            buffer,
            serialize_type,
            client_side,
            array_schema_evolution,
        );
        entry::not_implemented(ctx, "tiledb_deserialize_array_schema_evolution")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_config(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    config: *mut *mut tiledb_config_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, buffer, serialize_type, client_side, config);
        entry::not_implemented(ctx, "tiledb_deserialize_config")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_fragment_info(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    array_uri: *const c_char,
    client_side: i32,
    fragment_info: *mut tiledb_fragment_info_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (
            ctx,
            buffer,
            serialize_type,
            array_uri,
            client_side,
            fragment_info,
        );
        entry::not_implemented(ctx, "tiledb_deserialize_fragment_info")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_fragment_info_request(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    fragment_info: *mut tiledb_fragment_info_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, buffer, serialize_type, client_side, fragment_info);
        entry::not_implemented(ctx, "tiledb_deserialize_fragment_info_request")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_group(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    group: *mut tiledb_group_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, buffer, serialize_type, client_side, group);
        entry::not_implemented(ctx, "tiledb_deserialize_group")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_group_metadata(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    serialization_type: tiledb_serialization_type_t,
    buffer: *const tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, serialization_type, buffer);
        entry::not_implemented(ctx, "tiledb_deserialize_group_metadata")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_query(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    query: *mut tiledb_query_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, buffer, serialize_type, client_side, query);
        entry::not_implemented(ctx, "tiledb_deserialize_query")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_query_and_array(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    array_uri: *const c_char,
    query: *mut *mut tiledb_query_t,
    array: *mut *mut tiledb_array_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (
            ctx,
            buffer,
            serialize_type,
            client_side,
            array_uri,
            query,
            array,
        );
        entry::not_implemented(ctx, "tiledb_deserialize_query_and_array")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_query_est_result_sizes(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *const tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, query, serialize_type, client_side, buffer);
        entry::not_implemented(ctx, "tiledb_deserialize_query_est_result_sizes")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_array_delete_fragments_list_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, serialization_type, request);
        entry::not_implemented(ctx, "tiledb_handle_array_delete_fragments_list_request")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_array_delete_fragments_timestamps_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, serialization_type, request);
        entry::not_implemented(
            ctx,
            "tiledb_handle_array_delete_fragments_timestamps_request",
        )
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_consolidation_plan_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
    response: *mut tiledb_buffer_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, serialization_type, request, response);
        entry::not_implemented(ctx, "tiledb_handle_consolidation_plan_request")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_load_array_schema_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
    response: *mut tiledb_buffer_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, serialization_type, request, response);
        entry::not_implemented(ctx, "tiledb_handle_load_array_schema_request")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_load_enumerations_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
    response: *mut tiledb_buffer_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, serialization_type, request, response);
        entry::not_implemented(ctx, "tiledb_handle_load_enumerations_request")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_query_plan_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
    response: *mut tiledb_buffer_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, serialization_type, request, response);
        entry::not_implemented(ctx, "tiledb_handle_query_plan_request")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialization_type_from_str(
    str: *const c_char,
    serialization_type: *mut tiledb_serialization_type_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (str, serialization_type);
        entry::not_implemented_plain("tiledb_serialization_type_from_str")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialization_type_to_str(
    serialization_type: tiledb_serialization_type_t,
    str: *mut *const c_char,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (serialization_type, str);
        entry::not_implemented_plain("tiledb_serialization_type_to_str")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, serialize_type, client_side, buffer);
        entry::not_implemented(ctx, "tiledb_serialize_array")
    }
}

/// DOC (deprecated)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_max_buffer_sizes(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    subarray: *const c_void,
    serialize_type: tiledb_serialization_type_t,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, subarray, serialize_type, buffer);
        entry::not_implemented(ctx, "tiledb_serialize_array_max_buffer_sizes")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_metadata(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, serialization_type, buffer);
        entry::not_implemented(ctx, "tiledb_serialize_array_metadata")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_non_empty_domain_all_dimensions(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, serialize_type, client_side, buffer);
        entry::not_implemented(
            ctx,
            "tiledb_serialize_array_non_empty_domain_all_dimensions",
        )
    }
}

/// DOC
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (
            ctx,
            array,
            nonempty_domain,
            is_empty,
            serialize_type,
            client_side,
            buffer,
        );
        entry::not_implemented(ctx, "tiledb_serialize_array_nonempty_domain")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_open(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer_list: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, serialize_type, client_side, buffer_list);
        entry::not_implemented(ctx, "tiledb_serialize_array_open")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_schema(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, serialize_type, client_side, buffer);
        entry::not_implemented(ctx, "tiledb_serialize_array_schema")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_schema_evolution(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *const tiledb_array_schema_evolution_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (
            ctx,
            array_schema_evolution,
            serialize_type,
            client_side,
            buffer,
        );
        entry::not_implemented(ctx, "tiledb_serialize_array_schema_evolution")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_config(
    ctx: *mut tiledb_ctx_t,
    config: *const tiledb_config_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, config, serialize_type, client_side, buffer);
        entry::not_implemented(ctx, "tiledb_serialize_config")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_fragment_info(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *const tiledb_fragment_info_t,
    serialization_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, serialization_type, client_side, buffer);
        entry::not_implemented(ctx, "tiledb_serialize_fragment_info")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_fragment_info_request(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *const tiledb_fragment_info_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, serialize_type, client_side, buffer);
        entry::not_implemented(ctx, "tiledb_serialize_fragment_info_request")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_group(
    ctx: *mut tiledb_ctx_t,
    group: *const tiledb_group_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer_list: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, serialize_type, client_side, buffer_list);
        entry::not_implemented(ctx, "tiledb_serialize_group")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_group_metadata(
    ctx: *mut tiledb_ctx_t,
    group: *const tiledb_group_t,
    serialization_type: tiledb_serialization_type_t,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, serialization_type, buffer);
        entry::not_implemented(ctx, "tiledb_serialize_group_metadata")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_query(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer_list: *mut *mut tiledb_buffer_list_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, query, serialize_type, client_side, buffer_list);
        entry::not_implemented(ctx, "tiledb_serialize_query")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_query_est_result_sizes(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, query, serialize_type, client_side, buffer);
        entry::not_implemented(ctx, "tiledb_serialize_query_est_result_sizes")
    }
}
