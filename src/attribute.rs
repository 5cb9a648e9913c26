//! DOC family

use crate::prelude::*;

/// DOC handle
pub struct tiledb_attribute_handle_t {
    _later: (),
}
/// The name C programs use.
pub type tiledb_attribute_t = tiledb_attribute_handle_t;

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_alloc(
    ctx: *mut tiledb_ctx_t,
    name: *const c_char,
    type_: tiledb_datatype_t,
    attr: *mut *mut tiledb_attribute_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, name, type_, attr);
        entry::not_implemented(ctx, "tiledb_attribute_alloc")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_dump_str(
    ctx: *mut tiledb_ctx_t,
    attr: *const tiledb_attribute_t,
    out: *mut *mut tiledb_string_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, attr, out);
        entry::not_implemented(ctx, "tiledb_attribute_dump_str")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_free(attr: *mut *mut tiledb_attribute_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (attr,);
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_cell_size(
    ctx: *mut tiledb_ctx_t,
    attr: *const tiledb_attribute_t,
    cell_size: *mut u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, attr, cell_size);
        entry::not_implemented(ctx, "tiledb_attribute_get_cell_size")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    attr: *const tiledb_attribute_t,
    cell_val_num: *mut u32,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, attr, cell_val_num);
        entry::not_implemented(ctx, "tiledb_attribute_get_cell_val_num")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_enumeration_name(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    name: *mut *mut tiledb_string_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, attr, name);
        entry::not_implemented(ctx, "tiledb_attribute_get_enumeration_name")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_fill_value(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    value: *mut *const c_void,
    size: *mut u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, attr, value, size);
        entry::not_implemented(ctx, "tiledb_attribute_get_fill_value")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_fill_value_nullable(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    value: *mut *const c_void,
    size: *mut u64,
    valid: *mut u8,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, attr, value, size, valid);
        entry::not_implemented(ctx, "tiledb_attribute_get_fill_value_nullable")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_filter_list(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, attr, filter_list);
        entry::not_implemented(ctx, "tiledb_attribute_get_filter_list")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_name(
    ctx: *mut tiledb_ctx_t,
    attr: *const tiledb_attribute_t,
    name: *mut *const c_char,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, attr, name);
        entry::not_implemented(ctx, "tiledb_attribute_get_name")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_nullable(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    nullable: *mut u8,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, attr, nullable);
        entry::not_implemented(ctx, "tiledb_attribute_get_nullable")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_type(
    ctx: *mut tiledb_ctx_t,
    attr: *const tiledb_attribute_t,
    type_: *mut tiledb_datatype_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, attr, type_);
        entry::not_implemented(ctx, "tiledb_attribute_get_type")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_set_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    cell_val_num: u32,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, attr, cell_val_num);
        entry::not_implemented(ctx, "tiledb_attribute_set_cell_val_num")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_set_enumeration_name(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    enumeration_name: *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, attr, enumeration_name);
        entry::not_implemented(ctx, "tiledb_attribute_set_enumeration_name")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_set_fill_value(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    value: *const c_void,
    size: u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, attr, value, size);
        entry::not_implemented(ctx, "tiledb_attribute_set_fill_value")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_set_fill_value_nullable(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    value: *const c_void,
    size: u64,
    validity: u8,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, attr, value, size, validity);
        entry::not_implemented(ctx, "tiledb_attribute_set_fill_value_nullable")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_set_filter_list(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    filter_list: *mut tiledb_filter_list_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, attr, filter_list);
        entry::not_implemented(ctx, "tiledb_attribute_set_filter_list")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_set_nullable(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    nullable: u8,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, attr, nullable);
        entry::not_implemented(ctx, "tiledb_attribute_set_nullable")
    }
}
