//! Filestore: a file kept in a dense array of bytes.

use tiledb_engine::filestore;
use tiledb_engine::types::MimeType;
use tiledb_engine::vfs::Uri;

use crate::prelude::*;

/// The place of a file or array, which must be given.
unsafe fn place(uri: *const c_char) -> Result<Uri> {
    // SAFETY: the caller's contract.
    Uri::parse(unsafe { arg::text_or(uri, "uri", "Invalid uri pointer") }?)
}

/// A kind of file, checked.
fn mime_type_of(code: tiledb_mime_type_t) -> Result<MimeType> {
    let known = MimeType::from_code(code);
    known.ok_or_else(|| Error::usage("C API", format!("Invalid mime type ({code})")))
}

/// Copies a part of the stored file into memory.
///
/// It is an error if the part passes the end of the file.
///
/// Deprecated: still works, and goes with a later release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param filestore_array_uri Where the array is.
/// @param offset Where the part starts, in bytes.
/// @param buf Room for the part.
/// @param size The size of the part in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_buffer_export(
    ctx: *mut tiledb_ctx_t,
    filestore_array_uri: *const c_char,
    offset: usize,
    buf: *mut c_void,
    size: usize,
) -> i32 {
    entry::with_context(ctx, |ctx| {
        let array = place(filestore_array_uri)?;
        let to = arg::bytes_mut(buf, size as u64, "buf")?;
        filestore::export_bytes(&ctx.vfs, &array, offset as u64, to)
    })
}

/// Stores bytes in memory as the file, in place of what was stored. No bytes change nothing.
///
/// Deprecated: still works, and goes with a later release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param filestore_array_uri Where the array is.
/// @param buf The bytes.
/// @param size How many there are.
/// @param mime_type What kind of file it is, or `TILEDB_MIME_AUTODETECT`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_buffer_import(
    ctx: *mut tiledb_ctx_t,
    filestore_array_uri: *const c_char,
    buf: *mut c_void,
    size: usize,
    mime_type: tiledb_mime_type_t,
) -> i32 {
    entry::with_context(ctx, |ctx| {
        let array = place(filestore_array_uri)?;
        let bytes = arg::bytes(buf, size as u64, "buf")?;
        filestore::import_bytes(&ctx.vfs, &array, bytes, mime_type_of(mime_type)?)
    })
}

/// Makes a schema that suits a file.
///
/// The size of the file decides the extent of tiles. There are no filters.
///
/// Deprecated: still works, and goes with a later release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param uri The file that will be stored, or null for one not yet known.
/// @param array_schema Receives the schema; free it with `tiledb_array_schema_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
        let made = tiledb_array_schema_t::new(schema);
        handle::make(array_schema, "array_schema", made)
    })
}

/// Gives the size of the stored file.
///
/// Deprecated: still works, and goes with a later release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param filestore_array_uri Where the array is.
/// @param size Receives the size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_size(
    ctx: *mut tiledb_ctx_t,
    filestore_array_uri: *const c_char,
    size: *mut usize,
) -> i32 {
    entry::with_context(ctx, |ctx| {
        let array = place(filestore_array_uri)?;
        let to = arg::out(size, "size")?;
        to.set(arg::possible(filestore::size(&ctx.vfs, &array)?, "size")?);
        Ok(())
    })
}

/// Copies the stored file to a file.
///
/// Deprecated: still works, and goes with a later release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param file_uri Where the file is to be; one that is there is replaced.
/// @param filestore_array_uri Where the array is.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_uri_export(
    ctx: *mut tiledb_ctx_t,
    file_uri: *const c_char,
    filestore_array_uri: *const c_char,
) -> i32 {
    entry::with_context(ctx, |ctx| {
        let (array, file) = (place(filestore_array_uri)?, place(file_uri)?);
        filestore::export_file(&ctx.vfs, &array, &file)
    })
}

/// Stores a file, in place of what was stored. An empty one changes nothing.
///
/// Deprecated: still works, and goes with a later release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param filestore_array_uri Where the array is.
/// @param file_uri The file.
/// @param mime_type What kind of file it is, or `TILEDB_MIME_AUTODETECT`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_uri_import(
    ctx: *mut tiledb_ctx_t,
    filestore_array_uri: *const c_char,
    file_uri: *const c_char,
    mime_type: tiledb_mime_type_t,
) -> i32 {
    entry::with_context(ctx, |ctx| {
        let (array, file) = (place(filestore_array_uri)?, place(file_uri)?);
        filestore::import_file(&ctx.vfs, &array, &file, mime_type_of(mime_type)?)
    })
}

/// Gives the kind of a file for its text.
///
/// Deprecated: still works, and goes with a later release.
///
/// @param str The text, as "image/tiff".
/// @param mime_type Receives the kind.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_mime_type_from_str(
    str: *const c_char,
    mime_type: *mut tiledb_mime_type_t,
) -> i32 {
    entry::plain(|| {
        let value = MimeType::from_name(arg::text(str, "str")?);
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown MIME type"))?;
        arg::out(mime_type, "mime_type")?.set(value.code().into());
        Ok(())
    })
}

/// Gives the text for a kind of file, as "image/tiff".
///
/// Deprecated: still works, and goes with a later release.
///
/// @param mime_type The kind.
/// @param str Receives the text, which lives as long as the library.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_mime_type_to_str(
    mime_type: tiledb_mime_type_t,
    str: *mut *const c_char,
) -> i32 {
    entry::plain(|| {
        let value = arg::known(MimeType::from_code(mime_type), "MIME type", mime_type)?;
        arg::out(str, "str")?.set(kept::constant(value.name()));
        Ok(())
    })
}
