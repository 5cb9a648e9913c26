//! WebP images. The library allocates the memory for each image and keeps nothing between calls.

use libwebp_sys::WebPConfig;

use super::ffi::webp_encode;
use crate::bytes::ReusableBuffer;
use crate::filter::Webp;

pub(in super::super) use super::ffi::{Shape, webp_decode as decode};

/// The default quality of lossless images, from 0 to 100: the effort to find a small encoding.
const LOSSLESS_QUALITY: f32 = 70.0;

/// Appends the encoded image of `pixels`. Returns `None` if the library cannot encode it.
pub(in super::super) fn encode(
    options: &Webp,
    shape: Shape,
    pixels: &[u8],
    to: &mut ReusableBuffer,
) -> Option<()> {
    let mut config = WebPConfig::new().ok()?;
    config.lossless = options.lossless.into();
    // Without `exact`, transparent pixels lose their colours.
    config.exact = options.lossless.into();
    config.quality = if options.lossless {
        LOSSLESS_QUALITY
    } else {
        options.quality
    };
    let before = to.len();
    let done = webp_encode(&config, options.format, shape, pixels, to);
    if done.is_none() {
        to.truncate(before);
    }
    done
}
