//! A shared library with the C API, loaded at run time and called by name, so that one program can
//! use several.
#![allow(dead_code, reason = "each test program uses what it needs")]

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::Path;

/// A parameter of a configuration and its value.
pub(crate) type Parameter<'a> = (&'a CStr, &'a CStr);

/// Parameters of each context. libtiledb prepares the merge of sparse reads in threads that may
/// outlive the query and then use freed memory; 0 disables this. This library has no such threads.
const PARAMETERS: [Parameter<'static>; 2] = [
    (c"sm.query.sparse_global_order.preprocess_tile_merge", c"0"),
    // libtiledb does not know it. Values that float scaling cannot store are the same others then.
    (c"sm.check_float_scaling", c"false"),
];

/// A library with the C API, its functions called by name.
pub(crate) struct Library {
    pub(crate) handle: *mut c_void,
    pub(crate) name: &'static str,
    pub(crate) ctx: usize,
}

impl Library {
    /// Loads a library without a context.
    pub(crate) fn load(path: &Path, name: &'static str) -> Self {
        let path = CString::new(path.to_str().expect("path")).expect("path");
        // SAFETY: the file is a library with the C API, whose initializers have no requirements.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        assert!(!handle.is_null(), "{name} does not load");
        Self {
            handle,
            name,
            ctx: 0,
        }
    }

    /// Loads a library and creates a context, which encrypts what it creates if there is a key.
    pub(crate) fn open(path: &Path, name: &'static str, key: Option<&CStr>) -> Self {
        let library = Self::load(path, name);
        match key {
            None => library.with_context(&[]),
            Some(key) => library.with_context(&[
                (c"sm.encryption_type", c"AES_256_GCM"),
                (c"sm.encryption_key", key),
            ]),
        }
    }

    /// Returns the same library with a new context.
    pub(crate) fn with_context(&self, parameters: &[Parameter<'_>]) -> Self {
        let mut ctx = 0usize;
        let config = self.config(&[&PARAMETERS[..], parameters].concat());
        let allocated = self.call("ctx_alloc", &[config, address(&mut ctx)]);
        assert_eq!(allocated, 0, "{}: ctx_alloc", self.name);
        self.free("config_free", config);
        Self { ctx, ..*self }
    }

    /// Returns a configuration, which the caller frees.
    fn config(&self, parameters: &[Parameter<'_>]) -> usize {
        let (mut config, mut error) = (0usize, 0usize);
        self.call("config_alloc", &[address(&mut config), address(&mut error)]);
        self.set_parameters(config, parameters);
        config
    }

    /// Returns the context's configuration with other parameters, which the caller frees.
    pub(crate) fn context_config(&self, parameters: &[Parameter<'_>]) -> usize {
        let config = self.make("ctx_get_config", &[]);
        self.set_parameters(config, parameters);
        config
    }

    fn set_parameters(&self, config: usize, parameters: &[Parameter<'_>]) {
        let mut error = 0usize;
        for (parameter, value) in parameters {
            let texts = [parameter, value].map(|text| text.as_ptr() as usize);
            let set = [config, texts[0], texts[1], address(&mut error)];
            assert_eq!(
                self.call("config_set", &set),
                0,
                "{}: config_set",
                self.name
            );
        }
    }

    /// Calls a function. Every argument is an integer or a pointer.
    pub(crate) fn call(&self, name: &str, a: &[usize]) -> i32 {
        let symbol = CString::new(format!("tiledb_{name}")).expect("name");
        // SAFETY: all parameters of the C API are integers and pointers; callers pass valid ones.
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

    /// Calls a function whose first argument is the context and whose last argument receives an
    /// object.
    pub(crate) fn try_make(&self, name: &str, a: &[usize]) -> Result<usize, String> {
        let mut made = 0usize;
        let a: Vec<usize> = a.iter().copied().chain([address(&mut made)]).collect();
        self.attempt(name, &a)?;
        Ok(made)
    }

    /// Calls a function whose first argument is the context; it must succeed.
    pub(crate) fn ok(&self, name: &str, a: &[usize]) {
        if let Err(error) = self.attempt(name, a) {
            panic!("{}: {name}: {error}", self.name);
        }
    }

    /// Adds a range of strings to a subarray.
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
        // SAFETY: the string is valid until the error object is freed below.
        let text = unsafe { CStr::from_ptr(text) }
            .to_string_lossy()
            .into_owned();
        self.free("error_free", error);
        text
    }

    /// Calls a function whose last argument receives an object; it must succeed.
    pub(crate) fn make(&self, name: &str, a: &[usize]) -> usize {
        self.try_make(name, a)
            .unwrap_or_else(|error| panic!("{}: {name}: {error}", self.name))
    }

    /// Frees an object with its function, which takes a pointer to the handle.
    pub(crate) fn free(&self, name: &str, mut handle: usize) {
        self.call(name, &[address(&mut handle)]);
    }
}

pub(crate) fn address<T>(value: &mut T) -> usize {
    std::ptr::from_mut(value) as usize
}

/// Copies bytes that a library owns.
pub(crate) fn bytes_of(data: *const u8, len: usize) -> Vec<u8> {
    if len == 0 {
        return Vec::new();
    }
    // SAFETY: the library returned the address and the length; the owner is still alive.
    unsafe { std::slice::from_raw_parts(data, len) }.to_vec()
}
