//! The number of tiles that are processed together.

use crate::context::Context;
use crate::error::{BudgetError, BudgetPurpose, Component, Error};
use crate::memory::PARAMETER;
use crate::memory::tuning::{COORDINATE_SHARE, MAX_BATCH_TILES, THREAD_COORDINATE_BYTES};

/// The size of the next batch of tiles.
#[derive(Debug)]
pub(super) struct BatchSizer {
    /// The minimum number of tiles. It doubles, because only a few cells may be selected.
    min_tiles: usize,
    /// The maximum size of tiles in memory in bytes.
    pub(super) budget: u64,
    /// The maximum size of the coordinates of a batch in bytes.
    pub(super) coordinate_bytes: u64,
    /// The component in errors about the budget.
    component: Component,
}

impl BatchSizer {
    pub(super) fn new(context: &Context, budget: u64, component: Component) -> Self {
        let thread_bytes = THREAD_COORDINATE_BYTES * context.compute_threads() as u64;
        Self {
            min_tiles: 1,
            budget,
            coordinate_bytes: thread_bytes.min(budget / COORDINATE_SHARE),
            component,
        }
    }

    /// Returns whether a batch with these numbers of tiles and cells is large enough.
    pub(super) fn is_enough(&self, tiles: usize, cells: usize, min_cells: usize) -> bool {
        tiles >= self.min_tiles && (cells >= min_cells || tiles >= MAX_BATCH_TILES)
    }

    /// Doubles the minimum number of tiles.
    pub(super) fn grow(&mut self) {
        self.min_tiles = (2 * self.min_tiles).min(MAX_BATCH_TILES);
    }

    /// Returns the error for a tile of `bytes` bytes that does not fit into the budget, of which
    /// `used` bytes are in use.
    pub(super) fn budget_error(&self, bytes: u64, used: u64) -> Error {
        let purpose = match used {
            0 => BudgetPurpose::Tile,
            _ => BudgetPurpose::MoreTiles { used },
        };
        let exceeded = BudgetError {
            component: self.component,
            purpose,
            need: bytes,
            available: self.budget.saturating_sub(used),
            budget: self.budget,
            parameter: PARAMETER,
        };
        exceeded.into()
    }
}
