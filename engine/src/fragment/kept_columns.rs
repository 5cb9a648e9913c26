//! Coordinates of tiles that were looked into, kept narrow while an array is open: who asks for
//! boxes asks for neighbours next. Bounded, and those that were not used for longest go first.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::geometry::Narrow;

/// Which column: the fragment by its place in the snapshot, the tile, the dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ColumnPlace {
    /// The fragment.
    pub fragment: usize,
    /// The tile.
    pub tile: u64,
    /// The dimension.
    pub dim: usize,
}

/// The columns of one opening.
#[derive(Debug, Default)]
pub struct KeptColumns {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    columns: HashMap<ColumnPlace, Kept>,
    bytes: usize,
    /// How often columns were asked for.
    time: u64,
}

#[derive(Debug)]
struct Kept {
    column: Arc<Narrow>,
    used: u64,
}

impl KeptColumns {
    /// Returns a column, if it was kept and no other thread is looking: after a fork the lock may
    /// be that of a thread which the child does not have.
    pub fn get(&self, place: ColumnPlace) -> Option<Arc<Narrow>> {
        let mut inner = self.inner.try_lock()?;
        inner.time += 1;
        let time = inner.time;
        let kept = inner.columns.get_mut(&place)?;
        kept.used = time;
        Some(kept.column.clone())
    }

    /// Keeps a column; all together take `limit` bytes or less.
    pub fn put(&self, place: ColumnPlace, column: &Arc<Narrow>, limit: usize) {
        let bytes = column.memory();
        if bytes > limit / 4 {
            return;
        }
        let Some(mut inner) = self.inner.try_lock() else {
            return;
        };
        if inner.bytes + bytes > limit {
            inner.shrink(limit / 4 * 3 - bytes);
        }
        let kept = Kept {
            column: column.clone(),
            used: inner.time,
        };
        inner.bytes += bytes;
        if let Some(old) = inner.columns.insert(place, kept) {
            inner.bytes -= old.column.memory();
        }
    }
}

impl Inner {
    /// Lets go of what was not used for longest, until so many bytes are left.
    fn shrink(&mut self, most: usize) {
        let mut ages: Vec<(u64, ColumnPlace)> = self
            .columns
            .iter()
            .map(|(place, kept)| (kept.used, *place))
            .collect();
        ages.sort_unstable_by_key(|(used, _)| *used);
        for (_, place) in ages {
            if self.bytes <= most {
                return;
            }
            if let Some(gone) = self.columns.remove(&place) {
                self.bytes -= gone.column.memory();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Physical;

    #[test]
    fn what_was_used_last_stays_within_the_limit() {
        let column = |spread: u32| {
            let cells = (0..1000u32).flat_map(|cell| (cell * spread).to_le_bytes());
            let data: Vec<u8> = cells.collect();
            Arc::new(Narrow::new(Physical::U32, &data).expect("memory"))
        };
        let place = |tile| ColumnPlace {
            fragment: 0,
            tile,
            dim: 1,
        };
        let kept = KeptColumns::default();
        let limit = 10 * column(1).memory();
        for tile in 0..100 {
            kept.put(place(tile), &column(1), limit);
            assert!(kept.get(place(0)).is_some(), "{tile}");
            assert!(kept.inner.lock().bytes <= limit);
        }
        assert!(kept.get(place(99)).is_some());
        assert!(kept.get(place(50)).is_none());
        let bytes: usize = kept
            .inner
            .lock()
            .columns
            .values()
            .map(|kept| kept.column.memory())
            .sum();
        assert_eq!(kept.inner.lock().bytes, bytes);
        kept.put(place(200), &column(1), limit / 3);
        assert!(kept.get(place(200)).is_none(), "too large for so little");
    }
}
