//! The metadata file of a new fragment: its sections, each a generic tile, followed by the footer.

use std::collections::HashMap;
use std::ops::Range;

use super::fields::{FieldWriter, StatsShape};
use super::{FilePart, stats};
use crate::bytes::Sink;
use crate::error::Result;
use crate::format::fragment::{
    FieldStats, Footer, FooterColumn, RTree, TileStatsColumn, TileValues, is_length_stored,
    write_fragment_stats, write_numbers, write_processed_conditions,
};
use crate::format::version::{self as v, FormatVersion};
use crate::schema::ArraySchema;
use crate::tile::generic;
use crate::types::{EncryptionKey, Range as CoordinateRange};

/// The content of the metadata file.
pub(super) struct Contents<'a> {
    pub(super) schema: &'a ArraySchema,
    /// The fields in the order of their slots.
    pub(super) fields: &'a [FieldWriter],
    pub(super) rtree: &'a RTree,
    /// The coordinates of the first and the last cell of each tile of a sparse fragment, by
    /// dimension.
    pub(super) order_bounds: &'a [CoordinateRange],
    pub(super) tile_num: u64,
    /// The number of cells in each tile but the last.
    pub(super) tile_cell_num: u64,
    pub(super) last_tile_cell_num: u64,
    /// The delete conditions that were already applied.
    pub(super) processed: &'a [String],
    pub(super) key: Option<&'a EncryptionKey>,
}

/// The sections encoded so far.
struct EncodedSections<'a> {
    bytes: Vec<u8>,
    /// The positions of records that were already encoded. Most slots have identical sections, of
    /// zeros or empty.
    seen: HashMap<Vec<u8>, Range<usize>>,
    version: FormatVersion,
    key: Option<&'a EncryptionKey>,
}

impl EncodedSections<'_> {
    /// Appends a section and returns its position.
    fn add(&mut self, write: impl FnOnce(&mut Sink)) -> Result<u64> {
        let mut record = Sink::new();
        write(&mut record);
        let start = self.bytes.len();
        // Encrypted sections are never copied, since each needs its own nonce.
        match self
            .seen
            .get(record.as_slice())
            .filter(|_| self.key.is_none())
        {
            Some(range) => self.bytes.extend_from_within(range.clone()),
            None => {
                generic::encode(record.as_slice(), self.version, self.key, &mut self.bytes)?;
                self.seen
                    .insert(record.into_bytes(), start..self.bytes.len());
            }
        }
        Ok(start as u64)
    }
}

/// Returns the coordinates of the first cell of each tile, then those of the last, by dimension.
/// `bounds` has both for each tile and dimension.
pub fn order_values(bounds: &[CoordinateRange], schema: &ArraySchema) -> [Vec<TileValues>; 2] {
    let dimensions = &schema.domain.dimensions;
    [CoordinateRange::start, CoordinateRange::end].map(|bound| {
        dimensions
            .iter()
            .enumerate()
            .map(|(dim, dimension)| {
                let size = (!dimension.is_var()).then(|| dimension.datatype.size());
                let mut values = TileValues::new(size);
                for tile in bounds.chunks_exact(dimensions.len().max(1)) {
                    values.push(tile.get(dim).map(bound));
                }
                values
            })
            .collect()
    })
}

impl Contents<'_> {
    /// Returns the bytes of the file. `footer` contains everything except the positions of the
    /// sections, which are filled in.
    pub(super) fn encode(&self, mut footer: Footer) -> Result<Vec<u8>> {
        let mut sections = EncodedSections {
            bytes: Vec::new(),
            seen: HashMap::new(),
            version: footer.head.version.of_records(),
            key: self.key,
        };
        footer.rtree = sections.add(|to| self.rtree.write(to))?;
        self.add_offsets(&mut footer, &mut sections)?;
        if footer.head.version >= v::TILE_STATS {
            self.add_stats(&mut footer, &mut sections)?;
        }
        if footer.head.version >= v::DELETE_COMMITS {
            footer.processed_conditions =
                sections.add(|to| write_processed_conditions(to, self.processed))?;
        }
        let mut to = Sink::new();
        footer.write(&mut to, self.schema);
        let mut bytes = sections.bytes;
        bytes.extend_from_slice(to.as_slice());
        if is_length_stored(footer.head.version, self.schema) {
            bytes.extend_from_slice(&(to.len() as u64).to_le_bytes());
        }
        Ok(bytes)
    }

    fn field(&self, slot: usize) -> Option<&FieldWriter> {
        let found = self.fields.binary_search_by_key(&slot, |field| field.slot);
        self.fields.get(found.ok()?)
    }

    fn add_offsets(&self, footer: &mut Footer, sections: &mut EncodedSections<'_>) -> Result<()> {
        let slots = footer.columns.slot_num();
        let mut add = |column, numbers: fn(&FieldWriter) -> &[u64]| -> Result<()> {
            for slot in 0..slots {
                let mut all = self.field(slot).map(numbers).unwrap_or_default().to_vec();
                all.resize(self.tile_num as usize, 0);
                let offset = sections.add(|to| write_numbers(to, &all))?;
                footer.columns.set(column, slot, offset);
            }
            Ok(())
        };
        add(FooterColumn::TileOffsets, |field| {
            field.tile_offsets(FilePart::Fixed)
        })?;
        add(FooterColumn::VarOffsets, |field| {
            field.tile_offsets(FilePart::Var)
        })?;
        add(FooterColumn::VarSizes, |field| &field.var_sizes)?;
        add(FooterColumn::ValidityOffsets, |field| {
            field.tile_offsets(FilePart::Validity)
        })?;
        for field in self.fields {
            for part in FilePart::ALL {
                let size = field.file_size(part);
                footer.columns.set(part.file_size(), field.slot, size);
            }
        }
        Ok(())
    }

    fn add_stats(&self, footer: &mut Footer, sections: &mut EncodedSections<'_>) -> Result<()> {
        let coordinates = StatsShape::of_coordinates(&self.schema.domain.dimensions);
        let zeros = coordinates
            .map(|shape| self.zeros(&shape))
            .unwrap_or_default();
        let nothing = TileStatsColumn::default();
        let column_of = |slot: usize| match self.field(slot) {
            Some(field) => &field.stats,
            None if slot == self.schema.attributes.len() => &zeros,
            None => &nothing,
        };
        let slots = footer.columns.slot_num();
        let mut add = |column, write: fn(&TileStatsColumn, &mut Sink)| -> Result<()> {
            for slot in 0..slots {
                let offset = sections.add(|to| write(column_of(slot), to))?;
                footer.columns.set(column, slot, offset);
            }
            Ok(())
        };
        add(FooterColumn::Mins, |stats, to| stats.mins.write(to))?;
        add(FooterColumn::Maxs, |stats, to| stats.maxs.write(to))?;
        if footer.head.version >= v::OPTIONAL_FOOTER_SECTIONS && !footer.dense {
            self.add_order_bounds(footer, sections)?;
        }
        let mut add = |column, write: fn(&TileStatsColumn, &mut Sink)| -> Result<()> {
            for slot in 0..slots {
                let offset = sections.add(|to| write(column_of(slot), to))?;
                footer.columns.set(column, slot, offset);
            }
            Ok(())
        };
        add(FooterColumn::Sums, |stats, to| {
            write_numbers(to, &stats.sums)
        })?;
        add(FooterColumn::NullCounts, |stats, to| {
            write_numbers(to, &stats.null_counts)
        })?;
        if footer.head.version >= v::FRAGMENT_STATS {
            let all: Vec<FieldStats> = (0..slots).map(|slot| self.fragment_stats(slot)).collect();
            footer.fragment_stats = sections.add(|to| write_fragment_stats(to, &all))?;
        }
        Ok(())
    }

    /// Adds the coordinates of the first cell of each tile, by dimension, then of the last.
    fn add_order_bounds(
        &self,
        footer: &mut Footer,
        sections: &mut EncodedSections<'_>,
    ) -> Result<()> {
        for values in order_values(self.order_bounds, self.schema)
            .iter()
            .flatten()
        {
            let offset = sections.add(|to| values.write(to))?;
            footer.global_order_bounds.push(offset);
        }
        Ok(())
    }

    /// Returns statistics of zeros for each tile.
    fn zeros(&self, shape: &StatsShape) -> TileStatsColumn {
        let mut column = shape.column();
        for _ in 0..self.tile_num {
            shape.push(&mut column, &Default::default());
        }
        column
    }

    /// Returns the statistics of a slot for the whole fragment.
    fn fragment_stats(&self, slot: usize) -> FieldStats {
        let Some(field) = self.field(slot) else {
            return self.coordinate_stats(slot);
        };
        let last = (self.tile_num as usize).wrapping_sub(1);
        stats::aggregate(&field.stats, field.shape.physical, |tile| {
            if tile == last {
                self.last_tile_cell_num
            } else {
                self.tile_cell_num
            }
        })
    }

    fn coordinate_stats(&self, slot: usize) -> FieldStats {
        let dimensions = &self.schema.domain.dimensions;
        let shape = StatsShape::of_coordinates(dimensions);
        match (
            shape.filter(|shape| shape.min_max.is_some()),
            dimensions.first(),
        ) {
            (Some(_), Some(first)) if slot == self.schema.attributes.len() => FieldStats {
                min: vec![0; first.datatype.size()],
                max: vec![0; first.datatype.size()],
                ..FieldStats::default()
            },
            _ => FieldStats::default(),
        }
    }
}
