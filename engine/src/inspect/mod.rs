//! Looking at what is stored: the fragments of an array, as programs and people ask for them.

mod fragment_info;
mod fragment_ranges;

#[cfg(test)]
mod tests;

pub use fragment_info::FragmentInfo;
pub use fragment_ranges::{DimensionOf, RangeAsked};
