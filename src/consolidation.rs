//! DOC family

use crate::prelude::*;

/// DOC handle
pub struct tiledb_consolidation_plan_t {
    _later: (),
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_consolidate(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    config: *mut tiledb_config_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_uri, config);
        entry::not_implemented(ctx, "tiledb_array_consolidate")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_consolidate_fragments(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    fragment_uris: *mut *const c_char,
    num_fragments: u64,
    config: *mut tiledb_config_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_uri, fragment_uris, num_fragments, config);
        entry::not_implemented(ctx, "tiledb_array_consolidate_fragments")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_vacuum(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    config: *mut tiledb_config_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_uri, config);
        entry::not_implemented(ctx, "tiledb_array_vacuum")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_create_with_mbr(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    fragment_size: u64,
    consolidation_plan: *mut *mut tiledb_consolidation_plan_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, fragment_size, consolidation_plan);
        entry::not_implemented(ctx, "tiledb_consolidation_plan_create_with_mbr")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_dump_json_str(
    ctx: *mut tiledb_ctx_t,
    consolidation_plan: *const tiledb_consolidation_plan_t,
    str: *mut *mut c_char,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, consolidation_plan, str);
        entry::not_implemented(ctx, "tiledb_consolidation_plan_dump_json_str")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_free(
    consolidation_plan: *mut *mut tiledb_consolidation_plan_t,
) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (consolidation_plan,);
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_free_json_str(str: *mut *mut c_char) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (str,);
        entry::not_implemented_plain("tiledb_consolidation_plan_free_json_str")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_get_fragment_uri(
    ctx: *mut tiledb_ctx_t,
    consolidation_plan: *mut tiledb_consolidation_plan_t,
    node_index: u64,
    fragment_index: u64,
    uri: *mut *const c_char,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, consolidation_plan, node_index, fragment_index, uri);
        entry::not_implemented(ctx, "tiledb_consolidation_plan_get_fragment_uri")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_get_num_fragments(
    ctx: *mut tiledb_ctx_t,
    consolidation_plan: *mut tiledb_consolidation_plan_t,
    node_index: u64,
    num_fragments: *mut u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, consolidation_plan, node_index, num_fragments);
        entry::not_implemented(ctx, "tiledb_consolidation_plan_get_num_fragments")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_get_num_nodes(
    ctx: *mut tiledb_ctx_t,
    consolidation_plan: *mut tiledb_consolidation_plan_t,
    num_nodes: *mut u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, consolidation_plan, num_nodes);
        entry::not_implemented(ctx, "tiledb_consolidation_plan_get_num_nodes")
    }
}
