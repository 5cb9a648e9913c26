//! Advisory locks on folders in memory.

use std::collections::HashMap;
use std::sync::Arc;

use crate::platform::lock::Mutex;
use crate::vfs::backend::{HeldLock, LockMode};

/// The locks that are held: the number of shared ones of a folder, or an exclusive one.
#[derive(Clone, Debug, Default)]
pub(super) struct Locks(Arc<Mutex<HashMap<String, Held>>>);

#[derive(Clone, Copy, Debug)]
enum Held {
    Shared(u64),
    Exclusive,
}

/// A lock on the folder with a key.
#[derive(Debug)]
struct MemoryLock {
    locks: Locks,
    key: String,
}

impl Locks {
    /// Returns a lock on the folder with a key; `None` if a conflicting one is held.
    pub(super) fn attempt(&self, key: String, mode: LockMode) -> Option<Box<dyn HeldLock>> {
        let mut table = self.0.lock();
        let next = match (table.get(&key), mode) {
            (None, LockMode::Exclusive) => Held::Exclusive,
            (None, LockMode::Shared) => Held::Shared(1),
            (Some(Held::Shared(others)), LockMode::Shared) => Held::Shared(others + 1),
            (Some(_), _) => return None,
        };
        table.insert(key.clone(), next);
        let locks = self.clone();
        Some(Box::new(MemoryLock { locks, key }))
    }
}

impl HeldLock for MemoryLock {}

impl Drop for MemoryLock {
    fn drop(&mut self) {
        let mut table = self.locks.0.lock();
        match table.get_mut(&self.key) {
            Some(Held::Shared(others)) if *others > 1 => *others -= 1,
            _ => drop(table.remove(&self.key)),
        }
    }
}
