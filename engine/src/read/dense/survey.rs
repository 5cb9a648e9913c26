//! The tiles that a dense read considers and excludes.

use std::sync::Arc;

use super::DenseRead;
use super::fields::{AttributeRead, ReadField, accounted_bytes};
use super::plan::{FragmentView, Plan};
use super::tile_tasks::TileSlice;
use crate::error::Result;
use crate::fragment::Fragment;
use crate::memory::tuning::SELECT_TASKS;
use crate::read::survey::{ReadSurvey, TileUse, all_outside, note};
use crate::tile::StridedCopy;
use crate::types::Match;

impl DenseRead {
    /// Returns the tiles that the complete read considers and excludes. `fragments` are all visible
    /// fragments.
    pub(crate) fn survey(&self, fragments: &[Arc<Fragment>]) -> Result<ReadSurvey> {
        let plan = &self.plan;
        let tiles = fragments.iter().map(|fragment| fragment.tile_num);
        let mut survey = ReadSurvey {
            fragments: fragments.len() as u64,
            tiles: tiles.fold(0, u64::saturating_add),
            requested_cells: Some(plan.cell_num),
            memory: accounted_bytes(plan, &self.fields),
            ..ReadSurvey::default()
        };
        let inside = plan
            .views
            .iter()
            .map(|view| tiles_in_ranges(plan, view))
            .fold(0, u64::saturating_add);
        survey.tiles_outside = survey.tiles.saturating_sub(inside);
        let mut is_read = vec![false; plan.views.len()];
        plan.for_each_written_batch(SELECT_TASKS, |tasks| {
            for task in tasks {
                for slice in &task.slices {
                    self.add_slice(&task.low, slice, &mut survey, &mut is_read)?;
                }
            }
            Ok(())
        })?;
        let used = survey.read_tiles.saturating_add(survey.tiles_excluded);
        survey.tiles_hidden = inside.saturating_sub(used);
        survey.read_fragments = is_read.into_iter().map(u64::from).sum();
        Ok(survey)
    }

    /// Returns what the complete read does with each tile, by fragment. `fragments` are all visible
    /// fragments.
    pub(crate) fn tile_uses(&self, fragments: &[Arc<Fragment>]) -> Result<Vec<Vec<TileUse>>> {
        let plan = &self.plan;
        let mut uses = all_outside(fragments.iter().map(|fragment| &**fragment))?;
        let indexes: Vec<Option<usize>> = plan
            .views
            .iter()
            .map(|view| {
                fragments
                    .iter()
                    .position(|fragment| Arc::ptr_eq(fragment, &view.fragment))
            })
            .collect();
        for (view, index) in plan.views.iter().zip(&indexes) {
            let Some(index) = *index else { continue };
            let requested = requested_tiles(plan, view);
            for tile in 0..view.fragment.tile_num {
                let is_requested = view.points.is_some() || {
                    let coordinates = plan.grid.tile_at(&view.tiles, tile);
                    coordinates
                        .iter()
                        .zip(&requested)
                        .all(|(coordinate, tiles)| tiles.binary_search(coordinate).is_ok())
                };
                if is_requested {
                    note(&mut uses, index, tile, TileUse::Hidden);
                }
            }
        }
        plan.for_each_written_batch(SELECT_TASKS, |tasks| {
            for task in tasks {
                for slice in &task.slices {
                    let Some(index) = slice.view.and_then(|view| indexes[view]) else {
                        continue;
                    };
                    let found = match self.tile_match(&task.low, slice)? {
                        Match::None => TileUse::Excluded,
                        _ => TileUse::Read,
                    };
                    note(&mut uses, index, slice.tile, found);
                }
            }
            Ok(())
        })?;
        Ok(uses)
    }

    /// Evaluates the condition, if there is one, on the statistics of the tile of a slice.
    fn tile_match(&self, low: &[u64], slice: &TileSlice) -> Result<Match> {
        match &self.selector {
            Some(selector) => selector.tile_match(&self.plan, low, slice),
            None => Ok(Match::All),
        }
    }

    fn add_slice(
        &self,
        low: &[u64],
        slice: &TileSlice,
        survey: &mut ReadSurvey,
        is_read: &mut [bool],
    ) -> Result<()> {
        let plan = &self.plan;
        let Some(view) = slice.view else {
            return Ok(());
        };
        let matching = self.tile_match(low, slice)?;
        if matching == Match::None {
            survey.tiles_excluded += 1;
            return Ok(());
        }
        is_read[view] = true;
        let requested = slice
            .copies
            .iter()
            .map(StridedCopy::cell_num)
            .sum::<usize>() as u64;
        survey.add_tile(slice.cell_num, requested < slice.cell_num);
        let mut delivered = self.fields.iter().filter_map(ReadField::attribute);
        delivered.try_for_each(|read| add_field(plan, read, slice, survey))?;
        for read in self
            .selector
            .iter()
            .filter(|_| matching == Match::Some)
            .flat_map(|selector| selector.attributes())
        {
            if !self
                .fields
                .iter()
                .filter_map(ReadField::attribute)
                .any(|other| other.attribute.name == read.attribute.name)
            {
                add_field(plan, read, slice, survey)?;
            }
        }
        Ok(())
    }
}

/// Adds the size of a field of the tile of a slice.
fn add_field(
    plan: &Plan,
    read: &AttributeRead,
    slice: &TileSlice,
    survey: &mut ReadSurvey,
) -> Result<()> {
    if let Some(tiles) = read.in_slice(plan, slice)? {
        let stored = tiles.stored_size(slice.tile)?;
        let decoded = tiles.decoded_size(slice.tile, slice.cell_num)?;
        survey.add_bytes(stored, decoded);
    }
    Ok(())
}

/// Returns the number of tiles of a fragment that contain coordinates of the result.
fn tiles_in_ranges(plan: &Plan, view: &FragmentView) -> u64 {
    if view.points.is_some() {
        return view.fragment.tile_num;
    }
    requested_tiles(plan, view)
        .into_iter()
        .map(|tiles| tiles.len() as u64)
        .fold(1, u64::saturating_mul)
}

/// Returns the indexes of the space tiles of a fragment with coordinates of the result, ascending,
/// for each dimension.
fn requested_tiles(plan: &Plan, view: &FragmentView) -> Vec<Vec<u64>> {
    plan.axes
        .iter()
        .zip(&plan.grid.axes)
        .enumerate()
        .map(|(d, (axis, grid))| {
            let mut tiles: Vec<u64> = axis
                .coordinates_by_tile(grid, view.cells.low[d], view.cells.high[d])
                .into_iter()
                .map(|(tile, _)| tile)
                .collect();
            tiles.sort_unstable();
            tiles
        })
        .collect()
}
