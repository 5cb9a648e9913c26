//! How large the buffers of a read will have to be.

use crate::prelude::*;

/// The field that is asked for.
unsafe fn field<'a>(name: *const c_char) -> Result<&'a str> {
    // SAFETY: the caller's contract.
    unsafe { arg::text_or(name, "name", "Pointer to field name may not be NULL") }
}

/// The place of an answer, which programs know by these words.
unsafe fn place(size: *mut u64, words: &str) -> Result<arg::Out<u64>> {
    // SAFETY: the caller's contract.
    unsafe { arg::out(size, words) }.map_err(|_| {
        let message = format!("Pointer to {words} may not be NULL");
        Error::usage("C API", message)
    })
}

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
    entry::with_context(ctx, |_ctx| {
        let query = handle::borrow(query)?.query();
        let field = field(name)?;
        let to_data = place(size, "size")?;
        let sizes = query.estimate(field, false, false)?;
        to_data.set(sizes.data);
        Ok(())
    })
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
    entry::with_context(ctx, |_ctx| {
        let query = handle::borrow(query)?.query();
        let field = field(name)?;
        let (to_data, to_validity) = (
            place(size_val, "value size")?,
            place(size_validity, "validity size")?,
        );
        let sizes = query.estimate(field, false, true)?;
        to_data.set(sizes.data);
        to_validity.set(sizes.validity);
        Ok(())
    })
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
    entry::with_context(ctx, |_ctx| {
        let query = handle::borrow(query)?.query();
        let field = field(name)?;
        let (to_offsets, to_data) = (
            place(size_off, "offset size")?,
            place(size_val, "value size")?,
        );
        let sizes = query.estimate(field, true, false)?;
        to_offsets.set(sizes.offsets);
        to_data.set(sizes.data);
        Ok(())
    })
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
    entry::with_context(ctx, |_ctx| {
        let query = handle::borrow(query)?.query();
        let field = field(name)?;
        let (to_offsets, to_data, to_validity) = (
            place(size_off, "offset size")?,
            place(size_val, "value size")?,
            place(size_validity, "validity size")?,
        );
        let sizes = query.estimate(field, true, true)?;
        to_offsets.set(sizes.offsets);
        to_data.set(sizes.data);
        to_validity.set(sizes.validity);
        Ok(())
    })
}
