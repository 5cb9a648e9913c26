//! LZ4 blocks. The library keeps its 16 kB of state on the stack: there is no context to keep.

use std::ffi::c_int;

use lz4_sys as sys;

use crate::bytes::Room;

/// Appends a block that holds `data`; `None` where that is too large, or memory is short.
pub(in super::super) fn compress(data: &[u8], to: &mut Room) -> Option<()> {
    let len = c_int::try_from(data.len()).ok()?;
    // SAFETY: looks at the number only; zero where it is too large.
    let bound = usize::try_from(unsafe { sys::LZ4_compressBound(len) }).ok()?;
    if bound == 0 {
        return None;
    }
    // SAFETY: lz4 initialises the bytes it counts, and stays within the lengths given.
    unsafe {
        super::append(to, bound, (), |place| {
            let written = sys::LZ4_compress_default(
                data.as_ptr().cast(),
                place.as_mut_ptr().cast(),
                len,
                c_int::try_from(place.len()).map_err(|_| ())?,
            );
            usize::try_from(written).ok().filter(|n| *n > 0).ok_or(())
        })
    }
    .ok()
}

/// Puts what a block holds at the start of `to`; answers its length, or `None` where the block is damaged.
pub(in super::super) fn decompress(block: &[u8], to: &mut [u8]) -> Option<usize> {
    let len = c_int::try_from(block.len()).ok()?;
    let room = c_int::try_from(to.len()).ok()?;
    // SAFETY: lz4 stays within the lengths given, whatever the block holds.
    let written = unsafe {
        sys::LZ4_decompress_safe(block.as_ptr().cast(), to.as_mut_ptr().cast(), len, room)
    };
    usize::try_from(written).ok()
}
