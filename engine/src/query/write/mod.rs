//! How queries write.
//!
//! `check` turns the caller's buffers into columns of cells, or says what is wrong with them. `ordered` cuts the columns
//! of a box into space tiles; `global` takes cells that come in the order of the files, in as many submits as it takes.
//! Both hand tiles to `tiles`, which notes statistics, filters and appends. Nothing is visible before the commit.

mod check;
mod global;
mod ordered;
mod stats;
mod tiles;

pub use global::GlobalWrite;
pub use ordered::BoxWrite;
