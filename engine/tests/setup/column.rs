//! The buffers of one field, accessed cell by cell: filled for a write, or decoded after a read.

use tiledb_engine::Result;
use tiledb_engine::internal::buffers::{FieldBuffers, FieldCells, FieldSizes};
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::{ArraySchema, Attribute, Dimension};
use tiledb_engine::internal::types::Value;

use super::bytes;

/// The type of the cells of a field.
#[derive(Clone, Debug)]
pub(crate) struct CellType {
    pub(crate) name: String,
    /// The size of a cell in bytes; `None` for variable lengths.
    pub(crate) size: Option<usize>,
    pub(crate) nullable: bool,
}

impl CellType {
    /// Returns non-nullable cells of `size` bytes.
    pub(crate) fn fixed(name: &str, size: usize) -> Self {
        Self {
            name: name.to_owned(),
            size: Some(size),
            nullable: false,
        }
    }

    /// Returns non-nullable cells of variable length.
    pub(crate) fn var(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            size: None,
            nullable: false,
        }
    }

    /// Returns the type of the cells of an attribute.
    pub(crate) fn of_attribute(attribute: &Attribute) -> Self {
        Self {
            name: attribute.name.clone(),
            size: (!attribute.is_var()).then(|| attribute.cell_size() as usize),
            nullable: attribute.nullable,
        }
    }

    /// Returns the type of the coordinates of a dimension.
    pub(crate) fn of_dimension(dimension: &Dimension) -> Self {
        Self {
            name: dimension.name.clone(),
            size: (!dimension.is_var()).then(|| dimension.datatype.size()),
            nullable: false,
        }
    }

    /// Returns this type as nullable.
    pub(crate) fn nullable(self) -> Self {
        Self {
            nullable: true,
            ..self
        }
    }
}

/// The bytes of a value, and its validity (0 for null).
pub(crate) type Cell = (Vec<u8>, u8);

/// The buffers of a field.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    cell_type: CellType,
    data: Vec<u8>,
    offsets: Vec<u8>,
    validity: Vec<u8>,
}

impl Column {
    /// Creates a column that contains cells.
    pub(crate) fn of<B: AsRef<[u8]>>(
        cell_type: CellType,
        cells: impl IntoIterator<Item = (B, u8)>,
    ) -> Self {
        let (mut data, mut offsets, mut validity) = (Vec::new(), Vec::new(), Vec::new());
        for (bytes, valid) in cells {
            offsets.extend_from_slice(&(data.len() as u64).to_le_bytes());
            data.extend_from_slice(bytes.as_ref());
            validity.push(valid);
        }
        Self {
            cell_type,
            data,
            offsets,
            validity,
        }
    }

    /// Creates a column of non-null numbers.
    pub(crate) fn numbers<T: Value>(name: &str, numbers: impl IntoIterator<Item = T>) -> Self {
        let cells = numbers.into_iter().map(|number| (bytes([number]), 1));
        Self::of(CellType::fixed(name, T::SIZE), cells)
    }

    /// Creates a column of non-null strings.
    pub(crate) fn texts<B: AsRef<[u8]>>(name: &str, texts: impl IntoIterator<Item = B>) -> Self {
        Self::of(CellType::var(name), texts.into_iter().map(|text| (text, 1)))
    }

    /// Creates buffers for `cells` cells and `bytes` bytes of variable-length values, filled with
    /// other values.
    pub(crate) fn with_capacity(cell_type: CellType, cells: usize, bytes: usize) -> Self {
        let data = cell_type.size.map_or(bytes, |size| cells * size);
        Self {
            cell_type,
            data: vec![0xee; data],
            offsets: vec![0xee; 8 * cells],
            validity: vec![0xee; cells],
        }
    }

    /// Creates buffers of these sizes.
    pub(crate) fn with_sizes(cell_type: CellType, sizes: &FieldSizes) -> Self {
        Self {
            cell_type,
            data: vec![0xee; sizes.data as usize],
            offsets: vec![0xee; sizes.offsets as usize],
            validity: vec![0xee; sizes.validity as usize],
        }
    }

    fn is_var(&self) -> bool {
        self.cell_type.size.is_none()
    }

    /// Returns the buffers for a write.
    pub(crate) fn cells(&self) -> FieldCells<'_> {
        FieldCells {
            offsets: self.is_var().then_some(&self.offsets[..]),
            validity: self.cell_type.nullable.then_some(&self.validity[..]),
            ..FieldCells::fixed(&self.cell_type.name, &self.data)
        }
    }

    /// Returns the buffers for a read.
    pub(crate) fn buffers(&mut self) -> FieldBuffers<'_> {
        let var = self.is_var();
        FieldBuffers {
            offsets: var.then_some(&mut self.offsets[..]),
            validity: self.cell_type.nullable.then_some(&mut self.validity[..]),
            ..FieldBuffers::fixed(&self.cell_type.name, &mut self.data)
        }
    }

    /// Returns the cells that a read stored in the buffers.
    pub(crate) fn filled(&self, sizes: &FieldSizes) -> Vec<Cell> {
        let data = &self.data[..sizes.data as usize];
        let values: Vec<&[u8]> = match self.cell_type.size {
            Some(size) => data.chunks_exact(size).collect(),
            None => {
                let starts = self.offsets[..sizes.offsets as usize].chunks_exact(8);
                let starts = starts.map(|start| u64::read(start) as usize);
                let starts: Vec<usize> = starts.chain([data.len()]).collect();
                let ends = starts.windows(2);
                ends.map(|ends| &data[ends[0]..ends[1]]).collect()
            }
        };
        let valid = |cell: usize| {
            if self.cell_type.nullable {
                self.validity[cell]
            } else {
                1
            }
        };
        let values = values.into_iter().enumerate();
        values
            .map(|(cell, value)| (value.to_vec(), valid(cell)))
            .collect()
    }
}

/// Returns the cell types of all fields of a schema: dimensions, then attributes.
pub(crate) fn fields(schema: &ArraySchema) -> impl Iterator<Item = CellType> {
    let dimensions = schema.domain.dimensions.iter();
    let dimensions = dimensions.map(|dimension| CellType::of_dimension(dimension));
    dimensions.chain(attributes(schema))
}

/// Returns the cell types of the attributes of a schema.
pub(crate) fn attributes(schema: &ArraySchema) -> impl Iterator<Item = CellType> {
    let attributes = schema.attributes.iter();
    attributes.map(|attribute| CellType::of_attribute(attribute))
}

/// Writes cells in one submit.
pub(crate) fn write(query: &mut Query, columns: &[Column]) -> Result<()> {
    let cells: Vec<_> = columns.iter().map(Column::cells).collect();
    query.write(&cells)
}

/// Reads into the columns in one submit. Returns the cells of each.
pub(crate) fn read(query: &mut Query, columns: &mut [Column]) -> Result<Vec<Vec<Cell>>> {
    let mut buffers: Vec<_> = columns.iter_mut().map(Column::buffers).collect();
    let sizes = query.read(&mut buffers)?;
    let filled = columns.iter().zip(&sizes);
    Ok(filled.map(|(column, sizes)| column.filled(sizes)).collect())
}
