//! The dimension labels of array schemas.

use tiledb_engine::internal::types::DataOrder;

use crate::filter_list::tiledb_filter_list_t;
use crate::prelude::*;

/// Adds a label to a dimension. Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema. Its domain must be set.
/// @param dim_index The index of the dimension, from 0.
/// @param name The name of the label, which must differ from the names of attributes, dimensions
///   and other labels.
/// @param label_order The order of its values.
/// @param label_type The datatype of its values.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_add_dimension_label(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    dim_index: u32,
    name: *const c_char,
    label_order: tiledb_data_order_t,
    label_type: tiledb_datatype_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        let order = arg::enum_value(DataOrder::from_code(label_order), "data order", label_order)?;
        let datatype = arg::datatype(label_type)?;
        let name = arg::text(name, "name")?;
        let mut schema = array_schema.schema.write();
        schema.add_label(dim_index, name, order, datatype)
    })
}

/// Gets a dimension label by its index. Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param dim_label_index The index, from 0.
/// @param dim_label Set to the label; free it with `tiledb_dimension_label_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_dimension_label_from_index(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    dim_label_index: u64,
    dim_label: *mut *mut tiledb_dimension_label_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        let schema = array_schema.schema.read();
        let label = schema.label_at(dim_label_index)?;
        let new_handle = tiledb_dimension_label_t::new(label, array_schema.array_uri().as_ref())?;
        handle::make(dim_label, "dim_label", new_handle)
    })
}

/// Gets a dimension label by its name. Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param label_name The name.
/// @param dim_label Set to the label; free it with `tiledb_dimension_label_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_dimension_label_from_name(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    label_name: *const c_char,
    dim_label: *mut *mut tiledb_dimension_label_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        let schema = array_schema.schema.read();
        let label = schema.label(arg::text(label_name, "label_name")?)?;
        let new_handle = tiledb_dimension_label_t::new(label, array_schema.array_uri().as_ref())?;
        handle::make(dim_label, "dim_label", new_handle)
    })
}

/// Gets the number of dimension labels. Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param dim_label_num Set to the number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_dimension_label_num(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    dim_label_num: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let number = handle::borrow(array_schema)?.properties().labels.len();
        arg::out(dim_label_num, "dim_label_num")?.set(number as u64);
        Ok(())
    })
}

/// Checks whether a dimension label with a name exists. Experimental: this function may change in
/// any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param name The name.
/// @param has_dim_label Set to 1 if it exists, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_has_dimension_label(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    name: *const c_char,
    has_dim_label: *mut i32,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let schema = handle::borrow(array_schema)?.schema.read();
        let found = schema
            .properties()
            .label(arg::text(name, "name")?)
            .is_some();
        arg::out(has_dim_label, "has_dim_label")?.set(i32::from(found));
        Ok(())
    })
}

/// Sets the filters of the values of a dimension label. Experimental: this function may change in
/// any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param label_name The name of the label.
/// @param filter_list The filters, copied.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_dimension_label_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    label_name: *const c_char,
    filter_list: *mut tiledb_filter_list_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        let filters = handle::borrow(filter_list)?.get();
        let name = arg::text(label_name, "label_name")?;
        array_schema.schema.write().set_label_filters(name, filters)
    })
}

/// Sets the tile extent of the array of a dimension label. Experimental: this function may change
/// in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param label_name The name of the label.
/// @param type The datatype of the dimension.
/// @param tile_extent Pointer to the extent, a value of `type`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_dimension_label_tile_extent(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    label_name: *const c_char,
    r#type: tiledb_datatype_t,
    tile_extent: *const c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let array_schema = handle::borrow(array_schema)?;
        let datatype = arg::datatype(r#type)?;
        let name = arg::text(label_name, "label_name")?;
        let extent = arg::optional_bytes(tile_extent, datatype.size());
        let mut schema = array_schema.schema.write();
        schema.set_label_extent(name, datatype, extent)
    })
}
