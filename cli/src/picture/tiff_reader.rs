//! A reader of TIFF files, strip by strip or one row of tiles after another.

use std::fs::File;
use std::io::BufReader;

use tiff::ColorType;
use tiff::decoder::{ChunkType, Decoder, DecodingResult};
use tiff::tags::Tag;
use tiledb_engine::Datatype;

use super::PictureForm;
use crate::interrupt;
use crate::problem::{Problem, Result};

/// The number of the planar configuration in which each channel is stored by itself.
const SEPARATE: u32 = 2;
/// The most memory for a row of tiles in bytes. A small file can state a large picture.
const MAX_TILE_ROW: usize = 1 << 30;

/// The most pictures of a file.
const MAX_PICTURES: u32 = 1 << 20;

/// A TIFF file that is being read.
pub(super) struct TiffReader {
    pub(super) form: PictureForm,
    /// The number of pictures in the file.
    pub(super) pictures: u32,
    /// Whether all pictures have the same form.
    pub(super) has_equal_pictures: bool,
    decoder: Decoder<BufReader<File>>,
    chunks: Chunks,
}

/// The strips or tiles of a picture.
struct Chunks {
    /// The number of strips or tiles in a row.
    per_row: u32,
    /// The index of the next strip or tile.
    next: u32,
    /// The number of strips or tiles.
    number: u32,
}

fn unsupported(feature: &str) -> Problem {
    Problem::usage(format!("the TIFF file has {feature}"))
        .hint("grey, RGB and RGBA with 8 to 64 bits, chunky, are supported")
}

impl TiffReader {
    /// Reads the form of the first picture, and whether the others have the same form. Returns an
    /// error if the form is not supported.
    pub(super) fn open(file: BufReader<File>) -> Result<Self> {
        let mut decoder = Decoder::new(file)?;
        let (form, _) = open_picture(&mut decoder)?;
        let (mut pictures, mut has_equal_pictures) = (1, true);
        while decoder.more_images() {
            interrupt::check()?;
            decoder.next_image()?;
            has_equal_pictures = has_equal_pictures
                && open_picture(&mut decoder).is_ok_and(|(other, _)| other == form);
            pictures += 1;
            if pictures > MAX_PICTURES {
                return Err(unsupported("more than a million pictures"));
            }
        }
        decoder.seek_to_image(0)?;
        let (form, chunks) = open_picture(&mut decoder)?;
        Ok(Self {
            form,
            pictures,
            has_equal_pictures,
            decoder,
            chunks,
        })
    }

    /// Continues with the next picture, which must exist.
    pub(super) fn next_picture(&mut self) -> Result<()> {
        self.decoder.next_image()?;
        let (form, chunks) = open_picture(&mut self.decoder)?;
        if form != self.form {
            return Err(unsupported("pictures of several forms"));
        }
        self.chunks = chunks;
        Ok(())
    }

    /// Appends the next strip, or row of tiles. Returns `false` at the end.
    pub(super) fn decode(&mut self, rows: &mut Vec<u8>) -> Result<bool> {
        let Chunks {
            per_row,
            next,
            number,
        } = self.chunks;
        if next >= number {
            return Ok(false);
        }
        let pixel_bytes = self.form.channels * self.form.datatype.size();
        let (start, row_bytes) = (rows.len(), self.form.row_bytes());
        let mut left_bytes = 0;
        for chunk in next..next.saturating_add(per_row) {
            let (width, height) = self.decoder.chunk_data_dimensions(chunk);
            let (datatype, bytes) = samples(self.decoder.read_chunk(chunk)?)?;
            let width_bytes = width as usize * pixel_bytes;
            if datatype != self.form.datatype || bytes.len() < width_bytes * height as usize {
                return Err(unsupported("tiles of several types or sizes"));
            }
            let size = start + row_bytes * height as usize;
            if rows.len() < size {
                rows.resize(size, 0);
            }
            for (row, samples) in bytes.chunks_exact(width_bytes.max(1)).enumerate() {
                let position = start + row * row_bytes + left_bytes;
                if let Some(target) = rows.get_mut(position..position + width_bytes) {
                    target.copy_from_slice(samples);
                }
            }
            left_bytes += width_bytes;
        }
        self.chunks.next = next.saturating_add(per_row);
        Ok(true)
    }
}

/// Reads the form of the current picture of a decoder. Returns an error if it is not supported.
fn open_picture(decoder: &mut Decoder<BufReader<File>>) -> Result<(PictureForm, Chunks)> {
    let (width, height) = decoder.dimensions()?;
    if width == 0 || height == 0 {
        return Err(unsupported("no pixels"));
    }
    let color = decoder.colortype()?;
    let channels = match color {
        ColorType::Gray(_) => 1,
        ColorType::GrayA(_) => 2,
        ColorType::RGB(_) => 3,
        ColorType::RGBA(_) => 4,
        other => return Err(unsupported(&format!("colours of type {other:?}"))),
    };
    if decoder.find_tag_unsigned::<u32>(Tag::PlanarConfiguration)? == Some(SEPARATE) {
        return Err(unsupported("a plane for each channel"));
    }
    if color.bit_depth() < 8 {
        return Err(unsupported("samples with less than 8 bits"));
    }
    let (chunk_width, chunk_height) = decoder.chunk_dimensions();
    let (per_row, number) = match decoder.get_chunk_type() {
        ChunkType::Strip => (1, decoder.strip_count()?),
        ChunkType::Tile => (width.div_ceil(chunk_width.max(1)), decoder.tile_count()?),
    };
    let pixel_bytes = channels * usize::from(color.bit_depth()).div_ceil(8);
    let chunk_rows = chunk_height.min(height) as usize;
    let row_bytes = pixel_bytes.saturating_mul(width as usize);
    if row_bytes.saturating_mul(chunk_rows) > MAX_TILE_ROW {
        return Err(unsupported("rows of tiles with more than 1 GiB"));
    }
    let first = decoder.read_chunk(0)?;
    let (datatype, _) = samples(first)?;
    let form = PictureForm {
        width,
        height,
        channels,
        datatype,
    };
    let chunks = Chunks {
        per_row,
        next: 0,
        number,
    };
    Ok((form, chunks))
}

/// Returns the datatype of samples, and the samples as bytes in little-endian order.
fn samples(decoded: DecodingResult) -> Result<(Datatype, Vec<u8>)> {
    macro_rules! bytes {
        ($values:expr) => {
            $values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect()
        };
    }
    Ok(match decoded {
        DecodingResult::U8(values) => (Datatype::Uint8, values),
        DecodingResult::U16(values) => (Datatype::Uint16, bytes!(values)),
        DecodingResult::U32(values) => (Datatype::Uint32, bytes!(values)),
        DecodingResult::F32(values) => (Datatype::Float32, bytes!(values)),
        DecodingResult::F64(values) => (Datatype::Float64, bytes!(values)),
        DecodingResult::I16(values) => (Datatype::Int16, bytes!(values)),
        DecodingResult::I32(values) => (Datatype::Int32, bytes!(values)),
        _ => return Err(unsupported("samples of another type")),
    })
}
