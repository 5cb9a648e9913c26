//! Dimensions: the axes of an array.

use tiledb_engine::filter::FilterList;
use tiledb_engine::schema::{Dimension, Shared, shared};
use tiledb_engine::types::Range;

use crate::filter_list::tiledb_filter_list_t;
use crate::prelude::*;
use crate::string::tiledb_string_t;

/// A dimension. A domain it was added to, and handles got from that, share it: what is set here shows there.
pub struct tiledb_dimension_handle_t {
    pub(crate) dimension: Shared<Dimension>,
    kept: kept::Kept,
}
/// The name C programs use.
pub type tiledb_dimension_t = tiledb_dimension_handle_t;

impl tiledb_dimension_handle_t {
    /// A handle for a dimension.
    pub(crate) fn new(dimension: Shared<Dimension>) -> Self {
        Self {
            dimension,
            kept: kept::Kept::default(),
        }
    }
}

/// Makes a dimension without filters.
///
/// Its datatype is an integer, a real number, a date or time, or `TILEDB_STRING_ASCII`. It is an error if the lower
/// end lies above the upper one or is no number, if the domain is all of the type, or if the extent is 0, negative,
/// larger than the domain, or such that the last tile passes what the type can hold.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param name The name; may be empty.
/// @param type The datatype of coordinates.
/// @param dim_domain Both ends of the domain, lower first, both included; null for text.
/// @param tile_extent The number of coordinates in a tile; null for text, and for one tile as large as the domain,
///   which it becomes when the domain is set on a schema.
/// @param dim Receives the dimension, null on failure; free it with `tiledb_dimension_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
/// @param ctx The context; keeps the error if the call fails.
/// @param dimension The dimension.
/// @param out Receives the text; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
/// @param dim The handle; null afterwards. Null is accepted, and so is a pointer to null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_free(dim: *mut *mut tiledb_dimension_t) {
    handle::release(dim);
}

/// Gets the number of values per coordinate.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param cell_val_num Receives 1, or `TILEDB_VAR_NUM` for text.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param domain Receives both ends, lower first, which live as long as the handle; null for text.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_domain(
    ctx: *mut tiledb_ctx_t,
    dim: *const tiledb_dimension_t,
    domain: *mut *const c_void,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let dim = handle::borrow(dim)?;
        let place = arg::out(domain, "domain")?;
        let dimension = dim.dimension.read();
        let both = dimension.domain.as_ref().and_then(Range::both);
        place.set(both.map_or(std::ptr::null(), |both| dim.kept.value(both)));
        Ok(())
    })
}

/// Gets a copy of the filters of a dimension.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param filter_list Receives the copy; free it with `tiledb_filter_list_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param name Receives the name, which lives as long as the handle.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_name(
    ctx: *mut tiledb_ctx_t,
    dim: *const tiledb_dimension_t,
    name: *mut *const c_char,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let dim = handle::borrow(dim)?;
        arg::out(name, "name")?.set(dim.kept.text(&dim.dimension.read().name));
        Ok(())
    })
}

/// Gets the tile extent of a dimension.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param tile_extent Receives the extent, a value of the datatype, which lives as long as the handle; null if there
///   is none.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_tile_extent(
    ctx: *mut tiledb_ctx_t,
    dim: *const tiledb_dimension_t,
    tile_extent: *mut *const c_void,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let dim = handle::borrow(dim)?;
        let place = arg::out(tile_extent, "tile_extent")?;
        let extent = &dim.dimension.read().extent;
        place.set(
            extent
                .as_deref()
                .map_or(std::ptr::null(), |extent| dim.kept.value(extent)),
        );
        Ok(())
    })
}

/// Gets the datatype of the coordinates of a dimension.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param type Receives the datatype.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Sets the number of values per coordinate, which can only be what it is.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param cell_val_num 1, or `TILEDB_VAR_NUM` for text.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Sets the filters of the coordinates of a dimension. Without any, those of
/// `tiledb_array_schema_set_coords_filter_list` are used. It is an error if a filter does not take the datatype it
/// would get.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param filter_list The filters, copied.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
