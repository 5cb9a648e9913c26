//! What a query asks for: ranges of each dimension, in the order they were added.

mod ranges;

pub use ranges::{Subarray, text_of};
