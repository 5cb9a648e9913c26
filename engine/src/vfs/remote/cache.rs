//! A cache of the ends of files of arrays and groups, which opens read repeatedly.
//!
//! Such files never change, so an entry is valid while a listing shows the file with the same size.
//! Schemas and the metadata of most fragments are cached completely.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;

use super::store::Location;

/// The maximum size in bytes of an entry, and of all entries.
const MAX_ENTRY: usize = 64 << 10;
const MAX_BYTES: usize = 16 << 20;

/// The end of a file.
#[derive(Debug)]
struct Tail {
    /// The size of the whole file.
    size: u64,
    bytes: Vec<u8>,
}

#[derive(Debug, Default)]
struct Entries {
    tails: HashMap<String, Arc<Tail>>,
    /// The keys, oldest first.
    order: VecDeque<String>,
    bytes: usize,
}

/// A cache of ends of files. Only `try_lock` is used: after `fork` the lock may be held by a thread
/// that does not exist in the child. A locked cache counts as empty.
#[derive(Debug, Default)]
pub(super) struct TailCache(Mutex<Entries>);

fn key_of(object: &Location) -> String {
    format!("{}/{}", object.bucket, object.key)
}

impl TailCache {
    /// Returns the last `most` bytes of a file of `size` bytes, or all if it has fewer.
    pub(super) fn get(&self, object: &Location, size: u64, most: u64) -> Option<Vec<u8>> {
        let tail = {
            let entries = self.0.try_lock()?;
            entries.tails.get(&key_of(object))?.clone()
        };
        let len = usize::try_from(most.min(size)).ok()?;
        let start = tail.bytes.len().checked_sub(len)?;
        (tail.size == size).then(|| tail.bytes.get(start..).unwrap_or_default().to_vec())
    }

    /// Keeps the last bytes of a file of `size` bytes, unless they are too many.
    pub(super) fn put(&self, object: &Location, size: u64, bytes: &[u8]) {
        let Some(mut entries) = self.0.try_lock().filter(|_| bytes.len() <= MAX_ENTRY) else {
            return;
        };
        let key = key_of(object);
        let tail = Arc::new(Tail {
            size,
            bytes: bytes.to_vec(),
        });
        entries.bytes += bytes.len();
        match entries.tails.insert(key.clone(), tail) {
            Some(old) => entries.bytes -= old.bytes.len(),
            None => entries.order.push_back(key),
        }
        while entries.bytes > MAX_BYTES {
            let Some(oldest) = entries.order.pop_front() else {
                break;
            };
            let removed = entries.tails.remove(&oldest);
            entries.bytes -= removed.map_or(0, |removed| removed.bytes.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(key: &str) -> Location {
        Location {
            bucket: "b".to_owned(),
            key: key.to_owned(),
        }
    }

    #[test]
    fn entries_are_valid_for_one_size_and_as_far_as_they_reach() {
        let cache = TailCache::default();
        cache.put(&object("a"), 10, b"cdef");
        assert_eq!(cache.get(&object("a"), 10, 2).as_deref(), Some(&b"ef"[..]));
        assert_eq!(cache.get(&object("a"), 10, 5), None);
        assert_eq!(cache.get(&object("a"), 11, 2), None);
        assert_eq!(cache.get(&object("b"), 10, 2), None);
    }

    #[test]
    fn the_oldest_entries_leave_a_full_cache() {
        let cache = TailCache::default();
        let bytes = vec![0; MAX_ENTRY];
        for number in 0..300 {
            cache.put(&object(&number.to_string()), 1 << 20, &bytes);
        }
        assert!(cache.0.lock().bytes <= MAX_BYTES);
        assert!(cache.get(&object("0"), 1 << 20, 1).is_none());
        assert!(cache.get(&object("299"), 1 << 20, 1).is_some());
    }
}
