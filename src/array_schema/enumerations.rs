//! The enumerations of array schemas.

use tiledb_engine::internal::rest::location;
use tiledb_engine::internal::schema::{ArraySchema, EnumerationPath};

use crate::prelude::*;

impl tiledb_array_schema_t {
    /// Creates a handle for an enumeration of the schema, and loads the enumeration if necessary.
    pub(crate) fn enumeration(
        &self,
        ctx: &tiledb_ctx_t,
        name: &str,
    ) -> Result<tiledb_enumeration_t> {
        let schema = self.properties();
        let loaded = schema.enumeration(name).and_then(|path| path.loaded());
        let found = match (loaded, &self.array) {
            (Some(loaded), _) => loaded.clone(),
            (None, Some((uri, key))) => {
                location::load_enumeration(&ctx.vfs, uri, key.as_ref(), &schema, name)?
            }
            (None, None) => {
                let message = format!(
                    "Unable to check if unknown enumeration is loaded. No enumeration named '{name}'."
                );
                return Err(Error::usage("ArraySchema", message));
            }
        };
        Ok(tiledb_enumeration_t::new(found))
    }

    /// Loads all enumerations.
    pub(super) fn load_enumerations(&self, ctx: &tiledb_ctx_t) -> Result<()> {
        // The lock of the schema is released before each enumeration takes it again.
        let names: Vec<String> = {
            let schema = self.properties();
            let paths = schema.enumerations.iter();
            paths.map(|path| path.name.clone()).collect()
        };
        names
            .iter()
            .try_for_each(|name| self.enumeration(ctx, name).map(drop))
    }

    /// Returns the complete schema of a new array with the values of its enumerations. Those that
    /// are not loaded are read from the array of the schema.
    pub(crate) fn finish_for_array(&self, ctx: &tiledb_ctx_t) -> Result<ArraySchema> {
        let mut schema = self.finish()?;
        if self.array.is_some() {
            schema.enumerations.update(|paths| {
                for path in paths.iter_mut().filter(|path| path.loaded().is_none()) {
                    *path = EnumerationPath::of(self.enumeration(ctx, &path.name)?.enumeration);
                }
                Result::Ok(())
            })?;
        }
        Ok(schema)
    }

    /// Returns the name of the enumeration of an attribute, or an error if the attribute does not
    /// exist.
    fn enumeration_of_attribute(&self, name: &str) -> Result<Option<String>> {
        let attribute = self.schema.read().known_attribute(name)?;
        let attribute = attribute.read();
        Ok(attribute.enumeration.clone())
    }
}

/// Adds an enumeration, which attributes of the schema can use. Experimental: this function may
/// change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param enumeration The enumeration. The caller keeps ownership of the handle.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_add_enumeration(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    enumeration: *mut tiledb_enumeration_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        let enumeration = &handle::borrow(enumeration)?.enumeration;
        array_schema.schema.write().add_enumeration(enumeration)
    })
}

/// Gets the enumeration that an attribute uses. Experimental: this function may change in any
/// release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param attribute_name The name of the attribute.
/// @param enumeration Set to the enumeration, or to null if the attribute does not use one; free it
///   with `tiledb_enumeration_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_enumeration_from_attribute_name(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    attribute_name: *const c_char,
    enumeration: *mut *mut tiledb_enumeration_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let array_schema = handle::borrow(array_schema)?;
        let to = arg::out(enumeration, "enumeration")?;
        let missing = "'attribute_name' must not be null";
        let name = arg::text_or(attribute_name, "attribute_name", missing)?;
        let name = array_schema.enumeration_of_attribute(name);
        let name = name.map_err(|error| array_schema.with_array(error))?;
        let found = name.map(|name| array_schema.enumeration(ctx, &name));
        to.give_or_null(found.transpose()?);
        Ok(())
    })
}

/// Gets an enumeration by its name. Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param enumeration_name The name.
/// @param enumeration Set to the enumeration; free it with `tiledb_enumeration_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_enumeration_from_name(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    enumeration_name: *const c_char,
    enumeration: *mut *mut tiledb_enumeration_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let array_schema = handle::borrow(array_schema)?;
        let to = arg::out(enumeration, "enumeration")?;
        let missing = "'enumeration_name' must not be null";
        let name = arg::text_or(enumeration_name, "enumeration_name", missing)?;
        to.give(array_schema.enumeration(ctx, name)?);
        Ok(())
    })
}
