//! The cells of a sparse fragment of a dense array. Formats up to 10 permit writing single cells of
//! dense arrays. They are found by space tile and then read from the stored tiles.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::loader::FragmentCoordinates;
use crate::error::{Error, Result};
use crate::fragment::{FoundTile, Fragment};
use crate::geometry::{CellBox, TileGrid};
use crate::schema::ArraySchema;
use crate::tile::Cells;
use crate::types;
use crate::types::Match;

/// The stored position of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StoredCell {
    /// The index of the tile in the fragment.
    pub(crate) tile: u64,
    /// The number of cells of the tile.
    pub(crate) cell_num: u64,
    /// The index of the cell in the tile.
    pub(crate) cell: usize,
}

/// The cells of a sparse fragment that may be requested.
#[derive(Clone, Debug, Default)]
pub(crate) struct StoredCells {
    cells: Vec<StoredCell>,
    /// The coordinates in the grid, cell by cell.
    coordinates: Vec<u64>,
    /// The cells of each space tile in storage order.
    by_tile: BTreeMap<Vec<u64>, Range<usize>>,
    dim_num: usize,
}

impl StoredCells {
    /// Reads the cells of a fragment that are in `bounds`.
    pub(crate) fn read(
        schema: &ArraySchema,
        grid: &TileGrid,
        fragment: &Arc<Fragment>,
        bounds: &CellBox,
    ) -> Result<Self> {
        let coordinates = FragmentCoordinates::new(fragment)?;
        let mut found: Vec<(Vec<u64>, StoredCell)> = Vec::new();
        let tiles = fragment.find_tiles(|mbr| match grid.to_box(schema, mbr) {
            Some(cells) if !cells.overlaps(bounds) => Match::None,
            _ => Match::Some,
        })?;
        for FoundTile { tile, .. } in tiles {
            let cell_num = coordinates.cell_num(tile)?;
            let columns = coordinates.tile(tile)?;
            for cell in 0..cell_num {
                let position = position(schema, grid, &columns, cell).ok_or_else(|| {
                    let problem = format!("cell {cell} of tile {tile} leaves the domain");
                    Error::corrupt("fragment", "coordinates", 0, problem).with_uri(fragment.uri())
                })?;
                if position
                    .iter()
                    .zip(bounds.low.iter().zip(&bounds.high))
                    .all(|(index, (low, high))| (low..=high).contains(&index))
                {
                    let stored = StoredCell {
                        tile,
                        cell_num: cell_num as u64,
                        cell,
                    };
                    found.push((position, stored));
                }
            }
        }
        Ok(Self::new(grid, found))
    }

    fn new(grid: &TileGrid, mut found: Vec<(Vec<u64>, StoredCell)>) -> Self {
        let tile_of = |position: &[u64]| -> Vec<u64> {
            position
                .iter()
                .zip(&grid.axes)
                .map(|(index, axis)| index / axis.extent)
                .collect()
        };
        found.sort_by_cached_key(|(position, cell)| (tile_of(position), cell.tile, cell.cell));
        let mut stored = Self {
            dim_num: grid.dim_num(),
            ..Self::default()
        };
        for (index, (position, cell)) in found.into_iter().enumerate() {
            let tile = tile_of(&position);
            let range = stored.by_tile.entry(tile).or_insert(index..index);
            range.end = index + 1;
            stored.coordinates.extend(position);
            stored.cells.push(cell);
        }
        stored
    }

    /// Returns the indexes of the cells in a space tile, in storage order.
    pub(crate) fn in_tile(&self, tile: &[u64]) -> Range<usize> {
        self.by_tile.get(tile).cloned().unwrap_or_default()
    }

    /// Returns the stored position of a cell.
    pub(crate) fn cell(&self, index: usize) -> StoredCell {
        self.cells[index]
    }

    /// Returns the coordinates of a cell in the grid.
    pub(crate) fn coordinates(&self, index: usize) -> &[u64] {
        &self.coordinates[index * self.dim_num..(index + 1) * self.dim_num]
    }
}

/// Returns the coordinates of a cell in the grid, or `None` if it is outside the domain.
fn position(
    schema: &ArraySchema,
    grid: &TileGrid,
    columns: &[Cells],
    cell: usize,
) -> Option<Vec<u64>> {
    schema
        .domain
        .dimensions
        .iter()
        .zip(&grid.axes)
        .zip(columns)
        .map(|((dimension, axis), column)| {
            let size = dimension.datatype.size();
            let value = column.data.get(cell * size..(cell + 1) * size)?;
            let (index, _) = axis.span(dimension, &types::Range::fixed(value, value))?;
            Some(index)
        })
        .collect()
}
