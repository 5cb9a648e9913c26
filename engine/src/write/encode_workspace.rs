//! Buffers in which the tiles of a field are encoded, reused for the next field.

use std::ops::Range;

use crate::bytes::ReusableBuffer;
use crate::fragment::TileStats;
use crate::memory::{Workspace, WorkspaceGuard, WorkspaceKind};
use crate::platform::lock::{Mutex, MutexGuard};
use crate::stats::TileCost;
use crate::tile::Cells;

/// A tile in memory.
#[derive(Debug, Default)]
pub(super) struct TileBuffer {
    pub(super) cells: Cells,
    /// The runs of cells that were written, if the others only pad the tile; statistics exclude
    /// padding. Empty if all cells were written.
    pub(super) given: Vec<Range<usize>>,
}

impl TileBuffer {
    /// Removes the cells and keeps the allocations.
    pub(super) fn clear(&mut self) {
        self.cells.data.clear();
        self.cells.starts.clear();
        self.cells.validity.clear();
        self.given.clear();
    }
}

/// A tile in its stored form. The next tile reuses the buffers.
#[derive(Debug, Default)]
pub(super) struct EncodedTile {
    pub(super) fixed: ReusableBuffer,
    pub(super) var: ReusableBuffer,
    /// The size in bytes of variable-length values before filtering.
    pub(super) var_len: u64,
    pub(super) validity: ReusableBuffer,
    /// Offsets before filtering.
    pub(super) offsets: ReusableBuffer,
    /// The cells with the minimum and maximum string, if a filter found them; otherwise empty.
    pub(super) min_max_candidates: Vec<usize>,
    pub(super) stats: TileStats,
    pub(super) cost: TileCost,
}

impl EncodedTile {
    /// Returns the number of bytes of the tile in the files.
    pub(super) fn len(&self) -> u64 {
        let parts = [&self.fixed, &self.var, &self.validity];
        parts.iter().map(|part| part.len() as u64).sum()
    }
}

/// Buffers that are needed only while a tile is encoded.
#[derive(Debug, Default)]
pub(super) struct EncodeBuffers {
    pub(super) tile: TileBuffer,
    pub(super) offsets: ReusableBuffer,
}

impl Workspace for EncodeBuffers {
    const KIND: WorkspaceKind = WorkspaceKind::EncodeBuffers;

    fn memory(&self) -> usize {
        self.tile.cells.memory() + self.offsets.memory()
    }
}

impl Workspace for EncodedTile {
    const KIND: WorkspaceKind = WorkspaceKind::EncodedTile;

    fn memory(&self) -> usize {
        let buffers = [&self.fixed, &self.var, &self.validity, &self.offsets];
        buffers.map(ReusableBuffer::memory).iter().sum::<usize>()
            + 8 * self.min_max_candidates.capacity()
    }
}

/// Buffers for the tiles that are encoded at once, and for encoded tiles that wait to be appended.
#[derive(Debug)]
pub(super) struct EncodeWorkspace {
    buffer_sets: Vec<Mutex<WorkspaceGuard<EncodeBuffers>>>,
    encoded: Vec<Mutex<WorkspaceGuard<EncodedTile>>>,
}

impl EncodeWorkspace {
    /// Returns a workspace. The content of its buffers is unspecified.
    pub(super) fn new(buffer_sets: usize, encoded: usize) -> Self {
        let buffer_set = |_| {
            let mut buffer_set = WorkspaceGuard::<EncodeBuffers>::default();
            // The field may have no variable-length cells.
            buffer_set.tile.cells.starts.clear();
            buffer_set.tile.cells.validity.clear();
            Mutex::new(buffer_set)
        };
        Self {
            buffer_sets: (0..buffer_sets).map(buffer_set).collect(),
            encoded: (0..encoded).map(|_| Mutex::default()).collect(),
        }
    }

    /// Returns the buffers of a task.
    pub(super) fn buffer_set(&self, task: usize) -> MutexGuard<'_, WorkspaceGuard<EncodeBuffers>> {
        self.buffer_sets[task].lock()
    }

    /// Returns the slot for the encoded tile with a number, in rotation.
    pub(super) fn encoded(&self, tile: usize) -> MutexGuard<'_, WorkspaceGuard<EncodedTile>> {
        self.encoded[tile % self.encoded.len()].lock()
    }
}
