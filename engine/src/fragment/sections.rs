//! The sections of a fragment's metadata, loaded when they are first needed. They stay in memory as
//! long as the fragment.

use crate::bytes::Cursor;
use crate::error::Result;
use crate::format::fragment::{FieldStats, LegacyMetadata, RTree, TileStatsColumn, TileValues};
use crate::memory::CachedFile;
use crate::platform::lock::OnceValue;

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

    pub(super) fn is_loaded(&self) -> bool {
        self.0.get().is_some()
    }

    /// Returns the value if it is loaded.
    pub(super) fn peek(&self) -> Option<&T> {
        self.0.get()
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
    /// The coordinates of the first cell of each tile and of the last, by dimension.
    pub(super) order_bounds: Lazy<Vec<[TileValues; 2]>>,
    pub(super) fragment_stats: Lazy<Vec<FieldStats>>,
    pub(super) processed_conditions: Lazy<Vec<String>>,
    pub(super) metadata_file: CachedFile,
    /// The whole metadata file, if it is on an object store, is small, and was not read when the
    /// fragment was opened.
    pub(super) metadata: Lazy<Option<Vec<u8>>>,
}

impl Sections {
    /// Returns sections of which only the R-tree may be loaded.
    pub(super) fn of_rtree(rtree: Option<RTree>) -> Self {
        Self {
            rtree: rtree.map_or_else(Lazy::default, Lazy::loaded),
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
            order_bounds: Lazy::loaded(Vec::new()),
            fragment_stats: Lazy::loaded(Vec::new()),
            processed_conditions: Lazy::loaded(Vec::new()),
            metadata_file: CachedFile::default(),
            metadata: Lazy::loaded(None),
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
