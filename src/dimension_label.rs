//! Dimension label: a second set of names for the coordinates of a dimension, kept in an array beside the data.

use tiledb_engine::schema::DimensionLabel;
use tiledb_engine::vfs::Uri;

use crate::prelude::*;

/// One label of a schema: what it names, its order and type, and where its array is.
pub struct tiledb_dimension_label_handle_t {
    label: DimensionLabel,
    uri: String,
    kept: kept::Kept,
}

impl tiledb_dimension_label_handle_t {
    /// A handle for a label of a schema, which may be that of an array.
    pub(crate) fn new(label: &DimensionLabel, array: Option<&Uri>) -> Result<Self> {
        let uri = match array {
            Some(array) => label.place(array)?.as_str().to_owned(),
            None => label.uri.clone(),
        };
        Ok(Self {
            label: label.clone(),
            uri,
            kept: kept::Kept::default(),
        })
    }
}

/// The name C programs use.
pub type tiledb_dimension_label_t = tiledb_dimension_label_handle_t;

/// Frees the handle of a label; the schema keeps the label.
///
/// Accepts null at both levels and leaves null behind.
///
/// @param dim_label Where the label is; set to null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_free(
    dim_label: *mut *mut tiledb_dimension_label_t,
) {
    handle::release(dim_label);
}

/// Says which dimension a label belongs to.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim_label The label.
/// @param dim_index Receives the index of the dimension, from 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_dimension_index(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    dim_index: *mut u32,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let dim_label = handle::borrow(dim_label)?;
        arg::out(dim_index, "dim_index")?.set(dim_label.label.dimension);
        Ok(())
    })
}

/// Gives the name of the attribute that holds the values, in the array of the label.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim_label The label.
/// @param label_attr_name Receives the name, which lives as long as the handle.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_label_attr_name(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    label_attr_name: *mut *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let dim_label = handle::borrow(dim_label)?;
        arg::out(label_attr_name, "label_attr_name")?
            .set(dim_label.kept.text(&dim_label.label.attribute));
        Ok(())
    })
}

/// Says how many values a label has per coordinate.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim_label The label.
/// @param label_cell_val_num Receives the count; `TILEDB_VAR_NUM` for texts.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_label_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    label_cell_val_num: *mut u32,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let dim_label = handle::borrow(dim_label)?;
        arg::out(label_cell_val_num, "label_cell_val_num")?.set(dim_label.label.cell_val_num);
        Ok(())
    })
}

/// Says in which order the values of a label are.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim_label The label.
/// @param label_order Receives the order.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_label_order(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    label_order: *mut tiledb_data_order_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let dim_label = handle::borrow(dim_label)?;
        arg::out(label_order, "label_order")?.set(dim_label.label.order.code().into());
        Ok(())
    })
}

/// Gives the type of the values of a label.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim_label The label.
/// @param label_type Receives the type.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_label_type(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    label_type: *mut tiledb_datatype_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let dim_label = handle::borrow(dim_label)?;
        arg::out(label_type, "label_type")?.set(dim_label.label.datatype.code().into());
        Ok(())
    })
}

/// Gives the name of a label.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim_label The label.
/// @param name Receives the name, which lives as long as the handle.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_name(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    name: *mut *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let dim_label = handle::borrow(dim_label)?;
        arg::out(name, "name")?.set(dim_label.kept.text(&dim_label.label.name));
        Ok(())
    })
}

/// Says where the array of a label is: relative to the array it belongs to, unless it was set otherwise.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim_label The label.
/// @param uri Receives the URI, which lives as long as the handle.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_uri(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    uri: *mut *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let dim_label = handle::borrow(dim_label)?;
        arg::out(uri, "uri")?.set(dim_label.kept.text(&dim_label.uri));
        Ok(())
    })
}
