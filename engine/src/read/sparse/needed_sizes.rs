//! The sizes of buffers that the next cells of a sparse read need.
//!
//! They are exact if all cells of the tiles are delivered: no tile is cut by a range, the
//! statistics of tiles decide the condition, and no fragment hides cells of another. Cells that are
//! in the merge plan already are known in any case.

use super::SparseRead;
use super::merge_plan::{TileRun, value_bytes};
use super::scan::ScannedTile;
use super::tiles::Tile;
use crate::buffers::NeededSizes;
use crate::error::Result;
use crate::fragment::Fragment;
use crate::memory::tuning::{MAX_DISJOINT_FRAGMENTS, MEASURED_CELLS};
use crate::read::needed_sizes::{Amount, needed_sizes};
use crate::types::{Match, Range};

/// The cells that some tiles contribute to the result, and the bytes of their variable-length
/// values.
#[derive(Clone, Debug)]
struct Contents {
    cells: Amount,
    /// By field that is delivered.
    values: Vec<Amount>,
    /// By field: an upper bound of the bytes of one cell.
    largest: Vec<u64>,
}

impl Contents {
    fn new(field_num: usize) -> Self {
        Self {
            cells: Amount::NONE,
            values: vec![Amount::NONE; field_num],
            largest: vec![0; field_num],
        }
    }
}

impl SparseRead {
    /// Returns the sizes that the next `cells` cells need, or all remaining cells if they are
    /// fewer, in the order of the fields.
    pub(crate) fn needed_sizes(&self, cells: u64) -> Result<Vec<NeededSizes>> {
        let left = self.left()?;
        let outputs = self.loader.fields.outputs();
        let planned = self.planned_cells();
        let is_measured = cells <= planned && cells <= MEASURED_CELLS && cells < left.cells.number;
        let measured = if is_measured {
            self.measured(cells)?
        } else {
            Vec::new()
        };
        Ok(outputs
            .iter()
            .enumerate()
            .map(|(index, field)| {
                let (number, values) = if cells >= left.cells.number {
                    (left.cells, left.values[index])
                } else {
                    let number = Amount {
                        number: cells,
                        is_exact: left.cells.is_exact || cells <= planned,
                    };
                    let each = Amount::at_most(cells.saturating_mul(left.largest[index]));
                    let bound = Amount::at_most(left.values[index].number).or_better(each);
                    (number, measured.get(index).copied().unwrap_or(bound))
                };
                needed_sizes(field.stored.cells, self.form, number, values)
            })
            .collect())
    }

    /// Returns an upper bound of the bytes of a single value of the field `index` in the complete
    /// result.
    pub(crate) fn largest_value(&self, index: usize) -> Result<u64> {
        let (tiles, _) = self.scheduler.tiles();
        let mut contents = Contents::new(self.loader.fields.outputs().len());
        tiles
            .iter()
            .try_for_each(|tile| self.add_tile(*tile, &mut contents))?;
        Ok(contents.largest.get(index).copied().unwrap_or_default())
    }

    /// Returns the undelivered cells.
    fn left(&self) -> Result<Contents> {
        let (tiles, ranges) = self.scheduler.tiles();
        let field_num = self.loader.fields.outputs().len();
        let mut left = Contents::new(field_num);
        for range in ranges {
            let unread = tiles.get(range).unwrap_or_default();
            unread
                .iter()
                .try_for_each(|tile| self.add_tile(*tile, &mut left))?;
        }
        if left.cells.number > 0 && self.may_hide_cells() {
            left.cells.is_exact = false;
            left.values
                .iter_mut()
                .for_each(|values| values.is_exact = false);
        }
        self.add_tiles_in_memory(&mut left)?;
        if left.cells.is_exact && left.values.iter().all(|values| values.is_exact) {
            return Ok(left);
        }
        // If the complete result is known exactly, so is the rest of it.
        let mut all = Contents::new(field_num);
        tiles
            .iter()
            .try_for_each(|tile| self.add_tile(*tile, &mut all))?;
        if all.cells.is_exact && !self.may_hide_cells() {
            left.cells = all.cells.less(self.delivered.cells);
            for (index, values) in left.values.iter_mut().enumerate() {
                let rest = self.delivered.values_left(all.values[index], index);
                *values = values.or_better(rest);
            }
        }
        Ok(left)
    }

    /// Returns whether cells of the scanned tiles may have equal coordinates and hide each other.
    fn may_hide_cells(&self) -> bool {
        if !self.scheduler.hides_cells() {
            return false;
        }
        let (tiles, _) = self.scheduler.tiles();
        let mut sources: Vec<u32> = tiles.iter().map(|tile| tile.source).collect();
        sources.sort_unstable();
        sources.dedup();
        if sources.len() > MAX_DISJOINT_FRAGMENTS {
            return true;
        }
        let fragments: Vec<&Fragment> = sources
            .iter()
            .map(|source| &*self.loader.sources[*source as usize].fragment)
            .collect();
        if fragments
            .iter()
            .any(|fragment| fragment.footer.has_timestamps)
        {
            return true;
        }
        let overlap = |a: &Fragment, b: &Fragment| match (
            a.footer.non_empty_domain.as_ref(),
            b.footer.non_empty_domain.as_ref(),
        ) {
            (Some(a), Some(b)) => self.overlap(a, b),
            _ => true,
        };
        fragments
            .iter()
            .enumerate()
            .any(|(index, a)| fragments[index + 1..].iter().any(|b| overlap(a, b)))
    }

    /// Returns whether two rectangles have a coordinate in common.
    fn overlap(&self, a: &[Range], b: &[Range]) -> bool {
        self.loader
            .fields
            .dims
            .iter()
            .zip(a.iter().zip(b))
            .all(|(field, (a, b))| {
                let stored = &self.loader.fields[*field].stored;
                a.overlaps(b, stored.cells.datatype.physical())
            })
    }

    /// Adds a tile that is not in memory.
    fn add_tile(&self, scanned: ScannedTile, contents: &mut Contents) -> Result<()> {
        let source = &self.loader.sources[scanned.source as usize];
        let tile = self
            .loader
            .tile(scanned.source as usize, scanned.found.tile)?;
        let matching = self.filter.match_tile(&self.loader, &tile)?;
        if matching == Match::None || tile.cell_num == 0 {
            return Ok(());
        }
        let (mut cells, mut count) = (tile.cell_num as u64, 1);
        if !scanned.found.whole {
            let mbr = source.fragment.mbr(tile.index)?;
            count = self.filter.ranges.max_count(mbr);
            if self.is_unique && !source.fragment.footer.has_timestamps {
                let physical = self.dimension_types();
                let requested = self.filter.ranges.coordinate_num(mbr, &physical);
                cells = cells.min(requested.unwrap_or(cells));
            }
        }
        let is_exact = source.contains_all(scanned.found) && matching == Match::All;
        contents.cells.add(Amount {
            number: cells.saturating_mul(count),
            is_exact,
        });
        for index in self.var_outputs() {
            let bytes = self.loader.var_bytes(&tile, index)?;
            contents.values[index].add(Amount {
                number: bytes.saturating_mul(count),
                is_exact,
            });
            contents.largest[index] = contents.largest[index].max(bytes);
        }
        Ok(())
    }

    fn dimension_types(&self) -> Vec<crate::types::Physical> {
        self.loader
            .fields
            .dims
            .iter()
            .map(|field| self.loader.fields[*field].stored.cells.datatype.physical())
            .collect()
    }

    /// Returns the indexes of the variable-length fields that are delivered.
    fn var_outputs(&self) -> impl Iterator<Item = usize> {
        let outputs = self.loader.fields.outputs();
        (0..outputs.len()).filter(|index| outputs[*index].stored.cells.is_var())
    }

    /// Adds the undelivered cells of the tiles in memory: those in the plan, and those that may be
    /// added to it.
    fn add_tiles_in_memory(&self, left: &mut Contents) -> Result<()> {
        let tiles = &self.pending.tiles;
        let mut by_tile: Vec<Vec<(TileRun, u64)>> = vec![Vec::new(); tiles.len()];
        for (run, count) in self.pending.plan.undelivered() {
            let cells = u64::from(run.len).saturating_mul(count);
            left.cells.add(Amount::exact(cells));
            if let Some(runs) = by_tile.get_mut(run.tile as usize) {
                runs.push((run, count));
            }
        }
        for (index, (tile, runs)) in tiles.iter().zip(&by_tile).enumerate() {
            let pending = self.scheduler.pending(index);
            left.cells.add(pending);
            if runs.is_empty() && pending.number == 0 {
                continue;
            }
            for field in self.var_outputs() {
                let bytes = self.values_in_memory(tile, field, runs, pending)?;
                left.values[field].add(bytes);
                let largest = self.loader.var_bytes(tile, field)?;
                left.largest[field] = left.largest[field].max(largest);
            }
        }
        Ok(())
    }

    /// Returns the bytes of the undelivered values of a tile in memory.
    fn values_in_memory(
        &self,
        tile: &Tile,
        field: usize,
        runs: &[(TileRun, u64)],
        pending: Amount,
    ) -> Result<Amount> {
        let all = self.loader.var_bytes(tile, field)?;
        if let ([(run, count)], 0) = (runs, pending.number)
            && run.len as usize == tile.cell_num
        {
            return Ok(Amount::exact(all.saturating_mul(*count)));
        }
        if let (Some(starts), 0) = (tile.loaded_starts(field), pending.number) {
            return Ok(Amount::exact(
                runs.iter()
                    .map(|(run, count)| {
                        let bytes = value_bytes(starts, run.start, run.len);
                        bytes.saturating_mul(*count)
                    })
                    .fold(0, u64::saturating_add),
            ));
        }
        let mbr = self.loader.sources[tile.source].fragment.mbr(tile.index)?;
        let count = self.filter.ranges.max_count(mbr);
        Ok(Amount::at_most(all.saturating_mul(count)))
    }

    /// Returns the number of cells in the plan.
    fn planned_cells(&self) -> u64 {
        let runs = self.pending.plan.undelivered();
        runs.map(|(run, count)| u64::from(run.len).saturating_mul(count))
            .fold(0, u64::saturating_add)
    }

    /// Returns the bytes of the values of the next `cells` cells, which are in the plan, by field.
    /// It reads their offsets.
    fn measured(&self, cells: u64) -> Result<Vec<Amount>> {
        let mut values = vec![Amount::NONE; self.loader.fields.outputs().len()];
        let mut left = cells;
        for (run, count) in self.pending.plan.undelivered() {
            if left == 0 {
                break;
            }
            let Some(tile) = self.pending.tiles.get(run.tile as usize) else {
                continue;
            };
            // Only runs of one cell are repeated.
            let (len, count) = (u64::from(run.len).min(left), count.min(left));
            for field in self.var_outputs() {
                let starts = self.loader.starts(tile, field)?;
                let bytes = value_bytes(starts, run.start, len as u32);
                values[field].add(Amount::exact(bytes.saturating_mul(count)));
            }
            left = left.saturating_sub(len.saturating_mul(count));
        }
        Ok(values)
    }
}
