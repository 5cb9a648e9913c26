//! Estimated sizes of the results of reads.

use crate::prelude::*;

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
        let query = handle::borrow(query)?.query();
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
        let query = handle::borrow(query)?.query();
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
        let query = handle::borrow(query)?.query();
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
        let query = handle::borrow(query)?.query();
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
