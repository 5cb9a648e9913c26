//! The texts of small enums that have no better home.

use tiledb_engine::types::{ArrayType, DataOrder, EncryptionType, Layout};

use crate::prelude::*;

/// Gives the type of an array for its text.
///
/// @param str The text, as "dense".
/// @param array_type Receives the type of an array.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_type_from_str(
    str: *const c_char,
    array_type: *mut tiledb_array_type_t,
) -> capi_return_t {
    entry::plain(|| {
        let value = ArrayType::from_name(arg::text(str, "str")?);
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown type of an array"))?;
        arg::out(array_type, "array_type")?.set(value.code().into());
        Ok(())
    })
}

/// Gives the text for a type of an array, as "dense".
///
/// @param array_type The type of an array.
/// @param str Receives the text, which lives as long as the library; an empty one if there is no such value.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_type_to_str(
    array_type: tiledb_array_type_t,
    str: *mut *const c_char,
) -> capi_return_t {
    entry::plain(|| {
        let str = arg::out(str, "str")?;
        let value = ArrayType::from_code(array_type);
        str.set(kept::constant(value.map_or("", ArrayType::name)));
        arg::known(value, "type of an array", array_type)?;
        Ok(())
    })
}

/// Gives the data order for its text.
///
/// @param str The text, as "increasing".
/// @param data_order Receives the data order.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_data_order_from_str(
    str: *const c_char,
    data_order: *mut tiledb_data_order_t,
) -> capi_return_t {
    entry::plain(|| {
        let value = DataOrder::from_name(arg::text(str, "str")?);
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown data order"))?;
        arg::out(data_order, "data_order")?.set(value.code().into());
        Ok(())
    })
}

/// Gives the text for a data order, as "increasing".
///
/// @param data_order The data order.
/// @param str Receives the text, which lives as long as the library; an empty one if there is no such value.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_data_order_to_str(
    data_order: tiledb_data_order_t,
    str: *mut *const c_char,
) -> capi_return_t {
    entry::plain(|| {
        let str = arg::out(str, "str")?;
        let value = DataOrder::from_code(data_order);
        str.set(kept::constant(value.map_or("", DataOrder::name)));
        arg::known(value, "data order", data_order)?;
        Ok(())
    })
}

/// Gives the encryption type for its text.
///
/// @param str The text, as "AES_256_GCM".
/// @param encryption_type Receives the encryption type.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_encryption_type_from_str(
    str: *const c_char,
    encryption_type: *mut tiledb_encryption_type_t,
) -> capi_return_t {
    entry::plain(|| {
        let value = EncryptionType::from_name(arg::text(str, "str")?);
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown encryption type"))?;
        arg::out(encryption_type, "encryption_type")?.set(value.code().into());
        Ok(())
    })
}

/// Gives the text for a encryption type, as "AES_256_GCM".
///
/// @param encryption_type The encryption type.
/// @param str Receives the text, which lives as long as the library; an empty one if there is no such value.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_encryption_type_to_str(
    encryption_type: tiledb_encryption_type_t,
    str: *mut *const c_char,
) -> capi_return_t {
    entry::plain(|| {
        let str = arg::out(str, "str")?;
        let value = EncryptionType::from_code(encryption_type);
        str.set(kept::constant(value.map_or("", EncryptionType::name)));
        arg::known(value, "encryption type", encryption_type)?;
        Ok(())
    })
}

/// Gives the layout for its text.
///
/// @param str The text, as "row-major".
/// @param layout Receives the layout.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_layout_from_str(
    str: *const c_char,
    layout: *mut tiledb_layout_t,
) -> capi_return_t {
    entry::plain(|| {
        let value = Layout::from_name(arg::text(str, "str")?);
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown layout"))?;
        arg::out(layout, "layout")?.set(value.code().into());
        Ok(())
    })
}

/// Gives the text for a layout, as "row-major".
///
/// @param layout The layout.
/// @param str Receives the text, which lives as long as the library; an empty one if there is no such value.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_layout_to_str(
    layout: tiledb_layout_t,
    str: *mut *const c_char,
) -> capi_return_t {
    entry::plain(|| {
        let str = arg::out(str, "str")?;
        let value = Layout::from_code(layout);
        str.set(kept::constant(value.map_or("", Layout::name)));
        arg::known(value, "layout", layout)?;
        Ok(())
    })
}
