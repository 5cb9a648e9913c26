//! Schema evolution: a list of changes to an array's schema, carried out at once by `tiledb_array_evolve`.
//!
//! Fragments written before keep their schema: an attribute added later reads as fill values there.

use tiledb_engine::platform::lock::Mutex;
use tiledb_engine::schema::SchemaEvolution;

use crate::prelude::*;

/// A list of changes to a schema, empty at first.
pub struct tiledb_array_schema_evolution_t {
    changes: Mutex<SchemaEvolution>,
}

impl tiledb_array_schema_evolution_t {
    /// The changes as they are now.
    pub(crate) fn changes(&self) -> SchemaEvolution {
        self.changes.lock().clone()
    }
}

/// Adds an attribute to the schema.
///
/// The attribute is copied. It is an error if the list adds one of this name already; whether the schema has it is
/// found out when the array is evolved.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema_evolution The list of changes.
/// @param attribute The attribute; stays the caller's.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_add_attribute(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    attribute: *mut tiledb_attribute_t,
) -> i32 {
    entry::with_context(ctx, |_| {
        let evolution = &handle::borrow(array_schema_evolution)?.changes;
        let attribute = handle::borrow(attribute)?.attribute.read().clone();
        evolution.lock().add_attribute(attribute)
    })
}

/// Adds an enumeration to the schema, so that attributes added in the same list can use it.
///
/// It is an error if the list adds one of this name already.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema_evolution The list of changes.
/// @param enumeration The enumeration; stays the caller's.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_add_enumeration(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    enumeration: *mut tiledb_enumeration_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let evolution = &handle::borrow(array_schema_evolution)?.changes;
        let enumeration = &handle::borrow(enumeration)?.enumeration;
        evolution.lock().add_enumeration(enumeration)
    })
}

/// Makes an empty list of changes.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema_evolution Receives the list; free it with `tiledb_array_schema_evolution_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_alloc(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut *mut tiledb_array_schema_evolution_t,
) -> i32 {
    entry::with_context(ctx, |_| {
        let none = tiledb_array_schema_evolution_t {
            changes: Mutex::default(),
        };
        handle::make(array_schema_evolution, "array_schema_evolution", none)
    })
}

/// Drops an attribute from the schema. Its cells stay in the files, for readers of the past.
///
/// Dropping a dimension, or the last attribute of a dense array, is an error when the array is evolved.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema_evolution The list of changes.
/// @param attribute_name The name of the attribute.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_drop_attribute(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    attribute_name: *const c_char,
) -> i32 {
    entry::with_context(ctx, |_| {
        let evolution = &handle::borrow(array_schema_evolution)?.changes;
        let name = arg::text(attribute_name, "attribute_name")?;
        evolution.lock().drop_attribute(name);
        Ok(())
    })
}

/// Drops an enumeration from the schema.
///
/// It is an error when the array is evolved if an attribute that stays uses it.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema_evolution The list of changes.
/// @param enumeration_name The name of the enumeration.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_drop_enumeration(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    enumeration_name: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let evolution = &handle::borrow(array_schema_evolution)?.changes;
        let name = arg::text(enumeration_name, "enumeration_name")?;
        evolution.lock().drop_enumeration(name);
        Ok(())
    })
}

/// Makes the current domain of the schema larger.
///
/// It is an error, when the array is evolved, if it would lose a cell or pass the domain.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema_evolution The list of changes.
/// @param expanded_domain The new current domain, whole; stays the caller's.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_expand_current_domain(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    expanded_domain: *mut tiledb_current_domain_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let evolution = &handle::borrow(array_schema_evolution)?.changes;
        let wider = handle::borrow(expanded_domain)?.get();
        evolution.lock().expand_current_domain(wider)
    })
}

/// Replaces an enumeration by one that has more values.
///
/// The new one must begin with the values of the old one, as `tiledb_enumeration_extend` makes it; if not, evolving the
/// array is an error.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema_evolution The list of changes.
/// @param enumeration The longer enumeration; stays the caller's.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_extend_enumeration(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    enumeration: *mut tiledb_enumeration_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let evolution = &handle::borrow(array_schema_evolution)?.changes;
        let enumeration = &handle::borrow(enumeration)?.enumeration;
        evolution.lock().extend_enumeration(enumeration)
    })
}

/// Frees a list of changes.
///
/// Accepts null at both levels and leaves null behind.
///
/// Experimental: may change from release to release.
///
/// @param array_schema_evolution Where the list is; set to null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_free(
    array_schema_evolution: *mut *mut tiledb_array_schema_evolution_t,
) {
    handle::release(array_schema_evolution);
}

/// Says when the new schema begins, instead of the present.
///
/// Both ends must be equal; zero is the present.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_schema_evolution The list of changes.
/// @param lo The earlier end, in milliseconds since 1970-01-01T00:00:00Z.
/// @param hi The later end, in milliseconds since 1970-01-01T00:00:00Z.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_set_timestamp_range(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    lo: u64,
    hi: u64,
) -> i32 {
    entry::with_context(ctx, |_| {
        let evolution = &handle::borrow(array_schema_evolution)?.changes;
        evolution.lock().set_timestamp_range(lo, hi)
    })
}
