//! Writers of pictures.

use std::io::{Seek, Write};

use png::{BitDepth, ColorType, Encoder};
use tiff::encoder::colortype::{
    Gray8, Gray16, Gray32Float, Gray64Float, RGB8, RGB16, RGB32Float, RGBA8, RGBA16,
};
use tiff::encoder::{TiffEncoder, TiffValue};
use tiledb_engine::{Datatype, Value};

use super::PictureForm;
use crate::args::FileFormat;
use crate::problem::{Problem, Result};

/// The size from which a TIFF file needs offsets with 64 bits, in bytes.
const BIG: u64 = 4_000_000_000;

/// A source of rows: returns the interleaved samples of a number of rows that start at a row.
pub(crate) type Rows<'a> = dyn FnMut(u32, u32) -> Result<Vec<u8>> + 'a;

/// Writes a picture.
pub(crate) struct PictureWriter {
    form: PictureForm,
    /// The number of rows that are read at a time.
    rows: u32,
}

fn unsupported(form: PictureForm, format: &str) -> Problem {
    let (channels, datatype) = (form.channels, form.datatype.name());
    let message = format!("{format} files cannot have {channels} channels of {datatype}");
    Problem::usage(message).hint(
        "PNG files have UINT8 or UINT16; TIFF files also FLOAT32 with 1 or 3 and FLOAT64 with 1 \
         channel",
    )
}

impl PictureWriter {
    pub(crate) fn new(form: PictureForm, rows: u32) -> Self {
        Self { form, rows }
    }

    /// Writes the picture as a PNG or TIFF file.
    pub(crate) fn write(
        &self,
        format: FileFormat,
        out: &mut (impl Write + Seek),
        rows: &mut Rows<'_>,
    ) -> Result<()> {
        match format {
            FileFormat::Tiff => self.tiff(out, rows),
            _ => self.png(out, rows),
        }
    }

    fn png(&self, out: &mut impl Write, rows: &mut Rows<'_>) -> Result<()> {
        let form = self.form;
        let mut encoder = Encoder::new(out, form.width, form.height);
        encoder.set_color(match form.channels {
            1 => ColorType::Grayscale,
            2 => ColorType::GrayscaleAlpha,
            3 => ColorType::Rgb,
            _ => ColorType::Rgba,
        });
        let depth = match form.datatype {
            Datatype::Uint8 => BitDepth::Eight,
            Datatype::Uint16 => BitDepth::Sixteen,
            _ => return Err(unsupported(form, "PNG")),
        };
        encoder.set_depth(depth);
        let mut writer = encoder.write_header()?;
        let mut stream = writer.stream_writer()?;
        self.for_each_strip(rows, |mut samples| {
            if depth == BitDepth::Sixteen {
                samples.chunks_exact_mut(2).for_each(<[u8]>::reverse);
            }
            Ok(stream.write_all(&samples)?)
        })?;
        stream.finish()?;
        Ok(writer.finish()?)
    }

    fn for_each_strip(
        &self,
        rows: &mut Rows<'_>,
        mut take: impl FnMut(Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        let mut first = 0;
        while first < self.form.height {
            let number = self.rows.min(self.form.height - first);
            take(rows(first, number)?)?;
            first += number;
        }
        Ok(())
    }

    fn tiff(&self, out: &mut (impl Write + Seek), rows: &mut Rows<'_>) -> Result<()> {
        match (self.form.datatype, self.form.channels) {
            (Datatype::Uint8, 1) => self.strips::<Gray8, _>(out, rows),
            (Datatype::Uint8, 3) => self.strips::<RGB8, _>(out, rows),
            (Datatype::Uint8, 4) => self.strips::<RGBA8, _>(out, rows),
            (Datatype::Uint16, 1) => self.strips::<Gray16, _>(out, rows),
            (Datatype::Uint16, 3) => self.strips::<RGB16, _>(out, rows),
            (Datatype::Uint16, 4) => self.strips::<RGBA16, _>(out, rows),
            (Datatype::Float32, 1) => self.strips::<Gray32Float, _>(out, rows),
            (Datatype::Float32, 3) => self.strips::<RGB32Float, _>(out, rows),
            (Datatype::Float64, 1) => self.strips::<Gray64Float, _>(out, rows),
            _ => Err(unsupported(self.form, "TIFF")),
        }
    }

    fn strips<C, W>(&self, out: &mut W, rows: &mut Rows<'_>) -> Result<()>
    where
        C: tiff::encoder::colortype::ColorType,
        C::Inner: Value,
        [C::Inner]: TiffValue,
        W: Write + Seek,
    {
        let (width, height) = (self.form.width, self.form.height);
        let size = self.form.row_bytes() as u64 * u64::from(height);
        macro_rules! write {
            ($encoder:expr) => {{
                let mut encoder = $encoder;
                let mut image = encoder.new_image::<C>(width, height)?;
                image.rows_per_strip(self.rows)?;
                self.for_each_strip(rows, |bytes| {
                    let values = bytes.chunks_exact(<C::Inner as Value>::SIZE);
                    let values: Vec<C::Inner> = values.map(<C::Inner as Value>::read).collect();
                    Ok(image.write_strip(&values)?)
                })?;
                Ok(image.finish()?)
            }};
        }
        if size > BIG {
            write!(TiffEncoder::new_big(out)?)
        } else {
            write!(TiffEncoder::new(out)?)
        }
    }
}
