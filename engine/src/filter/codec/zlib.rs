//! Compression by zlib, whose streams have the same bytes as libtiledb's. Each thread keeps one
//! stream, which is reset between chunks. `deflate` decompresses the streams, and compresses faster
//! if the exact bytes do not matter.

use std::cell::RefCell;
use std::mem::MaybeUninit;

use libz_sys as sys;

use crate::bytes::ReusableBuffer;

/// A zlib return value other than success.
pub(in super::super) type ZlibCode = i32;

/// A compressing stream. Boxed, since zlib keeps a pointer to it.
struct Deflate {
    level: i32,
    stream: Box<sys::z_stream>,
}

impl Drop for Deflate {
    fn drop(&mut self) {
        // SAFETY: initialised by deflateInit_, ended once.
        unsafe { sys::deflateEnd(&mut *self.stream) };
    }
}

thread_local! {
    static DEFLATE: RefCell<Option<Deflate>> = const { RefCell::new(None) };
}

const STREAM_SIZE: i32 = size_of::<sys::z_stream>() as i32;

/// Returns a zeroed stream.
fn zeroed_stream() -> Box<MaybeUninit<sys::z_stream>> {
    Box::new(MaybeUninit::zeroed())
}

fn checked(code: i32) -> Result<(), ZlibCode> {
    if code == sys::Z_OK { Ok(()) } else { Err(code) }
}

impl Deflate {
    fn new(level: i32) -> Result<Self, ZlibCode> {
        let mut stream = zeroed_stream();
        // SAFETY: a zeroed stream selects zlib's own allocator; version and size are those of this
        // header. On success the whole stream is initialised.
        unsafe {
            checked(sys::deflateInit_(
                stream.as_mut_ptr(),
                level,
                sys::zlibVersion(),
                STREAM_SIZE,
            ))?;
            Ok(Self {
                level,
                stream: stream.assume_init(),
            })
        }
    }
}

/// Converts a length to zlib's 32-bit type.
fn to_u32(len: usize) -> Result<u32, ZlibCode> {
    u32::try_from(len).map_err(|_| sys::Z_BUF_ERROR)
}

/// Appends the zlib stream of `data`.
pub(in super::super) fn deflate(
    level: i32,
    data: &[u8],
    to: &mut ReusableBuffer,
) -> Result<(), ZlibCode> {
    DEFLATE.with_borrow_mut(|slot| {
        if slot.as_ref().is_none_or(|deflate| deflate.level != level) {
            *slot = Some(Deflate::new(level)?);
        }
        let Some(deflate) = slot else {
            return Err(sys::Z_MEM_ERROR);
        };
        let stream = &mut *deflate.stream;
        // SAFETY: the stream is initialised; zlib reads and writes within the given lengths, and
        // initialises the bytes by which it decreases `avail_out`.
        unsafe {
            checked(sys::deflateReset(stream))?;
            let bound = usize::try_from(sys::deflateBound(stream, data.len() as _))
                .map_err(|_| sys::Z_BUF_ERROR)?;
            super::append(to, bound, sys::Z_MEM_ERROR, |output| {
                let (input, capacity) = (to_u32(data.len())?, to_u32(output.len())?);
                stream.next_in = data.as_ptr().cast_mut();
                stream.avail_in = input;
                stream.next_out = output.as_mut_ptr().cast();
                stream.avail_out = capacity;
                match sys::deflate(stream, sys::Z_FINISH) {
                    sys::Z_STREAM_END => Ok((capacity - stream.avail_out) as usize),
                    code => Err(code),
                }
            })
        }
    })
}
