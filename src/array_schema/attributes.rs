//! The attributes of array schemas.

use crate::prelude::*;

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
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        let attr = handle::borrow(attr)?;
        array_schema.schema.write().add_attribute(&attr.attribute)
    })
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
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        let to = arg::out(attr, "attr")?;
        let found = array_schema.schema.read().attribute_at(index)?;
        to.give_or_null(found.map(tiledb_attribute_t::new));
        Ok(())
    })
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
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        let to = arg::out(attr, "attr")?;
        let name = arg::text_or(name, "name", "'attribute_name' must not be null")?;
        let found = array_schema.schema.read().attribute(name)?;
        to.give_or_null(found.map(tiledb_attribute_t::new));
        Ok(())
    })
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
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        arg::out(attribute_num, "attribute_num")?
            .set(array_schema.schema.read().attributes().len() as u32);
        Ok(())
    })
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
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        let name = arg::text(name, "name")?;
        arg::out(has_attr, "has_attr")?.set(array_schema.schema.read().has_attribute(name).into());
        Ok(())
    })
}
