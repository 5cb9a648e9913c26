//! The files and the sections of a fragment, which are opened and loaded when they are first
//! needed.

use std::sync::Arc;

use super::fields::min_max_length;
use super::fragment::{SlotSections, read_record};
use super::{FilePart, Fragment, Slot};
use crate::bytes::Cursor;
use crate::error::{Error, FragmentError, Result};
use crate::format::fragment::{
    FieldStats, FooterColumn, RTree, TileStatsColumn, TileValues, read_fragment_stats,
    read_numbers, read_processed_conditions,
};
use crate::format::names::{FragmentField, folders};
use crate::format::version as v;
use crate::memory::CachedFile;
use crate::memory::tuning::REMOTE_METADATA_TAIL_BYTES;
use crate::schema::Dimension;
use crate::stats::Counter;
use crate::tile::generic;
use crate::types::{NdRange, Range};
use crate::vfs::{ReadFile, Uri};

impl Fragment {
    /// Returns the name of a file of a field.
    pub fn file_name(&self, slot: Slot, part: FilePart) -> String {
        let field = self.field(slot).unwrap_or(FragmentField::Coordinates);
        field.file_name(self.footer.head.version, part.suffix())
    }

    /// Returns a file of a field, opened if necessary.
    pub fn file(&self, slot: Slot, part: FilePart) -> Result<Arc<ReadFile>> {
        let sections = self.slot_sections(slot)?;
        let uri = || self.uri().join(&self.file_name(slot, part));
        let size = self.has_listed_sizes.then(|| self.file_size(slot, part));
        let file = self.open_cached(&sections.files[part as usize], uri, size);
        file.map_err(|error| self.missing(error))
    }

    /// Opens the file at `uri`, whose size may be known, or returns the cached one.
    fn open_cached(
        &self,
        cached: &CachedFile,
        uri: impl FnOnce() -> Uri,
        size: Option<u64>,
    ) -> Result<Arc<ReadFile>> {
        if self.vfs.is_object_store(self.uri()) {
            cached.open_object(|| self.open_sized(&uri(), size))
        } else {
            cached.open(|| self.vfs.open(&uri()))
        }
    }

    /// Opens a file, whose size may be known.
    pub(super) fn open_sized(&self, uri: &Uri, size: Option<u64>) -> Result<ReadFile> {
        match size {
            Some(size) => self.vfs.open_sized(uri, size),
            None => self.vfs.open(uri),
        }
    }

    /// Replaces the error that a file does not exist if the fragment is no longer committed: a
    /// vacuum removes the commit before the files.
    pub fn missing(&self, error: Error) -> Error {
        let is_removed = || {
            self.commit()
                .is_none_or(|commit| !self.vfs.is_file(&commit).unwrap_or(true))
        };
        match error
            .object()
            .filter(|_| error.is_missing() && is_removed())
        {
            Some(file) => Error::removed(file),
            None => error,
        }
    }

    /// Returns the URI of the file that commits the fragment, unless a consolidated file does.
    fn commit(&self) -> Option<Uri> {
        let folder = self.uri().parent()?;
        let name = self.name().as_str();
        if self.name().version() < v::OK_FILES {
            return Some(self.uri().join(folders::FRAGMENT_METADATA_FILE));
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
    /// metadata, of the metadata file as stored when the fragment was opened by it.
    pub fn stored_size(&self) -> Result<u64> {
        if let Some(known) = self.known_size {
            return Ok(known);
        }
        let metadata = self.metadata_file_size()?;
        let columns = &self.footer.columns;
        Ok((0..columns.slot_num())
            .flat_map(|slot| FilePart::ALL.map(|part| columns.get(part.file_size(), slot)))
            .fold(metadata, u64::saturating_add))
    }

    /// Returns the size of the metadata file. It is known without a request, also after a vacuum,
    /// if the fragment was opened by this file, or from a listing.
    fn metadata_file_size(&self) -> Result<u64> {
        if let Some(tail) = &self.tail {
            return Ok(tail.file_size);
        }
        if let Some(size) = self.metadata_size {
            return Ok(size);
        }
        let file = self.uri().join(folders::FRAGMENT_METADATA_FILE);
        let size = self.vfs.file_size(&file);
        size.map_err(|error| self.missing(error))
    }

    /// Returns the least and the greatest value, the sum and the null count of each tile; empty if
    /// the fragment has no statistics for the field.
    pub fn tile_stats(&self, slot: Slot) -> Result<&TileStatsColumn> {
        self.slot_sections(slot)?.stats.get_or_try_init(|| {
            if self.footer.head.version < v::TILE_STATS {
                return Ok(TileStatsColumn::default());
            }
            let attribute = self.schema.attributes.get(slot.0);
            let min_max = attribute.and_then(|attribute| min_max_length(attribute));
            let values = |column| match min_max {
                Some(length) => self.column_section("tile statistics", column, slot, |from| {
                    TileValues::read(from, length.fixed_size())
                }),
                None => Ok(TileValues::default()),
            };
            let numbers = |column| {
                self.column_section("tile statistics", column, slot, |from| {
                    read_numbers(from, "numbers by tile")
                })
            };
            Ok(TileStatsColumn {
                mins: values(FooterColumn::Mins)?,
                maxs: values(FooterColumn::Maxs)?,
                sums: numbers(FooterColumn::Sums)?,
                null_counts: numbers(FooterColumn::NullCounts)?,
            })
        })
    }

    /// Returns the least and the greatest value, the sum and the null count of all cells of a
    /// field; `None` if the fragment has no statistics.
    pub fn field_stats(&self, slot: Slot) -> Result<Option<&FieldStats>> {
        let all = self.sections.fragment_stats.get_or_try_init(|| {
            if self.footer.head.version < v::FRAGMENT_STATS {
                return Ok(Vec::new());
            }
            let slot_num = self.footer.columns.slot_num();
            let read = |from: &mut Cursor<'_>| read_fragment_stats(from, slot_num);
            let offset = self.footer.fragment_stats;
            let counter = Counter::ReadFragmentStatsBytes;
            self.section("fragment statistics", counter, offset, read)
        })?;
        Ok(all.get(slot.0))
    }

    /// Returns the MBRs of a sparse fragment; empty for a dense one.
    pub fn rtree(&self) -> Result<&RTree> {
        self.sections.rtree.get_or_try_init(|| {
            if self.footer.dense {
                return Ok(RTree::empty());
            }
            self.section(
                "R-tree",
                Counter::ReadRTreeBytes,
                self.footer.rtree,
                |from| RTree::read(from, self.footer.head.version, &self.schema),
            )
        })
    }

    /// Returns the coordinates of the first and the last cell of a tile in global order, by
    /// dimension; `None` if the fragment does not have them or does not have the tile.
    pub fn order_bounds(&self, tile: u64) -> Result<Option<NdRange>> {
        let bounds = self
            .sections
            .order_bounds
            .get_or_try_init(|| self.load_order_bounds())?;
        let dimensions = &self.schema.domain.dimensions;
        let ranges: Option<NdRange> = bounds
            .iter()
            .zip(dimensions)
            .map(|([first, last], dimension)| {
                let (first, last) = (first.get(tile)?, last.get(tile)?);
                Some(if dimension.is_var() {
                    Range::var(first, last)
                } else {
                    Range::fixed(first, last)
                })
            })
            .collect();
        Ok(ranges.filter(|ranges| !ranges.is_empty()))
    }

    fn load_order_bounds(&self) -> Result<Vec<[TileValues; 2]>> {
        let offsets = &self.footer.global_order_bounds;
        let (firsts, lasts) = offsets.split_at(offsets.len() / 2);
        let dimensions = self.schema.domain.dimensions.iter();
        let load = |offset: u64, counter, dimension: &Dimension| {
            let size = (!dimension.is_var()).then(|| dimension.datatype.size());
            self.section("global order bounds", counter, offset, |from| {
                let start = from.clone();
                let values = TileValues::read(from, size)?;
                if values.is_complete(self.tile_num) {
                    return Ok(values);
                }
                let problem = format!("are not those of {} tiles", self.tile_num);
                Err(start.corrupt("global order bounds", problem))
            })
        };
        firsts
            .iter()
            .zip(lasts)
            .zip(dimensions)
            .map(|((first, last), dimension)| {
                Ok([
                    load(*first, Counter::ReadOrderMinsBytes, dimension)?,
                    load(*last, Counter::ReadOrderMaxsBytes, dimension)?,
                ])
            })
            .collect()
    }

    /// Returns the file names of the delete and update conditions that were already applied.
    pub fn processed_conditions(&self) -> Result<&[String]> {
        let names = self.sections.processed_conditions.get_or_try_init(|| {
            if self.footer.head.version < v::DELETE_COMMITS {
                return Ok(Vec::new());
            }
            let offset = self.footer.processed_conditions;
            let counter = Counter::ReadProcessedConditionsBytes;
            self.section(
                "processed conditions",
                counter,
                offset,
                read_processed_conditions,
            )
        })?;
        Ok(names)
    }

    pub(super) fn slot_sections(&self, slot: Slot) -> Result<&SlotSections> {
        let sections = self.sections.slot(slot.0, self.footer.columns.slot_num());
        sections.ok_or_else(|| Error::from(FragmentError::OtherFragment))
    }

    /// Reads the section of a slot whose position is in a column of the footer.
    pub(super) fn column_section<T>(
        &self,
        subject: &'static str,
        column: FooterColumn,
        slot: Slot,
        read: impl FnOnce(&mut Cursor<'_>) -> Result<T>,
    ) -> Result<T> {
        let offset = self.footer.columns.get(column, slot.0);
        self.section(subject, bytes_read(column), offset, read)
    }

    /// Reads the section at `offset` of the metadata file, from the bytes read at opening or from
    /// the file, and adds its size to a counter.
    fn section<T>(
        &self,
        subject: &'static str,
        counter: Counter,
        offset: u64,
        read: impl FnOnce(&mut Cursor<'_>) -> Result<T>,
    ) -> Result<T> {
        let load = || {
            let tail = self.tail.as_ref();
            let in_tail = tail.and_then(|tail| tail.bytes_from(offset));
            let record = match in_tail {
                Some(bytes) => generic::decode(bytes, self.key.as_ref())?,
                None => match self.section_of_metadata(offset)? {
                    Some(bytes) => generic::decode(bytes, self.key.as_ref())?,
                    None => {
                        let file = self.metadata_file()?;
                        generic::read_section(&file, file.size()?, offset, self.key.as_ref())?
                    }
                },
            };
            self.vfs.context.stats.add(counter, record.len() as u64);
            read_record(subject, &record, read)
        };
        load().map_err(|error| self.missing(error.with_uri(self.uri())))
    }
}

impl Fragment {
    fn metadata_file(&self) -> Result<Arc<ReadFile>> {
        self.open_cached(
            &self.sections.metadata_file,
            || self.uri().join(folders::FRAGMENT_METADATA_FILE),
            self.metadata_size,
        )
    }

    /// Returns the whole metadata file if it is better loaded with one request than section by
    /// section: it is small and on an object store, and its end was not read at opening.
    fn whole_metadata(&self) -> Result<Option<&[u8]>> {
        if self.tail.is_some() || !self.is_remote() {
            return Ok(None);
        }
        let load = || {
            let file = self.metadata_file()?;
            let size = file.size()?;
            if size > REMOTE_METADATA_TAIL_BYTES {
                return Ok(None);
            }
            file.read_tail(size).map(|(bytes, _)| Some(bytes))
        };
        Ok(self.sections.metadata.get_or_try_init(load)?.as_deref())
    }

    /// Returns the bytes from a position of the metadata file on, if the whole file is in memory.
    fn section_of_metadata(&self, offset: u64) -> Result<Option<&[u8]>> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let bytes = self.whole_metadata()?.and_then(|bytes| bytes.get(start..));
        Ok(bytes.filter(|bytes| !bytes.is_empty()))
    }

    /// Returns whether a section may be read without a request for the metadata file.
    pub fn has_metadata(&self) -> bool {
        self.tail.is_some() || !self.is_remote() || self.sections.metadata.get().is_some()
    }

    /// Loads the metadata files of fragments at the same time. Failures are reported by the reads
    /// of the sections.
    pub fn load_metadata(fragments: &[&Self]) -> Result<()> {
        let Some(first) = fragments.first() else {
            return Ok(());
        };
        first.vfs.for_each(first.uri(), fragments.len(), |index| {
            let _ = fragments[index].whole_metadata();
            Ok(())
        })
    }
}

/// Returns the counter of the bytes of sections of a column of the footer.
fn bytes_read(column: FooterColumn) -> Counter {
    match column {
        FooterColumn::FixedFileSize
        | FooterColumn::VarFileSize
        | FooterColumn::ValidityFileSize => Counter::ReadFooterBytes,
        FooterColumn::TileOffsets => Counter::ReadTileOffsetsBytes,
        FooterColumn::VarOffsets => Counter::ReadVarOffsetsBytes,
        FooterColumn::VarSizes => Counter::ReadVarSizesBytes,
        FooterColumn::ValidityOffsets => Counter::ReadValidityOffsetsBytes,
        FooterColumn::Mins => Counter::ReadMinsBytes,
        FooterColumn::Maxs => Counter::ReadMaxsBytes,
        FooterColumn::Sums => Counter::ReadSumsBytes,
        FooterColumn::NullCounts => Counter::ReadNullCountsBytes,
    }
}
