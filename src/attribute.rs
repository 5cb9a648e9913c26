//! Attributes: the named values of cells.

use tiledb_engine::internal::filter::FilterList;
use tiledb_engine::internal::schema::{Attribute, Shared, shared};

use crate::filter_list::tiledb_filter_list_t;
use crate::prelude::*;
use crate::string::tiledb_string_t;

/// An attribute. The schema that it was added to, and handles that were obtained from that schema,
/// share it: changes made through one handle are visible through the others.
pub struct tiledb_attribute_handle_t {
    pub(crate) attribute: Shared<Attribute>,
    returned: c_strings::GetterValues,
}
/// Name of the type in C programs.
pub type tiledb_attribute_t = tiledb_attribute_handle_t;

impl tiledb_attribute_handle_t {
    /// Creates a handle for an attribute.
    pub(crate) fn new(attribute: Shared<Attribute>) -> Self {
        Self {
            attribute,
            returned: c_strings::GetterValues::default(),
        }
    }
}

/// Creates an attribute with one value per cell that is not nullable and has no filters. An
/// attribute of type `TILEDB_ANY` has a variable number of values per cell.
///
/// @param ctx The context; stores the error if the call fails.
/// @param name The name; may be empty. Adding the attribute to a schema fails if the name begins
///   with "__".
/// @param type The datatype of the values.
/// @param attr Set to the attribute; free it with `tiledb_attribute_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_alloc(
    ctx: *mut tiledb_ctx_t,
    name: *const c_char,
    r#type: tiledb_datatype_t,
    attr: *mut *mut tiledb_attribute_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let name = arg::text_or(name, "name", "Argument \"name\" may not be NULL")?;
        let attribute = Attribute::new(name, arg::datatype(r#type)?);
        handle::make(attr, "attr", tiledb_attribute_t::new(shared(attribute)))
    })
}

/// Describes an attribute as text.
///
/// @param ctx The context; stores the error if the call fails.
/// @param attr The attribute.
/// @param out Set to the text; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_dump_str(
    ctx: *mut tiledb_ctx_t,
    attr: *const tiledb_attribute_t,
    out: *mut *mut tiledb_string_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let text = handle::borrow(attr)?.attribute.read().to_string();
        handle::make(out, "out", tiledb_string_t::new(text))
    })
}

/// Frees an attribute. A schema that it was added to keeps it.
///
/// @param attr Pointer to the handle, which is set to null. Null and a pointer to null are ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_free(attr: *mut *mut tiledb_attribute_t) {
    handle::release(attr);
}

/// Gets the size of a cell.
///
/// @param ctx The context; stores the error if the call fails.
/// @param attr The attribute.
/// @param cell_size Set to the size in bytes, or to `UINT64_MAX` if it is variable.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_cell_size(
    ctx: *mut tiledb_ctx_t,
    attr: *const tiledb_attribute_t,
    cell_size: *mut u64,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let attr = handle::borrow(attr)?;
        arg::out(cell_size, "cell_size")?.set(attr.attribute.read().cell_size());
        Ok(())
    })
}

/// Gets the number of values per cell.
///
/// @param ctx The context; stores the error if the call fails.
/// @param attr The attribute.
/// @param cell_val_num Set to the number, or to `TILEDB_VAR_NUM` if it is variable.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    attr: *const tiledb_attribute_t,
    cell_val_num: *mut u32,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let attr = handle::borrow(attr)?;
        arg::out(cell_val_num, "cell_val_num")?.set(attr.attribute.read().cell_val_num);
        Ok(())
    })
}

/// Gets the name of the enumeration that an attribute uses. Experimental: this function may change
/// in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param attr The attribute.
/// @param name Set to the name, or to null if the attribute uses none; free it with
///   `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_enumeration_name(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    name: *mut *mut tiledb_string_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let attr = handle::borrow(attr)?;
        let output = arg::out(name, "name")?;
        let attribute = attr.attribute.read();
        let found = attribute.enumeration.as_deref();
        output.give_or_null(found.map(tiledb_string_t::new));
        Ok(())
    })
}

/// Gets the fill value of an attribute, which reads return for unwritten cells. It is an error if
/// the attribute is nullable.
///
/// @param ctx The context; stores the error if the call fails.
/// @param attr The attribute.
/// @param value Set to the value, valid until the handle is freed.
/// @param size Set to the size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_fill_value(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    value: *mut *const c_void,
    size: *mut u64,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let attr = handle::borrow(attr)?;
        let (value, size) = (arg::out(value, "value")?, arg::out(size, "size")?);
        let attribute = attr.attribute.read();
        let (fill, _) = attribute.fill_value(false)?;
        size.set(fill.len() as u64);
        value.set(attr.returned.value(fill));
        Ok(())
    })
}

/// Gets the fill value of a nullable attribute, which reads return for unwritten cells. It is an
/// error if the attribute is not nullable.
///
/// @param ctx The context; stores the error if the call fails.
/// @param attr The attribute.
/// @param value Set to the value, valid until the handle is freed.
/// @param size Set to the size in bytes.
/// @param valid Set to 0 if unwritten cells are null, otherwise to another value.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_fill_value_nullable(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    value: *mut *const c_void,
    size: *mut u64,
    valid: *mut u8,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let attr = handle::borrow(attr)?;
        let (value, size) = (arg::out(value, "value")?, arg::out(size, "size")?);
        let valid = arg::out(valid, "valid")?;
        let attribute = attr.attribute.read();
        let (fill, validity) = attribute.fill_value(true)?;
        size.set(fill.len() as u64);
        value.set(attr.returned.value(fill));
        valid.set(validity);
        Ok(())
    })
}

/// Gets a copy of the filters of an attribute.
///
/// @param ctx The context; stores the error if the call fails.
/// @param attr The attribute.
/// @param filter_list Set to the copy; free it with `tiledb_filter_list_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_filter_list(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let filters = FilterList::clone(&handle::borrow(attr)?.attribute.read().filters);
        handle::make(
            filter_list,
            "filter_list",
            tiledb_filter_list_t::new(filters),
        )
    })
}

/// Gets the name of an attribute.
///
/// @param ctx The context; stores the error if the call fails.
/// @param attr The attribute.
/// @param name Set to the name, valid until the handle is freed.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_name(
    ctx: *mut tiledb_ctx_t,
    attr: *const tiledb_attribute_t,
    name: *mut *const c_char,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let attr = handle::borrow(attr)?;
        arg::out(name, "name")?.set(attr.returned.text(&attr.attribute.read().name));
        Ok(())
    })
}

/// Checks whether an attribute is nullable.
///
/// @param ctx The context; stores the error if the call fails.
/// @param attr The attribute.
/// @param nullable Set to 1 if it is, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_nullable(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    nullable: *mut u8,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let attr = handle::borrow(attr)?;
        arg::out(nullable, "nullable")?.set(attr.attribute.read().nullable.into());
        Ok(())
    })
}

/// Gets the datatype of the values of an attribute.
///
/// @param ctx The context; stores the error if the call fails.
/// @param attr The attribute.
/// @param type Set to the datatype.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_type(
    ctx: *mut tiledb_ctx_t,
    attr: *const tiledb_attribute_t,
    r#type: *mut tiledb_datatype_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let attr = handle::borrow(attr)?;
        arg::out(r#type, "type")?.set(attr.attribute.read().datatype.code().into());
        Ok(())
    })
}

/// Sets the number of values per cell, and resets the fill value to the default. Attributes of type
/// `TILEDB_ANY` always have a variable number.
///
/// @param ctx The context; stores the error if the call fails.
/// @param attr The attribute.
/// @param cell_val_num The number, not 0; `TILEDB_VAR_NUM` for a variable number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_set_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    cell_val_num: u32,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        handle::borrow(attr)?
            .attribute
            .write()
            .set_cell_val_num(cell_val_num)
    })
}

/// Sets the enumeration whose indexes an attribute stores. Experimental: this function may change
/// in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param attr The attribute.
/// @param enumeration_name The name of the enumeration, not empty.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_set_enumeration_name(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    enumeration_name: *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let attr = handle::borrow(attr)?;
        let name = arg::text(enumeration_name, "enumeration_name")?;
        attr.attribute.write().set_enumeration(name)
    })
}

/// Sets the fill value of an attribute, which reads return for unwritten cells. It is an error if
/// the attribute is nullable.
///
/// @param ctx The context; stores the error if the call fails.
/// @param attr The attribute.
/// @param value The value; it is copied.
/// @param size The size in bytes: the cell size, or any size but 0 if cells have a variable length.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_set_fill_value(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    value: *const c_void,
    size: u64,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let attr = handle::borrow(attr)?;
        let value = arg::optional_bytes(value, arg::memory_len(size, "size")?);
        attr.attribute.write().set_fill_value(value, None)
    })
}

/// Sets the fill value of a nullable attribute, which reads return for unwritten cells. It is an
/// error if the attribute is not nullable.
///
/// @param ctx The context; stores the error if the call fails.
/// @param attr The attribute.
/// @param value The value; it is copied.
/// @param size The size in bytes: the cell size, or any size but 0 if cells have a variable length.
/// @param validity 0 if unwritten cells are null, otherwise 1.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_set_fill_value_nullable(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    value: *const c_void,
    size: u64,
    validity: u8,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let attr = handle::borrow(attr)?;
        let value = arg::optional_bytes(value, arg::memory_len(size, "size")?);
        attr.attribute.write().set_fill_value(value, Some(validity))
    })
}

/// Sets the filters of an attribute. It is an error if a filter does not support the datatype of
/// its input.
///
/// @param ctx The context; stores the error if the call fails.
/// @param attr The attribute.
/// @param filter_list The filters; they are copied.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_set_filter_list(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    filter_list: *mut tiledb_filter_list_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let attr = handle::borrow(attr)?;
        let filters = handle::borrow(filter_list)?.get();
        attr.attribute.write().set_filters(filters)
    })
}

/// Sets whether an attribute is nullable.
///
/// @param ctx The context; stores the error if the call fails.
/// @param attr The attribute.
/// @param nullable 1 if it is nullable, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_set_nullable(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    nullable: u8,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        handle::borrow(attr)?
            .attribute
            .write()
            .set_nullable(nullable != 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the exit code of a forked child that creates a fill value of `cell_val_num` values
    /// with an address space limit of `bytes`.
    #[cfg(target_os = "linux")]
    fn code_with_memory(bytes: u64, cell_val_num: u32) -> i32 {
        let mut ctx = std::ptr::null_mut();
        let mut attr = std::ptr::null_mut();
        // SAFETY: handles of this library; the child only makes this call, and leaves without
        // running what the test program would run at its end.
        unsafe {
            let code = crate::context::tiledb_ctx_alloc(std::ptr::null_mut(), &raw mut ctx);
            assert_eq!(code, TILEDB_OK);
            let name = c"a".as_ptr();
            assert_eq!(
                tiledb_attribute_alloc(ctx, name, 4, &raw mut attr),
                TILEDB_OK
            );
            let child = libc::fork();
            if child == 0 {
                let limit = libc::rlimit {
                    rlim_cur: bytes,
                    rlim_max: bytes,
                };
                libc::setrlimit(libc::RLIMIT_AS, &raw const limit);
                libc::_exit(-tiledb_attribute_set_cell_val_num(ctx, attr, cell_val_num));
            }
            let mut status = 0;
            assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
            tiledb_attribute_free(&raw mut attr);
            crate::context::tiledb_ctx_free(&raw mut ctx);
            assert!(
                libc::WIFEXITED(status),
                "the child ended by signal {}",
                libc::WTERMSIG(status)
            );
            -libc::WEXITSTATUS(status)
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn fill_value_larger_than_memory_is_an_error() {
        assert_eq!(code_with_memory(2 << 30, 3), TILEDB_OK);
        assert_eq!(code_with_memory(2 << 30, 4_000_000_000), TILEDB_OOM);
    }
}
