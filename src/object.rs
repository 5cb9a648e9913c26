//! DOC family

use crate::prelude::*;

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_ls(
    ctx: *mut tiledb_ctx_t,
    path: *const c_char,
    callback: Option<unsafe extern "C" fn(*const c_char, tiledb_object_t, *mut c_void) -> i32>,
    data: *mut c_void,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, path, callback, data);
        entry::not_implemented(ctx, "tiledb_object_ls")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_move(
    ctx: *mut tiledb_ctx_t,
    old_path: *const c_char,
    new_path: *const c_char,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, old_path, new_path);
        entry::not_implemented(ctx, "tiledb_object_move")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_remove(ctx: *mut tiledb_ctx_t, path: *const c_char) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, path);
        entry::not_implemented(ctx, "tiledb_object_remove")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_type(
    ctx: *mut tiledb_ctx_t,
    path: *const c_char,
    type_: *mut tiledb_object_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, path, type_);
        entry::not_implemented(ctx, "tiledb_object_type")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_type_from_str(
    str: *const c_char,
    object_type: *mut tiledb_object_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (str, object_type);
        entry::not_implemented_plain("tiledb_object_type_from_str")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_type_to_str(
    object_type: tiledb_object_t,
    str: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (object_type, str);
        entry::not_implemented_plain("tiledb_object_type_to_str")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_walk(
    ctx: *mut tiledb_ctx_t,
    path: *const c_char,
    order: tiledb_walk_order_t,
    callback: Option<unsafe extern "C" fn(*const c_char, tiledb_object_t, *mut c_void) -> i32>,
    data: *mut c_void,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, path, order, callback, data);
        entry::not_implemented(ctx, "tiledb_object_walk")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_walk_order_from_str(
    str: *const c_char,
    walk_order: *mut tiledb_walk_order_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (str, walk_order);
        entry::not_implemented_plain("tiledb_walk_order_from_str")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_walk_order_to_str(
    walk_order: tiledb_walk_order_t,
    str: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (walk_order, str);
        entry::not_implemented_plain("tiledb_walk_order_to_str")
    }
}
