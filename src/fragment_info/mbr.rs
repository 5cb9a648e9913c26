//! The bounding rectangles of the tiles of sparse fragments.

use tiledb_engine::inspect::{DimensionOf, RangeAsked};

use crate::ends::{Ends, Sizes, set_both};
use crate::prelude::*;

/// Says how many bounding rectangles a fragment has: one per tile in a sparse one, none in a dense one.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param mbr_num Receives the count.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_num(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mbr_num: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = arg::out(mbr_num, "mbr_num")?;
        to.set(info.mbr_num(fid)?);
        Ok(())
    })
}

/// Gives the range of a dimension in the bounding rectangle of a tile, by the index of the dimension.
///
/// For dimensions of fixed size in sparse fragments; anything else is an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param mid The index of the rectangle, from 0.
/// @param did The index of the dimension, from 0.
/// @param mbr Receives both ends, one after the other, in the type of the dimension.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_from_index(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    did: u32,
    mbr: *mut c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = arg::out(mbr.cast(), "mbr")?;
        let dimension = DimensionOf::Index(did);
        let range = info.mbr_range(fid, mid, dimension, RangeAsked::Fixed)?;
        set_both(to, &range);
        Ok(())
    })
}

/// Gives the range of a dimension in the bounding rectangle of a tile, by the name of the dimension.
///
/// For dimensions of fixed size in sparse fragments; anything else is an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param mid The index of the rectangle, from 0.
/// @param dim_name The name of the dimension.
/// @param mbr Receives both ends, one after the other, in the type of the dimension.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_from_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    dim_name: *const c_char,
    mbr: *mut c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = arg::out(mbr.cast(), "mbr")?;
        let dimension = DimensionOf::Name(arg::optional_text(dim_name, "dim_name")?);
        let range = info.mbr_range(fid, mid, dimension, RangeAsked::Fixed)?;
        set_both(to, &range);
        Ok(())
    })
}

/// Gives the range of a string dimension in the bounding rectangle of a tile, by the index of the dimension.
///
/// Ask for the sizes first. A dimension of fixed size is an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param mid The index of the rectangle, from 0.
/// @param did The index of the dimension, from 0.
/// @param start Receives the lower end.
/// @param end Receives the upper end.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_var_from_index(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    did: u32,
    start: *mut c_void,
    end: *mut c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = Ends::at(start, end)?;
        let dimension = DimensionOf::Index(did);
        let range = info.mbr_range(fid, mid, dimension, RangeAsked::Var)?;
        to.set(&range);
        Ok(())
    })
}

/// Gives the range of a string dimension in the bounding rectangle of a tile, by the name of the dimension.
///
/// Ask for the sizes first. A dimension of fixed size is an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param mid The index of the rectangle, from 0.
/// @param dim_name The name of the dimension.
/// @param start Receives the lower end.
/// @param end Receives the upper end.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_var_from_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    dim_name: *const c_char,
    start: *mut c_void,
    end: *mut c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = Ends::at(start, end)?;
        let dimension = DimensionOf::Name(arg::optional_text(dim_name, "dim_name")?);
        let range = info.mbr_range(fid, mid, dimension, RangeAsked::Var)?;
        to.set(&range);
        Ok(())
    })
}

/// Gives the sizes of the ends that `tiledb_fragment_info_get_mbr_var_from_index` gives.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param mid The index of the rectangle, from 0.
/// @param did The index of the dimension, from 0.
/// @param start_size Receives the size of the lower end in bytes.
/// @param end_size Receives the size of the upper end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_var_size_from_index(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    did: u32,
    start_size: *mut u64,
    end_size: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = Sizes::at(start_size, end_size)?;
        let dimension = DimensionOf::Index(did);
        let range = info.mbr_range(fid, mid, dimension, RangeAsked::VarSize)?;
        to.set(Some(&range));
        Ok(())
    })
}

/// Gives the sizes of the ends that `tiledb_fragment_info_get_mbr_var_from_name` gives.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param mid The index of the rectangle, from 0.
/// @param dim_name The name of the dimension.
/// @param start_size Receives the size of the lower end in bytes.
/// @param end_size Receives the size of the upper end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_var_size_from_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    dim_name: *const c_char,
    start_size: *mut u64,
    end_size: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = Sizes::at(start_size, end_size)?;
        let dimension = DimensionOf::Name(arg::optional_text(dim_name, "dim_name")?);
        let range = info.mbr_range(fid, mid, dimension, RangeAsked::VarSize)?;
        to.set(Some(&range));
        Ok(())
    })
}
