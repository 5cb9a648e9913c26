//! WebP: a tile is a picture, of as many rows as its first dimension has cells; the cells of a row are the colours of its
//! pixels.
//!
//! ```text
//! metadata: number of pictures u32, 1; its length u32; then the input's metadata as it was
//! data:     the picture
//! ```

use super::codec::webp::{Shape, decode, encode};
use super::parts::{Parts, u32_of};
use super::pipeline::{DataIs, Filtered, MetadataIs, Unfiltered};
use super::{Webp, WebpFormat};
use crate::bytes::Cursor;
use crate::error::{Error, Result};

const NAME: &str = "WEBP";
const ORIGIN: &str = "[TileDB::Filter] Error";

/// The filter that runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pictures {
    options: Webp,
    shape: Shape,
}

impl Pictures {
    /// How errors name it.
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

    pub(super) fn metadata_len(input: Unfiltered<'_>) -> usize {
        8 + input.metadata.bytes.len()
    }

    pub(super) fn encode(
        self,
        input: Unfiltered<'_>,
        data: &mut Parts,
        metadata: &mut Parts,
    ) -> Result<DataIs> {
        if self.options.format == WebpFormat::None {
            let unset = "Filter option TILEDB_FILTER_WEBP_FORMAT must be set";
            return Err(Error::usage(ORIGIN, unset));
        }
        let pixels = input.data.bytes;
        if input.data.count() != 1 || self.shape.len() != Some(pixels.len()) {
            let message = format!(
                "{NAME} needs {} rows of {} bytes, but gets {} bytes",
                self.shape.rows,
                self.shape.stride,
                pixels.len()
            );
            return Err(Error::usage(ORIGIN, message));
        }
        let at = data.bytes.len();
        encode(&self.options, self.shape, pixels, &mut data.bytes)
            .ok_or_else(|| Error::usage(ORIGIN, "Error encoding image data"))?;
        metadata.put_u32(1);
        metadata.put_u32(u32_of(data.bytes.len() - at)?);
        metadata.end_part();
        metadata.append(input.metadata);
        data.end_part();
        Ok(DataIs::Written)
    }

    /// The length of the data it will give.
    pub(super) fn decoded_len(self) -> usize {
        self.shape.len().unwrap_or_default()
    }

    pub(super) fn decode(
        self,
        input: Filtered<'_>,
        data: &mut [u8],
    ) -> Result<(DataIs, MetadataIs)> {
        let mut notes = Cursor::new(NAME, input.metadata);
        let pictures = notes.u32("number of pictures")?;
        if pictures != 1 {
            return Err(notes.corrupt("number of pictures", format!("is {pictures}")));
        }
        let len = notes.u32("length of a picture")? as usize;
        let picture = Cursor::new(NAME, input.data).take("picture", len)?;
        decode(self.options.format, self.shape, picture, data).ok_or_else(|| {
            let problem = format!(
                "is not one of {} by {} pixels",
                self.shape.rows, self.shape.columns
            );
            Error::corrupt(NAME, "picture", 0, problem)
        })?;
        Ok((DataIs::Written, MetadataIs::From(notes.position())))
    }
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
        Pipeline::new(Arc::new(FilterList::of(filter)), Datatype::Uint8, None).expect("pictures")
    }

    /// Soft colours, and every third pixel transparent where pixels can be.
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
    fn lossless_pictures_come_back_exactly_and_others_nearly() {
        for format in FORMATS {
            let data = pixels(format);
            for (lossless, quality) in [(true, 0.0), (false, 100.0), (false, 0.0)] {
                let pipeline = pipeline(format, lossless, quality);
                let stored = pipeline.encode_tile(&data, &[0]).expect("a picture");
                assert!(stored.len() < data.len());
                let mut back = vec![0; data.len()];
                pipeline.decode_tile(&stored, &mut back).expect("a picture");
                let opaque = |at: usize| format.depth() == 3 || data[at / 4 * 4 + 3] == 255;
                let near = (0..data.len()).filter(|at| opaque(*at));
                let off = near.map(|at| data[at].abs_diff(back[at])).max();
                let most = if quality == 100.0 { 12 } else { 60 };
                assert!(back == data || !lossless, "{format:?}");
                assert!(off.is_some_and(|off| off <= most), "{format:?}: {off:?}");
            }
        }
    }

    #[test]
    fn what_is_no_picture_of_the_shape_is_an_error() {
        let told = |format, data: &[u8]| {
            let refused = pipeline(format, true, 0.0).encode_tile(data, &[0]);
            refused.expect_err("no picture").to_string()
        };
        assert!(told(WebpFormat::None, &[]).ends_with("WEBP_FORMAT must be set"));
        assert!(told(WebpFormat::Rgb, &[0; 90]).contains("20 rows of 90 bytes, but gets 90 bytes"));
        let data = pixels(WebpFormat::Rgb);
        let stored = pipeline(WebpFormat::Rgb, true, 0.0).encode_tile(&data, &[0]);
        let stored = stored.expect("a picture");
        let mut back = vec![0; data.len()];
        for at in 20..stored.len() {
            let mut damaged = stored.clone();
            damaged[at] ^= 0x55;
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
