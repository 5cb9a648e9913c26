//! LZ4 blocks. The library keeps its 16 kB of state on the stack, so no context is cached.

use super::ffi::{lz4_bound, lz4_compress};
use crate::bytes::ReusableBuffer;

pub(in super::super) use super::ffi::lz4_decompress as decompress;

/// Appends the block of `data`. Returns `None` if the data is too large or memory cannot be
/// allocated.
pub(in super::super) fn compress(data: &[u8], to: &mut ReusableBuffer) -> Option<()> {
    let bound = lz4_bound(data.len())?;
    let write = |output: &mut [u8]| lz4_compress(data, output).ok_or(());
    super::append(to, bound, (), write).ok()
}
