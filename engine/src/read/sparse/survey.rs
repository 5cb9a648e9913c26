//! The tiles that a sparse read considers and excludes.

use super::SparseRead;
use super::scan::ScannedTile;
use crate::error::Result;
use crate::read::survey::{ReadSurvey, TileUse, all_outside, note};
use crate::types::Match;

impl SparseRead {
    /// Returns the tiles that the complete read considers and excludes.
    pub(crate) fn survey(&self) -> Result<ReadSurvey> {
        let sources = &self.loader.sources;
        let (found, _) = self.scheduler.tiles();
        let tiles = sources.iter().map(|source| source.fragment.tile_num);
        let mut survey = ReadSurvey {
            fragments: sources.len() as u64,
            tiles: tiles.fold(0, u64::saturating_add),
            memory: self.pending.peak_bytes,
            is_merged: self.scheduler.is_merged(),
            ..ReadSurvey::default()
        };
        survey.tiles_outside = survey.tiles.saturating_sub(found.len() as u64);
        let mut is_read = vec![false; sources.len()];
        for tile in found {
            if self.add_to_survey(*tile, &mut survey)? {
                is_read[tile.source as usize] = true;
            }
        }
        survey.read_fragments = is_read.into_iter().map(u64::from).sum();
        if survey.cut_tiles == 0 {
            survey.requested_cells = Some(survey.read_cells);
        }
        Ok(survey)
    }

    /// Returns the number of tiles that were read but of which the ranges and the condition
    /// selected no cell.
    pub(crate) fn tiles_without_results(&self) -> u64 {
        let source = self.loader.sources.first();
        source.map_or(0, |source| source.meters.coordinates.excluded())
    }

    /// Returns what the complete read does with each tile, by fragment. Tiles without results are
    /// those found so far.
    pub(crate) fn tile_uses(&self) -> Result<Vec<Vec<TileUse>>> {
        let sources = &self.loader.sources;
        let mut uses = all_outside(sources.iter().map(|source| &*source.fragment))?;
        for scanned in self.scheduler.tiles().0 {
            let index = scanned.source as usize;
            let tile = self.loader.tile(index, scanned.found.tile)?;
            let excluded = self.filter.match_tile(&self.loader, &tile)? == Match::None;
            let found = if excluded {
                TileUse::Excluded
            } else if sources[index].is_without_results(scanned.found.tile) {
                TileUse::WithoutResults
            } else {
                TileUse::Read
            };
            note(&mut uses, index, scanned.found.tile, found);
        }
        Ok(uses)
    }

    /// Adds a tile that may contain results. Returns whether it is read.
    fn add_to_survey(&self, scanned: ScannedTile, survey: &mut ReadSurvey) -> Result<bool> {
        let index = scanned.source as usize;
        let source = &self.loader.sources[index];
        let tile = self.loader.tile(index, scanned.found.tile)?;
        let matching = self.filter.match_tile(&self.loader, &tile)?;
        if matching == Match::None {
            survey.tiles_excluded += 1;
            return Ok(false);
        }
        survey.add_tile(tile.cell_num as u64, !scanned.found.whole);
        let fields = &self.loader.fields;
        let compared = match matching {
            Match::Some => self.filter.condition_fields(),
            _ => &[][..],
        };
        let compares_coordinates = self.scheduler.is_merged() || !scanned.found.whole;
        for (position, field) in fields.iter().enumerate() {
            let is_delivered = position < fields.outputs().len();
            let is_coordinate = compares_coordinates && fields.dims.contains(&position);
            if !is_delivered && !is_coordinate && !compared.contains(&position) {
                continue;
            }
            if let Some(stored) = source.tiles(position, field)? {
                let bytes = stored.stored_size(tile.index)?;
                survey.add_bytes(bytes, self.loader.size(&tile, position)?);
            }
        }
        Ok(true)
    }
}
