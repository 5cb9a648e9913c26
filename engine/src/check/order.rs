//! Checks that the cells of a sparse fragment are in global order, within tiles and from tile to
//! tile, and that coordinates do not repeat where duplicates are not allowed. Before format 5 all
//! dimensions share a file: there the coordinates are compared with the MBRs as well.

use std::sync::Arc;

use super::report::{Finding, FindingReport, Severity};
use super::tile::{contains, outside_problem};
use crate::error::{Cause, Result};
use crate::format::names::COORDINATES;
use crate::format::version as v;
use crate::fragment::Fragment;
use crate::geometry::{Bounds, CellCopy, CellOrder, Coordinates, OrderViolations};
use crate::read::FragmentCoordinates;
use crate::tile::Cells;
use crate::types::Layout;
use crate::write::bounds_of;

/// The order of the cells of a fragment.
pub(super) struct OrderCheck {
    fragment: Arc<Fragment>,
    coordinates: FragmentCoordinates,
    order: CellOrder,
    /// Whether two cells may have the same coordinates.
    allows_duplicates: bool,
    /// Whether the release that wrote the fragment had another order.
    has_other_order: bool,
    /// Whether one file has the coordinates of all dimensions, unchanged by its filters.
    has_exact_joint_coordinates: bool,
    /// The last cell of the previous tile, if that tile could be read.
    last: Option<CellCopy>,
}

/// The violations within a tile, and its first and last cell.
struct TileOrder {
    violations: OrderViolations,
    ends: Option<[CellCopy; 2]>,
    /// A dimension with coordinates outside of the MBR of the tile.
    outside: Option<String>,
}

impl OrderCheck {
    pub(super) fn new(fragment: &Arc<Fragment>) -> Result<Self> {
        let schema = &fragment.schema;
        Ok(Self {
            fragment: fragment.clone(),
            coordinates: FragmentCoordinates::new(fragment)?,
            order: CellOrder::global(schema, Bounds::Datatype)?,
            allows_duplicates: schema.allows_dups || fragment.footer.has_timestamps,
            has_other_order: has_other_order(fragment),
            has_exact_joint_coordinates: has_exact_joint_coordinates(fragment),
            last: None,
        })
    }

    /// Checks `number` tiles from `first` on, which follow those of the previous call. Tiles that
    /// cannot be read are left out: the check of their fields reports them.
    pub(super) fn tiles(
        &mut self,
        first: u64,
        number: usize,
        report: &mut FindingReport<'_>,
    ) -> Result<()> {
        let fragment = self.fragment.clone();
        let context = &fragment.vfs.context;
        let tiles = context.map(number, |index| self.tile(first + index as u64))?;
        for (tile, order) in (first..).zip(tiles) {
            let Some(TileOrder {
                mut violations,
                ends,
                outside,
            }) = order
            else {
                self.last = None;
                continue;
            };
            if let (Some(last), Some([first_cell, _])) = (&self.last, &ends) {
                let mut seam = OrderViolations::default();
                seam.find_after(&self.order, last, &first_cell.columns())?;
                violations.order = seam.order.or(violations.order);
                violations.duplicates.splice(0..0, seam.duplicates);
            }
            let outside = outside.map(|dimension| outside_problem(tile, &dimension));
            let bounds = ends
                .as_ref()
                .and_then(|ends| self.bounds_problem(tile, ends));
            let others = outside.into_iter().chain(bounds);
            for problem in self.problems(tile, &violations).into_iter().chain(others) {
                report.add(&Finding::new(Severity::Error, fragment.uri(), problem))?;
            }
            self.last = ends.map(|[_, last]| last);
        }
        Ok(())
    }

    /// Finds the violations within a tile; `None` if it cannot be read.
    fn tile(&self, tile: u64) -> Result<Option<TileOrder>> {
        let columns = match self.coordinates.tile(tile) {
            Ok(columns) => columns,
            Err(error) => {
                return match error.cause() {
                    Cause::Cancelled | Cause::Budget { .. } => Err(error),
                    _ => Ok(None),
                };
            }
        };
        let coordinates: Vec<_> = columns.iter().map(Cells::coordinates).collect();
        let cell_num = self.coordinates.cell_num(tile)?;
        let mut violations = OrderViolations::default();
        violations.find(&self.order, &coordinates, 0, cell_num)?;
        let ends = cell_num
            .checked_sub(1)
            .map(|last| [0, last].map(|cell| self.copy_cell(&coordinates, cell)));
        // Metadata that cannot be read was reported before.
        let outside = self.outside(tile, &columns).unwrap_or_default();
        Ok(Some(TileOrder {
            violations,
            ends,
            outside,
        }))
    }

    /// Returns a dimension with coordinates outside of the MBR of a tile.
    fn outside(&self, tile: u64, columns: &[Cells]) -> Result<Option<String>> {
        if !self.has_exact_joint_coordinates {
            return Ok(None);
        }
        let tree = self.fragment.rtree()?;
        let Some(mbr) = usize::try_from(tile).ok().and_then(|tile| tree.leaf(tile)) else {
            return Ok(None);
        };
        let outside = self
            .fragment
            .schema
            .domain
            .dimensions
            .iter()
            .zip(columns.iter().zip(mbr))
            .find(|(dimension, (cells, range))| {
                let bounds = |data: &[u8]| bounds_of(dimension.datatype.physical(), data, None);
                let ends = [range.start(), range.end()].concat();
                // The releases of these formats compared datetimes as unsigned numbers: the MBRs of
                // datetimes before and after 1970 end before they start.
                let is_ordered = bounds(&ends) == **range;
                !cells.data.is_empty()
                    && is_ordered
                    && !contains(dimension, range, &bounds(&cells.data))
            });
        Ok(outside.map(|(dimension, _)| dimension.name.clone()))
    }

    /// Compares the stored bounds of a tile in global order, if there are any, with its first and
    /// its last cell.
    fn bounds_problem(&self, tile: u64, ends: &[CellCopy; 2]) -> Option<String> {
        let schema = &self.fragment.schema;
        if schema
            .domain
            .dimensions
            .iter()
            .any(|dimension| dimension.filters.is_lossy())
        {
            return None;
        }
        let stored = match self.fragment.order_bounds(tile) {
            Ok(stored) => stored?,
            Err(error) => return Some(error.to_string()),
        };
        let [first, last] = ends.each_ref().map(CellCopy::values);
        let mut dimensions = stored.iter().zip(first.iter().zip(&last));
        let is_equal =
            dimensions.all(|(range, (first, last))| range.start() == first && range.end() == last);
        (!is_equal).then(|| {
            format!("the bounds of tile {tile} in global order are not its first and last cell")
        })
    }

    fn copy_cell(&self, columns: &[Coordinates<'_>], cell: usize) -> CellCopy {
        let dimensions = self.fragment.schema.domain.dimensions.iter();
        CellCopy::new(columns.iter().zip(dimensions).map(|(column, dimension)| {
            let bytes = column.get(cell, dimension.datatype.size());
            (bytes.to_vec(), dimension.is_var())
        }))
    }

    fn problems(&self, tile: u64, violations: &OrderViolations) -> Vec<String> {
        let order = violations
            .order
            .filter(|_| !self.has_other_order)
            .map(|cell| format!("cell {cell} of tile {tile} sorts before the previous cell"));
        let duplicates = &violations.duplicates;
        let duplicate = duplicates.first().filter(|_| !self.allows_duplicates).map(|cell| {
            format!(
                "cell {cell} of tile {tile} has the coordinates of the previous cell, which the \
                 schema does not allow"
            )
        });
        order.into_iter().chain(duplicate).collect()
    }
}

fn has_exact_joint_coordinates(fragment: &Fragment) -> bool {
    fragment.slot(COORDINATES).is_some() && !fragment.schema.coords_filters.is_lossy()
}

/// Returns whether the release that wrote a fragment ordered its cells in another way.
fn has_other_order(fragment: &Fragment) -> bool {
    let (schema, version) = (&fragment.schema, fragment.footer.head.version);
    let has_reals = schema
        .domain
        .dimensions
        .iter()
        .any(|dimension| dimension.datatype.is_real());
    has_reals && version < v::TILED_REALS
        || schema.cell_order == Layout::Hilbert && version < v::HILBERT_VALUES
}
