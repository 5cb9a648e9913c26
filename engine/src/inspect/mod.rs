//! Inspection of stored data: the fragments of an array.

mod fragment_info;
mod fragment_ranges;

#[cfg(test)]
mod tests;

pub use fragment_info::FragmentInfo;
