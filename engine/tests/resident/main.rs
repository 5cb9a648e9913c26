//! `sm.mem.total_budget` is a limit on resident memory: each operation works on arrays 20 times as
//! large, in a process of its own. The peak of its resident memory exceeds what it was before by at
//! most the budget and 32 MiB; the caller's buffers are not counted.
#![cfg(target_os = "linux")]
#![expect(clippy::print_stderr, reason = "a child reports to its parent")]

mod operations;
#[path = "../setup/mod.rs"]
mod setup;
mod written_cells;

use std::path::Path;
use std::process::Command;

use operations::Task;

/// The environment variable with the task of a child: budget, operation and folder.
const TASK: &str = "TILEDB_RS_RESIDENT_TASK";
/// Resident memory in bytes beyond the budget: idle memory for reuse and threads.
const EXCESS: u64 = 32 << 20;
/// The budget of the test that always runs.
const SMALL_BUDGET: u64 = 16 << 20;

/// The operations in the order in which they run. Those that change an array come last.
const OPERATIONS: [&str; 22] = [
    "write-dense",
    "write-sparse",
    "write-sparse-large",
    "write-global",
    "read-dense-row",
    "read-dense-col",
    "read-dense-global",
    "read-dense-condition",
    "read-sparse-unordered",
    "read-sparse-row",
    "read-sparse-global",
    "read-sparse-condition",
    "aggregate-dense",
    "aggregate-sparse",
    "aggregate-sparse-condition",
    "consolidate-commits",
    "consolidate-fragment_meta",
    "consolidate-array_meta",
    "consolidate-fragments-dense",
    "consolidate-fragments-sparse",
    "vacuum-dense",
    "vacuum-sparse",
];

/// Runs an operation in a child process, which is this test with [`TASK`] set. Returns its peak.
fn run_in_child(test: &str, budget: u64, operation: &str, folder: &Path) -> Result<u64, String> {
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args([test, "--exact", "--nocapture", "--include-ignored"])
        .env(TASK, format!("{budget}:{operation}:{}", folder.display()))
        .output()
        .expect("a process");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let peak = text.lines().find_map(|line| line.strip_prefix("peak: "));
    match peak.and_then(|peak| peak.parse().ok()) {
        Some(peak) if output.status.success() => Ok(peak),
        _ => Err(text),
    }
}

/// Returns whether an operation runs: all, or those that an environment variable names. Operations
/// that read or change an array need those that write it.
fn is_selected(operation: &&str) -> bool {
    let selected = std::env::var("TILEDB_RS_RESIDENT_OPERATIONS");
    selected.map_or(true, |names| {
        names.split(',').any(|name| name == *operation)
    })
}

/// Runs all operations, or the one that this process is for.
fn check(test: &str, budgets: &[u64]) {
    if let Ok(task) = std::env::var(TASK) {
        let mut parts = task.splitn(3, ':');
        let mut next = || parts.next().expect("a task").to_owned();
        let (budget, operation, folder) = (next(), next(), next());
        let budget = budget.parse().expect("a number");
        let peak = Task { budget, folder }.run(&operation);
        eprintln!("peak: {peak}");
        return;
    }
    let mut failures = Vec::new();
    for budget in budgets {
        let folder = tempfile::tempdir().expect("folder");
        for operation in OPERATIONS.into_iter().filter(is_selected) {
            match run_in_child(test, *budget, operation, folder.path()) {
                Ok(peak) => {
                    eprintln!("{:>4} MiB {operation}: {} KiB", budget >> 20, peak >> 10);
                    if peak > budget + EXCESS {
                        failures.push(format!("{operation}: {peak} bytes, budget {budget}"));
                    }
                }
                Err(text) => failures.push(format!("{operation}: {text}")),
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn operations_stay_within_the_budget() {
    check("operations_stay_within_the_budget", &[SMALL_BUDGET]);
}

#[test]
#[ignore = "takes minutes and 2 GB of storage"]
fn operations_stay_within_64_mib() {
    check("operations_stay_within_64_mib", &[64 << 20]);
}

#[test]
#[ignore = "takes half an hour and 8 GB of storage"]
fn operations_stay_within_256_mib() {
    check("operations_stay_within_256_mib", &[256 << 20]);
}
