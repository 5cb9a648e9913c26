//! DOC family

use crate::prelude::*;

/// DOC handle
pub struct tiledb_enumeration_handle_t {
    _later: (),
}
/// The name C programs use.
pub type tiledb_enumeration_t = tiledb_enumeration_handle_t;

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_alloc(
    ctx: *mut tiledb_ctx_t,
    name: *const c_char,
    type_: tiledb_datatype_t,
    cell_val_num: u32,
    ordered: c_int,
    data: *const c_void,
    data_size: u64,
    offsets: *const c_void,
    offsets_size: u64,
    enumeration: *mut *mut tiledb_enumeration_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (
            ctx,
            name,
            type_,
            cell_val_num,
            ordered,
            data,
            data_size,
            offsets,
            offsets_size,
            enumeration,
        );
        entry::not_implemented(ctx, "tiledb_enumeration_alloc")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_dump_str(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    out: *mut *mut tiledb_string_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, enumeration, out);
        entry::not_implemented(ctx, "tiledb_enumeration_dump_str")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_extend(
    ctx: *mut tiledb_ctx_t,
    old_enumeration: *mut tiledb_enumeration_t,
    data: *const c_void,
    data_size: u64,
    offsets: *const c_void,
    offsets_size: u64,
    new_enumeration: *mut *mut tiledb_enumeration_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (
            ctx,
            old_enumeration,
            data,
            data_size,
            offsets,
            offsets_size,
            new_enumeration,
        );
        entry::not_implemented(ctx, "tiledb_enumeration_extend")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_free(enumeration: *mut *mut tiledb_enumeration_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (enumeration,);
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    cell_val_num: *mut u32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, enumeration, cell_val_num);
        entry::not_implemented(ctx, "tiledb_enumeration_get_cell_val_num")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_data(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    data: *mut *const c_void,
    data_size: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, enumeration, data, data_size);
        entry::not_implemented(ctx, "tiledb_enumeration_get_data")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_name(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    name: *mut *mut tiledb_string_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, enumeration, name);
        entry::not_implemented(ctx, "tiledb_enumeration_get_name")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_offsets(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    offsets: *mut *const c_void,
    offsets_size: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, enumeration, offsets, offsets_size);
        entry::not_implemented(ctx, "tiledb_enumeration_get_offsets")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_ordered(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    ordered: *mut c_int,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, enumeration, ordered);
        entry::not_implemented(ctx, "tiledb_enumeration_get_ordered")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_type(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    type_: *mut tiledb_datatype_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, enumeration, type_);
        entry::not_implemented(ctx, "tiledb_enumeration_get_type")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_value_index(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    value: *const c_void,
    value_size: u64,
    exist: *mut c_int,
    index: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, enumeration, value, value_size, exist, index);
        entry::not_implemented(ctx, "tiledb_enumeration_get_value_index")
    }
}
