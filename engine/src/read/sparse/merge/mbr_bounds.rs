//! The bounds of tiles, as cells that can be compared with others: the corners of their MBRs, or
//! their first and last cells.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::super::scan::ScannedTile;
use super::super::tiles::TileLoader;
use crate::error::Result;
use crate::geometry::{CellOrder, Coordinates, KeyedCells, Keys};
use crate::tile::Cells;
use crate::types::Range;

/// Cells that bound those of tiles: one bound of each tile, or a cell of a tile.
#[derive(Debug, Default)]
pub(super) struct MbrBounds {
    columns: Vec<Cells>,
    keys: Keys,
}

impl MbrBounds {
    /// Returns one end of the MBR of each tile. With `in_stored_order`, fragments that store the
    /// first and the last cell of each tile are bounded by these instead, which is exact.
    pub(super) fn of_tiles(
        order: &CellOrder,
        loader: &TileLoader,
        tiles: &[ScannedTile],
        in_stored_order: bool,
        end: fn(&Range) -> &[u8],
    ) -> Result<Self> {
        let mut columns = vec![Cells::default(); order.dim_num()];
        for tile in tiles {
            let source = &loader.sources[tile.source as usize];
            let mut stored = None;
            if in_stored_order && source.has_order_bounds() {
                stored = source.fragment.order_bounds(tile.found.tile)?;
            }
            let ranges = match stored {
                Some(ranges) => Cow::Owned(ranges),
                None => Cow::Borrowed(source.mbr(tile.found.tile)?),
            };
            for (column, range) in columns.iter_mut().zip(ranges.iter()) {
                let value = end(range);
                column.data.extend_from_slice(value);
                if range.is_var() {
                    if column.starts.is_empty() {
                        column.starts.push(0);
                    }
                    column.starts.push(column.data.len() as u64);
                }
            }
        }
        Self::new(order, columns)
    }

    /// Returns one cell, by the bytes of its coordinates and whether they have a variable length.
    pub(super) fn of_cell<'a>(
        order: &CellOrder,
        coordinates: impl Iterator<Item = (&'a [u8], bool)>,
    ) -> Result<Self> {
        let columns = coordinates.map(|(value, is_var)| Cells {
            data: value.to_vec(),
            starts: if is_var {
                vec![0, value.len() as u64]
            } else {
                Vec::new()
            },
            validity: Vec::new(),
        });
        Self::new(order, columns.collect())
    }

    fn new(order: &CellOrder, columns: Vec<Cells>) -> Result<Self> {
        let mut bounds = Self {
            columns,
            keys: Keys::default(),
        };
        let mut keys = Keys::default();
        order.make_keys(&bounds.columns(), &mut keys)?;
        bounds.keys = keys;
        Ok(bounds)
    }

    pub(super) fn columns(&self) -> Vec<Coordinates<'_>> {
        self.columns.iter().map(Cells::coordinates).collect()
    }

    pub(super) fn keyed<'a>(&'a self, columns: &'a [Coordinates<'a>]) -> KeyedCells<'a> {
        KeyedCells {
            keys: &self.keys,
            columns,
        }
    }

    /// Returns one of the cells.
    pub(super) fn cell(&self, index: usize) -> BoundCell<'_> {
        BoundCell {
            bounds: self,
            index,
        }
    }
}

/// One cell of bounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundCell<'a> {
    pub(super) bounds: &'a MbrBounds,
    pub(super) index: usize,
}

impl BoundCell<'_> {
    /// Returns whether this cell precedes another one.
    pub(super) fn precedes(self, order: &CellOrder, other: BoundCell<'_>) -> bool {
        self.compare(order, other).is_lt()
    }

    /// Compares this cell with another one.
    pub(super) fn compare(self, order: &CellOrder, other: BoundCell<'_>) -> Ordering {
        let (a, b) = (self.bounds, other.bounds);
        let by_key = a.keys.compare(self.index, &b.keys, other.index);
        if by_key.is_ne() || order.keys_decide() {
            return by_key;
        }
        let (a_columns, b_columns) = (a.columns(), b.columns());
        let (a_cells, b_cells) = (a.keyed(&a_columns), b.keyed(&b_columns));
        order.compare(a_cells, self.index, b_cells, other.index)
    }
}
