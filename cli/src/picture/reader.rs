//! Readers of pictures.

use std::fs::File;
use std::io::BufReader;

use png::{BitDepth, ColorType, Decoder, Reader, Transformations};
use tiledb_engine::Datatype;

use super::PictureForm;
use super::tiff_reader::TiffReader;
use crate::args::FileFormat;
use crate::problem::{Problem, Result};

/// The memory of a decoder in bytes.
const MEMORY: usize = 256 << 20;

/// A file with one or more pictures of which the rows are read from the top.
pub(crate) struct PictureReader {
    pub(crate) form: PictureForm,
    /// The number of pictures that are read.
    pub(crate) pictures: u32,
    /// The number of pictures that are left out, because they have other forms than the first one.
    pub(crate) left_out: u32,
    source: Decoding,
    /// Rows that were decoded and not yet returned.
    rows: Vec<u8>,
}

enum Decoding {
    Png(Box<Reader<BufReader<File>>>),
    Tiff(Box<TiffReader>),
}

impl PictureReader {
    /// Opens a PNG or TIFF file.
    pub(crate) fn open(file: File, format: FileFormat) -> Result<Self> {
        let file = BufReader::with_capacity(1 << 20, file);
        if format == FileFormat::Tiff {
            let tiff = TiffReader::open(file)?;
            let pictures = if tiff.has_equal_pictures {
                tiff.pictures
            } else {
                1
            };
            return Ok(Self {
                form: tiff.form,
                pictures,
                left_out: tiff.pictures - pictures,
                source: Decoding::Tiff(tiff.into()),
                rows: Vec::new(),
            });
        }
        let mut decoder = Decoder::new_with_limits(file, png::Limits { bytes: MEMORY });
        decoder.set_transformations(Transformations::EXPAND);
        let reader = decoder.read_info()?;
        if reader.info().interlaced {
            return Err(
                Problem::usage("an interlaced PNG file cannot be read row by row")
                    .hint("save the picture without interlacing"),
            );
        }
        let (color, depth) = reader.output_color_type();
        let form = PictureForm {
            width: reader.info().width,
            height: reader.info().height,
            channels: match color {
                ColorType::Grayscale => 1,
                ColorType::GrayscaleAlpha => 2,
                ColorType::Rgb | ColorType::Indexed => 3,
                ColorType::Rgba => 4,
            },
            datatype: if depth == BitDepth::Sixteen {
                Datatype::Uint16
            } else {
                Datatype::Uint8
            },
        };
        Ok(Self {
            form,
            pictures: 1,
            left_out: 0,
            source: Decoding::Png(reader.into()),
            rows: Vec::new(),
        })
    }

    /// Returns the next rows as interleaved samples in little-endian order, which must exist.
    pub(crate) fn rows(&mut self, number: usize) -> Result<Vec<u8>> {
        let size = number.saturating_mul(self.form.row_bytes());
        while self.rows.len() < size {
            let found = match &mut self.source {
                Decoding::Png(reader) => match reader.next_row()? {
                    Some(row) => push_row(&mut self.rows, row.data(), self.form.datatype),
                    None => false,
                },
                Decoding::Tiff(tiff) => tiff.decode(&mut self.rows)?,
            };
            if !found {
                return Err(Problem::usage("the picture ends before its last row"));
            }
        }
        let rest = self.rows.split_off(size);
        Ok(std::mem::replace(&mut self.rows, rest))
    }

    /// Continues with the next picture of the file, after all rows of the current one.
    pub(crate) fn next_picture(&mut self) -> Result<()> {
        match &mut self.source {
            Decoding::Png(_) => Err(Problem::usage("a PNG file has one picture")),
            Decoding::Tiff(tiff) => {
                self.rows.clear();
                tiff.next_picture()
            }
        }
    }

    /// Reads what follows the last row. Returns an error if the checksums of a PNG file differ from
    /// its content; TIFF files have none.
    pub(crate) fn finish(&mut self) -> Result<()> {
        match &mut self.source {
            Decoding::Png(reader) => Ok(reader.finish()?),
            Decoding::Tiff(_) => Ok(()),
        }
    }
}

/// Appends a row of a PNG file, which has the bytes of samples in big-endian order.
fn push_row(rows: &mut Vec<u8>, row: &[u8], datatype: Datatype) -> bool {
    if datatype == Datatype::Uint16 {
        rows.extend(row.chunks_exact(2).flat_map(|pair| [pair[1], pair[0]]));
    } else {
        rows.extend_from_slice(row);
    }
    !row.is_empty()
}
