//! DOC family

use crate::prelude::*;

/// DOC handle
pub struct tiledb_array_schema_evolution_t {
    _later: (),
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_add_attribute(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    attribute: *mut tiledb_attribute_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema_evolution, attribute);
        entry::not_implemented(ctx, "tiledb_array_schema_evolution_add_attribute")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_add_enumeration(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    enumeration: *mut tiledb_enumeration_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema_evolution, enumeration);
        entry::not_implemented(ctx, "tiledb_array_schema_evolution_add_enumeration")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_alloc(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut *mut tiledb_array_schema_evolution_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema_evolution);
        entry::not_implemented(ctx, "tiledb_array_schema_evolution_alloc")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_drop_attribute(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    attribute_name: *const c_char,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema_evolution, attribute_name);
        entry::not_implemented(ctx, "tiledb_array_schema_evolution_drop_attribute")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_drop_enumeration(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    enumeration_name: *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema_evolution, enumeration_name);
        entry::not_implemented(ctx, "tiledb_array_schema_evolution_drop_enumeration")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_expand_current_domain(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    expanded_domain: *mut tiledb_current_domain_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema_evolution, expanded_domain);
        entry::not_implemented(ctx, "tiledb_array_schema_evolution_expand_current_domain")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_extend_enumeration(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    enumeration: *mut tiledb_enumeration_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema_evolution, enumeration);
        entry::not_implemented(ctx, "tiledb_array_schema_evolution_extend_enumeration")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_free(
    array_schema_evolution: *mut *mut tiledb_array_schema_evolution_t,
) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (array_schema_evolution,);
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_set_timestamp_range(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    lo: u64,
    hi: u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema_evolution, lo, hi);
        entry::not_implemented(ctx, "tiledb_array_schema_evolution_set_timestamp_range")
    }
}
