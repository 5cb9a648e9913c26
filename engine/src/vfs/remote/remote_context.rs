//! The state that open objects share with their backend: the client of the service, and the
//! parameters of reads, and a cache of the ends of files of arrays and groups, which opens read
//! repeatedly.

use std::sync::Arc;

use super::store::{Location, ObjectStore};
use crate::context::Context;
use crate::error::{Result, VfsError};
use crate::memory::LruCache;
use crate::memory::tuning::{
    MAX_REQUEST_BYTES, MAX_TAIL_BYTES, MAX_TAIL_CACHE_BYTES, MIN_REQUEST_BYTES,
};
use crate::platform::lock::OnceValue;
use crate::vfs::Scheme;

/// The state that open files share with their backend.
pub(super) struct RemoteContext {
    pub(super) context: Arc<Context>,
    pub(super) scheme: Scheme,
    store: OnceValue<Arc<dyn ObjectStore>>,
    pub(super) tails: TailCache,
}

impl RemoteContext {
    pub(super) fn new(context: &Arc<Context>, scheme: Scheme) -> Self {
        Self {
            context: context.clone(),
            scheme,
            store: OnceValue::new(),
            tails: TailCache::default(),
        }
    }

    /// Returns the state of a backend over a store.
    #[cfg(any(test, feature = "testing"))]
    pub(super) fn with_store(
        context: &Arc<Context>,
        scheme: Scheme,
        store: Arc<dyn ObjectStore>,
    ) -> Self {
        Self {
            store: OnceValue::from(store),
            ..Self::new(context, scheme)
        }
    }

    /// Returns the minimum size of a read in bytes.
    pub(super) fn read_ahead(&self) -> u64 {
        self.context
            .config()
            .u64("vfs.read_ahead_size")
            .unwrap_or(0)
    }

    /// Returns the size of the read-ahead cache of an object in bytes.
    pub(super) fn read_ahead_cache(&self) -> u64 {
        self.context
            .config()
            .u64("vfs.read_ahead_cache_size")
            .unwrap_or(0)
    }

    /// Returns the size of the parts in which `len` bytes are read, at most `parallel` at a time.
    /// If the caller sets the number of requests in flight, a read uses all of them; otherwise few
    /// requests are preferred to bandwidth, as each request costs money.
    pub(super) fn part_size(&self, len: u64, parallel: usize) -> u64 {
        let name = format!("vfs.{}.max_parallel_ops", self.prefix());
        if !self.context.config().is_set(&name) {
            return MAX_REQUEST_BYTES;
        }
        let part = len.div_ceil(parallel.max(1) as u64);
        part.clamp(MIN_REQUEST_BYTES, MAX_REQUEST_BYTES)
    }

    /// The gap up to which two ranges are read with one request, in bytes.
    pub(super) fn gap(&self) -> u64 {
        self.context.config().u64("vfs.min_batch_gap").unwrap_or(0)
    }

    /// The scheme of URIs, for errors.
    pub(super) fn prefix(&self) -> &'static str {
        match self.scheme {
            Scheme::Azure => "azure",
            Scheme::Gcs => "gcs",
            _ => "s3",
        }
    }

    /// Returns the client of the service, created when it is first needed.
    pub(super) fn store(&self) -> Result<&Arc<dyn ObjectStore>> {
        if let Some(store) = self.store.get() {
            return Ok(store);
        }
        let store: Arc<dyn ObjectStore> = match self.scheme {
            #[cfg(feature = "s3")]
            Scheme::S3 => Arc::new(super::s3::S3::new(&self.context)?),
            #[cfg(all(feature = "rest", feature = "s3"))]
            Scheme::TileDb => Arc::new(super::s3::S3::of_server(&self.context)?),
            #[cfg(feature = "azure")]
            Scheme::Azure => Arc::new(super::azure::Azure::new(&self.context)?),
            #[cfg(feature = "gcs")]
            Scheme::Gcs => Arc::new(super::gcs::Gcs::new(&self.context)?),
            _ => {
                return Err(VfsError::NotAnObjectStore.into());
            }
        };
        Ok(self.store.get_or_init(|| store))
    }
}

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
