//! The cells of a sparse fragment of a dense array. Formats up to 10 permit writing single cells of
//! dense arrays. They are found by space tile and then read from the stored tiles.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::fields::{ReadMeters, ReadSource, SparseField};
use crate::error::{Error, Result};
use crate::fragment::{FoundTile, Fragment, Overlap};
use crate::geometry::{CellBox, TileGrid};
use crate::schema::ArraySchema;
use crate::tile::Cells;
use crate::types;

/// The stored position of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::read) struct StoredCell {
    /// The index of the tile in the fragment.
    pub(in crate::read) tile: u64,
    /// The number of cells of the tile.
    pub(in crate::read) cell_num: u64,
    /// The index of the cell in the tile.
    pub(in crate::read) cell: usize,
}

/// The cells of a sparse fragment that may be requested.
#[derive(Clone, Debug, Default)]
pub(in crate::read) struct StoredCells {
    points: Vec<StoredCell>,
    /// The coordinates in the grid, cell by cell.
    coordinates: Vec<u64>,
    /// The cells of each space tile in storage order.
    by_tile: BTreeMap<Vec<u64>, Range<usize>>,
    dim_num: usize,
}

impl StoredCells {
    /// Reads the cells of a fragment that are in `bounds`.
    pub(in crate::read) fn read(
        schema: &ArraySchema,
        grid: &TileGrid,
        fragment: &Arc<Fragment>,
        bounds: &CellBox,
    ) -> Result<Self> {
        let dimensions = &schema.domain.dimensions;
        let fields = dimensions
            .iter()
            .map(|of| SparseField::new(schema, &of.name));
        let fields = fields.collect::<Result<Vec<_>>>()?;
        let meters = ReadMeters::default();
        let source = ReadSource::new(fragment.clone(), false, fields.len(), &meters);
        let mut found: Vec<(Vec<u64>, StoredCell)> = Vec::new();
        let tiles = fragment.find_tiles(|mbr| match grid.to_box(schema, mbr) {
            Some(cells) if !cells.overlaps(bounds) => Overlap::None,
            _ => Overlap::Part,
        })?;
        for FoundTile { tile, .. } in tiles {
            let cell_num = source.cell_num(tile)?;
            let columns = columns(&source, &fields, tile, cell_num)?;
            for cell in 0..cell_num {
                let distances = distances_of(schema, grid, &columns, cell).ok_or_else(|| {
                    let problem = format!("cell {cell} of tile {tile} leaves the domain");
                    Error::corrupt("fragment", "coordinates", 0, problem).with_uri(fragment.uri())
                })?;
                let what = (0..distances.len())
                    .all(|d| bounds.low[d] <= distances[d] && distances[d] <= bounds.high[d]);
                if what {
                    let point = StoredCell {
                        tile,
                        cell_num: cell_num as u64,
                        cell,
                    };
                    found.push((distances, point));
                }
            }
        }
        Ok(Self::new(grid, found))
    }

    fn new(grid: &TileGrid, mut found: Vec<(Vec<u64>, StoredCell)>) -> Self {
        let tile_of = |distances: &[u64]| -> Vec<u64> {
            let axes = distances.iter().zip(&grid.axes);
            axes.map(|(distances, axis)| distances / axis.extent)
                .collect()
        };
        found.sort_by_cached_key(|(distances, point)| (tile_of(distances), point.tile, point.cell));
        let mut points = Self {
            dim_num: grid.dim_num(),
            ..Self::default()
        };
        for (number, (distances, point)) in found.into_iter().enumerate() {
            let here = points
                .by_tile
                .entry(tile_of(&distances))
                .or_insert(number..number);
            here.end = number + 1;
            points.coordinates.extend(distances);
            points.points.push(point);
        }
        points
    }

    /// Returns the indexes of the cells in a space tile, in storage order.
    pub(in crate::read) fn in_tile(&self, tile: &[u64]) -> Range<usize> {
        self.by_tile.get(tile).cloned().unwrap_or_default()
    }

    /// The stored position of a cell.
    pub(in crate::read) fn point(&self, number: usize) -> StoredCell {
        self.points[number]
    }

    /// Returns the coordinates of a cell in the grid.
    pub(in crate::read) fn coordinates(&self, number: usize) -> &[u64] {
        &self.coordinates[number * self.dim_num..(number + 1) * self.dim_num]
    }
}

/// Returns the coordinates of a tile by dimension.
fn columns(
    source: &ReadSource,
    fields: &[SparseField],
    tile: u64,
    cell_num: usize,
) -> Result<Vec<Vec<u8>>> {
    let mut zipped = None;
    let mut columns = Vec::with_capacity(fields.len());
    for (dim, field) in fields.iter().enumerate() {
        let mut cells = Cells::default();
        match source.tiles(dim, field)? {
            Some(tiles) => tiles.cells(&source.fragment, tile, cell_num, &mut cells)?,
            None => {
                let all = match zipped.take() {
                    Some(all) => all,
                    None => source.zipped(tile, cell_num)?,
                };
                let len = field.cell_size * cell_num;
                let column = all.data.get(dim * len..(dim + 1) * len);
                cells.data.extend_from_slice(column.unwrap_or_default());
                zipped = Some(all);
            }
        }
        columns.push(cells.data);
    }
    Ok(columns)
}

/// Returns the coordinates of a cell in the grid, or `None` if it is outside the domain.
fn distances_of(
    schema: &ArraySchema,
    grid: &TileGrid,
    columns: &[Vec<u8>],
    cell: usize,
) -> Option<Vec<u64>> {
    let dims = schema.domain.dimensions.iter().zip(&grid.axes).zip(columns);
    dims.map(|((dimension, axis), column)| {
        let size = dimension.datatype.size();
        let value = column.get(cell * size..(cell + 1) * size)?;
        let (distance, _) = axis.span(dimension, &types::Range::fixed(value, value))?;
        Some(distance)
    })
    .collect()
}
