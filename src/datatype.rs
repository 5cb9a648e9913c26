//! Names and sizes of datatypes.

use tiledb_engine::internal::types::Datatype;

use crate::prelude::*;

/// Converts the name of a value to the datatype.
///
/// @param str The name, such as "INT32".
/// @param datatype Set to the datatype.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_datatype_from_str(
    str: *const c_char,
    datatype: *mut tiledb_datatype_t,
) -> capi_return_t {
    entry::code_only(|| {
        let value = Datatype::from_name(arg::text(str, "str")?);
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown datatype"))?;
        arg::out(datatype, "datatype")?.set(value.code().into());
        Ok(())
    })
}

/// Gets the size of a value of a datatype.
///
/// @param type The datatype.
/// @return The size in bytes; 0 for an unknown datatype.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_datatype_size(r#type: tiledb_datatype_t) -> u64 {
    Datatype::from_code(r#type).map_or(0, |datatype| datatype.size() as u64)
}

/// Gets the name of the datatype, such as "INT32".
///
/// @param datatype The datatype.
/// @param str Set to a static string; to an empty string if the value is unknown.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_datatype_to_str(
    datatype: tiledb_datatype_t,
    str: *mut *const c_char,
) -> capi_return_t {
    entry::code_only(|| {
        let str = arg::out(str, "str")?;
        let value = Datatype::from_code(datatype);
        str.set(c_strings::constant(value.map_or("", Datatype::name)));
        arg::enum_value(value, "datatype", datatype)?;
        Ok(())
    })
}
