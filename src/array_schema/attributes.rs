//! The attributes of array schemas.

use crate::prelude::*;

/// Adds an attribute after the existing ones. The schema shares it: later changes to the attribute
/// take effect too.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param attr The attribute. Its name must not begin with "__". The caller keeps ownership of the
///   handle.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_add_attribute(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    attr: *mut tiledb_attribute_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        let attr = handle::borrow(attr)?;
        array_schema.schema.write().add_attribute(&attr.attribute)
    })
}

/// Gets an attribute by its index.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param index The index, starting at 0.
/// @param attr Set to a handle that shares the attribute; free it with `tiledb_attribute_free`. Set
///   to null if the schema has no attributes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_attribute_from_index(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    index: u32,
    attr: *mut *mut tiledb_attribute_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        let to = arg::out(attr, "attr")?;
        let found = array_schema.schema.read().attribute_at(index);
        let found = found.map_err(|error| array_schema.with_array(error))?;
        to.give_or_null(found.map(tiledb_attribute_t::new));
        Ok(())
    })
}

/// Gets an attribute by its name. It is an error if the name is unknown.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param name The name; may be empty.
/// @param attr Set to a handle that shares the attribute; free it with `tiledb_attribute_free`. Set
///   to null if the schema has no attributes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_attribute_from_name(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    name: *const c_char,
    attr: *mut *mut tiledb_attribute_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        let to = arg::out(attr, "attr")?;
        let name = arg::text_or(name, "name", "'attribute_name' must not be null")?;
        let found = array_schema.schema.read().attribute(name);
        let found = found.map_err(|error| array_schema.with_array(error))?;
        to.give_or_null(found.map(tiledb_attribute_t::new));
        Ok(())
    })
}

/// Gets the number of attributes.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param attribute_num Set to the number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_attribute_num(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    attribute_num: *mut u32,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        arg::out(attribute_num, "attribute_num")?
            .set(array_schema.schema.read().attribute_num() as u32);
        Ok(())
    })
}

/// Checks whether an attribute with a name exists.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param name The name.
/// @param has_attr Set to 1 if it exists, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_has_attribute(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    name: *const c_char,
    has_attr: *mut i32,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        let name = arg::text(name, "name")?;
        arg::out(has_attr, "has_attr")?.set(array_schema.schema.read().has_attribute(name).into());
        Ok(())
    })
}
