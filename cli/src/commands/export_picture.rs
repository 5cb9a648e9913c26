//! Export of slices of dense arrays as PNG and TIFF pictures, some rows at a time.

use std::io::{Seek, Write};

use tiledb_engine::{Array, Datatype, Layout, Schema};

use crate::args::{Cells, FileFormat};
use crate::interrupt;
use crate::picture::{PictureForm, PictureWriter};
use crate::problem::{Problem, Result};
use crate::progress::Progress;
use crate::selection::{check_field, dimension_bounds};

/// The most memory for rows in bytes.
const SLAB: usize = 64 << 20;
/// The rows that are read at a time, if memory allows.
const ROWS: usize = 256;

/// A slice that is a picture.
struct Slice {
    /// The bounds of the selected coordinates of each dimension.
    bounds: Vec<(i128, i128)>,
    /// The index of the dimension of the rows.
    first: usize,
    attributes: Vec<String>,
    form: PictureForm,
}

/// Writes the selected cells as a picture; returns the number of pixels.
pub(super) fn export_picture(
    array: &Array,
    cells: &Cells,
    format: FileFormat,
    out: &mut (impl Write + Seek),
) -> Result<u64> {
    let schema = array.schema()?;
    let slice = slice(array, &schema, cells)?;
    let form = slice.form;
    let rows = (SLAB / form.row_bytes().max(1)).clamp(1, ROWS) as u32;
    let bar = Progress::new(Some(form.height.into()), "rows");
    let writer = PictureWriter::new(form, rows);
    writer.write(format, out, &mut |first, number| {
        interrupt::check()?;
        bar.set(first.into());
        samples(array, &slice, first, number)
    })?;
    Ok(u64::from(form.width) * u64::from(form.height))
}

fn slice(array: &Array, schema: &Schema, cells: &Cells) -> Result<Slice> {
    let not_a_picture = |reason: String| {
        Problem::usage(format!("the selection is not a picture: {reason}")).hint(
            "a picture is of a dense array with two dimensions, or three of which the last has up \
             to four channels; select one coordinate of each dimension before them and other \
             ranges with --range, and attributes with --columns",
        )
    };
    if !schema.is_dense() || cells.condition.is_some() {
        return Err(not_a_picture("its cells are not those of a box".into()));
    }
    let bounds = dimension_bounds(array, schema, cells)?;
    let bounds = bounds.ok_or_else(|| not_a_picture("a dimension has several ranges".into()))?;
    let mut attributes = cells.columns.clone();
    attributes
        .iter()
        .try_for_each(|name| check_field(schema, name))?;
    if attributes.is_empty() {
        attributes = schema
            .attributes()
            .iter()
            .map(|attribute| attribute.name.clone())
            .collect();
    }
    let first = first_of_picture(&bounds);
    let size = |index: usize| bounds.get(first + index).map(|(low, high)| high - low + 1);
    let third = usize::try_from(size(2).unwrap_or(1)).unwrap_or(usize::MAX);
    let datatypes = attributes.iter().map(|name| match schema.attribute(name) {
        Some(attribute) if attribute.cell_val_num == 1 && !attribute.nullable => {
            Some(attribute.datatype)
        }
        _ => None,
    });
    let mut datatypes: Vec<Option<Datatype>> = datatypes.collect();
    datatypes.dedup();
    let channels = third.saturating_mul(attributes.len());
    let is_picture = (2..=3).contains(&(bounds.len() - first))
        && (third == 1 || attributes.len() == 1)
        && (1..=4).contains(&channels);
    let [Some(datatype)] = datatypes[..] else {
        return Err(not_a_picture(
            "its attributes are not numbers of one datatype".into(),
        ));
    };
    let side = |index: usize| size(index).and_then(|size| u32::try_from(size).ok());
    match (side(0), side(1)) {
        (Some(height), Some(width)) if is_picture => Ok(Slice {
            form: PictureForm {
                width,
                height,
                channels,
                datatype,
            },
            bounds,
            first,
            attributes,
        }),
        _ => Err(not_a_picture(format!(
            "it has {} dimensions and {channels} channels",
            bounds.len()
        ))),
    }
}

/// Returns the index of the dimension of the rows: dimensions before it have one coordinate each,
/// and at least two follow, or three of which the last has up to four channels.
fn first_of_picture(bounds: &[(i128, i128)]) -> usize {
    let is_single = |(low, high): &(i128, i128)| low == high;
    let single = bounds.iter().take_while(|range| is_single(range)).count();
    let has_channels = bounds.last().is_some_and(|(low, high)| high - low < 4);
    let least = if has_channels { 3 } else { 2 };
    single.min(bounds.len().saturating_sub(least))
}

/// Reads rows as interleaved samples.
fn samples(array: &Array, slice: &Slice, first: u32, number: u32) -> Result<Vec<u8>> {
    let schema = array.schema()?;
    let mut query = array
        .query()
        .fields(slice.attributes.clone())
        .layout(Layout::RowMajor);
    for (index, dimension) in schema.dimensions().iter().enumerate() {
        let (mut low, mut high) = slice.bounds.get(index).copied().unwrap_or_default();
        if index == slice.first {
            low += i128::from(first);
            high = low + i128::from(number) - 1;
        }
        query = query.range(&dimension.name, low..=high);
    }
    let records = query.collect()?;
    if let [field] = records.fields() {
        return Ok(field.data().to_vec());
    }
    let size = slice.form.datatype.size();
    let mut samples = Vec::with_capacity(records.len() * records.fields().len() * size);
    for cell in 0..records.len() {
        records
            .fields()
            .iter()
            .for_each(|field| samples.extend_from_slice(field.bytes(cell)));
    }
    Ok(samples)
}
