//! Memory accounting, pools and caches, and the constants that were chosen by measuring.
//!
//! All memory that outlives the operation that allocated it is here: other modules have no caches,
//! pools or workspaces in statics (`tests/statics.rs`).

mod budget;
mod lru_cache;
mod open_file_cache;
pub(crate) mod pool;
pub(crate) mod tuning;

pub(crate) use budget::{Budget, PARAMETER};
pub(crate) use lru_cache::LruCache;
pub(crate) use open_file_cache::{CachedFile, OpenFilePermit, close_idle_files, with_descriptor};
pub(crate) use pool::{Workspace, WorkspaceGuard, WorkspaceKind};
