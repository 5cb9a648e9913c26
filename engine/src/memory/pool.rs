//! Idle memory of the process, which the next operation reuses: freed buffers by size class, and
//! workspaces, which are contexts of codecs and sets of buffers that are expensive to create.
//! Reuse of buffers avoids page faults, which cost as much as filling the memory.
//!
//! Idle objects are in lock-free queues. A size class contains capacities from its size up to the
//! next class; there are four classes for each power of two.

use std::any::Any;
use std::array;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicUsize, Ordering};

use crossbeam::queue::ArrayQueue;

use super::tuning::{
    BUFFERS_PER_CLASS, MAX_IDLE_BUFFER_BYTES, MAX_POOLED_BUFFER, MIN_POOLED_BUFFER,
    WORKSPACES_PER_KIND, max_idle_workspace_bytes,
};
use crate::error::{Result, reserve_exact};
use crate::platform::lock::PerProcess;

/// The idle memory of a process. A forked child starts without any: a thread that does not exist
/// in the child may have been about to change a queue.
static IDLE: PerProcess<Idle> = PerProcess::new();

/// All idle memory.
#[derive(Debug, Default)]
struct Idle {
    byte_buffers: BufferPool<u8>,
    word_buffers: BufferPool<u64>,
    workspaces: WorkspacePool,
    buffer_bytes: IdleBytes,
    workspace_bytes: IdleBytes,
}

/// The number of idle bytes of one kind. Buffers and workspaces are counted separately, so that
/// neither displaces the other.
#[derive(Debug, Default)]
struct IdleBytes(AtomicUsize);

impl IdleBytes {
    /// Adds bytes, unless their number would exceed `max`. Returns whether they were added.
    fn try_add(&self, bytes: usize, max: usize) -> bool {
        let before = self.0.fetch_add(bytes, Ordering::Relaxed);
        let fits = before.saturating_add(bytes) <= max;
        if !fits {
            self.remove(bytes);
        }
        fits
    }

    fn remove(&self, bytes: usize) {
        self.0.fetch_sub(bytes, Ordering::Relaxed);
    }

    #[cfg(test)]
    fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Returns a vector from the pool with capacity for at least `len` bytes and unspecified content,
/// or an empty vector without an allocation if none is large enough.
pub(crate) fn take_bytes(len: usize) -> Vec<u8> {
    let idle = IDLE.get();
    idle.byte_buffers.take(len, &idle.buffer_bytes)
}

/// Returns a vector from the pool with capacity for at least `len` words and unspecified content,
/// or an empty vector without an allocation if none is large enough.
pub(crate) fn take_words(len: usize) -> Vec<u64> {
    let idle = IDLE.get();
    idle.word_buffers.take(len, &idle.buffer_bytes)
}

/// Returns `len` bytes of unspecified content, from the pool if possible. Returns an error if
/// memory cannot be allocated.
pub(crate) fn filled_bytes(purpose: &'static str, len: usize) -> Result<Vec<u8>> {
    filled(purpose, take_bytes(len), len)
}

/// Returns `len` words of unspecified content, from the pool if possible. Returns an error if
/// memory cannot be allocated.
pub(crate) fn filled_words(purpose: &'static str, len: usize) -> Result<Vec<u64>> {
    filled(purpose, take_words(len), len)
}

fn filled<T: Clone + Default>(
    purpose: &'static str,
    mut buffer: Vec<T>,
    len: usize,
) -> Result<Vec<T>> {
    if buffer.capacity() < len {
        buffer.clear();
        reserve_exact(purpose, &mut buffer, len)?;
    }
    buffer.resize(len, T::default());
    Ok(buffer)
}

/// Puts the memory of a vector into the pool, unless the pool would exceed `max` bytes.
pub(crate) fn put_bytes(buffer: Vec<u8>, max: usize) {
    let idle = IDLE.get();
    idle.byte_buffers.put(buffer, &idle.buffer_bytes, max);
}

/// Puts the memory of a vector of words into the pool, unless the pool would exceed `max` bytes.
pub(crate) fn put_words(buffer: Vec<u64>, max: usize) {
    let idle = IDLE.get();
    idle.word_buffers.put(buffer, &idle.buffer_bytes, max);
}

/// The number of size classes for each power of two is 2 to the power of this.
const CLASS_BITS: u32 = 2;
/// The number of size classes.
const CLASSES: usize = class_of(MAX_POOLED_BUFFER) + 1;

/// Returns the class that contains a size of at least [`MIN_POOLED_BUFFER`] bytes.
const fn class_of(bytes: usize) -> usize {
    let exponent = bytes.ilog2();
    let steps = (bytes >> (exponent - CLASS_BITS)) - (1 << CLASS_BITS);
    (((exponent - MIN_POOLED_BUFFER.ilog2()) << CLASS_BITS) as usize) + steps
}

/// Freed buffers of one element type.
#[derive(Debug)]
struct BufferPool<T>(Box<[ArrayQueue<Vec<T>>]>);

impl<T> Default for BufferPool<T> {
    fn default() -> Self {
        Self(
            (0..CLASSES)
                .map(|_| ArrayQueue::new(BUFFERS_PER_CLASS))
                .collect(),
        )
    }
}

impl<T> BufferPool<T> {
    /// Removes and returns a vector of the smallest class that has one with a capacity of at least
    /// `len` values, or returns an empty vector. Larger classes are used as well, so that buffers
    /// of a size that is no longer needed do not fill the pool.
    fn take(&self, len: usize, idle: &IdleBytes) -> Vec<T> {
        let bytes = len.saturating_mul(size_of::<T>());
        if !(MIN_POOLED_BUFFER..=MAX_POOLED_BUFFER).contains(&bytes) {
            return Vec::new();
        }
        let class = class_of(bytes);
        for queue in &self.0[class..] {
            let Some(buffer) = queue.pop() else {
                continue;
            };
            // Buffers of the first class may be smaller.
            if buffer.capacity() >= len {
                idle.remove(buffer.capacity() * size_of::<T>());
                return buffer;
            }
            if let Err(buffer) = queue.push(buffer) {
                idle.remove(buffer.capacity() * size_of::<T>());
            }
        }
        Vec::new()
    }

    /// Adds a vector, unless more than `max` bytes would be idle.
    fn put(&self, buffer: Vec<T>, idle: &IdleBytes, max: usize) {
        let bytes = buffer.capacity() * size_of::<T>();
        if (MIN_POOLED_BUFFER..=MAX_POOLED_BUFFER).contains(&bytes)
            && idle.try_add(bytes, max.min(MAX_IDLE_BUFFER_BYTES))
            && self.0[class_of(bytes)].push(buffer).is_err()
        {
            idle.remove(bytes);
        }
    }
}

/// The kinds of workspaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorkspaceKind {
    /// A Zstandard compression context.
    ZstdCompressor,
    /// A Zstandard decompression context.
    ZstdDecompressor,
    /// A libdeflate compressor.
    DeflateCompressor,
    /// A libdeflate decompressor.
    DeflateDecompressor,
    /// A zlib stream.
    ZlibStream,
    /// A bzip2 stream and its memory.
    BzipStream,
    /// The hash table of dictionary encoding.
    Dictionary,
    /// The buffers between the stages of a filter pipeline.
    Pipeline,
    /// The buffers for reading tiles.
    TileRead,
    /// Cells of a tile that are copied to the caller's buffers.
    Cells,
    /// Columns of a dense tile.
    DenseColumns,
    /// A tile before it is encoded.
    EncodeBuffers,
    /// A tile after it is encoded.
    EncodedTile,
}

/// The number of kinds.
const KINDS: usize = WorkspaceKind::EncodedTile as usize + 1;

/// A workspace. Its content between uses is unspecified.
pub(crate) trait Workspace: Send + Sized + 'static {
    /// The kind, different for each type.
    const KIND: WorkspaceKind;

    /// Returns the size of the workspace in bytes, as far as it occupies physical memory.
    fn memory(&self) -> usize;
}

/// Idle workspaces by kind, each with its size in bytes.
#[derive(Debug)]
struct WorkspacePool([ArrayQueue<(Box<dyn Any + Send>, usize)>; KINDS]);

impl Default for WorkspacePool {
    fn default() -> Self {
        Self(array::from_fn(|_| ArrayQueue::new(WORKSPACES_PER_KIND)))
    }
}

impl WorkspacePool {
    fn take<T: Workspace>(&self, idle: &IdleBytes) -> Option<Box<T>> {
        let (workspace, bytes) = self.0[T::KIND as usize].pop()?;
        idle.remove(bytes);
        workspace.downcast().ok()
    }

    fn put<T: Workspace>(&self, workspace: Box<T>, idle: &IdleBytes) {
        let bytes = workspace.memory();
        if idle.try_add(bytes, max_idle_workspace_bytes())
            && self.0[T::KIND as usize].push((workspace, bytes)).is_err()
        {
            idle.remove(bytes);
        }
    }
}

/// A workspace that returns to the pool when it is dropped.
#[derive(Debug)]
pub(crate) struct WorkspaceGuard<T: Workspace>(Option<Box<T>>);

impl<T: Workspace> WorkspaceGuard<T> {
    /// Returns an idle workspace, or creates one.
    ///
    /// # Errors
    ///
    /// Returns the error of `create`.
    pub(crate) fn try_new<E>(
        create: impl FnOnce() -> std::result::Result<T, E>,
    ) -> std::result::Result<Self, E> {
        let idle = IDLE.get();
        let workspace = match idle.workspaces.take(&idle.workspace_bytes) {
            Some(workspace) => workspace,
            None => Box::new(create()?),
        };
        Ok(Self(Some(workspace)))
    }
}

impl<T: Workspace + Default> Default for WorkspaceGuard<T> {
    fn default() -> Self {
        let idle = IDLE.get();
        Self(Some(
            idle.workspaces
                .take(&idle.workspace_bytes)
                .unwrap_or_default(),
        ))
    }
}

impl<T: Workspace> Deref for WorkspaceGuard<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().expect("set until it is dropped")
    }
}

impl<T: Workspace> DerefMut for WorkspaceGuard<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_deref_mut().expect("set until it is dropped")
    }
}

impl<T: Workspace> Drop for WorkspaceGuard<T> {
    fn drop(&mut self) {
        // After a panic its state is unknown.
        if let Some(workspace) = self.0.take().filter(|_| !std::thread::panicking()) {
            let idle = IDLE.get();
            idle.workspaces.put(workspace, &idle.workspace_bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_ascend_by_quarters_of_a_power_of_two() {
        let sizes = [4096, 5119, 5120, 6144, 7168, 8191, 8192, 10_240];
        let classes = sizes.map(class_of);
        assert_eq!(classes, [0, 0, 1, 2, 3, 3, 4, 5]);
        assert_eq!(class_of(MAX_POOLED_BUFFER), CLASSES - 1);
    }

    #[test]
    fn take_returns_a_sufficient_vector() {
        let (pool, idle) = (BufferPool::default(), IdleBytes::default());
        for len in [9000, 5000, 7000, 100] {
            pool.put(Vec::<u8>::with_capacity(len), &idle, 20_000);
        }
        // The third would exceed the limit; the fourth is too small.
        assert_eq!(idle.get(), 14_000);
        let take = |len| pool.take(len, &idle).capacity();
        // Buffers of this size are left to the allocator.
        assert_eq!(take(4000), 0);
        assert_eq!(take(4500), 5000);
        assert_eq!(take(4500), 9000);
        pool.put(Vec::<u8>::with_capacity(9000), &idle, 20_000);
        assert_eq!(take(9001), 0, "of the same class, but too small");
        assert_eq!(take(9000), 9000);
        assert_eq!(idle.get(), 0);
    }

    #[test]
    fn threads_take_each_buffer_once() {
        let (pool, idle) = (BufferPool::<u64>::default(), IdleBytes::default());
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (pool, idle) = (&pool, &idle);
                scope.spawn(move || {
                    for round in 0..10_000 {
                        let mut words = pool.take(1000, idle);
                        words.clear();
                        words.resize(1000, thread * 10_000 + round);
                        assert!(words.iter().all(|word| *word == thread * 10_000 + round));
                        pool.put(words, idle, usize::MAX);
                    }
                });
            }
        });
        let mut left = 0;
        while pool.take(1000, &idle).capacity() > 0 {
            left += 1;
        }
        assert!((1..=4).contains(&left), "{left}");
        assert_eq!(idle.get(), 0);
    }

    #[derive(Debug, Default)]
    struct Small(usize);

    impl Workspace for Small {
        const KIND: WorkspaceKind = WorkspaceKind::Dictionary;

        fn memory(&self) -> usize {
            self.0
        }
    }

    #[test]
    fn workspaces_are_reused_within_the_bounds() {
        let (pool, idle) = (WorkspacePool::default(), IdleBytes::default());
        let most = max_idle_workspace_bytes();
        pool.put(Box::new(Small(1000)), &idle);
        assert_eq!(idle.get(), 1000);
        assert_eq!(pool.take::<Small>(&idle).expect("idle").0, 1000);
        assert!(pool.take::<Small>(&idle).is_none());
        assert_eq!(idle.get(), 0);
        pool.put(Box::new(Small(most + 1)), &idle);
        assert!(pool.take::<Small>(&idle).is_none(), "too large to keep");
        for _ in 0..1000 {
            pool.put(Box::new(Small(most / 8)), &idle);
            assert!(idle.get() <= most);
        }
        while pool.take::<Small>(&idle).is_some() {}
        assert_eq!(idle.get(), 0);
    }
}
