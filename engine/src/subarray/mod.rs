//! Subarrays: ranges of each dimension in the order in which they were added. A dimension can have
//! ranges of one of its labels instead, which are converted to ranges of indexes when the query is
//! submitted.

mod labels;
mod ranges;

pub use ranges::{LabelRanges, Subarray, merged_ranges, text_of};
