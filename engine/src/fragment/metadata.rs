//! The metadata file of a new fragment: its sections, each a generic tile, followed by the footer.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::fields::{FieldWriter, StatsShape};
use super::open::dense_tile_num;
use super::writer::FragmentWriter;
use super::{FilePart, rtree, stats};
use crate::bytes::Sink;
use crate::error::{Error, FragmentError, Result, reserve, try_vec};
use crate::format::fragment::{
    Columns, FieldStats, Footer, FooterColumn, FooterHead, RTree, TileStatsColumn, TileValues,
    is_length_stored, slot_num, write_fragment_stats, write_numbers, write_processed_conditions,
};
use crate::format::version::{self as v, FormatVersion};
use crate::geometry::TileGrid;
use crate::schema::{ArraySchema, Dimension};
use crate::tile::generic;
use crate::types::{EncryptionKey, Range as CoordinateRange};

/// The bytes of a record that are kept if they are not zeros.
const MAX_KEPT_RECORD: usize = 1 << 16;

/// The sections encoded so far.
struct EncodedSections<'a> {
    bytes: Vec<u8>,
    /// The positions of encoded records that are short or zeros from some byte on: most slots have
    /// identical sections, of zeros or empty. Long minima and maxima are not kept.
    seen: HashMap<Vec<u8>, Range<usize>>,
    version: FormatVersion,
    key: Option<&'a EncryptionKey>,
}

impl EncodedSections<'_> {
    /// Appends a section, whose record has at most `len` bytes, and returns its position.
    fn add(&mut self, len: usize, write: impl FnOnce(&mut Sink)) -> Result<u64> {
        let mut record = Sink::with_capacity("a section of fragment metadata", len)?;
        write(&mut record);
        let start = self.bytes.len();
        // Encrypted sections are never copied, since each needs its own nonce.
        match self
            .seen
            .get(record.as_slice())
            .filter(|_| self.key.is_none())
        {
            Some(range) => {
                reserve("fragment metadata", &mut self.bytes, range.len())?;
                self.bytes.extend_from_within(range.clone());
            }
            None => {
                generic::encode(record.as_slice(), self.version, self.key, &mut self.bytes)?;
                let rest = record.as_slice().get(MAX_KEPT_RECORD..).unwrap_or_default();
                if rest.iter().all(|byte| *byte == 0) {
                    self.seen
                        .insert(record.into_bytes(), start..self.bytes.len());
                }
            }
        }
        Ok(start as u64)
    }
}

/// Returns the coordinates of the first cell of each tile, then those of the last, by dimension.
/// `bounds` has both for each tile and dimension.
///
/// # Errors
/// If memory cannot be allocated.
pub fn order_values(
    bounds: &[CoordinateRange],
    schema: &ArraySchema,
) -> Result<[Vec<TileValues>; 2]> {
    let dimensions = &schema.domain.dimensions;
    let values = |bound: fn(&CoordinateRange) -> &[u8]| -> Result<Vec<TileValues>> {
        let column = |(dim, dimension): (usize, &Arc<Dimension>)| {
            let size = (!dimension.is_var()).then(|| dimension.datatype.size());
            let mut values = TileValues::new(size);
            for tile in bounds.chunks_exact(dimensions.len().max(1)) {
                values.push(tile.get(dim).map(bound))?;
            }
            Ok(values)
        };
        dimensions.iter().enumerate().map(column).collect()
    };
    Ok([
        values(CoordinateRange::start)?,
        values(CoordinateRange::end)?,
    ])
}

impl FragmentWriter {
    /// Returns the content of the metadata file, and frees the MBRs and the statistics of tiles.
    pub(super) fn metadata(&mut self) -> Result<Vec<u8>> {
        let (tile_num, tile_cell_num, rtree) = if self.dense {
            let tile_num = dense_tile_num(&self.schema, self.non_empty_domain.as_ref());
            let cells = TileGrid::new(&self.schema)?.tile_cell_num;
            (tile_num, cells, RTree::empty())
        } else {
            let rtree = rtree::build(std::mem::take(&mut self.mbrs), &self.schema);
            (Some(rtree.leaf_num() as u64), self.schema.capacity, rtree)
        };
        let tile_num = tile_num.ok_or_else(|| Error::from(FragmentError::OutsideDomain))?;
        for field in &self.fields {
            field.check_tile_num(tile_num)?;
        }
        let last_tile_cell_num = match self.last_tile_cell_num {
            0 => tile_cell_num,
            some => some,
        };
        self.meter.add_tiles(tile_num);
        let full_tiles = tile_num.saturating_sub(1).saturating_mul(tile_cell_num);
        self.meter
            .add_cells(full_tiles.saturating_add(last_tile_cell_num));
        let mut footer = self.footer(tile_num, last_tile_cell_num);
        let version = footer.head.version;
        let key = self.key.clone();
        let mut sections = EncodedSections {
            bytes: Vec::new(),
            seen: HashMap::new(),
            version: version.of_records(),
            key: key.as_ref(),
        };
        footer.rtree = sections.add(rtree.max_record_len(), |to| rtree.write(to))?;
        self.add_offsets(tile_num, &mut footer, &mut sections)?;
        if version >= v::TILE_STATS {
            self.add_stats(tile_num, tile_cell_num, &mut footer, &mut sections)?;
        }
        if version >= v::DELETE_COMMITS {
            footer.processed_conditions =
                sections.add(0, |to| write_processed_conditions(to, &self.processed))?;
        }
        let mut to = Sink::new();
        footer.write(&mut to, &self.schema);
        let mut bytes = sections.bytes;
        reserve("fragment metadata", &mut bytes, to.len() + 8)?;
        bytes.extend_from_slice(to.as_slice());
        if is_length_stored(version, &self.schema) {
            bytes.extend_from_slice(&(to.len() as u64).to_le_bytes());
        }
        Ok(bytes)
    }

    /// Returns the footer without the positions of the sections.
    fn footer(&self, tile_num: u64, last_tile_cell_num: u64) -> Footer {
        let version = self.name.version();
        let named = version >= v::FOOTER_NAMES_SCHEMA;
        Footer {
            head: FooterHead {
                version,
                schema_name: named.then(|| self.schema.name.as_str().into()),
            },
            dense: self.dense,
            non_empty_domain: self.non_empty_domain.clone(),
            sparse_tile_num: if self.dense { 0 } else { tile_num },
            last_tile_cell_num,
            has_timestamps: self.has_timestamps,
            has_delete_metadata: self.has_delete_metadata,
            columns: Columns::new(slot_num(
                &self.schema,
                version,
                self.has_timestamps,
                self.has_delete_metadata,
            )),
            rtree: 0,
            fragment_stats: 0,
            processed_conditions: 0,
            global_order_bounds: Vec::new(),
        }
    }

    /// Returns the field of a slot. The fields are in the order of their slots.
    fn field_in_slot(&self, slot: usize) -> Option<&FieldWriter> {
        let found = self.fields.binary_search_by_key(&slot, |field| field.slot);
        self.fields.get(found.ok()?)
    }

    fn add_offsets(
        &self,
        tile_num: u64,
        footer: &mut Footer,
        sections: &mut EncodedSections<'_>,
    ) -> Result<()> {
        let slots = footer.columns.slot_num();
        let mut add = |column, numbers: fn(&FieldWriter) -> &[u64]| -> Result<()> {
            for slot in 0..slots {
                let numbers = self.field_in_slot(slot).map(numbers).unwrap_or_default();
                let rest = (tile_num as usize).saturating_sub(numbers.len());
                let zeros = try_vec("fragment metadata", rest)?;
                let len = 8 + 8 * (numbers.len() + zeros.len());
                let offset = sections.add(len, |to| {
                    to.u64((numbers.len() + zeros.len()) as u64);
                    to.u64s(numbers);
                    to.u64s(&zeros);
                })?;
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
        for field in &self.fields {
            for part in FilePart::ALL {
                let size = field.file_size(part);
                footer.columns.set(part.file_size(), field.slot, size);
            }
        }
        Ok(())
    }

    fn add_stats(
        &mut self,
        tile_num: u64,
        tile_cell_num: u64,
        footer: &mut Footer,
        sections: &mut EncodedSections<'_>,
    ) -> Result<()> {
        let coordinates = StatsShape::of_coordinates(&self.schema.domain.dimensions);
        let zeros = coordinates
            .map(|shape| zeros(&shape, tile_num))
            .transpose()?
            .unwrap_or_default();
        let nothing = TileStatsColumn::default();
        let column_of = |slot: usize| match self.field_in_slot(slot) {
            Some(field) => &field.stats,
            None if slot == self.schema.attributes.len() => &zeros,
            None => &nothing,
        };
        let (slots, last_tile_cell_num) = (footer.columns.slot_num(), footer.last_tile_cell_num);
        let mut add = |column, values: fn(&TileStatsColumn) -> &TileValues| -> Result<()> {
            for slot in 0..slots {
                let values = values(column_of(slot));
                let offset = sections.add(values.record_len(), |to| values.write(to))?;
                footer.columns.set(column, slot, offset);
            }
            Ok(())
        };
        add(FooterColumn::Mins, |stats| &stats.mins)?;
        add(FooterColumn::Maxs, |stats| &stats.maxs)?;
        if footer.head.version >= v::OPTIONAL_FOOTER_SECTIONS && !footer.dense {
            self.add_order_bounds(footer, sections)?;
        }
        let mut add = |column, numbers: fn(&TileStatsColumn) -> &[u64]| -> Result<()> {
            for slot in 0..slots {
                let numbers = numbers(column_of(slot));
                let offset =
                    sections.add(8 + 8 * numbers.len(), |to| write_numbers(to, numbers))?;
                footer.columns.set(column, slot, offset);
            }
            Ok(())
        };
        add(FooterColumn::Sums, |stats| &stats.sums)?;
        add(FooterColumn::NullCounts, |stats| &stats.null_counts)?;
        if footer.head.version >= v::FRAGMENT_STATS {
            let last = (tile_num as usize).wrapping_sub(1);
            let cell_num = |tile| {
                if tile == last {
                    last_tile_cell_num
                } else {
                    tile_cell_num
                }
            };
            let mut all: Vec<FieldStats> = Vec::with_capacity(slots);
            for slot in 0..slots {
                let found = self.fields.binary_search_by_key(&slot, |field| field.slot);
                all.push(match found {
                    Ok(index) => {
                        // Copies of large strings replace those by tile.
                        let field = &mut self.fields[index];
                        let tiles = std::mem::take(&mut field.stats);
                        stats::aggregate(&tiles, field.shape.physical, cell_num)?
                    }
                    Err(_) => self.coordinate_stats(slot),
                });
            }
            let len = all.iter().map(FieldStats::record_len).sum();
            footer.fragment_stats = sections.add(len, |to| write_fragment_stats(to, &all))?;
        }
        Ok(())
    }

    /// Adds the coordinates of the first cell of each tile, by dimension, then of the last.
    fn add_order_bounds(
        &self,
        footer: &mut Footer,
        sections: &mut EncodedSections<'_>,
    ) -> Result<()> {
        for values in order_values(&self.order_bounds, &self.schema)?
            .iter()
            .flatten()
        {
            let offset = sections.add(values.record_len(), |to| values.write(to))?;
            footer.global_order_bounds.push(offset);
        }
        Ok(())
    }

    /// Returns the statistics of the whole fragment in a slot without a field.
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

/// Returns statistics of zeros for each tile.
fn zeros(shape: &StatsShape, tile_num: u64) -> Result<TileStatsColumn> {
    let mut column = shape.column();
    for _ in 0..tile_num {
        shape.push(&mut column, &Default::default())?;
    }
    Ok(column)
}
