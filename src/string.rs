//! DOC family

use crate::prelude::*;

/// A text that the caller owns.
pub struct tiledb_string_handle_t {
    text: String,
}

impl tiledb_string_handle_t {
    /// A text for C.
    pub(crate) fn new(text: String) -> Self {
        Self { text }
    }
}

/// The name C programs use.
pub type tiledb_string_t = tiledb_string_handle_t;

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_string_free(s: *mut *mut tiledb_string_t) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (s,);
        entry::not_implemented_plain("tiledb_string_free")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_string_view(
    s: *mut tiledb_string_t,
    data: *mut *const c_char,
    length: *mut usize,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (s, data, length);
        entry::not_implemented_plain("tiledb_string_view")
    }
}
