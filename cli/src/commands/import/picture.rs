//! Import of PNG and TIFF pictures to dense arrays, some rows at a time.

use std::fs::File;

use tiledb_engine::{Array, ArrayType, CellBytes, Context, Datatype, Schema, WriteQuery};

use super::{Imported, compression};
use crate::args::{Channels, FileFormat};
use crate::interrupt;
use crate::picture::{PictureForm, PictureReader};
use crate::problem::Result;
use crate::progress::Progress;

/// The extent of tiles in both dimensions.
const EXTENT: u64 = 256;
/// The most memory for the rows of a write in bytes.
const SLAB: usize = 64 << 20;

/// The file and the form of the array.
pub(super) struct PictureSource {
    pub(super) file: File,
    pub(super) format: FileFormat,
    pub(super) channels: Channels,
}

/// Creates an array from a picture.
pub(super) fn import(context: &Context, source: PictureSource, uri: &str) -> Result<Imported> {
    let mut reader = PictureReader::open(source.file, source.format)?;
    let (form, channels) = (reader.form, source.channels);
    // Rows of a write are complete rows of tiles.
    let fitting = (SLAB / form.row_bytes().max(1)).max(1) as u64;
    let extents = [EXTENT.min(fitting), EXTENT];
    let schema = schema(form, channels, extents)?;
    Array::create(context, uri, &schema)?;
    let array = Array::open(context, uri)?;
    let rows = fitting / extents[0] * extents[0];
    let (height, mut first) = (u64::from(form.height), 0);
    let bar = Progress::new(Some(height), "rows");
    while first < height {
        interrupt::check()?;
        let number = rows.min(height - first);
        let samples = reader.rows(usize::try_from(number).unwrap_or(usize::MAX))?;
        let write = array.write().range("y", first..=first + number - 1);
        write_rows(write, form, channels, &samples).submit()?;
        first += number;
        bar.set(first);
    }
    reader.finish()?;
    let dimensions = schema.dimensions().iter().map(|dimension| {
        let size = match dimension.name.as_str() {
            "y" => height,
            "x" => form.width.into(),
            _ => form.channels as u64,
        };
        let kind = format!("{} [0, {}]", dimension.datatype.name(), size - 1);
        (dimension.name.clone(), kind)
    });
    let attributes = schema.attributes().iter();
    let attributes =
        attributes.map(|attribute| (attribute.name.clone(), attribute.datatype.name().to_owned()));
    Ok(Imported {
        cells: height * u64::from(form.width),
        fields: dimensions.chain(attributes).collect(),
    })
}

fn schema(form: PictureForm, channels: Channels, extents: [u64; 2]) -> Result<Schema> {
    let mut builder = Schema::builder(ArrayType::Dense);
    let sizes = [("y", form.height), ("x", form.width)];
    for ((name, size), extent) in sizes.into_iter().zip(extents) {
        let size = u64::from(size.max(1));
        builder = builder.dimension(name, Datatype::Uint64, 0..=size - 1, extent.min(size));
    }
    if channels == Channels::Dimension {
        let size = form.channels as u64;
        builder = builder.dimension("channel", Datatype::Uint64, 0..=size - 1, size);
    }
    for name in attributes(form, channels) {
        builder = builder
            .attribute(name, form.datatype)
            .filters(name, compression());
    }
    Ok(builder.build()?)
}

fn attributes(form: PictureForm, channels: Channels) -> &'static [&'static str] {
    match channels {
        Channels::Attributes => form.channel_names(),
        Channels::Dimension => &["value"],
    }
}

fn cells(data: &[u8]) -> CellBytes<'_> {
    CellBytes {
        data,
        ..CellBytes::default()
    }
}

/// Adds interleaved samples to a write.
fn write_rows(
    mut write: WriteQuery,
    form: PictureForm,
    channels: Channels,
    samples: &[u8],
) -> WriteQuery {
    let names = attributes(form, channels);
    let size = form.datatype.size();
    if let [name] = names {
        return write.column_bytes(name, cells(samples));
    }
    for (channel, name) in names.iter().enumerate() {
        let pixels = samples.chunks_exact(size * names.len());
        let plane = pixels.flat_map(|pixel| &pixel[channel * size..(channel + 1) * size]);
        let plane: Vec<u8> = plane.copied().collect();
        write = write.column_bytes(name, cells(&plane));
    }
    write
}
