//! Splits a buffer with the coordinates of all dimensions, cell by cell, into one buffer per
//! dimension.

use crate::buffers::FieldCells;
use crate::error::{Result, try_vec};
use crate::schema::{ArraySchema, COORDS};

/// The coordinates of each dimension; empty if the caller set no buffer of combined coordinates.
#[derive(Debug, Default)]
pub struct SplitCoordinates(Vec<Vec<u8>>);

impl SplitCoordinates {
    /// Splits the buffer of combined coordinates among `buffers`. Bytes after the last complete
    /// cell are ignored.
    pub fn new(schema: &ArraySchema, buffers: &[FieldCells<'_>]) -> Result<Self> {
        let zipped = buffers.iter().find(|cells| cells.name == COORDS);
        let Some(data) = zipped.and_then(|cells| cells.data) else {
            return Ok(Self::default());
        };
        let size = schema
            .domain
            .datatype()
            .map_or(1, |datatype| datatype.size());
        let dim_num = schema.dim_num().max(1);
        let cell_num = data.len() / (size * dim_num);
        let mut columns = Vec::with_capacity(dim_num);
        for dim in 0..dim_num {
            let mut column: Vec<u8> = try_vec("coordinates", cell_num * size)?;
            let cells = data.chunks_exact(size * dim_num);
            for (to, cell) in column.chunks_exact_mut(size).zip(cells) {
                to.copy_from_slice(&cell[dim * size..(dim + 1) * size]);
            }
            columns.push(column);
        }
        Ok(Self(columns))
    }

    /// Returns the buffers, with those of the dimensions instead of the combined one.
    pub fn replace<'a>(
        &'a self,
        schema: &'a ArraySchema,
        buffers: &[FieldCells<'a>],
    ) -> Vec<FieldCells<'a>> {
        let others = buffers.iter().filter(|cells| cells.name != COORDS).copied();
        let dimensions = schema.domain.dimensions.iter().zip(&self.0);
        let dimensions =
            dimensions.map(|(dimension, column)| FieldCells::fixed(&dimension.name, column));
        dimensions.chain(others).collect()
    }
}
