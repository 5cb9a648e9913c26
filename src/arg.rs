//! Arguments from C: texts, slices, out-pointers, enums. Each check has one wording.

use std::ffi::CStr;
use std::ptr::NonNull;

use tiledb_engine::array;
use tiledb_engine::types::{Datatype, Layout, QueryType};
use tiledb_engine::vfs::Uri;

use crate::prelude::*;

/// A place for an answer, which may hold anything until it is set.
pub(crate) struct Out<T>(NonNull<T>);

impl<T> Out<T> {
    /// Writes the answer.
    pub(crate) fn set(self, value: T) {
        // SAFETY: made by `out`, whose caller vouches for the pointer.
        unsafe { self.0.write(value) };
    }
}

impl Out<u8> {
    /// Writes the bytes of an answer whose type another argument decides; the place has room for it.
    pub(crate) fn set_all(self, bytes: &[u8]) {
        // SAFETY: made by `out`, whose caller vouches for the pointer and its room.
        unsafe {
            self.0
                .copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len())
        };
    }
}

/// An out-pointer that must not be null.
pub(crate) unsafe fn out<T>(pointer: *mut T, name: &str) -> Result<Out<T>> {
    NonNull::new(pointer).map(Out).ok_or_else(|| {
        let message = format!("Invalid output pointer for object; `{name}` is null");
        Error::usage("C API", message)
    })
}

/// What a pointer that must not be null points to.
pub(crate) unsafe fn some<'a, T>(pointer: *const T, name: &str) -> Result<&'a T> {
    // SAFETY: the caller's contract.
    unsafe { pointer.as_ref() }.ok_or_else(|| {
        let message = format!("Invalid output pointer for object; `{name}` is null");
        Error::usage("C API", message)
    })
}

/// So many texts, none of which may be null.
pub(crate) unsafe fn texts<'a>(
    pointer: *const *const c_char,
    num: u64,
    name: &str,
) -> Result<Vec<&'a str>> {
    let num = possible(num, name)?;
    if pointer.is_null() && num > 0 {
        return Err(null(name));
    }
    (0..num)
        // SAFETY: not null, of so many pointers; the caller's contract.
        .map(|at| unsafe { text(*pointer.add(at), name) })
        .collect()
}

/// A text that must not be null.
pub(crate) unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str> {
    if pointer.is_null() {
        return Err(null(name));
    }
    // SAFETY: not null; the caller's contract.
    unsafe { CStr::from_ptr(pointer) }
        .to_str()
        .map_err(|_| Error::usage("C API", format!("argument `{name}` is not UTF-8")))
}

/// The place of an array, as a URI or a path. Null counts as an empty text, which is the place of none.
pub(crate) unsafe fn place<'a>(pointer: *const c_char, name: &str) -> Result<&'a str> {
    // SAFETY: the caller's contract.
    unsafe { optional_text(pointer, name) }.map(Option::unwrap_or_default)
}

/// The same as a URI.
pub(crate) unsafe fn uri(pointer: *const c_char, name: &str) -> Result<Uri> {
    // SAFETY: the caller's contract.
    array::parse_uri(unsafe { place(pointer, name)? })
}

/// Bytes that must not be null unless there are none.
pub(crate) unsafe fn bytes<'a>(pointer: *const c_void, len: u64, name: &str) -> Result<&'a [u8]> {
    if len == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(null(name));
    }
    let len = possible(len, name)?;
    // SAFETY: not null, of a possible length; the caller's contract.
    Ok(unsafe { std::slice::from_raw_parts(pointer.cast(), len) })
}

/// Bytes of a known length; `None` where the pointer is null.
pub(crate) unsafe fn optional_bytes<'a>(pointer: *const c_void, len: usize) -> Option<&'a [u8]> {
    // SAFETY: not null, of the length that the argument's type has; the caller's contract.
    (!pointer.is_null()).then(|| unsafe { std::slice::from_raw_parts(pointer.cast(), len) })
}

/// A text that may be null.
pub(crate) unsafe fn optional_text<'a>(
    pointer: *const c_char,
    name: &str,
) -> Result<Option<&'a str>> {
    match pointer.is_null() {
        true => Ok(None),
        // SAFETY: the caller's contract.
        false => unsafe { text(pointer, name) }.map(Some),
    }
}

/// So many values of a datatype; null is none.
pub(crate) unsafe fn values_or_none<'a>(
    pointer: *const c_void,
    datatype: Datatype,
    num: u32,
) -> Result<&'a [u8]> {
    let len = u64::from(num) * datatype.size() as u64;
    let len = if pointer.is_null() { 0 } else { len };
    // SAFETY: the caller's contract.
    unsafe { bytes(pointer, len, "value") }
}

/// A text that must not be null, where programs know the error by these words.
pub(crate) unsafe fn text_or<'a>(
    pointer: *const c_char,
    name: &str,
    missing: &str,
) -> Result<&'a str> {
    if pointer.is_null() {
        return Err(Error::usage("C API", missing));
    }
    // SAFETY: not null; the caller's contract.
    unsafe { text(pointer, name) }
}

/// Bytes to be written, at a place that must not be null.
pub(crate) unsafe fn bytes_mut<'a>(
    pointer: *mut c_void,
    len: u64,
    name: &str,
) -> Result<&'a mut [u8]> {
    // SAFETY: the caller's contract.
    let place = unsafe { out(pointer.cast::<u8>(), name) }?;
    let len = possible(len, name)?;
    // SAFETY: not null, of a possible length; the caller's contract.
    Ok(unsafe { std::slice::from_raw_parts_mut(place.0.as_ptr(), len) })
}

/// The length of something that is in memory.
pub(crate) fn possible(len: u64, name: &str) -> Result<usize> {
    usize::try_from(len)
        .ok()
        .filter(|len| isize::try_from(*len).is_ok())
        .ok_or_else(|| Error::usage("C API", format!("argument `{name}` is larger than memory")))
}

/// A value of an enum, or an error that names the unknown code.
pub(crate) fn known<T>(value: Option<T>, what: &str, code: u32) -> Result<T> {
    value.ok_or_else(|| Error::usage("C API", format!("{code} is not a valid {what}")))
}

/// The error for a null argument.
pub(crate) fn null(name: &str) -> Error {
    Error::usage("C API", format!("argument `{name}` may not be nullptr"))
}

/// The offset that eight bytes of a caller's buffer hold, whatever their alignment.
pub(crate) fn offset(bytes: &[u8]) -> u64 {
    bytes
        .first_chunk()
        .map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// A layout, checked.
pub(crate) fn layout(code: tiledb_layout_t) -> Result<Layout> {
    known(Layout::from_code(code), "layout", code)
}

/// A query type, checked.
pub(crate) fn query_type(code: tiledb_query_type_t) -> Result<QueryType> {
    known(QueryType::from_code(code), "query type", code)
}

/// A datatype, checked.
pub(crate) fn datatype(code: tiledb_datatype_t) -> Result<Datatype> {
    let found = Datatype::from_code(code);
    found.ok_or_else(|| Error::usage("TileDB internal", format!("Invalid Datatype ({code})")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_null_argument_is_told_by_its_name_in_the_header() {
        // SAFETY: null is what `text` checks for.
        let told = unsafe { text(std::ptr::null(), "param") };
        assert_eq!(
            told.map_err(|error| error.to_string()),
            Err("C API: argument `param` may not be nullptr".to_owned())
        );
    }

    #[test]
    fn a_null_out_pointer_begins_as_programs_know_it() {
        // SAFETY: null is what `out` checks for.
        let told = unsafe { out::<u32>(std::ptr::null_mut(), "count") }.err();
        let told = told.map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(
            told,
            "C API: Invalid output pointer for object; `count` is null"
        );
    }

    #[test]
    fn no_bytes_may_come_as_null_and_some_may_not() {
        // SAFETY: null is what `bytes` checks for.
        unsafe {
            assert!(bytes(std::ptr::null(), 0, "data").is_ok_and(<[u8]>::is_empty));
            assert!(bytes(std::ptr::null(), 1, "data").is_err());
        }
    }
}
