//! How large the buffers of a read will have to be.

use crate::prelude::*;

/// Estimates how many bytes a read delivers for a field of fixed size.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param name The field: an attribute or a dimension.
/// @param size Receives the bytes of the values.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_est_result_size(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    name: *const c_char,
    size: *mut u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let query = handle::borrow(query)?.query();
            let to_data = arg::out(size, "size")?;
            let sizes = query.estimate(arg::text(name, "name")?, false, false)?;
            to_data.set(sizes.data);
            Ok(())
        })
    }
}

/// Estimates how many bytes a read delivers for a nullable attribute of fixed size.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param name The field: an attribute or a dimension.
/// @param size_val Receives the bytes of the values.
/// @param size_validity Receives the bytes of the validity.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_est_result_size_nullable(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    name: *const c_char,
    size_val: *mut u64,
    size_validity: *mut u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let query = handle::borrow(query)?.query();
            let (to_data, to_validity) = (
                arg::out(size_val, "size_val")?,
                arg::out(size_validity, "size_validity")?,
            );
            let sizes = query.estimate(arg::text(name, "name")?, false, true)?;
            to_data.set(sizes.data);
            to_validity.set(sizes.validity);
            Ok(())
        })
    }
}

/// Estimates how many bytes a read delivers for a field of variable size.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param name The field: an attribute or a dimension.
/// @param size_off Receives the bytes of the offsets.
/// @param size_val Receives the bytes of the values.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_est_result_size_var(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    name: *const c_char,
    size_off: *mut u64,
    size_val: *mut u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let query = handle::borrow(query)?.query();
            let (to_offsets, to_data) = (
                arg::out(size_off, "size_off")?,
                arg::out(size_val, "size_val")?,
            );
            let sizes = query.estimate(arg::text(name, "name")?, true, false)?;
            to_offsets.set(sizes.offsets);
            to_data.set(sizes.data);
            Ok(())
        })
    }
}

/// Estimates how many bytes a read delivers for a nullable attribute of variable size.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param name The field: an attribute or a dimension.
/// @param size_off Receives the bytes of the offsets.
/// @param size_val Receives the bytes of the values.
/// @param size_validity Receives the bytes of the validity.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_est_result_size_var_nullable(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    name: *const c_char,
    size_off: *mut u64,
    size_val: *mut u64,
    size_validity: *mut u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let query = handle::borrow(query)?.query();
            let (to_offsets, to_data, to_validity) = (
                arg::out(size_off, "size_off")?,
                arg::out(size_val, "size_val")?,
                arg::out(size_validity, "size_validity")?,
            );
            let sizes = query.estimate(arg::text(name, "name")?, true, true)?;
            to_offsets.set(sizes.offsets);
            to_data.set(sizes.data);
            to_validity.set(sizes.validity);
            Ok(())
        })
    }
}
