//! Runs the tests in Python of the package with its native module and that of `tiledb_rs`. Set
//! `TILEDB_RS_PYTHON` to a Python with numpy, pyarrow, pytest, and for some tests datafusion 55,
//! pandas and polars; tests whose packages are missing are skipped.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns a library of this build: next to this program, or one folder up.
fn library(name: &str) -> PathBuf {
    let program = std::env::current_exe().expect("the path of this program");
    let folders = program.ancestors().skip(1).take(2);
    let mut found = folders.map(|folder| folder.join(name));
    found
        .find(|path| path.exists())
        .expect("cargo builds the native modules before their tests")
}

#[test]
fn tests_in_python_pass() {
    let python = std::env::var("TILEDB_RS_PYTHON").unwrap_or_else(|_| "python3".into());
    let has_packages = Command::new(&python)
        .args(["-c", "import numpy, pyarrow, pytest"])
        .output();
    if !has_packages.is_ok_and(|output| output.status.success()) {
        eprintln!(
            "skipped: {python} has no numpy, pyarrow or pytest; TILEDB_RS_PYTHON selects another"
        );
        return;
    }
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-sql-package");
    for (script, name) in [
        ("../python/stage", "libtiledb_python.so"),
        ("stage", "libtiledb_python_sql.so"),
    ] {
        let staged = Command::new(package.join(script))
            .arg(library(name))
            .arg(&folder)
            .output();
        let staged = staged.expect("the script runs");
        assert!(staged.status.success(), "{staged:?}");
    }
    let output = Command::new(&python)
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "-x", "-rs"])
        .args(["--no-header", "--doctest-glob=README.md"])
        .arg(package.join("tests"))
        .arg(package.join("README.md"))
        .arg(package.join("../python/tests/test_sql.py"))
        .env("PYTHONPATH", &folder)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(&folder)
        .output();
    let output = output.expect("pytest runs");
    let (printed, problems) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{printed}\n{problems}");
    eprintln!("{printed}");
}
