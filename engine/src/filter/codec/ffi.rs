//! Calls of the compression libraries, which are written in C, behind safe functions. Output goes
//! to the start of a slice; the functions return its length.
#![expect(unsafe_code, reason = "calls of foreign functions")]

use std::ffi::{CStr, c_int};
use std::mem::MaybeUninit;
use std::ptr::NonNull;

#[cfg(feature = "webp")]
use crate::bytes::ReusableBuffer;
#[cfg(feature = "webp")]
use crate::filter::WebpFormat;

/// An error message of zstd.
pub(in crate::filter) type ZstdProblem = &'static str;

/// A context of zstd for compression.
pub(in crate::filter) struct ZstdCompressor(NonNull<zstd_sys::ZSTD_CCtx>);

// SAFETY: a context belongs to no thread, and `compress` borrows it exclusively.
unsafe impl Send for ZstdCompressor {}

impl Drop for ZstdCompressor {
    fn drop(&mut self) {
        // SAFETY: the context comes from ZSTD_createCCtx.
        unsafe { zstd_sys::ZSTD_freeCCtx(self.0.as_ptr()) };
    }
}

impl ZstdCompressor {
    /// Returns `None` if memory cannot be allocated.
    pub(in crate::filter) fn new() -> Option<Self> {
        // SAFETY: the function has no arguments; it returns a context or null.
        NonNull::new(unsafe { zstd_sys::ZSTD_createCCtx() }).map(Self)
    }

    /// Returns the number of bytes that the context occupies.
    pub(in crate::filter) fn memory(&self) -> usize {
        // SAFETY: the function only reads the context, which is borrowed.
        unsafe { zstd_sys::ZSTD_sizeof_CCtx(self.0.as_ptr()) }
    }

    /// Writes the frame of `data`.
    pub(in crate::filter) fn compress(
        &mut self,
        level: c_int,
        data: &[u8],
        to: &mut [u8],
    ) -> Result<usize, ZstdProblem> {
        // SAFETY: the context is borrowed exclusively. zstd reads `data` and writes `to`, within
        // the lengths that it gets.
        zstd_result(unsafe {
            zstd_sys::ZSTD_compressCCtx(
                self.0.as_ptr(),
                to.as_mut_ptr().cast(),
                to.len(),
                data.as_ptr().cast(),
                data.len(),
                level,
            )
        })
    }
}

/// A context of zstd for decompression.
pub(in crate::filter) struct ZstdDecompressor(NonNull<zstd_sys::ZSTD_DCtx>);

// SAFETY: the state of a decompression is in the context alone, which `decompress` borrows
// exclusively.
unsafe impl Send for ZstdDecompressor {}

impl Drop for ZstdDecompressor {
    fn drop(&mut self) {
        // SAFETY: the context comes from ZSTD_createDCtx.
        unsafe { zstd_sys::ZSTD_freeDCtx(self.0.as_ptr()) };
    }
}

impl ZstdDecompressor {
    /// Returns `None` if memory cannot be allocated.
    pub(in crate::filter) fn new() -> Option<Self> {
        // SAFETY: the function has no preconditions, and null is not wrapped.
        NonNull::new(unsafe { zstd_sys::ZSTD_createDCtx() }).map(Self)
    }

    /// Returns the number of bytes that the context occupies.
    pub(in crate::filter) fn memory(&self) -> usize {
        // SAFETY: the context lives as long as `self`, and is not changed.
        unsafe { zstd_sys::ZSTD_sizeof_DCtx(self.0.as_ptr()) }
    }

    /// Decompresses a frame.
    pub(in crate::filter) fn decompress(
        &mut self,
        frame: &[u8],
        to: &mut [u8],
    ) -> Result<usize, ZstdProblem> {
        // SAFETY: zstd stays within both lengths for any frame, valid or not, and no other
        // call uses the context.
        zstd_result(unsafe {
            zstd_sys::ZSTD_decompressDCtx(
                self.0.as_ptr(),
                to.as_mut_ptr().cast(),
                to.len(),
                frame.as_ptr().cast(),
                frame.len(),
            )
        })
    }
}

/// Returns the maximum size of the frame of `len` bytes.
pub(in crate::filter) fn zstd_bound(len: usize) -> Result<usize, ZstdProblem> {
    // SAFETY: the function computes with a number only.
    zstd_result(unsafe { zstd_sys::ZSTD_compressBound(len) })
}

/// Returns the number of bytes, or the error that a return value encodes.
fn zstd_result(code: usize) -> Result<usize, ZstdProblem> {
    // SAFETY: both functions only inspect the number, and the names of errors are static
    // strings with a final zero.
    unsafe {
        if zstd_sys::ZSTD_isError(code) == 0 {
            return Ok(code);
        }
        Err(CStr::from_ptr(zstd_sys::ZSTD_getErrorName(code))
            .to_str()
            .unwrap_or("unknown error"))
    }
}

/// A compressor of one level, from libdeflate.
pub(in crate::filter) struct DeflateCompressor {
    address: NonNull<libdeflate_sys::libdeflate_compressor>,
    pub(in crate::filter) level: c_int,
}

// SAFETY: a compressor does not depend on the thread that created it, and every call below borrows
// it exclusively.
unsafe impl Send for DeflateCompressor {}

impl Drop for DeflateCompressor {
    fn drop(&mut self) {
        // SAFETY: the compressor comes from libdeflate_alloc_compressor.
        unsafe { libdeflate_sys::libdeflate_free_compressor(self.address.as_ptr()) };
    }
}

impl DeflateCompressor {
    /// Returns `None` if memory cannot be allocated or there is no such level.
    pub(in crate::filter) fn new(level: c_int) -> Option<Self> {
        // SAFETY: any level may be passed; for invalid ones the function returns null.
        let address = unsafe { libdeflate_sys::libdeflate_alloc_compressor(level) };
        NonNull::new(address).map(|address| Self { address, level })
    }

    /// Returns the maximum size of the stream of `len` bytes.
    pub(in crate::filter) fn bound(&mut self, len: usize) -> usize {
        // SAFETY: the compressor was not freed, and the length refers to no memory.
        unsafe { libdeflate_sys::libdeflate_zlib_compress_bound(self.address.as_ptr(), len) }
    }

    /// Writes the stream of `data`. Returns `None` if it does not fit.
    pub(in crate::filter) fn compress(&mut self, data: &[u8], to: &mut [u8]) -> Option<usize> {
        // SAFETY: libdeflate writes at most `to.len()` bytes, and `&mut self` excludes other
        // calls with this compressor.
        let written = unsafe {
            libdeflate_sys::libdeflate_zlib_compress(
                self.address.as_ptr(),
                data.as_ptr().cast(),
                data.len(),
                to.as_mut_ptr().cast(),
                to.len(),
            )
        };
        Some(written).filter(|written| *written > 0)
    }
}

/// A decompressor of libdeflate.
pub(in crate::filter) struct DeflateDecompressor(NonNull<libdeflate_sys::libdeflate_decompressor>);

// SAFETY: the memory of a decompressor belongs to no thread, and `decompress` has exclusive access.
unsafe impl Send for DeflateDecompressor {}

impl Drop for DeflateDecompressor {
    fn drop(&mut self) {
        // SAFETY: the decompressor comes from libdeflate_alloc_decompressor.
        unsafe { libdeflate_sys::libdeflate_free_decompressor(self.0.as_ptr()) };
    }
}

impl DeflateDecompressor {
    /// Returns `None` if memory cannot be allocated.
    pub(in crate::filter) fn new() -> Option<Self> {
        // SAFETY: the function needs nothing from its caller but a check for null.
        NonNull::new(unsafe { libdeflate_sys::libdeflate_alloc_decompressor() }).map(Self)
    }

    /// Decompresses a stream; bytes after its end are ignored.
    pub(in crate::filter) fn decompress(
        &mut self,
        stream: &[u8],
        to: &mut [u8],
    ) -> Result<usize, &'static str> {
        let (mut used, mut written) = (0, 0);
        // SAFETY: libdeflate checks its input, which may be damaged, and the space left in `to`
        // before each copy. The two counts are local variables.
        let result = unsafe {
            libdeflate_sys::libdeflate_zlib_decompress_ex(
                self.0.as_ptr(),
                stream.as_ptr().cast(),
                stream.len(),
                to.as_mut_ptr().cast(),
                to.len(),
                &raw mut used,
                &raw mut written,
            )
        };
        match result {
            libdeflate_sys::libdeflate_result_LIBDEFLATE_SUCCESS => Ok(written.min(to.len())),
            libdeflate_sys::libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE => {
                Err("it holds more than it should")
            }
            _ => Err("it is damaged"),
        }
    }
}

/// A compressing stream of zlib, for data after data of one level. Errors are return values of
/// zlib.
pub(in crate::filter) struct ZlibStream {
    /// Boxed, since zlib keeps a pointer to it.
    stream: Box<libz_sys::z_stream>,
    pub(in crate::filter) level: c_int,
}

// SAFETY: zlib keeps all state of a stream in the stream and in memory that only the stream
// points to, and every call below borrows the stream exclusively.
unsafe impl Send for ZlibStream {}

impl Drop for ZlibStream {
    fn drop(&mut self) {
        // SAFETY: `new` has initialised the stream by deflateInit_; it is ended only here.
        unsafe { libz_sys::deflateEnd(&raw mut *self.stream) };
    }
}

impl ZlibStream {
    /// Creates a stream of a level from -1 to 9.
    pub(in crate::filter) fn new(level: c_int) -> Result<Self, c_int> {
        const STREAM_SIZE: c_int = size_of::<libz_sys::z_stream>() as c_int;
        let mut stream = Box::new(MaybeUninit::zeroed());
        // SAFETY: a zeroed stream selects zlib's own allocator; version and size are those of
        // this header. On success the whole stream is initialised.
        unsafe {
            let version = libz_sys::zlibVersion();
            zlib_result(libz_sys::deflateInit_(
                stream.as_mut_ptr(),
                level,
                version,
                STREAM_SIZE,
            ))?;
            let stream = stream.assume_init();
            Ok(Self { stream, level })
        }
    }

    /// Prepares the stream for other data. Returns the maximum size of the stream of `len`
    /// bytes.
    pub(in crate::filter) fn reset(&mut self, len: usize) -> Result<usize, c_int> {
        // SAFETY: the stream is initialised, as both functions require.
        let bound = unsafe {
            zlib_result(libz_sys::deflateReset(&raw mut *self.stream))?;
            libz_sys::deflateBound(&raw mut *self.stream, len as _)
        };
        usize::try_from(bound).map_err(|_| libz_sys::Z_BUF_ERROR)
    }

    /// Writes the stream of `data`, after a call of `reset`.
    pub(in crate::filter) fn compress(
        &mut self,
        data: &[u8],
        to: &mut [u8],
    ) -> Result<usize, c_int> {
        let len = |len| u32::try_from(len).map_err(|_| libz_sys::Z_BUF_ERROR);
        let (input, capacity) = (len(data.len())?, len(to.len())?);
        let stream = &mut *self.stream;
        stream.next_in = data.as_ptr().cast_mut();
        stream.avail_in = input;
        stream.next_out = to.as_mut_ptr();
        stream.avail_out = capacity;
        // SAFETY: the four fields set above describe `data`, which zlib does not change, and
        // `to`. They are set again before the next call, so they cannot dangle in one.
        match unsafe { libz_sys::deflate(stream, libz_sys::Z_FINISH) } {
            libz_sys::Z_STREAM_END => Ok((capacity - stream.avail_out) as usize),
            code => Err(code),
        }
    }
}

fn zlib_result(code: c_int) -> Result<(), c_int> {
    if code == libz_sys::Z_OK {
        Ok(())
    } else {
        Err(code)
    }
}

/// Returns the maximum size of the block of `len` bytes, or `None` if they are too many.
pub(in crate::filter) fn lz4_bound(len: usize) -> Option<usize> {
    let len = c_int::try_from(len).ok()?;
    // SAFETY: the function computes with a number, and returns zero if that is too large.
    let bound = usize::try_from(unsafe { lz4_sys::LZ4_compressBound(len) }).ok()?;
    Some(bound).filter(|bound| *bound > 0)
}

/// Writes the block of `data`. Returns `None` if it does not fit.
pub(in crate::filter) fn lz4_compress(data: &[u8], to: &mut [u8]) -> Option<usize> {
    let (len, capacity) = (c_int::try_from(data.len()), c_int::try_from(to.len()));
    let (len, capacity) = (len.ok()?, capacity.ok()?);
    let (from, to) = (data.as_ptr().cast(), to.as_mut_ptr().cast());
    // SAFETY: both lengths are those of the slices that the addresses come from.
    let written = unsafe { lz4_sys::LZ4_compress_default(from, to, len, capacity) };
    usize::try_from(written).ok().filter(|len| *len > 0)
}

/// Decompresses a block. Returns `None` if it is damaged or does not fit.
pub(in crate::filter) fn lz4_decompress(block: &[u8], to: &mut [u8]) -> Option<usize> {
    let (len, capacity) = (c_int::try_from(block.len()), c_int::try_from(to.len()));
    let (len, capacity) = (len.ok()?, capacity.ok()?);
    let (from, to) = (block.as_ptr().cast(), to.as_mut_ptr().cast());
    // SAFETY: this function of LZ4 is the one that checks damaged blocks against the lengths.
    let written = unsafe { lz4_sys::LZ4_decompress_safe(from, to, len, capacity) };
    usize::try_from(written).ok()
}

/// The dimensions of an image, whose pixels are stored row by row.
#[cfg(feature = "webp")]
#[derive(Clone, Copy, Debug)]
pub(in crate::filter) struct Shape {
    pub(in crate::filter) rows: c_int,
    pub(in crate::filter) columns: c_int,
    /// The size of a row in bytes.
    pub(in crate::filter) stride: c_int,
}

#[cfg(feature = "webp")]
impl Shape {
    /// Returns the size of all rows in bytes; `None` if it is zero or does not fit in memory.
    pub(in crate::filter) fn len(self) -> Option<usize> {
        let (rows, stride) = (
            usize::try_from(self.rows).ok()?,
            usize::try_from(self.stride).ok()?,
        );
        rows.checked_mul(stride).filter(|len| *len > 0)
    }
}

/// An image of the WebP encoder, freed on drop.
#[cfg(feature = "webp")]
struct Picture(libwebp_sys::WebPPicture);

#[cfg(feature = "webp")]
impl Drop for Picture {
    fn drop(&mut self) {
        // SAFETY: `webp_encode` got the image from WebPPicture::new.
        unsafe { libwebp_sys::WebPPictureFree(&raw mut self.0) };
    }
}

/// Appends bytes from the encoder to the buffer that the image points to. Returns 0 if memory
/// cannot be allocated.
#[cfg(feature = "webp")]
unsafe extern "C" fn append_encoded(
    data: *const u8,
    len: usize,
    picture: *const libwebp_sys::WebPPicture,
) -> c_int {
    // SAFETY: the encoder passes the image of `webp_encode`, whose `custom_ptr` is a buffer that is
    // not accessed otherwise meanwhile.
    let to = unsafe { &mut *(*picture).custom_ptr.cast::<ReusableBuffer>() };
    let data = match len {
        0 => &[],
        // SAFETY: the encoder owns `len` bytes at `data`, and does not change them during the call.
        _ => unsafe { std::slice::from_raw_parts(data, len) },
    };
    let target = to.grow(len);
    target
        .map(|target| target.copy_from_slice(data))
        .is_ok()
        .into()
}

/// Appends the encoded image of `pixels`. Returns `None` if the library cannot encode it; part of
/// the image may be in the buffer then.
#[cfg(feature = "webp")]
pub(in crate::filter) fn webp_encode(
    config: &libwebp_sys::WebPConfig,
    format: WebpFormat,
    shape: Shape,
    pixels: &[u8],
    to: &mut ReusableBuffer,
) -> Option<()> {
    let import = match format {
        WebpFormat::Rgb => libwebp_sys::WebPPictureImportRGB,
        WebpFormat::Bgr => libwebp_sys::WebPPictureImportBGR,
        WebpFormat::Rgba => libwebp_sys::WebPPictureImportRGBA,
        WebpFormat::Bgra => libwebp_sys::WebPPictureImportBGRA,
        WebpFormat::None => return None,
    };
    if shape.len() != Some(pixels.len()) {
        return None;
    }
    let mut picture = Picture(libwebp_sys::WebPPicture::new().ok()?);
    picture.0.use_argb = config.lossless;
    (picture.0.width, picture.0.height) = (shape.columns, shape.rows);
    picture.0.writer = Some(append_encoded);
    picture.0.custom_ptr = std::ptr::from_mut(to).cast();
    // SAFETY: the length of `pixels` was checked against the shape. The buffer outlives the image
    // and is accessed only by `append_encoded` while the encoder runs.
    let done = unsafe {
        import(&raw mut picture.0, pixels.as_ptr(), shape.stride) != 0
            && libwebp_sys::WebPEncode(config, &raw mut picture.0) != 0
    };
    done.then_some(())
}

/// Decodes an image into `to`. Returns `None` if its dimensions differ from `shape` or it is
/// damaged.
#[cfg(feature = "webp")]
pub(in crate::filter) fn webp_decode(
    format: WebpFormat,
    shape: Shape,
    picture: &[u8],
    to: &mut [u8],
) -> Option<()> {
    let decode = match format {
        WebpFormat::Rgb => libwebp_sys::WebPDecodeRGBInto,
        WebpFormat::Bgr => libwebp_sys::WebPDecodeBGRInto,
        WebpFormat::Rgba => libwebp_sys::WebPDecodeRGBAInto,
        WebpFormat::Bgra => libwebp_sys::WebPDecodeBGRAInto,
        WebpFormat::None => return None,
    };
    if shape.len() != Some(to.len()) {
        return None;
    }
    let (mut columns, mut rows) = (0, 0);
    let (data, len) = (picture.as_ptr(), picture.len());
    // SAFETY: the library reads at most `len` bytes of the header.
    let has_info = unsafe { libwebp_sys::WebPGetInfo(data, len, &raw mut columns, &raw mut rows) };
    if has_info == 0 || (rows, columns) != (shape.rows, shape.columns) {
        return None;
    }
    // SAFETY: the rows of the image, `stride` bytes apart, fill `to`, whose length the library
    // checks again.
    let done = unsafe { decode(data, len, to.as_mut_ptr(), to.len(), shape.stride) };
    (!done.is_null()).then_some(())
}
