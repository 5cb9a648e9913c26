//! DOC family

use crate::prelude::*;

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_data_order_from_str(
    str: *const c_char,
    data_order: *mut tiledb_data_order_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (str, data_order);
        entry::not_implemented_plain("tiledb_data_order_from_str")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_data_order_to_str(
    data_order: tiledb_data_order_t,
    str: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (data_order, str);
        entry::not_implemented_plain("tiledb_data_order_to_str")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_encryption_type_from_str(
    str: *const c_char,
    encryption_type: *mut tiledb_encryption_type_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (str, encryption_type);
        entry::not_implemented_plain("tiledb_encryption_type_from_str")
    }
}

/// DOC
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_encryption_type_to_str(
    encryption_type: tiledb_encryption_type_t,
    str: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (encryption_type, str);
        entry::not_implemented_plain("tiledb_encryption_type_to_str")
    }
}
