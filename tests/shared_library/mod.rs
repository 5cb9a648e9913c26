//! The location of the shared library of this build.

use std::path::PathBuf;

/// Returns its path: next to the test programs, or one folder up.
pub(crate) fn path() -> PathBuf {
    let program = std::env::current_exe().expect("the path of this program");
    let found = program
        .ancestors()
        .skip(1)
        .take(2)
        .map(|folder| folder.join("libtiledb_rs.so"))
        .find(|path| path.exists());
    found.expect("cargo builds the shared library before its tests")
}
