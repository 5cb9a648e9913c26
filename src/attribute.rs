//! Attributes: the values of cells.

use tiledb_engine::filter::FilterList;
use tiledb_engine::schema::{Attribute, Shared, shared};

use crate::filter_list::tiledb_filter_list_t;
use crate::prelude::*;
use crate::string::tiledb_string_t;

/// An attribute. A schema it was added to, and handles got from that, share it: what is set here shows there.
pub struct tiledb_attribute_handle_t {
    pub(crate) attribute: Shared<Attribute>,
    kept: kept::Kept,
}
/// The name C programs use.
pub type tiledb_attribute_t = tiledb_attribute_handle_t;

impl tiledb_attribute_handle_t {
    /// A handle for an attribute.
    pub(crate) fn new(attribute: Shared<Attribute>) -> Self {
        Self {
            attribute,
            kept: kept::Kept::default(),
        }
    }
}

/// Makes an attribute of one value per cell, not nullable, without filters. Of `TILEDB_ANY` it has any number of
/// values per cell.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param name The name; may be empty. Names that begin with "__" are refused when the attribute is added to a
///   schema.
/// @param type The datatype of its values.
/// @param attr Receives the attribute; free it with `tiledb_attribute_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
/// @param ctx The context; keeps the error if the call fails.
/// @param attr The attribute.
/// @param out Receives the text; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Frees an attribute. A schema it was added to keeps it.
///
/// @param attr The handle; null afterwards. Null is accepted, and so is a pointer to null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_free(attr: *mut *mut tiledb_attribute_t) {
    handle::release(attr);
}

/// Gets the size of a cell.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param attr The attribute.
/// @param cell_size Receives the size in bytes; `UINT64_MAX` if it varies.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
/// @param ctx The context; keeps the error if the call fails.
/// @param attr The attribute.
/// @param cell_val_num Receives the number; `TILEDB_VAR_NUM` if it varies.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Gets the name of the enumeration whose indexes an attribute holds. Experimental.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param attr The attribute.
/// @param name Receives the name, null if there is none; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_enumeration_name(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    name: *mut *mut tiledb_string_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let attr = handle::borrow(attr)?;
        let place = arg::out(name, "name")?;
        let attribute = attr.attribute.read();
        let found = attribute.enumeration.as_deref();
        place.give_or_null(found.map(tiledb_string_t::new));
        Ok(())
    })
}

/// Gets what unwritten cells of an attribute read as. It is an error if the attribute is nullable.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param attr The attribute.
/// @param value Receives the value, which lives as long as the handle.
/// @param size Receives its size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
        value.set(attr.kept.value(fill));
        Ok(())
    })
}

/// Gets what unwritten cells of a nullable attribute read as. It is an error if the attribute is not nullable.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param attr The attribute.
/// @param value Receives the value, which lives as long as the handle.
/// @param size Receives its size in bytes.
/// @param valid Receives the validity: 0 if such cells are null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
        value.set(attr.kept.value(fill));
        valid.set(validity);
        Ok(())
    })
}

/// Gets a copy of the filters of an attribute.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param attr The attribute.
/// @param filter_list Receives the copy; free it with `tiledb_filter_list_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
/// @param ctx The context; keeps the error if the call fails.
/// @param attr The attribute.
/// @param name Receives the name, which lives as long as the handle.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_name(
    ctx: *mut tiledb_ctx_t,
    attr: *const tiledb_attribute_t,
    name: *mut *const c_char,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let attr = handle::borrow(attr)?;
        arg::out(name, "name")?.set(attr.kept.text(&attr.attribute.read().name));
        Ok(())
    })
}

/// Says whether cells of an attribute may be null.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param attr The attribute.
/// @param nullable Receives 1 if they may, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
/// @param ctx The context; keeps the error if the call fails.
/// @param attr The attribute.
/// @param type Receives the datatype.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Sets the number of values per cell. The fill value becomes the default again. `TILEDB_ANY` always has any number.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param attr The attribute.
/// @param cell_val_num The number, not 0; `TILEDB_VAR_NUM` for any.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Says that an attribute holds indexes of an enumeration. Experimental.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param attr The attribute.
/// @param enumeration_name The name of the enumeration, not empty.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Sets what unwritten cells of an attribute read as. It is an error if the attribute is nullable.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param attr The attribute.
/// @param value The value, copied.
/// @param size Its size in bytes: that of a cell, or anything but 0 if cells are of variable length.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_set_fill_value(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    value: *const c_void,
    size: u64,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let attr = handle::borrow(attr)?;
        let value = arg::optional_bytes(value, arg::possible(size, "size")?);
        attr.attribute.write().set_fill_value(value, None)
    })
}

/// Sets what unwritten cells of a nullable attribute read as. It is an error if the attribute is not nullable.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param attr The attribute.
/// @param value The value, copied.
/// @param size Its size in bytes: that of a cell, or anything but 0 if cells are of variable length.
/// @param validity 0 if such cells are null, else 1.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
        let value = arg::optional_bytes(value, arg::possible(size, "size")?);
        attr.attribute.write().set_fill_value(value, Some(validity))
    })
}

/// Sets the filters of an attribute. It is an error if a filter does not take the datatype it would get.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param attr The attribute.
/// @param filter_list The filters, copied.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Sets whether cells of an attribute may be null.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param attr The attribute.
/// @param nullable 0 if they may not, else 1.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

    /// What a forked child, which may have so many bytes and no more, gets for so many values per cell.
    #[cfg(target_os = "linux")]
    fn code_with_memory(bytes: u64, cell_val_num: u32) -> i32 {
        let mut ctx = std::ptr::null_mut();
        let mut attr = std::ptr::null_mut();
        // SAFETY: handles of this library; the child only makes this call, and leaves without running what the test
        // program would run at its end.
        unsafe {
            let made = crate::context::tiledb_ctx_alloc(std::ptr::null_mut(), &raw mut ctx);
            assert_eq!(made, TILEDB_OK);
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
            match libc::WIFEXITED(status) {
                true => -libc::WEXITSTATUS(status),
                false => panic!("the child ended by signal {}", libc::WTERMSIG(status)),
            }
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_cell_that_memory_has_no_room_for_is_an_error() {
        assert_eq!(code_with_memory(2 << 30, 3), TILEDB_OK);
        assert_eq!(code_with_memory(2 << 30, 4_000_000_000), TILEDB_OOM);
    }
}
