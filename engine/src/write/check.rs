//! Checks the caller's buffers and converts them to columns of cells; coordinates of all dimensions
//! in one buffer are split.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use crate::buffers::{FieldCells, OffsetsForm};
use crate::config::Config;
use crate::error::{Cause, Error, QueryBufferError, Result, WriteBufferError, reserve_exact};
use crate::geometry::Coordinates;
use crate::memory::tuning::OFFSET_BLOCK;
use crate::schema::{ArraySchema, COORDS, StoredField, number_text};
use crate::tile::{Cells, CellsRef, unzip};

/// The number of searches up to which comparing all names is faster than an index.
const FEW_SEARCHES: usize = 16;

/// The cells of one field.
#[derive(Debug)]
pub(super) struct InputColumn<'a> {
    pub(super) field: StoredField,
    /// The bytes of a fixed-size cell.
    pub(super) cell_size: usize,
    pub(super) data: &'a [u8],
    /// The start of each variable-length cell, and the end of the last one.
    pub(super) starts: Option<Cow<'a, [u64]>>,
    pub(super) validity: Option<&'a [u8]>,
    pub(super) cell_num: usize,
}

impl Drop for InputColumn<'_> {
    fn drop(&mut self) {
        if let Some(Cow::Owned(starts)) = self.starts.take() {
            let cells = Cells {
                starts,
                ..Cells::default()
            };
            cells.into_pool(usize::MAX);
        }
    }
}

/// Returns whether an error is about the caller's buffers. They are checked before a write starts.
pub fn is_about_buffers(error: &Error) -> bool {
    matches!(error.cause(), Cause::WriteBuffer(_))
}

impl<'a> InputColumn<'a> {
    /// Returns the size in bytes of the cells with their offsets and validities.
    pub(super) fn bytes(&self) -> u64 {
        let starts = self
            .starts
            .as_ref()
            .map_or(0, |starts| size_of_val(&starts[..]));
        let validity = self.validity.map_or(0, <[u8]>::len);
        self.data.len() as u64 + starts as u64 + validity as u64
    }

    /// Returns a range of the cells.
    pub(super) fn part(&self, cells: Range<usize>) -> InputColumn<'_> {
        let fixed = cells.start * self.cell_size..cells.end * self.cell_size;
        InputColumn {
            field: self.field.clone(),
            cell_size: self.cell_size,
            data: match self.starts {
                None => &self.data[fixed],
                Some(_) => self.data,
            },
            starts: self
                .starts
                .as_ref()
                .map(|starts| starts[cells.start..=cells.end].into()),
            validity: self.validity.map(|validity| &validity[cells.clone()]),
            cell_num: cells.len(),
        }
    }

    /// Removes the cells after the first `cell_num`.
    pub(super) fn keep_first(&mut self, cell_num: usize) {
        if cell_num < self.cell_num {
            match &mut self.starts {
                Some(Cow::Owned(starts)) => starts.truncate(cell_num + 1),
                Some(Cow::Borrowed(starts)) => *starts = &starts[..=cell_num],
                None => self.data = &self.data[..cell_num * self.cell_size],
            }
            self.cell_num = cell_num;
        }
        self.validity = self
            .validity
            .map(|validity| &validity[..validity.len().min(cell_num)]);
    }

    /// Returns a range of the cells as slices of the caller's buffers.
    pub(super) fn slice(&self, cells: Range<usize>) -> CellsRef<'_> {
        CellsRef {
            data: match self.starts {
                None => &self.data[cells.start * self.cell_size..cells.end * self.cell_size],
                Some(_) => self.data,
            },
            starts: self
                .starts
                .as_ref()
                .map(|starts| &starts[cells.start..=cells.end]),
            validity: self.validity.map(|validity| &validity[cells]),
        }
    }

    /// Returns the average size of a cell in memory, with its start.
    pub(super) fn average_cell_bytes(&self) -> u64 {
        match self.starts {
            None => self.cell_size as u64,
            Some(_) => 8 + (self.data.len() / self.cell_num.max(1)) as u64,
        }
    }

    /// Returns the column of coordinates.
    pub(super) fn coordinates(&self) -> Coordinates<'_> {
        Coordinates {
            data: self.data,
            starts: self.starts.as_deref(),
        }
    }

    fn new(field: StoredField, cells: &FieldCells<'a>, form: OffsetsForm) -> Result<Self> {
        let data = cells.data.unwrap_or_default();
        let cell_size = if field.cells.is_var() {
            0
        } else {
            field.cells.cell_size()
        };
        let starts: Option<Cow<'_, [u64]>> = match (field.cells.is_var(), cells.offsets) {
            (true, Some(offsets)) => {
                Some(read_offsets(&field, offsets, data.len() as u64, form)?.into())
            }
            (true, None) => {
                return Err(WriteBufferError::NoOffsets {
                    name: field.name.clone(),
                }
                .into());
            }
            _ => None,
        };
        let cell_num = starts
            .as_ref()
            .map_or_else(|| data.len() / cell_size.max(1), |starts| starts.len() - 1);
        let validity = cells.validity.filter(|_| field.cells.nullable);
        Ok(Self {
            field,
            cell_size,
            data,
            starts,
            validity,
            cell_num,
        })
    }
}

/// Returns the attributes of a schema as fields.
pub(super) fn attributes(schema: &ArraySchema) -> impl Iterator<Item = StoredField> {
    schema
        .attributes
        .iter()
        .map(|attribute| attribute.as_ref().into())
}

/// Returns the dimensions of the schema of a sparse array as fields.
pub(super) fn dimensions(schema: &ArraySchema) -> impl Iterator<Item = StoredField> {
    schema
        .domain
        .dimensions
        .iter()
        .map(|dimension| dimension.as_ref().into())
}

/// Returns the columns of `fields`, which must all have buffers.
pub(super) fn columns<'a>(
    fields: impl Iterator<Item = StoredField>,
    buffers: &[FieldCells<'a>],
    form: OffsetsForm,
) -> Result<Vec<InputColumn<'a>>> {
    let find = buffers_by_field(buffers, fields.size_hint().0);
    fields
        .map(|field| match find(&field) {
            Some(cells) => InputColumn::new(field, cells, form),
            None => {
                let name = field.name.to_string();
                Err(QueryBufferError::FieldMissing { name }.into())
            }
        })
        .collect()
}

/// Returns the columns of the `fields` that have buffers.
pub(super) fn given_columns<'a>(
    fields: impl Iterator<Item = StoredField>,
    buffers: &[FieldCells<'a>],
    form: OffsetsForm,
) -> Result<Vec<InputColumn<'a>>> {
    let find = buffers_by_field(buffers, fields.size_hint().0);
    fields
        .filter_map(|field| {
            let cells = find(&field)?;
            Some(InputColumn::new(field, cells, form))
        })
        .collect()
}

/// Returns the search for the buffers of a field, which finds those with values. For many
/// `searches` it uses an index instead of comparing all names.
fn buffers_by_field<'b, 'a>(
    buffers: &'b [FieldCells<'a>],
    searches: usize,
) -> impl Fn(&StoredField) -> Option<&'b FieldCells<'a>> {
    let by_name = (searches > FEW_SEARCHES).then(|| {
        // The first of several buffers with the same name is used.
        let named = buffers.iter().rev().map(|cells| (cells.name, cells));
        named.collect::<HashMap<&'a str, &'b FieldCells<'a>>>()
    });
    move |field| {
        let found = match &by_name {
            Some(by_name) => by_name.get(&field.name[..]).copied(),
            None => buffers.iter().find(|cells| cells.name == field.name),
        };
        found.filter(|cells| cells.data.is_some())
    }
}

/// Checks that every column has `cell_num` cells.
pub(super) fn check_cell_num(columns: &[InputColumn<'_>], cell_num: u64) -> Result<()> {
    for column in columns {
        let name = &column.field.name;
        if let Some(validity) = column.validity
            && validity.len() as u64 != cell_num
        {
            return Err(WriteBufferError::ValidityNumber {
                name: name.clone(),
                given: validity.len(),
                cells: cell_num,
            }
            .into());
        }
        let has_whole_cells =
            column.starts.is_some() || column.data.len() == column.cell_num * column.cell_size;
        if column.cell_num as u64 != cell_num || !has_whole_cells {
            return Err(WriteBufferError::CellNumber {
                name: name.clone(),
                given: column.cell_num,
                cells: cell_num,
            }
            .into());
        }
    }
    Ok(())
}

/// Checks that float scaling filters can store the values of the buffers, unless the configuration
/// disables the check. Null cells and cells that a dense write does not cover may have any value.
pub fn check_float_scaling(
    config: &Config,
    schema: &ArraySchema,
    buffers: &[FieldCells<'_>],
    form: OffsetsForm,
) -> Result<()> {
    let parameter = "sm.check_float_scaling";
    for cells in buffers {
        let Some(field) = schema.stored_field(cells.name) else {
            continue;
        };
        let filters = field.filters.clone();
        let (Some(options), Some(data)) = (filters.float_scaling(), cells.data) else {
            continue;
        };
        if data.is_empty() || !config.flag(parameter)? {
            continue;
        }
        let (datatype, size) = (field.cells.datatype, field.cells.value_size());
        if !datatype.is_real() {
            return Err(WriteBufferError::ScalingOfIntegers {
                name: field.name,
                datatype: datatype.name(),
                parameter,
            }
            .into());
        }
        let column = InputColumn::new(field, cells, form)?;
        let is_null = |validity: &&u8| **validity == 0;
        let has_nulls = column
            .validity
            .is_some_and(|validity| validity.iter().any(|v| is_null(&v)));
        let cell = |cell: usize| column.slice(cell..cell + 1);
        let value = if has_nulls {
            column
                .validity
                .into_iter()
                .flatten()
                .enumerate()
                .take(column.cell_num)
                .filter(|(_, validity)| !is_null(validity))
                .map(|(index, _)| cell(index).get(0, column.cell_size))
                .find_map(|bytes| {
                    let found = options.first_out_of_range(size, bytes)?;
                    bytes.get(found * size..(found + 1) * size)
                })
        } else {
            let found = options.first_out_of_range(size, data);
            found.and_then(|found| data.get(found * size..(found + 1) * size))
        };
        if let Some(value) = value {
            let (low, high) = options.range();
            return Err(WriteBufferError::OutsideScaling {
                name: column.field.name.clone(),
                value: number_text(datatype, value),
                low: low.to_string(),
                high: high.to_string(),
                parameter,
            }
            .into());
        }
    }
    Ok(())
}

/// Converts the caller's offsets to bytes and adds the end of the last cell.
fn read_offsets(
    field: &StoredField,
    offsets: &[u8],
    size: u64,
    form: OffsetsForm,
) -> Result<Vec<u64>> {
    let name = &field.name;
    let value_size = field.cells.value_size();
    let number = usize::try_from(form.capacity(offsets.len() as u64)).unwrap_or_default();
    if form.extra {
        check_extra(field, offsets, number, size, form)?;
    }
    // Reused memory causes no page faults.
    let mut starts = Cells::from_pool(0, number + 1).starts;
    starts.clear();
    reserve_exact("offsets", &mut starts, number + 1)?;
    let (mut last, mut ascends) = (0, true);
    for block in offsets[..number * form.width].chunks(OFFSET_BLOCK * form.width) {
        let start = starts.len();
        form.get_all(block, block.len() / form.width, value_size, &mut starts);
        let block = &starts[start..];
        ascends &= block.first().is_none_or(|first| last <= *first);
        last = block.last().copied().unwrap_or(last);
        ascends &= block
            .iter()
            .zip(block.iter().skip(1))
            .fold(true, |ascends, (start, end)| ascends & (start <= end));
    }
    if ascends && last <= size {
        starts.push(size);
        return Ok(starts);
    }
    Err(bad_offsets(name, &starts, size))
}

/// Returns the error for offsets that descend or exceed `size` bytes: for the first such offset,
/// and for an offset at the end of the bytes that is followed by a smaller one.
fn bad_offsets(name: &str, starts: &[u64], size: u64) -> Error {
    let first = starts.first().copied().unwrap_or_default();
    if first > size {
        return Error::from(WriteBufferError::FirstOffset {
            name: name.into(),
            offset: first,
            size,
        });
    }
    for (index, pair) in (1..).zip(starts.windows(2)) {
        let (before, offset) = (pair[0], pair[1]);
        if offset < before {
            break;
        }
        let next = starts.get(index + 1).copied().unwrap_or(offset);
        if offset > size || (offset == size && next != size) {
            return Error::from(WriteBufferError::Offset {
                name: name.into(),
                offset,
                index,
                size,
            });
        }
    }
    Error::from(WriteBufferError::DecreasingOffsets { name: name.into() })
}

/// Checks that the extra offset after those of `number` cells is the end of the data.
fn check_extra(
    field: &StoredField,
    offsets: &[u8],
    number: usize,
    size: u64,
    form: OffsetsForm,
) -> Result<()> {
    let value_size = field.cells.value_size();
    let has_extra = offsets.len() / form.width > number;
    let last = has_extra.then(|| form.get(offsets, number, value_size));
    if last == Some(size) {
        return Ok(());
    }
    let unit = if form.elements { value_size as u64 } else { 1 };
    Err(WriteBufferError::LastOffset {
        name: field.name.clone(),
        offset: last.unwrap_or_default() / unit,
        size: size / unit,
    }
    .into())
}

/// Returns the coordinates in the buffer of combined coordinates: those of the first dimension,
/// then those of the second, and so on; `None` without such a buffer. Bytes after the last complete
/// cell are ignored.
pub fn split_coordinates(
    schema: &ArraySchema,
    buffers: &[FieldCells<'_>],
) -> Result<Option<Vec<u8>>> {
    let zipped = buffers.iter().find(|cells| cells.name == COORDS);
    let Some(data) = zipped.and_then(|cells| cells.data) else {
        return Ok(None);
    };
    let size = schema
        .domain
        .datatype()
        .map_or(1, |datatype| datatype.size());
    unzip(data, schema.dim_num(), size).map(Some)
}

/// Returns the buffers, with those of the dimensions, which [`split_coordinates`] returned, instead
/// of the combined one.
pub fn with_coordinates<'a>(
    schema: &'a ArraySchema,
    buffers: &[FieldCells<'a>],
    coordinates: Option<&'a [u8]>,
) -> Vec<FieldCells<'a>> {
    let others = buffers.iter().filter(|cells| cells.name != COORDS).copied();
    let Some(coordinates) = coordinates else {
        return others.collect();
    };
    let len = coordinates.len() / schema.dim_num().max(1);
    let column = |index: usize| &coordinates[index * len..(index + 1) * len];
    schema
        .domain
        .dimensions
        .iter()
        .enumerate()
        .map(|(index, dimension)| FieldCells::fixed(&dimension.name, column(index)))
        .chain(others)
        .collect()
}
