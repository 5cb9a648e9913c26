//! String handles: strings that functions create and the caller frees.

use crate::prelude::*;

/// A string. It may contain zero bytes; a terminating zero follows the last byte.
pub struct tiledb_string_handle_t {
    /// The bytes with the terminating zero.
    bytes: Vec<u8>,
}
/// Name of the type in C programs.
pub type tiledb_string_t = tiledb_string_handle_t;

impl tiledb_string_handle_t {
    /// Creates a handle for a string.
    pub(crate) fn new(text: impl Into<Vec<u8>>) -> Self {
        let mut bytes = text.into();
        bytes.push(0);
        Self { bytes }
    }
}

/// Frees a string.
///
/// @param s Pointer to the handle, which is set to null. Null and a pointer to null are ignored.
/// @return `TILEDB_OK`; `TILEDB_ERR` if `s` or the handle that it points to is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_string_free(s: *mut *mut tiledb_string_t) -> capi_return_t {
    entry::code_only(|| handle::release_existing(s, "s"))
}

/// Gets the bytes of a string.
///
/// @param s The string.
/// @param data Set to a pointer to the bytes, valid until the string is freed. A zero byte follows
///   the last.
/// @param length Set to the length in bytes, without the terminating zero.
/// @return `TILEDB_OK`; `TILEDB_ERR` if a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_string_view(
    s: *mut tiledb_string_t,
    data: *mut *const c_char,
    length: *mut usize,
) -> capi_return_t {
    entry::code_only(|| {
        let s = handle::borrow(s)?;
        let (data, length) = (arg::out(data, "data")?, arg::out(length, "length")?);
        data.set(s.bytes.as_ptr().cast());
        length.set(s.bytes.len() - 1);
        Ok(())
    })
}
