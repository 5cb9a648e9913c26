//! Names of the values of enums that have no file of their own.

use tiledb_engine::internal::types::{ArrayType, DataOrder, EncryptionType, Layout};

use crate::prelude::*;

/// Converts the name of a value to the type of an array.
///
/// @param str The name, such as "dense".
/// @param array_type Set to the type of an array.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_type_from_str(
    str: *const c_char,
    array_type: *mut tiledb_array_type_t,
) -> capi_return_t {
    entry::code_only(|| {
        let value = ArrayType::from_name(arg::text(str, "str")?);
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown type of an array"))?;
        arg::out(array_type, "array_type")?.set(value.code().into());
        Ok(())
    })
}

/// Gets the name of the type of an array, such as "dense".
///
/// @param array_type The type of an array.
/// @param str Set to a static string; to an empty string if the value is unknown.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_type_to_str(
    array_type: tiledb_array_type_t,
    str: *mut *const c_char,
) -> capi_return_t {
    entry::code_only(|| {
        let str = arg::out(str, "str")?;
        let value = ArrayType::from_code(array_type);
        str.set(c_strings::constant(value.map_or("", ArrayType::name)));
        arg::enum_value(value, "type of an array", array_type)?;
        Ok(())
    })
}

/// Converts the name of a value to the data order.
///
/// @param str The name, such as "increasing".
/// @param data_order Set to the data order.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_data_order_from_str(
    str: *const c_char,
    data_order: *mut tiledb_data_order_t,
) -> capi_return_t {
    entry::code_only(|| {
        let value = DataOrder::from_name(arg::text(str, "str")?);
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown data order"))?;
        arg::out(data_order, "data_order")?.set(value.code().into());
        Ok(())
    })
}

/// Gets the name of the data order, such as "increasing".
///
/// @param data_order The data order.
/// @param str Set to a static string; to an empty string if the value is unknown.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_data_order_to_str(
    data_order: tiledb_data_order_t,
    str: *mut *const c_char,
) -> capi_return_t {
    entry::code_only(|| {
        let str = arg::out(str, "str")?;
        let value = DataOrder::from_code(data_order);
        str.set(c_strings::constant(value.map_or("", DataOrder::name)));
        arg::enum_value(value, "data order", data_order)?;
        Ok(())
    })
}

/// Converts the name of a value to the encryption type.
///
/// @param str The name, such as "AES_256_GCM".
/// @param encryption_type Set to the encryption type.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_encryption_type_from_str(
    str: *const c_char,
    encryption_type: *mut tiledb_encryption_type_t,
) -> capi_return_t {
    entry::code_only(|| {
        let value = EncryptionType::from_name(arg::text(str, "str")?);
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown encryption type"))?;
        arg::out(encryption_type, "encryption_type")?.set(value.code().into());
        Ok(())
    })
}

/// Gets the name of the encryption type, such as "AES_256_GCM".
///
/// @param encryption_type The encryption type.
/// @param str Set to a static string; to an empty string if the value is unknown.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_encryption_type_to_str(
    encryption_type: tiledb_encryption_type_t,
    str: *mut *const c_char,
) -> capi_return_t {
    entry::code_only(|| {
        let str = arg::out(str, "str")?;
        let value = EncryptionType::from_code(encryption_type);
        str.set(c_strings::constant(value.map_or("", EncryptionType::name)));
        arg::enum_value(value, "encryption type", encryption_type)?;
        Ok(())
    })
}

/// Converts the name of a value to the layout.
///
/// @param str The name, such as "row-major".
/// @param layout Set to the layout.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_layout_from_str(
    str: *const c_char,
    layout: *mut tiledb_layout_t,
) -> capi_return_t {
    entry::code_only(|| {
        let value = Layout::from_name(arg::text(str, "str")?);
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown layout"))?;
        arg::out(layout, "layout")?.set(value.code().into());
        Ok(())
    })
}

/// Gets the name of the layout, such as "row-major".
///
/// @param layout The layout.
/// @param str Set to a static string; to an empty string if the value is unknown.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_layout_to_str(
    layout: tiledb_layout_t,
    str: *mut *const c_char,
) -> capi_return_t {
    entry::code_only(|| {
        let str = arg::out(str, "str")?;
        let value = Layout::from_code(layout);
        str.set(c_strings::constant(value.map_or("", Layout::name)));
        arg::enum_value(value, "layout", layout)?;
        Ok(())
    })
}
