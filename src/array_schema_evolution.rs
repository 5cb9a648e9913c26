//! Schema evolution: a list of changes to the schema of an array, applied by `tiledb_array_evolve`.
//!
//! Existing fragments keep their schema. An attribute that was added later has its fill value in
//! them.

use tiledb_engine::internal::platform::lock::Mutex;
use tiledb_engine::internal::schema::SchemaEvolution;

use crate::prelude::*;

/// A list of changes to a schema.
pub struct tiledb_array_schema_evolution_t {
    changes: Mutex<SchemaEvolution>,
}

impl tiledb_array_schema_evolution_t {
    /// Creates a handle for changes.
    pub(crate) fn new(changes: SchemaEvolution) -> Self {
        Self {
            changes: Mutex::new(changes),
        }
    }

    /// Returns a copy of the changes.
    pub(crate) fn changes(&self) -> SchemaEvolution {
        self.changes.lock().clone()
    }
}

/// Adds an attribute to the schema.
///
/// The attribute is copied. It is an error if the list already adds an attribute with this name.
/// `tiledb_array_evolve` fails if the schema has one.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema_evolution The list of changes.
/// @param attribute The attribute; the caller keeps ownership.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Adds an enumeration to the schema. Attributes that the same list adds can use it.
///
/// It is an error if the list already adds an enumeration with this name.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema_evolution The list of changes.
/// @param enumeration The enumeration; the caller keeps ownership.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Creates an empty list of changes.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema_evolution Set to the list; free it with
///   `tiledb_array_schema_evolution_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Drops an attribute from the schema. Its data is kept in existing fragments, for reads at earlier
/// times.
///
/// `tiledb_array_evolve` fails if the field is a dimension or the last attribute of a dense array.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema_evolution The list of changes.
/// @param attribute_name The name of the attribute.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
/// `tiledb_array_evolve` fails if a remaining attribute uses it.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema_evolution The list of changes.
/// @param enumeration_name The name of the enumeration.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Expands the current domain of the schema.
///
/// `tiledb_array_evolve` fails if the new current domain does not contain the old one or is not
/// inside the domain.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema_evolution The list of changes.
/// @param expanded_domain The complete new current domain; the caller keeps ownership.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Replaces an enumeration by an extended one.
///
/// `tiledb_array_evolve` fails unless the new enumeration begins with the values of the old one, as
/// enumerations from `tiledb_enumeration_extend` do.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema_evolution The list of changes.
/// @param enumeration The extended enumeration; the caller keeps ownership.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
/// Experimental: this function may change in any release.
///
/// @param array_schema_evolution Pointer to the handle, which is set to null. Null and a pointer to
///   null are ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_free(
    array_schema_evolution: *mut *mut tiledb_array_schema_evolution_t,
) {
    handle::release(array_schema_evolution);
}

/// Sets the timestamp of the new schema. The default is the current time.
///
/// Both ends must be equal; 0 means the current time.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema_evolution The list of changes.
/// @param lo The start in milliseconds since 1970-01-01 UTC.
/// @param hi The end in milliseconds since 1970-01-01 UTC.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
