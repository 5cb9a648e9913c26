//! An opened fragment, and the properties that its name and its footer contain.

use std::sync::Arc;

use super::sections::Sections;
use super::tail::{Tail, first_tail_bytes, read_tail};
use super::{FragmentLocation, Slot};
use crate::error::Result;
use crate::format::fragment::Footer;
use crate::format::names::{
    COORDINATES, DELETE_CONDITIONS, DELETE_TIMESTAMPS, FragmentField, FragmentName, TIMESTAMPS,
    folders,
};
use crate::format::version::{self as v, FormatVersion};
use crate::geometry::TileGrid;
use crate::schema::ArraySchema;
use crate::types::{EncryptionKey, NdRange, TimeRange};
use crate::vfs::{Uri, Vfs};

/// A fragment opened for reading.
#[derive(Debug)]
pub struct Fragment {
    pub(super) vfs: Arc<Vfs>,
    pub(super) location: FragmentLocation,
    pub(super) schema: Arc<ArraySchema>,
    pub(super) key: Option<EncryptionKey>,
    pub(super) footer: Footer,
    pub(super) tile_num: u64,
    /// The end of the metadata file, if the fragment was opened by it.
    pub(super) tail: Option<Box<Tail>>,
    pub(super) sections: Sections,
    pub(super) consolidated: bool,
    /// The size of all files in bytes, if a message contained it.
    pub(super) known_size: Option<u64>,
}

impl Fragment {
    /// Returns the storage.
    pub fn vfs(&self) -> &Arc<Vfs> {
        &self.vfs
    }

    /// Returns the URI of the folder.
    pub fn uri(&self) -> &Uri {
        self.location.uri()
    }

    /// Returns the folder.
    pub fn location(&self) -> &FragmentLocation {
        &self.location
    }

    /// Reads the bytes of the footer from the fragment's own file. Returns an error for formats
    /// without a footer.
    pub fn footer_bytes(&self) -> Result<Vec<u8>> {
        if let Some(tail) = &self.tail {
            return Ok(tail.footer_bytes().to_vec());
        }
        let file_uri = self.uri().join(folders::FRAGMENT_METADATA_FILE);
        let unnamed = self.version() < v::FOOTER_NAMES_SCHEMA;
        let schema = unnamed.then_some(&*self.schema);
        let most = first_tail_bytes(&self.vfs, &file_uri);
        let open = self.vfs.open(&file_uri);
        let read =
            open.and_then(|file| read_tail(self.name(), schema, most, |most| file.read_tail(most)));
        let tail = read.map_err(|error| error.with_uri(&file_uri))?;
        Ok(tail.footer_bytes().to_vec())
    }

    /// Returns whether reads skip the verification of checksums, according to the context's
    /// configuration.
    pub(super) fn skips_checksums(&self) -> Result<bool> {
        let config = self.vfs.context().config();
        config.flag("sm.skip_checksum_validation")
    }

    /// Returns the name of the folder.
    pub fn name(&self) -> &FragmentName {
        self.location.name()
    }

    /// Returns the format version in which it was written.
    pub fn version(&self) -> FormatVersion {
        self.footer.head.version
    }

    /// Returns the timestamps of the fragment, in milliseconds.
    pub fn timestamps(&self) -> TimeRange {
        self.name().timestamps()
    }

    /// Returns the schema with which it was written.
    pub fn schema(&self) -> &Arc<ArraySchema> {
        &self.schema
    }

    /// Returns the file name of that schema; `None` for formats that do not store it.
    pub fn schema_name(&self) -> Option<&str> {
        self.footer.head.schema_name.as_deref()
    }

    /// Returns whether it contains every cell of its non-empty domain.
    pub fn is_dense(&self) -> bool {
        self.footer.dense
    }

    /// Returns the bounding box of the written cells. Tiles of a dense fragment also contain cells
    /// outside of it.
    pub fn non_empty_domain(&self) -> Option<&NdRange> {
        self.footer.non_empty_domain.as_ref()
    }

    /// Returns the number of tiles.
    pub fn tile_num(&self) -> u64 {
        self.tile_num
    }

    /// Returns the number of cells in the last tile of a sparse fragment; for a dense one, the
    /// number of cells per tile.
    pub fn last_tile_cell_num(&self) -> u64 {
        self.footer.last_tile_cell_num
    }

    /// Returns the number of cells of a tile.
    pub fn tile_cell_num(&self, tile: u64) -> u64 {
        if self.is_dense() {
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
        if self.is_dense() {
            let cells = TileGrid::new(&self.schema).map_or(0, |grid| grid.tile_cell_num);
            return self.tile_num.saturating_mul(cells);
        }
        let cells = full.saturating_mul(self.schema.capacity);
        cells.saturating_add(self.footer.last_tile_cell_num)
    }

    /// Returns whether the fragment stores the time at which each cell was written.
    pub fn has_timestamps(&self) -> bool {
        self.footer.has_timestamps
    }

    /// Returns whether the fragment stores the time and the condition with which each cell was
    /// deleted.
    pub fn has_delete_metadata(&self) -> bool {
        self.footer.has_delete_metadata
    }

    /// Returns whether its footer was read from consolidated metadata.
    pub fn has_consolidated_footer(&self) -> bool {
        self.consolidated
    }

    /// Returns the key of an encrypted array.
    pub fn key(&self) -> Option<&EncryptionKey> {
        self.key.as_ref()
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
        let split = self.version() >= v::SPLIT_DIMENSIONS;
        let dimensions = &self.schema.domain.dimensions;
        if let Some(index) = dimensions
            .iter()
            .position(|dimension| dimension.name == field)
        {
            return (split && !self.is_dense()).then_some(Slot(coordinates + 1 + index));
        }
        let added = coordinates + 1 + if split { dimensions.len() } else { 0 };
        let deleted = added + usize::from(self.has_timestamps());
        match field {
            COORDINATES if !split && !self.is_dense() => Some(Slot(coordinates)),
            TIMESTAMPS if self.has_timestamps() => Some(Slot(added)),
            DELETE_TIMESTAMPS if self.has_delete_metadata() => Some(Slot(deleted)),
            DELETE_CONDITIONS if self.has_delete_metadata() => Some(Slot(deleted + 1)),
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
        if self.version() >= v::SPLIT_DIMENSIONS {
            if let Some(dimension) = self.schema.domain.dimensions.get(index) {
                return Some(FragmentField::Dimension(index, &dimension.name));
            }
            index -= self.schema.domain.dimensions.len();
        }
        let timestamps = self.has_timestamps().then_some(FragmentField::Timestamps);
        let deletes = [
            FragmentField::DeleteTimestamps,
            FragmentField::DeleteConditions,
        ];
        let deletes = deletes.into_iter().filter(|_| self.has_delete_metadata());
        timestamps.into_iter().chain(deletes).nth(index)
    }
}
