//! Export of slices of dense arrays as PNG and TIFF pictures, some rows at a time.

use std::io::{Seek, Write};

use tiledb_engine::{Array, Datatype, Layout, Schema};

use crate::args::{Cells, FileFormat};
use crate::interrupt;
use crate::picture::{PictureForm, PictureWriter};
use crate::problem::{Problem, Result};
use crate::progress::Progress;
use crate::selection::{IntegerBounds, check_field, dimension_bounds};

/// The most memory for rows in bytes.
const SLAB: usize = 64 << 20;
/// The rows that are read at a time, if memory allows.
const ROWS: usize = 256;

/// A slice that is a picture.
struct Slice {
    /// The bounds of the selected coordinates of each dimension.
    bounds: Vec<IntegerBounds>,
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

fn not_a_picture(reason: &str) -> Problem {
    Problem::usage(format!("the selection is not a picture: {reason}")).hint(
        "a picture is of a dense array with two dimensions, or three of which the last has up \
         to four channels; select one coordinate of each dimension before them and other \
         ranges with --range, and attributes with --columns",
    )
}

fn slice(array: &Array, schema: &Schema, cells: &Cells) -> Result<Slice> {
    if !schema.is_dense() || cells.condition.is_some() {
        return Err(not_a_picture("its cells are not those of a box"));
    }
    let bounds = dimension_bounds(array, schema, cells)?;
    let bounds = bounds.ok_or_else(|| not_a_picture("a dimension has several ranges"))?;
    let attributes = selected_attributes(schema, cells)?;
    let first = first_of_picture(&bounds);
    let size = |index: usize| bounds.get(first + index).map(|bounds| bounds.len());
    let third = usize::try_from(size(2).unwrap_or(1)).unwrap_or(usize::MAX);
    let channels = third.saturating_mul(attributes.len());
    let is_picture = (2..=3).contains(&(bounds.len() - first))
        && (third == 1 || attributes.len() == 1)
        && (1..=4).contains(&channels);
    let Some(datatype) = common_number(schema, &attributes) else {
        let reason = "its attributes are not numbers of one datatype";
        return Err(not_a_picture(reason));
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
        _ => Err(not_a_picture(&format!(
            "it has {} dimensions and {channels} channels",
            bounds.len()
        ))),
    }
}

/// Returns the selected columns, or all attributes.
fn selected_attributes(schema: &Schema, cells: &Cells) -> Result<Vec<String>> {
    let columns = cells.columns.iter();
    columns
        .clone()
        .try_for_each(|name| check_field(schema, name))?;
    if !cells.columns.is_empty() {
        return Ok(columns.cloned().collect());
    }
    let attributes = schema.attributes().iter();
    Ok(attributes.map(|attribute| attribute.name.clone()).collect())
}

/// Returns the datatype of the values of all attributes; `None` if they differ or cells do not have
/// one value each.
fn common_number(schema: &Schema, attributes: &[String]) -> Option<Datatype> {
    let datatypes = attributes.iter().map(|name| match schema.attribute(name) {
        Some(attribute) if attribute.cell_val_num == 1 && !attribute.nullable => {
            Some(attribute.datatype)
        }
        _ => None,
    });
    let mut datatypes: Vec<Option<Datatype>> = datatypes.collect();
    datatypes.dedup();
    match datatypes[..] {
        [datatype] => datatype,
        _ => None,
    }
}

/// Returns the index of the dimension of the rows: dimensions before it have one coordinate each,
/// and at least two follow, or three of which the last has up to four channels.
fn first_of_picture(bounds: &[IntegerBounds]) -> usize {
    let is_single = |bounds: &&IntegerBounds| bounds.len() == 1;
    let single = bounds.iter().take_while(is_single).count();
    let has_channels = bounds.last().is_some_and(|bounds| bounds.len() <= 4);
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
        let IntegerBounds { mut low, mut high } =
            slice.bounds.get(index).copied().unwrap_or_default();
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
