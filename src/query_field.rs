//! Query field: what a query can tell of a field before it runs: type, size, where it comes from.

use std::sync::Arc;

use tiledb_engine::platform::lock::Mutex;
use tiledb_engine::query::QueryField;

use crate::prelude::*;
use crate::query::QueryState;

/// A field of a query: an attribute, a dimension or the result of an aggregate.
pub struct tiledb_query_field_handle_t {
    field: QueryField,
    query: Arc<Mutex<QueryState>>,
}
/// The name C programs use.
pub type tiledb_query_field_t = tiledb_query_field_handle_t;

/// Says how many values the field has per cell.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param field The field.
/// @param cell_val_num Receives the count; `TILEDB_VAR_NUM` for cells of variable size.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_field_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    field: *mut tiledb_query_field_t,
    cell_val_num: *mut u32,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let field = handle::borrow(field)?;
        arg::out(cell_val_num, "cell_val_num")?.set(field.field.cell_val_num);
        Ok(())
    })
}

/// Gives the channel that the field belongs to.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param field The field.
/// @param channel Receives the channel; free it with `tiledb_query_channel_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Gives the type of the field's values.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param field The field.
/// @param type Receives the type.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_field_datatype(
    ctx: *mut tiledb_ctx_t,
    field: *mut tiledb_query_field_t,
    r#type: *mut tiledb_datatype_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let field = handle::borrow(field)?;
        arg::out(r#type, "type")?.set(field.field.datatype.code().into());
        Ok(())
    })
}

/// Says whether cells of the field can be null, so that it needs a validity buffer.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param field The field.
/// @param nullable Receives 1 if they can, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_field_get_nullable(
    ctx: *mut tiledb_ctx_t,
    field: *mut tiledb_query_field_t,
    nullable: *mut u8,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let field = handle::borrow(field)?;
        arg::out(nullable, "nullable")?.set(field.field.nullable.into());
        Ok(())
    })
}

/// Says where the field comes from.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param field The field.
/// @param origin Receives the origin.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Frees the handle of a query field and sets the pointer to null.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param field Pointer to the field to free.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; `TILEDB_ERR` if `field` or the handle that it points to is
/// null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_field_free(
    ctx: *mut tiledb_ctx_t,
    field: *mut *mut tiledb_query_field_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| handle::release_existing(field, "field"))
}

/// Gives a field of a query by its name.
///
/// It is an error if the query has no such field: no attribute, no dimension and no result of an aggregate.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param field_name The name of the field; `TILEDB_TIMESTAMPS` for the times of cells.
/// @param field Receives the field; free it with `tiledb_query_field_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
            field: query.state.lock().query.field(name)?,
            query: query.state.clone(),
        };
        to.give(found);
        Ok(())
    })
}
