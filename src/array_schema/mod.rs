//! Array schemas: the dimensions, attributes, orders and filters of arrays.
//!
//! This file contains the handle and the functions on a schema as a whole. Other files: the fields
//! (`attributes`, `domain`, `enumerations`, `labels`), `filters`, and `cells` (array type,
//! duplicates, capacity, orders).

use std::sync::{Arc, Weak};

use tiledb_engine::internal::array::{self, Array};
use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::error::SchemaError;
use tiledb_engine::internal::platform::lock::{
    MappedRwLockReadGuard, Mutex, RwLock, RwLockReadGuard,
};
use tiledb_engine::internal::rest::location;
use tiledb_engine::internal::schema::{ArraySchema, SchemaDraft};
use tiledb_engine::internal::types::{ArrayType, EncryptionKey};
use tiledb_engine::internal::vfs::Uri;

use crate::prelude::*;

pub mod attributes;
pub mod cells;
pub mod domain;
pub mod enumerations;
pub mod filters;
pub mod labels;

/// A schema. It can be modified even if it was obtained from an array. The array does not change,
/// except that a new current domain applies to the open array that the schema was obtained from.
pub struct tiledb_array_schema_handle_t {
    pub(crate) schema: RwLock<SchemaDraft>,
    /// The array that the schema was loaded from, for loading its enumerations, and the encryption
    /// key.
    array: Option<(Uri, Option<EncryptionKey>)>,
    /// The open array that the schema was obtained from, while that has a handle.
    open: Weak<Array>,
    /// The last array that was created from the schema.
    created_at: Mutex<Option<Uri>>,
}

/// Name of the type in C programs.
pub type tiledb_array_schema_t = tiledb_array_schema_handle_t;

impl tiledb_array_schema_handle_t {
    /// Creates a handle for a new schema.
    pub(crate) fn new(schema: SchemaDraft) -> Self {
        Self {
            schema: RwLock::new(schema),
            array: None,
            open: Weak::new(),
            created_at: Mutex::default(),
        }
    }

    /// Creates a handle for a copy of the schema of an open array.
    pub(crate) fn of_open(array: &Arc<Array>) -> Result<Self> {
        let (schema, key) = (array.schema()?, array.snapshot()?.session.key.clone());
        Ok(Self {
            open: Arc::downgrade(array),
            ..Self::of(&schema, &array.uri, key)
        })
    }

    /// Creates a handle for a copy of a schema of the array at `uri`.
    pub(crate) fn of(schema: &Arc<ArraySchema>, uri: &Uri, key: Option<EncryptionKey>) -> Self {
        Self {
            array: Some((uri.clone(), key)),
            ..Self::new(SchemaDraft::of(schema))
        }
    }

    /// Returns the URI of the array that was last created from the schema, or that it was loaded
    /// from.
    pub(crate) fn array_uri(&self) -> Option<Uri> {
        let created_at = self.created_at.lock().clone();
        created_at.or_else(|| self.array.as_ref().map(|(uri, _)| uri.clone()))
    }

    /// Adds the URI of the array to an error about a missing attribute, as libtiledb does. The URI
    /// of an open array ends with a slash, that of a loaded schema does not.
    pub(crate) fn with_array(&self, error: Error) -> Error {
        use SchemaError as E;
        let uri = match (error.cause(), self.array_uri()) {
            (Cause::Schema(E::NoAttribute { .. } | E::UnknownAttribute { .. }), Some(uri)) => uri,
            _ => return error,
        };
        let mut uri = uri.as_str();
        let mut end = "";
        if self.created_at.lock().is_none() {
            uri = uri.strip_suffix('/').unwrap_or(uri);
            if !self.open.ptr_eq(&Weak::new()) {
                end = "/";
            }
        }
        Error::usage("", format!("{}{uri}{end}", error.libtiledb_text()))
    }

    /// Records that an array was created from the schema.
    pub(crate) fn note_made(&self, uri: Uri) {
        *self.created_at.lock() = Some(uri);
    }

    /// Returns the schema as it is, without checks.
    pub(crate) fn properties(&self) -> MappedRwLockReadGuard<'_, ArraySchema> {
        RwLockReadGuard::map(self.schema.read(), SchemaDraft::properties)
    }

    /// Returns the complete schema after checking it.
    pub(crate) fn finish(&self) -> Result<ArraySchema> {
        self.schema.read().finish()
    }
}

fn array_type_of(code: tiledb_array_type_t) -> Result<ArrayType> {
    arg::enum_value(ArrayType::from_code(code), "array type", code)
}

/// Creates an empty schema.
///
/// The defaults are row-major cell and tile orders, a capacity of 10,000 cells, no duplicates, zstd
/// for coordinates and offsets, and run-length encoding for validity.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_type `TILEDB_DENSE` or `TILEDB_SPARSE`.
/// @param array_schema Set to the schema; free it with `tiledb_array_schema_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_alloc(
    ctx: *mut tiledb_ctx_t,
    array_type: tiledb_array_type_t,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let schema = SchemaDraft::new(array_type_of(array_type)?, None);
        handle::make(
            array_schema,
            "array_schema",
            tiledb_array_schema_t::new(schema),
        )
    })
}

/// Creates an empty schema with a timestamp, which becomes part of the name of the schema file.
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_type `TILEDB_DENSE` or `TILEDB_SPARSE`.
/// @param timestamp Milliseconds since 1970-01-01 UTC; must not be 0.
/// @param array_schema Set to the schema; free it with `tiledb_array_schema_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_alloc_at_timestamp(
    ctx: *mut tiledb_ctx_t,
    array_type: tiledb_array_type_t,
    timestamp: u64,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        if timestamp == 0 {
            return Err(Error::usage("C API", "timestamp cannot be 0"));
        }
        let schema = SchemaDraft::new(array_type_of(array_type)?, Some(timestamp));
        handle::make(
            array_schema,
            "array_schema",
            tiledb_array_schema_t::new(schema),
        )
    })
}

/// Checks a schema as `tiledb_array_create` does.
///
/// A schema must have a domain. A dense schema must have integer, date or time dimensions and at
/// least one attribute. All names must be distinct.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_check(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        handle::borrow(array_schema)?.schema.read().check()
    })
}

/// Describes a schema as text.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param out Set to the text; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_dump_str(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    out: *mut *mut tiledb_string_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let text = handle::borrow(array_schema)?
            .schema
            .read()
            .snapshot()
            .to_string();
        handle::make(out, "out", tiledb_string_t::new(text))
    })
}

/// Frees a schema.
///
/// @param array_schema Pointer to the handle, which is set to null. Null and a pointer to null are
///   ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_free(array_schema: *mut *mut tiledb_array_schema_t) {
    handle::release(array_schema);
}

/// Gets the format version of the file that a schema was loaded from; for a new schema, the version
/// that will be written.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param version Set to the version.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_version(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    version: *mut u32,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        arg::out(version, "version")?.set(array_schema.properties().version);
        Ok(())
    })
}

/// Loads the latest schema of an array with the configuration of the context.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_uri URI or path of the array.
/// @param array_schema Set to the schema; free it with `tiledb_array_schema_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_load(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let schema = load(ctx, array_uri, &ctx.context().config)?;
        handle::make(array_schema, "array_schema", schema)
    })
}

/// Loads the latest schema of an array.
unsafe fn load(
    ctx: &tiledb_ctx_t,
    array_uri: *const c_char,
    config: &Config,
) -> Result<tiledb_array_schema_t> {
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    let uri = unsafe { arg::uri(array_uri, "array_uri") }?;
    let schema = location::load_schema(&ctx.vfs, &uri, config)?;
    let key = array::key::of_config(&ctx.context().config)?;
    Ok(tiledb_array_schema_t::of(&schema, &uri, key))
}

/// Loads the latest schema of an array with a configuration that selects what else is loaded: with
/// `rest.load_enumerations_on_array_open`, the enumerations.
///
/// The key of an encrypted array is taken from the configuration of the context.
///
/// @param ctx The context; stores the error if the call fails.
/// @param config The configuration; null means the configuration of the context.
/// @param array_uri URI or path of the array.
/// @param array_schema Set to the schema; free it with `tiledb_array_schema_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_load_with_config(
    ctx: *mut tiledb_ctx_t,
    config: *mut tiledb_config_t,
    array_uri: *const c_char,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        // Parameters that are not set in `config` are not taken from the context.
        let config = match handle::borrow_optional(config) {
            Some(config) => config.config().clone(),
            None => ctx.context().config.clone(),
        };
        let schema = load(ctx, array_uri, &config)?;
        if config.flag("rest.load_enumerations_on_array_open")? {
            schema.load_enumerations(ctx)?;
        }
        handle::make(array_schema, "array_schema", schema)
    })
}

/// Gets the timestamp range of a schema. Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param lo Set to the start in milliseconds since 1970-01-01 UTC.
/// @param hi Set to the end in milliseconds since 1970-01-01 UTC.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_timestamp_range(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    lo: *mut u64,
    hi: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let times = handle::borrow(array_schema)?.properties().timestamps;
        let (lo, hi) = (arg::out(lo, "lo")?, arg::out(hi, "hi")?);
        lo.set(times.start);
        hi.set(times.end);
        Ok(())
    })
}
