//! Query condition: which cells a query gives, or deletes, by their values.

use std::sync::Arc;

use tiledb_engine::condition::{Combination, Condition, Operator};
use tiledb_engine::platform::lock::Mutex;

use crate::prelude::*;

/// A comparison of a field with a value or a set, or a combination of conditions.
pub struct tiledb_query_condition_t {
    /// `None` until it says something.
    condition: Mutex<Option<Arc<Condition>>>,
}

/// `TILEDB_NOT`.
const NOT: u32 = 2;

fn misused(message: &str) -> Error {
    Error::usage("TileDB internal", message)
}

fn operator(code: tiledb_query_condition_op_t) -> Result<Operator> {
    Operator::from_code(code).ok_or_else(|| misused(&format!("Invalid Query Condition Op {code}")))
}

impl tiledb_query_condition_t {
    fn new(condition: Condition) -> Self {
        Self {
            condition: Mutex::new(Some(Arc::new(condition))),
        }
    }

    /// What it says; an error where that is nothing.
    pub(crate) fn condition(&self) -> Result<Arc<Condition>> {
        let said = self.condition.lock().clone();
        said.ok_or_else(|| misused("Query conditions must not be empty"))
    }
}

/// Makes a condition that says nothing yet; `tiledb_query_condition_init` says what.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param cond Receives the condition; free it with `tiledb_query_condition_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_alloc(
    ctx: *mut tiledb_ctx_t,
    cond: *mut *mut tiledb_query_condition_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let empty = tiledb_query_condition_t {
            condition: Mutex::new(None),
        };
        handle::make(cond, "cond", empty)
    })
}

/// The values of a set and where each starts.
unsafe fn set_values<'a>(
    data: *const c_void,
    data_size: u64,
    offsets: *const c_void,
    offsets_size: u64,
) -> Result<(&'a [u8], Vec<u64>)> {
    if data.is_null() && data_size != 0 {
        return Err(misused(
            "ASTNodeVal set membership data must not be nullptr",
        ));
    }
    if !data.is_null() && data_size == 0 {
        return Err(misused(
            "ASTNodeVal set membership data size must be greater than zero when data is provided.",
        ));
    }
    if offsets.is_null() {
        return Err(misused(
            "ASTNodeVal set membership offsets must not be nullptr",
        ));
    }
    if !offsets_size.is_multiple_of(8) {
        return Err(misused(
            "ASTNodeVal set membership offsets is not a multiple of uint64_t size.",
        ));
    }
    // SAFETY: the caller's contract.
    let (data, offsets) = unsafe {
        (
            arg::bytes(data, data_size, "data")?,
            arg::bytes(offsets, offsets_size, "offsets")?,
        )
    };
    Ok((data, offsets.chunks_exact(8).map(arg::offset).collect()))
}

/// Makes a condition that a field is one of a set of values, or none of them.
///
/// It is an error if the set is empty, if its size does not make whole values, or if `op` is another operator.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param field_name The name of the field; copied.
/// @param data The values, one after the other; copied. Labels, where the field uses an enumeration.
/// @param data_size Their size in bytes.
/// @param offsets Where each value starts, as `uint64_t` in bytes.
/// @param offests_size The size of the offsets in bytes.
/// @param op `TILEDB_IN` or `TILEDB_NOT_IN`.
/// @param cond Receives the condition; free it with `tiledb_query_condition_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_alloc_set_membership(
    ctx: *mut tiledb_ctx_t,
    field_name: *const c_char,
    data: *const c_void,
    data_size: u64,
    offsets: *const c_void,
    offests_size: u64,
    op: tiledb_query_condition_op_t,
    cond: *mut *mut tiledb_query_condition_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let missing = "QueryCondition field name must not be nullptr";
        let field = arg::text_or(field_name, "field_name", missing)?;
        let to = arg::out(cond, "cond")?;
        let (data, offsets) = set_values(data, data_size, offsets, offests_size)?;
        let made = Condition::is_one_of(field, operator(op)?, data, &offsets)?;
        to.give(tiledb_query_condition_t::new(made));
        Ok(())
    })
}

/// Makes one condition of two.
///
/// `TILEDB_NOT` takes one condition only: the left one, with null as the right one; or use
/// `tiledb_query_condition_negate`.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param left_cond One condition; stays the caller's.
/// @param right_cond The other; stays the caller's.
/// @param combination_op How they are combined.
/// @param combined_cond Receives the condition; free it with `tiledb_query_condition_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_combine(
    ctx: *mut tiledb_ctx_t,
    left_cond: *const tiledb_query_condition_t,
    right_cond: *const tiledb_query_condition_t,
    combination_op: tiledb_query_condition_combination_op_t,
    combined_cond: *mut *mut tiledb_query_condition_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let left = handle::borrow(left_cond)?;
        if combination_op == NOT {
            if !right_cond.is_null() {
                return Err(misused("A condition is negated alone"));
            }
            let opposite = left.condition()?.negate();
            let opposite = tiledb_query_condition_t::new(opposite);
            return handle::make(combined_cond, "combined_cond", opposite);
        }
        let right = handle::borrow(right_cond)?;
        let by = Combination::from_code(combination_op).ok_or_else(|| {
            let message = "Cannot combine query conditions; Only the 'AND' and 'OR' combination ops are supported in this function.";
            Error::usage("[TileDB::QueryCondition] Error", message)
        })?;
        let both = left.condition()?.combine(&right.condition()?, by)?;
        handle::make(
            combined_cond,
            "combined_cond",
            tiledb_query_condition_t::new(both),
        )
    })
}

/// Frees a condition. A query that it was set on keeps what it needs.
///
/// Accepts null at both levels and leaves null behind.
///
/// @param cond Where the condition is; set to null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_free(cond: *mut *mut tiledb_query_condition_t) {
    handle::release(cond);
}

/// Says what a condition compares: a field with a value.
///
/// A null value with size 0 stands for null, for `TILEDB_EQ` and `TILEDB_NE` only; for a text that is not nullable, the
/// empty text is any pointer with size 0. Whether the field exists and the value fits is found out when the query runs.
/// It is an error if the condition says something already.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param cond A condition from `tiledb_query_condition_alloc`.
/// @param attribute_name The name of the field, an attribute or a dimension; copied.
/// @param condition_value The value; copied. A label, where the field uses an enumeration.
/// @param condition_value_size Its size in bytes.
/// @param op How they are compared; not `TILEDB_IN` or `TILEDB_NOT_IN`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_init(
    ctx: *mut tiledb_ctx_t,
    cond: *mut tiledb_query_condition_t,
    attribute_name: *const c_char,
    condition_value: *const c_void,
    condition_value_size: u64,
    op: tiledb_query_condition_op_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let cond = handle::borrow(cond)?;
        let field = arg::text(attribute_name, "attribute_name")?;
        let mut said = cond.condition.lock();
        if said.is_some() {
            let message = "Cannot reinitialize query condition";
            return Err(Error::usage("[TileDB::QueryCondition] Error", message));
        }
        if condition_value.is_null() && condition_value_size > 0 {
            return Err(misused(
                "Invalid query condition cannot be nullptr with non-zero size.",
            ));
        }
        let value = match condition_value.is_null() {
            true => None,
            false => Some(arg::bytes(
                condition_value,
                condition_value_size,
                "condition_value",
            )?),
        };
        let made = Condition::compare(field, operator(op)?, value)?;
        *said = Some(Arc::new(made));
        Ok(())
    })
}

/// Makes the opposite of a condition.
///
/// A comparison with a null cell is false in both.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param cond The condition; stays as it is.
/// @param negated_cond Receives the opposite; free it with `tiledb_query_condition_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_negate(
    ctx: *mut tiledb_ctx_t,
    cond: *const tiledb_query_condition_t,
    negated_cond: *mut *mut tiledb_query_condition_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let opposite = handle::borrow(cond)?.condition()?.negate();
        handle::make(
            negated_cond,
            "negated_cond",
            tiledb_query_condition_t::new(opposite),
        )
    })
}

/// Says whether values of the condition are labels of an enumeration, which is the default, or the indexes that the
/// cells hold.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param cond The condition.
/// @param use_enumeration 1 for labels, 0 for indexes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_set_use_enumeration(
    ctx: *mut tiledb_ctx_t,
    cond: *const tiledb_query_condition_t,
    use_enumeration: c_int,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let cond = handle::borrow(cond)?;
        let changed = cond.condition()?.by_label(use_enumeration != 0);
        *cond.condition.lock() = Some(Arc::new(changed));
        Ok(())
    })
}
