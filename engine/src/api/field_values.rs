//! The cells of a field that a read returned.

use std::sync::Arc;

use crate::buffers::FieldForm;
use crate::error::{ApiError, Error, Result};
use crate::expression::Scalar;
use crate::schema::Enumeration;
use crate::types::{Datatype, VAR_NUM};

/// The cells of one field, in the order of the result.
#[derive(Clone, Debug)]
pub struct FieldValues {
    pub(super) form: FieldForm,
    pub(super) data: Vec<u8>,
    /// The starts of the cells in `data`, for cells of variable length.
    pub(super) offsets: Vec<u64>,
    /// One byte per cell, 0 for null, for nullable fields.
    pub(super) validity: Vec<u8>,
}

impl FieldValues {
    pub(super) fn new(form: FieldForm) -> Self {
        Self {
            form,
            data: Vec::new(),
            offsets: Vec::new(),
            validity: Vec::new(),
        }
    }

    /// Returns the name of the field.
    pub fn name(&self) -> &str {
        &self.form.name
    }

    /// Returns the datatype of the field; of the indexes, if it has an enumeration.
    pub fn datatype(&self) -> Datatype {
        self.form.cells.datatype
    }

    /// Returns the datatype of the values, which are those of the enumeration if the field has
    /// one.
    pub fn value_datatype(&self) -> Datatype {
        let enumeration = self.form.enumeration.as_ref();
        enumeration.map_or(self.form.cells.datatype, |enumeration| {
            enumeration.datatype()
        })
    }

    /// Returns the enumeration of the field.
    pub fn enumeration(&self) -> Option<&Arc<Enumeration>> {
        self.form.enumeration.as_ref()
    }

    /// Returns the number of values per cell; `None` if it varies.
    pub fn values_per_cell(&self) -> Option<u32> {
        Some(self.form.cells.cell_val_num).filter(|number| *number != VAR_NUM)
    }

    /// Returns whether cells have a variable number of values.
    pub fn is_var(&self) -> bool {
        self.form.cells.is_var()
    }

    /// Returns whether cells may be null.
    pub fn is_nullable(&self) -> bool {
        self.form.cells.nullable
    }

    /// Returns the number of cells.
    pub fn len(&self) -> usize {
        if self.is_var() {
            self.offsets.len()
        } else {
            self.data.len() / self.form.cells.cell_size().max(1)
        }
    }

    /// Returns whether the number of cells is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether a cell is null.
    pub fn is_null(&self, cell: usize) -> bool {
        self.form.cells.nullable && self.validity.get(cell).is_some_and(|valid| *valid == 0)
    }

    /// Returns the bytes of a cell, in little-endian order; none if the cell does not exist.
    pub fn bytes(&self, cell: usize) -> &[u8] {
        let size = self.form.cells.cell_size();
        let (start, end) = if self.is_var() {
            let Some(start) = self.offsets.get(cell) else {
                return &[];
            };
            let next = self.offsets.get(cell + 1).map(|end| *end as usize);
            (*start as usize, next.unwrap_or(self.data.len()))
        } else {
            let start = cell.saturating_mul(size);
            (start, start.saturating_add(size))
        };
        self.data.get(start..end).unwrap_or_default()
    }

    /// Returns all bytes of the cells.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// Returns the start of each cell in [`data`](FieldValues::data); none if all cells have the
    /// same size.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// Returns one byte per cell, 0 for null; none if the field is not nullable.
    pub fn validity(&self) -> &[u8] {
        &self.validity
    }

    /// Returns the value of a cell: of its enumeration, if the field has one. Returns `None` if the
    /// cell is null or has several values that are not a string.
    pub fn scalar(&self, cell: usize) -> Option<Scalar> {
        if cell >= self.len() || self.is_null(cell) {
            return None;
        }
        let (datatype, bytes) = (self.form.cells.datatype, self.bytes(cell));
        if let Some(enumeration) = &self.form.enumeration {
            let Scalar::Integer(index) = Scalar::from_bytes(datatype, bytes) else {
                return None;
            };
            let value = u64::try_from(index)
                .ok()
                .and_then(|position| enumeration.get(position));
            return Some(value.map_or(Scalar::Integer(index), |bytes| {
                Scalar::from_bytes(enumeration.datatype(), bytes)
            }));
        }
        let text = datatype == Datatype::Char || datatype.is_string();
        let opaque = datatype.is_bytes() || datatype == Datatype::Any;
        let single = text || opaque || bytes.len() == datatype.size();
        single.then(|| Scalar::from_bytes(datatype, bytes))
    }

    /// Returns a cell as text: without quotes, datetimes and times in ISO 8601, several values in
    /// brackets. Returns `None` if the cell is null or does not exist.
    pub fn text(&self, cell: usize) -> Option<String> {
        if cell >= self.len() || self.is_null(cell) {
            return None;
        }
        if let Some(scalar) = self.scalar(cell) {
            return Some(scalar.text(self.value_datatype()));
        }
        let datatype = self.form.cells.datatype;
        let values = self
            .bytes(cell)
            .chunks_exact(datatype.size())
            .map(|bytes| Scalar::from_bytes(datatype, bytes).text(datatype));
        Some(format!("[{}]", values.collect::<Vec<_>>().join(", ")))
    }

    /// Appends the cells of a later batch of the same field.
    pub(super) fn append(&mut self, more: Self) {
        let start = self.data.len() as u64;
        self.offsets
            .extend(more.offsets.iter().map(|index| index + start));
        self.data.extend_from_slice(&more.data);
        self.validity.extend_from_slice(&more.validity);
    }
}

/// The cells of several fields, which all have the same number of cells.
#[derive(Clone, Debug, Default)]
pub struct Records {
    pub(super) fields: Vec<FieldValues>,
}

impl Records {
    /// Returns the number of cells of each field.
    pub fn len(&self) -> usize {
        self.fields.first().map_or(0, FieldValues::len)
    }

    /// Returns whether the number of cells is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the fields in the order in which they were requested.
    pub fn fields(&self) -> &[FieldValues] {
        &self.fields
    }

    /// Returns the cells of a field.
    ///
    /// # Errors
    ///
    /// If the field was not read.
    pub fn field(&self, name: &str) -> Result<&FieldValues> {
        let found = self.fields.iter().find(|field| field.name() == name);
        found.ok_or_else(|| Error::from(ApiError::NotRead { field: name.into() }))
    }

    /// Appends a later batch of the same fields.
    pub(super) fn append(&mut self, more: Self) {
        if self.fields.is_empty() {
            *self = more;
            return;
        }
        for (field, more) in self.fields.iter_mut().zip(more.fields) {
            field.append(more);
        }
    }
}
