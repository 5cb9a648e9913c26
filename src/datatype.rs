//! Datatypes: their texts and sizes.

use tiledb_engine::types::Datatype;

use crate::prelude::*;

/// Gives the datatype for its text.
///
/// @param str The text, as "INT32".
/// @param datatype Receives the datatype.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_datatype_from_str(
    str: *const c_char,
    datatype: *mut tiledb_datatype_t,
) -> capi_return_t {
    entry::plain(|| {
        let value = Datatype::from_name(arg::text(str, "str")?);
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown datatype"))?;
        arg::out(datatype, "datatype")?.set(value.code().into());
        Ok(())
    })
}

/// Gets the size of a value of a datatype.
///
/// @param type The datatype.
/// @return The size in bytes; 0 if there is no such datatype.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_datatype_size(r#type: tiledb_datatype_t) -> u64 {
    Datatype::from_code(r#type).map_or(0, |datatype| datatype.size() as u64)
}

/// Gives the text for a datatype, as "INT32".
///
/// @param datatype The datatype.
/// @param str Receives the text, which lives as long as the library; an empty one if there is no such value.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_datatype_to_str(
    datatype: tiledb_datatype_t,
    str: *mut *const c_char,
) -> capi_return_t {
    entry::plain(|| {
        let str = arg::out(str, "str")?;
        let value = Datatype::from_code(datatype);
        str.set(kept::constant(value.map_or("", Datatype::name)));
        arg::known(value, "datatype", datatype)?;
        Ok(())
    })
}
