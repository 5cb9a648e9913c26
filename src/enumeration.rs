//! Enumeration: a list of distinct values; an attribute that uses it holds their indexes.

use std::sync::Arc;

use tiledb_engine::schema::{Enumeration, EnumerationValues};
use tiledb_engine::types::VAR_NUM;

use crate::prelude::*;
use crate::string::tiledb_string_t;

/// A named list of distinct values, which does not change.
pub struct tiledb_enumeration_handle_t {
    pub(crate) enumeration: Arc<Enumeration>,
}

/// The name C programs use.
pub type tiledb_enumeration_t = tiledb_enumeration_handle_t;

impl tiledb_enumeration_handle_t {
    pub(crate) fn new(enumeration: Arc<Enumeration>) -> Self {
        Self { enumeration }
    }
}

/// Where values are that are lent; null where there are none.
fn lent<T>(values: &[T]) -> *const T {
    match values {
        [] => std::ptr::null(),
        values => values.as_ptr(),
    }
}

/// What errors say of null pointers with a size.
struct NullTexts {
    data: &'static str,
    offsets: &'static str,
}

const NEW_FIXED: NullTexts = NullTexts {
    data: "Invalid data buffer must not be nullptr for fixed sized data.",
    offsets: "Fixed length value type defined but offsets size is non-zero.",
};
const NEW_VAR: NullTexts = NullTexts {
    data: "Invalid data input, nullptr provided when the provided offsets require data.",
    offsets: "Var sized enumeration values require a non-null offsets pointer.",
};
const MORE_FIXED: NullTexts = NullTexts {
    data: "Unable to extend an enumeration without a data buffer.",
    offsets: "Offsets size is non-zero when extending a fixed sized enumeration.",
};
const MORE_VAR: NullTexts = NullTexts {
    data: "Unable to extend an enumeration without a data buffer.",
    offsets: "The offsets buffer is required for this enumeration extension.",
};

/// Values as C gives them.
unsafe fn values<'a>(
    (data, data_size): (*const c_void, u64),
    (offsets, offsets_size): (*const c_void, u64),
    texts: &NullTexts,
) -> Result<EnumerationValues<'a>> {
    let part = |pointer: *const c_void, size, name, text| match (pointer.is_null(), size) {
        (true, 0) => Ok(None),
        (true, _) => Err(Error::usage("Enumeration", text)),
        // SAFETY: the caller's contract.
        (false, size) => unsafe { arg::bytes(pointer, size, name) }.map(Some),
    };
    Ok(EnumerationValues {
        offsets: part(offsets, offsets_size, "offsets", texts.offsets)?,
        data: part(data, data_size, "data", texts.data)?,
    })
}

/// Makes an enumeration of the values given.
///
/// It is an error if two values are equal, if the sizes do not make whole cells, or if offsets come with values of a
/// fixed size or are absent for others. An enumeration without values is legal: null and 0 for both.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param name The name; copied.
/// @param type The type of a value.
/// @param cell_val_num How many of the type make one value; `TILEDB_VAR_NUM` for values of any length.
/// @param ordered 1 if the order of the list is the order of the values, so that they can be compared by it, else 0.
/// @param data The values, one after the other; copied.
/// @param data_size Their size in bytes.
/// @param offsets Where each value starts, as `uint64_t` in bytes; null for values of a fixed size.
/// @param offsets_size The size of the offsets in bytes.
/// @param enumeration Receives the enumeration; free it with `tiledb_enumeration_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
        let name = arg::text_or(
            name,
            "name",
            "tiledb_enumeration_alloc: name must not be null",
        )?;
        let datatype = arg::datatype(r#type)?;
        let texts = if cell_val_num == VAR_NUM {
            &NEW_VAR
        } else {
            &NEW_FIXED
        };
        let values = values((data, data_size), (offsets, offsets_size), texts)?;
        let made = Enumeration::new(name, datatype, cell_val_num, ordered != 0, values)?;
        let made = tiledb_enumeration_t::new(Arc::new(made));
        handle::make(enumeration, "enumeration", made)
    })
}

/// Gives a text that describes an enumeration, for people to read.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param enumeration The enumeration.
/// @param out Receives the text; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Makes an enumeration that has the values of another and then more.
///
/// Name, type and order stay. Take it into a schema with `tiledb_array_schema_evolution_extend_enumeration`. It is an
/// error if a value is there already. Null and 0 for both add nothing.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param old_enumeration The enumeration to begin with; it stays as it is.
/// @param data The values to add; copied.
/// @param data_size Their size in bytes.
/// @param offsets Where each value starts in `data`, as `uint64_t` in bytes; null for values of a fixed size.
/// @param offsets_size The size of the offsets in bytes.
/// @param new_enumeration Receives the longer enumeration; free it with `tiledb_enumeration_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
            &MORE_VAR
        } else {
            &MORE_FIXED
        };
        let more = values((data, data_size), (offsets, offsets_size), texts)?;
        let longer = tiledb_enumeration_t::new(Arc::new(old.enumeration.extend(more)?));
        handle::make(new_enumeration, "new_enumeration", longer)
    })
}

/// Frees an enumeration, and with it the values that its getters lent.
///
/// Accepts null at both levels and leaves null behind.
///
/// Experimental: may change from release to release.
///
/// @param enumeration Where the enumeration is; set to null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_free(enumeration: *mut *mut tiledb_enumeration_t) {
    handle::release(enumeration);
}

/// Says how many of the type make one value.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param enumeration The enumeration.
/// @param cell_val_num Receives the count; `TILEDB_VAR_NUM` for values of any length.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Gives all values, one after the other.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param enumeration The enumeration.
/// @param data Receives where they are; they live as long as the enumeration. Null if there are none.
/// @param data_size Receives their size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Gives the name.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param enumeration The enumeration.
/// @param name Receives the name; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Says where each value starts, for values of any length.
///
/// It is an error if the values have a fixed size.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param enumeration The enumeration.
/// @param offsets Receives where the offsets are: `uint64_t` in bytes, living as long as the enumeration.
/// @param offsets_size Receives their size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Says whether the order of the list is the order of the values.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param enumeration The enumeration.
/// @param ordered Receives 1 if it is, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Gives the type of a value.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param enumeration The enumeration.
/// @param type Receives the type.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Finds a value. That it is not there is no error.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param enumeration The enumeration.
/// @param value The value.
/// @param value_size Its size in bytes.
/// @param exist Receives 1 if the value is there, else 0.
/// @param index Receives its index, from 0; `UINT64_MAX` if the value is not there.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
