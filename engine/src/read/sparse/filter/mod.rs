//! Selects the cells of a tile, before cells with equal coordinates are compared.
//!
//! Each rule clears bytes of a mask of the cells of the tile, column by column: first the
//! timestamps, then the ranges of the dimensions, then deletes and the condition. A tile that no
//! rule affects is not read.
//!
//! If cells may hide one another, the last two are applied later: a cell that they exclude still
//! hides an older one.

mod deletes;

use super::scan::RangeFilter;
use super::tiles::{FieldTable, Tile, TileLoader};
use crate::condition::BoundCondition;
use crate::context::Context;
use crate::error::{Result, try_vec};
use crate::fragment::FoundTile;
use crate::memory::tuning::MIN_TILES_SELECTED_FIRST;
use crate::read::selection::{Selection, full_mask};
use crate::tile::{Cells, CellsRef};
use crate::types::{Match, TimeRange, Value};

pub(crate) use self::deletes::DeletedCells;
pub(super) use self::deletes::Deletes;

/// The rules that select the cells of a read.
#[derive(Debug)]
pub(super) struct CellFilter {
    pub(super) ranges: RangeFilter,
    /// A condition, and the indexes of the fields that it compares.
    pub(super) condition: Option<(BoundCondition, Vec<usize>)>,
    pub(super) deletes: Deletes,
    /// Cells written outside this range are not visible.
    time_range: TimeRange,
}

/// The rules to apply to a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rules {
    /// All rules.
    All,
    /// Timestamps and ranges.
    TimesAndRanges,
}

/// The selected cells of a tile.
#[derive(Debug, Default)]
pub(super) struct CellSelection {
    pub(super) cells: Selection,
    /// The number of times each cell of the tile is returned, if some are returned several times.
    pub(super) counts: Option<Vec<u64>>,
}

impl CellFilter {
    pub(super) fn new(
        ranges: RangeFilter,
        condition: Option<BoundCondition>,
        deletes: Deletes,
        time_range: TimeRange,
        fields: &FieldTable,
    ) -> Self {
        Self {
            ranges,
            condition: condition.map(|condition| {
                let compared = condition
                    .fields
                    .iter()
                    .filter_map(|name| fields.position(name))
                    .collect();
                (condition, compared)
            }),
            deletes,
            time_range,
        }
    }

    /// Returns the indexes of the fields that the condition compares.
    pub(super) fn condition_fields(&self) -> &[usize] {
        self.condition
            .as_ref()
            .map_or(&[][..], |(_, fields)| &fields[..])
    }

    /// Returns whether the condition or a delete may exclude cells of a fragment.
    pub(super) fn compares_values(&self, source: usize) -> bool {
        self.condition.is_some() || self.deletes.affects(source)
    }

    /// Selects the cells of tiles in parallel. `planned` returns each tile's relation to the
    /// ranges, and the rules to apply.
    pub(super) fn select_all(
        &self,
        context: &Context,
        loader: &TileLoader,
        tiles: &[Tile],
        planned: impl Fn(usize) -> (FoundTile, Rules) + Sync,
    ) -> Result<Vec<CellSelection>> {
        let selecting = self.selecting_fields(loader, tiles, &planned)?;
        let is_first = |tile: usize, field: usize| {
            let fields = selecting.get(tile).and_then(Option::as_ref);
            fields.is_none_or(|fields| fields.contains(&field))
        };
        loader.prefetch(tiles, |tile, field| {
            // Packed coordinates in memory select cells; tiles that are needed as a whole are read.
            let is_cut = selecting.get(tile).is_some_and(Option::is_some);
            let dim = loader
                .fields
                .dims
                .iter()
                .position(|dim| *dim == field)
                .filter(|_| is_cut);
            is_first(tile, field) && !dim.is_some_and(|dim| loader.has_packed(&tiles[tile], dim))
        })?;
        let dims = loader.fields.dims.iter().copied();
        let compared = self.condition_fields().iter().copied();
        let bytes = loader.fixed_bytes(tiles, dims.chain(compared));
        let selected = context.map_sized(bytes, tiles.len(), |index| {
            let (tile, (found, rules)) = (&tiles[index], planned(index));
            let selected = self.select(loader, tile, found, rules)?;
            if selected.cells != Selection::None {
                self.deletes.load_columns(loader, tile)?;
            }
            let cells = selected.cells.into_runs();
            if matches!(&cells, Selection::Runs(runs) if runs.is_empty()) {
                loader.sources[tile.source].note_without_results(tile.index);
            }
            Ok(CellSelection {
                cells,
                counts: selected.counts,
            })
        })?;
        let has_cells = |tile: usize| match &selected[tile].cells {
            Selection::None => false,
            Selection::Runs(runs) => !runs.is_empty(),
            _ => true,
        };
        loader.prefetch(tiles, |tile, field| {
            !is_first(tile, field) && has_cells(tile)
        })?;
        Ok(selected)
    }

    /// Returns for each tile on an object store the fields that select its cells, if these are only
    /// some of the fields and may exclude all cells. The others are requested after that. The
    /// result is empty for few tiles, and for other storage, where a read sends no request.
    fn selecting_fields(
        &self,
        loader: &TileLoader,
        tiles: &[Tile],
        planned: impl Fn(usize) -> (FoundTile, Rules),
    ) -> Result<Vec<Option<Vec<usize>>>> {
        if !loader.is_remote() || tiles.len() < MIN_TILES_SELECTED_FIRST {
            return Ok(Vec::new());
        }
        tiles
            .iter()
            .enumerate()
            .map(|(index, tile)| {
                let (found, rules) = planned(index);
                if found.whole || self.ranges.is_counted() {
                    return Ok(None);
                }
                let source = &loader.sources[tile.source];
                let mbr = source.fragment.mbr(tile.index)?;
                let dims = self.ranges.excluding_dims(mbr);
                let times = loader.fields.timestamps.filter(|_| source.filters_times);
                let compared = self
                    .condition_fields()
                    .iter()
                    .copied()
                    .filter(|_| rules == Rules::All);
                let deletes = self.deletes.compared_fields(tile.source).copied();
                let fields = dims.map(|dim| loader.fields.dims[dim]);
                Ok(Some(
                    fields.chain(times).chain(compared).chain(deletes).collect(),
                ))
            })
            .collect()
    }

    /// Returns the selected cells of a tile.
    pub(super) fn select(
        &self,
        loader: &TileLoader,
        tile: &Tile,
        found: FoundTile,
        rules: Rules,
    ) -> Result<CellSelection> {
        let by_statistics = match rules {
            Rules::All => self.match_tile(loader, tile)?,
            Rules::TimesAndRanges => Match::All,
        };
        let uniform = |cells| {
            Ok(CellSelection {
                cells,
                counts: None,
            })
        };
        if tile.cell_num == 0 || by_statistics == Match::None {
            return uniform(Selection::None);
        }
        let source = &loader.sources[tile.source];
        if source.contains_all(found) && by_statistics == Match::All {
            return uniform(Selection::All);
        }
        self.load_first_column(loader, tile, found, by_statistics)?;
        source.meters.coordinates.add_cells(tile.cell_num as u64);
        let mut mask = full_mask(tile.cell_num)?;
        self.select_times(loader, tile, &mut mask)?;
        let counts = if found.whole {
            None
        } else {
            self.select_ranges(loader, tile, &mut mask)?
        };
        if by_statistics == Match::Some && mask.contains(&1) {
            self.select_values(loader, tile, &mut mask)?;
        }
        Ok(CellSelection {
            cells: Selection::Mask(mask),
            counts,
        })
    }

    /// Loads one of the columns that select cells of a tile. The number of cells comes from the
    /// schema or the footer; a stored column confirms it before memory is taken for that many
    /// cells.
    fn load_first_column(
        &self,
        loader: &TileLoader,
        tile: &Tile,
        found: FoundTile,
        by_statistics: Match,
    ) -> Result<()> {
        let filters_times = loader.sources[tile.source].filters_times;
        let times = loader.fields.timestamps.filter(|_| filters_times);
        if times.is_none() && !found.whole {
            return self.load_first_dimension(loader, tile);
        }
        let compares = by_statistics == Match::Some;
        let deletes = self.deletes.compared_fields(tile.source);
        let compared = deletes
            .chain(self.condition_fields())
            .copied()
            .filter(|_| compares);
        // A field that the fragment lacks has fill values, which confirm nothing.
        for field in times.into_iter().chain(compared) {
            if loader.is_stored(tile, field)? {
                return loader.column(tile, field).map(drop);
            }
        }
        loader.column(tile, loader.fields.dims[0]).map(drop)
    }

    /// Loads the coordinates that [`Self::select_ranges`] needs first.
    fn load_first_dimension(&self, loader: &TileLoader, tile: &Tile) -> Result<()> {
        let mbr = loader.sources[tile.source].fragment.mbr(tile.index)?;
        if let Some(dim) = self.ranges.excluding_dims(mbr).next()
            && loader.packed_column(tile, dim)?.is_none()
        {
            loader.column(tile, loader.fields.dims[dim])?;
        }
        Ok(())
    }

    /// Returns whether the cells of a tile satisfy the condition and were not deleted, according to
    /// its statistics.
    pub(super) fn match_tile(&self, loader: &TileLoader, tile: &Tile) -> Result<Match> {
        let remaining = self.deletes.match_tile(loader, tile)?;
        let (Some((condition, fields)), true) = (&self.condition, remaining != Match::None) else {
            return Ok(remaining);
        };
        let statistics = loader.statistics(tile, fields)?;
        let matching = condition.tile_match(&statistics, tile.cell_num as u64);
        Ok(match (remaining, matching) {
            (Match::All, matching) => matching,
            (_, Match::None) => Match::None,
            (remaining, _) => remaining,
        })
    }

    /// Clears the cells that do not satisfy the condition or were deleted.
    fn select_values(&self, loader: &TileLoader, tile: &Tile, mask: &mut [u8]) -> Result<()> {
        self.deletes.select(loader, tile, mask)?;
        let Some((condition, fields)) = &self.condition else {
            return Ok(());
        };
        let columns: Vec<CellsRef<'_>> = fields
            .iter()
            .map(|field| loader.column(tile, *field).map(Cells::as_ref))
            .collect::<Result<_>>()?;
        condition.select(&columns, tile.cell_num, mask);
        Ok(())
    }

    /// Returns a byte per cell of a tile, 1 if it satisfies the condition and was not deleted.
    /// `None` if all cells do.
    pub(super) fn passing(&self, loader: &TileLoader, tile: &Tile) -> Result<Option<Vec<u8>>> {
        Ok(match self.match_tile(loader, tile)? {
            Match::All => None,
            Match::None => Some(try_vec("the cells of a condition", tile.cell_num)?),
            Match::Some => {
                let mut passing: Vec<u8> = try_vec("the cells of a condition", tile.cell_num)?;
                passing.fill(1);
                self.select_values(loader, tile, &mut passing)?;
                Some(passing)
            }
        })
    }

    /// Clears the cells that were not written in the time range.
    fn select_times(&self, loader: &TileLoader, tile: &Tile, mask: &mut [u8]) -> Result<()> {
        let filters_times = loader.sources[tile.source].filters_times;
        let Some(times) = loader.fields.timestamps.filter(|_| filters_times) else {
            return Ok(());
        };
        let range = self.time_range;
        let column = loader.column(tile, times)?;
        for (time, selected) in column.data.chunks_exact(8).zip(mask) {
            let time = u64::read(time);
            *selected &= u8::from(range.start <= time && time <= range.end);
        }
        Ok(())
    }

    /// Clears the cells that are in no range. Returns the number of times each is returned, if some
    /// are returned several times.
    fn select_ranges(
        &self,
        loader: &TileLoader,
        tile: &Tile,
        mask: &mut [u8],
    ) -> Result<Option<Vec<u64>>> {
        let mbr = loader.sources[tile.source].fragment.mbr(tile.index)?;
        for dim in self.ranges.excluding_dims(mbr) {
            if !mask.contains(&1) {
                return Ok(None);
            }
            match loader.packed_column(tile, dim)? {
                Some(column) => self.ranges.select_packed(dim, column, mask)?,
                None => {
                    let column = loader.column(tile, loader.fields.dims[dim])?;
                    self.ranges.select(dim, column.as_ref(), &mbr[dim], mask);
                }
            }
        }
        if !self.ranges.is_counted() {
            return Ok(None);
        }
        let mut counts: Vec<u64> = try_vec("counts", tile.cell_num)?;
        counts.fill(1);
        for (dim, field) in loader.fields.dims.iter().enumerate() {
            let column = loader.column(tile, *field)?;
            self.ranges.count(dim, column.as_ref(), &mut counts);
        }
        Ok(Some(counts))
    }
}
