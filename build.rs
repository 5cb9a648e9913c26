//! Emits the C header and names the shared library.
//!
//! The header is written to `OUT_DIR`, and to `include/` if it differs from the existing one and
//! the folder is writable. If `TILEDB_RS_KEEP_HEADER` is set, `include/` is not changed, so that
//! the test `header` detects an outdated header.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

type Answer<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Answer<()> {
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libtiledb.so.2.30");
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    for input in ["build.rs", "cbindgen.toml", "src", "include/tiledb_rs.h"] {
        println!("cargo:rerun-if-changed={input}");
    }
    let made = Path::new(&env::var("OUT_DIR")?).join("tiledb_rs.h");
    header_of(&root)?.write_to_file(&made);
    println!("cargo:rerun-if-env-changed=TILEDB_RS_KEEP_HEADER");
    println!("cargo:rustc-env=TILEDB_RS_HEADER={}", made.display());
    if env::var_os("TILEDB_RS_KEEP_HEADER").is_some() {
        return Ok(());
    }
    if let Err(problem) = refresh(&made, &root.join("include/tiledb_rs.h")) {
        println!("cargo:warning=include/tiledb_rs.h stays as it is: {problem}");
    }
    Ok(())
}

/// The header of all families, in the order in which lib.rs names them.
fn header_of(root: &Path) -> Answer<cbindgen::Bindings> {
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml"))?;
    Ok(cbindgen::Builder::new()
        .with_config(config)
        .with_src(root.join("src/lib.rs"))
        .generate()?)
}

/// Copies `made` over `kept` where they differ.
fn refresh(made: &Path, kept: &Path) -> io::Result<()> {
    let new = fs::read(made)?;
    if fs::read(kept).is_ok_and(|old| old == new) {
        return Ok(());
    }
    fs::write(kept, new)
}
