//! Converts C++ exceptions thrown by callbacks to errors. `catch_unwind` aborts the process on a
//! foreign exception.
//!
//! The call of a callback is wrapped in a few instructions with their own personality function,
//! which the unwinder calls to find out whether a frame handles an exception. It handles C++
//! exceptions and passes on others. The message is read with functions of the C++ runtime that
//! threw the exception, which is therefore loaded; this library does not depend on one. Only Linux
//! on x86-64 is supported; on other platforms exceptions are not caught.

use crate::prelude::*;

/// Runs `body`. A C++ exception that it throws becomes an error with the text of `what()`.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub(crate) fn caught<R>(body: impl FnOnce() -> R) -> Result<R> {
    Ok(body())
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(crate) use itanium::caught;

/// cbindgen:ignore
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod itanium {
    use std::ffi::{CStr, c_int};

    use super::*;

    /// The header of an exception in the Itanium C++ ABI. The thrown object follows it.
    #[repr(C, align(16))]
    struct Exception {
        class: u64,
        cleanup: Option<unsafe extern "C" fn(c_int, *mut Exception)>,
        _private: [u64; 2],
    }

    /// An opaque frame of the unwinder.
    #[repr(C)]
    struct Frame {
        _opaque: [u8; 0],
    }

    unsafe extern "C" {
        fn _Unwind_SetGR(frame: *mut Frame, register: c_int, value: usize);
        fn _Unwind_SetIP(frame: *mut Frame, value: usize);
    }

    /// The exception classes of the two C++ runtimes. The last byte is 1 for a dependent exception,
    /// which refers to another one and is thrown by `std::rethrow_exception`.
    const CLASSES: [u64; 4] = [GNU, GNU_REFERENCE, CLANG, CLANG_REFERENCE];
    const GNU: u64 = class(b"GNUCC++", 0);
    const GNU_REFERENCE: u64 = class(b"GNUCC++", 1);
    const CLANG: u64 = class(b"CLNGC++", 0);
    const CLANG_REFERENCE: u64 = class(b"CLNGC++", 1);

    /// Returns an exception class: seven letters from the highest byte down, and a last byte.
    const fn class(letters: &[u8; 7], last: u8) -> u64 {
        let (mut class, mut index) = (0, 0);
        while index < letters.len() {
            class = class << 8 | letters[index] as u64;
            index += 1;
        }
        class << 8 | last as u64
    }

    /// Action bits of the unwinder: search for a handler; run the handler of this frame.
    const SEARCH: c_int = 1;
    const HANDLE: c_int = 4;
    /// Return values of a personality function.
    const FOUND: c_int = 6;
    const INSTALLED: c_int = 7;
    const GO_ON: c_int = 8;
    /// The DWARF number of the register for return values.
    const ANSWER: c_int = 0;

    std::arch::global_asm!(
        ".pushsection .text.tiledb_rs_call_caught,\"ax\",@progbits",
        ".hidden tiledb_rs_call_caught",
        ".globl tiledb_rs_call_caught",
        ".type tiledb_rs_call_caught,@function",
        "tiledb_rs_call_caught:",
        ".cfi_startproc",
        ".cfi_personality 0x1b, {personality}",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rax, rdi",
        "mov rdi, rsi",
        "call rax",
        "xor eax, eax",
        ".hidden tiledb_rs_call_ends",
        ".globl tiledb_rs_call_ends",
        "tiledb_rs_call_ends:",
        "pop rbp",
        ".cfi_def_cfa_offset 8",
        "ret",
        ".cfi_endproc",
        ".size tiledb_rs_call_caught, .-tiledb_rs_call_caught",
        ".popsection",
        personality = sym personality,
    );

    unsafe extern "C" {
        /// Calls `run(data)`. Returns null, or the C++ exception that it threw.
        fn tiledb_rs_call_caught(
            run: unsafe extern "C-unwind" fn(*mut c_void),
            data: *mut c_void,
        ) -> *mut Exception;
        /// The address at which `tiledb_rs_call_caught` continues after an exception. Not a
        /// function.
        fn tiledb_rs_call_ends();
    }

    /// The personality function. It handles C++ exceptions.
    unsafe extern "C" fn personality(
        _version: c_int,
        actions: c_int,
        class: u64,
        exception: *mut Exception,
        frame: *mut Frame,
    ) -> c_int {
        if !CLASSES.contains(&class) {
            return GO_ON;
        }
        if actions & SEARCH != 0 {
            return FOUND;
        }
        if actions & HANDLE == 0 {
            return GO_ON;
        }
        // SAFETY: the frame is the one the unwinder passed. Execution continues after the call
        // instruction, where the stack has the layout that the instructions there expect.
        unsafe {
            _Unwind_SetGR(frame, ANSWER, exception as usize);
            _Unwind_SetIP(frame, tiledb_rs_call_ends as *const () as usize);
        }
        INSTALLED
    }

    /// Runs `body`. A C++ exception that it throws becomes an error with the text of `what()`.
    pub(crate) fn caught<R>(body: impl FnOnce() -> R) -> Result<R> {
        struct Call<F, R> {
            body: Option<F>,
            answer: Option<R>,
        }
        unsafe extern "C-unwind" fn run<F: FnOnce() -> R, R>(data: *mut c_void) {
            // SAFETY: `data` points to the `Call` below, which outlives the call.
            let call = unsafe { &mut *data.cast::<Call<F, R>>() };
            call.answer = call.body.take().map(|body| body());
        }
        fn run_of<F: FnOnce() -> R, R>(_: &Call<F, R>) -> unsafe extern "C-unwind" fn(*mut c_void) {
            run::<F, R>
        }
        let mut call = Call {
            body: Some(body),
            answer: None,
        };
        let run = run_of(&call);
        // SAFETY: `run` expects a pointer to this type of `Call`.
        let exception = unsafe { tiledb_rs_call_caught(run, (&raw mut call).cast()) };
        match call.answer {
            Some(answer) => Ok(answer),
            // SAFETY: the exception was just caught.
            None => Err(unsafe { error_of(exception) }),
        }
    }

    /// Functions and symbols of the C++ runtime that threw an exception.
    struct Runtime {
        begin_catch: unsafe extern "C" fn(*mut Exception) -> *mut c_void,
        end_catch: unsafe extern "C-unwind" fn(),
        current_type: unsafe extern "C" fn() -> *mut c_void,
        /// The type information of `std::exception`.
        standard: *mut c_void,
    }

    impl Runtime {
        /// Finds the runtime by the address of the cleanup function of the exception.
        unsafe fn of(exception: *mut Exception) -> Option<Self> {
            // SAFETY: the exception is valid, and the C++ ABI defines the types of the symbols.
            unsafe {
                let cleanup = (*exception).cleanup? as *const c_void;
                let mut symbol_info: libc::Dl_info = std::mem::zeroed();
                if libc::dladdr(cleanup, &mut symbol_info) == 0 || symbol_info.dli_fname.is_null() {
                    return None;
                }
                let library =
                    libc::dlopen(symbol_info.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD);
                // A runtime that is linked statically into the program has its symbols in the
                // program.
                let library = if library.is_null() {
                    libc::RTLD_DEFAULT
                } else {
                    library
                };
                let symbol = |name: &CStr| {
                    let found = libc::dlsym(library, name.as_ptr());
                    (!found.is_null()).then_some(found)
                };
                Some(Self {
                    begin_catch: std::mem::transmute::<
                        *mut c_void,
                        unsafe extern "C" fn(*mut Exception) -> *mut c_void,
                    >(symbol(c"__cxa_begin_catch")?),
                    end_catch: std::mem::transmute::<*mut c_void, unsafe extern "C-unwind" fn()>(
                        symbol(c"__cxa_end_catch")?,
                    ),
                    current_type: std::mem::transmute::<
                        *mut c_void,
                        unsafe extern "C" fn() -> *mut c_void,
                    >(symbol(c"__cxa_current_exception_type")?),
                    standard: symbol(c"_ZTISt9exception")?,
                })
            }
        }

        /// Returns the message of the caught exception, or `None` if it is not derived from
        /// `std::exception`.
        unsafe fn text(&self, mut object: *mut c_void) -> Option<String> {
            /// Indexes in the tables of virtual functions of `type_info::__do_catch` and
            /// `exception::what`.
            const CATCHES: usize = 4;
            const WHAT: usize = 2;
            // SAFETY: the C++ ABI defines the layout of virtual tables, and both runtimes use it.
            unsafe {
                let virtual_function = |object: *mut c_void, index: usize| {
                    let table = *object.cast::<*const *mut c_void>();
                    *table.add(index)
                };
                let catches = std::mem::transmute::<
                    *mut c_void,
                    unsafe extern "C" fn(*mut c_void, *mut c_void, *mut *mut c_void, u32) -> bool,
                >(virtual_function(self.standard, CATCHES));
                if !catches(self.standard, (self.current_type)(), &mut object, 1) {
                    return None;
                }
                let message_of = std::mem::transmute::<
                    *mut c_void,
                    unsafe extern "C" fn(*mut c_void) -> *const c_char,
                >(virtual_function(object, WHAT));
                let text = message_of(object);
                (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
            }
        }
    }

    /// Returns the thrown object, or `None` if its address is unknown.
    unsafe fn thrown(exception: *mut Exception) -> Option<*mut c_void> {
        /// The distance in bytes from the header of a dependent exception back to the pointer to
        /// its object.
        const REFERENCE: usize = 80;
        // SAFETY: the C++ ABI defines the layout of an exception, and the GNU runtime that of
        // dependent ones.
        unsafe {
            match (*exception).class {
                GNU_REFERENCE => Some(*exception.byte_sub(REFERENCE).cast()),
                GNU | CLANG => Some(exception.add(1).cast()),
                _ => None,
            }
        }
    }

    /// Converts an exception to an error and frees the exception.
    unsafe fn error_of(exception: *mut Exception) -> Error {
        let unknown = || Error::usage("C API", "unknown exception type; no further information");
        if exception.is_null() {
            return unknown();
        }
        // SAFETY: the exception was caught, and no other code refers to it.
        unsafe {
            let Some(runtime) = Runtime::of(exception) else {
                return unknown();
            };
            let object = thrown(exception);
            (runtime.begin_catch)(exception);
            let text = object.and_then(|object| runtime.text(object));
            (runtime.end_catch)();
            text.map_or_else(unknown, |text| Error::usage("TileDB internal", text))
        }
    }
}
