//! bzip2 streams. The library has no way to use a stream again, but takes its memory where it is told to: from `Arena`, which
//! each thread keeps.
//!
//! The library calls `bz_internal_error` on a broken invariant of its own. The crate that builds it defines that function
//! with a name for everybody, so that a shared library would export it. A symbol gets the narrowest visibility that any
//! object gives it: below is one that says hidden, in a section that the linker leaves out.

use std::cell::RefCell;
use std::ffi::{c_int, c_uint, c_void};
use std::mem::MaybeUninit;

use bzip2_sys as sys;

use crate::bytes::Room;

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

/// A bzip2 return value other than success.
pub(in super::super) type Code = c_int;

fn short(len: usize) -> Result<c_uint, Code> {
    c_uint::try_from(len).map_err(|_| sys::BZ_PARAM_ERROR)
}

fn checked(code: c_int) -> Result<(), Code> {
    if code == sys::BZ_OK {
        Ok(())
    } else {
        Err(code)
    }
}

/// Memory that streams take and give back. It grows to what one stream needs, and stays until the thread ends; pages of it
/// that no stream wrote to cost nothing.
#[derive(Default)]
struct Arena {
    blocks: Vec<Block>,
}

/// Memory that one stream has, or none.
struct Block {
    /// Its capacity is the memory; it has no length.
    words: Vec<u64>,
    is_taken: bool,
}

impl Arena {
    /// Finds or makes a block of `len` bytes; null where memory is short.
    fn take(&mut self, len: usize) -> *mut c_void {
        let words = len.div_ceil(size_of::<u64>());
        let free = self.blocks.iter_mut().filter(|block| !block.is_taken);
        let fitting = free
            .filter(|block| block.words.capacity() >= words)
            .min_by_key(|block| block.words.capacity());
        // A small request must not take the block of a large one: the next stream would need another.
        if let Some(block) = fitting.filter(|block| block.words.capacity() / 2 <= words) {
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
        let place = block.words.as_mut_ptr().cast();
        self.blocks.push(block);
        place
    }

    fn give_back(&mut self, place: *mut c_void) {
        let mut blocks = self.blocks.iter_mut();
        if let Some(block) = blocks.find(|block| block.words.as_ptr().cast() == place.cast_const())
        {
            block.is_taken = false;
        }
    }
}

/// What a thread keeps.
struct Kept {
    /// Boxed: bzip2 keeps a pointer back to it.
    stream: Box<sys::bz_stream>,
    arena: Box<Arena>,
}

thread_local! {
    static KEPT: RefCell<Option<Kept>> = const { RefCell::new(None) };
}

extern "C" fn take(arena: *mut c_void, items: c_int, size: c_int) -> *mut c_void {
    let len = usize::try_from(items)
        .ok()
        .zip(usize::try_from(size).ok())
        .and_then(|(items, size)| items.checked_mul(size));
    match len {
        // SAFETY: the arena of the thread that runs the stream, which nobody else looks at meanwhile.
        Some(len) => unsafe { (*arena.cast::<Arena>()).take(len) },
        None => std::ptr::null_mut(),
    }
}

extern "C" fn give_back(arena: *mut c_void, place: *mut c_void) {
    // SAFETY: as in `take`.
    unsafe { (*arena.cast::<Arena>()).give_back(place) };
}

/// A call of the library; Windows has a convention of its own for it.
#[cfg(not(windows))]
type End = unsafe extern "C" fn(*mut sys::bz_stream) -> c_int;
#[cfg(windows)]
type End = unsafe extern "system" fn(*mut sys::bz_stream) -> c_int;

/// A stream and how it ends.
struct Stream<'a> {
    inner: &'a mut sys::bz_stream,
    end: End,
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        // SAFETY: initialised by the call that `end` belongs to, ended once.
        unsafe { (self.end)(self.inner) };
    }
}

/// Runs `body` with a blank stream that takes memory from the arena of this thread.
fn with_blank<T>(body: impl FnOnce(&mut sys::bz_stream) -> T) -> T {
    KEPT.with_borrow_mut(|kept| {
        let kept = kept.get_or_insert_with(|| Kept {
            // SAFETY: all zeros are a valid stream: no bytes, no memory of its own.
            stream: Box::new(unsafe { MaybeUninit::zeroed().assume_init() }),
            arena: Box::default(),
        });
        // SAFETY: as above.
        *kept.stream = unsafe { MaybeUninit::zeroed().assume_init() };
        kept.stream.bzalloc = Some(take);
        kept.stream.bzfree = Some(give_back);
        kept.stream.opaque = std::ptr::from_mut(&mut *kept.arena).cast();
        body(&mut kept.stream)
    })
}

/// Appends a stream that holds `data`; `block_size` in units of 100 kB.
pub(in super::super) fn compress(
    block_size: c_int,
    data: &[u8],
    to: &mut Room,
) -> Result<(), Code> {
    // What the library's manual promises: one hundredth more, and 600 bytes.
    let bound = data.len().saturating_add(data.len() / 100 + 601);
    with_blank(|blank| {
        // SAFETY: the stream is blank, and stays where it is until it is ended.
        checked(unsafe { sys::BZ2_bzCompressInit(blank, block_size, 0, 0) })?;
        let stream = Stream {
            inner: blank,
            end: sys::BZ2_bzCompressEnd,
        };
        super::append(to, bound, sys::BZ_MEM_ERROR, |place| {
            let (input, room) = (short(data.len())?, short(place.len())?);
            stream.inner.next_in = data.as_ptr().cast_mut().cast();
            stream.inner.avail_in = input;
            stream.inner.next_out = place.as_mut_ptr().cast();
            stream.inner.avail_out = room;
            // SAFETY: bzip2 stays within the lengths given, and does not write to its input.
            match unsafe { sys::BZ2_bzCompress(stream.inner, sys::BZ_FINISH) } {
                sys::BZ_STREAM_END => Ok((room - stream.inner.avail_out) as usize),
                sys::BZ_FINISH_OK => Err(sys::BZ_OUTBUFF_FULL),
                code => Err(code),
            }
        })
    })
}

/// Puts what a stream holds at the start of `to`; answers its length.
pub(in super::super) fn decompress(data: &[u8], to: &mut [u8]) -> Result<usize, Code> {
    with_blank(|blank| {
        // SAFETY: as above.
        checked(unsafe { sys::BZ2_bzDecompressInit(blank, 0, 0) })?;
        let stream = Stream {
            inner: blank,
            end: sys::BZ2_bzDecompressEnd,
        };
        let (input, room) = (short(data.len())?, short(to.len())?);
        stream.inner.next_in = data.as_ptr().cast_mut().cast();
        stream.inner.avail_in = input;
        stream.inner.next_out = to.as_mut_ptr().cast();
        stream.inner.avail_out = room;
        // SAFETY: bzip2 stays within the lengths given, whatever the stream holds, and does not write to its input.
        match unsafe { sys::BZ2_bzDecompress(stream.inner) } {
            sys::BZ_STREAM_END => Ok((room - stream.inner.avail_out) as usize),
            sys::BZ_OK if stream.inner.avail_out == 0 => Err(sys::BZ_OUTBUFF_FULL),
            sys::BZ_OK => Err(sys::BZ_UNEXPECTED_EOF),
            code => Err(code),
        }
    })
}

#[cfg(test)]
mod tests {
    use md5::{Digest, Md5};

    use super::*;

    /// Bytes that compress, but not well.
    fn sample() -> Vec<u8> {
        let mut state = 12_345_u32;
        let step = |at: u32| {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            if at.is_multiple_of(7) {
                0
            } else {
                (state >> 16) as u8 & 0x3f
            }
        };
        (0..300_000).map(step).collect()
    }

    #[test]
    fn streams_are_byte_for_byte_those_of_bzip2_1_0_8_and_come_back() {
        let wanted = [
            (1, 223_919, "a5d78cfcb0c3505f9391c8504f3fd27d"),
            (9, 223_606, "e7b52ddc9d7f64cd9073d0919ead7444"),
        ];
        let data = sample();
        for (level, len, digest) in wanted {
            let mut stream = Room::new();
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
