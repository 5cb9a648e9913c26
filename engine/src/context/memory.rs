//! Counting memory: a budget from which parts are reserved and to which they return by themselves.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::config::Config;
use crate::error::{Error, Result};

/// The parameter that sets the budget.
const PARAMETER: &str = "sm.mem.total_budget";

/// How much memory may be held at once, in bytes. Clones count together.
#[derive(Clone, Debug)]
pub struct MemoryBudget {
    limit_bytes: u64,
    used_bytes: Arc<AtomicU64>,
}

impl MemoryBudget {
    /// A budget of so many bytes.
    pub fn new(limit_bytes: u64) -> Self {
        Self {
            limit_bytes,
            used_bytes: Arc::default(),
        }
    }

    /// The budget that a configuration grants.
    pub fn from_config(config: &Config) -> Result<Self> {
        config.u64(PARAMETER).map(Self::new)
    }

    /// The whole budget, in bytes.
    pub fn limit_bytes(&self) -> u64 {
        self.limit_bytes
    }

    /// What is reserved now, in bytes.
    pub fn used_bytes(&self) -> u64 {
        self.used_bytes.load(Ordering::Relaxed)
    }

    /// What could be reserved now, in bytes.
    pub fn left_bytes(&self) -> u64 {
        self.limit_bytes.saturating_sub(self.used_bytes())
    }

    /// Reserves memory, unless the budget does not have it.
    pub fn try_reserve(&self, bytes: u64) -> Option<Reservation> {
        self.used_bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
                used.checked_add(bytes)
                    .filter(|used| *used <= self.limit_bytes)
            })
            .ok()?;
        Some(Reservation {
            budget: self.clone(),
            bytes,
        })
    }

    /// Reserves memory for `what`, or fails with the need, the budget and the parameter to raise.
    pub fn reserve(&self, origin: &'static str, what: &str, bytes: u64) -> Result<Reservation> {
        self.try_reserve(bytes).ok_or_else(|| Error::budget(
            origin,
            format!(
                "Cannot reserve {bytes} bytes for {what}; {} of {} bytes of the memory budget are in use, raise {PARAMETER}",
                self.used_bytes(),
                self.limit_bytes
            ),
        ))
    }
}

/// Reserved memory; dropping it gives it back.
#[derive(Debug)]
#[must_use = "dropping a reservation gives it back"]
pub struct Reservation {
    budget: MemoryBudget,
    bytes: u64,
}

impl Reservation {
    /// How much is reserved, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.budget
            .used_bytes
            .fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_reserved_comes_back() {
        let budget = MemoryBudget::new(100);
        let first = budget.reserve("Test", "a", 60).expect("fits");
        assert_eq!((budget.used_bytes(), budget.left_bytes()), (60, 40));
        assert!(budget.try_reserve(41).is_none());
        drop(first);
        assert_eq!(budget.used_bytes(), 0);
        assert!(budget.try_reserve(u64::MAX).is_none());
    }

    #[test]
    fn a_refusal_names_need_budget_and_parameter() {
        let error = MemoryBudget::new(10).reserve("Reader", "tiles", 11);
        let text = error.expect_err("too much").to_string();
        for part in ["Reader", "11 bytes", "tiles", "10 bytes", PARAMETER] {
            assert!(text.contains(part), "{text}");
        }
    }
}
