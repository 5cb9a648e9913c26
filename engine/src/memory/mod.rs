//! Memory accounting, pools and caches, and the constants that were chosen by measuring.
//!
//! All memory that outlives the operation that allocated it is here: other modules have no caches,
//! pools or workspaces in statics (`tests/statics.rs`).

mod budget;
pub mod buffer_pool;
mod idle;
mod idle_bytes;
mod lru_cache;
mod open_file_cache;
mod size_classes;
pub mod tuning;
mod workspace;
mod workspace_pool;

pub use budget::{Budget, PARAMETER, Reservation};
pub use lru_cache::LruCache;
pub use open_file_cache::{CachedFile, OpenFilePermit, close_idle_files};
pub use workspace::Pooled;
pub use workspace_pool::{Workspace, WorkspaceKind};
