//! Zstandard. Each thread keeps one compression and one decompression context.

use std::cell::OnceCell;
use std::ffi::CStr;
use std::ptr::NonNull;

use zstd_sys as sys;

use crate::bytes::ReusableBuffer;

/// An error message of zstd.
pub(in super::super) type Problem = &'static str;

const NO_MEMORY: Problem = "Allocation error : not enough memory";

struct Compressor(NonNull<sys::ZSTD_CCtx>);

impl Drop for Compressor {
    fn drop(&mut self) {
        // SAFETY: created by ZSTD_createCCtx, freed once.
        unsafe { sys::ZSTD_freeCCtx(self.0.as_ptr()) };
    }
}

struct Decompressor(NonNull<sys::ZSTD_DCtx>);

impl Drop for Decompressor {
    fn drop(&mut self) {
        // SAFETY: created by ZSTD_createDCtx, freed once.
        unsafe { sys::ZSTD_freeDCtx(self.0.as_ptr()) };
    }
}

thread_local! {
    static COMPRESSOR: OnceCell<Option<Compressor>> = const { OnceCell::new() };
    static DECOMPRESSOR: OnceCell<Option<Decompressor>> = const { OnceCell::new() };
}

/// Returns the number of bytes, or the error that a return value encodes.
fn checked(code: usize) -> Result<usize, Problem> {
    // SAFETY: both functions only inspect the number; error names are static strings.
    unsafe {
        if sys::ZSTD_isError(code) == 0 {
            return Ok(code);
        }
        Err(CStr::from_ptr(sys::ZSTD_getErrorName(code))
            .to_str()
            .unwrap_or("unknown error"))
    }
}

/// Appends the frame of `data`.
pub(in super::super) fn compress(
    level: i32,
    data: &[u8],
    to: &mut ReusableBuffer,
) -> Result<(), Problem> {
    // SAFETY: pure arithmetic.
    let bound = checked(unsafe { sys::ZSTD_compressBound(data.len()) })?;
    COMPRESSOR.with(|cell| {
        let context = cell.get_or_init(|| {
            // SAFETY: the function has no preconditions; null is checked.
            NonNull::new(unsafe { sys::ZSTD_createCCtx() }).map(Compressor)
        });
        let context = context.as_ref().ok_or(NO_MEMORY)?.0.as_ptr();
        // SAFETY: zstd initialises the bytes that it counts; the context is owned by this thread,
        // and the slices have the given lengths.
        unsafe {
            super::append(to, bound, NO_MEMORY, |output| {
                checked(sys::ZSTD_compressCCtx(
                    context,
                    output.as_mut_ptr().cast(),
                    output.len(),
                    data.as_ptr().cast(),
                    data.len(),
                    level,
                ))
            })
        }
    })
}

/// Decompresses a frame to the start of `to` and returns the length.
pub(in super::super) fn decompress(frame: &[u8], to: &mut [u8]) -> Result<usize, Problem> {
    DECOMPRESSOR.with(|cell| {
        let context = cell.get_or_init(|| {
            // SAFETY: the function has no preconditions; null is checked.
            NonNull::new(unsafe { sys::ZSTD_createDCtx() }).map(Decompressor)
        });
        let context = context.as_ref().ok_or(NO_MEMORY)?.0.as_ptr();
        // SAFETY: the context is owned by this thread, and the slices have the given lengths.
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
