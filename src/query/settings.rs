//! Settings of queries: configuration, layout, subarray, condition, update values.

use tiledb_engine::internal::types::QueryType;

use crate::prelude::*;

/// Gets a copy of the configuration of a query.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param config Set to the configuration; free it with `tiledb_config_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_config(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    config: *mut *mut tiledb_config_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let found = handle::borrow(query)?.query().request().config.clone();
        handle::make(config, "config", tiledb_config_t::new(found))
    })
}

/// Sets the configuration of a query. It is an error after the first submit.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param config The configuration.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_config(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    config: *mut tiledb_config_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let query = handle::borrow(query)?;
        let config = handle::borrow(config)?.config();
        query.query().set_config(&config)
    })
}

/// Gets the layout of a query.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param query_layout Set to the layout.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_layout(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    query_layout: *mut tiledb_layout_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let layout = handle::borrow(query)?.query().request().layout;
        arg::out(query_layout, "query_layout")?.set(layout.code().into());
        Ok(())
    })
}

/// Sets the layout of a query, which is the order of the cells in the buffers. The default is
/// row-major for dense arrays and unordered for sparse arrays. It is an error after the first
/// submit.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param layout `TILEDB_ROW_MAJOR`, `TILEDB_COL_MAJOR`, `TILEDB_GLOBAL_ORDER` or
///   `TILEDB_UNORDERED`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_layout(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    layout: tiledb_layout_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let query = handle::borrow(query)?;
        query.query().set_layout(arg::layout(layout)?)
    })
}

/// Gets a copy of the subarray of a query.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param subarray Set to the subarray; free it with `tiledb_subarray_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_subarray_t(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    subarray: *mut *mut tiledb_subarray_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let ranges = handle::borrow(query)?.query().request().subarray.clone();
        handle::make(subarray, "subarray", tiledb_subarray_t::new(ranges))
    })
}

/// Sets the subarray that a query reads or writes. It is copied. Dense reads require a subarray;
/// dense writes without one write the complete domain; it is an error for sparse writes.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param subarray The subarray.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_subarray_t(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    subarray: *const tiledb_subarray_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let query = handle::borrow(query)?;
        let subarray = handle::borrow(subarray)?;
        query.query().set_subarray(&subarray.ranges.read())
    })
}

/// Sets the condition that selects the cells of a read or of a delete. It is copied, and replaces a
/// condition that was set before. It is an error for a write, and after the query was submitted.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param cond The condition.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_condition(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    cond: *const tiledb_query_condition_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let query = handle::borrow(query)?;
        let condition = handle::borrow(cond)?.condition()?;
        query.query().set_condition(&condition)
    })
}

/// Adds the new value of an attribute to an update query.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param field_name The attribute.
/// @param update_value The new value.
/// @param update_value_size Its size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_add_update_value(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    field_name: *const c_char,
    update_value: *const c_void,
    update_value_size: u64,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let query = handle::borrow(query)?;
        let why = match query.query().request().query_type {
            QueryType::Update => {
                let field = arg::text(field_name, "field_name")?;
                let value = arg::bytes(update_value, update_value_size, "update_value")?;
                format!(
                    "updates are not supported ({} bytes for '{field}')",
                    value.len()
                )
            }
            _ => "Operation only applicable to update queries".to_owned(),
        };
        let message = format!("Cannot add query update value; {why}");
        Err(Error::usage("[TileDB::Query] Error", message))
    })
}
