//! Enumerations: lists of distinct values. An attribute that uses one stores indexes of values.

use std::sync::Arc;

use tiledb_engine::internal::schema::{Enumeration, EnumerationValues};
use tiledb_engine::internal::types::VAR_NUM;

use crate::prelude::*;
use crate::string::tiledb_string_t;

/// An immutable, named list of distinct values.
pub struct tiledb_enumeration_handle_t {
    pub(crate) enumeration: Arc<Enumeration>,
}

/// Name of the type in C programs.
pub type tiledb_enumeration_t = tiledb_enumeration_handle_t;

impl tiledb_enumeration_handle_t {
    pub(crate) fn new(enumeration: Arc<Enumeration>) -> Self {
        Self { enumeration }
    }
}

/// Returns a pointer to the bytes, or null if the slice is empty.
fn lent<T>(values: &[T]) -> *const T {
    match values {
        [] => std::ptr::null(),
        values => values.as_ptr(),
    }
}

/// The errors for null pointers with sizes that are not 0: of the data and of the offsets.
const NEW_FIXED: [&str; 2] = [
    "Invalid data buffer must not be nullptr for fixed sized data.",
    "Fixed length value type defined but offsets size is non-zero.",
];
const NEW_VAR: [&str; 2] = [
    "Invalid data input, nullptr provided when the provided offsets require data.",
    "Var sized enumeration values require a non-null offsets pointer.",
];
const MORE_FIXED: [&str; 2] = [
    "Unable to extend an enumeration without a data buffer.",
    "Offsets size is non-zero when extending a fixed sized enumeration.",
];
const MORE_VAR: [&str; 2] = [
    "Unable to extend an enumeration without a data buffer.",
    "The offsets buffer is required for this enumeration extension.",
];

/// Returns the values of an enumeration that a caller passes as pointers and sizes. A pointer may
/// be null if its size is 0; otherwise null is one of the errors `null_texts`.
unsafe fn values<'a>(
    data: *const c_void,
    data_size: u64,
    offsets: *const c_void,
    offsets_size: u64,
    null_texts: [&'static str; 2],
) -> Result<EnumerationValues<'a>> {
    let bytes = |pointer: *const c_void, size, name, null_text| match (pointer.is_null(), size) {
        (true, 0) => Ok(None),
        (true, _) => Err(Error::usage("Enumeration", null_text)),
        // SAFETY: the caller passes a pointer that satisfies the contract in lib.rs.
        (false, size) => unsafe { arg::bytes(pointer, size, name) }.map(Some),
    };
    let [no_data, no_offsets] = null_texts;
    Ok(EnumerationValues {
        offsets: bytes(offsets, offsets_size, "offsets", no_offsets)?,
        data: bytes(data, data_size, "data", no_data)?,
    })
}

/// Creates an enumeration.
///
/// It is an error if two values are equal, if the size of the values is not a multiple of the cell
/// size, if offsets are given for values of a fixed size, or if they are missing for values of
/// variable length. An enumeration without values is valid: pass null and 0 for the values and the
/// offsets.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param name The name; it is copied.
/// @param type The datatype.
/// @param cell_val_num The number of elements of the datatype per value; `TILEDB_VAR_NUM` for
///   values of variable length.
/// @param ordered 1 if values can be compared by their position in the list, otherwise 0.
/// @param data The values, stored consecutively; they are copied.
/// @param data_size The size of the values in bytes.
/// @param offsets The start of each value in `data` in bytes; null for values of a fixed size.
/// @param offsets_size The size of the offsets in bytes.
/// @param enumeration Set to the enumeration; free it with `tiledb_enumeration_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_alloc(
    ctx: *mut tiledb_ctx_t,
    name: *const c_char,
    r#type: tiledb_datatype_t,
    cell_val_num: u32,
    ordered: c_int,
    data: *const c_void,
    data_size: u64,
    offsets: *const c_void,
    offsets_size: u64,
    enumeration: *mut *mut tiledb_enumeration_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let to = arg::out(enumeration, "enumeration")?;
        let name = arg::text_or(
            name,
            "name",
            "tiledb_enumeration_alloc: name must not be null",
        )?;
        // Programs free it after an error, too.
        to.set(std::ptr::null_mut());
        let datatype = arg::datatype(r#type)?;
        let texts = if cell_val_num == VAR_NUM {
            NEW_VAR
        } else {
            NEW_FIXED
        };
        let values = values(data, data_size, offsets, offsets_size, texts)?;
        let new_enumeration = Enumeration::new(name, datatype, cell_val_num, ordered != 0, values)?;
        let new_handle = tiledb_enumeration_t::new(Arc::new(new_enumeration));
        handle::make(enumeration, "enumeration", new_handle)
    })
}

/// Gets a description of an enumeration as text.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param enumeration The enumeration.
/// @param out Set to the text; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_dump_str(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    out: *mut *mut tiledb_string_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let text = handle::borrow(enumeration)?.enumeration.to_string();
        handle::make(out, "out", tiledb_string_t::new(text))
    })
}

/// Creates an enumeration with the values of another one and additional values.
///
/// The new enumeration has the same name, datatype and order. Use
/// `tiledb_array_schema_evolution_extend_enumeration` to replace the old one in the schema of an
/// array. It is an error if a value exists already. Pass null and 0 for the values and the offsets
/// to add none.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param old_enumeration The enumeration to extend, which is not changed.
/// @param data The values to add, stored consecutively; they are copied.
/// @param data_size The size of the values in bytes.
/// @param offsets The start of each value in `data` in bytes; null for values of a fixed size.
/// @param offsets_size The size of the offsets in bytes.
/// @param new_enumeration Set to the extended enumeration; free it with `tiledb_enumeration_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_extend(
    ctx: *mut tiledb_ctx_t,
    old_enumeration: *mut tiledb_enumeration_t,
    data: *const c_void,
    data_size: u64,
    offsets: *const c_void,
    offsets_size: u64,
    new_enumeration: *mut *mut tiledb_enumeration_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let old = handle::borrow(old_enumeration)?;
        let texts = if old.enumeration.is_var() {
            MORE_VAR
        } else {
            MORE_FIXED
        };
        let more = values(data, data_size, offsets, offsets_size, texts)?;
        let longer = tiledb_enumeration_t::new(Arc::new(old.enumeration.extend(more)?));
        handle::make(new_enumeration, "new_enumeration", longer)
    })
}

/// Frees an enumeration and the values that its getters returned.
///
/// Experimental: this function may change in any release.
///
/// @param enumeration Pointer to the handle, which is set to null. Null and a pointer to null are
///   ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_free(enumeration: *mut *mut tiledb_enumeration_t) {
    handle::release(enumeration);
}

/// Gets the number of elements of the datatype per value.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param enumeration The enumeration.
/// @param cell_val_num Set to the number; `TILEDB_VAR_NUM` for values of variable length.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    cell_val_num: *mut u32,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let found = &handle::borrow(enumeration)?.enumeration;
        arg::out(cell_val_num, "cell_val_num")?.set(found.cell_val_num());
        Ok(())
    })
}

/// Gets all values, stored consecutively.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param enumeration The enumeration.
/// @param data Set to a pointer to the values, valid until the enumeration is freed; null if it has
///   none.
/// @param data_size Set to the size of the values in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_data(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    data: *mut *const c_void,
    data_size: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let found = handle::borrow(enumeration)?.enumeration.data();
        let (to, to_size) = (arg::out(data, "data")?, arg::out(data_size, "data_size")?);
        to.set(lent(found).cast());
        to_size.set(found.len() as u64);
        Ok(())
    })
}

/// Gets the name of an enumeration.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param enumeration The enumeration.
/// @param name Set to the name; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_name(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    name: *mut *mut tiledb_string_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let found = handle::borrow(enumeration)?.enumeration.name();
        handle::make(name, "name", tiledb_string_t::new(found))
    })
}

/// Gets the start of each value of an enumeration of variable-length values.
///
/// It is an error if the values have a fixed size.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param enumeration The enumeration.
/// @param offsets Set to a pointer to `uint64_t` offsets in bytes, valid until the enumeration is
///   freed.
/// @param offsets_size Set to the size of the offsets in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_offsets(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    offsets: *mut *const c_void,
    offsets_size: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let found = handle::borrow(enumeration)?.enumeration.offsets();
        let to = arg::out(offsets, "offsets")?;
        let to_size = arg::out(offsets_size, "offsets_size")?;
        to.set(lent(found).cast());
        to_size.set(size_of_val(found) as u64);
        Ok(())
    })
}

/// Checks whether values can be compared by their position in the list.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param enumeration The enumeration.
/// @param ordered Set to 1 if they can, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_ordered(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    ordered: *mut c_int,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let found = &handle::borrow(enumeration)?.enumeration;
        arg::out(ordered, "ordered")?.set(found.ordered().into());
        Ok(())
    })
}

/// Gets the datatype of the values of an enumeration.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param enumeration The enumeration.
/// @param type Set to the datatype.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_type(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    r#type: *mut tiledb_datatype_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let found = &handle::borrow(enumeration)?.enumeration;
        arg::out(r#type, "type")?.set(found.datatype().code().into());
        Ok(())
    })
}

/// Finds the index of a value. A missing value is not an error.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param enumeration The enumeration.
/// @param value The value.
/// @param value_size The size of the value in bytes.
/// @param exist Set to 1 if the value exists, otherwise 0.
/// @param index Set to the index, starting at 0, or to `UINT64_MAX` if the value does not exist.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_value_index(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    value: *const c_void,
    value_size: u64,
    exist: *mut c_int,
    index: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let enumeration = &handle::borrow(enumeration)?.enumeration;
        let to_exist = arg::out(exist, "exist")?;
        let to_index = arg::out(index, "index")?;
        let value = arg::bytes(value, value_size, "value")?;
        let found = enumeration.index_of(value);
        to_exist.set(found.is_some().into());
        to_index.set(found.unwrap_or(u64::MAX));
        Ok(())
    })
}
