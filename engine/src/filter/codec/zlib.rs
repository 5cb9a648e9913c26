//! Compression by zlib, with one stream per thread, reset between chunks: its streams have the bytes that libtiledb's have.
//! `deflate` undoes them, and is faster where that does not matter.

use std::cell::RefCell;
use std::mem::MaybeUninit;

use libz_sys as sys;

use crate::bytes::Room;

/// A zlib return value other than success.
pub(in super::super) type Code = i32;

/// A compressing stream. Boxed: zlib keeps a pointer back to it.
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

/// A stream that is not initialised yet.
fn blank() -> Box<MaybeUninit<sys::z_stream>> {
    Box::new(MaybeUninit::zeroed())
}

fn checked(code: i32) -> Result<(), Code> {
    if code == sys::Z_OK { Ok(()) } else { Err(code) }
}

impl Deflate {
    fn new(level: i32) -> Result<Self, Code> {
        let mut stream = blank();
        // SAFETY: a zeroed stream asks for zlib's own allocator; version and size are those of this header. On success
        // all of the stream is valid.
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

/// A length as zlib counts, in 32 bits.
fn short(len: usize) -> Result<u32, Code> {
    u32::try_from(len).map_err(|_| sys::Z_BUF_ERROR)
}

/// Appends a zlib stream that holds `data`.
pub(in super::super) fn deflate(level: i32, data: &[u8], to: &mut Room) -> Result<(), Code> {
    DEFLATE.with_borrow_mut(|kept| {
        if kept.as_ref().is_none_or(|deflate| deflate.level != level) {
            *kept = Some(Deflate::new(level)?);
        }
        let Some(deflate) = kept else {
            return Err(sys::Z_MEM_ERROR);
        };
        let stream = &mut *deflate.stream;
        // SAFETY: the stream is initialised; zlib reads and writes within the lengths given, and initialises the bytes
        // it counts off `avail_out`.
        unsafe {
            checked(sys::deflateReset(stream))?;
            let bound = usize::try_from(sys::deflateBound(stream, data.len() as _))
                .map_err(|_| sys::Z_BUF_ERROR)?;
            super::append(to, bound, sys::Z_MEM_ERROR, |place| {
                let (input, room) = (short(data.len())?, short(place.len())?);
                stream.next_in = data.as_ptr().cast_mut();
                stream.avail_in = input;
                stream.next_out = place.as_mut_ptr().cast();
                stream.avail_out = room;
                match sys::deflate(stream, sys::Z_FINISH) {
                    sys::Z_STREAM_END => Ok((room - stream.avail_out) as usize),
                    code => Err(code),
                }
            })
        }
    })
}
