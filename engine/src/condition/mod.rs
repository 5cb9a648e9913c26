//! Conditions: which cells a read gives, or a delete removes, by their values.
//!
//! A [`Condition`] is what a caller builds, in names and bytes. Held against a schema and its enumerations it
//! becomes a [`BoundCondition`] (`bind`), which answers two questions: what the statistics of a tile tell before anything
//! is read (`tiles`), and which cells of a tile in memory it selects (`cells`).
//!
//! Comparisons with a null cell are false, whatever the operator; only tests for null see them. Text is compared by bytes
//! and length. Reals follow IEEE 754: NaN differs from everything and is less than nothing; sets compare bits.

mod bind;
mod cells;
mod lanes;
mod members;
mod string_members;
mod strings;
mod table;
#[cfg(test)]
mod tests;
mod tiles;

pub use crate::types::condition::{Combination, Comparison, Condition, Operand, Operator};
pub use bind::{BoundCondition, without_labels};
pub(crate) use tiles::counts_nulls;
pub use tiles::{FieldStatistics, TileMatch};
