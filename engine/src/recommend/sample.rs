//! Samples of the cells of a table or an array.

use std::ops::Range;

use super::costs::Goal;
use crate::error::{ApiError, Error, Result};
use crate::schema::ArraySchema;
use crate::tile::Cells;
use crate::types::{Datatype, VAR_NUM};

/// The most cells of a sample that are looked at.
const MAX_CELLS: usize = 1 << 18;
/// The number of parts of a larger sample that are looked at, at equal distances.
const PARTS: usize = 16;
/// The most bytes of a field that are encoded for each list of filters.
const MAX_ENCODED_BYTES: usize = 1 << 20;
/// The size in bytes of a part of a field that is encoded: some chunks.
const ENCODED_PART_BYTES: usize = 1 << 18;

/// The cells of one field of a sample, in the form of buffers of queries.
#[derive(Clone, Copy, Debug, Default)]
pub struct SampleColumn<'a> {
    /// The name of the dimension or attribute.
    pub name: &'a str,
    /// The values of all cells in little-endian order, one cell after another.
    pub data: &'a [u8],
    /// The start of each cell in `data`, for fields of variable length.
    pub offsets: Option<&'a [u64]>,
    /// One byte per cell, 0 for null, if the sample has nulls.
    pub validity: Option<&'a [u8]>,
}

/// Some cells of a table or an array, and what a schema for them is chosen for.
///
/// Cells that are stored together should be together in the sample: some runs of rows of a table,
/// or a box of a dense array, in row-major order.
#[derive(Clone, Debug, Default)]
pub struct Sample<'a> {
    pub(super) columns: Vec<SampleColumn<'a>>,
    pub(super) goal: Goal,
    pub(super) total_cells: Option<u64>,
    pub(super) read: Vec<f64>,
    pub(super) texts: Vec<String>,
}

impl<'a> Sample<'a> {
    /// Creates a sample without columns for the goal [`Goal::Balanced`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the cells of a field. All columns need the same number of cells.
    #[must_use]
    pub fn column(mut self, column: SampleColumn<'a>) -> Self {
        self.columns.push(column);
        self
    }

    /// Sets the goal.
    #[must_use]
    pub fn goal(mut self, goal: Goal) -> Self {
        self.goal = goal;
        self
    }

    /// Sets the number of cells that the array will have; by default that of the sample, or of the
    /// domain of a dense array.
    #[must_use]
    pub fn total_cells(mut self, cells: u64) -> Self {
        self.total_cells = Some(cells);
        self
    }

    /// Sets the part of the range of each dimension that a typical read selects, from 0 to 1, such
    /// as `[0.001, 1.0]` for rows. By default a read selects 1 % of the cells, and the same part
    /// of each dimension.
    #[must_use]
    pub fn typical_read(mut self, parts: impl IntoIterator<Item = f64>) -> Self {
        self.read = parts.into_iter().collect();
        self
    }

    /// Keeps the texts of an attribute as they are, instead of recommending an enumeration.
    #[must_use]
    pub fn keep_texts(mut self, attribute: &str) -> Self {
        self.texts.push(attribute.to_owned());
        self
    }

    /// Checks the columns, and returns them with the properties of their fields.
    pub(super) fn fields(&self, schema: &ArraySchema) -> Result<Vec<SampleField<'a>>> {
        let mut fields: Vec<SampleField<'a>> = Vec::new();
        for column in &self.columns {
            if fields.iter().any(|field| field.column.name == column.name) {
                return Err(ApiError::SelectedTwice {
                    field: column.name.into(),
                }
                .into());
            }
            let field = SampleField::new(schema, *column)?;
            if let Some(first) = fields.first()
                && first.cells != field.cells
            {
                return Err(ApiError::UnequalFields {
                    first: first.column.name.into(),
                    first_number: first.cells,
                    second: column.name.into(),
                    second_number: field.cells,
                }
                .into());
            }
            fields.push(field);
        }
        match fields.first() {
            Some(first) if first.cells > 0 => Ok(fields),
            _ => Err(ApiError::EmptySample.into()),
        }
    }
}

/// A column of a sample whose parts fit each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct SampleField<'a> {
    pub(super) column: SampleColumn<'a>,
    pub(super) datatype: Datatype,
    /// The number of values per cell, or `VAR_NUM`.
    pub(super) cell_val_num: u32,
    pub(super) cells: usize,
}

impl<'a> SampleField<'a> {
    fn new(schema: &ArraySchema, column: SampleColumn<'a>) -> Result<Self> {
        let name = column.name;
        let dimension = schema
            .dimension(name)
            .map(|field| (field.datatype, field.cell_val_num));
        let Some((datatype, cell_val_num)) = dimension.or(schema
            .attributes
            .iter()
            .find(|field| field.name == name)
            .map(|field| (field.datatype, field.cell_val_num)))
        else {
            return Err(ApiError::UnknownField { field: name.into() }.into());
        };
        let problem = |problem| {
            Error::from(ApiError::BadCells {
                field: name.into(),
                problem,
            })
        };
        let mut field = Self {
            column,
            datatype,
            cell_val_num,
            cells: 0,
        };
        let size = field.value_size();
        if !column.data.len().is_multiple_of(size) {
            return Err(problem("the last cell is incomplete"));
        }
        field.cells = match column.offsets {
            Some(offsets) if field.is_var() => {
                let last = offsets.last().copied().unwrap_or(0);
                if !offsets.is_sorted() || last > column.data.len() as u64 {
                    return Err(problem(
                        "its offsets are not ascending positions of its data",
                    ));
                }
                if offsets
                    .iter()
                    .any(|start| !start.is_multiple_of(size as u64))
                {
                    return Err(problem("a cell ends within a value"));
                }
                offsets.len()
            }
            Some(_) => return Err(problem("cells of a fixed size have no offsets")),
            None if field.is_var() => return Err(problem("its cells need offsets")),
            None => column.data.len() / size,
        };
        match column.validity {
            Some(validity) if validity.len() != field.cells => Err(problem(
                "it has another number of cells than of validity bytes",
            )),
            _ => Ok(field),
        }
    }

    pub(super) fn is_var(&self) -> bool {
        self.cell_val_num == VAR_NUM
    }

    /// Returns the size in bytes of a cell, or of a value of cells of variable length.
    pub(super) fn value_size(&self) -> usize {
        let values = if self.is_var() { 1 } else { self.cell_val_num };
        self.datatype.size().saturating_mul(values as usize).max(1)
    }

    fn byte_range(&self, cell: usize) -> Range<usize> {
        match self.column.offsets {
            Some(offsets) => {
                let start = offsets.get(cell).map_or(0, |start| *start as usize);
                let next = offsets.get(cell + 1).map(|end| *end as usize);
                start..next.unwrap_or(self.column.data.len())
            }
            None => cell * self.value_size()..(cell + 1) * self.value_size(),
        }
    }

    /// Returns the bytes of a cell.
    pub(super) fn bytes(&self, cell: usize) -> &'a [u8] {
        let range = self.byte_range(cell);
        self.column.data.get(range).unwrap_or_default()
    }

    pub(super) fn is_valid(&self, cell: usize) -> bool {
        let validity = self.column.validity;
        validity.is_none_or(|validity| validity.get(cell) != Some(&0))
    }
}

/// Returns the cells of a sample that are looked at: all, or parts at equal distances.
pub(super) fn looked_at(cells: usize) -> Vec<usize> {
    if cells <= MAX_CELLS {
        return (0..cells).collect();
    }
    let len = MAX_CELLS / PARTS;
    (0..PARTS)
        .map(|part| (cells - len) / (PARTS - 1) * part)
        .flat_map(|start| start..start + len)
        .collect()
}

/// Returns the cells of a field that are encoded for each list of filters: parts at equal
/// distances, each with the bytes of some chunks. All have validities. `order` has the cells in the
/// order in which they will be stored.
pub(super) fn excerpt(field: &SampleField<'_>, order: &[usize]) -> Vec<Cells> {
    let bytes: usize = order.iter().map(|cell| field.bytes(*cell).len()).sum();
    let bytes_per_cell = (bytes / order.len().max(1)).max(1);
    let all = bytes <= MAX_ENCODED_BYTES && order.len() <= MAX_ENCODED_BYTES;
    let (number, len) = if all {
        (1, order.len())
    } else {
        let len = (ENCODED_PART_BYTES / bytes_per_cell).clamp(1, order.len());
        let number = MAX_ENCODED_BYTES / ENCODED_PART_BYTES;
        (number.min(order.len() / len).max(1), len)
    };
    let distance = (order.len() - len) / number.saturating_sub(1).max(1);
    let mut parts = Vec::with_capacity(number);
    for start in (0..number).map(|part| part * distance) {
        let mut part = Cells::default();
        for cell in order.iter().skip(start).take(len) {
            // A sample with a few very long cells.
            if part.data.len() >= MAX_ENCODED_BYTES {
                break;
            }
            if field.is_var() {
                part.starts.push(part.data.len() as u64);
            }
            part.data.extend_from_slice(field.bytes(*cell));
            part.validity.push(u8::from(field.is_valid(*cell)));
        }
        if field.is_var() {
            part.starts.push(part.data.len() as u64);
        }
        parts.push(part);
    }
    parts
}
