//! Error objects.

use crate::prelude::*;

/// An error with a message of one line.
pub struct tiledb_error_handle_t {
    text: CString,
}

impl tiledb_error_handle_t {
    /// Creates an error object for C.
    pub(crate) fn boxed(error: &Error) -> *mut Self {
        Self::boxed_text(c_strings::c_string(&error.libtiledb_text()))
    }

    /// Creates an error object with a message.
    pub(crate) fn boxed_text(text: CString) -> *mut Self {
        Box::into_raw(Box::new(Self { text }))
    }
}
/// Name of the type in C programs.
pub type tiledb_error_t = tiledb_error_handle_t;

/// Frees an error.
///
/// @param err Pointer to the handle, which is set to null. Null and a pointer to null are ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_error_free(err: *mut *mut tiledb_error_t) {
    handle::release(err)
}

/// Gets the message of an error.
///
/// @param err The error.
/// @param errmsg Set to the message, valid until the error is freed.
/// @return `TILEDB_OK` or `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_error_message(
    err: *mut tiledb_error_t,
    errmsg: *mut *const c_char,
) -> capi_return_t {
    entry::code_only(|| {
        let err = handle::borrow(err)?;
        arg::out(errmsg, "errmsg")?.set(err.text.as_ptr());
        Ok(())
    })
}
