//! The domain of array schemas, and the part of it that is in use.

use tiledb_engine::schema::{NdRectangle, Shared};

use crate::prelude::*;

impl tiledb_array_schema_t {
    /// Sets the current domain; an open array keeps to it from now on.
    fn set_current_domain(&self, current: Option<Shared<NdRectangle>>) {
        let mut schema = self.schema.write();
        schema.set_current_domain(current);
        if let Some(array) = self.open.upgrade() {
            array.set_current_domain(schema.snapshot().current_domain);
        }
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
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        let domain = handle::borrow(domain)?;
        array_schema.schema.write().set_domain(&domain.domain)
    })
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
    entry::with_context(ctx, |_| {
        let schema = handle::borrow(array_schema)?.schema.read();
        let found = schema.current_domain().cloned();
        let found = tiledb_current_domain_t::new(found);
        handle::make(current_domain, "current_domain", found)
    })
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
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        let current = handle::borrow(current_domain)?.get();
        array_schema.set_current_domain(current);
        Ok(())
    })
}
