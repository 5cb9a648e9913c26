//! Query conditions: predicates that select the cells of reads and deletes.
//!
//! A [`Condition`] is built by the caller from names and bytes. `bind` checks it against a schema
//! and its enumerations and returns a [`BoundCondition`], which is evaluated on the statistics of a
//! tile before it is read (`tiles`) and on the cells of a tile in memory (`cells`).
//!
//! Comparisons with null cells are false for all operators except tests for null. Strings are
//! compared by bytes, then by length. Floating-point numbers follow IEEE 754: comparisons with NaN
//! are false, except "not equal". Sets compare bits.

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
pub use tiles::FieldStatistics;
pub(crate) use tiles::counts_nulls;
