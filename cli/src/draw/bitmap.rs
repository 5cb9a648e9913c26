//! Pictures as PNG. Texts are drawn with a bitmap font, so that no font needs to be installed.

use font8x8::UnicodeFonts;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind,
};

use super::Drawing;
use super::chart::{self, Size};
use crate::problem::{Problem, Result};

/// The width and height of a character in pixels.
const GLYPH: i32 = 8;

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
        let scale = scale(style.size());
        let (width, height) = (text.chars().count() as i32 * GLYPH * scale, GLYPH * scale);
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
            let glyph = font8x8::BASIC_FONTS.get(character);
            for (row, bits) in glyph.unwrap_or_default().iter().enumerate() {
                for column in (0..GLYPH).filter(|column| bits >> column & 1 == 1) {
                    for part in 0..scale * scale {
                        let x = (index as i32 * GLYPH + column) * scale + part % scale + along;
                        let y = row as i32 * scale + part / scale + top;
                        let (x, y) = rotation.transform(x, y);
                        self.0
                            .draw_pixel((position.0 + x, position.1 + y), style.color())?;
                    }
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
        let scale = scale(style.size()) as u32;
        let width = text.chars().count() as u32 * GLYPH as u32 * scale;
        Ok((width, GLYPH as u32 * scale))
    }
}

/// Returns the factor by which the font is enlarged for a font size.
fn scale(size: f64) -> i32 {
    if size >= 18.0 { 2 } else { 1 }
}
