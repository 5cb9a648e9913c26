//! Columns of Arrow as bytes of cells.

use arrow_array::Array;
use tiledb_engine::{CellBytes, Datatype, Scalar};

use super::ColumnType;
use crate::commands::CellShape;
use crate::problem::{Problem, Result};

/// The cells of a column, collected from batches.
#[derive(Clone, Debug)]
pub(crate) struct CellBuffer {
    kind: ColumnType,
    nullable: bool,
    cells: usize,
    data: Vec<u8>,
    offsets: Vec<u64>,
    validity: Vec<u8>,
}

impl CellBuffer {
    pub(crate) fn new(kind: ColumnType, nullable: bool) -> Self {
        Self {
            kind,
            nullable,
            cells: 0,
            data: Vec::new(),
            offsets: Vec::new(),
            validity: Vec::new(),
        }
    }

    /// Returns the memory in use in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.data.len() + 8 * self.offsets.len() + self.validity.len()
    }

    pub(crate) fn clear(&mut self) {
        self.cells = 0;
        self.data.clear();
        self.offsets.clear();
        self.validity.clear();
    }

    /// Returns the cells; without validity, if the field is not nullable.
    pub(crate) fn bytes(&self) -> CellBytes<'_> {
        CellBytes {
            data: &self.data,
            offsets: (self.kind.shape == CellShape::Any).then_some(&self.offsets[..]),
            validity: self.nullable.then_some(&self.validity[..]),
        }
    }

    /// Returns a cell as a value: `None` for null. The column has one value, text or bytes in each
    /// cell.
    pub(crate) fn scalar(&self, cell: usize) -> Option<Scalar> {
        if self.validity.get(cell) == Some(&0) {
            return None;
        }
        let size = self.kind.datatype.size();
        let (start, end) = if self.kind.shape == CellShape::Any {
            let start_of = |index: usize| self.offsets.get(index).map(|start| *start as usize);
            (
                start_of(cell)?,
                start_of(cell + 1).unwrap_or(self.data.len()),
            )
        } else {
            (cell * size, (cell + 1) * size)
        };
        let bytes = self.data.get(start..end)?;
        Some(Scalar::from_bytes(self.kind.datatype, bytes))
    }

    /// Appends the cells of a column of a batch. `first` is the row of the first one, for errors.
    pub(crate) fn append(&mut self, name: &str, array: &dyn Array, first: u64) -> Result<()> {
        let nulls = array.logical_nulls();
        let strict = nulls.as_ref().filter(|_| !self.nullable);
        if let Some(row) = strict.and_then(|nulls| nulls.iter().position(|valid| !valid)) {
            let row = first + row as u64 + 1;
            let message = format!("row {row}, column '{name}': null is not a value of it");
            return Err(Problem::usage(message)
                .hint("neither dimensions nor attributes that are not nullable can have nulls"));
        }
        let attribute = self.kind.attribute(name, self.nullable)?;
        let cells = attribute.cells_of_arrow(array).map_err(|error| {
            Problem::usage(format!("column '{name}': {error}"))
                .hint("convert the column in the file")
        })?;
        let start = self.data.len() as u64;
        let offsets = cells.offsets.iter().flat_map(|starts| starts.as_chunks().0);
        self.offsets
            .extend(offsets.map(|offset| start + u64::from_le_bytes(*offset)));
        self.data.extend_from_slice(&cells.data);
        self.validity
            .extend(cells.validity.iter().flat_map(|valid| valid.iter()));
        self.cells += cells.cells;
        Ok(())
    }
}

/// Returns whether values are bytes of texts in both datatypes, which need no conversion.
pub(crate) fn are_texts(one: Datatype, other: Datatype) -> bool {
    let is_text = |datatype| {
        matches!(
            datatype,
            Datatype::StringAscii | Datatype::StringUtf8 | Datatype::Char
        )
    };
    is_text(one) && is_text(other)
}
