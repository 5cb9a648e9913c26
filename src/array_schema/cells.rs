//! Properties of the cells in array schemas: array type, duplicates, capacity, cell order and tile
//! order.

use crate::prelude::*;

/// Checks whether several cells may have the same coordinates.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param allows_dups Set to 1 if duplicates are allowed, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_allows_dups(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    allows_dups: *mut c_int,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        arg::out(allows_dups, "allows_dups")?.set(array_schema.properties().allows_dups.into());
        Ok(())
    })
}

/// Sets whether several cells may have the same coordinates. It is an error to allow this in a
/// dense array.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param allows_dups 1 to allow duplicates, 0 to forbid them.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_allows_dups(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    allows_dups: c_int,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        handle::borrow(array_schema)?
            .schema
            .write()
            .set_allows_dups(allows_dups != 0)
    })
}

/// Gets the array type: dense or sparse.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param array_type Set to the type.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_array_type(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    array_type: *mut tiledb_array_type_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        arg::out(array_type, "array_type")?.set(array_schema.properties().array_type.code().into());
        Ok(())
    })
}

/// Gets the number of cells in a tile of sparse fragments.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param capacity Set to the number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_capacity(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    capacity: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        arg::out(capacity, "capacity")?.set(array_schema.properties().capacity);
        Ok(())
    })
}

/// Sets the number of cells in a tile of sparse fragments.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param capacity The number; not 0 for a sparse array.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_capacity(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    capacity: u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        handle::borrow(array_schema)?
            .schema
            .write()
            .set_capacity(capacity)
    })
}

/// Gets the order of cells within a tile.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param cell_order Set to the order.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_cell_order(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    cell_order: *mut tiledb_layout_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        arg::out(cell_order, "cell_order")?.set(array_schema.properties().cell_order.code().into());
        Ok(())
    })
}

/// Sets the order of cells within a tile.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param cell_order The order: row-major, column-major, or Hilbert for a sparse array. Set the
///   Hilbert order before the domain.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_cell_order(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    cell_order: tiledb_layout_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        array_schema
            .schema
            .write()
            .set_cell_order(arg::layout(cell_order)?)
    })
}

/// Gets the order of tiles.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param tile_order Set to the order.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_tile_order(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    tile_order: *mut tiledb_layout_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        arg::out(tile_order, "tile_order")?.set(array_schema.properties().tile_order.code().into());
        Ok(())
    })
}

/// Sets the order of tiles.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param tile_order The order: row-major or column-major.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_tile_order(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    tile_order: tiledb_layout_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        array_schema
            .schema
            .write()
            .set_tile_order(arg::layout(tile_order)?)
    })
}
