//! Writes: the cells of all fields, submitted together.

use std::ops::RangeBounds;
use std::sync::Arc;

use super::cell::ToCell;
use super::context::Context;
use super::subarray::Subarray;
use crate::array::Array as EngineArray;
#[cfg(feature = "arrow")]
use crate::arrow::{ArrowCells, cells_of};
#[cfg(feature = "arrow")]
use crate::buffers::OffsetsForm;
use crate::buffers::{FieldCells, FieldForm};
use crate::error::{ApiError, Error, Result};
use crate::expression::Scalar;
use crate::query::Query;
use crate::schema::ArraySchema;
use crate::types::{Datatype, Layout, QueryType, Timestamp};

/// A write that is being described. [`submit`](WriteQuery::submit) stores its cells as one
/// fragment, which other readers see completely or not at all.
///
/// ```no_run
/// # use tiledb_engine::{Array, Context, Result};
/// # fn main() -> Result<()> {
/// # let array = Array::open(&Context::new()?, "weather")?;
/// array
///     .write()
///     .column("day", [1, 1, 2])
///     .column("station", ["a", "b", "a"])
///     .column("temperature", [Some(20.5), None, Some(19.0)])
///     .submit()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct WriteQuery {
    context: Context,
    /// The array as it was opened for reading.
    array: Arc<EngineArray>,
    schema: Option<Arc<ArraySchema>>,
    columns: Vec<WriteColumn>,
    #[cfg(feature = "arrow")]
    arrow_columns: Vec<(String, ArrowCells)>,
    subarray: Subarray,
    layout: Option<Layout>,
    timestamp: Option<Timestamp>,
    problem: Option<Error>,
}

/// The cells of one field of a write.
#[derive(Debug)]
struct WriteColumn {
    form: FieldForm,
    cells: usize,
    data: Vec<u8>,
    offsets: Vec<u8>,
    validity: Vec<u8>,
}

impl WriteColumn {
    /// Appends a cell.
    fn push(&mut self, value: &impl ToCell) -> std::result::Result<(), String> {
        let start = self.data.len();
        let valid = match self.form.enumeration.clone() {
            Some(labels) => self.push_index(value, &labels)?,
            None => value.to_cell(self.form.cells.datatype, &mut self.data)?,
        };
        if !valid && !self.form.cells.nullable {
            return Err("null is not a value of a field that is not nullable".into());
        }
        if self.form.cells.is_var() {
            self.offsets.extend((start as u64).to_le_bytes());
        } else {
            let size = self.form.cells.cell_size();
            if !valid {
                self.data.resize(start + size, 0);
            }
            // Texts of a fixed length are padded.
            let text =
                self.form.cells.datatype.is_string() || self.form.cells.datatype == Datatype::Char;
            if text && self.data.len() < start + size {
                self.data.resize(start + size, 0);
            }
            if self.data.len() - start != size {
                return Err(format!(
                    "a cell has {} bytes instead of {size}",
                    self.data.len() - start
                ));
            }
        }
        if self.form.cells.nullable {
            self.validity.push(u8::from(valid));
        }
        self.cells += 1;
        Ok(())
    }

    /// Appends the index of a value of an enumeration, or an index.
    fn push_index(
        &mut self,
        value: &impl ToCell,
        labels: &crate::schema::Enumeration,
    ) -> std::result::Result<bool, String> {
        let mut label = Vec::new();
        match value.to_cell(labels.datatype(), &mut label) {
            Ok(false) => Ok(false),
            Ok(true) => {
                let index = labels.index_of(&label).ok_or_else(|| {
                    let value = Scalar::from_bytes(labels.datatype(), &label);
                    format!("{value} is not a value of enumeration '{}'", labels.name())
                })?;
                index.to_cell(self.form.cells.datatype, &mut self.data)
            }
            Err(_) => value.to_cell(self.form.cells.datatype, &mut self.data),
        }
    }

    fn cells(&self) -> FieldCells<'_> {
        FieldCells {
            offsets: self.form.cells.is_var().then_some(&self.offsets[..]),
            validity: self.form.cells.nullable.then_some(&self.validity[..]),
            ..FieldCells::fixed(&self.form.name, &self.data)
        }
    }
}

impl WriteQuery {
    pub(super) fn new(context: &Context, array: &Arc<EngineArray>) -> Self {
        Self {
            context: context.clone(),
            array: array.clone(),
            schema: array.schema().ok(),
            columns: Vec::new(),
            #[cfg(feature = "arrow")]
            arrow_columns: Vec::new(),
            subarray: Subarray::new(),
            layout: None,
            timestamp: None,
            problem: None,
        }
    }

    /// Adds the cells of a field. The first value that does not fit the field is reported by
    /// [`submit`](WriteQuery::submit).
    #[must_use]
    pub fn column<T: ToCell>(mut self, field: &str, values: impl IntoIterator<Item = T>) -> Self {
        if self.problem.is_none() {
            match self.cells(field, values) {
                Ok(column) => self.columns.push(column),
                Err(error) => self.problem = Some(error),
            }
        }
        self
    }

    /// Adds the cells of a field as bytes, which are not converted; of a field with an enumeration,
    /// the indexes. Bytes that do not fit the field are reported by
    /// [`submit`](WriteQuery::submit).
    #[must_use]
    pub fn column_bytes(mut self, field: &str, cells: CellBytes<'_>) -> Self {
        if self.problem.is_none() {
            match self.cells_of_bytes(field, cells) {
                Ok(column) => self.columns.push(column),
                Err(error) => self.problem = Some(error),
            }
        }
        self
    }

    /// Adds the cells of a field from an Arrow array.
    #[cfg(feature = "arrow")]
    #[must_use]
    pub(super) fn arrow_column(mut self, field: &str, array: &arrow_data::ArrayData) -> Self {
        if self.problem.is_none() {
            let cells = self
                .form(field)
                .and_then(|form| cells_of(&form, array, OffsetsForm::STARTS));
            match cells {
                Ok(cells) => self.arrow_columns.push((field.to_owned(), cells)),
                Err(error) => self.problem = Some(error),
            }
        }
        self
    }

    /// Returns the cells of all fields, each with the number of cells.
    fn all_cells(&self) -> Vec<(usize, FieldCells<'_>)> {
        let cells = self
            .columns
            .iter()
            .map(|column| (column.cells, column.cells()));
        #[cfg(feature = "arrow")]
        let cells = cells.chain(self.arrow_columns.iter().map(|(name, cells)| {
            let field = FieldCells {
                name,
                data: Some(&cells.data),
                offsets: cells.offsets.as_deref(),
                validity: cells.validity.as_deref(),
            };
            (cells.cells, field)
        }));
        cells.collect()
    }

    fn cells_of_bytes(&self, field: &str, bytes: CellBytes<'_>) -> Result<WriteColumn> {
        let form = self.form(field)?;
        let cells = bytes.check(&form)?;
        let offsets = bytes.offsets.unwrap_or_default().iter();
        let validity = match bytes.validity {
            Some(validity) => validity.iter().map(|valid| u8::from(*valid != 0)).collect(),
            None if form.cells.nullable => vec![1; cells],
            None => Vec::new(),
        };
        Ok(WriteColumn {
            cells,
            data: bytes.data.to_vec(),
            offsets: offsets.flat_map(|start| start.to_le_bytes()).collect(),
            validity,
            form,
        })
    }

    fn cells<T: ToCell>(
        &self,
        field: &str,
        values: impl IntoIterator<Item = T>,
    ) -> Result<WriteColumn> {
        let mut column = WriteColumn {
            form: self.form(field)?,
            cells: 0,
            data: Vec::new(),
            offsets: Vec::new(),
            validity: Vec::new(),
        };
        for (cell, value) in values.into_iter().enumerate() {
            column.push(&value).map_err(|problem| {
                Error::from(ApiError::BadCell {
                    cell,
                    field: field.into(),
                    problem,
                })
            })?;
        }
        Ok(column)
    }

    fn form(&self, name: &str) -> Result<FieldForm> {
        let missing = || Error::from(ApiError::UnknownField { field: name.into() });
        let schema = self.schema.as_ref().ok_or_else(missing)?;
        FieldForm::of(schema, name, |name| self.array.enumeration(name))?.ok_or_else(missing)
    }

    /// Sets the range of a dimension of a dense array that is written, such as `1..=31` or `1..32`;
    /// the complete domain by default.
    #[must_use]
    pub fn range<V: Into<Scalar> + Clone>(
        mut self,
        name: &str,
        range: impl RangeBounds<V>,
    ) -> Self {
        self.subarray = self.subarray.range(name, range);
        self
    }

    /// Replaces all ranges.
    #[must_use]
    pub fn subarray(mut self, subarray: Subarray) -> Self {
        self.subarray = subarray;
        self
    }

    /// Sets the order of the cells: row-major by default for dense arrays, any order for sparse
    /// arrays.
    #[must_use]
    pub fn layout(mut self, layout: Layout) -> Self {
        self.layout = Some(layout);
        self
    }

    /// Sets the timestamp in milliseconds since 1970; the time of the submit by default.
    #[must_use]
    pub fn at(mut self, timestamp: Timestamp) -> Self {
        self.timestamp = Some(timestamp);
        self
    }

    /// Stores the cells.
    ///
    /// # Errors
    ///
    /// If a value does not fit its field, fields are missing or have different numbers of cells,
    /// cells are outside of the domain, or storage fails. Nothing is stored then.
    pub fn submit(self) -> Result<()> {
        self.submit_fragments().map(drop)
    }

    /// Stores the cells and returns the URIs of the fragments, with which
    /// [`Array::delete_named_fragments`](crate::Array::delete_named_fragments) removes them.
    ///
    /// # Errors
    ///
    /// As [`submit`](Self::submit).
    pub fn submit_fragments(mut self) -> Result<Vec<String>> {
        match self.problem.take() {
            Some(problem) => Err(problem),
            None => self.store(),
        }
    }

    fn store(&self) -> Result<Vec<String>> {
        let cells = self.all_cells();
        if cells.is_empty() {
            return Err(ApiError::NoCells.into());
        }
        // A label has a value for each index of its dimension, which the engine checks.
        let is_label = |field: &FieldCells<'_>| {
            let schema = self.schema.as_ref();
            schema.is_some_and(|schema| schema.label(field.name).is_some())
        };
        let mut of_cells = cells.iter().filter(|(_, field)| !is_label(field));
        if let Some((number, first)) = of_cells.next()
            && let Some((other_number, other)) = of_cells.find(|(other, _)| other != number)
        {
            return Err(ApiError::UnequalFields {
                first: first.name.to_owned(),
                first_number: *number,
                second: other.name.to_owned(),
                second_number: *other_number,
            }
            .into());
        }
        let uri = self.array.uri.as_str();
        let handle = self
            .context
            .open_array(uri, QueryType::Write, self.timestamp)?;
        let mut query = Query::new(&handle, QueryType::Write)?;
        query.use_cell_starts();
        if let Some(layout) = self.layout {
            query.set_layout(layout)?;
        }
        if !self.subarray.is_empty() {
            let mut subarray = query.request().subarray.clone();
            self.subarray.add_to(&mut subarray)?;
            query.set_subarray(&subarray)?;
        }
        let cells: Vec<_> = cells.into_iter().map(|(_, cells)| cells).collect();
        query.write(&cells)?;
        query.finalize()?;
        let fragments = query.written().iter();
        Ok(fragments
            .map(|fragment| fragment.uri.as_str().to_owned())
            .collect())
    }
}

/// The cells of one field as bytes in little-endian order.
#[derive(Clone, Copy, Debug, Default)]
pub struct CellBytes<'a> {
    /// The values of all cells, one cell after another.
    pub data: &'a [u8],
    /// The start of each cell in `data`. Fields of variable length need them; others have none.
    pub offsets: Option<&'a [u64]>,
    /// One byte per cell, 0 for null. If a nullable field has none, no cell is null.
    pub validity: Option<&'a [u8]>,
}

impl CellBytes<'_> {
    /// Returns the number of cells, after a check that the parts fit the field and each other.
    fn check(&self, form: &FieldForm) -> Result<usize> {
        let problem = |problem| {
            Error::from(ApiError::BadCells {
                field: form.name.clone(),
                problem,
            })
        };
        let cells = match self.offsets {
            Some(offsets) if form.cells.is_var() => {
                let last = offsets.last().copied().unwrap_or(0);
                let partial =
                    |start: &u64| !start.is_multiple_of(form.cells.datatype.size() as u64);
                if !offsets.is_sorted() || last > self.data.len() as u64 {
                    return Err(problem(
                        "its offsets are not ascending positions of its data",
                    ));
                }
                if offsets.iter().any(partial) || !self.is_whole(form) {
                    return Err(problem("a cell ends within a value"));
                }
                offsets.len()
            }
            Some(_) => return Err(problem("cells of a fixed size have no offsets")),
            None if form.cells.is_var() => return Err(problem("its cells need offsets")),
            None if !self.is_whole(form) => return Err(problem("the last cell is incomplete")),
            None => self.data.len() / form.cells.cell_size().max(1),
        };
        match self.validity {
            Some(_) if !form.cells.nullable => Err(problem("it is not nullable")),
            Some(bytes) if bytes.len() != cells => Err(problem(
                "it has another number of cells than of validity bytes",
            )),
            _ => Ok(cells),
        }
    }

    fn is_whole(&self, form: &FieldForm) -> bool {
        self.data
            .len()
            .is_multiple_of(form.cells.cell_size().max(1))
    }
}
