//! What a query asks for: ranges of each dimension, in the order they were added. A dimension can have ranges of one of its
//! labels instead, which become ranges of indexes when the query is submitted.

mod labels;
mod ranges;

pub use labels::LabelRanges;
pub use ranges::{Subarray, text_of};
