//! Checks and conversions of C arguments: strings, slices, output pointers, enums.

use std::ffi::CStr;
use std::ptr::NonNull;

use tiledb_engine::internal::array;
use tiledb_engine::internal::types::{Datatype, Layout, QueryType};
use tiledb_engine::internal::vfs::Uri;

use crate::prelude::*;

/// An output pointer that is not null. It may point to uninitialized memory.
pub(crate) struct Out<T>(NonNull<T>);

impl<T> Out<T> {
    /// Writes the value.
    pub(crate) fn set(self, value: T) {
        // SAFETY: the caller of `out` guarantees that the pointer is valid.
        unsafe { self.0.write(value) };
    }
}

impl Out<u8> {
    /// Writes the bytes of a value whose type depends on another argument. The buffer must be large
    /// enough.
    pub(crate) fn set_all(self, bytes: &[u8]) {
        // SAFETY: the caller of `out` guarantees that the pointer is valid for the bytes.
        unsafe {
            self.0
                .copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len())
        };
    }
}

/// Checks that an output pointer is not null.
pub(crate) unsafe fn out<T>(pointer: *mut T, name: &str) -> Result<Out<T>> {
    NonNull::new(pointer).map(Out).ok_or_else(|| {
        let message = format!("Invalid output pointer for object; `{name}` is null");
        Error::usage("C API", message)
    })
}

/// Dereferences a pointer that must not be null.
pub(crate) unsafe fn dereference<'a, T>(pointer: *const T, name: &str) -> Result<&'a T> {
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    unsafe { pointer.as_ref() }.ok_or_else(|| {
        let message = format!("Invalid output pointer for object; `{name}` is null");
        Error::usage("C API", message)
    })
}

/// Reads an array of `num` strings, which must not be null.
pub(crate) unsafe fn texts<'a>(
    pointer: *const *const c_char,
    num: u64,
    name: &str,
) -> Result<Vec<&'a str>> {
    let num = memory_len(num, name)?;
    if pointer.is_null() && num > 0 {
        return Err(null(name));
    }
    (0..num)
        // SAFETY: not null and pointing to `num` pointers, by the contract in lib.rs.
        .map(|index| unsafe { text(*pointer.add(index), name) })
        .collect()
}

/// Reads a string that must not be null.
pub(crate) unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str> {
    if pointer.is_null() {
        return Err(null(name));
    }
    // SAFETY: checked not to be null; otherwise valid by the contract in lib.rs.
    unsafe { CStr::from_ptr(pointer) }
        .to_str()
        .map_err(|_| Error::usage("C API", format!("argument `{name}` is not UTF-8")))
}

/// Reads the URI or path of an array. Null is an empty string, which is not a valid URI.
pub(crate) unsafe fn uri_text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str> {
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    unsafe { optional_text(pointer, name) }.map(Option::unwrap_or_default)
}

/// Reads the URI or path of an array, and parses it.
pub(crate) unsafe fn uri(pointer: *const c_char, name: &str) -> Result<Uri> {
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    array::parse_uri(unsafe { uri_text(pointer, name)? })
}

/// Reads bytes. The pointer must not be null unless `len` is 0.
pub(crate) unsafe fn bytes<'a>(pointer: *const c_void, len: u64, name: &str) -> Result<&'a [u8]> {
    if len == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(null(name));
    }
    let len = memory_len(len, name)?;
    // SAFETY: not null and with a possible length; otherwise valid by the contract in lib.rs.
    Ok(unsafe { std::slice::from_raw_parts(pointer.cast(), len) })
}

/// Reads bytes of a known length, or returns `None` for a null pointer.
pub(crate) unsafe fn optional_bytes<'a>(pointer: *const c_void, len: usize) -> Option<&'a [u8]> {
    // SAFETY: not null and pointing to a value of `len` bytes, by the contract in lib.rs.
    (!pointer.is_null()).then(|| unsafe { std::slice::from_raw_parts(pointer.cast(), len) })
}

/// Reads a string that may be null.
pub(crate) unsafe fn optional_text<'a>(
    pointer: *const c_char,
    name: &str,
) -> Result<Option<&'a str>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: checked not to be null; otherwise valid by the contract in lib.rs.
    unsafe { text(pointer, name) }.map(Some)
}

/// Reads `num` values of a datatype. Null means no values.
pub(crate) unsafe fn values_or_none<'a>(
    pointer: *const c_void,
    datatype: Datatype,
    num: u32,
) -> Result<&'a [u8]> {
    let len = u64::from(num) * datatype.size() as u64;
    let len = if pointer.is_null() { 0 } else { len };
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    unsafe { bytes(pointer, len, "value") }
}

/// Reads a string that must not be null. `missing` is the message of the error, which programs
/// compare.
pub(crate) unsafe fn text_or<'a>(
    pointer: *const c_char,
    name: &str,
    missing: &str,
) -> Result<&'a str> {
    if pointer.is_null() {
        return Err(Error::usage("C API", missing));
    }
    // SAFETY: checked not to be null; otherwise valid by the contract in lib.rs.
    unsafe { text(pointer, name) }
}

/// Returns a buffer of the caller for writing, which must not be null.
pub(crate) unsafe fn bytes_mut<'a>(
    pointer: *mut c_void,
    len: u64,
    name: &str,
) -> Result<&'a mut [u8]> {
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    let output = unsafe { out(pointer.cast::<u8>(), name) }?;
    let len = memory_len(len, name)?;
    // SAFETY: not null and with a possible length; otherwise valid by the contract in lib.rs.
    Ok(unsafe { std::slice::from_raw_parts_mut(output.0.as_ptr(), len) })
}

/// Converts a length of memory, which cannot exceed the address space.
pub(crate) fn memory_len(len: u64, name: &str) -> Result<usize> {
    usize::try_from(len)
        .ok()
        .filter(|len| isize::try_from(*len).is_ok())
        .ok_or_else(|| Error::usage("C API", format!("argument `{name}` is larger than memory")))
}

/// Returns the value of an enum, or an error with the unknown code.
pub(crate) fn enum_value<T>(value: Option<T>, subject: &str, code: u32) -> Result<T> {
    value.ok_or_else(|| Error::usage("C API", format!("{code} is not a valid {subject}")))
}

/// Returns the error for a null argument.
pub(crate) fn null(name: &str) -> Error {
    Error::usage("C API", format!("argument `{name}` may not be nullptr"))
}

/// Reads an offset from eight bytes of a caller's buffer, which need not be aligned.
pub(crate) fn offset(bytes: &[u8]) -> u64 {
    bytes
        .first_chunk()
        .map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Checks a layout.
pub(crate) fn layout(code: tiledb_layout_t) -> Result<Layout> {
    enum_value(Layout::from_code(code), "layout", code)
}

/// Checks a query type.
pub(crate) fn query_type(code: tiledb_query_type_t) -> Result<QueryType> {
    enum_value(QueryType::from_code(code), "query type", code)
}

/// Checks a datatype.
pub(crate) fn datatype(code: tiledb_datatype_t) -> Result<Datatype> {
    let found = Datatype::from_code(code);
    found.ok_or_else(|| Error::usage("TileDB internal", format!("Invalid Datatype ({code})")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_argument_error_contains_the_parameter_name() {
        // SAFETY: `text` checks for null.
        let error = unsafe { text(std::ptr::null(), "param") };
        assert_eq!(
            error.map_err(|error| error.to_string()),
            Err("C API: argument `param` may not be nullptr".to_owned())
        );
    }

    #[test]
    fn null_output_pointer_error_has_the_text_of_libtiledb() {
        // SAFETY: `out` checks for null.
        let error = unsafe { out::<u32>(std::ptr::null_mut(), "count") }.err();
        let error = error.map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(
            error,
            "C API: Invalid output pointer for object; `count` is null"
        );
    }

    #[test]
    fn null_bytes_are_valid_only_with_length_zero() {
        // SAFETY: `bytes` checks for null.
        unsafe {
            assert!(bytes(std::ptr::null(), 0, "data").is_ok_and(<[u8]>::is_empty));
            assert!(bytes(std::ptr::null(), 1, "data").is_err());
        }
    }
}
