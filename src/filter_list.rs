//! Filter lists: filters in the order in which they are applied when writing.

use std::sync::Arc;

use tiledb_engine::internal::filter::FilterList;
use tiledb_engine::internal::platform::lock::RwLock;

use crate::filter::tiledb_filter_t;
use crate::prelude::*;

/// A list of filters. Attributes, dimensions and schemas copy the list when it is set on them.
pub struct tiledb_filter_list_handle_t {
    list: RwLock<FilterList>,
}
/// Name of the type in C programs.
pub type tiledb_filter_list_t = tiledb_filter_list_handle_t;

impl tiledb_filter_list_handle_t {
    /// Creates a handle that owns a filter list.
    pub(crate) fn new(list: FilterList) -> Self {
        Self {
            list: RwLock::new(list),
        }
    }

    /// Returns a copy of the list.
    pub(crate) fn get(&self) -> Arc<FilterList> {
        Arc::new(self.list.read().clone())
    }
}

fn out_of_bounds(index: u32, list: &FilterList) -> Error {
    let number = list.filters.len();
    let message = format!("Filter {index} out of bounds, filter list has {number} filters.");
    Error::usage("C API", message)
}

/// Appends a copy of a filter to a list. Writes apply the filters from first to last, reads in
/// reverse.
///
/// @param ctx The context; stores the error if the call fails.
/// @param filter_list The filter list.
/// @param filter The filter; the caller keeps ownership.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_add_filter(
    ctx: *mut tiledb_ctx_t,
    filter_list: *mut tiledb_filter_list_t,
    filter: *mut tiledb_filter_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let filter_list = handle::borrow(filter_list)?;
        let filter = handle::borrow(filter)?.filter.read().clone();
        filter_list.list.write().filters.push(filter);
        Ok(())
    })
}

/// Creates an empty filter list.
///
/// @param ctx The context; stores the error if the call fails.
/// @param filter_list Set to the list; free it with `tiledb_filter_list_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_alloc(
    ctx: *mut tiledb_ctx_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let new_handle = tiledb_filter_list_t::new(FilterList::default());
        handle::make(filter_list, "filter_list", new_handle)
    })
}

/// Frees a filter list.
///
/// @param filter_list Pointer to the handle, which is set to null. Null and a pointer to null are
///   ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_free(filter_list: *mut *mut tiledb_filter_list_t) {
    handle::release(filter_list);
}

/// Gets a copy of a filter of a list.
///
/// @param ctx The context; stores the error if the call fails.
/// @param filter_list The filter list.
/// @param index The index of the filter, starting at 0.
/// @param filter Set to the copy; free it with `tiledb_filter_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_get_filter_from_index(
    ctx: *mut tiledb_ctx_t,
    filter_list: *const tiledb_filter_list_t,
    index: u32,
    filter: *mut *mut tiledb_filter_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let list = handle::borrow(filter_list)?.get();
        let found = list
            .filters
            .get(index as usize)
            .ok_or_else(|| out_of_bounds(index, &list))?;
        handle::make(filter, "filter", tiledb_filter_t::new(found.clone()))
    })
}

/// Gets the maximum size of the chunks that filters process at once.
///
/// @param ctx The context; stores the error if the call fails.
/// @param filter_list The filter list.
/// @param max_chunk_size Set to the size in bytes; 0 if tiles are not divided into chunks.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_get_max_chunk_size(
    ctx: *mut tiledb_ctx_t,
    filter_list: *const tiledb_filter_list_t,
    max_chunk_size: *mut u32,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let filter_list = handle::borrow(filter_list)?;
        arg::out(max_chunk_size, "max_chunk_size")?.set(filter_list.list.read().max_chunk_size);
        Ok(())
    })
}

/// Gets the number of filters of a list.
///
/// @param ctx The context; stores the error if the call fails.
/// @param filter_list The filter list.
/// @param nfilters Set to the number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_get_nfilters(
    ctx: *mut tiledb_ctx_t,
    filter_list: *const tiledb_filter_list_t,
    nfilters: *mut u32,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let filter_list = handle::borrow(filter_list)?;
        arg::out(nfilters, "nfilters")?.set(filter_list.list.read().filters.len() as u32);
        Ok(())
    })
}

/// Sets the maximum size of the chunks that filters process at once.
///
/// 0 means that tiles are not divided into chunks. Any other value is stored with the list but has
/// no effect, as in libtiledb: chunks have 64 KiB, rounded to whole cells.
///
/// @param ctx The context; stores the error if the call fails.
/// @param filter_list The filter list.
/// @param max_chunk_size The size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_set_max_chunk_size(
    ctx: *mut tiledb_ctx_t,
    filter_list: *mut tiledb_filter_list_t,
    max_chunk_size: u32,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        handle::borrow(filter_list)?.list.write().max_chunk_size = max_chunk_size;
        Ok(())
    })
}
