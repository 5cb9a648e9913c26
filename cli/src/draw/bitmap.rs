//! Pictures as PNG. Texts are drawn with a font that is part of the program, as rendered glyphs, so
//! that no font needs to be installed.

use noto_sans_mono_bitmap::{
    FontWeight, RasterHeight, RasterizedChar, get_raster, get_raster_width,
};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind,
};

use super::Drawing;
use super::chart::{self, Size};
use crate::problem::{Problem, Result};

/// The font size from which on the larger glyphs are used.
const LARGE_FONT: f64 = 18.0;

/// Returns a picture as PNG.
pub(super) fn png(drawing: &Drawing, size: Size) -> Result<Vec<u8>> {
    let mut pixels = vec![0; size.width as usize * size.height as usize * 3];
    {
        let backend = BitMapBackend::with_buffer(&mut pixels, (size.width, size.height));
        chart::draw(drawing, &LabelledBitmap(backend).into_drawing_area())?;
    }
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, size.width, size.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let failed = |error: png::EncodingError| {
        Problem::usage(format!("the picture cannot be encoded: {error}"))
    };
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&pixels).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}

/// A bitmap with texts in a bitmap font.
struct LabelledBitmap<'a>(BitMapBackend<'a>);

type BitmapError<'a> = <BitMapBackend<'a> as DrawingBackend>::ErrorType;

impl<'a> DrawingBackend for LabelledBitmap<'a> {
    type ErrorType = BitmapError<'a>;

    fn get_size(&self) -> (u32, u32) {
        self.0.get_size()
    }

    fn ensure_prepared(&mut self) -> std::result::Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.0.ensure_prepared()
    }

    fn present(&mut self) -> std::result::Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.0.present()
    }

    fn draw_pixel(
        &mut self,
        point: BackendCoord,
        color: BackendColor,
    ) -> std::result::Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.0.draw_pixel(point, color)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        bottom_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> std::result::Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.0.draw_rect(upper_left, bottom_right, style, fill)
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        position: BackendCoord,
    ) -> std::result::Result<(), DrawingErrorKind<Self::ErrorType>> {
        let glyphs = Glyphs::new(style.size());
        let (width, height) = glyphs.text_size(text);
        let along = match style.anchor().h_pos {
            HPos::Left => 0,
            HPos::Center => -width / 2,
            HPos::Right => -width,
        };
        let top = match style.anchor().v_pos {
            VPos::Top => 0,
            VPos::Center => -height / 2,
            VPos::Bottom => -height,
        };
        let rotation = style.transform();
        for (index, character) in text.chars().enumerate() {
            let left = along + index as i32 * glyphs.width;
            let glyph = glyphs.get(character);
            let rows = glyph.iter().flat_map(RasterizedChar::rows);
            for (y, row) in (top..).zip(rows) {
                for (x, opacity) in (left..)
                    .zip(row.iter())
                    .filter(|(_, opacity)| **opacity > 0)
                {
                    let (x, y) = rotation.transform(x, y);
                    let mut color = style.color();
                    color.alpha *= f64::from(*opacity) / 255.0;
                    self.0.draw_pixel((position.0 + x, position.1 + y), color)?;
                }
            }
        }
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> std::result::Result<(u32, u32), DrawingErrorKind<Self::ErrorType>> {
        let (width, height) = Glyphs::new(style.size()).text_size(text);
        Ok((width.unsigned_abs(), height.unsigned_abs()))
    }
}

/// The glyphs of a font size, all of the same size.
struct Glyphs {
    height: RasterHeight,
    /// The width of a glyph in pixels.
    width: i32,
}

impl Glyphs {
    fn new(font_size: f64) -> Self {
        let height = if font_size >= LARGE_FONT {
            RasterHeight::Size20
        } else {
            RasterHeight::Size16
        };
        let width = get_raster_width(FontWeight::Regular, height) as i32;
        Self { height, width }
    }

    /// Returns the glyph of a character, or of `?` if the font lacks it.
    fn get(&self, character: char) -> Option<RasterizedChar> {
        let glyph = |character| get_raster(character, FontWeight::Regular, self.height);
        glyph(character).or_else(|| glyph('?'))
    }

    /// Returns the width and the height of a text in pixels.
    fn text_size(&self, text: &str) -> (i32, i32) {
        let width = text.chars().count() as i32 * self.width;
        (width, self.height.val() as i32)
    }
}
