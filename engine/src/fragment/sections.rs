//! The sections of a fragment's metadata, loaded when they are first needed. They stay in memory as
//! long as the fragment.

use std::ops::Range;
use std::sync::Arc;

use crate::platform::lock::OnceValue;

use super::{FilePart, Fragment, Slot, TileWindows};
use crate::bytes::Cursor;
use crate::error::{Error, Result};
use crate::format::fragment::{
    FieldStats, FooterColumn, LegacyMetadata, RTree, TileStatsColumn, TileValues, has_min_max,
    read_fragment_stats, read_numbers, read_processed_conditions,
};
use crate::format::names::{COORDINATES, FragmentField, folders};
use crate::format::version as v;
use crate::memory::CachedFile;
use crate::tile::generic;
use crate::types::VAR_NUM;
use crate::vfs::{ReadFile, Uri};

/// A value that is loaded when it is first needed.
#[derive(Debug)]
pub(super) struct Lazy<T>(OnceValue<T>);

impl<T> Default for Lazy<T> {
    fn default() -> Self {
        Self(OnceValue::new())
    }
}

impl<T> Lazy<T> {
    fn loaded(value: T) -> Self {
        Self(OnceValue::from(value))
    }

    fn is_loaded(&self) -> bool {
        self.0.get().is_some()
    }

    /// Returns the value, calling `load` if it is not loaded yet. If two threads load it at the
    /// same time, one value is kept.
    pub(super) fn get(&self, load: impl FnOnce() -> Result<T>) -> Result<&T> {
        if let Some(value) = self.0.get() {
            return Ok(value);
        }
        let value = load()?;
        Ok(self.0.get_or_init(|| value))
    }
}

/// The sections and the files of one slot. Arrays are indexed by [`super::FilePart`].
#[derive(Debug, Default)]
pub(super) struct SlotSections {
    pub(super) tile_offsets: [Lazy<Vec<u64>>; 3],
    pub(super) var_sizes: Lazy<Vec<u64>>,
    pub(super) stats: Lazy<TileStatsColumn>,
    pub(super) files: [CachedFile; 3],
}

/// All sections of a fragment.
#[derive(Debug, Default)]
pub(super) struct Sections {
    /// One entry per slot, created when first needed, since an opened fragment may never be read.
    slots: OnceValue<Box<[SlotSections]>>,
    pub(super) rtree: Lazy<RTree>,
    pub(super) fragment_stats: Lazy<Vec<FieldStats>>,
    pub(super) processed_conditions: Lazy<Vec<String>>,
    pub(super) metadata_file: CachedFile,
}

impl Sections {
    /// Returns the sections of a slot; `None` for a slot out of range.
    pub(super) fn slot(&self, slot: usize, slot_num: usize) -> Option<&SlotSections> {
        let make = || (0..slot_num).map(|_| SlotSections::default()).collect();
        self.slots.get_or_init(make).get(slot)
    }

    /// Returns the sections of a fragment whose metadata was a single record, which has no
    /// statistics.
    pub(super) fn of_legacy(metadata: LegacyMetadata) -> Self {
        let mut var_offsets = metadata.var_offsets.into_iter();
        let mut var_sizes = metadata.var_sizes.into_iter();
        let slots = metadata
            .tile_offsets
            .into_iter()
            .map(|offsets| SlotSections {
                tile_offsets: [
                    Lazy::loaded(offsets),
                    Lazy::loaded(var_offsets.next().unwrap_or_default()),
                    Lazy::loaded(Vec::new()),
                ],
                var_sizes: Lazy::loaded(var_sizes.next().unwrap_or_default()),
                stats: Lazy::loaded(TileStatsColumn::default()),
                files: Default::default(),
            });
        Self {
            slots: OnceValue::from(slots.collect::<Box<[_]>>()),
            rtree: Lazy::loaded(metadata.rtree),
            fragment_stats: Lazy::loaded(Vec::new()),
            processed_conditions: Lazy::loaded(Vec::new()),
            metadata_file: CachedFile::default(),
        }
    }
}

/// Reads a record with `read` and returns an error if bytes are left.
pub(super) fn read_record<T>(
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
    /// Returns a file of a field, opened if necessary.
    pub fn file(&self, slot: Slot, part: FilePart) -> Result<Arc<ReadFile>> {
        let sections = self.slot_sections(slot)?;
        let field = self.field(slot).unwrap_or(FragmentField::Coordinates);
        let uri = || {
            self.uri
                .join(&field.file_name(self.version(), part.suffix()))
        };
        let file = self.open_cached(&sections.files[part as usize], uri);
        file.map_err(|error| self.missing(error))
    }

    /// Opens the file at `uri`, or returns the cached one.
    fn open_cached(&self, cached: &CachedFile, uri: impl FnOnce() -> Uri) -> Result<Arc<ReadFile>> {
        if self.vfs.is_object_store(&self.uri) {
            cached.open_object(|| self.vfs.open(&uri()))
        } else {
            cached.open(|| self.vfs.open(&uri()))
        }
    }

    /// Replaces the error that a file does not exist if the fragment is no longer committed: a
    /// vacuum removes the commit before the files.
    fn missing(&self, error: Error) -> Error {
        let is_removed = || {
            let now = self.vfs.current();
            self.commit()
                .is_none_or(|commit| !now.is_file(&commit).unwrap_or(true))
        };
        match error
            .object()
            .filter(|_| error.is_not_found() && is_removed())
        {
            Some(file) => Error::removed(file),
            None => error,
        }
    }

    /// Returns the URI of the file that commits the fragment, unless a consolidated file does.
    fn commit(&self) -> Option<Uri> {
        let folder = self.uri.parent()?;
        let name = self.name.as_str();
        if self.name.version() < v::OK_FILES {
            return Some(self.uri.join(folders::FRAGMENT_METADATA_FILE));
        }
        Some(if folder.name() == folders::FRAGMENTS {
            folder
                .parent()?
                .join(folders::COMMITS)
                .join(&format!("{name}{}", folders::WRITE))
        } else {
            folder.join(&format!("{name}{}", folders::OK))
        })
    }

    /// Returns the size in bytes of a field's file according to the metadata.
    pub fn file_size(&self, slot: Slot, part: FilePart) -> u64 {
        self.footer.columns.get(part.file_size(), slot.0)
    }

    /// Returns the size in bytes of all files of the fragment: of data files according to the
    /// metadata, of the metadata file as stored.
    pub fn stored_size(&self) -> Result<u64> {
        let file = self.uri.join(folders::FRAGMENT_METADATA_FILE);
        let metadata = self.vfs.file_size(&file);
        let metadata = metadata.map_err(|error| self.missing(error))?;
        let columns = &self.footer.columns;
        let sizes = (0..columns.slot_num())
            .flat_map(|slot| FilePart::ALL.map(|part| columns.get(part.file_size(), slot)));
        Ok(sizes.fold(metadata, u64::saturating_add))
    }

    /// Returns the range of a stored tile in its file, checked against the size of the file.
    pub fn stored_range(&self, slot: Slot, part: FilePart, tile: u64) -> Result<Range<u64>> {
        let sections = self.slot_sections(slot)?;
        let offsets = sections.tile_offsets[part as usize].get(|| {
            let offset = self.footer.columns.get(part.tile_offsets(), slot.0);
            self.section("tile offsets", offset, |from| {
                read_numbers(from, "tile offsets")
            })
        })?;
        let tile_index = usize::try_from(tile).unwrap_or(usize::MAX);
        let end = offsets.get(tile_index.saturating_add(1)).copied();
        self.checked_range((slot, part, tile), offsets.get(tile_index).copied(), end)
    }

    /// Returns the position of a tile in its file. The last tile has no `end`.
    pub(super) fn checked_range(
        &self,
        (slot, part, tile): (Slot, FilePart, u64),
        start: Option<u64>,
        end: Option<u64>,
    ) -> Result<Range<u64>> {
        let size = self.file_size(slot, part);
        let end = end.unwrap_or(size);
        match start {
            Some(start) if start <= end && end <= size => Ok(start..end),
            _ => {
                let problem = format!("of tile {tile} are not within the file of {size} bytes");
                Err(Error::corrupt("tile offsets", "offsets", 0, problem).with_uri(&self.uri))
            }
        }
    }

    /// Returns an error unless the last tile has a position in the file of the first dimension,
    /// which confirms the number of tiles.
    pub fn check_tile_num(&self, windows: Option<&TileWindows>) -> Result<()> {
        let slot = if self.version() >= v::SPLIT_DIMENSIONS {
            self.schema.domain.dimensions.first().map(|dim| &*dim.name)
        } else {
            Some(COORDINATES)
        };
        match (
            slot.and_then(|name| self.slot(name)),
            self.tile_num.checked_sub(1),
        ) {
            (Some(slot), Some(last)) => match windows {
                Some(windows) => self.stored_range_within((slot, FilePart::Fixed, last), windows),
                None => self.stored_range(slot, FilePart::Fixed, last),
            }
            .map(|_| ()),
            _ => Ok(()),
        }
    }

    /// Returns the unfiltered size in bytes of a tile of variable-length values.
    pub fn var_size(&self, slot: Slot, tile: u64) -> Result<u64> {
        let sizes = self.slot_sections(slot)?.var_sizes.get(|| {
            let offset = self.footer.columns.get(FooterColumn::VarSizes, slot.0);
            self.section("tile sizes", offset, |from| {
                read_numbers(from, "tile sizes")
            })
        })?;
        let size = usize::try_from(tile)
            .ok()
            .and_then(|index| sizes.get(index));
        size.copied().ok_or_else(|| self.missing_size(tile))
    }

    /// Returns the error for a tile without a size.
    pub(super) fn missing_size(&self, tile: u64) -> Error {
        let problem = format!("has none for tile {tile}");
        Error::corrupt("tile sizes", "sizes", 0, problem).with_uri(&self.uri)
    }

    /// Returns whether all tile offsets of a file are in memory.
    pub(super) fn has_tile_offsets(&self, slot: Slot, part: FilePart) -> Result<bool> {
        Ok(self.slot_sections(slot)?.tile_offsets[part as usize].is_loaded())
    }

    /// Returns whether all sizes of variable-length tiles are in memory.
    pub(super) fn has_var_sizes(&self, slot: Slot) -> Result<bool> {
        Ok(self.slot_sections(slot)?.var_sizes.is_loaded())
    }

    /// Returns where a section of a slot is in the metadata file.
    pub(super) fn section_offset(&self, column: FooterColumn, slot: Slot) -> u64 {
        self.footer.columns.get(column, slot.0)
    }

    /// Returns the least and the greatest value, the sum and the null count of each tile; empty if
    /// the fragment has no statistics for the field.
    pub fn tile_stats(&self, slot: Slot) -> Result<&TileStatsColumn> {
        self.slot_sections(slot)?.stats.get(|| {
            if self.version() < v::TILE_STATS {
                return Ok(TileStatsColumn::default());
            }
            let (min_max, size) = self.stats_shape(slot);
            let offset = |column| self.footer.columns.get(column, slot.0);
            let values = |column| {
                if min_max {
                    self.section("tile statistics", offset(column), |from| {
                        TileValues::read(from, size)
                    })
                } else {
                    Ok(TileValues::default())
                }
            };
            let numbers = |column| {
                let read = |from: &mut Cursor<'_>| read_numbers(from, "numbers by tile");
                self.section("tile statistics", offset(column), read)
            };
            Ok(TileStatsColumn {
                mins: values(FooterColumn::Mins)?,
                maxs: values(FooterColumn::Maxs)?,
                sums: numbers(FooterColumn::Sums)?,
                null_counts: numbers(FooterColumn::NullCounts)?,
            })
        })
    }

    /// Returns whether a slot has least and greatest values, and their size; `None` for variable
    /// length.
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

    /// Returns the least and the greatest value, the sum and the null count of all cells of a
    /// field; `None` if the fragment has no statistics.
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

    /// Returns the file names of the delete and update conditions that were already applied.
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
        sections
            .ok_or_else(|| Error::usage("FragmentMetadata", "The slot belongs to another fragment"))
    }

    /// Reads the section at `offset` of the metadata file, from the bytes read at opening or from
    /// the file.
    pub(super) fn section<T>(
        &self,
        what: &'static str,
        offset: u64,
        read: impl FnOnce(&mut Cursor<'_>) -> Result<T>,
    ) -> Result<T> {
        let load = || {
            let in_tail = offset.checked_sub(self.tail.offset);
            let in_tail =
                in_tail.and_then(|start| self.tail.bytes.get(usize::try_from(start).ok()?..));
            let record = match in_tail.filter(|bytes| !bytes.is_empty()) {
                Some(bytes) => generic::decode(bytes, self.key())?,
                None => {
                    let uri = || self.uri.join(folders::FRAGMENT_METADATA_FILE);
                    let file = self.open_cached(&self.sections.metadata_file, uri)?;
                    generic::read_section(&file, file.size()?, offset, self.key())?
                }
            };
            read_record(what, &record, read)
        };
        load().map_err(|error| self.missing(error.with_uri(&self.uri)))
    }
}
