//! Strings that functions make and C frees: dumps, names, messages.

use crate::prelude::*;

/// A text. It may hold zeros; one more follows its end.
pub struct tiledb_string_handle_t {
    /// The text and the zero behind it.
    bytes: Vec<u8>,
}
/// The name C programs use.
pub type tiledb_string_t = tiledb_string_handle_t;

impl tiledb_string_handle_t {
    /// A handle for a text.
    pub(crate) fn new(text: impl Into<Vec<u8>>) -> Self {
        let mut bytes = text.into();
        bytes.push(0);
        Self { bytes }
    }
}

/// Frees a string.
///
/// @param s The string; null afterwards.
/// @return `TILEDB_OK`; `TILEDB_ERR` if there was none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_string_free(s: *mut *mut tiledb_string_t) -> capi_return_t {
    entry::plain(|| {
        let held = arg::out(s, "s").map(|_| *s)?;
        handle::borrow(held)?;
        handle::release(s);
        Ok(())
    })
}

/// Gets the bytes of a string.
///
/// @param s The string.
/// @param data Becomes the first byte; a zero follows the last. It belongs to the string and lasts until that is freed.
/// @param length Becomes the length in bytes, without the zero.
/// @return `TILEDB_OK` or `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_string_view(
    s: *mut tiledb_string_t,
    data: *mut *const c_char,
    length: *mut usize,
) -> capi_return_t {
    entry::plain(|| {
        let s = handle::borrow(s)?;
        let (data, length) = (arg::out(data, "data")?, arg::out(length, "length")?);
        data.set(s.bytes.as_ptr().cast());
        length.set(s.bytes.len() - 1);
        Ok(())
    })
}
