//! Filestores: files stored in dense arrays of bytes.

use tiledb_engine::internal::filestore;
use tiledb_engine::internal::types::MimeType;
use tiledb_engine::internal::vfs::Uri;

use crate::prelude::*;

/// Reads the URI of a file or an array, which must not be null.
unsafe fn uri_argument(uri: *const c_char) -> Result<Uri> {
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    Uri::parse(unsafe { arg::text_or(uri, "uri", "Invalid uri pointer") }?)
}

/// Checks a MIME type.
fn mime_type_of(code: tiledb_mime_type_t) -> Result<MimeType> {
    let known = MimeType::from_code(code);
    known.ok_or_else(|| Error::usage("C API", format!("Invalid mime type ({code})")))
}

/// Copies a part of the stored file into memory.
///
/// It is an error if the part ends beyond the end of the file.
///
/// Deprecated: a later release will remove this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param filestore_array_uri URI of the array.
/// @param offset Where the part starts, in bytes.
/// @param buf Buffer of `size` bytes that receives the part.
/// @param size The size of the part in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_buffer_export(
    ctx: *mut tiledb_ctx_t,
    filestore_array_uri: *const c_char,
    offset: usize,
    buf: *mut c_void,
    size: usize,
) -> i32 {
    entry::with_context(ctx, |ctx| {
        let array = uri_argument(filestore_array_uri)?;
        let to = arg::bytes_mut(buf, size as u64, "buf")?;
        filestore::export_bytes(&ctx.vfs, &array, offset as u64, to)
    })
}

/// Stores bytes from memory as the content of the file and replaces what was stored. Does nothing
/// if `size` is 0.
///
/// Deprecated: a later release will remove this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param filestore_array_uri URI of the array.
/// @param buf The bytes.
/// @param size The number of bytes.
/// @param mime_type The MIME type, or `TILEDB_MIME_AUTODETECT`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_buffer_import(
    ctx: *mut tiledb_ctx_t,
    filestore_array_uri: *const c_char,
    buf: *mut c_void,
    size: usize,
    mime_type: tiledb_mime_type_t,
) -> i32 {
    entry::with_context(ctx, |ctx| {
        let array = uri_argument(filestore_array_uri)?;
        let bytes = arg::bytes(buf, size as u64, "buf")?;
        filestore::import_bytes(&ctx.vfs, &array, bytes, mime_type_of(mime_type)?)
    })
}

/// Creates a schema for storing a file.
///
/// The tile extent depends on the size of the file. The schema has no filters.
///
/// Deprecated: a later release will remove this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param uri URI of the file that will be stored, or null if it is not known yet.
/// @param array_schema Set to the schema; free it with `tiledb_array_schema_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_schema_create(
    ctx: *mut tiledb_ctx_t,
    uri: *const c_char,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    entry::with_context(ctx, |ctx| {
        let file = arg::optional_text(uri, "uri")?
            .map(Uri::parse)
            .transpose()?;
        let schema = filestore::schema(&ctx.vfs, file.as_ref())?;
        let new_handle = tiledb_array_schema_t::new(schema);
        handle::make(array_schema, "array_schema", new_handle)
    })
}

/// Gets the size of the stored file.
///
/// Deprecated: a later release will remove this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param filestore_array_uri URI of the array.
/// @param size Set to the size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_size(
    ctx: *mut tiledb_ctx_t,
    filestore_array_uri: *const c_char,
    size: *mut usize,
) -> i32 {
    entry::with_context(ctx, |ctx| {
        let array = uri_argument(filestore_array_uri)?;
        let to = arg::out(size, "size")?;
        to.set(arg::memory_len(filestore::size(&ctx.vfs, &array)?, "size")?);
        Ok(())
    })
}

/// Writes the content of a filestore to a file.
///
/// Deprecated: a later release will remove this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param file_uri URI of the file to write. An existing file is replaced.
/// @param filestore_array_uri URI of the array.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_uri_export(
    ctx: *mut tiledb_ctx_t,
    file_uri: *const c_char,
    filestore_array_uri: *const c_char,
) -> i32 {
    entry::with_context(ctx, |ctx| {
        let (array, file) = (uri_argument(filestore_array_uri)?, uri_argument(file_uri)?);
        filestore::export_file(&ctx.vfs, &array, &file)
    })
}

/// Stores a file and replaces what was stored. Does nothing if the file is empty.
///
/// Deprecated: a later release will remove this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param filestore_array_uri URI of the array.
/// @param file_uri URI of the file.
/// @param mime_type The MIME type, or `TILEDB_MIME_AUTODETECT`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_uri_import(
    ctx: *mut tiledb_ctx_t,
    filestore_array_uri: *const c_char,
    file_uri: *const c_char,
    mime_type: tiledb_mime_type_t,
) -> i32 {
    entry::with_context(ctx, |ctx| {
        let (array, file) = (uri_argument(filestore_array_uri)?, uri_argument(file_uri)?);
        filestore::import_file(&ctx.vfs, &array, &file, mime_type_of(mime_type)?)
    })
}

/// Converts the name of a MIME type to its value.
///
/// Deprecated: a later release will remove this function.
///
/// @param str The name, such as "image/tiff".
/// @param mime_type Set to the value.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_mime_type_from_str(
    str: *const c_char,
    mime_type: *mut tiledb_mime_type_t,
) -> i32 {
    entry::code_only(|| {
        let value = MimeType::from_name(arg::text(str, "str")?);
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown MIME type"))?;
        arg::out(mime_type, "mime_type")?.set(value.code().into());
        Ok(())
    })
}

/// Gets the name of a MIME type, such as "image/tiff".
///
/// Deprecated: a later release will remove this function.
///
/// @param mime_type The MIME type.
/// @param str Set to a static string.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_mime_type_to_str(
    mime_type: tiledb_mime_type_t,
    str: *mut *const c_char,
) -> i32 {
    entry::code_only(|| {
        let value = arg::enum_value(MimeType::from_code(mime_type), "MIME type", mime_type)?;
        arg::out(str, "str")?.set(c_strings::constant(value.name()));
        Ok(())
    })
}
