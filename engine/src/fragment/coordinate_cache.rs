//! An LRU cache of packed coordinate columns of an open array. Box queries tend to revisit
//! neighbouring tiles. Its size is bounded.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::geometry::PackedColumn;

/// The key of a cached column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CoordinateKey {
    /// The index of the fragment in the snapshot.
    pub fragment: usize,
    /// The tile.
    pub tile: u64,
    /// The dimension.
    pub dim: usize,
}

/// The cached columns of an open array.
#[derive(Debug, Default)]
pub struct CoordinateCache {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    columns: HashMap<CoordinateKey, CachedColumn>,
    bytes: usize,
    /// A logical clock: the number of lookups.
    time: u64,
}

#[derive(Debug)]
struct CachedColumn {
    column: Arc<PackedColumn>,
    last_used: u64,
}

impl CoordinateCache {
    /// Returns a column if it is cached. Only `try_lock` is used, and a locked cache is treated as
    /// empty: after a fork the lock may be held by a thread that does not exist in the child.
    pub fn get(&self, key: CoordinateKey) -> Option<Arc<PackedColumn>> {
        let mut inner = self.inner.try_lock()?;
        inner.time += 1;
        let time = inner.time;
        let cached = inner.columns.get_mut(&key)?;
        cached.last_used = time;
        Some(cached.column.clone())
    }

    /// Adds a column, keeping the total size at `limit` bytes or less.
    pub fn put(&self, key: CoordinateKey, column: &Arc<PackedColumn>, limit: usize) {
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
        let cached = CachedColumn {
            column: column.clone(),
            last_used: inner.time,
        };
        inner.bytes += bytes;
        if let Some(old) = inner.columns.insert(key, cached) {
            inner.bytes -= old.column.memory();
        }
    }
}

impl Inner {
    /// Removes the least recently used columns until at most `max` bytes are left.
    fn shrink(&mut self, max: usize) {
        let mut ages: Vec<(u64, CoordinateKey)> = self
            .columns
            .iter()
            .map(|(key, cached)| (cached.last_used, *key))
            .collect();
        ages.sort_unstable_by_key(|(last_used, _)| *last_used);
        for (_, key) in ages {
            if self.bytes <= max {
                return;
            }
            if let Some(removed) = self.columns.remove(&key) {
                self.bytes -= removed.column.memory();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Physical;

    #[test]
    fn recently_used_columns_are_kept_within_the_limit() {
        let column = |spread: u32| {
            let cells = (0..1000u32).flat_map(|cell| (cell * spread).to_le_bytes());
            let data: Vec<u8> = cells.collect();
            Arc::new(PackedColumn::new(Physical::U32, &data).expect("memory"))
        };
        let key = |tile| CoordinateKey {
            fragment: 0,
            tile,
            dim: 1,
        };
        let cached = CoordinateCache::default();
        let limit = 10 * column(1).memory();
        for tile in 0..100 {
            cached.put(key(tile), &column(1), limit);
            assert!(cached.get(key(0)).is_some(), "{tile}");
            assert!(cached.inner.lock().bytes <= limit);
        }
        assert!(cached.get(key(99)).is_some());
        assert!(cached.get(key(50)).is_none());
        let bytes: usize = cached
            .inner
            .lock()
            .columns
            .values()
            .map(|cached| cached.column.memory())
            .sum();
        assert_eq!(cached.inner.lock().bytes, bytes);
        cached.put(key(200), &column(1), limit / 3);
        assert!(cached.get(key(200)).is_none(), "too large for so little");
    }
}
