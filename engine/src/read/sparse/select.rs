//! Selects the cells of a tile, before cells with equal coordinates are compared.
//!
//! Each rule clears bytes of a mask of the cells of the tile, column by column: first the
//! timestamps, then the ranges of the dimensions, then deletes and the condition. A tile that no
//! rule affects is not read.
//!
//! If cells may hide one another, the last two are applied later: a cell that they exclude still
//! hides an older one.

use super::fields::FieldKind;
use super::tiles::{Input, Tile};
use crate::condition::{FieldStatistics, TileMatch};
use crate::error::{Result, try_vec};
use crate::fragment::FoundTile;
use crate::memory::buffer_pool;
use crate::tile::{Cells, CellsRef};
use crate::types::Value;

/// A run of cells of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellRange {
    /// The first cell.
    pub(super) start: u32,
    pub(super) len: u32,
}

/// The selected cells of a tile.
#[derive(Debug, Default)]
pub(super) struct SelectedCells {
    /// The runs, in order and disjoint.
    pub(super) runs: Vec<CellRange>,
    /// The number of times each cell of the tile is returned, if some are returned several times.
    pub(super) counts: Option<Vec<u64>>,
}

impl SelectedCells {
    /// The number of distinct cells.
    pub(super) fn cell_num(&self) -> usize {
        self.runs.iter().map(|run| run.len as usize).sum()
    }
}

/// A selection of the cells of a tile.
pub(super) enum TileSelection<'a> {
    None,
    All,
    /// A byte per cell, 1 if it is selected, and the number of times each is returned, if some are
    /// returned several times.
    Some(&'a [u8], Option<Vec<u64>>),
}

impl Input {
    /// Returns whether all cells of a tile are selected according to its fragment and its MBR.
    pub(super) fn is_whole(&self, source: usize, found: FoundTile) -> bool {
        found.whole && !self.sources[source].timed
    }

    /// Returns the selected cells of a tile. The condition and deletes are applied if `conditioned`
    /// is set.
    pub(super) fn select(
        &self,
        tile: &Tile,
        found: FoundTile,
        conditioned: bool,
    ) -> Result<SelectedCells> {
        self.choose(tile, found, conditioned, |chosen| {
            Ok(match chosen {
                TileSelection::None => SelectedCells::default(),
                TileSelection::All => SelectedCells {
                    runs: vec![CellRange {
                        start: 0,
                        len: tile.cell_num as u32,
                    }],
                    counts: None,
                },
                TileSelection::Some(selected, counts) => SelectedCells {
                    runs: runs_of(selected),
                    counts,
                },
            })
        })
    }

    /// Calls `body` with the selected cells of a tile, as [`Self::select`].
    pub(super) fn choose<T>(
        &self,
        tile: &Tile,
        found: FoundTile,
        conditioned: bool,
        body: impl FnOnce(TileSelection<'_>) -> Result<T>,
    ) -> Result<T> {
        let tile_match = if conditioned {
            self.tile_match(tile)?
        } else {
            TileMatch::All
        };
        if tile.cell_num == 0 || tile_match == TileMatch::None {
            return body(TileSelection::None);
        }
        if self.is_whole(tile.source, found) && tile_match == TileMatch::All {
            return body(TileSelection::All);
        }
        self.load_deciding_column(tile, found, tile_match)?;
        let meters = &self.sources[tile.source].meters;
        meters.coordinates.add_cells(tile.cell_num as u64);
        let mut selected =
            buffer_pool::filled_bytes("the selected cells of a tile", tile.cell_num)?;
        selected.fill(1);
        self.select_times(tile, &mut selected)?;
        let counts = if found.whole {
            None
        } else {
            self.select_ranges(tile, &mut selected)?
        };
        if tile_match == TileMatch::Some && selected.contains(&1) {
            self.select_condition(tile, &mut selected)?;
        }
        let result = body(TileSelection::Some(&selected, counts));
        buffer_pool::put_bytes(selected, usize::MAX);
        result
    }

    /// Loads one of the columns that select cells of a tile. The number of cells comes from the
    /// schema or the footer; a stored column confirms it before memory is taken for that many
    /// cells.
    fn load_deciding_column(
        &self,
        tile: &Tile,
        found: FoundTile,
        tile_match: TileMatch,
    ) -> Result<()> {
        let times = self.times.filter(|_| self.sources[tile.source].timed);
        let conditioned = self
            .condition
            .as_ref()
            .filter(|_| tile_match == TileMatch::Some);
        let field = match (times, conditioned) {
            (Some(times), _) => times,
            (None, _) if !found.whole => return self.load_deciding_dimension(tile),
            (None, Some(conditioned)) => match conditioned.fields.first() {
                Some(field) => *field,
                None => return Ok(()),
            },
            (None, None) => return Ok(()),
        };
        self.column(tile, field).map(drop)
    }

    /// Loads the coordinates that [`Self::select_ranges`] needs first.
    fn load_deciding_dimension(&self, tile: &Tile) -> Result<()> {
        let tree = self.sources[tile.source].fragment.rtree()?;
        let mbr = usize::try_from(tile.tile)
            .ok()
            .and_then(|leaf| tree.leaf(leaf));
        if let Some(dim) = self.range_filter.deciding(mbr.unwrap_or_default()).next()
            && self.narrow(tile, dim)?.is_none()
        {
            self.column(tile, self.dims[dim])?;
        }
        Ok(())
    }

    /// Returns whether the cells of a tile satisfy the condition and were not deleted, according to
    /// its statistics.
    pub(super) fn tile_match(&self, tile: &Tile) -> Result<TileMatch> {
        let left = self.deletes.tile_match(self, tile)?;
        let (Some(conditioned), true) = (&self.condition, left != TileMatch::None) else {
            return Ok(left);
        };
        let statistics = self.statistics(tile, &conditioned.fields)?;
        let by_condition = conditioned
            .condition
            .tile_match(&statistics, tile.cell_num as u64);
        Ok(match (left, by_condition) {
            (TileMatch::All, by_condition) => by_condition,
            (_, TileMatch::None) => TileMatch::None,
            (left, _) => left,
        })
    }

    /// Returns the statistics of some fields of a tile.
    pub(super) fn statistics(
        &self,
        tile: &Tile,
        fields: &[usize],
    ) -> Result<Vec<FieldStatistics<'_>>> {
        let source = &self.sources[tile.source];
        let tree = source.fragment.rtree()?;
        let mbr = usize::try_from(tile.tile)
            .ok()
            .and_then(|index| tree.leaf(index));
        let mut statistics = Vec::with_capacity(fields.len());
        for index in fields {
            let field = &self.fields[*index];
            let stored = source.tiles(*index, field)?;
            statistics.push(match (&field.kind, stored) {
                (FieldKind::Dimension(dim), _) => FieldStatistics {
                    ends: mbr
                        .and_then(|mbr| mbr.get(*dim))
                        .filter(|range| !range.is_var())
                        .map(|range| (range.start(), range.end())),
                    null_count: Some(0),
                },
                (_, Some(stored)) => {
                    FieldStatistics::of_tile(&source.fragment, stored.slot(), tile.tile)
                }
                (_, None) if field.is_nullable() && field.fill().1 == 0 => FieldStatistics {
                    ends: None,
                    null_count: Some(tile.cell_num as u64),
                },
                (_, None) => FieldStatistics {
                    ends: None,
                    null_count: Some(0),
                },
            });
        }
        Ok(statistics)
    }

    /// Clears the cells that do not satisfy the condition or were deleted.
    pub(super) fn select_condition(&self, tile: &Tile, selected: &mut [u8]) -> Result<()> {
        self.deletes.select(self, tile, selected)?;
        let Some(conditioned) = &self.condition else {
            return Ok(());
        };
        let columns = conditioned
            .fields
            .iter()
            .map(|field| self.column(tile, *field).map(Cells::as_ref));
        let columns: Vec<CellsRef<'_>> = columns.collect::<Result<_>>()?;
        conditioned
            .condition
            .select(&columns, tile.cell_num, selected);
        Ok(())
    }

    /// Clears the cells that were not written in the time range.
    fn select_times(&self, tile: &Tile, selected: &mut [u8]) -> Result<()> {
        let Some(times) = self.times.filter(|_| self.sources[tile.source].timed) else {
            return Ok(());
        };
        let range = self.time_range;
        let column = self.column(tile, times)?;
        for (time, selected) in column.data.chunks_exact(8).zip(selected) {
            let time = u64::read(time);
            *selected &= u8::from(range.start <= time && time <= range.end);
        }
        Ok(())
    }

    /// Clears the cells that are in no range. Returns the number of times each is returned, if some
    /// are returned several times.
    fn select_ranges(&self, tile: &Tile, selected: &mut [u8]) -> Result<Option<Vec<u64>>> {
        let tree = self.sources[tile.source].fragment.rtree()?;
        let mbr = usize::try_from(tile.tile)
            .ok()
            .and_then(|leaf| tree.leaf(leaf));
        let mbr = mbr.unwrap_or_default();
        for dim in self.range_filter.deciding(mbr) {
            if !selected.contains(&1) {
                return Ok(None);
            }
            match self.narrow(tile, dim)? {
                Some(column) => self.range_filter.select_narrow(dim, column, selected)?,
                None => {
                    let column = self.column(tile, self.dims[dim])?;
                    self.range_filter
                        .select(dim, column.as_ref(), &mbr[dim], selected);
                }
            }
        }
        if !self.range_filter.is_counted() {
            return Ok(None);
        }
        let mut counts: Vec<u64> = try_vec("counts", tile.cell_num)?;
        counts.fill(1);
        for (dim, field) in self.dims.iter().enumerate() {
            let column = self.column(tile, *field)?;
            self.range_filter.count(dim, column.as_ref(), &mut counts);
        }
        Ok(Some(counts))
    }
}

/// Returns the runs of bytes that are 1; the others are 0.
fn runs_of(selected: &[u8]) -> Vec<CellRange> {
    let mut runs: Vec<CellRange> = Vec::new();
    for (block, bytes) in selected.chunks(64).enumerate() {
        let mut bits = bits_of(bytes);
        let mut cell = (block * 64) as u32;
        while bits != 0 {
            let skipped = bits.trailing_zeros();
            cell += skipped;
            bits >>= skipped;
            let len = bits.trailing_ones();
            match runs.last_mut() {
                Some(last) if last.start + last.len == cell => last.len += len,
                _ => runs.push(CellRange { start: cell, len }),
            }
            cell += len;
            bits = bits.checked_shr(len).unwrap_or(0);
        }
    }
    runs
}

/// Packs up to 64 bytes that are 0 or 1 into bits.
fn bits_of(bytes: &[u8]) -> u64 {
    // Collects the lowest bits of eight bytes in the highest byte.
    const TOGETHER: u64 = 0x0102_0408_1020_4080;
    let mut bits = 0;
    for (index, part) in bytes.chunks(8).enumerate() {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        bits |= (u64::from_le_bytes(word).wrapping_mul(TOGETHER) >> 56) << (8 * index);
    }
    bits
}
