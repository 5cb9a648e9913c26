//! An open fragment: its location, the end of its metadata file, the sections that are loaded when
//! they are first needed, and the properties that its name and its footer contain.

use std::ops::Range;
use std::sync::Arc;

use super::Slot;
use crate::bytes::Cursor;
use crate::error::{Error, Result};
use crate::format::fragment::{
    FieldStats, Footer, FooterLocation, LegacyMetadata, RTree, TileStatsColumn, TileValues,
};
use crate::format::names::{
    COORDINATES, DELETE_CONDITIONS, DELETE_TIMESTAMPS, FragmentField, FragmentName, TIMESTAMPS,
    folders,
};
use crate::format::version as v;
use crate::geometry::TileGrid;
use crate::memory::CachedFile;
use crate::memory::tuning::{METADATA_TAIL_BYTES, REMOTE_METADATA_TAIL_BYTES};
use crate::platform::lock::OnceValue;
use crate::schema::ArraySchema;
use crate::types::{EncryptionKey, TimeRange};
use crate::vfs::{Uri, Vfs};

/// A fragment opened for reading.
#[derive(Debug)]
pub struct Fragment {
    /// The storage.
    pub vfs: Arc<Vfs>,
    /// The folder.
    pub location: FragmentLocation,
    /// The schema with which it was written.
    pub schema: Arc<ArraySchema>,
    /// The key of an encrypted array.
    pub key: Option<EncryptionKey>,
    /// The footer of the metadata file.
    pub footer: Footer,
    /// The number of tiles.
    pub tile_num: u64,
    /// The end of the metadata file, if the fragment was opened by it.
    pub(super) tail: Option<Box<Tail>>,
    pub(super) sections: Sections,
    /// Whether the footer was read from consolidated metadata.
    pub has_consolidated_footer: bool,
    /// The size of the metadata file, if the fragment was opened from a listing of an object store.
    pub(super) metadata_size: Option<u64>,
    /// Whether the data files have the sizes in the footer, as a listing of an object store showed.
    pub(super) has_listed_sizes: bool,
    /// The size of all files in bytes, if a message contained it.
    pub(super) known_size: Option<u64>,
}

impl Fragment {
    /// Returns the URI of the folder.
    pub fn uri(&self) -> &Uri {
        self.location.uri()
    }

    /// Reads the bytes of the footer from the fragment's own file. Returns an error for formats
    /// without a footer.
    pub fn footer_bytes(&self) -> Result<Vec<u8>> {
        if let Some(tail) = &self.tail {
            return Ok(tail.footer_bytes().to_vec());
        }
        let file_uri = self.uri().join(folders::FRAGMENT_METADATA_FILE);
        let unnamed = self.footer.head.version < v::FOOTER_NAMES_SCHEMA;
        let schema = unnamed.then_some(&*self.schema);
        let most = first_tail_bytes(&self.vfs, &file_uri);
        let read = self
            .open_sized(&file_uri, self.metadata_size)
            .and_then(|file| read_tail(self.name(), schema, most, |most| file.read_tail(most)));
        let tail = read.map_err(|error| error.with_uri(&file_uri))?;
        Ok(tail.footer_bytes().to_vec())
    }

    /// Returns whether reads skip the verification of checksums, according to the context's
    /// configuration.
    pub(super) fn skips_checksums(&self) -> Result<bool> {
        let config = &self.vfs.context.config;
        config.flag("sm.skip_checksum_validation")
    }

    /// Returns the name of the folder.
    pub fn name(&self) -> &FragmentName {
        self.location.name()
    }

    /// Returns the name of the file of its schema.
    pub fn schema_name(&self) -> &str {
        let name = self.footer.head.schema_name.as_deref();
        name.unwrap_or(folders::ROOT_SCHEMA)
    }

    /// Returns the timestamps of the fragment, in milliseconds.
    pub fn timestamps(&self) -> TimeRange {
        self.name().timestamps()
    }

    /// Returns the number of cells of a tile.
    pub fn tile_cell_num(&self, tile: u64) -> u64 {
        if self.footer.dense {
            TileGrid::new(&self.schema).map_or(0, |grid| grid.tile_cell_num)
        } else if tile + 1 == self.tile_num {
            self.footer.last_tile_cell_num
        } else {
            self.schema.capacity
        }
    }

    /// Returns the number of cells in all tiles, saturating.
    pub fn cell_num(&self) -> u64 {
        let Some(full) = self.tile_num.checked_sub(1) else {
            return 0;
        };
        if self.footer.dense {
            let cells = TileGrid::new(&self.schema).map_or(0, |grid| grid.tile_cell_num);
            return self.tile_num.saturating_mul(cells);
        }
        let cells = full.saturating_mul(self.schema.capacity);
        cells.saturating_add(self.footer.last_tile_cell_num)
    }

    /// Returns the slot of a field: an attribute, a dimension, `__coords` for zipped coordinates,
    /// `__timestamps`, `__delete_timestamps` or `__delete_condition_index`. Returns `None` if the
    /// fragment does not store the field; dense fragments store no dimensions.
    pub fn slot(&self, field: &str) -> Option<Slot> {
        let attributes = &self.schema.attributes;
        if let Some(index) = attributes.index_of(field) {
            return Some(Slot(index));
        }
        let coordinates = attributes.len();
        let split = self.footer.head.version >= v::SPLIT_DIMENSIONS;
        let dimensions = &self.schema.domain.dimensions;
        if let Some(index) = dimensions.index_of(field) {
            return (split && !self.footer.dense).then_some(Slot(coordinates + 1 + index));
        }
        let added = coordinates + 1 + if split { dimensions.len() } else { 0 };
        let deleted = added + usize::from(self.footer.has_timestamps);
        match field {
            COORDINATES if !split && !self.footer.dense => Some(Slot(coordinates)),
            TIMESTAMPS if self.footer.has_timestamps => Some(Slot(added)),
            DELETE_TIMESTAMPS if self.footer.has_delete_metadata => Some(Slot(deleted)),
            DELETE_CONDITIONS if self.footer.has_delete_metadata => Some(Slot(deleted + 1)),
            _ => None,
        }
    }

    /// Returns the field that is stored in a slot.
    pub(super) fn field(&self, slot: Slot) -> Option<FragmentField<'_>> {
        let attributes = &self.schema.attributes;
        if let Some(attribute) = attributes.get(slot.0) {
            return Some(FragmentField::Attribute(slot.0, &attribute.name));
        }
        let Some(mut index) = (slot.0 - attributes.len()).checked_sub(1) else {
            return Some(FragmentField::Coordinates);
        };
        if self.footer.head.version >= v::SPLIT_DIMENSIONS {
            if let Some(dimension) = self.schema.domain.dimensions.get(index) {
                return Some(FragmentField::Dimension(index, &dimension.name));
            }
            index -= self.schema.domain.dimensions.len();
        }
        let timestamps = self
            .footer
            .has_timestamps
            .then_some(FragmentField::Timestamps);
        let deletes = [
            FragmentField::DeleteTimestamps,
            FragmentField::DeleteConditions,
        ]
        .into_iter()
        .filter(|_| self.footer.has_delete_metadata);
        timestamps.into_iter().chain(deletes).nth(index)
    }
}

/// A committed fragment: its folder, and how it is committed. The URI of the folder is made when it
/// is first needed: most opens of many fragments use few of their files.
#[derive(Clone, Debug)]
pub struct FragmentLocation {
    /// The folder that contains the fragment's.
    parent: Uri,
    name: FragmentName,
    uri: OnceValue<Uri>,
    /// Whether only a consolidated file commits the fragment. If its folder does not exist, it was
    /// removed while that file was written.
    pub only_consolidated: bool,
}

impl FragmentLocation {
    /// Returns the location of the fragment with a name in the folder `parent`.
    pub fn new(parent: &Uri, name: FragmentName, only_consolidated: bool) -> Self {
        Self {
            parent: parent.clone(),
            name,
            uri: OnceValue::new(),
            only_consolidated,
        }
    }

    /// Returns the location of the fragment in the folder `uri`.
    pub fn of_folder(uri: Uri, name: FragmentName) -> Self {
        Self {
            parent: uri.parent().unwrap_or_else(|| uri.clone()),
            name,
            uri: OnceValue::from(uri),
            only_consolidated: false,
        }
    }

    /// Returns the URI of the fragment's folder.
    pub fn uri(&self) -> &Uri {
        self.uri
            .get_or_init(|| self.parent.join(self.name.as_str()))
    }

    /// Returns the URI of a file in the fragment's folder. The URI of the folder is not made.
    pub(super) fn file_uri(&self, file: &str) -> Uri {
        match self.uri.get() {
            Some(uri) => uri.join(file),
            None => self.parent.join(&self.path_of(file)),
        }
    }

    /// Returns the path of a file in the fragment's folder, relative to the folder above.
    pub(super) fn path_of(&self, file: &str) -> String {
        [self.name.as_str(), "/", file].concat()
    }

    /// Returns whether the fragment's folder is directly in `folder`.
    pub(super) fn is_in(&self, folder: &Uri) -> bool {
        self.parent == *folder
    }

    /// Returns the name of the fragment's folder.
    pub fn name(&self) -> &FragmentName {
        &self.name
    }

    /// Returns whether both are the same folder.
    pub fn is_same(&self, other: &Self) -> bool {
        self.name == other.name && self.parent == other.parent
    }
}

/// The end of a metadata file that was read when the fragment was opened.
#[derive(Debug)]
pub(super) struct Tail {
    /// The size of the file.
    pub(super) file_size: u64,
    /// Its position in the file.
    offset: u64,
    pub(super) bytes: Arc<Vec<u8>>,
    /// The footer in `bytes`.
    pub(super) footer: Range<usize>,
}

impl Tail {
    /// Returns the bytes from a position in the file to the footer, if there are any.
    pub(super) fn bytes_from(&self, offset: u64) -> Option<&[u8]> {
        let start = usize::try_from(offset.checked_sub(self.offset)?).ok()?;
        let bytes = self.bytes.get(start..self.footer.start);
        bytes.filter(|bytes| !bytes.is_empty())
    }

    /// Returns the bytes of the footer.
    pub(super) fn footer_bytes(&self) -> &[u8] {
        self.bytes.get(self.footer.clone()).unwrap_or_default()
    }
}

/// The sections and the files of one slot. Arrays are indexed by [`super::FilePart`].
#[derive(Debug, Default)]
pub(super) struct SlotSections {
    pub(super) tile_offsets: [OnceValue<Vec<u64>>; 3],
    pub(super) var_sizes: OnceValue<Vec<u64>>,
    pub(super) stats: OnceValue<TileStatsColumn>,
    pub(super) files: [CachedFile; 3],
}

/// All sections of a fragment.
#[derive(Debug, Default)]
pub(super) struct Sections {
    /// One entry per slot, created when first needed, since an opened fragment may never be read.
    slots: OnceValue<Box<[SlotSections]>>,
    pub(super) rtree: OnceValue<RTree>,
    /// The coordinates of the first cell of each tile and of the last, by dimension.
    pub(super) order_bounds: OnceValue<Vec<[TileValues; 2]>>,
    pub(super) fragment_stats: OnceValue<Vec<FieldStats>>,
    pub(super) processed_conditions: OnceValue<Vec<String>>,
    pub(super) metadata_file: CachedFile,
    /// The whole metadata file, if it is on an object store, is small, and was not read when the
    /// fragment was opened.
    pub(super) metadata: OnceValue<Option<Vec<u8>>>,
}

impl Sections {
    /// Returns sections of which only the R-tree may be loaded.
    pub(super) fn of_rtree(rtree: Option<RTree>) -> Self {
        Self {
            rtree: rtree.map_or_else(OnceValue::new, OnceValue::from),
            ..Self::default()
        }
    }

    /// Returns the sections of a slot; `None` for a slot out of range.
    pub(super) fn slot(&self, slot: usize, slot_num: usize) -> Option<&SlotSections> {
        self.slots
            .get_or_init(|| (0..slot_num).map(|_| SlotSections::default()).collect())
            .get(slot)
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
                    OnceValue::from(offsets),
                    OnceValue::from(var_offsets.next().unwrap_or_default()),
                    OnceValue::from(Vec::new()),
                ],
                var_sizes: OnceValue::from(var_sizes.next().unwrap_or_default()),
                stats: OnceValue::from(TileStatsColumn::default()),
                files: Default::default(),
            });
        Self {
            slots: OnceValue::from(slots.collect::<Box<[_]>>()),
            rtree: OnceValue::from(metadata.rtree),
            order_bounds: OnceValue::from(Vec::new()),
            fragment_stats: OnceValue::from(Vec::new()),
            processed_conditions: OnceValue::from(Vec::new()),
            metadata_file: CachedFile::default(),
            metadata: OnceValue::from(None),
        }
    }
}

/// Reads the end of a metadata file and locates the footer in it. `schema` is given for fragments
/// whose footer does not name one. `read_end` reads the last bytes of the file, at most as many as
/// its argument, and returns the size of the file with them; it is called with `most` first.
pub(super) fn read_tail(
    name: &FragmentName,
    schema: Option<&ArraySchema>,
    most: u64,
    read_end: impl Fn(u64) -> Result<(Vec<u8>, u64)>,
) -> Result<Tail> {
    let (mut bytes, size) = read_end(most)?;
    let location = FooterLocation::find(name.version(), schema, &bytes)?;
    if location.from_end > bytes.len() as u64 {
        if location.from_end > size {
            let problem = format!("is {}, the file has {size} bytes", location.from_end);
            return Err(Error::corrupt(
                "fragment footer",
                "footer length",
                size,
                problem,
            ));
        }
        (bytes, _) = read_end(location.from_end)?;
    }
    let start = bytes.len().saturating_sub(location.from_end as usize);
    let end = start.saturating_add(location.len as usize);
    Ok(Tail {
        file_size: size,
        offset: size.saturating_sub(bytes.len() as u64),
        bytes: Arc::new(bytes),
        footer: start..end,
    })
}

/// Returns the number of bytes to read first from the end of a metadata file.
pub(super) fn first_tail_bytes(vfs: &Vfs, uri: &Uri) -> u64 {
    if vfs.is_object_store(uri) {
        REMOTE_METADATA_TAIL_BYTES
    } else {
        METADATA_TAIL_BYTES
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
