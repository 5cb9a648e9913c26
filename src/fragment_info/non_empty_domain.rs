//! The non-empty domains of fragments: the ranges in which they have cells.

use tiledb_engine::inspect::{DimensionOf, RangeAsked};

use crate::ends::{Ends, Sizes, set_both};
use crate::prelude::*;

/// Gives the range of a dimension in which a fragment has cells, by the index of the dimension.
///
/// For dimensions of fixed size; a string dimension is an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param did The index of the dimension, from 0.
/// @param domain Receives both ends, one after the other, in the type of the dimension.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_non_empty_domain_from_index(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    did: u32,
    domain: *mut c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = arg::out(domain.cast(), "domain")?;
        let dimension = DimensionOf::Index(did);
        let range = info.non_empty_range(fid, dimension, RangeAsked::Fixed)?;
        set_both(to, &range);
        Ok(())
    })
}

/// Gives the range of a dimension in which a fragment has cells, by the name of the dimension.
///
/// For dimensions of fixed size; a string dimension is an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param dim_name The name of the dimension.
/// @param domain Receives both ends, one after the other, in the type of the dimension.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_non_empty_domain_from_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    dim_name: *const c_char,
    domain: *mut c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = arg::out(domain.cast(), "domain")?;
        let dimension = DimensionOf::Name(arg::optional_text(dim_name, "dim_name")?);
        let range = info.non_empty_range(fid, dimension, RangeAsked::Fixed)?;
        set_both(to, &range);
        Ok(())
    })
}

/// Gives the range of a string dimension in which a fragment has cells, by the index of the dimension.
///
/// Ask for the sizes first. A dimension of fixed size is an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param did The index of the dimension, from 0.
/// @param start Receives the lower end.
/// @param end Receives the upper end.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_non_empty_domain_var_from_index(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    did: u32,
    start: *mut c_void,
    end: *mut c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = Ends::at(start, end)?;
        let dimension = DimensionOf::Index(did);
        let range = info.non_empty_range(fid, dimension, RangeAsked::Var)?;
        to.set(&range);
        Ok(())
    })
}

/// Gives the range of a string dimension in which a fragment has cells, by the name of the dimension.
///
/// Ask for the sizes first. A dimension of fixed size is an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param dim_name The name of the dimension.
/// @param start Receives the lower end.
/// @param end Receives the upper end.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_non_empty_domain_var_from_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    dim_name: *const c_char,
    start: *mut c_void,
    end: *mut c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = Ends::at(start, end)?;
        let dimension = DimensionOf::Name(arg::optional_text(dim_name, "dim_name")?);
        let range = info.non_empty_range(fid, dimension, RangeAsked::Var)?;
        to.set(&range);
        Ok(())
    })
}

/// Gives the sizes of the ends that `tiledb_fragment_info_get_non_empty_domain_var_from_index` gives.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param did The index of the dimension, from 0.
/// @param start_size Receives the size of the lower end in bytes.
/// @param end_size Receives the size of the upper end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_non_empty_domain_var_size_from_index(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    did: u32,
    start_size: *mut u64,
    end_size: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = Sizes::at(start_size, end_size)?;
        let dimension = DimensionOf::Index(did);
        let range = info.non_empty_range(fid, dimension, RangeAsked::VarSize)?;
        to.set(Some(&range));
        Ok(())
    })
}

/// Gives the sizes of the ends that `tiledb_fragment_info_get_non_empty_domain_var_from_name` gives.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param dim_name The name of the dimension.
/// @param start_size Receives the size of the lower end in bytes.
/// @param end_size Receives the size of the upper end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_non_empty_domain_var_size_from_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    dim_name: *const c_char,
    start_size: *mut u64,
    end_size: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = Sizes::at(start_size, end_size)?;
        let dimension = DimensionOf::Name(arg::optional_text(dim_name, "dim_name")?);
        let range = info.non_empty_range(fid, dimension, RangeAsked::VarSize)?;
        to.set(Some(&range));
        Ok(())
    })
}
