//! Benchmarks of the stages of reads and writes. `docs/benchmarks.md` describes how to run them and
//! how to read the results.
//!
//! All run with one thread, on data in memory unless the name says otherwise, so that the time is
//! the work of the stage.

mod aggregates;
mod arrays;
mod columns;
mod conditions;
mod data;
mod dense;
mod filters;
mod geometry;
mod maintenance;
mod order_bounds;
#[path = "../../tests/setup/mod.rs"]
mod setup;
mod sparse;
mod storage;
mod tiles;
mod writes;

use std::time::Duration;

fn main() {
    divan::Divan::default()
        .max_time(Duration::from_millis(500))
        .sample_count(40)
        .config_with_args()
        .main();
}
