//! DOC family

use crate::prelude::*;

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_datatype_from_str(
    str: *const c_char,
    datatype: *mut tiledb_datatype_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (str, datatype);
        entry::not_implemented_plain("tiledb_datatype_from_str")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_datatype_size(type_: tiledb_datatype_t) -> u64 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (type_,);
        0
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_datatype_to_str(
    datatype: tiledb_datatype_t,
    str: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (datatype, str);
        entry::not_implemented_plain("tiledb_datatype_to_str")
    }
}
