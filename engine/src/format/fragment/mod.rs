//! The records of a fragment's metadata file, one file each.
//!
//! The file consists of generic tiles, the sections, followed by a footer with their positions.
//! Opening a fragment reads the footer; sections are read when they are needed. `legacy` reads the
//! metadata of versions 1 and 2.

mod consolidated;
mod footer;
mod footer_columns;
mod fragment_stats;
mod legacy;
mod processed_conditions;
mod rtree;
mod tile_offsets;
mod tile_stats;

#[cfg(test)]
mod tests;

pub use consolidated::{read_consolidated, write_consolidated};
pub use footer::{Footer, FooterHead, FooterLocation, is_length_stored, slot_num};
pub use footer_columns::{Columns, FooterColumn};
pub use fragment_stats::{FieldStats, read_fragment_stats, write_fragment_stats};
pub use legacy::LegacyMetadata;
pub use processed_conditions::{read_processed_conditions, write_processed_conditions};
pub use rtree::{FANOUT, RTree, RTreeLevel};
pub use tile_offsets::{read_numbers, read_numbers_within, write_numbers};
pub use tile_stats::{TileStatsColumn, TileValues, has_min_max, has_sum};
