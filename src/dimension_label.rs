//! Dimension labels: a second set of coordinates for a dimension, stored in an array of their own.

use tiledb_engine::internal::schema::DimensionLabel;
use tiledb_engine::internal::vfs::Uri;

use crate::prelude::*;

/// A label of a schema: its dimension, order, datatype and the URI of its array.
pub struct tiledb_dimension_label_handle_t {
    label: DimensionLabel,
    uri: String,
    returned: c_strings::GetterValues,
}

impl tiledb_dimension_label_handle_t {
    /// Creates a handle for a label of a schema. The schema may have been loaded from an array.
    pub(crate) fn new(label: &DimensionLabel, array: Option<&Uri>) -> Result<Self> {
        let uri = match array {
            Some(array) => label.array_uri(array)?.as_str().to_owned(),
            None => label.uri.clone(),
        };
        Ok(Self {
            label: label.clone(),
            uri,
            returned: c_strings::GetterValues::default(),
        })
    }
}

/// Name of the type in C programs.
pub type tiledb_dimension_label_t = tiledb_dimension_label_handle_t;

/// Frees the handle of a label. The label stays in its schema.
///
/// @param dim_label Pointer to the handle, which is set to null. Null and a pointer to null are
///   ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_free(
    dim_label: *mut *mut tiledb_dimension_label_t,
) {
    handle::release(dim_label);
}

/// Gets the index of the dimension that a label belongs to.
///
/// @param ctx The context; stores the error if the call fails.
/// @param dim_label The label.
/// @param dim_index Set to the index of the dimension, from 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Gets the name of the attribute that stores the label values in the array of the label.
///
/// @param ctx The context; stores the error if the call fails.
/// @param dim_label The label.
/// @param label_attr_name Set to the name, valid until the handle is freed.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_label_attr_name(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    label_attr_name: *mut *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let dim_label = handle::borrow(dim_label)?;
        arg::out(label_attr_name, "label_attr_name")?
            .set(dim_label.returned.text(&dim_label.label.attribute));
        Ok(())
    })
}

/// Gets the number of values per coordinate of a label.
///
/// @param ctx The context; stores the error if the call fails.
/// @param dim_label The label.
/// @param label_cell_val_num Set to the number; `TILEDB_VAR_NUM` for strings.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Gets the order of the values of a label.
///
/// @param ctx The context; stores the error if the call fails.
/// @param dim_label The label.
/// @param label_order Set to the order.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Gets the type of the values of a label.
///
/// @param ctx The context; stores the error if the call fails.
/// @param dim_label The label.
/// @param label_type Set to the type.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Gets the name of a label.
///
/// @param ctx The context; stores the error if the call fails.
/// @param dim_label The label.
/// @param name Set to the name, valid until the handle is freed.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_name(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    name: *mut *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let dim_label = handle::borrow(dim_label)?;
        arg::out(name, "name")?.set(dim_label.returned.text(&dim_label.label.name));
        Ok(())
    })
}

/// Gets the URI of the array of a label: relative to the array that the label belongs to, unless an
/// absolute URI was set.
///
/// @param ctx The context; stores the error if the call fails.
/// @param dim_label The label.
/// @param uri Set to the URI, valid until the handle is freed.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_uri(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    uri: *mut *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let dim_label = handle::borrow(dim_label)?;
        arg::out(uri, "uri")?.set(dim_label.returned.text(&dim_label.uri));
        Ok(())
    })
}
