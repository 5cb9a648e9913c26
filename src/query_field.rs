//! Query fields: the datatype, size and origin of a field of a query.

use std::sync::Arc;

use tiledb_engine::internal::platform::lock::Mutex;
use tiledb_engine::internal::query::QueryField;

use crate::prelude::*;
use crate::query::QueryState;

/// A field of a query: an attribute, a dimension or the result of an aggregate.
pub struct tiledb_query_field_handle_t {
    field: QueryField,
    query: Arc<Mutex<QueryState>>,
}
/// Name of the type in C programs.
pub type tiledb_query_field_t = tiledb_query_field_handle_t;

/// Gets the number of values per cell of a field.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param field The field.
/// @param cell_val_num Set to the number; `TILEDB_VAR_NUM` for cells of variable size.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_field_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    field: *mut tiledb_query_field_t,
    cell_val_num: *mut u32,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let field = handle::borrow(field)?;
        arg::out(cell_val_num, "cell_val_num")?.set(field.field.cells.cell_val_num);
        Ok(())
    })
}

/// Gets the channel that a field belongs to.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param field The field.
/// @param channel Set to the channel; free it with `tiledb_query_channel_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_field_channel(
    ctx: *mut tiledb_ctx_t,
    field: *mut tiledb_query_field_t,
    channel: *mut *mut tiledb_query_channel_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let query = handle::borrow(field)?.query.clone();
        handle::make(channel, "channel", tiledb_query_channel_t::new(query))
    })
}

/// Gets the datatype of a field.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param field The field.
/// @param type Set to the type.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_field_datatype(
    ctx: *mut tiledb_ctx_t,
    field: *mut tiledb_query_field_t,
    r#type: *mut tiledb_datatype_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let field = handle::borrow(field)?;
        arg::out(r#type, "type")?.set(field.field.cells.datatype.code().into());
        Ok(())
    })
}

/// Checks whether a field is nullable and requires a validity buffer.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param field The field.
/// @param nullable Set to 1 if it is, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_field_get_nullable(
    ctx: *mut tiledb_ctx_t,
    field: *mut tiledb_query_field_t,
    nullable: *mut u8,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let field = handle::borrow(field)?;
        arg::out(nullable, "nullable")?.set(field.field.cells.nullable.into());
        Ok(())
    })
}

/// Gets the origin of a field: attribute, dimension or aggregate.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param field The field.
/// @param origin Set to the origin.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_field_origin(
    ctx: *mut tiledb_ctx_t,
    field: *mut tiledb_query_field_t,
    origin: *mut tiledb_field_origin_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let field = handle::borrow(field)?;
        arg::out(origin, "origin")?.set(field.field.origin.code().into());
        Ok(())
    })
}

/// Frees the handle of a query field.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails. Ignored since 2.31.
/// @param field Pointer to the field to free.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; `TILEDB_ERR` if `field` or the
///   handle that it points to is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_field_free(
    ctx: *mut tiledb_ctx_t,
    field: *mut *mut tiledb_query_field_t,
) -> capi_return_t {
    entry::freeing(ctx, || handle::release_existing(field, "field"))
}

/// Gets a field of a query by its name.
///
/// It is an error if the query has no attribute, dimension or aggregate with this name.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param field_name The name of the field; `TILEDB_TIMESTAMPS` for the timestamps of cells.
/// @param field Set to the field; free it with `tiledb_query_field_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_field(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    field_name: *const c_char,
    field: *mut *mut tiledb_query_field_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let query = query.as_ref().ok_or_else(|| arg::null("query"))?;
        let name = arg::text(field_name, "field_name")?;
        let to = arg::out(field, "field")?;
        let found = tiledb_query_field_t {
            field: query.state.lock().query.request().field(name)?,
            query: query.state.clone(),
        };
        to.give(found);
        Ok(())
    })
}
