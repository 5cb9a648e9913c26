//! The domain and the current domain of array schemas.

use tiledb_engine::internal::schema::{NdRectangle, Shared};

use crate::prelude::*;

impl tiledb_array_schema_t {
    /// Sets the current domain, and updates the open array that the schema was obtained from.
    fn set_current_domain(&self, current: Option<Shared<NdRectangle>>) {
        let mut schema = self.schema.write();
        schema.current_domain = current;
        if let Some(array) = self.open.upgrade() {
            array.set_current_domain(schema.snapshot().current_domain);
        }
    }
}

/// Gets the domain of a schema.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param domain Set to a handle that shares the domain, which is empty if none was set; free it
///   with `tiledb_domain_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
/// Dimensions without a tile extent get the extent of their domain, unless the cell order is
/// Hilbert. The dimensions of a dense array must all have the same integer, date or time type.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param domain The domain, with at least one dimension. The schema shares it; the caller keeps
///   ownership of the handle.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Gets the current domain. Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param current_domain Set to the current domain, which is empty if none was set; free it with
///   `tiledb_current_domain_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_current_domain(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    current_domain: *mut *mut tiledb_current_domain_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let schema = handle::borrow(array_schema)?.schema.read();
        let found = schema.current_domain.clone();
        let found = tiledb_current_domain_t::new(found);
        handle::make(current_domain, "current_domain", found)
    })
}

/// Sets the current domain. Experimental: this function may change in any release.
///
/// If the schema was obtained from an open array with `tiledb_array_get_schema`, the new current
/// domain also applies to queries on that array.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param current_domain The current domain. The caller keeps ownership of the handle.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
