//! Memory accounting, pools and caches.
//!
//! All memory that outlives the operation that allocated it, and all tuning constants, are here:
//! other modules have no caches, pools or workspaces in statics (`tests/module_order.rs`).

mod budget;
pub mod buffer_pool;

pub use budget::{Budget, PARAMETER, Reservation};
