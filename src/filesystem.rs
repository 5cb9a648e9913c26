//! The kinds of storage, and their names.

use crate::prelude::*;

/// The kinds in the order of their values in the C enum `tiledb_filesystem_t`.
const NAMES: [&str; 5] = ["HDFS", "S3", "AZURE", "GCS", "MEM"];

/// Gets the kind of storage of a name, such as "S3".
///
/// @param str The name, in capitals.
/// @param filesystem Becomes the kind.
/// @return `TILEDB_OK`; `TILEDB_ERR` for an unknown name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filesystem_from_str(
    str: *const c_char,
    filesystem: *mut tiledb_filesystem_t,
) -> capi_return_t {
    entry::plain(|| {
        let str = arg::text(str, "str")?;
        let filesystem = arg::out(filesystem, "filesystem")?;
        let code = NAMES.iter().position(|name| *name == str);
        let unknown = || Error::usage("C API", format!("Unknown filesystem '{str}'"));
        filesystem.set(code.ok_or_else(unknown)? as tiledb_filesystem_t);
        Ok(())
    })
}

/// Gets the name of a kind of storage.
///
/// @param filesystem The kind.
/// @param str Becomes the name, which lasts for ever; an empty text for an unknown kind.
/// @return `TILEDB_OK`; `TILEDB_ERR` for an unknown kind.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filesystem_to_str(
    filesystem: tiledb_filesystem_t,
    str: *mut *const c_char,
) -> capi_return_t {
    entry::plain(|| {
        let name = NAMES.get(filesystem as usize).copied();
        arg::out(str, "str")?.set(kept::constant(name.unwrap_or_default()));
        arg::known(name, "filesystem", filesystem).map(drop)
    })
}
