<<<<<<< HEAD
//! Dimensions: name, datatype, domain, tile extent.

use tiledb_engine::filter::FilterList;
use tiledb_engine::schema::{Dimension, Shared, shared};
use tiledb_engine::types::Range;
=======
//! Dimensions: the axes of an array.
>>>>>>> model

use tiledb_engine::filter::FilterList;
use tiledb_engine::schema::{Dimension, Shared, shared};
use tiledb_engine::types::Range;

use crate::filter_list::tiledb_filter_list_t;
use crate::prelude::*;
use crate::string::tiledb_string_t;

<<<<<<< HEAD
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
=======
/// A dimension. A domain it was added to, and handles got from that, share it: what is set here shows there.
pub struct tiledb_dimension_handle_t {
    pub(crate) dimension: Shared<Dimension>,
    kept: kept::Kept,
>>>>>>> model
}
/// The name C programs use.
pub type tiledb_dimension_t = tiledb_dimension_handle_t;

<<<<<<< HEAD
/// Makes a dimension. Free it with `tiledb_dimension_free`.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param name The name; may be empty.
/// @param type_ The datatype: an integer, a real, a date or time, or ASCII text.
/// @param dim_domain The first and the last coordinate, both included; null for text.
/// @param tile_extent How many coordinates a tile has; may be null.
/// @param dim Receives the dimension, which the caller owns.
=======
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
/// @param type_ The datatype of coordinates.
/// @param dim_domain Both ends of the domain, lower first, both included; null for text.
/// @param tile_extent The number of coordinates in a tile; null for text, and for one tile as large as the domain,
///   which it becomes when the domain is set on a schema.
/// @param dim Receives the dimension; free it with `tiledb_dimension_free`.
>>>>>>> model
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
<<<<<<< HEAD
            if name.is_null() {
                return Err(Error::usage("C API", "Dimension name must not be NULL"));
            }
            let datatype = arg::datatype(type_)?;
            let size = datatype.size() as u64;
            let domain = optional(dim_domain, 2 * size)?;
            let extent = optional(tile_extent, size)?;
            let made = Dimension::new(arg::text(name, "name")?, datatype, domain, extent)?;
            handle::make(dim, "dim", tiledb_dimension_handle_t::new(shared(made)))
=======
            let name = arg::text_or(name, "Dimension name must not be NULL")?;
            let datatype = arg::datatype(type_)?;
            let domain = arg::optional_bytes(dim_domain, 2 * datatype.size());
            let extent = arg::optional_bytes(tile_extent, datatype.size());
            let dimension = Dimension::new(name, datatype, domain, extent)?;
            handle::make(dim, "dim", tiledb_dimension_t::new(shared(dimension)))
>>>>>>> model
        })
    }
}

/// Describes a dimension as text.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dimension The dimension.
<<<<<<< HEAD
/// @param out Receives the text, which the caller owns.
=======
/// @param out Receives the text; free it with `tiledb_string_free`.
>>>>>>> model
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

<<<<<<< HEAD
/// Frees a dimension and sets the pointer to null. Null is fine at both levels; domains keep what
/// was added.
///
/// @param dim The dimension to free.
=======
/// Frees a dimension. A domain it was added to keeps it.
///
/// @param dim The handle; null afterwards. Null is accepted, and so is a pointer to null.
>>>>>>> model
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_free(dim: *mut *mut tiledb_dimension_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        handle::release(dim);
    }
}

<<<<<<< HEAD
/// Tells how many values a coordinate has: 1, or `TILEDB_VAR_NUM` for text.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param cell_val_num Receives the number.
=======
/// Gets the number of values per coordinate.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param cell_val_num Receives 1, or `TILEDB_VAR_NUM` for text.
>>>>>>> model
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
<<<<<<< HEAD
            let found = handle::borrow(dim)?.dimension.read().cell_val_num;
            arg::out(cell_val_num, "cell_val_num")?.set(found);
=======
            let dim = handle::borrow(dim)?;
            arg::out(cell_val_num, "cell_val_num")?.set(dim.dimension.read().cell_val_num);
>>>>>>> model
            Ok(())
        })
    }
}

<<<<<<< HEAD
/// Lends the domain of a dimension: the first and the last coordinate, both included.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param domain Receives a pointer to them, valid as long as the dimension; null for text.
=======
/// Gets the domain of a dimension.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param domain Receives both ends, lower first, which live as long as the handle; null for text.
>>>>>>> model
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
<<<<<<< HEAD
            let dim = handle::borrow(dim)?.dimension.read();
            let found = dim.domain.as_ref().and_then(Range::both);
            arg::out(domain, "domain")?
                .set(found.map_or(std::ptr::null(), |ends| ends.as_ptr().cast()));
=======
            let dim = handle::borrow(dim)?;
            let place = arg::out(domain, "domain")?;
            let dimension = dim.dimension.read();
            let both = dimension.domain.as_ref().and_then(Range::both);
            place.set(both.map_or(std::ptr::null(), |both| dim.kept.value(both)));
>>>>>>> model
            Ok(())
        })
    }
}

<<<<<<< HEAD
/// Makes a copy of the filters of the coordinates.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param filter_list Receives the filters, which the caller owns.
=======
/// Gets a copy of the filters of a dimension.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param filter_list Receives the copy; free it with `tiledb_filter_list_free`.
>>>>>>> model
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
<<<<<<< HEAD
            let filters = handle::borrow(dim)?.dimension.read().filters.clone();
            let list = tiledb_filter_list_t::new(FilterList::clone(&filters));
            handle::make(filter_list, "filter_list", list)
=======
            let filters = FilterList::clone(&handle::borrow(dim)?.dimension.read().filters);
            handle::make(
                filter_list,
                "filter_list",
                tiledb_filter_list_t::new(filters),
            )
>>>>>>> model
        })
    }
}

<<<<<<< HEAD
/// Lends the name of a dimension.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param name Receives the name, valid as long as the dimension.
=======
/// Gets the name of a dimension.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param name Receives the name, which lives as long as the handle.
>>>>>>> model
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

<<<<<<< HEAD
/// Lends the tile extent of a dimension.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param tile_extent Receives a pointer to it, valid as long as the dimension; null where there is
///   none.
=======
/// Gets the tile extent of a dimension.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param tile_extent Receives the extent, a value of the datatype, which lives as long as the handle; null if there
///   is none.
>>>>>>> model
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
<<<<<<< HEAD
            let dim = handle::borrow(dim)?.dimension.read();
            let found = dim.extent.as_ref();
            let found = found.map_or(std::ptr::null(), |extent| extent.as_ptr().cast());
            arg::out(tile_extent, "tile_extent")?.set(found);
=======
            let dim = handle::borrow(dim)?;
            let place = arg::out(tile_extent, "tile_extent")?;
            let extent = &dim.dimension.read().extent;
            place.set(
                extent
                    .as_deref()
                    .map_or(std::ptr::null(), |extent| dim.kept.value(extent)),
            );
>>>>>>> model
            Ok(())
        })
    }
}

<<<<<<< HEAD
/// Tells the datatype of a dimension.
=======
/// Gets the datatype of the coordinates of a dimension.
>>>>>>> model
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
<<<<<<< HEAD
            let datatype = handle::borrow(dim)?.dimension.read().datatype;
            arg::out(type_, "type")?.set(datatype.code().into());
=======
            let dim = handle::borrow(dim)?;
            arg::out(type_, "type_")?.set(dim.dimension.read().datatype.code().into());
>>>>>>> model
            Ok(())
        })
    }
}

<<<<<<< HEAD
/// Sets how many values a coordinate has, which can only be 1, or `TILEDB_VAR_NUM` for text.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param cell_val_num The number.
=======
/// Sets the number of values per coordinate, which can only be what it is.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param cell_val_num 1, or `TILEDB_VAR_NUM` for text.
>>>>>>> model
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

<<<<<<< HEAD
/// Sets the filters of the coordinates; the dimension keeps a copy.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param filter_list The filters.
=======
/// Sets the filters of the coordinates of a dimension. Without any, those of
/// `tiledb_array_schema_set_coords_filter_list` are used. It is an error if a filter does not take the datatype it
/// would get.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param dim The dimension.
/// @param filter_list The filters, copied.
>>>>>>> model
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
<<<<<<< HEAD
            let filters = handle::borrow(filter_list)?.filters();
=======
            let filters = handle::borrow(filter_list)?.get();
>>>>>>> model
            dim.dimension.write().set_filters(filters)
        })
    }
}
