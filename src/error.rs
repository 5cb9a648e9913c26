//! Error objects: a text that says what went wrong.

use crate::prelude::*;

/// An error: one line of text.
pub struct tiledb_error_handle_t {
    text: CString,
}

impl tiledb_error_handle_t {
    /// An error object for C.
    pub(crate) fn boxed(error: &Error) -> *mut Self {
        Self::boxed_text(kept::c_string(&error.to_string()))
    }

    /// An error object with a ready text.
    pub(crate) fn boxed_text(text: CString) -> *mut Self {
        Box::into_raw(Box::new(Self { text }))
    }
}
/// The name C programs use.
pub type tiledb_error_t = tiledb_error_handle_t;

/// Frees an error.
///
/// @param err The error; null afterwards. Null is fine at both levels.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_error_free(err: *mut *mut tiledb_error_t) {
    handle::release(err)
}

/// Gets the text of an error.
///
/// @param err The error.
/// @param errmsg Becomes the text. It belongs to the error and lasts until that is freed.
/// @return `TILEDB_OK` or `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_error_message(
    err: *mut tiledb_error_t,
    errmsg: *mut *const c_char,
) -> capi_return_t {
    entry::plain(|| {
        let err = handle::borrow(err)?;
        arg::out(errmsg, "errmsg")?.set(err.text.as_ptr());
        Ok(())
    })
}
