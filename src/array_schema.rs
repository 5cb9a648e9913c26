//! Array schemas: dimensions, attributes, orders and filters of an array.

use std::sync::{Arc, Weak};

use parking_lot::RwLock;
use tiledb_engine::array::{self, Array};
use tiledb_engine::filter::FilterList;
use tiledb_engine::schema::{ArraySchema, Attribute, NdRectangle, SchemaDraft, Shared};
use tiledb_engine::types::{ArrayType, EncryptionKey};
use tiledb_engine::vfs::Uri;

use crate::attribute::tiledb_attribute_t;
use crate::domain::tiledb_domain_t;
use crate::filter_list::tiledb_filter_list_t;
use crate::prelude::*;
use crate::string::tiledb_string_t;

/// A schema. It can be changed, also where it came from an array. That does not change with it, but an open array that it
/// came from keeps to the current domain that is set.
pub struct tiledb_array_schema_handle_t {
    pub(crate) schema: RwLock<SchemaDraft>,
    /// The array that it came from, which has its enumerations, and the key of that.
    array: Option<(Uri, Option<EncryptionKey>)>,
    /// The open array that it came from, as long as that has a handle.
    open: Weak<Array>,
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

    /// Where the array is that it came from, if it came from one.
    pub(crate) fn array_uri(&self) -> Option<&Uri> {
        self.array.as_ref().map(|(uri, _)| uri)
    }

    /// A handle for one of its enumerations, which is loaded where it was not.
    fn enumeration(&self, ctx: &tiledb_ctx_t, name: &str) -> Result<*mut tiledb_enumeration_t> {
        let schema = self.schema.read();
        let schema = schema.properties();
        let loaded = schema.enumeration(name).and_then(|path| path.loaded());
        let found = match (loaded, &self.array) {
            (Some(loaded), _) => loaded.clone(),
            (None, Some((uri, key))) => {
                array::load_enumeration(&ctx.vfs, uri, key.as_ref(), schema, name)?
            }
            (None, None) => {
                let message = format!(
                    "Unable to check if unknown enumeration is loaded. No enumeration named '{name}'."
                );
                return Err(Error::usage("ArraySchema", message));
            }
        };
        Ok(Box::into_raw(Box::new(tiledb_enumeration_t::new(found))))
    }

    /// The name of the enumeration that an attribute has; an error where there is no such attribute.
    fn enumeration_of_attribute(&self, name: &str) -> Result<Option<String>> {
        let found = self.schema.read().attribute(name)?;
        Ok(found.and_then(|attribute| attribute.read().enumeration.clone()))
    }

    /// Sets the current domain; an open array keeps to it from now on.
    fn set_current_domain(&self, current: Option<Shared<NdRectangle>>) {
        let mut schema = self.schema.write();
        schema.set_current_domain(current);
        if let Some(array) = self.open.upgrade() {
            array.set_current_domain(schema.snapshot().current_domain);
        }
    }

    /// The schema, whole and checked.
    pub(crate) fn finish(&self) -> Result<ArraySchema> {
        self.schema.read().finish()
    }
}

fn array_type_of(code: tiledb_array_type_t) -> Result<ArrayType> {
    arg::known(ArrayType::from_code(code), "array type", code)
}

/// Hands out a handle for an attribute; null for none.
unsafe fn give(
    to: *mut *mut tiledb_attribute_t,
    attribute: Option<Shared<Attribute>>,
) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe {
        match attribute {
            Some(attribute) => handle::make(to, "attr", tiledb_attribute_t::new(attribute)),
            None => {
                arg::out(to, "attr")?.set(std::ptr::null_mut());
                Ok(())
            }
        }
    }
}

/// Adds an attribute after the others. The schema shares it: what is set on it later counts too.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param attr The attribute, whose handle stays the caller's. Names that begin with "__" are refused.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_add_attribute(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    attr: *mut tiledb_attribute_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let array_schema = handle::borrow(array_schema)?;
            let attr = handle::borrow(attr)?;
            array_schema.schema.write().add_attribute(&attr.attribute)
        })
    }
}

/// Adds an enumeration, for attributes that hold its indexes. Experimental.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param enumeration The enumeration, whose handle stays the caller's.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_add_enumeration(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    enumeration: *mut tiledb_enumeration_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let array_schema = handle::borrow(array_schema)?;
            let enumeration = &handle::borrow(enumeration)?.enumeration;
            array_schema.schema.write().add_enumeration(enumeration)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let schema = SchemaDraft::new(array_type_of(array_type)?, None);
            handle::make(
                array_schema,
                "array_schema",
                tiledb_array_schema_t::new(schema),
            )
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            handle::borrow(array_schema)?
                .schema
                .read()
                .finish()
                .map(|_| ())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let text = handle::borrow(array_schema)?
                .schema
                .read()
                .snapshot()
                .to_string();
            handle::make(out, "out", tiledb_string_t::new(text))
        })
    }
}

/// Frees a schema.
///
/// @param array_schema The handle; null afterwards. Null is accepted, and so is a pointer to null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_free(array_schema: *mut *mut tiledb_array_schema_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        handle::release(array_schema);
    }
}

/// Says whether cells may share coordinates.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param allows_dups Receives 1 if they may, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_allows_dups(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    allows_dups: *mut c_int,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let array_schema = handle::borrow(array_schema)?;
            arg::out(allows_dups, "allows_dups")?
                .set(array_schema.schema.read().properties().allows_dups.into());
            Ok(())
        })
    }
}

/// Says whether an array is dense or sparse.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param array_type Receives the type.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_array_type(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    array_type: *mut tiledb_array_type_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let array_schema = handle::borrow(array_schema)?;
            arg::out(array_type, "array_type")?.set(
                array_schema
                    .schema
                    .read()
                    .properties()
                    .array_type
                    .code()
                    .into(),
            );
            Ok(())
        })
    }
}

/// Gets an attribute by its index.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param index The index, from 0.
/// @param attr Receives a handle that shares the attribute; free it with `tiledb_attribute_free`. Null if the schema
///   has no attributes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_attribute_from_index(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    index: u32,
    attr: *mut *mut tiledb_attribute_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let array_schema = handle::borrow(array_schema)?;
            arg::out(attr, "attr")?;
            give(attr, array_schema.schema.read().attribute_at(index)?)
        })
    }
}

/// Gets an attribute by its name. It is an error if there is none of the name.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param name The name; may be empty.
/// @param attr Receives a handle that shares the attribute; free it with `tiledb_attribute_free`. Null if the schema
///   has no attributes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_attribute_from_name(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    name: *const c_char,
    attr: *mut *mut tiledb_attribute_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let array_schema = handle::borrow(array_schema)?;
            arg::out(attr, "attr")?;
            let name = arg::text_or(name, "'attribute_name' must not be null")?;
            give(attr, array_schema.schema.read().attribute(name)?)
        })
    }
}

/// Gets the number of attributes.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param attribute_num Receives the number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_attribute_num(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    attribute_num: *mut u32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let array_schema = handle::borrow(array_schema)?;
            arg::out(attribute_num, "attribute_num")?
                .set(array_schema.schema.read().attributes().len() as u32);
            Ok(())
        })
    }
}

/// Gets the number of cells in a tile of sparse fragments.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param capacity Receives the number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_capacity(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    capacity: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let array_schema = handle::borrow(array_schema)?;
            arg::out(capacity, "capacity")?.set(array_schema.schema.read().properties().capacity);
            Ok(())
        })
    }
}

/// Gets the order of cells within a tile.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param cell_order Receives the order.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_cell_order(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    cell_order: *mut tiledb_layout_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let array_schema = handle::borrow(array_schema)?;
            arg::out(cell_order, "cell_order")?.set(
                array_schema
                    .schema
                    .read()
                    .properties()
                    .cell_order
                    .code()
                    .into(),
            );
            Ok(())
        })
    }
}

/// Gets a copy of the filters of coordinates whose dimension has none of its own.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param filter_list Receives the copy; free it with `tiledb_filter_list_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_coords_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let schema = handle::borrow(array_schema)?.schema.read();
            let filters = FilterList::clone(&schema.properties().coords_filters);
            handle::make(
                filter_list,
                "filter_list",
                tiledb_filter_list_t::new(filters),
            )
        })
    }
}

/// Gets the part of the domain that is in use. Experimental.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param current_domain Receives the current domain, an empty one if none was set; free it with
///   `tiledb_current_domain_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_current_domain(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    current_domain: *mut *mut tiledb_current_domain_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let schema = handle::borrow(array_schema)?.schema.read();
            let found = schema.current_domain().cloned();
            let found = tiledb_current_domain_t::new(found);
            handle::make(current_domain, "current_domain", found)
        })
    }
}

/// Gets the domain of a schema.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param domain Receives a handle that shares the domain, an empty one if none was set; free it with
///   `tiledb_domain_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_domain(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    domain: *mut *mut tiledb_domain_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let array_schema = handle::borrow(array_schema)?;
            let found = array_schema
                .schema
                .read()
                .domain()
                .cloned()
                .unwrap_or_default();
            handle::make(domain, "domain", tiledb_domain_t::new(found))
        })
    }
}

/// Gets the enumeration whose indexes an attribute holds. Experimental.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param attribute_name The name of the attribute.
/// @param enumeration Receives the enumeration, null if the attribute has none; free it with
///   `tiledb_enumeration_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_enumeration_from_attribute_name(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    attribute_name: *const c_char,
    enumeration: *mut *mut tiledb_enumeration_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |ctx| {
            let array_schema = handle::borrow(array_schema)?;
            let to = arg::out(enumeration, "enumeration")?;
            let name = arg::text_or(attribute_name, "'attribute_name' must not be null")?;
            match array_schema.enumeration_of_attribute(name)? {
                Some(name) => to.set(array_schema.enumeration(ctx, &name)?),
                None => to.set(std::ptr::null_mut()),
            }
            Ok(())
        })
    }
}

/// Gets an enumeration by its name. Experimental.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param enumeration_name The name.
/// @param enumeration Receives the enumeration; free it with `tiledb_enumeration_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_enumeration_from_name(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    enumeration_name: *const c_char,
    enumeration: *mut *mut tiledb_enumeration_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |ctx| {
            let array_schema = handle::borrow(array_schema)?;
            let to = arg::out(enumeration, "enumeration")?;
            let name = arg::text_or(enumeration_name, "'enumeration_name' must not be null")?;
            to.set(array_schema.enumeration(ctx, name)?);
            Ok(())
        })
    }
}

/// Gets a copy of the filters of the offsets of variable-length fields.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param filter_list Receives the copy; free it with `tiledb_filter_list_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_offsets_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let schema = handle::borrow(array_schema)?.schema.read();
            let filters = FilterList::clone(&schema.properties().offsets_filters);
            handle::make(
                filter_list,
                "filter_list",
                tiledb_filter_list_t::new(filters),
            )
        })
    }
}

/// Gets the order of tiles.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param tile_order Receives the order.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_tile_order(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    tile_order: *mut tiledb_layout_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let array_schema = handle::borrow(array_schema)?;
            arg::out(tile_order, "tile_order")?.set(
                array_schema
                    .schema
                    .read()
                    .properties()
                    .tile_order
                    .code()
                    .into(),
            );
            Ok(())
        })
    }
}

/// Gets a copy of the filters of validity vectors.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param filter_list Receives the copy; free it with `tiledb_filter_list_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_validity_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let schema = handle::borrow(array_schema)?.schema.read();
            let filters = FilterList::clone(&schema.properties().validity_filters);
            handle::make(
                filter_list,
                "filter_list",
                tiledb_filter_list_t::new(filters),
            )
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let array_schema = handle::borrow(array_schema)?;
            arg::out(version, "version")?.set(array_schema.schema.read().properties().version);
            Ok(())
        })
    }
}

/// Says whether there is an attribute of a name.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param name The name.
/// @param has_attr Receives 1 if there is, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_has_attribute(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    name: *const c_char,
    has_attr: *mut i32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let array_schema = handle::borrow(array_schema)?;
            let name = arg::text(name, "name")?;
            arg::out(has_attr, "has_attr")?
                .set(array_schema.schema.read().has_attribute(name).into());
            Ok(())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |ctx| {
            let uri = arg::uri(array_uri, "array_uri")?;
            let schema = array::load_schema(&ctx.vfs, &uri, ctx.context().config())?;
            let key = array::configured_key(ctx.context().config())?;
            let schema = tiledb_array_schema_t::of(&schema, &uri, key);
            handle::make(array_schema, "array_schema", schema)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe { tiledb_array_schema_load(ctx, array_uri, array_schema) }
}

/// Sets whether cells may share coordinates, which those of a dense array may not.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param allows_dups 0 if they may not, else 1.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_allows_dups(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    allows_dups: c_int,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            handle::borrow(array_schema)?
                .schema
                .write()
                .set_allows_dups(allows_dups != 0)
        })
    }
}

/// Sets the number of cells in a tile of sparse fragments.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param capacity The number; not 0 for a sparse array.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_capacity(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    capacity: u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            handle::borrow(array_schema)?
                .schema
                .write()
                .set_capacity(capacity)
        })
    }
}

/// Sets the order of cells within a tile.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param cell_order The order: row-major, column-major, or Hilbert for a sparse array. Set Hilbert before the
///   domain.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_cell_order(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    cell_order: tiledb_layout_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let array_schema = handle::borrow(array_schema)?;
            array_schema
                .schema
                .write()
                .set_cell_order(arg::layout(cell_order)?)
        })
    }
}

/// Sets the filters of coordinates whose dimension has none of its own.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param filter_list The filters, copied.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_coords_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut tiledb_filter_list_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let array_schema = handle::borrow(array_schema)?;
            let filters = handle::borrow(filter_list)?.get();
            array_schema.schema.write().set_coords_filters(filters)
        })
    }
}

/// Sets the part of the domain that is in use. Experimental.
///
/// Where the schema came from an open array by `tiledb_array_get_schema`, queries on that keep to it from now on.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param current_domain The current domain, whose handle stays the caller's.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_current_domain(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    current_domain: *mut tiledb_current_domain_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let array_schema = handle::borrow(array_schema)?;
            let current = handle::borrow(current_domain)?.get();
            array_schema.set_current_domain(current);
            Ok(())
        })
    }
}

/// Sets the domain.
///
/// Dimensions without a tile extent get that of their domain, except in Hilbert order. A dense array takes integers,
/// dates and times, of one datatype for all dimensions.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param domain The domain, of at least one dimension. Its handle stays the caller's and shares it.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_domain(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    domain: *mut tiledb_domain_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let array_schema = handle::borrow(array_schema)?;
            let domain = handle::borrow(domain)?;
            array_schema.schema.write().set_domain(&domain.domain)
        })
    }
}

/// Sets the filters of the offsets of variable-length fields.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param filter_list The filters, copied.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_offsets_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut tiledb_filter_list_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let array_schema = handle::borrow(array_schema)?;
            let filters = handle::borrow(filter_list)?.get();
            array_schema.schema.write().set_offsets_filters(filters);
            Ok(())
        })
    }
}

/// Sets the order of tiles.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param tile_order The order: row-major or column-major.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_tile_order(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    tile_order: tiledb_layout_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let array_schema = handle::borrow(array_schema)?;
            array_schema
                .schema
                .write()
                .set_tile_order(arg::layout(tile_order)?)
        })
    }
}

/// Sets the filters of validity vectors.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema The schema.
/// @param filter_list The filters, copied.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_validity_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut tiledb_filter_list_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let array_schema = handle::borrow(array_schema)?;
            let filters = handle::borrow(filter_list)?.get();
            array_schema.schema.write().set_validity_filters(filters);
            Ok(())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let times = handle::borrow(array_schema)?
                .schema
                .read()
                .properties()
                .timestamps;
            let (lo, hi) = (arg::out(lo, "lo")?, arg::out(hi, "hi")?);
            lo.set(times.start);
            hi.set(times.end);
            Ok(())
        })
    }
}
