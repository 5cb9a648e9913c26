//! Idle workspaces: contexts of codecs and sets of buffers that an operation needs for a short time
//! and that are expensive to create.

use std::any::Any;
use std::array;

use crossbeam::queue::ArrayQueue;

use super::idle_bytes::IdleBytes;
use super::tuning::{WORKSPACES_PER_KIND, max_idle_workspace_bytes};

/// The kinds of workspaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkspaceKind {
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
pub trait Workspace: Send + Sized + 'static {
    /// The kind, different for each type.
    const KIND: WorkspaceKind;

    /// Returns the size of the workspace in bytes, as far as it occupies physical memory.
    fn memory(&self) -> usize;
}

/// An idle workspace and its size in bytes.
type IdleWorkspace = (Box<dyn Any + Send>, usize);

/// Idle workspaces by kind.
#[derive(Debug)]
pub(super) struct WorkspacePool([ArrayQueue<IdleWorkspace>; KINDS]);

impl Default for WorkspacePool {
    fn default() -> Self {
        Self(array::from_fn(|_| ArrayQueue::new(WORKSPACES_PER_KIND)))
    }
}

impl WorkspacePool {
    pub(super) fn take<T: Workspace>(&self, idle: &IdleBytes) -> Option<Box<T>> {
        let (workspace, bytes) = self.0[T::KIND as usize].pop()?;
        idle.remove(bytes);
        workspace.downcast().ok()
    }

    pub(super) fn put<T: Workspace>(&self, workspace: Box<T>, idle: &IdleBytes) {
        let bytes = workspace.memory();
        if idle.try_add(bytes, max_idle_workspace_bytes())
            && self.0[T::KIND as usize].push((workspace, bytes)).is_err()
        {
            idle.remove(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
