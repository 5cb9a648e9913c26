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

/// The dimension of a file with several pictures.
const PICTURE: &str = "picture";

/// The form of the array of a file.
#[derive(Clone, Copy)]
struct ArrayForm {
    picture: PictureForm,
    channels: Channels,
    /// The number of pictures.
    pictures: u32,
    /// The extents of tiles in the dimensions `y` and `x`.
    extents: [u64; 2],
}

/// Creates an array from the pictures of a file.
pub(super) fn import(context: &Context, source: PictureSource, uri: &str) -> Result<Imported> {
    let mut reader = PictureReader::open(source.file, source.format)?;
    let picture = reader.form;
    // Rows of a write are complete rows of tiles.
    let fitting = (SLAB / picture.row_bytes().max(1)).max(1) as u64;
    let form = ArrayForm {
        picture,
        channels: source.channels,
        pictures: reader.pictures,
        extents: [EXTENT.min(fitting), EXTENT],
    };
    let schema = schema(form)?;
    Array::create(context, uri, &schema)?;
    let array = Array::open(context, uri)?;
    let height = u64::from(picture.height);
    let bar = Progress::new(Some(height * u64::from(form.pictures)), "rows");
    for index in 0..form.pictures {
        if index > 0 {
            reader.next_picture()?;
        }
        write_picture(&array, form, index, fitting, &mut reader)?;
        bar.set((u64::from(index) + 1) * height);
    }
    reader.finish()?;
    let dimensions = schema.dimensions().iter().map(|dimension| {
        let size = match dimension.name.as_str() {
            PICTURE => form.pictures.into(),
            "y" => height,
            "x" => picture.width.into(),
            _ => picture.channels as u64,
        };
        let kind = format!("{} [0, {}]", dimension.datatype.name(), size - 1);
        (dimension.name.clone(), kind)
    });
    let attributes = schema.attributes().iter();
    let attributes =
        attributes.map(|attribute| (attribute.name.clone(), attribute.datatype.name().to_owned()));
    Ok(Imported {
        cells: height * u64::from(picture.width) * u64::from(form.pictures),
        fields: dimensions.chain(attributes).collect(),
        pictures_left_out: reader.left_out,
    })
}

/// Writes the picture with an index, at most `fitting` rows at a time.
fn write_picture(
    array: &Array,
    form: ArrayForm,
    index: u32,
    fitting: u64,
    reader: &mut PictureReader,
) -> Result<()> {
    let rows = fitting / form.extents[0] * form.extents[0];
    let (height, mut first) = (u64::from(form.picture.height), 0);
    while first < height {
        interrupt::check()?;
        let number = rows.min(height - first);
        let samples = reader.rows(usize::try_from(number).unwrap_or(usize::MAX))?;
        let mut write = array.write().range("y", first..=first + number - 1);
        if form.pictures > 1 {
            write = write.range(PICTURE, u64::from(index)..=u64::from(index));
        }
        write_rows(write, form.picture, form.channels, &samples).submit()?;
        first += number;
    }
    Ok(())
}

fn schema(form: ArrayForm) -> Result<Schema> {
    let ArrayForm {
        picture, channels, ..
    } = form;
    let mut builder = Schema::builder(ArrayType::Dense);
    if form.pictures > 1 {
        let last = u64::from(form.pictures) - 1;
        builder = builder.dimension(PICTURE, Datatype::Uint64, 0..=last, 1);
    }
    let sizes = [("y", picture.height), ("x", picture.width)];
    for ((name, size), extent) in sizes.into_iter().zip(form.extents) {
        let size = u64::from(size.max(1));
        builder = builder.dimension(name, Datatype::Uint64, 0..=size - 1, extent.min(size));
    }
    if channels == Channels::Dimension {
        let size = picture.channels as u64;
        builder = builder.dimension("channel", Datatype::Uint64, 0..=size - 1, size);
    }
    for name in attributes(picture, channels) {
        builder = builder
            .attribute(name, picture.datatype)
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
