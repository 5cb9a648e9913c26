//! Runs of cells, and the rules by which they are merged.

use crate::geometry::{CellOrder, Coordinates, KeyedCells, Keys};
use crate::types::Value;

/// The order of merged cells, and which of them are kept.
#[derive(Debug)]
pub(super) struct MergeRules {
    pub(super) order: CellOrder,
    pub(super) dedup: Dedup,
    /// Whether fragments store their cells in this order.
    pub(super) is_stored_order: bool,
}

/// Which of the cells with equal coordinates are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dedup {
    /// All of them.
    Off,
    /// The newest one.
    Newest,
    /// All that are newer than the newest deleted one.
    NewerThanDeleted,
}

/// Cells of one tile that are merged with those of others.
#[derive(Debug)]
pub(super) struct SortedRun<'a> {
    /// The index of the tile among those in memory.
    pub(super) tile: u32,
    /// The index of the fragment in the read and of the tile in the fragment. Later fragments are
    /// newer.
    pub(super) source: usize,
    pub(super) tile_index: u64,
    /// The keys and the coordinates of all cells of the tile.
    pub(super) keys: &'a Keys,
    pub(super) columns: Vec<Coordinates<'a>>,
    /// The cells of the run.
    pub(super) cells: &'a [u32],
    /// Whether they are in order.
    pub(super) is_sorted: bool,
    pub(super) times: CellTimes<'a>,
    /// A byte per cell of the tile, 1 if it is delivered unless it is hidden; `None` if all are.
    pub(super) passing: Option<&'a [u8]>,
    /// The number of times each cell of the tile is delivered; `None` if each is delivered once.
    pub(super) counts: Option<&'a [u64]>,
}

/// The timestamps of the cells of a tile.
#[derive(Clone, Copy, Debug)]
pub(super) enum CellTimes<'a> {
    /// The timestamp of all cells.
    All(u64),
    /// The little-endian timestamp of each cell. Cells of one fragment may hide one another.
    Each(&'a [u8]),
}

/// A cell of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunCell {
    /// The index of the run.
    pub(super) run: u32,
    /// The index of the cell in its tile.
    pub(super) cell: u32,
}

impl SortedRun<'_> {
    pub(super) fn keyed(&self) -> KeyedCells<'_> {
        KeyedCells {
            keys: self.keys,
            columns: &self.columns,
        }
    }

    pub(super) fn has_times(&self) -> bool {
        matches!(self.times, CellTimes::Each(_))
    }

    pub(super) fn time(&self, cell: u32) -> u64 {
        match self.times {
            CellTimes::All(time) => time,
            CellTimes::Each(times) => u64::read(times.get(cell as usize * 8..).unwrap_or_default()),
        }
    }

    pub(super) fn passes(&self, cell: u32) -> bool {
        self.passing
            .is_none_or(|passing| passing[cell as usize] != 0)
    }

    /// Returns the first and the last cell.
    pub(super) fn ends(&self) -> Option<(usize, usize)> {
        Some((*self.cells.first()? as usize, *self.cells.last()? as usize))
    }
}
