//! Buffers in which the tiles of a field are encoded, reused for the next field. Only `try_lock` is
//! used: after `fork` the lock may be held by a thread that does not exist in the child.

use std::ops::Range;

use crate::bytes::ReusableBuffer;
use crate::fragment::TileStats;
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

    fn memory(&self) -> usize {
        let rooms = [&self.fixed, &self.var, &self.validity, &self.offsets];
        rooms.map(ReusableBuffer::memory).iter().sum::<usize>()
            + 8 * self.min_max_candidates.capacity()
    }
}

/// Buffers that are needed only while a tile is encoded.
#[derive(Debug, Default)]
pub(super) struct EncodeBuffers {
    pub(super) tile: TileBuffer,
    pub(super) offsets: ReusableBuffer,
}

/// Buffers for the tiles that are encoded at once, and for encoded tiles that wait to be appended.
#[derive(Debug)]
pub(super) struct EncodeWorkspace {
    buffer_sets: Vec<Mutex<EncodeBuffers>>,
    encoded: Vec<Mutex<EncodedTile>>,
}

#[derive(Debug, Default)]
struct IdleWorkspaces {
    buffer_sets: Vec<EncodeBuffers>,
    encoded: Vec<EncodedTile>,
}

static KEPT: parking_lot::Mutex<IdleWorkspaces> = parking_lot::const_mutex(IdleWorkspaces {
    buffer_sets: Vec::new(),
    encoded: Vec::new(),
});
/// The maximum number of bytes of idle buffers.
const MOST: usize = 16 << 20;

/// Returns `number` items, reused ones first. Their content is unspecified.
fn take<T: Default>(kept: &mut Vec<T>, number: usize) -> Vec<Mutex<T>> {
    let first = kept.len().saturating_sub(number);
    let mut taken: Vec<Mutex<T>> = kept.drain(first..).map(Mutex::new).collect();
    taken.resize_with(number, Mutex::default);
    taken
}

impl EncodeWorkspace {
    /// Returns a workspace. The content of its buffers is unspecified.
    pub(super) fn some(buffer_sets: usize, encoded: usize) -> Self {
        let mut none = IdleWorkspaces::default();
        let mut kept = KEPT.try_lock();
        let kept = kept.as_deref_mut().unwrap_or(&mut none);
        Self {
            buffer_sets: take(&mut kept.buffer_sets, buffer_sets),
            encoded: take(&mut kept.encoded, encoded),
        }
    }

    /// Returns the buffers of a task.
    pub(super) fn buffer_set(&self, job: usize) -> MutexGuard<'_, EncodeBuffers> {
        self.buffer_sets[job].lock()
    }

    /// Returns the slot for the encoded tile with a number, in rotation.
    pub(super) fn encoded(&self, tile: usize) -> MutexGuard<'_, EncodedTile> {
        self.encoded[tile % self.encoded.len()].lock()
    }

    /// Keeps the buffers for other fields.
    pub(super) fn keep(self) {
        let Some(mut kept) = KEPT.try_lock() else {
            return;
        };
        let IdleWorkspaces {
            buffer_sets,
            encoded,
        } = &mut *kept;
        let memory_of = |buffer_set: &EncodeBuffers| {
            buffer_set.tile.cells.memory() + buffer_set.offsets.memory()
        };
        let mut bytes = buffer_sets.iter().map(memory_of).sum::<usize>();
        bytes += encoded.iter().map(EncodedTile::memory).sum::<usize>();
        for mut buffer_set in self.buffer_sets.into_iter().map(Mutex::into_inner) {
            bytes += memory_of(&buffer_set);
            if bytes > MOST {
                return;
            }
            // The next field may have no variable-length cells.
            buffer_set.tile.cells.starts.clear();
            buffer_set.tile.cells.validity.clear();
            buffer_sets.push(buffer_set);
        }
        for waiting in self.encoded.into_iter().map(Mutex::into_inner) {
            bytes += waiting.memory();
            if bytes > MOST {
                return;
            }
            encoded.push(waiting);
        }
    }
}
