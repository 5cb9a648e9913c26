//! Compression by zlib, whose streams have the same bytes as libtiledb's. Streams are reused;
//! they are reset between chunks. `deflate` decompresses the streams, and compresses faster
//! if the exact bytes do not matter.

use std::mem::MaybeUninit;

use libz_sys as sys;

use crate::bytes::ReusableBuffer;
use crate::memory::{Pooled, Workspace, WorkspaceKind};

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

// SAFETY: the stream is used through `&mut` only, and zlib keeps no state outside of it.
unsafe impl Send for Deflate {}

impl Workspace for Deflate {
    const KIND: WorkspaceKind = WorkspaceKind::ZlibStream;

    fn memory(&self) -> usize {
        STREAM_BYTES
    }
}

/// The size of the memory of a stream in bytes: a window of 32 KiB with its hash chains, and a
/// buffer of 16,384 symbols.
const STREAM_BYTES: usize = 1 << 18;

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
    let mut deflate = Pooled::try_new(|| Deflate::new(level))?;
    if deflate.level != level {
        *deflate = Deflate::new(level)?;
    }
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
}
