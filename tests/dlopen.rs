//! The shared library can be loaded and unloaded repeatedly and from several threads.

mod shared_library;

use std::ffi::{CString, c_int, c_void};
use std::os::unix::ffi::OsStringExt;

type Version = unsafe extern "C" fn(*mut c_int, *mut c_int, *mut c_int);

/// Loads the library, calls `tiledb_version` and unloads the library.
fn load_and_call(path: &CString) -> [c_int; 3] {
    let mut version = [-1; 3];
    let [major, minor, patch] = &mut version;
    // SAFETY: the path names this build's library; the symbol has the signature in the header.
    unsafe {
        let library: *mut c_void = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
        assert!(!library.is_null(), "dlopen fails");
        let symbol = libc::dlsym(library, c"tiledb_version".as_ptr());
        assert!(!symbol.is_null(), "tiledb_version is not there");
        let ask = std::mem::transmute::<*mut c_void, Version>(symbol);
        ask(major, minor, patch);
        assert_eq!(libc::dlclose(library), 0);
    }
    version
}

#[test]
fn repeated_and_concurrent_loading_succeeds() {
    let path = CString::new(shared_library::path().into_os_string().into_vec());
    let path = path.expect("a path without a zero");
    let first = load_and_call(&path);
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let path = path.clone();
            std::thread::spawn(move || (0..200).map(|_| load_and_call(&path)).collect::<Vec<_>>())
        })
        .collect();
    for thread in threads {
        let versions = thread.join().expect("no thread fails");
        assert!(versions.iter().all(|version| *version == first));
    }
    assert_eq!(first, [2, 30, 0]);
}
