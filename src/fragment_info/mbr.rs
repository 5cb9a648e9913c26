//! The minimum bounding rectangles (MBRs) of the tiles of sparse fragments.

use tiledb_engine::internal::array::{DimensionKey, RangeRequest};
use tiledb_engine::internal::error::FragmentInfoError;
use tiledb_engine::internal::types::Range;

use crate::prelude::*;
use crate::range_output::{EndPointers, SizePointers, set_both};

impl tiledb_fragment_info_t {
    /// Writes a bound of a tile in global order to the buffers of the caller.
    unsafe fn put_order_bound(
        &self,
        fragment: u32,
        tile: u32,
        sizes: *mut usize,
        buffers: *mut *mut c_void,
        bound: fn(&Range) -> &[u8],
    ) -> Result<()> {
        let bounds = self.info.order_bounds(fragment, tile)?;
        if sizes.is_null() && bounds.iter().any(Range::is_var) {
            return Err(FragmentInfoError::NoBoundSizes.into());
        }
        for (dim, range) in bounds.iter().enumerate() {
            let bytes = bound(range);
            // SAFETY: the arrays have an element for each dimension, and each buffer is large
            // enough, by the contract of the function.
            unsafe {
                if !sizes.is_null() {
                    sizes.add(dim).write(bytes.len());
                }
                if let Ok(to) = arg::out((*buffers.add(dim)).cast(), "dimensions") {
                    to.set_all(bytes);
                }
            }
        }
        Ok(())
    }
}

/// Gets the number of MBRs of a fragment: the number of tiles of a sparse fragment, 0 for a dense
/// one.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param mbr_num Set to the count.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Gets the range of a dimension in the MBR of a tile. The dimension is selected by index.
///
/// It is an error if the dimension has a variable size or the fragment is dense.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param mid The index of the tile, starting at 0.
/// @param did The index of the dimension, starting at 0.
/// @param mbr Buffer for two values of the datatype of the dimension, which receives both ends.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let dimension = Some(DimensionKey::Index(did));
        let range = info.mbr_range(fid, mid, dimension, RangeRequest::Fixed)?;
        set_both(to, &range);
        Ok(())
    })
}

/// Gets the range of a dimension in the MBR of a tile. The dimension is selected by name.
///
/// It is an error if the dimension has a variable size or the fragment is dense.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param mid The index of the tile, starting at 0.
/// @param dim_name The name of the dimension.
/// @param mbr Buffer for two values of the datatype of the dimension, which receives both ends.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let dimension = arg::optional_text(dim_name, "dim_name")?.map(DimensionKey::Name);
        let range = info.mbr_range(fid, mid, dimension, RangeRequest::Fixed)?;
        set_both(to, &range);
        Ok(())
    })
}

/// Gets the range of a variable-size dimension in the MBR of a tile. The dimension is selected by
/// index.
///
/// Get the sizes of both ends first. It is an error if the dimension has a fixed size.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param mid The index of the tile, starting at 0.
/// @param did The index of the dimension, starting at 0.
/// @param start Buffer that receives the lower end.
/// @param end Buffer that receives the upper end.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let to = EndPointers::new(start, end)?;
        let dimension = Some(DimensionKey::Index(did));
        let range = info.mbr_range(fid, mid, dimension, RangeRequest::Var)?;
        to.set(&range);
        Ok(())
    })
}

/// Gets the range of a variable-size dimension in the MBR of a tile. The dimension is selected by
/// name.
///
/// Get the sizes of both ends first. It is an error if the dimension has a fixed size.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param mid The index of the tile, starting at 0.
/// @param dim_name The name of the dimension.
/// @param start Buffer that receives the lower end.
/// @param end Buffer that receives the upper end.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let to = EndPointers::new(start, end)?;
        let dimension = arg::optional_text(dim_name, "dim_name")?.map(DimensionKey::Name);
        let range = info.mbr_range(fid, mid, dimension, RangeRequest::Var)?;
        to.set(&range);
        Ok(())
    })
}

/// Gets the sizes for `tiledb_fragment_info_get_mbr_var_from_index`.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param mid The index of the tile, starting at 0.
/// @param did The index of the dimension, starting at 0.
/// @param start_size Set to the size of the lower end in bytes.
/// @param end_size Set to the size of the upper end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let to = SizePointers::new(start_size, end_size)?;
        let dimension = Some(DimensionKey::Index(did));
        let range = info.mbr_range(fid, mid, dimension, RangeRequest::VarSize)?;
        to.set(Some(&range));
        Ok(())
    })
}

/// Gets the sizes for `tiledb_fragment_info_get_mbr_var_from_name`.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param mid The index of the tile, starting at 0.
/// @param dim_name The name of the dimension.
/// @param start_size Set to the size of the lower end in bytes.
/// @param end_size Set to the size of the upper end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let to = SizePointers::new(start_size, end_size)?;
        let dimension = arg::optional_text(dim_name, "dim_name")?.map(DimensionKey::Name);
        let range = info.mbr_range(fid, mid, dimension, RangeRequest::VarSize)?;
        to.set(Some(&range));
        Ok(())
    })
}

/// Gets the lower bound of a tile in global order: the coordinates of its first cell. Sparse
/// fragments store it since format version 23.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param mid The index of the tile, starting at 0.
/// @param dimension_sizes Array with an element for each dimension, each of which is set to the
///   size of the coordinate in bytes. May be null unless a dimension has a variable size.
/// @param dimensions Array with a buffer for each dimension, which must be large enough for the
///   coordinate: call the function first with null elements to get the sizes. Null elements are
///   skipped.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_global_order_lower_bound(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    dimension_sizes: *mut usize,
    dimensions: *mut *mut c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = handle::borrow(fragment_info)?;
        arg::out(dimensions, "dimensions")?;
        info.put_order_bound(fid, mid, dimension_sizes, dimensions, Range::start)
    })
}

/// Gets the upper bound of a tile in global order: the coordinates of its last cell. Sparse
/// fragments store it since format version 23.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param mid The index of the tile, starting at 0.
/// @param dimension_sizes Array with an element for each dimension, each of which is set to the
///   size of the coordinate in bytes. May be null unless a dimension has a variable size.
/// @param dimensions Array with a buffer for each dimension, which must be large enough for the
///   coordinate: call the function first with null elements to get the sizes. Null elements are
///   skipped.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_global_order_upper_bound(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    dimension_sizes: *mut usize,
    dimensions: *mut *mut c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = handle::borrow(fragment_info)?;
        arg::out(dimensions, "dimensions")?;
        info.put_order_bound(fid, mid, dimension_sizes, dimensions, Range::end)
    })
}
