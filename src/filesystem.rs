//! DOC family

use crate::prelude::*;

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filesystem_from_str(
    str: *const c_char,
    filesystem: *mut tiledb_filesystem_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (str, filesystem);
        entry::not_implemented_plain("tiledb_filesystem_from_str")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filesystem_to_str(
    filesystem: tiledb_filesystem_t,
    str: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (filesystem, str);
        entry::not_implemented_plain("tiledb_filesystem_to_str")
    }
}
