//! How queries read.
//!
//! The result of a dense read is a box of cells in the caller's layout. `plan` lays that box over
//! the domain, and `jobs` says for each space tile which fragment gives which cells; `dense`
//! delivers as long a stretch of the result as fits the buffers, by `fixed` and `var`, and
//! remembers how far it came: that place is all that an incomplete query needs to go on. `select`
//! tells which cells a condition leaves, `tally` computes aggregates; both take cells of tiles as
//! `columns`.

mod dense;
mod labels;
mod sparse;

pub use dense::{DenseRead, ReadRequest};
pub use labels::label_indexes;
pub use sparse::{Deleted, SparseRead, SparseRequest};
pub(crate) use sparse::{check_one_box, refuse_ranges, relevant_fragment_num};
