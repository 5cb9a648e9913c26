//! LZ4 blocks. The library keeps its 16 kB of state on the stack, so no context is cached.

use std::ffi::c_int;

use lz4_sys as sys;

use crate::bytes::ReusableBuffer;

/// Appends the block of `data`. Returns `None` if the data is too large or memory cannot be
/// allocated.
pub(in super::super) fn compress(data: &[u8], to: &mut ReusableBuffer) -> Option<()> {
    let len = c_int::try_from(data.len()).ok()?;
    // SAFETY: pure arithmetic; returns zero if `len` is too large.
    let bound = usize::try_from(unsafe { sys::LZ4_compressBound(len) }).ok()?;
    if bound == 0 {
        return None;
    }
    // SAFETY: lz4 initialises the bytes that it counts, and stays within the given lengths.
    unsafe {
        super::append(to, bound, (), |output| {
            let written = sys::LZ4_compress_default(
                data.as_ptr().cast(),
                output.as_mut_ptr().cast(),
                len,
                c_int::try_from(output.len()).map_err(|_| ())?,
            );
            usize::try_from(written).ok().filter(|n| *n > 0).ok_or(())
        })
    }
    .ok()
}

/// Decompresses a block to the start of `to` and returns the length, or `None` if the block is
/// damaged.
pub(in super::super) fn decompress(block: &[u8], to: &mut [u8]) -> Option<usize> {
    let len = c_int::try_from(block.len()).ok()?;
    let capacity = c_int::try_from(to.len()).ok()?;
    // SAFETY: lz4 stays within the given lengths for any input.
    let written = unsafe {
        sys::LZ4_decompress_safe(block.as_ptr().cast(), to.as_mut_ptr().cast(), len, capacity)
    };
    usize::try_from(written).ok()
}
