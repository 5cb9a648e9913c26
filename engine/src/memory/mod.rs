//! Memory accounting, pools and caches, and the constants that were chosen by measuring.
//!
//! All memory that outlives the operation that allocated it is here: other modules have no caches,
//! pools or workspaces in statics (`tests/statics.rs`).

mod budget;
mod lru_cache;
mod open_file_cache;
pub mod pool;
pub mod tuning;

pub use budget::{Budget, PARAMETER, Reservation};
pub use lru_cache::LruCache;
pub use open_file_cache::{CachedFile, OpenFilePermit, close_idle_files};
pub use pool::{Pooled, Workspace, WorkspaceKind};
