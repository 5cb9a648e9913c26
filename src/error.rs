//! DOC family

use crate::prelude::*;

/// DOC handle
pub struct tiledb_error_handle_t {
    text: std::ffi::CString,
}

impl tiledb_error_handle_t {
    /// An error object for C.
    pub(crate) fn boxed(error: &Error) -> *mut Self {
        let text =
            std::ffi::CString::new(error.to_string().replace('\0', "\\0")).unwrap_or_default();
        Box::into_raw(Box::new(Self { text }))
    }
}
/// The name C programs use.
pub type tiledb_error_t = tiledb_error_handle_t;

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_error_free(err: *mut *mut tiledb_error_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (err,);
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_error_message(
    err: *mut tiledb_error_t,
    errmsg: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (err, errmsg);
        entry::not_implemented_plain("tiledb_error_message")
    }
}
