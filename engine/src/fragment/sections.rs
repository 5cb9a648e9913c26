//! The sections of a fragment's metadata, loaded on first use. They stay as long as the fragment.

use std::ops::Range;
use std::sync::Arc;

use crate::platform::lock::OnceValue;

use super::kept_files::KeptFile;
use super::{Fragment, Part, Slot};
use crate::bytes::Cursor;
use crate::error::{Error, Result};
use crate::format::fragment::{
    Column, FieldStats, LegacyMetadata, RTree, TileStatsColumn, TileValues, has_min_max,
    read_fragment_stats, read_numbers, read_processed_conditions,
};
use crate::format::names::{COORDINATES, Field, folders};
use crate::format::version as v;
use crate::tile::generic;
use crate::types::VAR_NUM;
use crate::vfs::{ReadFile, Uri};

/// A value that is loaded on first use.
#[derive(Debug)]
pub(super) struct Lazy<T>(OnceValue<T>);

impl<T> Default for Lazy<T> {
    fn default() -> Self {
        Self(OnceValue::new())
    }
}

impl<T> Lazy<T> {
    fn ready(value: T) -> Self {
        Self(OnceValue::from(value))
    }

    /// Returns the value; `load` brings it if it is not there yet. Two threads may both load, one
    /// value stays.
    pub(super) fn get(&self, load: impl FnOnce() -> Result<T>) -> Result<&T> {
        if let Some(value) = self.0.get() {
            return Ok(value);
        }
        let value = load()?;
        Ok(self.0.get_or_init(|| value))
    }
}

/// What is known of one slot's stored tiles, and its files. The arrays are by [`super::Part`].
#[derive(Debug, Default)]
pub(super) struct SlotSections {
    pub(super) tile_offsets: [Lazy<Vec<u64>>; 3],
    pub(super) var_sizes: Lazy<Vec<u64>>,
    pub(super) stats: Lazy<TileStatsColumn>,
    pub(super) files: [KeptFile; 3],
}

/// All sections of a fragment.
#[derive(Debug, Default)]
pub(super) struct Sections {
    /// One for each slot; made on first use, since an opened fragment may never be read.
    slots: OnceValue<Box<[SlotSections]>>,
    pub(super) rtree: Lazy<RTree>,
    pub(super) fragment_stats: Lazy<Vec<FieldStats>>,
    pub(super) processed_conditions: Lazy<Vec<String>>,
    pub(super) metadata_file: KeptFile,
}

impl Sections {
    /// Returns the sections of a slot; `None` beyond the last.
    pub(super) fn slot(&self, slot: usize, slot_num: usize) -> Option<&SlotSections> {
        let make = || (0..slot_num).map(|_| SlotSections::default()).collect();
        self.slots.get_or_init(make).get(slot)
    }

    /// Returns the sections of a fragment whose metadata was one record. Statistics there are none.
    pub(super) fn of_legacy(metadata: LegacyMetadata) -> Self {
        let mut var_offsets = metadata.var_offsets.into_iter();
        let mut var_sizes = metadata.var_sizes.into_iter();
        let slots = metadata
            .tile_offsets
            .into_iter()
            .map(|offsets| SlotSections {
                tile_offsets: [
                    Lazy::ready(offsets),
                    Lazy::ready(var_offsets.next().unwrap_or_default()),
                    Lazy::ready(Vec::new()),
                ],
                var_sizes: Lazy::ready(var_sizes.next().unwrap_or_default()),
                stats: Lazy::ready(TileStatsColumn::default()),
                files: Default::default(),
            });
        Self {
            slots: OnceValue::from(slots.collect::<Box<[_]>>()),
            rtree: Lazy::ready(metadata.rtree),
            fragment_stats: Lazy::ready(Vec::new()),
            processed_conditions: Lazy::ready(Vec::new()),
            metadata_file: KeptFile::default(),
        }
    }
}

/// Reads a whole record with `read`: nothing may be left behind it.
pub(super) fn whole<T>(
    file: &'static str,
    record: &[u8],
    read: impl FnOnce(&mut Cursor<'_>) -> Result<T>,
) -> Result<T> {
    let mut from = Cursor::new(file, record);
    let value = read(&mut from)?;
    from.end()?;
    Ok(value)
}

impl Fragment {
    /// Returns a file of a field, opened on first use.
    pub fn file(&self, slot: Slot, part: Part) -> Result<Arc<ReadFile>> {
        let sections = self.slot_sections(slot)?;
        let field = self.field(slot).unwrap_or(Field::Coordinates);
        let uri = || {
            self.uri
                .join(&field.file_name(self.version(), part.suffix()))
        };
        let file = sections.files[part as usize].open(&self.vfs, uri);
        file.map_err(|error| self.missing(error))
    }

    /// Replaces the error that a file does not exist, if the fragment is no longer committed: a
    /// vacuum removes the commit before the files.
    fn missing(&self, error: Error) -> Error {
        let is_removed = || {
            self.commit()
                .is_none_or(|commit| !self.vfs.is_file(&commit).unwrap_or(true))
        };
        match error
            .object()
            .filter(|_| error.is_not_found() && is_removed())
        {
            Some(file) => Error::removed(file),
            None => error,
        }
    }

    /// Returns the file that commits the fragment, unless a consolidated one does.
    fn commit(&self) -> Option<Uri> {
        let folder = self.uri.parent()?;
        let name = self.name.as_str();
        if self.name.version() < v::OK_FILES {
            return Some(self.uri.join(folders::FRAGMENT_METADATA_FILE));
        }
        Some(match folder.name() == folders::FRAGMENTS {
            true => folder
                .parent()?
                .join(folders::COMMITS)
                .join(&format!("{name}{}", folders::WRITE)),
            false => folder.join(&format!("{name}{}", folders::OK)),
        })
    }

    /// Returns the size of a field's file in bytes, as the metadata tells it.
    pub fn file_size(&self, slot: Slot, part: Part) -> u64 {
        self.footer.columns.get(part.file_size(), slot.0)
    }

    /// Returns the size of all its files in bytes: data as the metadata tells it, and the file of
    /// metadata as it is.
    pub fn stored_size(&self) -> Result<u64> {
        let file = self.uri.join(folders::FRAGMENT_METADATA_FILE);
        let metadata = self.vfs.file_size(&file);
        let metadata = metadata.map_err(|error| self.missing(error))?;
        let columns = &self.footer.columns;
        let sizes = (0..columns.slot_num())
            .flat_map(|slot| Part::ALL.map(|part| columns.get(part.file_size(), slot)));
        Ok(sizes.fold(metadata, u64::saturating_add))
    }

    /// Returns where a tile's bytes are in the file, checked against its size.
    pub fn stored_range(&self, slot: Slot, part: Part, tile: u64) -> Result<Range<u64>> {
        let sections = self.slot_sections(slot)?;
        let offsets = sections.tile_offsets[part as usize].get(|| {
            let offset = self.footer.columns.get(part.tile_offsets(), slot.0);
            self.section("tile offsets", offset, |from| {
                read_numbers(from, "tile offsets")
            })
        })?;
        let size = self.file_size(slot, part);
        let at = usize::try_from(tile).unwrap_or(usize::MAX);
        let start = offsets.get(at).copied();
        let end = offsets.get(at.saturating_add(1)).copied().unwrap_or(size);
        match start {
            Some(start) if start <= end && end <= size => Ok(start..end),
            _ => {
                let problem = format!("of tile {tile} do not lie in the file of {size} bytes");
                Err(Error::corrupt("tile offsets", "offsets", 0, problem).with_uri(&self.uri))
            }
        }
    }

    /// An error unless each tile has a place in the files of the first dimension: so many tiles
    /// there are.
    pub fn check_tile_num(&self) -> Result<()> {
        let slot = match self.version() >= v::SPLIT_DIMENSIONS {
            true => self.schema.domain.dimensions.first().map(|dim| &*dim.name),
            false => Some(COORDINATES),
        };
        match (
            slot.and_then(|name| self.slot(name)),
            self.tile_num.checked_sub(1),
        ) {
            (Some(slot), Some(last)) => self.stored_range(slot, Part::Fixed, last).map(|_| ()),
            _ => Ok(()),
        }
    }

    /// Returns the size in memory of a tile of variable-length values, in bytes.
    pub fn var_size(&self, slot: Slot, tile: u64) -> Result<u64> {
        let sizes = self.slot_sections(slot)?.var_sizes.get(|| {
            let offset = self.footer.columns.get(Column::VarSizes, slot.0);
            self.section("tile sizes", offset, |from| {
                read_numbers(from, "tile sizes")
            })
        })?;
        let size = usize::try_from(tile).ok().and_then(|at| sizes.get(at));
        size.copied().ok_or_else(|| {
            let problem = format!("has none for tile {tile}");
            Error::corrupt("tile sizes", "sizes", 0, problem).with_uri(&self.uri)
        })
    }

    /// Least and greatest value, sum and null count by tile; empty if the fragment has none for the
    /// field.
    pub fn tile_stats(&self, slot: Slot) -> Result<&TileStatsColumn> {
        self.slot_sections(slot)?.stats.get(|| {
            if self.version() < v::TILE_STATS {
                return Ok(TileStatsColumn::default());
            }
            let (min_max, size) = self.stats_shape(slot);
            let offset = |column| self.footer.columns.get(column, slot.0);
            let values = |column| match min_max {
                true => self.section("tile statistics", offset(column), |from| {
                    TileValues::read(from, size)
                }),
                false => Ok(TileValues::default()),
            };
            let numbers = |column| {
                let read = |from: &mut Cursor<'_>| read_numbers(from, "numbers by tile");
                self.section("tile statistics", offset(column), read)
            };
            Ok(TileStatsColumn {
                mins: values(Column::Mins)?,
                maxs: values(Column::Maxs)?,
                sums: numbers(Column::Sums)?,
                null_counts: numbers(Column::NullCounts)?,
            })
        })
    }

    /// Returns whether a slot has least and greatest values, and the size of one; `None` for
    /// variable length.
    fn stats_shape(&self, slot: Slot) -> (bool, Option<usize>) {
        match self.schema.attributes.get(slot.0) {
            Some(attribute) => {
                let values = attribute.cell_val_num;
                let size = attribute.datatype.size().saturating_mul(values as usize);
                let min_max = has_min_max(attribute.datatype, values);
                (min_max, (values != VAR_NUM).then_some(size))
            }
            None => (false, None),
        }
    }

    /// Least and greatest value, sum and null count of all cells of a field; `None` if the fragment
    /// has none.
    pub fn field_stats(&self, slot: Slot) -> Result<Option<&FieldStats>> {
        let all = self.sections.fragment_stats.get(|| {
            if self.version() < v::FRAGMENT_STATS {
                return Ok(Vec::new());
            }
            let slot_num = self.footer.columns.slot_num();
            let read = |from: &mut Cursor<'_>| read_fragment_stats(from, slot_num);
            self.section("fragment statistics", self.footer.fragment_stats, read)
        })?;
        Ok(all.get(slot.0))
    }

    /// Returns the MBRs of a sparse fragment; empty for a dense one.
    pub fn rtree(&self) -> Result<&RTree> {
        self.sections.rtree.get(|| {
            if self.is_dense() {
                return Ok(RTree::empty());
            }
            let read = |from: &mut Cursor<'_>| RTree::read(from, self.version(), &self.schema);
            self.section("R-tree", self.footer.rtree, read)
        })
    }

    /// Returns the file names of the delete and update conditions that were applied already.
    pub fn processed_conditions(&self) -> Result<&[String]> {
        let names = self.sections.processed_conditions.get(|| {
            if self.version() < v::DELETE_COMMITS {
                return Ok(Vec::new());
            }
            let offset = self.footer.processed_conditions;
            self.section("processed conditions", offset, read_processed_conditions)
        })?;
        Ok(names)
    }

    fn slot_sections(&self, slot: Slot) -> Result<&SlotSections> {
        let sections = self.sections.slot(slot.0, self.footer.columns.slot_num());
        sections.ok_or_else(|| Error::usage("FragmentMetadata", "A slot of another fragment"))
    }

    /// Returns the section at `offset` of the metadata file: from what opening read, or by another
    /// read.
    fn section<T>(
        &self,
        what: &'static str,
        offset: u64,
        read: impl FnOnce(&mut Cursor<'_>) -> Result<T>,
    ) -> Result<T> {
        let load = || {
            let in_tail = offset.checked_sub(self.tail.offset);
            let in_tail = in_tail.and_then(|at| self.tail.bytes.get(usize::try_from(at).ok()?..));
            let record = match in_tail.filter(|bytes| !bytes.is_empty()) {
                Some(bytes) => generic::decode(bytes, self.key())?,
                None => {
                    let uri = || self.uri.join(folders::FRAGMENT_METADATA_FILE);
                    let file = self.sections.metadata_file.open(&self.vfs, uri)?;
                    generic::read_section(&file, file.size()?, offset, self.key())?
                }
            };
            whole(what, &record, read)
        };
        load().map_err(|error| self.missing(error.with_uri(&self.uri)))
    }
}
