//! Lower or upper bounds of the MBRs of planned tiles, as cells that can be compared with others.

use super::super::tiles::{Input, coordinates};
use super::Merge;
use crate::error::Result;
use crate::geometry::{Coordinates, KeyedCells, Keys};
use crate::tile::Cells;
use crate::types::Range;

/// The lower or the upper bounds of the MBR of each planned tile, as cells.
#[derive(Debug, Default)]
pub(super) struct MbrBounds {
    pub(super) columns: Vec<Cells>,
    pub(super) keys: Keys,
}

impl MbrBounds {
    pub(super) fn columns(&self) -> Vec<Coordinates<'_>> {
        self.columns.iter().map(coordinates).collect()
    }

    pub(super) fn keyed<'a>(&'a self, columns: &'a [Coordinates<'a>]) -> KeyedCells<'a> {
        KeyedCells {
            keys: &self.keys,
            columns,
        }
    }
}

impl Merge {
    /// Returns the bounds of the MBR of each planned tile that `end` selects.
    pub(super) fn bounds_of_mbrs(
        &self,
        input: &Input,
        end: fn(&Range) -> &[u8],
    ) -> Result<MbrBounds> {
        let mut columns = vec![Cells::default(); self.order.dim_num()];
        for planned in &self.plan {
            let tree = input.sources[planned.source as usize].fragment.rtree()?;
            let mbr = tree.leaf(planned.found.tile as usize).unwrap_or_default();
            for (column, range) in columns.iter_mut().zip(mbr) {
                if range.is_var() {
                    if column.starts.is_empty() {
                        column.starts.push(0);
                    }
                    column.data.extend_from_slice(end(range));
                    column.starts.push(column.data.len() as u64);
                } else {
                    column.data.extend_from_slice(end(range));
                }
            }
        }
        let mut bounds = MbrBounds {
            columns,
            keys: Keys::default(),
        };
        let mut keys = Keys::default();
        self.order.make_keys(&bounds.columns(), &mut keys)?;
        bounds.keys = keys;
        Ok(bounds)
    }
}
