//! The numbers of a footer by slot: the sizes of files and the positions of sections.
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use std::sync::Arc;

use crate::bytes::{Cursor, Sink};
use crate::error::Result;
use crate::format::version::{self as v, FormatVersion};

/// The numbers that a footer contains for each slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FooterColumn {
    /// The size of the file of values or offsets, in bytes.
    FixedFileSize = 0,
    /// The size of the file of variable-length values, in bytes.
    VarFileSize,
    /// The size of the file of validity, in bytes.
    ValidityFileSize,
    /// The position of the offsets of stored tiles in the metadata file; likewise for the sections
    /// below.
    TileOffsets,
    /// The offsets of stored tiles of variable-length values.
    VarOffsets,
    /// The unfiltered sizes of tiles of variable-length values.
    VarSizes,
    /// The offsets of stored tiles of validity.
    ValidityOffsets,
    /// The least value of each tile.
    Mins,
    /// The greatest value of each tile.
    Maxs,
    /// The sum of each tile.
    Sums,
    /// The number of null cells of each tile.
    NullCounts,
}

const SIZES: [FooterColumn; 3] = [
    FooterColumn::FixedFileSize,
    FooterColumn::VarFileSize,
    FooterColumn::ValidityFileSize,
];
const SECTIONS: [FooterColumn; 8] = [
    FooterColumn::TileOffsets,
    FooterColumn::VarOffsets,
    FooterColumn::VarSizes,
    FooterColumn::ValidityOffsets,
    FooterColumn::Mins,
    FooterColumn::Maxs,
    FooterColumn::Sums,
    FooterColumn::NullCounts,
];
/// The number of columns.
const COLUMN_NUM: usize = SIZES.len() + SECTIONS.len();

impl FooterColumn {
    /// Returns all columns in the order of their numbers.
    fn all() -> impl Iterator<Item = Self> {
        SIZES.into_iter().chain(SECTIONS)
    }

    fn first_version(self) -> FormatVersion {
        match self {
            Self::ValidityFileSize | Self::ValidityOffsets => v::NULLABLE,
            Self::Mins | Self::Maxs | Self::Sums | Self::NullCounts => v::TILE_STATS,
            _ => v::METADATA_FOOTER,
        }
    }

    /// Returns the number of slots, out of `slot_num`, that the file stores in this column.
    pub(super) fn stored(self, version: FormatVersion, slot_num: usize) -> usize {
        let var = matches!(self, Self::VarFileSize | Self::VarOffsets | Self::VarSizes);
        if version < self.first_version() {
            0
        } else if var && version < v::SPLIT_DIMENSIONS {
            slot_num - 1
        } else {
            slot_num
        }
    }
}

/// A number for each column and slot.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    slot_num: usize,
    /// The numbers of each slot up to the last one that was set, unless they are stored. The others
    /// are 0 and use no memory, because a message can have many fragments with few numbers.
    numbers: Vec<[u64; COLUMN_NUM]>,
    stored: Option<StoredNumbers>,
}

/// Numbers in the record of which the footer is a part. They are decoded when they are needed: an
/// open of many fragments needs few.
#[derive(Clone, Debug)]
struct StoredNumbers {
    record: Arc<Vec<u8>>,
    /// The position of the first number in the record.
    start: usize,
    version: FormatVersion,
}

impl PartialEq for Columns {
    fn eq(&self, other: &Self) -> bool {
        self.slot_num == other.slot_num && self.decoded() == other.decoded()
    }
}

/// Returns the number of numbers that a file stores in the first `column_num` columns.
fn stored_before(column_num: usize, version: FormatVersion, slot_num: usize) -> usize {
    if version >= v::TILE_STATS {
        return column_num * slot_num;
    }
    FooterColumn::all()
        .take(column_num)
        .map(|column| column.stored(version, slot_num))
        .sum()
}

impl StoredNumbers {
    /// Returns a number; 0 if the file does not store it.
    fn get(&self, column: FooterColumn, slot: usize, slot_num: usize) -> u64 {
        if slot >= column.stored(self.version, slot_num) {
            return 0;
        }
        let before = stored_before(column as usize, self.version, slot_num);
        // The position of the R-tree is between the sizes and the positions of other sections.
        let rtree = usize::from(column as usize >= SIZES.len());
        let index = before + rtree + slot;
        let bytes = self.record.get(self.start + 8 * index..);
        let number = bytes.and_then(<[u8]>::first_chunk);
        number.map_or(0, |number| u64::from_le_bytes(*number))
    }
}

impl Columns {
    /// Creates columns of zeros.
    pub fn new(slot_num: usize) -> Self {
        Self {
            slot_num,
            numbers: Vec::new(),
            stored: None,
        }
    }

    /// Returns the number of slots.
    pub fn slot_num(&self) -> usize {
        self.slot_num
    }

    /// Returns the numbers of all slots.
    fn decoded(&self) -> Vec<[u64; COLUMN_NUM]> {
        (0..self.slot_num)
            .map(|slot| {
                let mut numbers = [0; COLUMN_NUM];
                for (number, column) in numbers.iter_mut().zip(FooterColumn::all()) {
                    *number = self.get(column, slot);
                }
                numbers
            })
            .collect()
    }

    /// Returns a number; 0 for a slot out of range.
    pub fn get(&self, column: FooterColumn, slot: usize) -> u64 {
        if let Some(stored) = &self.stored {
            return stored.get(column, slot, self.slot_num);
        }
        let numbers = self.numbers.get(slot);
        let number = numbers.and_then(|numbers| numbers.get(column as usize));
        number.copied().unwrap_or(0)
    }

    /// Returns the numbers that the file stores in a column.
    pub fn column(&self, column: FooterColumn, version: FormatVersion) -> Vec<u64> {
        let slots = 0..column.stored(version, self.slot_num);
        slots.map(|slot| self.get(column, slot)).collect()
    }

    /// Sets a number; does nothing for a slot out of range.
    pub fn set(&mut self, column: FooterColumn, slot: usize, number: u64) {
        if slot >= self.slot_num {
            return;
        }
        let numbers = self.first_slots(slot + 1).get_mut(slot);
        if let Some(target) = numbers.and_then(|numbers| numbers.get_mut(column as usize)) {
            *target = number;
        }
    }

    /// Returns the numbers of at least the first `len` slots for changes.
    fn first_slots(&mut self, len: usize) -> &mut [[u64; COLUMN_NUM]] {
        if self.stored.is_some() {
            self.numbers = self.decoded();
            self.stored = None;
        }
        if self.numbers.len() < len {
            self.numbers.resize(len, [0; COLUMN_NUM]);
        }
        &mut self.numbers
    }

    /// Reads all columns and the position of the R-tree between them.
    pub(super) fn read_all(
        slot_num: usize,
        from: &mut Cursor<'_>,
        version: FormatVersion,
    ) -> Result<(Self, u64)> {
        let mut columns = Self::new(slot_num);
        for column in SIZES {
            columns.read(column, from, version)?;
        }
        let rtree = from.u64("R-tree")?;
        for column in SECTIONS {
            columns.read(column, from, version)?;
        }
        Ok((columns, rtree))
    }

    /// Skips all columns in `from`, which reads `record` from the position `offset` on, and returns
    /// them and the position of the R-tree. The numbers stay in the record.
    pub(super) fn locate_all(
        slot_num: usize,
        from: &mut Cursor<'_>,
        version: FormatVersion,
        record: &Arc<Vec<u8>>,
        offset: usize,
    ) -> Result<(Self, u64)> {
        let start = offset + from.position();
        let sizes = stored_before(SIZES.len(), version, slot_num);
        let all = stored_before(COLUMN_NUM, version, slot_num);
        from.skip("file sizes", 8 * sizes)?;
        let rtree = from.u64("R-tree")?;
        from.skip("section offsets", 8 * (all - sizes))?;
        let stored = StoredNumbers {
            record: record.clone(),
            start,
            version,
        };
        let columns = Self {
            slot_num,
            numbers: Vec::new(),
            stored: Some(stored),
        };
        Ok((columns, rtree))
    }

    /// Returns the number of bytes of all columns.
    pub(super) fn stored_len(slot_num: usize, version: FormatVersion) -> usize {
        8 * stored_before(COLUMN_NUM, version, slot_num)
    }

    pub(super) fn read(
        &mut self,
        column: FooterColumn,
        from: &mut Cursor<'_>,
        version: FormatVersion,
    ) -> Result<()> {
        let field = match column as usize {
            0..=2 => "file sizes",
            _ => "section offsets",
        };
        let stored = column.stored(version, self.slot_num);
        let bytes = from.take(field, 8 * stored)?;
        for (numbers, number) in self.first_slots(stored).iter_mut().zip(bytes.as_chunks().0) {
            if let Some(target) = numbers.get_mut(column as usize) {
                *target = u64::from_le_bytes(*number);
            }
        }
        Ok(())
    }

    /// Writes all columns and the position of the R-tree between them.
    pub(super) fn write_all(&self, rtree: u64, to: &mut Sink, version: FormatVersion) {
        for column in SIZES {
            self.write(column, to, version);
        }
        to.u64(rtree);
        for column in SECTIONS {
            self.write(column, to, version);
        }
    }

    fn write(&self, column: FooterColumn, to: &mut Sink, version: FormatVersion) {
        for slot in 0..column.stored(version, self.slot_num) {
            to.u64(self.get(column, slot));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_use_memory_for_the_slots_that_were_set() {
        let mut columns = Columns::new(usize::MAX / 2);
        columns.set(FooterColumn::NullCounts, 1, 7);
        columns.set(FooterColumn::FixedFileSize, 0, 8);
        assert_eq!(columns.numbers.len(), 2);
        assert_eq!(columns.get(FooterColumn::NullCounts, 1), 7);
        assert_eq!(columns.get(FooterColumn::FixedFileSize, 0), 8);
        assert_eq!(columns.get(FooterColumn::FixedFileSize, 1), 0);
        assert_eq!(columns.get(FooterColumn::NullCounts, 1000), 0);
    }

    #[test]
    fn slots_out_of_range_are_ignored() {
        let mut columns = Columns::new(1);
        columns.set(FooterColumn::Sums, 1, 7);
        assert_eq!(columns.get(FooterColumn::Sums, 1), 0);
        assert_eq!(columns, Columns::new(1));
    }
}
