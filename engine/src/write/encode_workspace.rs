//! The memory in which the tiles of a field are made, kept for those of the next field. Nobody waits for it: a forked child may
//! have inherited the lock from a thread that it does not have.

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
    /// The runs of cells that were given, where others only fill the tile up: statistics leave those out. Empty: all were.
    pub(super) given: Vec<Range<usize>>,
}

impl TileBuffer {
    /// Forgets the cells and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.cells.data.clear();
        self.cells.starts.clear();
        self.cells.validity.clear();
        self.given.clear();
    }
}

/// A tile in its stored form, in memory that the next one uses again.
#[derive(Debug, Default)]
pub(super) struct EncodedTile {
    pub(super) fixed: ReusableBuffer,
    pub(super) var: ReusableBuffer,
    /// The bytes of the values of variable length before they were filtered.
    pub(super) var_len: u64,
    pub(super) validity: ReusableBuffer,
    /// Offsets before they are filtered.
    pub(super) offsets: ReusableBuffer,
    /// Cells that have the least and the greatest text, where the filters met them; else none.
    pub(super) telling: Vec<usize>,
    pub(super) stats: TileStats,
    pub(super) cost: TileCost,
}

impl EncodedTile {
    /// The bytes that it takes in the files.
    pub(super) fn len(&self) -> u64 {
        let parts = [&self.fixed, &self.var, &self.validity];
        parts.iter().map(|part| part.len() as u64).sum()
    }

    fn memory(&self) -> usize {
        let rooms = [&self.fixed, &self.var, &self.validity, &self.offsets];
        rooms.map(ReusableBuffer::memory).iter().sum::<usize>() + 8 * self.telling.capacity()
    }
}

/// What a job needs while it makes a tile, and not until the tile is stored.
#[derive(Debug, Default)]
pub(super) struct EncodeBuffers {
    pub(super) tile: TileBuffer,
    pub(super) offsets: ReusableBuffer,
}

/// So many tiles can be made at once, and so many wait in their stored form.
#[derive(Debug)]
pub(super) struct EncodeWorkspace {
    drafts: Vec<Mutex<EncodeBuffers>>,
    formed: Vec<Mutex<EncodedTile>>,
}

#[derive(Debug, Default)]
struct IdleWorkspaces {
    drafts: Vec<EncodeBuffers>,
    formed: Vec<EncodedTile>,
}

static KEPT: parking_lot::Mutex<IdleWorkspaces> = parking_lot::const_mutex(IdleWorkspaces {
    drafts: Vec::new(),
    formed: Vec::new(),
});
/// The most memory that is kept, in bytes.
const MOST: usize = 16 << 20;

/// Takes `number` from what is kept, new ones where there are not so many. They may hold anything.
fn take<T: Default>(kept: &mut Vec<T>, number: usize) -> Vec<Mutex<T>> {
    let first = kept.len().saturating_sub(number);
    let mut taken: Vec<Mutex<T>> = kept.drain(first..).map(Mutex::new).collect();
    taken.resize_with(number, Mutex::default);
    taken
}

impl EncodeWorkspace {
    /// EncodeWorkspace that may hold anything.
    pub(super) fn some(drafts: usize, formed: usize) -> Self {
        let mut none = IdleWorkspaces::default();
        let mut kept = KEPT.try_lock();
        let kept = kept.as_deref_mut().unwrap_or(&mut none);
        Self {
            drafts: take(&mut kept.drafts, drafts),
            formed: take(&mut kept.formed, formed),
        }
    }

    /// The draft of a job.
    pub(super) fn draft(&self, job: usize) -> MutexGuard<'_, EncodeBuffers> {
        self.drafts[job].lock()
    }

    /// Where a tile waits, in turn.
    pub(super) fn formed(&self, tile: usize) -> MutexGuard<'_, EncodedTile> {
        self.formed[tile % self.formed.len()].lock()
    }

    /// Keeps the memory for other fields.
    pub(super) fn keep(self) {
        let Some(mut kept) = KEPT.try_lock() else {
            return;
        };
        let IdleWorkspaces { drafts, formed } = &mut *kept;
        let drafted = |draft: &EncodeBuffers| draft.tile.cells.memory() + draft.offsets.memory();
        let mut held = drafts.iter().map(drafted).sum::<usize>();
        held += formed.iter().map(EncodedTile::memory).sum::<usize>();
        for mut draft in self.drafts.into_iter().map(Mutex::into_inner) {
            held += drafted(&draft);
            if held > MOST {
                return;
            }
            // The next field may have no such cells.
            draft.tile.cells.starts.clear();
            draft.tile.cells.validity.clear();
            drafts.push(draft);
        }
        for waiting in self.formed.into_iter().map(Mutex::into_inner) {
            held += waiting.memory();
            if held > MOST {
                return;
            }
            formed.push(waiting);
        }
    }
}
