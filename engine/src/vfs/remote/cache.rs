//! A cache of the ends of files of arrays and groups, which opens read repeatedly.
//!
//! Such files never change, so an entry is valid while a listing shows the file with the same size.
//! Schemas and the metadata of most fragments are cached completely.

use std::sync::Arc;

use super::store::Location;
use crate::memory::LruCache;
use crate::memory::tuning::{MAX_TAIL_BYTES, MAX_TAIL_CACHE_BYTES};

/// The end of a file.
#[derive(Debug)]
struct Tail {
    /// The size of the whole file.
    size: u64,
    bytes: Vec<u8>,
}

/// A cache of ends of files.
#[derive(Debug, Default)]
pub(super) struct TailCache(LruCache<String, Arc<Tail>>);

fn key_of(object: &Location) -> String {
    format!("{}/{}", object.bucket, object.key)
}

impl TailCache {
    /// Returns the last `most` bytes of a file of `size` bytes, or all if it has fewer.
    pub(super) fn get(&self, object: &Location, size: u64, most: u64) -> Option<Vec<u8>> {
        let tail = self.0.get(&key_of(object))?;
        let len = usize::try_from(most.min(size)).ok()?;
        let start = tail.bytes.len().checked_sub(len)?;
        (tail.size == size).then(|| tail.bytes.get(start..).unwrap_or_default().to_vec())
    }

    /// Keeps the last bytes of a file of `size` bytes, unless they are too many.
    pub(super) fn put(&self, object: &Location, size: u64, bytes: &[u8]) {
        if bytes.len() <= MAX_TAIL_BYTES {
            let key = key_of(object);
            let memory = bytes.len() + key.len() + size_of::<Tail>();
            let bytes = bytes.to_vec();
            let tail = Arc::new(Tail { size, bytes });
            self.0.put(key, tail, memory, MAX_TAIL_CACHE_BYTES);
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
        let bytes = vec![0; MAX_TAIL_BYTES];
        for number in 0..300 {
            cache.put(&object(&number.to_string()), 1 << 20, &bytes);
        }
        assert!(cache.0.size() <= MAX_TAIL_CACHE_BYTES);
        assert!(cache.get(&object("0"), 1 << 20, 1).is_none());
        assert!(cache.get(&object("299"), 1 << 20, 1).is_some());
    }
}
