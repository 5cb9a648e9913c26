//! Filter lists: what is done to the data of a field on its way to storage.

use std::sync::Arc;

use parking_lot::Mutex;
use tiledb_engine::filter::FilterList;

use crate::prelude::*;

/// Filters in the order of writing.
pub struct tiledb_filter_list_handle_t {
    pub(crate) list: Mutex<FilterList>,
}

impl tiledb_filter_list_handle_t {
    /// A handle of its own for a list.
    pub(crate) fn new(list: FilterList) -> Self {
        Self {
            list: Mutex::new(list),
        }
    }

    /// The list as it is now.
    pub(crate) fn filters(&self) -> Arc<FilterList> {
        Arc::new(self.list.lock().clone())
    }
}
/// The name C programs use.
pub type tiledb_filter_list_t = tiledb_filter_list_handle_t;

/// Appends a copy of a filter. Filters run in order when writing, and backwards when reading.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param filter_list The filter list.
/// @param filter The filter.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_add_filter(
    ctx: *mut tiledb_ctx_t,
    filter_list: *mut tiledb_filter_list_t,
    filter: *mut tiledb_filter_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let list = handle::borrow(filter_list)?;
            let filter = handle::borrow(filter)?.filter.lock().clone();
            list.list.lock().filters.push(filter);
            Ok(())
        })
    }
}

/// Makes an empty filter list. Free it with `tiledb_filter_list_free`.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param filter_list Receives the list, which the caller owns.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_alloc(
    ctx: *mut tiledb_ctx_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            handle::make(
                filter_list,
                "filter_list",
                tiledb_filter_list_handle_t::new(FilterList::default()),
            )
        })
    }
}

/// Frees a filter list and sets the pointer to null. Null is fine at both levels.
///
/// @param filter_list The list to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_free(filter_list: *mut *mut tiledb_filter_list_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        handle::release(filter_list);
    }
}

/// Makes a copy of a filter of a list.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param filter_list The filter list.
/// @param index The index, from 0.
/// @param filter Receives the filter, which the caller owns.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_get_filter_from_index(
    ctx: *mut tiledb_ctx_t,
    filter_list: *const tiledb_filter_list_t,
    index: u32,
    filter: *mut *mut tiledb_filter_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let list = handle::borrow(filter_list)?.list.lock();
            let found = list.filters.get(index as usize).cloned().ok_or_else(|| {
                let number = list.filters.len();
                let message =
                    format!("Filter {index} out of bounds, filter list has {number} filters.");
                Error::usage("C API", message)
            })?;
            handle::make(filter, "filter", tiledb_filter_t::new(found))
        })
    }
}

/// Tells the largest chunk of a tile that is filtered at once.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param filter_list The filter list.
/// @param max_chunk_size Receives the size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_get_max_chunk_size(
    ctx: *mut tiledb_ctx_t,
    filter_list: *const tiledb_filter_list_t,
    max_chunk_size: *mut u32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let size = handle::borrow(filter_list)?.list.lock().max_chunk_size;
            arg::out(max_chunk_size, "max_chunk_size")?.set(size);
            Ok(())
        })
    }
}

/// Tells how many filters are in a list.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param filter_list The filter list.
/// @param nfilters Receives the number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_get_nfilters(
    ctx: *mut tiledb_ctx_t,
    filter_list: *const tiledb_filter_list_t,
    nfilters: *mut u32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let number = handle::borrow(filter_list)?.list.lock().filters.len();
            arg::out(nfilters, "nfilters")?.set(number as u32);
            Ok(())
        })
    }
}

/// Sets the largest chunk of a tile that is filtered at once, in bytes; 0 filters tiles whole.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param filter_list The filter list.
/// @param max_chunk_size The size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_set_max_chunk_size(
    ctx: *mut tiledb_ctx_t,
    filter_list: *mut tiledb_filter_list_t,
    max_chunk_size: u32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            handle::borrow(filter_list)?.list.lock().max_chunk_size = max_chunk_size;
            Ok(())
        })
    }
}
