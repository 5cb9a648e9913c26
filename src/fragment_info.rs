//! DOC family

use crate::prelude::*;

/// DOC handle
pub struct tiledb_fragment_info_handle_t {
    _later: (),
}
/// The name C programs use.
pub type tiledb_fragment_info_t = tiledb_fragment_info_handle_t;

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_alloc(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    fragment_info: *mut *mut tiledb_fragment_info_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_uri, fragment_info);
        entry::not_implemented(ctx, "tiledb_fragment_info_alloc")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_dump(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *const tiledb_fragment_info_t,
    out: *mut libc::FILE,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, out);
        entry::not_implemented(ctx, "tiledb_fragment_info_dump")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_dump_str(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *const tiledb_fragment_info_t,
    out: *mut *mut tiledb_string_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, out);
        entry::not_implemented(ctx, "tiledb_fragment_info_dump_str")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_free(
    fragment_info: *mut *mut tiledb_fragment_info_t,
) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (fragment_info,);
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_array_schema(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fid, array_schema);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_array_schema")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_array_schema_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    schema_name: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fid, schema_name);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_array_schema_name")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_cell_num(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    cell_num: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fid, cell_num);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_cell_num")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_config(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    config: *mut *mut tiledb_config_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, config);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_config")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_dense(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    dense: *mut i32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fid, dense);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_dense")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_fragment_name_v2(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    name: *mut *mut tiledb_string_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fid, name);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_fragment_name_v2")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_fragment_num(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fragment_num: *mut u32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fragment_num);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_fragment_num")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_fragment_size(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    size: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fid, size);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_fragment_size")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_fragment_uri(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    uri: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fid, uri);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_fragment_uri")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_from_index(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    did: u32,
    mbr: *mut c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fid, mid, did, mbr);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_mbr_from_index")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_from_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    dim_name: *const c_char,
    mbr: *mut c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fid, mid, dim_name, mbr);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_mbr_from_name")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_num(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mbr_num: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fid, mbr_num);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_mbr_num")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_var_from_index(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    did: u32,
    start: *mut c_void,
    end: *mut c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fid, mid, did, start, end);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_mbr_var_from_index")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_var_from_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    dim_name: *const c_char,
    start: *mut c_void,
    end: *mut c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fid, mid, dim_name, start, end);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_mbr_var_from_name")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_var_size_from_index(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    did: u32,
    start_size: *mut u64,
    end_size: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fid, mid, did, start_size, end_size);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_mbr_var_size_from_index")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_var_size_from_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    dim_name: *const c_char,
    start_size: *mut u64,
    end_size: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fid, mid, dim_name, start_size, end_size);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_mbr_var_size_from_name")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_non_empty_domain_from_index(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    did: u32,
    domain: *mut c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fid, did, domain);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_non_empty_domain_from_index")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_non_empty_domain_from_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    dim_name: *const c_char,
    domain: *mut c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fid, dim_name, domain);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_non_empty_domain_from_name")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_non_empty_domain_var_from_index(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    did: u32,
    start: *mut c_void,
    end: *mut c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fid, did, start, end);
        entry::not_implemented(
            ctx,
            "tiledb_fragment_info_get_non_empty_domain_var_from_index",
        )
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_non_empty_domain_var_from_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    dim_name: *const c_char,
    start: *mut c_void,
    end: *mut c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fid, dim_name, start, end);
        entry::not_implemented(
            ctx,
            "tiledb_fragment_info_get_non_empty_domain_var_from_name",
        )
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_non_empty_domain_var_size_from_index(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    did: u32,
    start_size: *mut u64,
    end_size: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fid, did, start_size, end_size);
        entry::not_implemented(
            ctx,
            "tiledb_fragment_info_get_non_empty_domain_var_size_from_index",
        )
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_non_empty_domain_var_size_from_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    dim_name: *const c_char,
    start_size: *mut u64,
    end_size: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fid, dim_name, start_size, end_size);
        entry::not_implemented(
            ctx,
            "tiledb_fragment_info_get_non_empty_domain_var_size_from_name",
        )
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_sparse(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    sparse: *mut i32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fid, sparse);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_sparse")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_timestamp_range(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    start: *mut u64,
    end: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fid, start, end);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_timestamp_range")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_to_vacuum_num(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    to_vacuum_num: *mut u32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, to_vacuum_num);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_to_vacuum_num")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_to_vacuum_uri(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    uri: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fid, uri);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_to_vacuum_uri")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_total_cell_num(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    count: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, count);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_total_cell_num")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_unconsolidated_metadata_num(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    unconsolidated: *mut u32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, unconsolidated);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_unconsolidated_metadata_num")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_version(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    version: *mut u32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fid, version);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_version")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_has_consolidated_metadata(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    has: *mut i32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, fid, has);
        entry::not_implemented(ctx, "tiledb_fragment_info_has_consolidated_metadata")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_load(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info);
        entry::not_implemented(ctx, "tiledb_fragment_info_load")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_set_config(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    config: *mut tiledb_config_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, fragment_info, config);
        entry::not_implemented(ctx, "tiledb_fragment_info_set_config")
    }
}
