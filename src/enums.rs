//! Texts of enums that have no family of their own.

use tiledb_engine::types::{DataOrder, EncryptionType};

use crate::prelude::*;

/// Finds the value of a text that `tiledb_data_order_to_str` gives.
///
/// @param str The text.
/// @param data_order Receives the value.
/// @return `TILEDB_OK`, or `TILEDB_ERR` for an unknown value or a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_data_order_from_str(
    str: *const c_char,
    data_order: *mut tiledb_data_order_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::plain(|| {
            let value = DataOrder::from_name(arg::text(str, "str")?);
            let value = value.ok_or_else(|| Error::usage("C API", "Unknown data order"))?;
            arg::out(data_order, "data_order")?.set(value.code().into());
            Ok(())
        })
    }
}

/// Lends the text of an order of values, valid for ever.
///
/// @param data_order The value.
/// @param str Receives the text.
/// @return `TILEDB_OK`, or `TILEDB_ERR` for an unknown value or a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_data_order_to_str(
    data_order: tiledb_data_order_t,
    str: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::plain(|| {
            let value = arg::known(DataOrder::from_code(data_order), "data order", data_order)?;
            arg::out(str, "str")?.set(kept::constant(value.name()));
            Ok(())
        })
    }
}

/// Finds the value of a text that `tiledb_encryption_type_to_str` gives.
///
/// @param str The text.
/// @param encryption_type Receives the value.
/// @return `TILEDB_OK`, or `TILEDB_ERR` for an unknown value or a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_encryption_type_from_str(
    str: *const c_char,
    encryption_type: *mut tiledb_encryption_type_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::plain(|| {
            let value = EncryptionType::from_name(arg::text(str, "str")?);
            let value = value.ok_or_else(|| Error::usage("C API", "Unknown encryption type"))?;
            arg::out(encryption_type, "encryption_type")?.set(value.code().into());
            Ok(())
        })
    }
}

/// Lends the text of a kind of encryption, valid for ever.
///
/// @param encryption_type The value.
/// @param str Receives the text.
/// @return `TILEDB_OK`, or `TILEDB_ERR` for an unknown value or a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_encryption_type_to_str(
    encryption_type: tiledb_encryption_type_t,
    str: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::plain(|| {
            let value = arg::known(
                EncryptionType::from_code(encryption_type),
                "encryption type",
                encryption_type,
            )?;
            arg::out(str, "str")?.set(kept::constant(value.name()));
            Ok(())
        })
    }
}
