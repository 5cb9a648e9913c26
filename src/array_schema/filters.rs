//! The filters of coordinates, offsets and validity in array schemas.

use tiledb_engine::internal::filter::FilterList;

use crate::prelude::*;

/// Writes a copy of a filter list to an output parameter.
unsafe fn give(to: *mut *mut tiledb_filter_list_t, filters: &FilterList) -> Result<()> {
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    unsafe {
        let copy = tiledb_filter_list_t::new(filters.clone());
        handle::make(to, "filter_list", copy)
    }
}

/// Gets a copy of the filters of the coordinates of dimensions without filters of their own.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param filter_list Set to the copy; free it with `tiledb_filter_list_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_coords_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let schema = handle::borrow(array_schema)?.properties();
        give(filter_list, &schema.coords_filters)
    })
}

/// Sets the filters of the coordinates of dimensions without filters of their own.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param filter_list The filters; they are copied.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_coords_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut tiledb_filter_list_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        let filters = handle::borrow(filter_list)?.get();
        array_schema.schema.write().set_coords_filters(filters)
    })
}

/// Gets a copy of the filters of the offsets of variable-length fields.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param filter_list Set to the copy; free it with `tiledb_filter_list_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_offsets_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let schema = handle::borrow(array_schema)?.properties();
        give(filter_list, &schema.offsets_filters)
    })
}

/// Sets the filters of the offsets of variable-length fields.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param filter_list The filters; they are copied.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_offsets_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut tiledb_filter_list_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        let filters = handle::borrow(filter_list)?.get();
        array_schema.schema.write().set_offsets_filters(filters);
        Ok(())
    })
}

/// Gets a copy of the filters of validity vectors.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param filter_list Set to the copy; free it with `tiledb_filter_list_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_validity_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let schema = handle::borrow(array_schema)?.properties();
        give(filter_list, &schema.validity_filters)
    })
}

/// Sets the filters of validity vectors.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param filter_list The filters; they are copied.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_validity_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut tiledb_filter_list_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        let filters = handle::borrow(filter_list)?.get();
        array_schema.schema.write().set_validity_filters(filters);
        Ok(())
    })
}
