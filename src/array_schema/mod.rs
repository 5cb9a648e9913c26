//! Array schemas: dimensions, attributes, orders and filters of an array.
//!
//! Here is the handle, and what is done with a whole schema. Beside: the fields (`attributes`, `domain`, `enumerations`,
//! `labels`), `filters`, and `cells`: which cells there may be and how they lie.

use std::sync::{Arc, Weak};

use tiledb_engine::array::{self, Array};
use tiledb_engine::platform::lock::{MappedRwLockReadGuard, Mutex, RwLock, RwLockReadGuard};
use tiledb_engine::schema::{ArraySchema, SchemaDraft};
use tiledb_engine::types::{ArrayType, EncryptionKey};
use tiledb_engine::vfs::Uri;

use crate::prelude::*;

pub mod attributes;
pub mod cells;
pub mod domain;
pub mod enumerations;
pub mod filters;
pub mod labels;

/// A schema. It can be changed, also where it came from an array. That does not change with it, but an open array that it
/// came from keeps to the current domain that is set.
pub struct tiledb_array_schema_handle_t {
    pub(crate) schema: RwLock<SchemaDraft>,
    /// The array that it came from, which has its enumerations, and the key of that.
    array: Option<(Uri, Option<EncryptionKey>)>,
    /// The open array that it came from, as long as that has a handle.
    open: Weak<Array>,
    /// The last array that was made of it.
    made: Mutex<Option<Uri>>,
}

/// The name C programs use.
pub type tiledb_array_schema_t = tiledb_array_schema_handle_t;

impl tiledb_array_schema_handle_t {
    /// A handle for a schema that is being filled.
    pub(crate) fn new(schema: SchemaDraft) -> Self {
        Self {
            schema: RwLock::new(schema),
            array: None,
            open: Weak::new(),
            made: Mutex::default(),
        }
    }

    /// A handle for a copy of the schema of an open array.
    pub(crate) fn of_open(array: &Arc<Array>) -> Result<Self> {
        let (schema, key) = (array.schema()?, array.snapshot()?.key.clone());
        Ok(Self {
            open: Arc::downgrade(array),
            ..Self::of(&schema, array.uri(), key)
        })
    }

    /// A handle for a copy of a schema of the array at `uri`.
    pub(crate) fn of(schema: &ArraySchema, uri: &Uri, key: Option<EncryptionKey>) -> Self {
        Self {
            array: Some((uri.clone(), key)),
            ..Self::new(SchemaDraft::of(schema))
        }
    }

    /// Where the array is that was made of it last, or that it came from.
    pub(crate) fn array_uri(&self) -> Option<Uri> {
        let made = self.made.lock().clone();
        made.or_else(|| self.array.as_ref().map(|(uri, _)| uri.clone()))
    }

    /// Notes that an array was made of it.
    pub(crate) fn note_made(&self, uri: Uri) {
        *self.made.lock() = Some(uri);
    }

    /// What is set so far.
    pub(crate) fn properties(&self) -> MappedRwLockReadGuard<'_, ArraySchema> {
        RwLockReadGuard::map(self.schema.read(), SchemaDraft::properties)
    }

    /// The schema, whole and checked.
    pub(crate) fn finish(&self) -> Result<ArraySchema> {
        self.schema.read().finish()
    }
}

fn array_type_of(code: tiledb_array_type_t) -> Result<ArrayType> {
    arg::known(ArrayType::from_code(code), "array type", code)
}

/// Makes an empty schema.
///
/// It has row-major orders, a capacity of 10000 cells, no duplicates; zstd for coordinates and offsets, run-length
/// encoding for validity.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_type Dense or sparse.
/// @param array_schema Receives the schema; free it with `tiledb_array_schema_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Makes an empty schema as of a time, which its file will tell. Experimental.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_type Dense or sparse.
/// @param timestamp Milliseconds since 1970-01-01 UTC, not 0.
/// @param array_schema Receives the schema; free it with `tiledb_array_schema_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Checks whether an array can be made of a schema, as making one does.
///
/// It needs a domain; a dense one needs integers or dates for dimensions, and an attribute. All names must differ.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_check(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| handle::borrow(array_schema)?.finish().map(drop))
}

/// Describes a schema as text.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param out Receives the text; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
/// @param array_schema The handle; null afterwards. Null is accepted, and so is a pointer to null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_free(array_schema: *mut *mut tiledb_array_schema_t) {
    handle::release(array_schema);
}

/// Gets the format version of the file a schema came from; of a new one, the version that will be written.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param version Receives the version.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Loads the latest schema of an array, with the configuration of the context.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_uri Where the array is: a URI or a path.
/// @param array_schema Gets the schema, which the caller frees with `tiledb_array_schema_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_load(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let uri = arg::uri(array_uri, "array_uri")?;
        let schema = array::load_schema(&ctx.vfs, &uri, ctx.context().config())?;
        let key = array::configured_key(ctx.context().config())?;
        let schema = tiledb_array_schema_t::of(&schema, &uri, key);
        handle::make(array_schema, "array_schema", schema)
    })
}

/// Loads the latest schema of an array, with parameters of its own for what else is loaded with it.
///
/// The key of an encrypted array is that of the context's configuration.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param config The parameters; null stands for those of the context.
/// @param array_uri Where the array is: a URI or a path.
/// @param array_schema Gets the schema, which the caller frees with `tiledb_array_schema_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_load_with_config(
    ctx: *mut tiledb_ctx_t,
    config: *mut tiledb_config_t,
    array_uri: *const c_char,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> capi_return_t {
    // Parameters only choose enumerations to load with the schema, and those load when they are wanted.
    let _ = config;
    tiledb_array_schema_load(ctx, array_uri, array_schema)
}

/// Gets the time a schema was made at. Experimental.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param lo Receives its first millisecond since 1970-01-01 UTC.
/// @param hi Receives its last millisecond.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
