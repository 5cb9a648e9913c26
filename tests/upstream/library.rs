//! A library with the C API, loaded at run time and called by name: so one program asks two of them the same.

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::Path;

/// A library with the C API, its functions called by name.
pub(crate) struct Library {
    pub(crate) handle: *mut c_void,
    pub(crate) name: &'static str,
    pub(crate) ctx: usize,
}

impl Library {
    /// Loads it; what its context makes is encrypted with the key, if there is one.
    pub(crate) fn open(path: &Path, name: &'static str, key: Option<&CStr>) -> Self {
        let path = CString::new(path.to_str().expect("path")).expect("path");
        // SAFETY: a library with the C API.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        assert!(!handle.is_null(), "{name} does not load");
        let mut library = Self {
            handle,
            name,
            ctx: 0,
        };
        let (mut ctx, mut config, mut error) = (0usize, 0usize, 0usize);
        if let Some(key) = key {
            library.call("config_alloc", &[address(&mut config), address(&mut error)]);
            for (parameter, value) in [
                (c"sm.encryption_type", c"AES_256_GCM"),
                (c"sm.encryption_key", key),
            ] {
                let texts = [parameter, value].map(|text| text.as_ptr() as usize);
                let set = [config, texts[0], texts[1], address(&mut error)];
                assert_eq!(library.call("config_set", &set), 0, "{name}: config_set");
            }
        }
        assert_eq!(
            library.call("ctx_alloc", &[config, address(&mut ctx)]),
            0,
            "{name}: ctx_alloc"
        );
        library.ctx = ctx;
        library
    }

    /// Calls a function; every argument is an integer or a pointer.
    pub(crate) fn call(&self, name: &str, a: &[usize]) -> i32 {
        let symbol = CString::new(format!("tiledb_{name}")).expect("name");
        // SAFETY: the functions of the C API take integers and pointers; the callers below give what each asks for.
        unsafe {
            let f = libc::dlsym(self.handle, symbol.as_ptr());
            assert!(!f.is_null(), "{name} is missing");
            type F1 = unsafe extern "C" fn(usize) -> i32;
            type F2 = unsafe extern "C" fn(usize, usize) -> i32;
            type F3 = unsafe extern "C" fn(usize, usize, usize) -> i32;
            type F4 = unsafe extern "C" fn(usize, usize, usize, usize) -> i32;
            type F5 = unsafe extern "C" fn(usize, usize, usize, usize, usize) -> i32;
            type F6 = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize) -> i32;
            type F7 = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize, usize) -> i32;
            type F8 =
                unsafe extern "C" fn(usize, usize, usize, usize, usize, usize, usize, usize) -> i32;
            type F10 = unsafe extern "C" fn(
                usize,
                usize,
                usize,
                usize,
                usize,
                usize,
                usize,
                usize,
                usize,
                usize,
            ) -> i32;
            match *a {
                [a] => std::mem::transmute::<*mut c_void, F1>(f)(a),
                [a, b] => std::mem::transmute::<*mut c_void, F2>(f)(a, b),
                [a, b, c] => std::mem::transmute::<*mut c_void, F3>(f)(a, b, c),
                [a, b, c, d] => std::mem::transmute::<*mut c_void, F4>(f)(a, b, c, d),
                [a, b, c, d, e] => std::mem::transmute::<*mut c_void, F5>(f)(a, b, c, d, e),
                [a, b, c, d, e, g] => std::mem::transmute::<*mut c_void, F6>(f)(a, b, c, d, e, g),
                [a, b, c, d, e, g, h] => {
                    std::mem::transmute::<*mut c_void, F7>(f)(a, b, c, d, e, g, h)
                }
                [a, b, c, d, e, g, h, i] => {
                    std::mem::transmute::<*mut c_void, F8>(f)(a, b, c, d, e, g, h, i)
                }
                [a, b, c, d, e, g, h, i, j, k] => {
                    std::mem::transmute::<*mut c_void, F10>(f)(a, b, c, d, e, g, h, i, j, k)
                }
                _ => panic!("{name} with {} arguments", a.len()),
            }
        }
    }

    /// Calls a function whose first argument is the context.
    pub(crate) fn attempt(&self, name: &str, a: &[usize]) -> Result<(), String> {
        let a: Vec<usize> = [self.ctx].into_iter().chain(a.iter().copied()).collect();
        match self.call(name, &a) {
            0 => Ok(()),
            _ => Err(self.last_error()),
        }
    }

    /// The same, but it must succeed.
    pub(crate) fn ok(&self, name: &str, a: &[usize]) {
        if let Err(error) = self.attempt(name, a) {
            panic!("{}: {name}: {error}", self.name);
        }
    }

    /// Adds a range of texts to a subarray.
    pub(crate) fn var_range(&self, subarray: usize, dim: usize, low: &[u8], high: &[u8]) {
        let ends = [low, high].map(|end| [end.as_ptr() as usize, end.len()]);
        let range = [&[subarray, dim][..], &ends.concat()].concat();
        self.ok("subarray_add_range_var", &range);
    }

    pub(crate) fn last_error(&self) -> String {
        let (mut error, mut text) = (0usize, std::ptr::null::<c_char>());
        self.call("ctx_get_last_error", &[self.ctx, address(&mut error)]);
        if error == 0 {
            return "no error".into();
        }
        self.call("error_message", &[error, address(&mut text)]);
        // SAFETY: lent by the error object, which lives until it is freed below.
        let told = unsafe { CStr::from_ptr(text) }
            .to_string_lossy()
            .into_owned();
        self.free("error_free", error);
        told
    }

    /// Makes an object with a function whose last argument receives it.
    pub(crate) fn make(&self, name: &str, a: &[usize]) -> usize {
        let mut made = 0usize;
        let a: Vec<usize> = a.iter().copied().chain([address(&mut made)]).collect();
        self.ok(name, &a);
        made
    }

    /// Frees an object with its function, which takes a pointer to the handle.
    pub(crate) fn free(&self, name: &str, mut handle: usize) {
        self.call(name, &[address(&mut handle)]);
    }
}

pub(crate) fn address<T>(value: &mut T) -> usize {
    std::ptr::from_mut(value) as usize
}

/// Bytes that a library lends.
pub(crate) fn lent(data: *const u8, len: usize) -> Vec<u8> {
    if len == 0 {
        return Vec::new();
    }
    // SAFETY: the library gave the place and the length, and the object that holds it lives on.
    unsafe { std::slice::from_raw_parts(data, len) }.to_vec()
}
