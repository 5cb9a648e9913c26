//! zlib streams by libdeflate, which decompresses about twice as fast as zlib and compresses two to
//! seven times as fast, since it has the complete input and output at once. Compressors and
//! decompressors are reused.

use std::ptr::NonNull;

use libdeflate_sys as sys;

use crate::bytes::ReusableBuffer;
use crate::memory::{Pooled, Workspace, WorkspaceKind};

const NO_MEMORY: &str = "memory is short";
/// The approximate size of a compressor of levels 0 to 9 in bytes: its tables of matches and the
/// sequences of a block.
const COMPRESSOR_BYTES: usize = 700_000;
/// The approximate size of a decompressor in bytes.
const DECOMPRESSOR_BYTES: usize = 12_000;

struct Compressor {
    level: i32,
    inner: NonNull<sys::libdeflate_compressor>,
}

// SAFETY: the compressor is used through `&mut` only, and does not depend on a thread.
unsafe impl Send for Compressor {}

impl Workspace for Compressor {
    const KIND: WorkspaceKind = WorkspaceKind::DeflateCompressor;

    fn memory(&self) -> usize {
        COMPRESSOR_BYTES
    }
}

impl Compressor {
    fn new(level: i32) -> Result<Self, &'static str> {
        // SAFETY: any level may be passed; null is checked.
        NonNull::new(unsafe { sys::libdeflate_alloc_compressor(level) })
            .map(|inner| Self { level, inner })
            .ok_or(NO_MEMORY)
    }
}

impl Drop for Compressor {
    fn drop(&mut self) {
        // SAFETY: created by libdeflate_alloc_compressor, freed once.
        unsafe { sys::libdeflate_free_compressor(self.inner.as_ptr()) };
    }
}

struct Decompressor(NonNull<sys::libdeflate_decompressor>);

// SAFETY: the decompressor is used through `&mut` only, and does not depend on a thread.
unsafe impl Send for Decompressor {}

impl Workspace for Decompressor {
    const KIND: WorkspaceKind = WorkspaceKind::DeflateDecompressor;

    fn memory(&self) -> usize {
        DECOMPRESSOR_BYTES
    }
}

impl Decompressor {
    fn new() -> Result<Self, &'static str> {
        // SAFETY: the function has no preconditions; null is checked.
        NonNull::new(unsafe { sys::libdeflate_alloc_decompressor() })
            .map(Self)
            .ok_or(NO_MEMORY)
    }
}

impl Drop for Decompressor {
    fn drop(&mut self) {
        // SAFETY: made by libdeflate_alloc_decompressor, freed once.
        unsafe { sys::libdeflate_free_decompressor(self.0.as_ptr()) };
    }
}

/// Appends the zlib stream of `data`, at a level from 0 to 9.
pub(in super::super) fn deflate(
    level: i32,
    data: &[u8],
    to: &mut ReusableBuffer,
) -> Result<(), &'static str> {
    let mut compressor = Pooled::try_new(|| Compressor::new(level))?;
    if compressor.level != level {
        *compressor = Compressor::new(level)?;
    }
    let context = compressor.inner.as_ptr();
    // SAFETY: the compressor is valid, and no other thread uses it.
    let bound = unsafe { sys::libdeflate_zlib_compress_bound(context, data.len()) };
    super::append(to, bound, NO_MEMORY, |output| {
        // SAFETY: as above; libdeflate stays within the given lengths.
        let written = unsafe {
            sys::libdeflate_zlib_compress(
                context,
                data.as_ptr().cast(),
                data.len(),
                output.as_mut_ptr().cast(),
                output.len(),
            )
        };
        // The bound is always sufficient.
        Some(written)
            .filter(|written| *written > 0)
            .ok_or("it does not fit")
    })
}

/// Decompresses a zlib stream to the start of `to` and returns the length, or a description of the
/// error.
pub(in super::super) fn inflate(data: &[u8], to: &mut [u8]) -> Result<usize, &'static str> {
    let decompressor = Pooled::try_new(Decompressor::new)?;
    let (mut used, mut written) = (0, 0);
    // SAFETY: no other thread uses the decompressor; libdeflate stays within the given lengths for
    // any input.
    let result = unsafe {
        sys::libdeflate_zlib_decompress_ex(
            decompressor.0.as_ptr(),
            data.as_ptr().cast(),
            data.len(),
            to.as_mut_ptr().cast(),
            to.len(),
            &mut used,
            &mut written,
        )
    };
    match result {
        sys::libdeflate_result_LIBDEFLATE_SUCCESS => Ok(written.min(to.len())),
        sys::libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE => Err("it holds more than it should"),
        _ => Err("it is damaged"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::zlib;
    use super::*;
    #[test]
    fn streams_of_zlib_and_libdeflate_decompress_at_every_level_and_length() {
        let mut state = 1u32;
        let data: Vec<u8> = (0..70_000)
            .map(|i| {
                state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
                if i % 3 == 0 {
                    (state >> 20) as u8
                } else {
                    (i / 700) as u8
                }
            })
            .collect();
        for level in [-1, 0, 1, 6, 9] {
            for len in [0, 1, 2, 100, 2_047, 2_048, 65_536, 70_000] {
                let (mut by_zlib, mut own) = (ReusableBuffer::new(), ReusableBuffer::new());
                zlib::deflate(level, &data[..len], &mut by_zlib).expect("memory");
                own.put(&[5]);
                deflate(level.max(0), &data[..len], &mut own).expect("memory");
                assert_eq!(own[0], 5, "what was there stays");
                own.drop_front(1);
                for mut stream in [by_zlib, own] {
                    let mut back = vec![0; len];
                    assert_eq!(inflate(&stream, &mut back), Ok(len));
                    assert_eq!(back, data[..len]);
                    if len > 0 {
                        assert!(inflate(&stream, &mut back[1..]).is_err());
                        assert!(inflate(&stream[..stream.len() - 1], &mut back).is_err());
                    }
                    // Bytes that follow a stream are ignored.
                    stream.put(&[7]);
                    assert_eq!(inflate(&stream, &mut back), Ok(len));
                }
            }
        }
    }
}
