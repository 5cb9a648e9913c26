//! Consolidation while others change the array all the time: it ends and succeeds.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::array::{Cells, Operation};
use super::nested::Nested;
use super::{INNER, Scenario, is_blocked};

/// The number of storage calls between two changes. A consolidation of the array makes more.
const INTERVAL: u64 = 60;
/// The number of changes after which a consolidation counts as endless.
const MOST: u64 = 60;

/// The changes that others have made.
#[derive(Clone, Default)]
struct Changes(Arc<AtomicU64>);

impl Changes {
    /// Runs `change` at regular intervals from now on.
    fn repeat(&self, storage: &Nested, change: Arc<dyn Fn(u64) + Send + Sync>) {
        let (changes, repeated) = (self.clone(), storage.clone());
        storage.run_at(INTERVAL, move || {
            let number = changes.0.fetch_add(1, Ordering::Relaxed);
            if number < MOST {
                change(number);
                changes.repeat(&repeated, change);
            }
        });
    }
}

/// Consolidates while others change the array. Returns the number of changes.
fn consolidate(change: impl Fn(&Cells, u64) + Send + Sync + 'static) -> u64 {
    let scenario = Scenario::new();
    let array = scenario.copy();
    let (changes, inside) = (Changes::default(), array.clone());
    changes.repeat(
        &scenario.storage,
        Arc::new(move |number| change(&inside, number)),
    );
    let done = array.run(Operation::Consolidate("fragments"), 0);
    done.expect("consolidates");
    assert!(!scenario.storage.has_run(), "changes to the end");
    let changes = changes.0.load(Ordering::Relaxed);
    let content = array.read().expect("reads");
    let written = scenario.content.cells.len() as u64 + 3 * changes;
    assert_eq!(content.cells.len() as u64, written);
    changes
}

/// Writes cells at a time of its own.
fn write(array: &Cells, number: u64) {
    let written = array.run(Operation::Write, INNER + number);
    written.expect("writes");
}

#[test]
fn a_consolidation_ends_although_others_write() {
    let changes = consolidate(write);
    assert!((1..MOST / 4).contains(&changes), "{changes}");
}

#[test]
fn a_consolidation_succeeds_although_others_merge_and_remove_its_fragments() {
    let changes = consolidate(|array, number| {
        write(array, number);
        for operation in [
            Operation::Consolidate("fragments"),
            Operation::Vacuum("fragments"),
        ] {
            let done = array.run(operation, 0);
            assert!(done.is_ok() || is_blocked(&done), "{done:?}");
        }
    });
    assert!((1..MOST / 4).contains(&changes), "{changes}");
}
