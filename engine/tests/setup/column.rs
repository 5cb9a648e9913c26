//! The buffers of one field, cell by cell: filled by a test and written, or read and looked at.

use tiledb_engine::Result;
use tiledb_engine::buffers::{FieldBuffers, FieldCells, FieldSizes};
use tiledb_engine::query::Query;
use tiledb_engine::schema::{ArraySchema, Attribute, Dimension};
use tiledb_engine::types::Value;

use super::bytes;

/// What the cells of a field look like.
#[derive(Clone, Debug)]
pub(crate) struct Looks {
    pub(crate) name: String,
    /// The bytes of a cell; none where they vary in length.
    pub(crate) size: Option<usize>,
    pub(crate) nullable: bool,
}

impl Looks {
    /// Cells of so many bytes, none of them null.
    pub(crate) fn fixed(name: &str, size: usize) -> Self {
        Self {
            name: name.to_owned(),
            size: Some(size),
            nullable: false,
        }
    }

    /// Cells of any length, none of them null.
    pub(crate) fn var(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            size: None,
            nullable: false,
        }
    }

    /// The cells of an attribute.
    pub(crate) fn of_attribute(attribute: &Attribute) -> Self {
        Self {
            name: attribute.name.clone(),
            size: (!attribute.is_var()).then(|| attribute.cell_size() as usize),
            nullable: attribute.nullable,
        }
    }

    /// The coordinates of a dimension.
    pub(crate) fn of_dimension(dimension: &Dimension) -> Self {
        Self {
            name: dimension.name.clone(),
            size: (!dimension.is_var()).then(|| dimension.datatype.size()),
            nullable: false,
        }
    }

    /// The same, and cells may be null.
    pub(crate) fn nullable(self) -> Self {
        Self {
            nullable: true,
            ..self
        }
    }
}

/// A value: its bytes, and 1 unless it is null.
pub(crate) type Cell = (Vec<u8>, u8);

/// The buffers of a field.
#[derive(Debug)]
pub(crate) struct Column {
    looks: Looks,
    data: Vec<u8>,
    offsets: Vec<u8>,
    validity: Vec<u8>,
}

impl Column {
    /// The cells of a field, in their order.
    pub(crate) fn of<B: AsRef<[u8]>>(
        looks: Looks,
        cells: impl IntoIterator<Item = (B, u8)>,
    ) -> Self {
        let (mut data, mut offsets, mut validity) = (Vec::new(), Vec::new(), Vec::new());
        for (bytes, valid) in cells {
            offsets.extend_from_slice(&(data.len() as u64).to_le_bytes());
            data.extend_from_slice(bytes.as_ref());
            validity.push(valid);
        }
        Self {
            looks,
            data,
            offsets,
            validity,
        }
    }

    /// Numbers, none of them null.
    pub(crate) fn numbers<T: Value>(name: &str, numbers: impl IntoIterator<Item = T>) -> Self {
        let cells = numbers.into_iter().map(|number| (bytes([number]), 1));
        Self::of(Looks::fixed(name, T::SIZE), cells)
    }

    /// Texts, none of them null.
    pub(crate) fn texts<B: AsRef<[u8]>>(name: &str, texts: impl IntoIterator<Item = B>) -> Self {
        Self::of(Looks::var(name), texts.into_iter().map(|text| (text, 1)))
    }

    /// Buffers for `cells` cells and for the bytes of variable-size cells, filled with other values.
    pub(crate) fn room(looks: Looks, cells: usize, bytes: usize) -> Self {
        let data = looks.size.map_or(bytes, |size| cells * size);
        Self {
            looks,
            data: vec![0xee; data],
            offsets: vec![0xee; 8 * cells],
            validity: vec![0xee; cells],
        }
    }

    fn is_var(&self) -> bool {
        self.looks.size.is_none()
    }

    /// The buffers to be written.
    pub(crate) fn cells(&self) -> FieldCells<'_> {
        FieldCells {
            offsets: self.is_var().then_some(&self.offsets[..]),
            validity: self.looks.nullable.then_some(&self.validity[..]),
            ..FieldCells::fixed(&self.looks.name, &self.data)
        }
    }

    /// The buffers to be filled.
    pub(crate) fn buffers(&mut self) -> FieldBuffers<'_> {
        let var = self.is_var();
        FieldBuffers {
            offsets: var.then_some(&mut self.offsets[..]),
            validity: self.looks.nullable.then_some(&mut self.validity[..]),
            ..FieldBuffers::fixed(&self.looks.name, &mut self.data)
        }
    }

    /// The cells that a read put into the buffers.
    pub(crate) fn filled(&self, sizes: &FieldSizes) -> Vec<Cell> {
        let data = &self.data[..sizes.data as usize];
        let values: Vec<&[u8]> = match self.looks.size {
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
            if self.looks.nullable {
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

/// What the fields of a schema look like: dimensions, then attributes.
pub(crate) fn fields(schema: &ArraySchema) -> impl Iterator<Item = Looks> {
    let dimensions = schema.domain.dimensions.iter();
    let dimensions = dimensions.map(|dimension| Looks::of_dimension(dimension));
    dimensions.chain(attributes(schema))
}

/// What the attributes of a schema look like.
pub(crate) fn attributes(schema: &ArraySchema) -> impl Iterator<Item = Looks> {
    let attributes = schema.attributes.iter();
    attributes.map(|attribute| Looks::of_attribute(attribute))
}

/// Writes cells in one submit.
pub(crate) fn write(query: &mut Query, columns: &[Column]) -> Result<()> {
    let cells: Vec<_> = columns.iter().map(Column::cells).collect();
    query.write(&cells)
}

/// Reads into the columns in one submit; the cells of each.
pub(crate) fn read(query: &mut Query, columns: &mut [Column]) -> Result<Vec<Vec<Cell>>> {
    let mut buffers: Vec<_> = columns.iter_mut().map(Column::buffers).collect();
    let sizes = query.read(&mut buffers)?;
    let filled = columns.iter().zip(&sizes);
    Ok(filled.map(|(column, sizes)| column.filled(sizes)).collect())
}
