//! Checks of the tiles of one field: they can be decoded, and agree with the R-tree and the
//! statistics.

use super::report::{Finding, Severity};
use super::statistics::{fragment_problem, statistics_problem};
use crate::aggregate::TileStatistics;
use crate::error::Result;
use crate::format::names::folders;
use crate::fragment::{FieldTiles, FilePart, Fragment};
use crate::schema::{Dimension, StoredField};
use crate::tile::Cells;
use crate::typed;
use crate::types::{Range, Value};
use crate::write::bounds_of;

/// The check of the tiles of a field in a fragment.
pub(super) struct FieldCheck<'a> {
    fragment: &'a Fragment,
    field: &'a StoredField,
    tiles: FieldTiles,
    /// The index of the dimension whose coordinates these are.
    dimension: Option<usize>,
    /// Whether the statistics of tiles describe all of their cells: in dense fragments, those of
    /// tiles at the edge do not.
    has_statistics: bool,
}

impl<'a> FieldCheck<'a> {
    pub(super) fn new(fragment: &'a Fragment, field: &'a StoredField, tiles: FieldTiles) -> Self {
        let schema = &fragment.schema;
        let is_attribute = schema.attributes.has(&field.name);
        let index = schema.domain.dimensions.index_of(&field.name);
        Self {
            dimension: index.filter(|_| !is_attribute && !field.filters.is_lossy()),
            has_statistics: is_attribute && (!fragment.footer.dense || has_whole_tiles(fragment)),
            fragment,
            field,
            tiles,
        }
    }

    /// Checks a tile.
    pub(super) fn tile(&self, tile: u64) -> Result<Vec<Finding>> {
        let part = if self.tiles.includes_offsets() {
            FilePart::Var
        } else {
            FilePart::Fixed
        };
        let name = self.fragment.file_name(self.tiles.slot, part);
        let uri = self.fragment.uri().join(&name);
        let number = self.fragment.tile_cell_num(tile);
        let mut cells = Cells::default();
        let decoded = usize::try_from(number)
            .map_err(|_| crate::error::Error::out_of_memory("a tile", number))
            .and_then(|number| self.tiles.cells(tile, number, &mut cells));
        if let Err(error) = decoded {
            let finding =
                Finding::of_error(self.fragment.missing(error), &uri)?.map(|finding| Finding {
                    problem: format!("tile {tile} of '{}': {}", self.field.name, finding.problem),
                    ..finding
                });
            return Ok(finding.into_iter().collect());
        }
        let metadata = self.fragment.uri().join(folders::FRAGMENT_METADATA_FILE);
        let mut problems = Vec::new();
        // Metadata that cannot be read was reported before.
        problems.extend(self.bounds_problem(tile, &cells).unwrap_or_default());
        let differs = self.statistics_problem(tile, number, &cells);
        problems.extend(differs.unwrap_or_default());
        Ok(problems
            .into_iter()
            .map(|problem| Finding::new(Severity::Error, &metadata, problem))
            .collect())
    }

    /// Reads the statistics of all tiles and those of the fragment, also those that are not
    /// compared. Returns a problem if those of the fragment differ from those of the tiles.
    pub(super) fn fragment_statistics(&self) -> Result<Option<String>> {
        let (fragment, slot) = (self.fragment, self.tiles.slot);
        fragment.tile_stats(slot)?;
        fragment.field_stats(slot)?;
        if !self.has_statistics {
            return Ok(None);
        }
        let of_tile =
            |tile| TileStatistics::of_tile(fragment, slot, tile, fragment.tile_cell_num(tile));
        let tiles: Option<Vec<_>> = (0..fragment.tile_num).map(of_tile).collect::<Result<_>>()?;
        let stored = TileStatistics::of_fragment(fragment, slot, fragment.cell_num())?;
        let problem = tiles
            .zip(stored)
            .and_then(|(tiles, stored)| fragment_problem(self.field, &tiles, &stored));
        Ok(problem.map(|statistic| {
            let name = &self.field.name;
            format!("the {statistic} of all cells of '{name}' differs from those of the tiles")
        }))
    }

    /// Returns a problem if the MBR of a tile does not contain its coordinates.
    fn bounds_problem(&self, tile: u64, cells: &Cells) -> Result<Option<String>> {
        let Some(index) = self.dimension else {
            return Ok(None);
        };
        let Some(dimension) = self.fragment.schema.domain.dimensions.get(index) else {
            return Ok(None);
        };
        let tree = self.fragment.rtree()?;
        let mbr = usize::try_from(tile).ok().and_then(|tile| tree.leaf(tile));
        let Some(range) = mbr.and_then(|mbr| mbr.get(index)) else {
            return Ok(None);
        };
        let starts = dimension.is_var().then_some(cells.starts.as_slice());
        if cells.data.is_empty() && starts.is_none() {
            return Ok(None);
        }
        let bounds = bounds_of(dimension.datatype.physical(), &cells.data, starts);
        let is_outside = !contains(dimension, range, &bounds);
        Ok(is_outside.then(|| outside_problem(tile, &self.field.name)))
    }

    /// Returns a problem if the statistics of a tile differ from its cells.
    fn statistics_problem(&self, tile: u64, number: u64, cells: &Cells) -> Result<Option<String>> {
        if !self.has_statistics {
            return Ok(None);
        }
        let slot = self.tiles.slot;
        let Some(stored) = TileStatistics::of_tile(self.fragment, slot, tile, number)? else {
            return Ok(None);
        };
        let problem = statistics_problem(self.field, cells, &stored);
        Ok(problem.map(|statistic| {
            format!(
                "the {statistic} of tile {tile} of '{}' differs from its cells",
                self.field.name
            )
        }))
    }
}

/// Returns whether the non-empty domain of a dense fragment consists of whole tiles.
fn has_whole_tiles(fragment: &Fragment) -> bool {
    let schema = &fragment.schema;
    let Some(domain) = fragment.footer.non_empty_domain.as_ref() else {
        return false;
    };
    let cells = schema
        .domain
        .dimensions
        .iter()
        .zip(domain)
        .map(|(dimension, range)| typed!(dimension.datatype.physical(), T => length::<T>(range)))
        .try_fold(1u64, |all, len| all.checked_mul(len?));
    let stored = fragment.tile_num.checked_mul(fragment.tile_cell_num(0));
    cells.is_some() && cells == stored
}

fn length<T: Value>(range: &Range) -> Option<u64> {
    let (low, high) = range.values::<T>();
    high.to_key().checked_sub(low.to_key())?.checked_add(1)
}

/// Returns whether a range of a dimension contains another one.
pub(super) fn contains(dimension: &Dimension, outer: &Range, inner: &Range) -> bool {
    fn numbers<T: Value>(outer: &Range, inner: &Range) -> bool {
        let ((low, high), (from, to)) = (outer.values::<T>(), inner.values::<T>());
        // NaN is in no range; libtiledb ignores it.
        !(from < low || high < to)
    }
    if dimension.is_var() {
        outer.start() <= inner.start() && inner.end() <= outer.end()
    } else {
        typed!(dimension.datatype.physical(), T => numbers::<T>(outer, inner))
    }
}

/// Returns the problem of coordinates outside of an MBR.
pub(super) fn outside_problem(tile: u64, dimension: &str) -> String {
    format!("the MBR of tile {tile} does not contain all coordinates of '{dimension}'")
}
