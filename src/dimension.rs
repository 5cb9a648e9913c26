//! Dimensions: the axes of an array.

use tiledb_engine::internal::filter::FilterList;
use tiledb_engine::internal::schema::{Dimension, Shared, shared};
use tiledb_engine::internal::types::Range;

use crate::filter_list::tiledb_filter_list_t;
use crate::prelude::*;
use crate::string::tiledb_string_t;

/// A dimension. The domain that it was added to, and handles that were obtained from that domain,
/// share it: changes made through one handle are visible through the others.
pub struct tiledb_dimension_handle_t {
    pub(crate) dimension: Shared<Dimension>,
    returned: c_strings::GetterValues,
}
/// Name of the type in C programs.
pub type tiledb_dimension_t = tiledb_dimension_handle_t;

impl tiledb_dimension_handle_t {
    /// Creates a handle for a dimension.
    pub(crate) fn new(dimension: Shared<Dimension>) -> Self {
        Self {
            dimension,
            returned: c_strings::GetterValues::default(),
        }
    }
}

/// Creates a dimension without filters.
///
/// The datatype is an integer, floating-point, date or time type, or `TILEDB_STRING_ASCII`. It is
/// an error if the lower end of the domain is above the upper end or is NaN, if the domain covers
/// the complete range of the type, or if the extent is 0, negative, larger than the domain, or
/// makes the last tile end beyond the largest value of the type.
///
/// @param ctx The context; stores the error if the call fails.
/// @param name The name; may be empty.
/// @param type The datatype of coordinates.
/// @param dim_domain Two values of the datatype: the lower and the upper end, both included. Null
///   for string dimensions.
/// @param tile_extent The number of coordinates in a tile, a value of the datatype. Null for string
///   dimensions, and for an extent as large as the domain, which is set when the domain is set on a
///   schema.
/// @param dim Set to the dimension, or to null on failure; free it with `tiledb_dimension_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_alloc(
    ctx: *mut tiledb_ctx_t,
    name: *const c_char,
    r#type: tiledb_datatype_t,
    dim_domain: *const c_void,
    tile_extent: *const c_void,
    dim: *mut *mut tiledb_dimension_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let name = arg::text_or(name, "name", "Dimension name must not be NULL")?;
        let datatype = arg::datatype(r#type)?;
        let domain = arg::optional_bytes(dim_domain, 2 * datatype.size());
        let extent = arg::optional_bytes(tile_extent, datatype.size());
        // Programs look at it after an error, too.
        arg::out(dim, "dim")?.set(std::ptr::null_mut());
        let dimension = Dimension::new(name, datatype, domain, extent)?;
        handle::make(dim, "dim", tiledb_dimension_t::new(shared(dimension)))
    })
}

/// Describes a dimension as text.
///
/// @param ctx The context; stores the error if the call fails.
/// @param dimension The dimension.
/// @param out Set to the text; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_dump_str(
    ctx: *mut tiledb_ctx_t,
    dimension: *const tiledb_dimension_t,
    out: *mut *mut tiledb_string_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let text = handle::borrow(dimension)?.dimension.read().to_string();
        handle::make(out, "out", tiledb_string_t::new(text))
    })
}

/// Frees a dimension. A domain it was added to keeps it.
///
/// @param dim Pointer to the handle, which is set to null. Null and a pointer to null are ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_free(dim: *mut *mut tiledb_dimension_t) {
    handle::release(dim);
}

/// Gets the number of values per coordinate.
///
/// @param ctx The context; stores the error if the call fails.
/// @param dim The dimension.
/// @param cell_val_num Set to 1, or to `TILEDB_VAR_NUM` for string dimensions.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    dim: *const tiledb_dimension_t,
    cell_val_num: *mut u32,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let dim = handle::borrow(dim)?;
        arg::out(cell_val_num, "cell_val_num")?.set(dim.dimension.read().cell_val_num);
        Ok(())
    })
}

/// Gets the domain of a dimension.
///
/// @param ctx The context; stores the error if the call fails.
/// @param dim The dimension.
/// @param domain Set to a pointer to two values of the datatype, the lower and the upper end, valid
///   until the handle is freed. Set to null for string dimensions.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_domain(
    ctx: *mut tiledb_ctx_t,
    dim: *const tiledb_dimension_t,
    domain: *mut *const c_void,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let dim = handle::borrow(dim)?;
        let output = arg::out(domain, "domain")?;
        let dimension = dim.dimension.read();
        let both = dimension.domain.as_ref().and_then(Range::both);
        output.set(both.map_or(std::ptr::null(), |both| dim.returned.value(both)));
        Ok(())
    })
}

/// Gets a copy of the filters of a dimension.
///
/// @param ctx The context; stores the error if the call fails.
/// @param dim The dimension.
/// @param filter_list Set to the copy; free it with `tiledb_filter_list_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_filter_list(
    ctx: *mut tiledb_ctx_t,
    dim: *mut tiledb_dimension_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let filters = FilterList::clone(&handle::borrow(dim)?.dimension.read().filters);
        handle::make(
            filter_list,
            "filter_list",
            tiledb_filter_list_t::new(filters),
        )
    })
}

/// Gets the name of a dimension.
///
/// @param ctx The context; stores the error if the call fails.
/// @param dim The dimension.
/// @param name Set to the name, valid until the handle is freed.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_name(
    ctx: *mut tiledb_ctx_t,
    dim: *const tiledb_dimension_t,
    name: *mut *const c_char,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let dim = handle::borrow(dim)?;
        arg::out(name, "name")?.set(dim.returned.text(&dim.dimension.read().name));
        Ok(())
    })
}

/// Gets the tile extent of a dimension.
///
/// @param ctx The context; stores the error if the call fails.
/// @param dim The dimension.
/// @param tile_extent Set to a pointer to the extent, a value of the datatype, valid until the
///   handle is freed; set to null if the dimension has no extent.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_tile_extent(
    ctx: *mut tiledb_ctx_t,
    dim: *const tiledb_dimension_t,
    tile_extent: *mut *const c_void,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let dim = handle::borrow(dim)?;
        let output = arg::out(tile_extent, "tile_extent")?;
        let extent = &dim.dimension.read().extent;
        output.set(
            extent
                .as_deref()
                .map_or(std::ptr::null(), |extent| dim.returned.value(extent)),
        );
        Ok(())
    })
}

/// Gets the datatype of the coordinates of a dimension.
///
/// @param ctx The context; stores the error if the call fails.
/// @param dim The dimension.
/// @param type Set to the datatype.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_type(
    ctx: *mut tiledb_ctx_t,
    dim: *const tiledb_dimension_t,
    r#type: *mut tiledb_datatype_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let dim = handle::borrow(dim)?;
        arg::out(r#type, "type")?.set(dim.dimension.read().datatype.code().into());
        Ok(())
    })
}

/// Checks a number of values per coordinate. It is an error if it differs from the number that the
/// datatype has: 1, or `TILEDB_VAR_NUM` for string dimensions.
///
/// @param ctx The context; stores the error if the call fails.
/// @param dim The dimension.
/// @param cell_val_num 1, or `TILEDB_VAR_NUM` for string dimensions.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_set_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    dim: *mut tiledb_dimension_t,
    cell_val_num: u32,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        handle::borrow(dim)?
            .dimension
            .write()
            .set_cell_val_num(cell_val_num)
    })
}

/// Sets the filters of the coordinates of a dimension. A dimension without filters uses those of
/// `tiledb_array_schema_set_coords_filter_list`. It is an error if a filter does not support the
/// datatype of its input.
///
/// @param ctx The context; stores the error if the call fails.
/// @param dim The dimension.
/// @param filter_list The filters; they are copied.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_set_filter_list(
    ctx: *mut tiledb_ctx_t,
    dim: *mut tiledb_dimension_t,
    filter_list: *mut tiledb_filter_list_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let dim = handle::borrow(dim)?;
        let filters = handle::borrow(filter_list)?.get();
        dim.dimension.write().set_filters(filters)
    })
}
