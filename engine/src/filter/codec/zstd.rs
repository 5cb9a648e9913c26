//! Zstandard, with one context each way per thread.

use std::cell::OnceCell;
use std::ffi::CStr;
use std::ptr::NonNull;

use zstd_sys as sys;

use crate::bytes::Room;

/// What zstd says of an error.
pub(in super::super) type Problem = &'static str;

const NO_MEMORY: Problem = "Allocation error : not enough memory";

struct Compressor(NonNull<sys::ZSTD_CCtx>);

impl Drop for Compressor {
    fn drop(&mut self) {
        // SAFETY: made by ZSTD_createCCtx, freed once.
        unsafe { sys::ZSTD_freeCCtx(self.0.as_ptr()) };
    }
}

struct Decompressor(NonNull<sys::ZSTD_DCtx>);

impl Drop for Decompressor {
    fn drop(&mut self) {
        // SAFETY: made by ZSTD_createDCtx, freed once.
        unsafe { sys::ZSTD_freeDCtx(self.0.as_ptr()) };
    }
}

thread_local! {
    static COMPRESSOR: OnceCell<Option<Compressor>> = const { OnceCell::new() };
    static DECOMPRESSOR: OnceCell<Option<Decompressor>> = const { OnceCell::new() };
}

/// The number of bytes, or the error that a return value stands for.
fn checked(code: usize) -> Result<usize, Problem> {
    // SAFETY: these look at the number only, and answer texts that live for ever.
    unsafe {
        if sys::ZSTD_isError(code) == 0 {
            return Ok(code);
        }
        Err(CStr::from_ptr(sys::ZSTD_getErrorName(code))
            .to_str()
            .unwrap_or("unknown error"))
    }
}

/// Appends a frame that holds `data`.
pub(in super::super) fn compress(level: i32, data: &[u8], to: &mut Room) -> Result<(), Problem> {
    // SAFETY: looks at the number only.
    let bound = checked(unsafe { sys::ZSTD_compressBound(data.len()) })?;
    COMPRESSOR.with(|cell| {
        let context = cell.get_or_init(|| {
            // SAFETY: takes nothing; null is checked.
            NonNull::new(unsafe { sys::ZSTD_createCCtx() }).map(Compressor)
        });
        let context = context.as_ref().ok_or(NO_MEMORY)?.0.as_ptr();
        // SAFETY: zstd initialises the bytes it counts; the context is this thread's, the slices are of the lengths
        // given.
        unsafe {
            super::append(to, bound, NO_MEMORY, |place| {
                checked(sys::ZSTD_compressCCtx(
                    context,
                    place.as_mut_ptr().cast(),
                    place.len(),
                    data.as_ptr().cast(),
                    data.len(),
                    level,
                ))
            })
        }
    })
}

/// Puts what a frame holds at the start of `to`; answers its length.
pub(in super::super) fn decompress(frame: &[u8], to: &mut [u8]) -> Result<usize, Problem> {
    DECOMPRESSOR.with(|cell| {
        let context = cell.get_or_init(|| {
            // SAFETY: takes nothing; null is checked.
            NonNull::new(unsafe { sys::ZSTD_createDCtx() }).map(Decompressor)
        });
        let context = context.as_ref().ok_or(NO_MEMORY)?.0.as_ptr();
        // SAFETY: the context is this thread's, the slices are of the lengths given.
        checked(unsafe {
            sys::ZSTD_decompressDCtx(
                context,
                to.as_mut_ptr().cast(),
                to.len(),
                frame.as_ptr().cast(),
                frame.len(),
            )
        })
    })
}
