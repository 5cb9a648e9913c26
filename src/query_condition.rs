//! Query conditions: predicates that select the cells that a query reads or deletes.

use std::sync::Arc;

use tiledb_engine::internal::condition::{Combination, Condition, Operator};
use tiledb_engine::internal::expression;
use tiledb_engine::internal::platform::lock::Mutex;

use crate::prelude::*;

/// A comparison of a field with a value or a set, or a combination of conditions.
pub struct tiledb_query_condition_t {
    /// `None` until the condition is initialized.
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

    /// Returns the condition, or an error if it is not initialized.
    pub(crate) fn condition(&self) -> Result<Arc<Condition>> {
        let condition = self.condition.lock().clone();
        condition.ok_or_else(|| misused("Query conditions must not be empty"))
    }
}

/// Creates an uninitialized condition. Initialize it with `tiledb_query_condition_init`.
///
/// @param ctx The context; stores the error if the call fails.
/// @param cond Set to the condition; free it with `tiledb_query_condition_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// The values of a set and their offsets.
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
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    let (data, offsets) = unsafe {
        (
            arg::bytes(data, data_size, "data")?,
            arg::bytes(offsets, offsets_size, "offsets")?,
        )
    };
    Ok((data, offsets.chunks_exact(8).map(arg::offset).collect()))
}

/// Creates a condition that the value of a field is, or is not, a member of a set.
///
/// It is an error if the set is empty, if its size is not a multiple of the size of a value, or if
/// `op` is another operator.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param field_name The name of the field; it is copied.
/// @param data The values, stored consecutively; they are copied. If the field uses an enumeration,
///   they are values of the enumeration.
/// @param data_size The size of the values in bytes.
/// @param offsets The start of each value as `uint64_t` in bytes.
/// @param offests_size The size of the offsets in bytes.
/// @param op `TILEDB_IN` or `TILEDB_NOT_IN`.
/// @param cond Set to the condition; free it with `tiledb_query_condition_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let new_condition = Condition::is_one_of(field, operator(op)?, data, &offsets)?;
        to.give(tiledb_query_condition_t::new(new_condition));
        Ok(())
    })
}

/// Extension: creates a condition from a text such as
/// `temperature > 20.5 AND station IN ('a', 'b') AND note IS NOT NULL`.
///
/// docs/extensions.md describes the grammar. Values are converted to the datatypes of the fields of
/// the array; fields with an enumeration are compared with its values, and the enumeration is
/// loaded if necessary.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, which must be open.
/// @param text The text; it is copied.
/// @param position May be null. Set to 0 if the call succeeds. If the text does not follow the
///   grammar or does not fit the array, set to the position of the problem in characters, counted
///   from 1. Not changed by other errors.
/// @param cond Set to the condition; free it with `tiledb_query_condition_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_rs_query_condition_parse(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    text: *const c_char,
    position: *mut u64,
    cond: *mut *mut tiledb_query_condition_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let array = &handle::borrow(array)?.array;
        let text = arg::text(text, "text")?;
        let to = arg::out(cond, "cond")?;
        let schema = array.schema()?;
        let enumeration = |name: &str| array.enumeration(name);
        let parsed = expression::parse(text);
        let resolved = parsed.and_then(|parsed| parsed.resolve(&schema, enumeration));
        let problem = match &resolved {
            Ok(_) => Some(0),
            Err(error) => error.condition_position().map(|position| position as u64),
        };
        if let (false, Some(problem)) = (position.is_null(), problem) {
            arg::out(position, "position")?.set(problem);
        }
        to.give(tiledb_query_condition_t::new(resolved?));
        Ok(())
    })
}

/// Combines two conditions.
///
/// `TILEDB_NOT` negates `left_cond`; `right_cond` must be null. `tiledb_query_condition_negate`
/// does the same.
///
/// @param ctx The context; stores the error if the call fails.
/// @param left_cond The first condition; the caller keeps ownership.
/// @param right_cond The second condition; the caller keeps ownership.
/// @param combination_op The operator.
/// @param combined_cond Set to the condition; free it with `tiledb_query_condition_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let combination = Combination::from_code(combination_op).ok_or_else(|| {
            let message = "Cannot combine query conditions; Only the 'AND' and 'OR' combination ops are supported in this function.";
            Error::usage("[TileDB::QueryCondition] Error", message)
        })?;
        let both = left
            .condition()?
            .combine(&right.condition()?, combination)?;
        handle::make(
            combined_cond,
            "combined_cond",
            tiledb_query_condition_t::new(both),
        )
    })
}

/// Frees a condition. Queries that it was set on have a copy.
///
/// @param cond Pointer to the handle, which is set to null. Null and a pointer to null are ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_free(cond: *mut *mut tiledb_query_condition_t) {
    handle::release(cond);
}

/// Initializes a condition that compares a field with a value.
///
/// A null pointer with size 0 means null, which only `TILEDB_EQ` and `TILEDB_NE` support. For a
/// string field that is not nullable, any pointer with size 0 means the empty string. The existence
/// of the field and the size of the value are checked when the query runs. It is an error if the
/// condition is initialized already.
///
/// @param ctx The context; stores the error if the call fails.
/// @param cond A condition from `tiledb_query_condition_alloc`.
/// @param attribute_name The name of the field, an attribute or a dimension; it is copied.
/// @param condition_value The value; it is copied. If the field uses an enumeration, it is a value
///   of the enumeration.
/// @param condition_value_size The size of the value in bytes.
/// @param op The comparison operator; not `TILEDB_IN` or `TILEDB_NOT_IN`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let mut condition = cond.condition.lock();
        if condition.is_some() {
            let message = "Cannot reinitialize query condition";
            return Err(Error::usage("[TileDB::QueryCondition] Error", message));
        }
        if condition_value.is_null() && condition_value_size > 0 {
            return Err(misused(
                "Invalid query condition cannot be nullptr with non-zero size.",
            ));
        }
        let value = if condition_value.is_null() {
            None
        } else {
            Some(arg::bytes(
                condition_value,
                condition_value_size,
                "condition_value",
            )?)
        };
        let new_condition = Condition::compare(field, operator(op)?, value)?;
        *condition = Some(Arc::new(new_condition));
        Ok(())
    })
}

/// Creates the negation of a condition.
///
/// Comparisons with null cells are false in both conditions.
///
/// @param ctx The context; stores the error if the call fails.
/// @param cond The condition, which is not changed.
/// @param negated_cond Set to the negation; free it with `tiledb_query_condition_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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

/// Sets whether the values of a condition are values of the enumeration of the field, which is the
/// default, or the stored indexes.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param cond The condition.
/// @param use_enumeration 1 for values of the enumeration, 0 for indexes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
