//! DOC family

use crate::prelude::*;

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_as_built_dump(out: *mut *mut tiledb_string_t) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (out,);
        entry::not_implemented_plain("tiledb_as_built_dump")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_heap_profiler_enable(
    file_name_prefix: *const c_char,
    dump_interval_ms: u64,
    dump_interval_bytes: u64,
    dump_threshold_bytes: u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (
            file_name_prefix,
            dump_interval_ms,
            dump_interval_bytes,
            dump_threshold_bytes,
        );
        entry::not_implemented_plain("tiledb_heap_profiler_enable")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_log_warn(
    ctx: *mut tiledb_ctx_t,
    message: *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, message);
        entry::not_implemented(ctx, "tiledb_log_warn")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_max_path() -> u32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe { 0 }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_offset_size() -> u64 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe { 0 }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_status_code(x: capi_return_t) -> capi_status_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (x,);
        entry::not_implemented_plain("tiledb_status_code")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_timestamp_now_ms() -> u64 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe { 0 }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_timestamps() -> *const c_char {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe { std::ptr::null() }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_uri_to_path(
    ctx: *mut tiledb_ctx_t,
    uri: *const c_char,
    path_out: *mut c_char,
    path_length: *mut u32,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, uri, path_out, path_length);
        entry::not_implemented(ctx, "tiledb_uri_to_path")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_var_num() -> u32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe { 0 }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_version(major: *mut i32, minor: *mut i32, rev: *mut i32) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (major, minor, rev);
    }
}
