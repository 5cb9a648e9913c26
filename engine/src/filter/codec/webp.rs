//! WebP images. The library allocates the memory for each image and keeps nothing between calls.

use std::ffi::{c_int, c_void};

use libwebp_sys as sys;

use crate::bytes::ReusableBuffer;
use crate::filter::{Webp, WebpFormat};

/// The default quality of lossless images, from 0 to 100: the effort to find a small encoding.
const LOSSLESS_QUALITY: f32 = 70.0;

/// The dimensions of an image, whose pixels are stored row by row.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Shape {
    pub(in super::super) rows: c_int,
    pub(in super::super) columns: c_int,
    /// The size of a row in bytes.
    pub(in super::super) stride: c_int,
}

impl Shape {
    /// Returns the size of all rows in bytes; `None` if it is zero or does not fit in memory.
    pub(in super::super) fn len(self) -> Option<usize> {
        let (rows, stride) = (
            usize::try_from(self.rows).ok()?,
            usize::try_from(self.stride).ok()?,
        );
        rows.checked_mul(stride).filter(|len| *len > 0)
    }
}

/// An encoder's image, freed on drop.
struct Picture(sys::WebPPicture);

impl Drop for Picture {
    fn drop(&mut self) {
        // SAFETY: initialised by the library, freed once.
        unsafe { sys::WebPPictureFree(&mut self.0) };
    }
}

/// Appends bytes from the encoder to the buffer that the image points to. Returns 0 if memory
/// cannot be allocated.
unsafe extern "C" fn append(
    data: *const u8,
    len: usize,
    picture: *const sys::WebPPicture,
) -> c_int {
    // SAFETY: the encoder passes bytes that it owns and the image of `encode`, whose `custom_ptr`
    // is a buffer that is not accessed otherwise meanwhile.
    let (to, data) = unsafe {
        let to = &mut *(*picture).custom_ptr.cast::<ReusableBuffer>();
        (
            to,
            if len == 0 {
                &[]
            } else {
                std::slice::from_raw_parts(data, len)
            },
        )
    };
    let target = to.grow(len);
    target
        .map(|target| target.copy_from_slice(data))
        .is_ok()
        .into()
}

/// Appends the encoded image of `pixels`. Returns `None` if the library cannot encode it.
pub(in super::super) fn encode(
    options: &Webp,
    shape: Shape,
    pixels: &[u8],
    to: &mut ReusableBuffer,
) -> Option<()> {
    if shape.len() != Some(pixels.len()) {
        return None;
    }
    let import = match options.format {
        WebpFormat::Rgb => sys::WebPPictureImportRGB,
        WebpFormat::Bgr => sys::WebPPictureImportBGR,
        WebpFormat::Rgba => sys::WebPPictureImportRGBA,
        WebpFormat::Bgra => sys::WebPPictureImportBGRA,
        WebpFormat::None => return None,
    };
    let mut config = sys::WebPConfig::new().ok()?;
    config.lossless = options.lossless.into();
    // Without `exact`, transparent pixels lose their colours.
    config.exact = options.lossless.into();
    config.quality = if options.lossless {
        LOSSLESS_QUALITY
    } else {
        options.quality
    };
    let mut picture = Picture(sys::WebPPicture::new().ok()?);
    picture.0.use_argb = options.lossless.into();
    (picture.0.width, picture.0.height) = (shape.columns, shape.rows);
    picture.0.writer = Some(append);
    picture.0.custom_ptr = std::ptr::from_mut(to).cast::<c_void>();
    let before = to.len();
    // SAFETY: the length of `pixels` was checked against the shape. The buffer outlives the image
    // and is accessed only by `append` while the encoder runs.
    let done = unsafe {
        import(&mut picture.0, pixels.as_ptr(), shape.stride) != 0
            && sys::WebPEncode(&config, &mut picture.0) != 0
    };
    if !done {
        to.truncate(before);
    }
    done.then_some(())
}

/// Decodes an image into `to`. Returns `None` if its dimensions differ from `shape` or it is
/// damaged.
pub(in super::super) fn decode(
    format: WebpFormat,
    shape: Shape,
    picture: &[u8],
    to: &mut [u8],
) -> Option<()> {
    if shape.len() != Some(to.len()) {
        return None;
    }
    let decode = match format {
        WebpFormat::Rgb => sys::WebPDecodeRGBInto,
        WebpFormat::Bgr => sys::WebPDecodeBGRInto,
        WebpFormat::Rgba => sys::WebPDecodeRGBAInto,
        WebpFormat::Bgra => sys::WebPDecodeBGRAInto,
        WebpFormat::None => return None,
    };
    let (mut columns, mut rows) = (0, 0);
    // SAFETY: the library stays within the given lengths for any input.
    unsafe {
        let has_info = sys::WebPGetInfo(picture.as_ptr(), picture.len(), &mut columns, &mut rows);
        if has_info == 0 || (rows, columns) != (shape.rows, shape.columns) {
            return None;
        }
        let done = decode(
            picture.as_ptr(),
            picture.len(),
            to.as_mut_ptr(),
            to.len(),
            shape.stride,
        );
        (!done.is_null()).then_some(())
    }
}
