//! Functions with the key of an encrypted array as an argument.

use tiledb_engine::internal::array::key::of_config;
use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::error::ArrayError;
use tiledb_engine::internal::rest::location;
use tiledb_engine::internal::types::EncryptionType;

use super::with_config;
use crate::array;
use crate::prelude::*;

/// Stores a key in a configuration.
unsafe fn set_key(
    config: &mut Config,
    encryption_type: tiledb_encryption_type_t,
    key: *const c_void,
    key_length: u32,
) -> Result<()> {
    let bad_key = || Error::from(ArrayError::BadKey);
    let encryption_type = EncryptionType::from_code(encryption_type).ok_or_else(bad_key)?;
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    let key = unsafe { arg::bytes(key, key_length.into(), "encryption_key") }?;
    let is_right_length = match encryption_type {
        EncryptionType::NoEncryption => key.is_empty(),
        EncryptionType::Aes256Gcm => !key.is_empty(),
    };
    let key = std::str::from_utf8(key)
        .map_err(|_| Error::usage("C API", "argument `encryption_key` is not UTF-8"))?;
    if !is_right_length {
        return Err(bad_key());
    }
    config.set("sm.encryption_type", encryption_type.name())?;
    config.set("sm.encryption_key", key)?;
    // Checks the length.
    of_config(config).map(drop)
}

/// Creates an array that is encrypted with a key.
///
/// Deprecated: set `sm.encryption_type` and `sm.encryption_key` in the configuration of the context
/// and use `tiledb_array_create`. libtiledb 2.30 does not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_uri URI or path of the new array.
/// @param array_schema The schema; the caller keeps ownership.
/// @param encryption_type The encryption type.
/// @param encryption_key The key, which must be text in UTF-8; null for no encryption.
/// @param key_length The size of the key in bytes: 32, or 0 for no encryption.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_create_with_key(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    array_schema: *const tiledb_array_schema_t,
    encryption_type: tiledb_encryption_type_t,
    encryption_key: *const c_void,
    key_length: u32,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let schema = handle::borrow(array_schema)?;
        let uri = arg::uri(array_uri, "array_uri")?;
        let mut config = ctx.context().config.clone();
        set_key(&mut config, encryption_type, encryption_key, key_length)?;
        array::create(ctx, &with_config(ctx, config)?, uri, schema)
    })
}

/// Loads the latest schema of an array that is encrypted with a key.
///
/// Deprecated: set `sm.encryption_type` and `sm.encryption_key` in the configuration of the context
/// and use `tiledb_array_schema_load`. libtiledb 2.30 does not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_uri URI or path of the array.
/// @param encryption_type The encryption type.
/// @param encryption_key The key, which must be text in UTF-8; null for no encryption.
/// @param key_length The size of the key in bytes: 32, or 0 for no encryption.
/// @param array_schema Set to the schema; free it with `tiledb_array_schema_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_load_with_key(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    encryption_type: tiledb_encryption_type_t,
    encryption_key: *const c_void,
    key_length: u32,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let uri = arg::uri(array_uri, "array_uri")?;
        let mut config = ctx.context().config.clone();
        set_key(&mut config, encryption_type, encryption_key, key_length)?;
        let key = of_config(&config)?;
        let vfs = with_config(ctx, config)?;
        let schema = location::load_schema(&vfs, &uri, &vfs.context.config)?;
        let schema = tiledb_array_schema_t::of(&schema, &uri, key);
        handle::make(array_schema, "array_schema", schema)
    })
}

/// Merges fragments or small files of an array that is encrypted with a key.
///
/// Deprecated: set `sm.encryption_type` and `sm.encryption_key` in `config` and use
/// `tiledb_array_consolidate`. libtiledb 2.30 does not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_uri URI or path of the array.
/// @param encryption_type The encryption type.
/// @param encryption_key The key, which must be text in UTF-8; null for no encryption.
/// @param key_length The size of the key in bytes: 32, or 0 for no encryption.
/// @param config The configuration to use; null means the configuration of the context. A key in it
///   is ignored.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_consolidate_with_key(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    encryption_type: tiledb_encryption_type_t,
    encryption_key: *const c_void,
    key_length: u32,
    config: *mut tiledb_config_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let uri = arg::uri_text(array_uri, "array_uri")?;
        let mut config = ctx.config_or(config);
        set_key(&mut config, encryption_type, encryption_key, key_length)?;
        location::consolidate(&ctx.vfs, uri, &config)
    })
}
