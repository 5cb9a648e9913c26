//! The non-empty domains of fragments.

use tiledb_engine::internal::array::{DimensionKey, RangeRequest};

use crate::prelude::*;
use crate::range_output::{EndPointers, SizePointers, set_both};

/// Gets the non-empty domain of a fragment for a dimension, which is selected by index.
///
/// It is an error if the dimension has a variable size.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param did The index of the dimension, starting at 0.
/// @param domain Buffer for two values of the datatype of the dimension, which receives both ends.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let dimension = Some(DimensionKey::Index(did));
        let range = info.non_empty_range(fid, dimension, RangeRequest::Fixed)?;
        set_both(to, &range);
        Ok(())
    })
}

/// Gets the non-empty domain of a fragment for a dimension, which is selected by name.
///
/// It is an error if the dimension has a variable size.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param dim_name The name of the dimension.
/// @param domain Buffer for two values of the datatype of the dimension, which receives both ends.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let dimension = arg::optional_text(dim_name, "dim_name")?.map(DimensionKey::Name);
        let range = info.non_empty_range(fid, dimension, RangeRequest::Fixed)?;
        set_both(to, &range);
        Ok(())
    })
}

/// Gets the non-empty domain of a fragment for a variable-size dimension, which is selected by
/// index.
///
/// Get the sizes of both ends first. It is an error if the dimension has a fixed size.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param did The index of the dimension, starting at 0.
/// @param start Buffer that receives the lower end.
/// @param end Buffer that receives the upper end.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let to = EndPointers::new(start, end)?;
        let dimension = Some(DimensionKey::Index(did));
        let range = info.non_empty_range(fid, dimension, RangeRequest::Var)?;
        to.set(&range);
        Ok(())
    })
}

/// Gets the non-empty domain of a fragment for a variable-size dimension, which is selected by
/// name.
///
/// Get the sizes of both ends first. It is an error if the dimension has a fixed size.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param dim_name The name of the dimension.
/// @param start Buffer that receives the lower end.
/// @param end Buffer that receives the upper end.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let to = EndPointers::new(start, end)?;
        let dimension = arg::optional_text(dim_name, "dim_name")?.map(DimensionKey::Name);
        let range = info.non_empty_range(fid, dimension, RangeRequest::Var)?;
        to.set(&range);
        Ok(())
    })
}

/// Gets the sizes for `tiledb_fragment_info_get_non_empty_domain_var_from_index`.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param did The index of the dimension, starting at 0.
/// @param start_size Set to the size of the lower end in bytes.
/// @param end_size Set to the size of the upper end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let to = SizePointers::new(start_size, end_size)?;
        let dimension = Some(DimensionKey::Index(did));
        let range = info.non_empty_range(fid, dimension, RangeRequest::VarSize)?;
        to.set(Some(&range));
        Ok(())
    })
}

/// Gets the sizes for `tiledb_fragment_info_get_non_empty_domain_var_from_name`.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param dim_name The name of the dimension.
/// @param start_size Set to the size of the lower end in bytes.
/// @param end_size Set to the size of the upper end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let to = SizePointers::new(start_size, end_size)?;
        let dimension = arg::optional_text(dim_name, "dim_name")?.map(DimensionKey::Name);
        let range = info.non_empty_range(fid, dimension, RangeRequest::VarSize)?;
        to.set(Some(&range));
        Ok(())
    })
}
