//! Names of the storage backends.

use crate::prelude::*;

/// The names in the order of the values of the C enum `tiledb_filesystem_t`.
const NAMES: [&str; 5] = ["HDFS", "S3", "AZURE", "GCS", "MEM"];

/// Converts the name of a storage backend, such as "S3", to its value.
///
/// @param str The name, in capital letters.
/// @param filesystem Set to the value.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the name is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filesystem_from_str(
    str: *const c_char,
    filesystem: *mut tiledb_filesystem_t,
) -> capi_return_t {
    entry::code_only(|| {
        let str = arg::text(str, "str")?;
        let filesystem = arg::out(filesystem, "filesystem")?;
        let code = NAMES.iter().position(|name| *name == str);
        let unknown = || Error::usage("C API", format!("Unknown filesystem '{str}'"));
        filesystem.set(code.ok_or_else(unknown)? as tiledb_filesystem_t);
        Ok(())
    })
}

/// Gets the name of a storage backend.
///
/// @param filesystem The backend.
/// @param str Set to a static string; to an empty string if the value is unknown.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filesystem_to_str(
    filesystem: tiledb_filesystem_t,
    str: *mut *const c_char,
) -> capi_return_t {
    entry::code_only(|| {
        let name = NAMES.get(filesystem as usize).copied();
        arg::out(str, "str")?.set(c_strings::constant(name.unwrap_or_default()));
        arg::enum_value(name, "filesystem", filesystem).map(drop)
    })
}
