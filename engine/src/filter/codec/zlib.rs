//! Compression by zlib, with two streams per thread, reset between chunks: their output has the bytes that libtiledb's has,
//! but for now and then a piece of less than [`LITTLE`].
//! `deflate` undoes them, and is faster where that does not matter.
//!
//! A reset clears the stream's hash table. Little data, as a schema is, has a stream with a small one.

use std::cell::RefCell;
use std::mem::MaybeUninit;

use libz_sys as sys;

use crate::bytes::Room;

/// A zlib return value other than success.
pub(in super::super) type Code = i32;

/// A compressing stream. Boxed: zlib keeps a pointer back to it.
struct Stream {
    level: i32,
    stream: Box<sys::z_stream>,
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: initialised by deflateInit2_, ended once.
        unsafe { sys::deflateEnd(&mut *self.stream) };
    }
}

/// How much memory a stream takes, as zlib counts it.
#[derive(Clone, Copy)]
enum Memory {
    /// For less than [`LITTLE`] bytes.
    Little = 5,
    /// zlib's default.
    Whole = 8,
}

/// The bytes that a stream with [`Memory::Little`] cannot put into one block: it ends a block after 2,047 symbols.
const LITTLE: usize = 2048;

thread_local! {
    static LITTLE_STREAM: RefCell<Option<Stream>> = const { RefCell::new(None) };
    static STREAM: RefCell<Option<Stream>> = const { RefCell::new(None) };
}

/// zlib's default, the greatest.
const WINDOW_BITS: i32 = 15;

const STREAM_SIZE: i32 = size_of::<sys::z_stream>() as i32;

/// A stream that is not initialised yet.
fn blank() -> Box<MaybeUninit<sys::z_stream>> {
    Box::new(MaybeUninit::zeroed())
}

fn checked(code: i32) -> Result<(), Code> {
    if code == sys::Z_OK { Ok(()) } else { Err(code) }
}

impl Stream {
    fn new(level: i32, memory: Memory) -> Result<Self, Code> {
        let mut stream = blank();
        // SAFETY: a zeroed stream asks for zlib's own allocator; version and size are those of this header. On success
        // all of the stream is valid.
        unsafe {
            checked(sys::deflateInit2_(
                stream.as_mut_ptr(),
                level,
                sys::Z_DEFLATED,
                WINDOW_BITS,
                memory as i32,
                sys::Z_DEFAULT_STRATEGY,
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
    let (kept, memory) = match data.len() < LITTLE {
        true => (&LITTLE_STREAM, Memory::Little),
        false => (&STREAM, Memory::Whole),
    };
    kept.with_borrow_mut(|kept| {
        if kept.as_ref().is_none_or(|kept| kept.level != level) {
            *kept = Some(Stream::new(level, memory)?);
        }
        let Some(kept) = kept else {
            return Err(sys::Z_MEM_ERROR);
        };
        let stream = &mut *kept.stream;
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
