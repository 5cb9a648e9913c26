//! Import of PNG and TIFF pictures to dense arrays, some rows at a time.

use std::borrow::Cow;
use std::fs::File;
use std::io::Seek;

use tiledb_engine::{
    Array, ArrayType, CellBytes, Context, Datatype, FilterList, Schema, WriteQuery,
};

use super::ImportSummary;
use super::recommendation::SampleCells;
use crate::args::{Channels, FileFormat, SchemaGoal};
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

/// The size of the rows from which filters are chosen in bytes.
const SAMPLE_BYTES: usize = 4 << 20;

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
pub(super) fn import(
    context: &Context,
    source: PictureSource,
    uri: &str,
    goal: SchemaGoal,
) -> Result<ImportSummary> {
    let mut sampled = PictureReader::open(source.file.try_clone()?, source.format)?;
    let picture = sampled.form;
    let rows = (SAMPLE_BYTES / picture.row_bytes().max(1)).clamp(1, picture.height.max(1) as usize);
    let sampled = sampled.rows(rows)?;
    (&source.file).rewind()?;
    let mut reader = PictureReader::open(source.file, source.format)?;
    // Rows of a write are complete rows of tiles.
    let fitting = (SLAB / picture.row_bytes().max(1)).max(1) as u64;
    let form = ArrayForm {
        picture,
        channels: source.channels,
        pictures: reader.pictures,
        extents: [EXTENT.min(fitting), EXTENT],
    };
    let (filters, reasons) = choose_filters(form, goal, &sampled)?;
    let schema = schema(form, &filters)?;
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
    Ok(ImportSummary {
        cells: height * u64::from(picture.width) * u64::from(form.pictures),
        fields: dimensions.chain(attributes).collect(),
        pictures_left_out: reader.left_out,
        reasons,
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

/// Returns the schema with the filters of each attribute.
fn schema(form: ArrayForm, filters: &[(&'static str, FilterList)]) -> Result<Schema> {
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
    for (name, filters) in filters {
        builder = builder.attribute(name, picture.datatype);
        builder = builder.filters(name, filters.clone());
    }
    Ok(builder.build()?)
}

/// The filters of each attribute.
type FieldFilters = Vec<(&'static str, FilterList)>;

/// Returns the filters of the attributes, chosen for the samples of some rows, and the reasons.
fn choose_filters(
    form: ArrayForm,
    goal: SchemaGoal,
    samples: &[u8],
) -> Result<(FieldFilters, Vec<String>)> {
    let names = attributes(form.picture, form.channels);
    let plain: Vec<_> = names
        .iter()
        .map(|name| (*name, FilterList::default()))
        .collect();
    let draft = schema(form, &plain)?;
    let (mut chosen, mut reasons) = (Vec::new(), Vec::new());
    for (name, plane) in names.iter().zip(planes(form.picture, names, samples)) {
        let mut sample = SampleCells::default();
        sample.add_bytes(name, cells(&plane));
        let (filters, reason) = sample.filters(&draft, goal, name)?;
        chosen.push((*name, filters));
        reasons.extend(reason);
    }
    Ok((chosen, reasons))
}

/// Returns the samples of each attribute.
fn planes<'a>(
    form: PictureForm,
    names: &'a [&'static str],
    samples: &'a [u8],
) -> impl Iterator<Item = Cow<'a, [u8]>> {
    let size = form.datatype.size();
    (0..names.len()).map(move |channel| {
        if names.len() == 1 {
            return Cow::Borrowed(samples);
        }
        let pixels = samples.chunks_exact(size * names.len());
        let plane = pixels.flat_map(|pixel| &pixel[channel * size..(channel + 1) * size]);
        Cow::Owned(plane.copied().collect())
    })
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
    for (name, plane) in names.iter().zip(planes(form, names, samples)) {
        write = write.column_bytes(name, cells(&plane));
    }
    write
}
