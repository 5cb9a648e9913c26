//! Cells of tiles as columns, for conditions and aggregates.
//!
//! A column contains the cells of one field from the first to the last cell of a slice. Coordinates
//! of dense tiles are computed. For a fragment without the field, the column contains fill values.

use std::ops::Range;

use super::fields::{AttributeRead, ReadField};
use super::plan::Plan;
use super::tile_tasks::TileSlice;
use crate::bytes::sized;
use crate::error::{ReadError, Result, bytes_in_memory, reserve, try_vec};
use crate::fragment::{FieldTiles, FilePart};
use crate::memory::{Workspace, WorkspaceGuard, WorkspaceKind};
use crate::schema::COORDS;
use crate::tile::{Cells, CellsRef, TileWorkspace};

/// The cells of one field of a slice.
#[derive(Debug, Default)]
pub(super) struct Column {
    cells: Cells,
    /// The index of the first needed cell in `cells.starts`.
    first: usize,
    var: bool,
    nullable: bool,
}

impl Workspace for Vec<Column> {
    const KIND: WorkspaceKind = WorkspaceKind::DenseColumns;

    fn memory(&self) -> usize {
        self.iter().map(|column| column.cells.memory()).sum()
    }
}

/// Runs `body` with `number` columns of unspecified content.
pub(super) fn with_columns<T>(number: usize, body: impl FnOnce(&mut [Column]) -> T) -> T {
    let mut columns = WorkspaceGuard::<Vec<Column>>::default();
    if columns.len() < number {
        columns.resize_with(number, Column::default);
    }
    body(&mut columns[..number])
}

impl Column {
    /// Returns the cells that were loaded last, starting with the first needed one.
    pub(super) fn as_ref(&self) -> CellsRef<'_> {
        CellsRef {
            data: &self.cells.data,
            starts: self.var.then(|| &self.cells.starts[self.first..]),
            validity: self.nullable.then_some(&self.cells.validity[..]),
        }
    }

    /// Loads a range of cells of the tile of a slice, or only their validity if `values` is
    /// false. The first cell of the space tile is at `low` in the domain.
    pub(super) fn load(
        &mut self,
        plan: &Plan,
        field: &ReadField,
        low: &[u64],
        slice: &TileSlice,
        cells: Range<usize>,
        values: bool,
    ) -> Result<()> {
        match field {
            ReadField::Dimension(dim) => {
                (self.first, self.var, self.nullable) = (0, false, false);
                if slice.points.is_empty() {
                    self.put_coordinates(plan, *dim, low[*dim], cells)
                } else {
                    self.put_points(plan, *dim, slice, cells)
                }
            }
            ReadField::Attribute(read) => self.load_attribute(plan, read, slice, cells, values),
            ReadField::Coordinates => Err(ReadError::UnknownDenseField {
                name: COORDS.into(),
            }
            .into()),
        }
    }

    /// Loads a range of cells of an attribute, or only their validity if `values` is false.
    pub(super) fn load_attribute(
        &mut self,
        plan: &Plan,
        read: &AttributeRead,
        slice: &TileSlice,
        cells: Range<usize>,
        values: bool,
    ) -> Result<()> {
        self.first = 0;
        self.var = read.attribute.is_var();
        self.nullable = read.attribute.nullable;
        let Some(tiles) = read.in_slice(plan, slice)? else {
            return self.cells.fill(read.fill_value(), cells.len());
        };
        let cell_num = usize::try_from(slice.cell_num).unwrap_or(usize::MAX);
        if self.nullable {
            let to = &mut self.cells.validity;
            tiles.with_tile(FilePart::Validity, slice.tile, cell_num, |tile| {
                TileWorkspace::with(|scratch| tile.read_span(cells.clone(), scratch, to))
            })?;
        }
        match (values, self.var) {
            (false, _) => Ok(()),
            (true, true) => self.load_var(tiles, slice, cells),
            (true, false) => {
                let size = read.cell_size;
                let to = &mut self.cells.data;
                let len = bytes_in_memory("a tile", cell_num, size)?;
                tiles.with_tile(FilePart::Fixed, slice.tile, len, |tile| {
                    TileWorkspace::with(|scratch| {
                        tile.read_span(cells.start * size..cells.end * size, scratch, to)
                    })
                })
            }
        }
    }

    /// Replaces the fixed-size cells whose mask is 0 by fill values.
    pub(super) fn blank(&mut self, read: &AttributeRead, bits: &[u8]) {
        blank(&mut self.cells.data, &read.attribute.fill_value, bits);
        if self.nullable {
            blank(
                &mut self.cells.validity,
                &[read.attribute.fill_validity],
                bits,
            );
        }
    }

    fn load_var(
        &mut self,
        tiles: &FieldTiles,
        slice: &TileSlice,
        range: Range<usize>,
    ) -> Result<()> {
        let (tile, cells) = (slice.tile, &mut self.cells);
        let cell_num = usize::try_from(slice.cell_num).unwrap_or(usize::MAX);
        if tiles.includes_offsets() {
            self.first = range.start;
            return tiles.var_cells(tile, cell_num, cells);
        }
        tiles.starts(tile, cell_num, range, &mut cells.starts)?;
        let base = cells.starts.first().copied().unwrap_or_default();
        let end = cells.starts.last().copied().unwrap_or_default();
        cells.starts.iter_mut().for_each(|start| *start -= base);
        let size = tiles.var_size(tile)?;
        tiles.with_tile(FilePart::Var, tile, size, |stored| {
            let span = base as usize..end as usize;
            TileWorkspace::with(|scratch| stored.read_span(span, scratch, &mut cells.data))
        })
    }

    /// Computes the coordinates of the cells of a sparse fragment in a slice; cells between them
    /// are unspecified.
    fn put_points(
        &mut self,
        plan: &Plan,
        dim: usize,
        slice: &TileSlice,
        cells: Range<usize>,
    ) -> Result<()> {
        let dimension = &plan.schema.domain.dimensions[dim];
        let (axis, size) = (&plan.grid.axes[dim], dimension.datatype.size());
        let view = slice.view.map(|index| &plan.views[index]);
        self.cells.data = try_vec("coordinates", bytes_in_memory("a tile", cells.len(), size)?)?;
        let Some(points) = view.and_then(|view| view.points.as_ref()) else {
            return Ok(());
        };
        for number in &slice.points {
            let cell = points.cell(*number).cell - cells.start;
            let coordinate = axis.coordinate(dimension, points.coordinates(*number)[dim]);
            self.cells.data[cell * size..(cell + 1) * size].copy_from_slice(&coordinate[..size]);
        }
        Ok(())
    }

    fn put_coordinates(
        &mut self,
        plan: &Plan,
        dim: usize,
        low: u64,
        cells: Range<usize>,
    ) -> Result<()> {
        let dimension = &plan.schema.domain.dimensions[dim];
        let (axis, size) = (&plan.grid.axes[dim], dimension.datatype.size());
        let stride = usize::try_from(plan.tile_strides[dim]).unwrap_or(usize::MAX);
        let to = &mut self.cells.data;
        to.clear();
        let len = bytes_in_memory("a tile", cells.len(), size)?;
        reserve("coordinates", to, len)?;
        // The coordinate increases by one after `stride` cells, and restarts after the extent.
        let mut cell = cells.start;
        while cell < cells.end {
            let distance = low + (cell / stride) as u64 % axis.extent;
            let run = (stride - cell % stride).min(cells.end - cell);
            let bytes = axis.coordinate(dimension, distance);
            for _ in 0..run {
                to.extend_from_slice(&bytes[..size]);
            }
            cell += run;
        }
        Ok(())
    }
}

/// Replaces the cells whose mask is 0 by `fill`.
pub(super) fn blank(cells: &mut [u8], fill: &[u8], bits: &[u8]) {
    fn blank_sized<const N: usize>(cells: &mut [u8], fill: &[u8], bits: &[u8]) {
        let Some(fill) = fill.first_chunk::<N>() else {
            return;
        };
        for (cell, bit) in cells.as_chunks_mut::<N>().0.iter_mut().zip(bits) {
            // Written in any case, so that the loop has no branches.
            let value = *cell;
            *cell = if *bit != 0 { value } else { *fill };
        }
    }
    sized!(fill.len(),
        N => blank_sized::<N>(cells, fill, bits),
        else => {
            for (cell, bit) in cells.chunks_exact_mut(fill.len().max(1)).zip(bits) {
                if *bit == 0 {
                    cell.copy_from_slice(fill);
                }
            }
        }
    );
}
