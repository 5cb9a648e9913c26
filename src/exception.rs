//! C++ exceptions that a callback throws: caught where Rust calls it, as errors with their text. Rust's own catching ends
//! the process when it meets one.
//!
//! A few instructions around the call have a personality of their own, the function that the unwinder asks what a frame
//! does with an exception: it takes those of C++ and lets others pass. Their text comes from the C++ runtime that threw
//! them, which is in the process then; this library needs none. Elsewhere than on Linux on x86-64 nothing is caught.

use crate::prelude::*;

/// Runs `body`; a C++ exception that leaves it is an error with the text of `what()`.
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

    /// The head of every exception, as the unwinder knows it. What was thrown follows it.
    #[repr(C, align(16))]
    struct Exception {
        class: u64,
        cleanup: Option<unsafe extern "C" fn(c_int, *mut Exception)>,
        _private: [u64; 2],
    }

    /// What the unwinder knows of a frame.
    #[repr(C)]
    struct Frame {
        _opaque: [u8; 0],
    }

    unsafe extern "C" {
        fn _Unwind_SetGR(frame: *mut Frame, register: c_int, value: usize);
        fn _Unwind_SetIP(frame: *mut Frame, value: usize);
    }

    /// The classes of exceptions of the two C++ runtimes; the last byte is 1 for one that only refers to another, as
    /// `std::rethrow_exception` throws it.
    const CLASSES: [u64; 4] = [GNU, GNU_REFERENCE, CLANG, CLANG_REFERENCE];
    const GNU: u64 = class(b"GNUCC++", 0);
    const GNU_REFERENCE: u64 = class(b"GNUCC++", 1);
    const CLANG: u64 = class(b"CLNGC++", 0);
    const CLANG_REFERENCE: u64 = class(b"CLNGC++", 1);

    /// A class: seven letters, the first highest, and a last byte.
    const fn class(letters: &[u8; 7], last: u8) -> u64 {
        let (mut class, mut at) = (0, 0);
        while at < letters.len() {
            class = class << 8 | letters[at] as u64;
            at += 1;
        }
        class << 8 | last as u64
    }

    /// The bits of what the unwinder asks for: whether somebody takes the exception, and that this frame, which said so, do.
    const SEARCH: c_int = 1;
    const HANDLE: c_int = 4;
    /// The answers.
    const FOUND: c_int = 6;
    const INSTALLED: c_int = 7;
    const GO_ON: c_int = 8;
    /// The number of the register that functions answer in.
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
        /// Calls `run(data)`. Answers null, or the C++ exception that left it.
        fn tiledb_rs_call_caught(
            run: unsafe extern "C-unwind" fn(*mut c_void),
            data: *mut c_void,
        ) -> *mut Exception;
        /// Where that goes on, with its answer in the register for it. Not a function.
        fn tiledb_rs_call_ends();
    }

    /// Takes exceptions of C++.
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
        // SAFETY: the unwinder's own frame; execution goes on behind the call, where the stack is as it is there.
        unsafe {
            _Unwind_SetGR(frame, ANSWER, exception as usize);
            _Unwind_SetIP(frame, tiledb_rs_call_ends as *const () as usize);
        }
        INSTALLED
    }

    /// Runs `body`; a C++ exception that leaves it is an error with the text of `what()`.
    pub(crate) fn caught<R>(body: impl FnOnce() -> R) -> Result<R> {
        struct Call<F, R> {
            body: Option<F>,
            answer: Option<R>,
        }
        unsafe extern "C-unwind" fn run<F: FnOnce() -> R, R>(data: *mut c_void) {
            // SAFETY: the `Call` below, which lives as long as the call.
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
        // SAFETY: `run` takes this `Call`.
        let exception = unsafe { tiledb_rs_call_caught(run, (&raw mut call).cast()) };
        match call.answer {
            Some(answer) => Ok(answer),
            // SAFETY: an exception that was caught just now.
            None => Err(unsafe { error_of(exception) }),
        }
    }

    /// What is needed of the C++ runtime that threw an exception.
    struct Runtime {
        begin_catch: unsafe extern "C" fn(*mut Exception) -> *mut c_void,
        end_catch: unsafe extern "C-unwind" fn(),
        current_type: unsafe extern "C" fn() -> *mut c_void,
        /// The type information of `std::exception`.
        standard: *mut c_void,
    }

    impl Runtime {
        /// That of the library which the exception says cleans it up.
        unsafe fn of(exception: *mut Exception) -> Option<Self> {
            // SAFETY: an exception in flight; what the symbols are is fixed by the C++ ABI.
            unsafe {
                let cleanup = (*exception).cleanup? as *const c_void;
                let mut place: libc::Dl_info = std::mem::zeroed();
                if libc::dladdr(cleanup, &mut place) == 0 || place.dli_fname.is_null() {
                    return None;
                }
                let library = libc::dlopen(place.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD);
                // A runtime that is linked into the program has its symbols there.
                let library = match library.is_null() {
                    true => libc::RTLD_DEFAULT,
                    false => library,
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

        /// The text of the exception that is being caught; `None` where it is none of the standard library's.
        unsafe fn text(&self, mut object: *mut c_void) -> Option<String> {
            /// The places of `type_info`'s question whether it catches a type, and of `exception::what`, among the virtual
            /// functions.
            const CATCHES: usize = 4;
            const WHAT: usize = 2;
            // SAFETY: the layout of virtual functions is fixed by the C++ ABI, and the same in both runtimes.
            unsafe {
                let virtual_function = |object: *mut c_void, at: usize| {
                    let table = *object.cast::<*const *mut c_void>();
                    *table.add(at)
                };
                let catches = std::mem::transmute::<
                    *mut c_void,
                    unsafe extern "C" fn(*mut c_void, *mut c_void, *mut *mut c_void, u32) -> bool,
                >(virtual_function(self.standard, CATCHES));
                if !catches(self.standard, (self.current_type)(), &mut object, 1) {
                    return None;
                }
                let what = std::mem::transmute::<
                    *mut c_void,
                    unsafe extern "C" fn(*mut c_void) -> *const c_char,
                >(virtual_function(object, WHAT));
                let text = what(object);
                (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
            }
        }
    }

    /// What was thrown; `None` where that is not known.
    unsafe fn thrown(exception: *mut Exception) -> Option<*mut c_void> {
        /// How far before its head a reference has the place of what it refers to, in bytes.
        const REFERENCE: usize = 80;
        // SAFETY: an exception, whose layout is fixed by the C++ ABI and, for references, by the GNU runtime.
        unsafe {
            match (*exception).class {
                GNU_REFERENCE => Some(*exception.byte_sub(REFERENCE).cast()),
                GNU | CLANG => Some(exception.add(1).cast()),
                _ => None,
            }
        }
    }

    /// The error that an exception becomes, which ends there.
    unsafe fn error_of(exception: *mut Exception) -> Error {
        let unknown = || Error::usage("C API", "unknown exception type; no further information");
        if exception.is_null() {
            return unknown();
        }
        // SAFETY: an exception that was caught and that nobody else has.
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
