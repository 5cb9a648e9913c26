//! Estimated sizes of the results of reads, and the sizes of the buffers that they need.

use tiledb_engine::internal::buffers::NeededSizes;

use tiledb_engine::internal::platform::lock::{MappedMutexGuard, MutexGuard};
use tiledb_engine::internal::query::Query;

use super::QueryState;
use crate::prelude::*;

impl tiledb_query_t {
    /// Returns the query, with the estimates of the server that has the files of its array.
    unsafe fn estimated(&self) -> Result<MappedMutexGuard<'_, Query>> {
        let mut state = self.state.lock();
        // SAFETY: the caller keeps the buffers valid during the call.
        unsafe { state.load_estimates()? };
        Ok(MutexGuard::map(state, |state: &mut QueryState| {
            &mut state.query
        }))
    }
}

/// Reads the name of the field.
unsafe fn field<'a>(name: *const c_char) -> Result<&'a str> {
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    unsafe { arg::text_or(name, "name", "Pointer to field name may not be NULL") }
}

/// Checks an output pointer. Programs compare the text of the error.
unsafe fn size_output(size: *mut u64, words: &str) -> Result<arg::Out<u64>> {
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    unsafe { arg::out(size, words) }.map_err(|_| {
        let message = format!("Pointer to {words} may not be NULL");
        Error::usage("C API", message)
    })
}

/// Estimates the size of the results of a read for a fixed-size field.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param name The field: an attribute or a dimension.
/// @param size Set to the estimated size of the values in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_est_result_size(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    name: *const c_char,
    size: *mut u64,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let query = handle::borrow(query)?.estimated()?;
        let field = field(name)?;
        let to_data = size_output(size, "size")?;
        let sizes = query.estimate(field, false, false)?;
        to_data.set(sizes.data);
        Ok(())
    })
}

/// Estimates the sizes of the results of a read for a nullable fixed-size attribute.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param name The field: an attribute or a dimension.
/// @param size_val Set to the estimated size of the values in bytes.
/// @param size_validity Set to the estimated size of the validity in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_est_result_size_nullable(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    name: *const c_char,
    size_val: *mut u64,
    size_validity: *mut u64,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let query = handle::borrow(query)?.estimated()?;
        let field = field(name)?;
        let (to_data, to_validity) = (
            size_output(size_val, "value size")?,
            size_output(size_validity, "validity size")?,
        );
        let sizes = query.estimate(field, false, true)?;
        to_data.set(sizes.data);
        to_validity.set(sizes.validity);
        Ok(())
    })
}

/// Estimates the sizes of the results of a read for a variable-size field.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param name The field: an attribute or a dimension.
/// @param size_off Set to the estimated size of the offsets in bytes.
/// @param size_val Set to the estimated size of the values in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_est_result_size_var(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    name: *const c_char,
    size_off: *mut u64,
    size_val: *mut u64,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let query = handle::borrow(query)?.estimated()?;
        let field = field(name)?;
        let (to_offsets, to_data) = (
            size_output(size_off, "offset size")?,
            size_output(size_val, "value size")?,
        );
        let sizes = query.estimate(field, true, false)?;
        to_offsets.set(sizes.offsets);
        to_data.set(sizes.data);
        Ok(())
    })
}

/// Estimates the sizes of the results of a read for a nullable variable-size attribute.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param name The field: an attribute or a dimension.
/// @param size_off Set to the estimated size of the offsets in bytes.
/// @param size_val Set to the estimated size of the values in bytes.
/// @param size_validity Set to the estimated size of the validity in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_est_result_size_var_nullable(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    name: *const c_char,
    size_off: *mut u64,
    size_val: *mut u64,
    size_validity: *mut u64,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let query = handle::borrow(query)?.estimated()?;
        let field = field(name)?;
        let (to_offsets, to_data, to_validity) = (
            size_output(size_off, "offset size")?,
            size_output(size_val, "value size")?,
            size_output(size_validity, "validity size")?,
        );
        let sizes = query.estimate(field, true, true)?;
        to_offsets.set(sizes.offsets);
        to_data.set(sizes.data);
        to_validity.set(sizes.validity);
        Ok(())
    })
}

/// Extension: gets the sizes of the buffers of several fields that the next cells of a read need.
/// Before the first submit these are the first cells of the result; after an incomplete submit,
/// those that were not delivered yet; after the last one, none.
///
/// A submit with buffers of these sizes makes progress; with those of the complete result it
/// completes the read. The sizes are exact if the metadata of tiles suffices: for fields of a fixed
/// size in dense arrays always, otherwise if the ranges contain complete tiles of fragments that do
/// not overlap, and the statistics of tiles decide the condition. For few cells the offsets of
/// tiles are read. Sizes of offsets follow `sm.var_offsets.*`, except those of aggregates.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query, whose layout, ranges, condition and aggregates are set. It is not
///   started, and buffers need not be set.
/// @param names The names of `field_num` attributes, dimensions, dimension labels, or results of
///   aggregates.
/// @param field_num The number of fields.
/// @param cell_num The number of cells; `UINT64_MAX` for the complete remaining result.
/// @param sizes An array of `field_num` elements, set to the sizes in the order of `names`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`, for
///   example if a field does not exist or the query is not a read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_rs_query_get_needed_sizes(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    names: *const *const c_char,
    field_num: u64,
    cell_num: u64,
    sizes: *mut tiledb_rs_needed_sizes_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let query = handle::borrow(query)?.query();
        let names = arg::texts(names, field_num, "names")?;
        arg::out(sizes, "sizes")?;
        let needed = query.needed_sizes(&names, cell_num)?;
        for (index, needed) in needed.iter().enumerate() {
            arg::out(sizes.add(index), "sizes")?.set(c_sizes(needed));
        }
        Ok(())
    })
}

fn c_sizes(needed: &NeededSizes) -> tiledb_rs_needed_sizes_t {
    tiledb_rs_needed_sizes_t {
        cells: needed.cells,
        data: needed.sizes.data,
        offsets: needed.sizes.offsets,
        validity: needed.sizes.validity,
        is_exact: i32::from(needed.is_exact),
    }
}
