//! WebP: a tile is stored as an image. The cells of the first dimension are its rows; the cells of
//! a row are the colour values of its pixels.
//!
//! ```text
//! metadata: number of images u32, 1; its length u32; then the input's metadata unchanged
//! data:     the image
//! ```

use libwebp_sys::WebPConfig;

use super::codec::ffi::{Shape, webp_decode, webp_encode};
use super::parts::{DecodeInput, EncodeInput, Parts, u32_of};
use super::{Webp, WebpFormat};
use crate::bytes::{Cursor, ReusableBuffer};
use crate::error::{Error, FilterError, Result};

const NAME: &str = "WEBP";
/// The default quality of lossless images, from 0 to 100: the effort to find a small encoding.
const LOSSLESS_QUALITY: f32 = 70.0;

/// The WebP filter bound to the dimensions of a tile.
#[derive(Clone, Copy, Debug)]
pub(super) struct WebpStage {
    options: Webp,
    shape: Shape,
}

impl WebpStage {
    /// The name in error messages.
    pub(super) const NAME: &'static str = NAME;

    pub(super) fn new(options: &Webp) -> Self {
        let (rows, stride) = options.extents;
        Self {
            options: *options,
            shape: Shape {
                rows: rows.into(),
                columns: i32::from(stride) / options.format.depth() as i32,
                stride: stride.into(),
            },
        }
    }

    pub(super) fn metadata_len(input: EncodeInput<'_>) -> usize {
        8 + input.metadata.bytes.len()
    }

    pub(super) fn encode(
        self,
        input: EncodeInput<'_>,
        data: &mut Parts,
        metadata: &mut Parts,
    ) -> Result<()> {
        if self.options.format == WebpFormat::None {
            return Err(FilterError::NoWebpFormat.into());
        }
        let pixels = input.data.bytes;
        if input.data.count() != 1 || self.shape.len() != Some(pixels.len()) {
            return Err(FilterError::NotAnImage {
                rows: self.shape.rows,
                stride: self.shape.stride,
                len: pixels.len(),
            }
            .into());
        }
        let start = data.bytes.len();
        encode_image(&self.options, self.shape, pixels, &mut data.bytes)
            .ok_or_else(|| Error::from(FilterError::WebpEncoding))?;
        metadata.put_u32(1)?;
        metadata.put_u32(u32_of(data.bytes.len() - start)?)?;
        metadata.end_part();
        metadata.append(input.metadata)?;
        data.end_part();
        Ok(())
    }

    /// Returns the decoded length.
    pub(super) fn decoded_len(self) -> usize {
        self.shape.len().unwrap_or_default()
    }

    pub(super) fn decode(self, input: DecodeInput<'_>, data: &mut [u8]) -> Result<Option<usize>> {
        let mut header = Cursor::new(NAME, input.metadata);
        let images = header.u32("number of images")?;
        if images != 1 {
            return Err(header.corrupt("number of images", format!("is {images}")));
        }
        let len = header.u32("length of an image")? as usize;
        let image = Cursor::new(NAME, input.data).take("image", len)?;
        webp_decode(self.options.format, self.shape, image, data).ok_or_else(|| {
            let problem = format!(
                "is not an image of {} by {} pixels",
                self.shape.rows, self.shape.columns
            );
            Error::corrupt(NAME, "image", 0, problem)
        })?;
        Ok(Some(header.position()))
    }
}

/// Appends the encoded image of `pixels`. Returns `None` if the library cannot encode it.
fn encode_image(
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::filter::{Filter, FilterList, Pipeline, Webp, WebpFormat};
    use crate::types::Datatype;

    const ROWS: u16 = 20;

    fn pipeline(format: WebpFormat, lossless: bool, quality: f32) -> Pipeline {
        let filter = Filter::Webp(Webp {
            quality,
            format,
            lossless,
            extents: (ROWS, 30 * format.depth() as u16),
        });
        Pipeline::new(Arc::new(FilterList::of(filter)), Datatype::Uint8, None).expect("images")
    }

    /// Smooth colours; every third pixel is transparent if the format has an alpha channel.
    fn pixels(format: WebpFormat) -> Vec<u8> {
        let depth = format.depth() as usize;
        let value = |i: usize| match (depth, i % depth) {
            (4, 3) => [0, 255, 128][i / depth % 3],
            _ => (i / depth % 30 * 5 + i / depth / 30 * 3) as u8,
        };
        (0..usize::from(ROWS) * 30 * depth).map(value).collect()
    }

    const FORMATS: [WebpFormat; 4] = [
        WebpFormat::Rgb,
        WebpFormat::Bgr,
        WebpFormat::Rgba,
        WebpFormat::Bgra,
    ];

    #[test]
    fn lossless_images_round_trip_exactly_and_others_approximately() {
        for format in FORMATS {
            let data = pixels(format);
            for (lossless, quality) in [(true, 0.0), (false, 100.0), (false, 0.0)] {
                let pipeline = pipeline(format, lossless, quality);
                let stored = pipeline.encode_tile(&data, &[0]).expect("an image");
                assert!(stored.len() < data.len());
                let mut back = vec![0; data.len()];
                pipeline.decode_tile(&stored, &mut back).expect("an image");
                let opaque = |start: usize| format.depth() == 3 || data[start / 4 * 4 + 3] == 255;
                let near = (0..data.len()).filter(|start| opaque(*start));
                let off = near.map(|start| data[start].abs_diff(back[start])).max();
                let max = if quality == 100.0 { 12 } else { 60 };
                assert!(back == data || !lossless, "{format:?}");
                assert!(off.is_some_and(|off| off <= max), "{format:?}: {off:?}");
            }
        }
    }

    #[test]
    fn data_of_the_wrong_dimensions_is_an_error() {
        let error = |format, data: &[u8]| {
            let result = pipeline(format, true, 0.0).encode_tile(data, &[0]);
            result.expect_err("no image").to_string()
        };
        assert!(error(WebpFormat::None, &[]).ends_with("is not set"));
        assert!(error(WebpFormat::Rgb, &[0; 90]).contains("20 rows of 90 bytes, but got 90 bytes"));
        let data = pixels(WebpFormat::Rgb);
        let stored = pipeline(WebpFormat::Rgb, true, 0.0).encode_tile(&data, &[0]);
        let stored = stored.expect("an image");
        let mut back = vec![0; data.len()];
        for start in 20..stored.len() {
            let mut damaged = stored.clone();
            damaged[start] ^= 0x55;
            let read = pipeline(WebpFormat::Rgb, true, 0.0).decode_tile(&damaged, &mut back);
            assert!(read.is_ok() || read.is_err_and(|error| error.to_string().contains("WEBP")));
        }
        assert!(
            pipeline(WebpFormat::Rgba, true, 0.0)
                .decode_tile(&stored, &mut back)
                .is_err()
        );
    }
}
