//! Emits the C header and names the shared library.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libtiledb.so.2.30");
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
