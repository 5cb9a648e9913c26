//! bzip2 streams. The library has no way to use a stream again; what it allocates is small beside its work.
//!
//! The library calls `bz_internal_error` on a broken invariant of its own. The crate that builds it defines that function
//! with a name for everybody, so that a shared library would export it. A symbol gets the narrowest visibility that any
//! object gives it: below is one that says hidden, in a section that the linker leaves out.

use std::ffi::{c_int, c_uint};
use std::mem::MaybeUninit;

use bzip2_sys as sys;

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

/// A stream and how it ends. Boxed: bzip2 keeps a pointer back to it.
struct Stream {
    inner: Box<sys::bz_stream>,
    end: unsafe extern "C" fn(*mut sys::bz_stream) -> c_int,
}

impl Stream {
    fn compressing(block_size: c_int) -> Result<Self, Code> {
        let mut inner = Box::new(MaybeUninit::<sys::bz_stream>::zeroed());
        // SAFETY: a zeroed stream asks for bzip2's own allocator, and all zeros are valid for it.
        unsafe {
            checked(sys::BZ2_bzCompressInit(
                inner.as_mut_ptr(),
                block_size,
                0,
                0,
            ))?;
            Ok(Self {
                inner: inner.assume_init(),
                end: sys::BZ2_bzCompressEnd,
            })
        }
    }

    fn decompressing() -> Result<Self, Code> {
        let mut inner = Box::new(MaybeUninit::<sys::bz_stream>::zeroed());
        // SAFETY: as above.
        unsafe {
            checked(sys::BZ2_bzDecompressInit(inner.as_mut_ptr(), 0, 0))?;
            Ok(Self {
                inner: inner.assume_init(),
                end: sys::BZ2_bzDecompressEnd,
            })
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: initialised by the call that `end` belongs to, ended once.
        unsafe { (self.end)(&mut *self.inner) };
    }
}

/// Appends a stream that holds `data`; `block_size` in units of 100 kB.
pub(in super::super) fn compress(
    block_size: c_int,
    data: &[u8],
    to: &mut Vec<u8>,
) -> Result<(), Code> {
    // What the library's manual promises: one hundredth more, and 600 bytes.
    let bound = data.len().saturating_add(data.len() / 100 + 601);
    let mut stream = Stream::compressing(block_size)?;
    // SAFETY: bzip2 initialises the bytes it counts off `avail_out`, stays within the lengths given, and does not
    // write to its input.
    unsafe {
        super::append(to, bound, sys::BZ_MEM_ERROR, |place| {
            let (input, room) = (short(data.len())?, short(place.len())?);
            stream.inner.next_in = data.as_ptr().cast_mut().cast();
            stream.inner.avail_in = input;
            stream.inner.next_out = place.as_mut_ptr().cast();
            stream.inner.avail_out = room;
            match sys::BZ2_bzCompress(&mut *stream.inner, sys::BZ_FINISH) {
                sys::BZ_STREAM_END => Ok((room - stream.inner.avail_out) as usize),
                sys::BZ_FINISH_OK => Err(sys::BZ_OUTBUFF_FULL),
                code => Err(code),
            }
        })
    }
}

/// Puts what a stream holds at the start of `to`; answers its length.
pub(in super::super) fn decompress(data: &[u8], to: &mut [u8]) -> Result<usize, Code> {
    let mut stream = Stream::decompressing()?;
    let (input, room) = (short(data.len())?, short(to.len())?);
    stream.inner.next_in = data.as_ptr().cast_mut().cast();
    stream.inner.avail_in = input;
    stream.inner.next_out = to.as_mut_ptr().cast();
    stream.inner.avail_out = room;
    // SAFETY: bzip2 stays within the lengths given, whatever the stream holds, and does not write to its input.
    match unsafe { sys::BZ2_bzDecompress(&mut *stream.inner) } {
        sys::BZ_STREAM_END => Ok((room - stream.inner.avail_out) as usize),
        sys::BZ_OK if stream.inner.avail_out == 0 => Err(sys::BZ_OUTBUFF_FULL),
        sys::BZ_OK => Err(sys::BZ_UNEXPECTED_EOF),
        code => Err(code),
    }
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
            let mut stream = Vec::new();
            assert_eq!(compress(level, &data, &mut stream), Ok(()));
            assert_eq!(stream.len(), len, "level {level}");
            let found = Md5::digest(&stream);
            assert_eq!(format!("{found:x}"), digest, "level {level}");
            let mut back = vec![0; data.len()];
            assert_eq!(decompress(&stream, &mut back), Ok(data.len()));
            assert_eq!(back, data);
        }
    }
}
