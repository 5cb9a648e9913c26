//! Pictures in PNG and TIFF files, read and written some rows at a time.

mod reader;
mod tiff_reader;
mod writer;

use tiledb_engine::Datatype;

pub(crate) use reader::PictureReader;
pub(crate) use writer::PictureWriter;

/// The size of a picture and the type of its samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PictureForm {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// The number of samples of a pixel: grey, grey and alpha, RGB, or RGB and alpha.
    pub(crate) channels: usize,
    pub(crate) datatype: Datatype,
}

impl PictureForm {
    /// Returns the size of a row in bytes.
    pub(crate) fn row_bytes(&self) -> usize {
        let pixel = self.channels.saturating_mul(self.datatype.size());
        pixel.saturating_mul(self.width as usize)
    }

    /// Returns the names of the channels.
    pub(crate) fn channel_names(&self) -> &'static [&'static str] {
        match self.channels {
            1 => &["grey"],
            2 => &["grey", "alpha"],
            3 => &["red", "green", "blue"],
            _ => &["red", "green", "blue", "alpha"],
        }
    }
}
