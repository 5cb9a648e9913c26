//! DOC family

use crate::prelude::*;

/// DOC (deprecated)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_buffer_export(
    ctx: *mut tiledb_ctx_t,
    filestore_array_uri: *const c_char,
    offset: usize,
    buf: *mut c_void,
    size: usize,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, filestore_array_uri, offset, buf, size);
        entry::not_implemented(ctx, "tiledb_filestore_buffer_export")
    }
}

/// DOC (deprecated)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_buffer_import(
    ctx: *mut tiledb_ctx_t,
    filestore_array_uri: *const c_char,
    buf: *mut c_void,
    size: usize,
    mime_type: tiledb_mime_type_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, filestore_array_uri, buf, size, mime_type);
        entry::not_implemented(ctx, "tiledb_filestore_buffer_import")
    }
}

/// DOC (deprecated)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_schema_create(
    ctx: *mut tiledb_ctx_t,
    uri: *const c_char,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, uri, array_schema);
        entry::not_implemented(ctx, "tiledb_filestore_schema_create")
    }
}

/// DOC (deprecated)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_size(
    ctx: *mut tiledb_ctx_t,
    filestore_array_uri: *const c_char,
    size: *mut usize,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, filestore_array_uri, size);
        entry::not_implemented(ctx, "tiledb_filestore_size")
    }
}

/// DOC (deprecated)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_uri_export(
    ctx: *mut tiledb_ctx_t,
    file_uri: *const c_char,
    filestore_array_uri: *const c_char,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, file_uri, filestore_array_uri);
        entry::not_implemented(ctx, "tiledb_filestore_uri_export")
    }
}

/// DOC (deprecated)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_uri_import(
    ctx: *mut tiledb_ctx_t,
    filestore_array_uri: *const c_char,
    file_uri: *const c_char,
    mime_type: tiledb_mime_type_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, filestore_array_uri, file_uri, mime_type);
        entry::not_implemented(ctx, "tiledb_filestore_uri_import")
    }
}

/// DOC (deprecated)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_mime_type_from_str(
    str: *const c_char,
    mime_type: *mut tiledb_mime_type_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (str, mime_type);
        entry::not_implemented_plain("tiledb_mime_type_from_str")
    }
}

/// DOC (deprecated)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_mime_type_to_str(
    mime_type: tiledb_mime_type_t,
    str: *mut *const c_char,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (mime_type, str);
        entry::not_implemented_plain("tiledb_mime_type_to_str")
    }
}
