//! The records of a fragment's metadata file, one file here for each.
//!
//! The file is a row of generic tiles, the sections, and a footer that says where each starts. A
//! reader needs the footer only; sections load when they are wanted. `legacy` reads what versions 1
//! and 2 had instead.

mod consolidated;
mod footer;
mod fragment_stats;
mod legacy;
mod processed_conditions;
mod rtree;
mod tile_offsets;
mod tile_stats;

#[cfg(test)]
mod tests;

pub use consolidated::{read_consolidated, write_consolidated};
pub use footer::{Column, Columns, Footer, FooterHead, FooterPlace, is_length_stored, slot_num};
pub use fragment_stats::{FieldStats, read_fragment_stats, write_fragment_stats};
pub use legacy::LegacyMetadata;
pub use processed_conditions::{read_processed_conditions, write_processed_conditions};
pub use rtree::{FANOUT, Level, RTree};
pub use tile_offsets::{read_numbers, write_numbers};
pub use tile_stats::{TileStatsColumn, TileValues, has_min_max, has_sum};
