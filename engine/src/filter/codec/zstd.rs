//! Zstandard. Contexts are reused.

use std::ffi::CStr;
use std::ptr::NonNull;

use zstd_sys as sys;

use crate::bytes::ReusableBuffer;
use crate::memory::{Pooled, Workspace, WorkspaceKind};

/// An error message of zstd.
pub(in super::super) type Problem = &'static str;

const NO_MEMORY: Problem = "Allocation error : not enough memory";

struct Compressor(NonNull<sys::ZSTD_CCtx>);

// SAFETY: the context is used through `&mut` only, and does not depend on a thread.
unsafe impl Send for Compressor {}

impl Workspace for Compressor {
    const KIND: WorkspaceKind = WorkspaceKind::ZstdCompressor;

    fn memory(&self) -> usize {
        // SAFETY: the context is valid until it is dropped.
        unsafe { sys::ZSTD_sizeof_CCtx(self.0.as_ptr()) }
    }
}

impl Compressor {
    fn new() -> Result<Self, Problem> {
        // SAFETY: the function has no preconditions; null is checked.
        NonNull::new(unsafe { sys::ZSTD_createCCtx() })
            .map(Self)
            .ok_or(NO_MEMORY)
    }
}

impl Drop for Compressor {
    fn drop(&mut self) {
        // SAFETY: created by ZSTD_createCCtx, freed once.
        unsafe { sys::ZSTD_freeCCtx(self.0.as_ptr()) };
    }
}

struct Decompressor(NonNull<sys::ZSTD_DCtx>);

// SAFETY: the context is used through `&mut` only, and does not depend on a thread.
unsafe impl Send for Decompressor {}

impl Workspace for Decompressor {
    const KIND: WorkspaceKind = WorkspaceKind::ZstdDecompressor;

    fn memory(&self) -> usize {
        // SAFETY: the context is valid until it is dropped.
        unsafe { sys::ZSTD_sizeof_DCtx(self.0.as_ptr()) }
    }
}

impl Decompressor {
    fn new() -> Result<Self, Problem> {
        // SAFETY: the function has no preconditions; null is checked.
        NonNull::new(unsafe { sys::ZSTD_createDCtx() })
            .map(Self)
            .ok_or(NO_MEMORY)
    }
}

impl Drop for Decompressor {
    fn drop(&mut self) {
        // SAFETY: created by ZSTD_createDCtx, freed once.
        unsafe { sys::ZSTD_freeDCtx(self.0.as_ptr()) };
    }
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
    let context = Pooled::try_new(Compressor::new)?;
    // SAFETY: zstd initialises the bytes that it counts; no other thread uses the context, and the
    // slices have the given lengths.
    unsafe {
        super::append(to, bound, NO_MEMORY, |output| {
            checked(sys::ZSTD_compressCCtx(
                context.0.as_ptr(),
                output.as_mut_ptr().cast(),
                output.len(),
                data.as_ptr().cast(),
                data.len(),
                level,
            ))
        })
    }
}

/// Decompresses a frame to the start of `to` and returns the length.
pub(in super::super) fn decompress(frame: &[u8], to: &mut [u8]) -> Result<usize, Problem> {
    let context = Pooled::try_new(Decompressor::new)?;
    // SAFETY: no other thread uses the context, and the slices have the given lengths.
    checked(unsafe {
        sys::ZSTD_decompressDCtx(
            context.0.as_ptr(),
            to.as_mut_ptr().cast(),
            to.len(),
            frame.as_ptr().cast(),
            frame.len(),
        )
    })
}
