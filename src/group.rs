//! DOC family

use crate::prelude::*;

/// DOC handle
pub struct tiledb_group_handle_t {
    _later: (),
}
/// The name C programs use.
pub type tiledb_group_t = tiledb_group_handle_t;

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_add_member(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    uri: *const c_char,
    relative: u8,
    name: *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, uri, relative, name);
        entry::not_implemented(ctx, "tiledb_group_add_member")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_add_member_with_type(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    uri: *const c_char,
    relative: u8,
    name: *const c_char,
    type_: tiledb_object_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, uri, relative, name, type_);
        entry::not_implemented(ctx, "tiledb_group_add_member_with_type")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_alloc(
    ctx: *mut tiledb_ctx_t,
    group_uri: *const c_char,
    group: *mut *mut tiledb_group_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group_uri, group);
        entry::not_implemented(ctx, "tiledb_group_alloc")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_close(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group);
        entry::not_implemented(ctx, "tiledb_group_close")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_consolidate_metadata(
    ctx: *mut tiledb_ctx_t,
    group_uri: *const c_char,
    config: *mut tiledb_config_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group_uri, config);
        entry::not_implemented(ctx, "tiledb_group_consolidate_metadata")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_create(
    ctx: *mut tiledb_ctx_t,
    group_uri: *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group_uri);
        entry::not_implemented(ctx, "tiledb_group_create")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_delete_group(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    uri: *const c_char,
    recursive: u8,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, uri, recursive);
        entry::not_implemented(ctx, "tiledb_group_delete_group")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_delete_metadata(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    key: *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, key);
        entry::not_implemented(ctx, "tiledb_group_delete_metadata")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_dump_str_v2(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    dump_ascii: *mut *mut tiledb_string_t,
    recursive: u8,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, dump_ascii, recursive);
        entry::not_implemented(ctx, "tiledb_group_dump_str_v2")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_free(group: *mut *mut tiledb_group_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (group,);
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_config(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    config: *mut *mut tiledb_config_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, config);
        entry::not_implemented(ctx, "tiledb_group_get_config")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_is_relative_uri_by_name(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    name: *const c_char,
    relative: *mut u8,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, name, relative);
        entry::not_implemented(ctx, "tiledb_group_get_is_relative_uri_by_name")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_member_by_index_v2(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    index: u64,
    uri: *mut *mut tiledb_string_t,
    type_: *mut tiledb_object_t,
    name: *mut *mut tiledb_string_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, index, uri, type_, name);
        entry::not_implemented(ctx, "tiledb_group_get_member_by_index_v2")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_member_by_name_v2(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    name: *const c_char,
    uri: *mut *mut tiledb_string_t,
    type_: *mut tiledb_object_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, name, uri, type_);
        entry::not_implemented(ctx, "tiledb_group_get_member_by_name_v2")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_member_count(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    count: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, count);
        entry::not_implemented(ctx, "tiledb_group_get_member_count")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_metadata(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    key: *const c_char,
    value_type: *mut tiledb_datatype_t,
    value_num: *mut u32,
    value: *mut *const c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, key, value_type, value_num, value);
        entry::not_implemented(ctx, "tiledb_group_get_metadata")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_metadata_from_index(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    index: u64,
    key: *mut *const c_char,
    key_len: *mut u32,
    value_type: *mut tiledb_datatype_t,
    value_num: *mut u32,
    value: *mut *const c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (
            ctx, group, index, key, key_len, value_type, value_num, value,
        );
        entry::not_implemented(ctx, "tiledb_group_get_metadata_from_index")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_metadata_num(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    num: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, num);
        entry::not_implemented(ctx, "tiledb_group_get_metadata_num")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_query_type(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    query_type: *mut tiledb_query_type_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, query_type);
        entry::not_implemented(ctx, "tiledb_group_get_query_type")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_uri(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    group_uri: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, group_uri);
        entry::not_implemented(ctx, "tiledb_group_get_uri")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_has_metadata_key(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    key: *const c_char,
    value_type: *mut tiledb_datatype_t,
    has_key: *mut i32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, key, value_type, has_key);
        entry::not_implemented(ctx, "tiledb_group_has_metadata_key")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_is_open(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    is_open: *mut i32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, is_open);
        entry::not_implemented(ctx, "tiledb_group_is_open")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_open(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    query_type: tiledb_query_type_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, query_type);
        entry::not_implemented(ctx, "tiledb_group_open")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_put_metadata(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    key: *const c_char,
    value_type: tiledb_datatype_t,
    value_num: u32,
    value: *const c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, key, value_type, value_num, value);
        entry::not_implemented(ctx, "tiledb_group_put_metadata")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_remove_member(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    name_or_uri: *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, name_or_uri);
        entry::not_implemented(ctx, "tiledb_group_remove_member")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_set_config(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    config: *mut tiledb_config_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group, config);
        entry::not_implemented(ctx, "tiledb_group_set_config")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_vacuum_metadata(
    ctx: *mut tiledb_ctx_t,
    group_uri: *const c_char,
    config: *mut tiledb_config_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, group_uri, config);
        entry::not_implemented(ctx, "tiledb_group_vacuum_metadata")
    }
}
