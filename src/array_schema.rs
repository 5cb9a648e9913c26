//! DOC family

use parking_lot::RwLock;
use tiledb_engine::array;
use tiledb_engine::schema::{ArraySchema, SchemaDraft};

use crate::prelude::*;

/// DOC handle
pub struct tiledb_array_schema_handle_t {
    draft: RwLock<SchemaDraft>,
}

impl tiledb_array_schema_handle_t {
    /// A handle of its own for a schema.
    pub(crate) fn of(schema: &ArraySchema) -> Self {
        Self {
            draft: RwLock::new(SchemaDraft::of(schema)),
        }
    }

    /// The schema, whole and checked.
    pub(crate) fn finish(&self) -> Result<ArraySchema> {
        self.draft.read().finish()
    }
}

/// The name C programs use.
pub type tiledb_array_schema_t = tiledb_array_schema_handle_t;

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_add_attribute(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    attr: *mut tiledb_attribute_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, attr);
        entry::not_implemented(ctx, "tiledb_array_schema_add_attribute")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_add_dimension_label(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    dim_index: u32,
    name: *const c_char,
    label_order: tiledb_data_order_t,
    label_type: tiledb_datatype_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, dim_index, name, label_order, label_type);
        entry::not_implemented(ctx, "tiledb_array_schema_add_dimension_label")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_add_enumeration(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    enumeration: *mut tiledb_enumeration_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, enumeration);
        entry::not_implemented(ctx, "tiledb_array_schema_add_enumeration")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_alloc(
    ctx: *mut tiledb_ctx_t,
    array_type: tiledb_array_type_t,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_type, array_schema);
        entry::not_implemented(ctx, "tiledb_array_schema_alloc")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_alloc_at_timestamp(
    ctx: *mut tiledb_ctx_t,
    array_type: tiledb_array_type_t,
    timestamp: u64,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_type, timestamp, array_schema);
        entry::not_implemented(ctx, "tiledb_array_schema_alloc_at_timestamp")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_check(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema);
        entry::not_implemented(ctx, "tiledb_array_schema_check")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_dump_str(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    out: *mut *mut tiledb_string_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, out);
        entry::not_implemented(ctx, "tiledb_array_schema_dump_str")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_free(array_schema: *mut *mut tiledb_array_schema_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (array_schema,);
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_allows_dups(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    allows_dups: *mut c_int,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, allows_dups);
        entry::not_implemented(ctx, "tiledb_array_schema_get_allows_dups")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_array_type(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    array_type: *mut tiledb_array_type_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, array_type);
        entry::not_implemented(ctx, "tiledb_array_schema_get_array_type")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_attribute_from_index(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    index: u32,
    attr: *mut *mut tiledb_attribute_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, index, attr);
        entry::not_implemented(ctx, "tiledb_array_schema_get_attribute_from_index")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_attribute_from_name(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    name: *const c_char,
    attr: *mut *mut tiledb_attribute_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, name, attr);
        entry::not_implemented(ctx, "tiledb_array_schema_get_attribute_from_name")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_attribute_num(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    attribute_num: *mut u32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, attribute_num);
        entry::not_implemented(ctx, "tiledb_array_schema_get_attribute_num")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_capacity(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    capacity: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, capacity);
        entry::not_implemented(ctx, "tiledb_array_schema_get_capacity")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_cell_order(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    cell_order: *mut tiledb_layout_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, cell_order);
        entry::not_implemented(ctx, "tiledb_array_schema_get_cell_order")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_coords_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, filter_list);
        entry::not_implemented(ctx, "tiledb_array_schema_get_coords_filter_list")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_current_domain(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    current_domain: *mut *mut tiledb_current_domain_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, current_domain);
        entry::not_implemented(ctx, "tiledb_array_schema_get_current_domain")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_dimension_label_from_index(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    dim_label_index: u64,
    dim_label: *mut *mut tiledb_dimension_label_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, dim_label_index, dim_label);
        entry::not_implemented(ctx, "tiledb_array_schema_get_dimension_label_from_index")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_dimension_label_from_name(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    label_name: *const c_char,
    dim_label: *mut *mut tiledb_dimension_label_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, label_name, dim_label);
        entry::not_implemented(ctx, "tiledb_array_schema_get_dimension_label_from_name")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_dimension_label_num(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    dim_label_num: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, dim_label_num);
        entry::not_implemented(ctx, "tiledb_array_schema_get_dimension_label_num")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_domain(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    domain: *mut *mut tiledb_domain_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, domain);
        entry::not_implemented(ctx, "tiledb_array_schema_get_domain")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_enumeration_from_attribute_name(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    attribute_name: *const c_char,
    enumeration: *mut *mut tiledb_enumeration_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, attribute_name, enumeration);
        entry::not_implemented(
            ctx,
            "tiledb_array_schema_get_enumeration_from_attribute_name",
        )
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_enumeration_from_name(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    enumeration_name: *const c_char,
    enumeration: *mut *mut tiledb_enumeration_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, enumeration_name, enumeration);
        entry::not_implemented(ctx, "tiledb_array_schema_get_enumeration_from_name")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_offsets_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, filter_list);
        entry::not_implemented(ctx, "tiledb_array_schema_get_offsets_filter_list")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_tile_order(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    tile_order: *mut tiledb_layout_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, tile_order);
        entry::not_implemented(ctx, "tiledb_array_schema_get_tile_order")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_validity_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, filter_list);
        entry::not_implemented(ctx, "tiledb_array_schema_get_validity_filter_list")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_version(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    version: *mut u32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, version);
        entry::not_implemented(ctx, "tiledb_array_schema_get_version")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_has_attribute(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    name: *const c_char,
    has_attr: *mut i32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, name, has_attr);
        entry::not_implemented(ctx, "tiledb_array_schema_has_attribute")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_has_dimension_label(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    name: *const c_char,
    has_dim_label: *mut i32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, name, has_dim_label);
        entry::not_implemented(ctx, "tiledb_array_schema_has_dimension_label")
    }
}

/// Loads the latest schema of an array, with the configuration of the context.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_uri Where the array is: a URI or a path.
/// @param array_schema Gets the schema, which the caller frees with `tiledb_array_schema_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_load(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |ctx| {
            let schema = array::load_schema(&ctx.vfs, &arg::uri(array_uri, "array_uri")?)?;
            handle::make(
                array_schema,
                "array_schema",
                tiledb_array_schema_t::of(&schema),
            )
        })
    }
}

/// Loads the latest schema of an array, with parameters of its own for what else is loaded with it.
///
/// The key of an encrypted array is that of the context's configuration.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param config The parameters; null stands for those of the context.
/// @param array_uri Where the array is: a URI or a path.
/// @param array_schema Gets the schema, which the caller frees with `tiledb_array_schema_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_load_with_config(
    ctx: *mut tiledb_ctx_t,
    config: *mut tiledb_config_t,
    array_uri: *const c_char,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> capi_return_t {
    // Parameters only choose enumerations to load with the schema, and those load when they are wanted.
    let _ = config;
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe { tiledb_array_schema_load(ctx, array_uri, array_schema) }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_allows_dups(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    allows_dups: c_int,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, allows_dups);
        entry::not_implemented(ctx, "tiledb_array_schema_set_allows_dups")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_capacity(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    capacity: u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, capacity);
        entry::not_implemented(ctx, "tiledb_array_schema_set_capacity")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_cell_order(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    cell_order: tiledb_layout_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, cell_order);
        entry::not_implemented(ctx, "tiledb_array_schema_set_cell_order")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_coords_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut tiledb_filter_list_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, filter_list);
        entry::not_implemented(ctx, "tiledb_array_schema_set_coords_filter_list")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_current_domain(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    current_domain: *mut tiledb_current_domain_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, current_domain);
        entry::not_implemented(ctx, "tiledb_array_schema_set_current_domain")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_dimension_label_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    label_name: *const c_char,
    filter_list: *mut tiledb_filter_list_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, label_name, filter_list);
        entry::not_implemented(ctx, "tiledb_array_schema_set_dimension_label_filter_list")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_dimension_label_tile_extent(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    label_name: *const c_char,
    type_: tiledb_datatype_t,
    tile_extent: *const c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, label_name, type_, tile_extent);
        entry::not_implemented(ctx, "tiledb_array_schema_set_dimension_label_tile_extent")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_domain(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    domain: *mut tiledb_domain_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, domain);
        entry::not_implemented(ctx, "tiledb_array_schema_set_domain")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_offsets_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut tiledb_filter_list_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, filter_list);
        entry::not_implemented(ctx, "tiledb_array_schema_set_offsets_filter_list")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_tile_order(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    tile_order: tiledb_layout_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, tile_order);
        entry::not_implemented(ctx, "tiledb_array_schema_set_tile_order")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_validity_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut tiledb_filter_list_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, filter_list);
        entry::not_implemented(ctx, "tiledb_array_schema_set_validity_filter_list")
    }
}

/// DOC (experimental)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_timestamp_range(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    lo: *mut u64,
    hi: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, array_schema, lo, hi);
        entry::not_implemented(ctx, "tiledb_array_schema_timestamp_range")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_type_from_str(
    str: *const c_char,
    array_type: *mut tiledb_array_type_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (str, array_type);
        entry::not_implemented_plain("tiledb_array_type_from_str")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_type_to_str(
    array_type: tiledb_array_type_t,
    str: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (array_type, str);
        entry::not_implemented_plain("tiledb_array_type_to_str")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_layout_from_str(
    str: *const c_char,
    layout: *mut tiledb_layout_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (str, layout);
        entry::not_implemented_plain("tiledb_layout_from_str")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_layout_to_str(
    layout: tiledb_layout_t,
    str: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (layout, str);
        entry::not_implemented_plain("tiledb_layout_to_str")
    }
}
