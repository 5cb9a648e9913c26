//! bzip2 streams. The library cannot reuse a stream, but allocates its memory through a callback:
//! from an `Arena`, which is reused.
//!
//! The library calls `bz_internal_error` if one of its invariants is broken. The `bzip2-sys` crate
//! defines that function with global visibility, so a shared library would export it. A symbol gets
//! the narrowest visibility that any object file gives it: the assembly below declares it hidden,
//! in a section that the linker discards.
#![expect(
    unsafe_code,
    reason = "calls of foreign functions, with callbacks that allocate"
)]

use std::ffi::{c_int, c_uint, c_void};
use std::mem::MaybeUninit;

use bzip2_sys as sys;

use crate::bytes::ReusableBuffer;
use crate::memory::{Workspace, WorkspaceGuard, WorkspaceKind};

#[cfg(all(
    any(target_os = "linux", target_os = "android", target_os = "freebsd"),
    target_pointer_width = "64"
))]
core::arch::global_asm!(
    ".pushsection .discard.bzip2,\"e\",%progbits",
    ".hidden bz_internal_error",
    ".quad bz_internal_error",
    ".popsection",
);

fn to_c_uint(len: usize) -> Result<c_uint, c_int> {
    c_uint::try_from(len).map_err(|_| sys::BZ_PARAM_ERROR)
}

fn checked(code: c_int) -> Result<(), c_int> {
    if code == sys::BZ_OK {
        Ok(())
    } else {
        Err(code)
    }
}

/// Memory for streams. It grows to the need of one stream. Pages that no stream has written to
/// occupy no physical memory.
#[derive(Default)]
struct Arena {
    blocks: Vec<Block>,
}

/// A block of memory that belongs to one stream or is free.
struct Block {
    /// Its capacity is the memory; it has no length.
    words: Vec<u64>,
    is_taken: bool,
}

impl Arena {
    /// Returns a free block of at least `len` bytes, or allocates one. Returns null if memory
    /// cannot be allocated.
    fn take(&mut self, len: usize) -> *mut c_void {
        let words = len.div_ceil(size_of::<u64>());
        let free = self.blocks.iter_mut().filter(|block| !block.is_taken);
        let sufficient = free
            .filter(|block| block.words.capacity() >= words)
            .min_by_key(|block| block.words.capacity());
        // A small request must not take a large block, which the next stream would have to allocate
        // again.
        if let Some(block) = sufficient.filter(|block| block.words.capacity() / 2 <= words) {
            block.is_taken = true;
            return block.words.as_mut_ptr().cast();
        }
        self.blocks
            .retain(|block| block.is_taken || block.words.capacity() >= words);
        let mut block = Block {
            words: Vec::new(),
            is_taken: true,
        };
        if block.words.try_reserve_exact(words.max(1)).is_err() {
            return std::ptr::null_mut();
        }
        let address = block.words.as_mut_ptr().cast();
        self.blocks.push(block);
        address
    }

    fn free(&mut self, address: *mut c_void) {
        let mut blocks = self.blocks.iter_mut();
        if let Some(block) =
            blocks.find(|block| block.words.as_ptr().cast() == address.cast_const())
        {
            block.is_taken = false;
        }
    }
}

/// A stream and its arena.
struct BzipWorkspace {
    /// Boxed, since bzip2 keeps a pointer to it.
    stream: Box<sys::bz_stream>,
    arena: Box<Arena>,
    /// The most bytes of original data that a stream has had, up to the size of a block.
    largest: usize,
}

// SAFETY: the stream is used through `&mut` only, and bzip2 keeps no state outside of it and its
// arena.
unsafe impl Send for BzipWorkspace {}

impl Workspace for BzipWorkspace {
    const KIND: WorkspaceKind = WorkspaceKind::BzipStream;

    fn memory(&self) -> usize {
        // Two arrays of 32-bit numbers as long as the data, and tables of symbol frequencies.
        let written = (self.largest + (1 << 16)) * 8;
        let blocks = self.arena.blocks.iter();
        written.min(blocks.map(|block| 8 * block.words.capacity()).sum())
    }
}

impl Default for BzipWorkspace {
    fn default() -> Self {
        Self {
            // SAFETY: an all-zero stream is valid: it has no buffers and no state.
            stream: Box::new(unsafe { MaybeUninit::zeroed().assume_init() }),
            arena: Box::default(),
            largest: 0,
        }
    }
}

extern "C" fn take(arena: *mut c_void, items: c_int, size: c_int) -> *mut c_void {
    let len = usize::try_from(items)
        .ok()
        .zip(usize::try_from(size).ok())
        .and_then(|(items, size)| items.checked_mul(size));
    match len {
        // SAFETY: `opaque` points to the arena of the stream, and no other reference to it exists
        // during the call.
        Some(len) => unsafe { (*arena.cast::<Arena>()).take(len) },
        None => std::ptr::null_mut(),
    }
}

extern "C" fn free(arena: *mut c_void, address: *mut c_void) {
    // SAFETY: `opaque` is the arena of the stream, as for `take`.
    unsafe { (*arena.cast::<Arena>()).free(address) };
}

/// Runs `body` with a zeroed stream that allocates from an arena, which `body` initialises and
/// ends; `len` is the size of the original data in bytes.
fn with_stream<T>(len: usize, body: impl FnOnce(&mut sys::bz_stream) -> T) -> T {
    /// The size of the largest block in bytes.
    const BLOCK: usize = 900_000;
    let state = &mut *WorkspaceGuard::<BzipWorkspace>::default();
    state.largest = state.largest.max(len.min(BLOCK));
    // SAFETY: zero is valid for every field. The previous stream has ended, so nothing is leaked.
    *state.stream = unsafe { MaybeUninit::zeroed().assume_init() };
    state.stream.bzalloc = Some(take);
    state.stream.bzfree = Some(free);
    state.stream.opaque = std::ptr::from_mut(&mut *state.arena).cast();
    body(&mut state.stream)
}

/// Appends the compressed stream of `data`; `block_size` is in units of 100 kB.
pub(in super::super) fn compress(
    block_size: c_int,
    data: &[u8],
    to: &mut ReusableBuffer,
) -> Result<(), c_int> {
    // The bound of the library's manual: one percent more, and 600 bytes.
    let bound = data.len().saturating_add(data.len() / 100 + 601);
    with_stream(data.len(), |stream| {
        // SAFETY: `stream` is zeroed but for the callbacks, and stays in its box until it is ended.
        checked(unsafe { sys::BZ2_bzCompressInit(stream, block_size, 0, 0) })?;
        let written = super::append(to, bound, sys::BZ_MEM_ERROR, |target| {
            let (input, capacity) = (to_c_uint(data.len())?, to_c_uint(target.len())?);
            stream.next_in = data.as_ptr().cast_mut().cast();
            stream.avail_in = input;
            stream.next_out = target.as_mut_ptr().cast();
            stream.avail_out = capacity;
            // SAFETY: bzip2 stays within the given lengths and does not write to its input.
            match unsafe { sys::BZ2_bzCompress(stream, sys::BZ_FINISH) } {
                sys::BZ_STREAM_END => Ok((capacity - stream.avail_out) as usize),
                sys::BZ_FINISH_OK => Err(sys::BZ_OUTBUFF_FULL),
                code => Err(code),
            }
        });
        // SAFETY: initialised above, and ended once.
        unsafe { sys::BZ2_bzCompressEnd(stream) };
        written
    })
}

/// Decompresses a stream to the start of `to` and returns the length.
pub(in super::super) fn decompress(data: &[u8], to: &mut [u8]) -> Result<usize, c_int> {
    let (input, capacity) = (to_c_uint(data.len())?, to_c_uint(to.len())?);
    with_stream(to.len(), |stream| {
        // SAFETY: `with_stream` passes a stream without state, at an address that does not change.
        checked(unsafe { sys::BZ2_bzDecompressInit(stream, 0, 0) })?;
        (stream.next_in, stream.avail_in) = (data.as_ptr().cast_mut().cast(), input);
        (stream.next_out, stream.avail_out) = (to.as_mut_ptr().cast(), capacity);
        // SAFETY: bzip2 stays within the given lengths for any input, and does not write to its
        // input.
        let code = unsafe { sys::BZ2_bzDecompress(stream) };
        let left = stream.avail_out;
        // SAFETY: the stream was initialised for decompression, and is ended once.
        unsafe { sys::BZ2_bzDecompressEnd(stream) };
        match code {
            sys::BZ_STREAM_END => Ok((capacity - left) as usize),
            sys::BZ_OK if left == 0 => Err(sys::BZ_OUTBUFF_FULL),
            sys::BZ_OK => Err(sys::BZ_UNEXPECTED_EOF),
            code => Err(code),
        }
    })
}

#[cfg(test)]
mod tests {
    use md5::{Digest, Md5};

    use super::*;

    /// Returns bytes that compress, but not well.
    fn sample() -> Vec<u8> {
        let mut state = 12_345_u32;
        let step = |index: u32| {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            if index.is_multiple_of(7) {
                0
            } else {
                (state >> 16) as u8 & 0x3f
            }
        };
        (0..300_000).map(step).collect()
    }

    #[test]
    fn streams_equal_those_of_bzip2_1_0_8_and_decompress() {
        let expected = [
            (1, 223_919, "a5d78cfcb0c3505f9391c8504f3fd27d"),
            (9, 223_606, "e7b52ddc9d7f64cd9073d0919ead7444"),
        ];
        let data = sample();
        for (level, len, digest) in expected {
            let mut stream = ReusableBuffer::new();
            assert_eq!(compress(level, &data, &mut stream), Ok(()));
            assert_eq!(stream.len(), len, "level {level}");
            let found = Md5::digest(&*stream);
            assert_eq!(format!("{found:x}"), digest, "level {level}");
            let mut back = vec![0; data.len()];
            assert_eq!(decompress(&stream, &mut back), Ok(data.len()));
            assert_eq!(back, data);
        }
    }
}
