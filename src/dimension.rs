//! Dimensions: name, datatype, domain, tile extent.

use tiledb_engine::filter::FilterList;
use tiledb_engine::schema::{Dimension, Shared, shared};
use tiledb_engine::types::Range;

use crate::prelude::*;

/// A dimension; changes are seen by the domain it was added to.
pub struct tiledb_dimension_handle_t {
    pub(crate) dimension: Shared<Dimension>,
    kept: kept::Kept,
}

impl tiledb_dimension_handle_t {
    /// A handle of its own for a dimension.
    pub(crate) fn new(dimension: Shared<Dimension>) -> Self {
        Self {
            dimension,
            kept: kept::Kept::default(),
        }
    }
}

/// Bytes that may be left out.
unsafe fn optional<'a>(value: *const c_void, size: u64) -> Result<Option<&'a [u8]>> {
    if value.is_null() {
        return Ok(None);
    }
    // SAFETY: not null; the contract of this layer.
    unsafe { arg::bytes(value, size, "value").map(Some) }
}
/// The name C programs use.
pub type tiledb_dimension_t = tiledb_dimension_handle_t;

/// Makes a dimension. Free it with `tiledb_dimension_free`.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param name The name; may be empty.
/// @param type_ The datatype: an integer, a real, a date or time, or ASCII text.
/// @param dim_domain The first and the last coordinate, both included; null for text.
/// @param tile_extent How many coordinates a tile has; may be null.
/// @param dim Receives the dimension, which the caller owns.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_alloc(
    ctx: *mut tiledb_ctx_t,
    name: *const c_char,
    type_: tiledb_datatype_t,
    dim_domain: *const c_void,
    tile_extent: *const c_void,
    dim: *mut *mut tiledb_dimension_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            if name.is_null() {
                return Err(Error::usage("C API", "Dimension name must not be NULL"));
            }
            let datatype = arg::datatype(type_)?;
            let size = datatype.size() as u64;
            let domain = optional(dim_domain, 2 * size)?;
            let extent = optional(tile_extent, size)?;
            let made = Dimension::new(arg::text(name, "name")?, datatype, domain, extent)?;
            handle::make(dim, "dim", tiledb_dimension_handle_t::new(shared(made)))
        })
    }
}

/// Describes a dimension as text.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dimension The dimension.
/// @param out Receives the text, which the caller owns.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_dump_str(
    ctx: *mut tiledb_ctx_t,
    dimension: *const tiledb_dimension_t,
    out: *mut *mut tiledb_string_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let text = handle::borrow(dimension)?.dimension.read().to_string();
            handle::make(out, "out", tiledb_string_t::new(text))
        })
    }
}

/// Frees a dimension and sets the pointer to null. Null is fine at both levels; domains keep what
/// was added.
///
/// @param dim The dimension to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_free(dim: *mut *mut tiledb_dimension_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        handle::release(dim);
    }
}

/// Tells how many values a coordinate has: 1, or `TILEDB_VAR_NUM` for text.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param cell_val_num Receives the number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    dim: *const tiledb_dimension_t,
    cell_val_num: *mut u32,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let found = handle::borrow(dim)?.dimension.read().cell_val_num;
            arg::out(cell_val_num, "cell_val_num")?.set(found);
            Ok(())
        })
    }
}

/// Lends the domain of a dimension: the first and the last coordinate, both included.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param domain Receives a pointer to them, valid as long as the dimension; null for text.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_domain(
    ctx: *mut tiledb_ctx_t,
    dim: *const tiledb_dimension_t,
    domain: *mut *const c_void,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let dim = handle::borrow(dim)?.dimension.read();
            let found = dim.domain.as_ref().and_then(Range::both);
            arg::out(domain, "domain")?
                .set(found.map_or(std::ptr::null(), |ends| ends.as_ptr().cast()));
            Ok(())
        })
    }
}

/// Makes a copy of the filters of the coordinates.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param filter_list Receives the filters, which the caller owns.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_filter_list(
    ctx: *mut tiledb_ctx_t,
    dim: *mut tiledb_dimension_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let filters = handle::borrow(dim)?.dimension.read().filters.clone();
            let list = tiledb_filter_list_t::new(FilterList::clone(&filters));
            handle::make(filter_list, "filter_list", list)
        })
    }
}

/// Lends the name of a dimension.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param name Receives the name, valid as long as the dimension.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_name(
    ctx: *mut tiledb_ctx_t,
    dim: *const tiledb_dimension_t,
    name: *mut *const c_char,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let dim = handle::borrow(dim)?;
            arg::out(name, "name")?.set(dim.kept.text(&dim.dimension.read().name));
            Ok(())
        })
    }
}

/// Lends the tile extent of a dimension.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param tile_extent Receives a pointer to it, valid as long as the dimension; null where there is
///   none.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_tile_extent(
    ctx: *mut tiledb_ctx_t,
    dim: *const tiledb_dimension_t,
    tile_extent: *mut *const c_void,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let dim = handle::borrow(dim)?.dimension.read();
            let found = dim.extent.as_ref();
            let found = found.map_or(std::ptr::null(), |extent| extent.as_ptr().cast());
            arg::out(tile_extent, "tile_extent")?.set(found);
            Ok(())
        })
    }
}

/// Tells the datatype of a dimension.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param type_ Receives the datatype.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_type(
    ctx: *mut tiledb_ctx_t,
    dim: *const tiledb_dimension_t,
    type_: *mut tiledb_datatype_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let datatype = handle::borrow(dim)?.dimension.read().datatype;
            arg::out(type_, "type")?.set(datatype.code().into());
            Ok(())
        })
    }
}

/// Sets how many values a coordinate has, which can only be 1, or `TILEDB_VAR_NUM` for text.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param cell_val_num The number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_set_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    dim: *mut tiledb_dimension_t,
    cell_val_num: u32,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            handle::borrow(dim)?
                .dimension
                .write()
                .set_cell_val_num(cell_val_num)
        })
    }
}

/// Sets the filters of the coordinates; the dimension keeps a copy.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param filter_list The filters.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_set_filter_list(
    ctx: *mut tiledb_ctx_t,
    dim: *mut tiledb_dimension_t,
    filter_list: *mut tiledb_filter_list_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let dim = handle::borrow(dim)?;
            let filters = handle::borrow(filter_list)?.filters();
            dim.dimension.write().set_filters(filters)
        })
    }
}
