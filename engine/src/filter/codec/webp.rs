//! WebP pictures, in memory that the library takes for each: it keeps nothing between them.

use std::ffi::{c_int, c_void};

use libwebp_sys as sys;

use crate::bytes::Room;
use crate::filter::{Webp, WebpFormat};

/// The quality, from 0 to 100, at which the library looks for small exact pictures unless told otherwise.
const LOSSLESS_QUALITY: f32 = 70.0;

/// The pixels of a picture, row by row.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Shape {
    pub(in super::super) rows: c_int,
    pub(in super::super) columns: c_int,
    /// The bytes of a row.
    pub(in super::super) stride: c_int,
}

impl Shape {
    /// The bytes of all rows; `None` where they are none, or more than memory could have.
    pub(in super::super) fn len(self) -> Option<usize> {
        let (rows, stride) = (
            usize::try_from(self.rows).ok()?,
            usize::try_from(self.stride).ok()?,
        );
        rows.checked_mul(stride).filter(|len| *len > 0)
    }
}

/// Frees what a picture took.
struct Picture(sys::WebPPicture);

impl Drop for Picture {
    fn drop(&mut self) {
        // SAFETY: initialised by the library, freed once.
        unsafe { sys::WebPPictureFree(&mut self.0) };
    }
}

/// Appends bytes of an encoder to the room that its picture points to. Answers 0 where memory is short.
unsafe extern "C" fn append(
    data: *const u8,
    len: usize,
    picture: *const sys::WebPPicture,
) -> c_int {
    // SAFETY: the encoder calls it with bytes of its own and with the picture of `encode`, which lives on its stack.
    let (to, data) = unsafe {
        let to = &mut *(*picture).custom_ptr.cast::<Room>();
        (
            to,
            if len == 0 {
                &[]
            } else {
                std::slice::from_raw_parts(data, len)
            },
        )
    };
    let place = to.grow(len);
    place
        .map(|place| place.copy_from_slice(data))
        .is_ok()
        .into()
}

/// Appends the picture that `pixels` are; `None` where the library cannot.
pub(in super::super) fn encode(
    options: &Webp,
    shape: Shape,
    pixels: &[u8],
    to: &mut Room,
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
    // Without this a transparent pixel loses its colours.
    config.exact = options.lossless.into();
    config.quality = match options.lossless {
        true => LOSSLESS_QUALITY,
        false => options.quality,
    };
    let mut picture = Picture(sys::WebPPicture::new().ok()?);
    picture.0.use_argb = options.lossless.into();
    (picture.0.width, picture.0.height) = (shape.columns, shape.rows);
    picture.0.writer = Some(append);
    picture.0.custom_ptr = std::ptr::from_mut(to).cast::<c_void>();
    let before = to.len();
    // SAFETY: the pixels are as many as the shape says; the room outlives the picture, and is touched by nobody else
    // while the encoder runs.
    let done = unsafe {
        import(&mut picture.0, pixels.as_ptr(), shape.stride) != 0
            && sys::WebPEncode(&config, &mut picture.0) != 0
    };
    if !done {
        to.truncate(before);
    }
    done.then_some(())
}

/// Fills `to` with the pixels of a picture, which must have the shape; `None` where it has not, or is damaged.
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
    // SAFETY: the library stays within the lengths given, whatever the picture holds.
    unsafe {
        let known = sys::WebPGetInfo(picture.as_ptr(), picture.len(), &mut columns, &mut rows);
        if known == 0 || (rows, columns) != (shape.rows, shape.columns) {
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
