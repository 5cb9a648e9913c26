//! DOC family

use crate::prelude::*;

/// DOC handle
pub struct tiledb_subarray_handle_t {
    _later: (),
}
/// The name C programs use.
pub type tiledb_subarray_t = tiledb_subarray_handle_t;

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_label_range(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    label_name: *const c_char,
    start: *const c_void,
    end: *const c_void,
    stride: *const c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, subarray, label_name, start, end, stride);
        entry::not_implemented(ctx, "tiledb_subarray_add_label_range")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_label_range_var(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    label_name: *const c_char,
    start: *const c_void,
    start_size: u64,
    end: *const c_void,
    end_size: u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, subarray, label_name, start, start_size, end, end_size);
        entry::not_implemented(ctx, "tiledb_subarray_add_label_range_var")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_point_ranges(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_idx: u32,
    start: *const c_void,
    count: u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, subarray, dim_idx, start, count);
        entry::not_implemented(ctx, "tiledb_subarray_add_point_ranges")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_point_ranges_var(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_idx: u32,
    start: *const c_void,
    start_size: u64,
    start_offsets: *const u64,
    start_offsets_size: u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (
            ctx,
            subarray,
            dim_idx,
            start,
            start_size,
            start_offsets,
            start_offsets_size,
        );
        entry::not_implemented(ctx, "tiledb_subarray_add_point_ranges_var")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_range(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_idx: u32,
    start: *const c_void,
    end: *const c_void,
    stride: *const c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, subarray, dim_idx, start, end, stride);
        entry::not_implemented(ctx, "tiledb_subarray_add_range")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_range_by_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_name: *const c_char,
    start: *const c_void,
    end: *const c_void,
    stride: *const c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, subarray, dim_name, start, end, stride);
        entry::not_implemented(ctx, "tiledb_subarray_add_range_by_name")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_range_var(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_idx: u32,
    start: *const c_void,
    start_size: u64,
    end: *const c_void,
    end_size: u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, subarray, dim_idx, start, start_size, end, end_size);
        entry::not_implemented(ctx, "tiledb_subarray_add_range_var")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_range_var_by_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_name: *const c_char,
    start: *const c_void,
    start_size: u64,
    end: *const c_void,
    end_size: u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, subarray, dim_name, start, start_size, end, end_size);
        entry::not_implemented(ctx, "tiledb_subarray_add_range_var_by_name")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_alloc(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    subarray: *mut *mut tiledb_subarray_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array, subarray);
        entry::not_implemented(ctx, "tiledb_subarray_alloc")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_free(subarray: *mut *mut tiledb_subarray_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (subarray,);
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_label_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_idx: u32,
    label_name: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, subarray, dim_idx, label_name);
        entry::not_implemented(ctx, "tiledb_subarray_get_label_name")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_label_range(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    label_name: *const c_char,
    range_idx: u64,
    start: *mut *const c_void,
    end: *mut *const c_void,
    stride: *mut *const c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, subarray, label_name, range_idx, start, end, stride);
        entry::not_implemented(ctx, "tiledb_subarray_get_label_range")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_label_range_num(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    label_name: *const c_char,
    range_num: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, subarray, label_name, range_num);
        entry::not_implemented(ctx, "tiledb_subarray_get_label_range_num")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_label_range_var(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    label_name: *const c_char,
    range_idx: u64,
    start: *mut c_void,
    end: *mut c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, subarray, label_name, range_idx, start, end);
        entry::not_implemented(ctx, "tiledb_subarray_get_label_range_var")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_label_range_var_size(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    label_name: *const c_char,
    range_idx: u64,
    start_size: *mut u64,
    end_size: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, subarray, label_name, range_idx, start_size, end_size);
        entry::not_implemented(ctx, "tiledb_subarray_get_label_range_var_size")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_idx: u32,
    range_idx: u64,
    start: *mut *const c_void,
    end: *mut *const c_void,
    stride: *mut *const c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, subarray, dim_idx, range_idx, start, end, stride);
        entry::not_implemented(ctx, "tiledb_subarray_get_range")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_from_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_name: *const c_char,
    range_idx: u64,
    start: *mut *const c_void,
    end: *mut *const c_void,
    stride: *mut *const c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, subarray, dim_name, range_idx, start, end, stride);
        entry::not_implemented(ctx, "tiledb_subarray_get_range_from_name")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_num(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_idx: u32,
    range_num: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, subarray, dim_idx, range_num);
        entry::not_implemented(ctx, "tiledb_subarray_get_range_num")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_num_from_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_name: *const c_char,
    range_num: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, subarray, dim_name, range_num);
        entry::not_implemented(ctx, "tiledb_subarray_get_range_num_from_name")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_var(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_idx: u32,
    range_idx: u64,
    start: *mut c_void,
    end: *mut c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, subarray, dim_idx, range_idx, start, end);
        entry::not_implemented(ctx, "tiledb_subarray_get_range_var")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_var_from_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_name: *const c_char,
    range_idx: u64,
    start: *mut c_void,
    end: *mut c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, subarray, dim_name, range_idx, start, end);
        entry::not_implemented(ctx, "tiledb_subarray_get_range_var_from_name")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_var_size(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_idx: u32,
    range_idx: u64,
    start_size: *mut u64,
    end_size: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, subarray, dim_idx, range_idx, start_size, end_size);
        entry::not_implemented(ctx, "tiledb_subarray_get_range_var_size")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_var_size_from_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_name: *const c_char,
    range_idx: u64,
    start_size: *mut u64,
    end_size: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, subarray, dim_name, range_idx, start_size, end_size);
        entry::not_implemented(ctx, "tiledb_subarray_get_range_var_size_from_name")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_has_label_ranges(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_idx: u32,
    has_label_range: *mut i32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, subarray, dim_idx, has_label_range);
        entry::not_implemented(ctx, "tiledb_subarray_has_label_ranges")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_set_coalesce_ranges(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    coalesce_ranges: c_int,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, subarray, coalesce_ranges);
        entry::not_implemented(ctx, "tiledb_subarray_set_coalesce_ranges")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_set_config(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    config: *mut tiledb_config_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, subarray, config);
        entry::not_implemented(ctx, "tiledb_subarray_set_config")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_set_subarray(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    subarray_v: *const c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, subarray, subarray_v);
        entry::not_implemented(ctx, "tiledb_subarray_set_subarray")
    }
}
