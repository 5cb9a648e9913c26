//! Memory accounting: a budget from which memory is reserved, and reservations that release it on
//! drop.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{BudgetError, BudgetPurpose, Component, Result};

/// The parameter that sets the budget.
pub(crate) const PARAMETER: &str = "sm.mem.total_budget";

/// A limit on the memory in use at one time, in bytes. Clones share the count.
#[derive(Clone, Debug)]
pub struct Budget {
    limit_bytes: u64,
    used_bytes: Arc<AtomicU64>,
}

impl Budget {
    /// Creates a budget of this many bytes.
    pub fn new(limit_bytes: u64) -> Self {
        Self {
            limit_bytes,
            used_bytes: Arc::default(),
        }
    }

    /// Returns the total budget in bytes.
    pub fn limit_bytes(&self) -> u64 {
        self.limit_bytes
    }

    /// Returns the number of bytes reserved.
    pub fn used_bytes(&self) -> u64 {
        self.used_bytes.load(Ordering::Relaxed)
    }

    /// Returns the number of bytes that can still be reserved.
    pub fn left_bytes(&self) -> u64 {
        self.limit_bytes.saturating_sub(self.used_bytes())
    }

    /// Reserves memory. Returns `None` if that would exceed the budget.
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

    /// Reserves memory for `purpose`. If that would exceed the budget, returns an error with the
    /// need, the budget and the parameter to raise.
    pub fn reserve(
        &self,
        component: Component,
        purpose: &'static str,
        bytes: u64,
    ) -> Result<Reservation> {
        Ok(self.try_reserve(bytes).ok_or_else(|| BudgetError {
            component,
            purpose: BudgetPurpose::Other(purpose),
            need: bytes,
            available: self.left_bytes(),
            budget: self.limit_bytes,
            parameter: PARAMETER,
        })?)
    }
}

/// A reservation of memory, released on drop.
#[derive(Debug)]
#[must_use = "dropping a reservation releases the memory"]
pub struct Reservation {
    budget: Budget,
    bytes: u64,
}

impl Reservation {
    /// Returns the number of bytes reserved.
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
    fn dropped_reservations_are_released() {
        let budget = Budget::new(100);
        let first = budget.reserve(Component::Writer, "a", 60).expect("fits");
        assert_eq!((budget.used_bytes(), budget.left_bytes()), (60, 40));
        assert!(budget.try_reserve(41).is_none());
        drop(first);
        assert_eq!(budget.used_bytes(), 0);
        assert!(budget.try_reserve(u64::MAX).is_none());
    }

    #[test]
    fn an_exceeded_budget_error_names_need_budget_and_parameter() {
        let error = Budget::new(10).reserve(Component::DenseReader, "tiles", 11);
        let text = error.expect_err("too much").to_string();
        for part in ["reader", "11 bytes", "tiles", "10 bytes", PARAMETER] {
            assert!(text.contains(part), "{text}");
        }
    }
}
