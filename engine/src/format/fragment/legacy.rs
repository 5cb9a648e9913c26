//! Fragment metadata of versions 1 and 2: a single record. Reading it yields the same types as the
//! newer files.
//!
//! ```text
//! version              u32
//! non-empty domain     u64 length, then a box; length 0 if undefined
//! MBRs                 u64 number, then the MBRs
//! bounding coords      u64 number, each as long as an MBR; not used
//! tile offsets         numbers by tile for each attribute and for the coordinates
//! var tile offsets     numbers by tile for each attribute
//! var tile sizes       numbers by tile for each attribute
//! cells in last tile   u64
//! file sizes           u64 for each attribute and for the coordinates
//! var file sizes       u64 for each attribute
//! ```
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use super::footer::{Footer, FooterHead, slot_num};
use super::footer_columns::{Columns, FooterColumn};
use super::read_numbers;
use super::rtree::{FANOUT, RTree, RTreeLevel, read_level};
use crate::bytes::Cursor;
use crate::error::Result;
use crate::format::rectangle;
use crate::format::version::{self as v, FormatVersion};
use crate::schema::ArraySchema;

/// The complete metadata of a fragment.
#[derive(Clone, Debug, PartialEq)]
pub struct LegacyMetadata {
    /// The values that newer fragments store in their footer.
    pub footer: Footer,
    /// The MBRs, as a tree with a single level.
    pub rtree: RTree,
    /// The offsets of stored tiles, by slot.
    pub tile_offsets: Vec<Vec<u64>>,
    /// The offsets of stored tiles of variable-length values, by attribute.
    pub var_offsets: Vec<Vec<u64>>,
    /// The unfiltered sizes of tiles of variable-length values, by attribute.
    pub var_sizes: Vec<Vec<u64>>,
}

impl LegacyMetadata {
    /// Reads the record. It does not contain whether the fragment is dense: dense fragments have no
    /// file of coordinates.
    pub fn read(from: &mut Cursor<'_>, schema: &ArraySchema, dense: bool) -> Result<Self> {
        let start = from.clone();
        let version = FormatVersion(from.u32("version")?);
        if version > v::LAST_UNIQUE_FIRST_NAMES {
            return Err(start.corrupt("version", format!("is {version}, which has a footer")));
        }
        let non_empty_domain = match from.u64("non-empty domain")? {
            0 => None,
            _ => Some(rectangle::read(from, "non-empty domain", &schema.domain)?),
        };
        let leaves = read_level(from, schema)?;
        let mbr_len = rectangle::min_len(&schema.domain);
        let bounding = from.count("bounding coords", mbr_len)?;
        from.skip("bounding coords", bounding * mbr_len)?;
        let slots = slot_num(schema, version, false, false);
        let mut numbers = |count: usize, field| {
            (0..count)
                .map(|_| read_numbers(from, field))
                .collect::<Result<Vec<_>>>()
        };
        let tile_offsets = numbers(slots, "tile offsets")?;
        let var_offsets = numbers(slots - 1, "var tile offsets")?;
        let var_sizes = numbers(slots - 1, "var tile sizes")?;
        let last_tile_cell_num = from.u64("cells in last tile")?;
        let mut columns = Columns::new(slots);
        for (column, count) in [
            (FooterColumn::FixedFileSize, slots),
            (FooterColumn::VarFileSize, slots - 1),
        ] {
            for slot in 0..count {
                columns.set(column, slot, from.u64("file sizes")?);
            }
        }
        let footer = Footer {
            head: FooterHead {
                version,
                schema_name: None,
            },
            dense,
            non_empty_domain,
            sparse_tile_num: leaves.len() as u64,
            last_tile_cell_num,
            has_timestamps: false,
            has_delete_metadata: false,
            columns,
            rtree: 0,
            fragment_stats: 0,
            processed_conditions: 0,
            global_order_bounds: Vec::new(),
        };
        Ok(Self {
            footer,
            rtree: RTree {
                fanout: FANOUT,
                levels: Some(leaves)
                    .filter(|level: &RTreeLevel| !level.is_empty())
                    .into_iter()
                    .collect(),
            },
            tile_offsets,
            var_offsets,
            var_sizes,
        })
    }
}
