//! Runs the tests in Python of the package with its native module. Set `TILEDB_RS_PYTHON` to a
//! Python with the packages of `capi-tests/python-environment`; tests whose packages are missing
//! are skipped.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the native module of this build: next to this program, or one folder up.
fn native() -> PathBuf {
    let program = std::env::current_exe().expect("the path of this program");
    let folders = program.ancestors().skip(1).take(2);
    let mut found = folders.map(|folder| folder.join("libtiledb_python.so"));
    found
        .find(|path| path.exists())
        .expect("cargo builds the native module before its tests")
}

/// Returns the Python of the tests.
fn python() -> String {
    std::env::var("TILEDB_RS_PYTHON").unwrap_or_else(|_| "python3".into())
}

#[test]
fn programs_of_tiledb_py_run_on_the_native_module() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/with-tiledb-py");
    let output = Command::new(script).arg(native()).arg(python()).output();
    let output = output.expect("the script runs");
    let (printed, problems) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    let is_skipped = output.status.code() == Some(77);
    assert!(
        output.status.success() || is_skipped,
        "{printed}\n{problems}"
    );
    eprintln!("{printed}");
}

#[test]
fn tests_in_python_pass() {
    let python = python();
    let has_packages = Command::new(&python)
        .args(["-c", "import numpy, pytest"])
        .output();
    if !has_packages.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: {python} has no numpy or no pytest; TILEDB_RS_PYTHON selects another");
        return;
    }
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-package");
    let staged = Command::new(package.join("stage"))
        .arg(native())
        .arg(&folder)
        .output();
    let staged = staged.expect("the script runs");
    assert!(staged.status.success(), "{staged:?}");
    // Tests sync files often.
    let memory = Path::new("/dev/shm");
    let arrays = if memory.is_dir() {
        memory.to_owned()
    } else {
        std::env::temp_dir()
    };
    let output = Command::new(&python)
        .env("TMPDIR", arrays)
        .args([
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-x",
            "--no-header",
            "-rs",
        ])
        .arg(package.join("tests"))
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
