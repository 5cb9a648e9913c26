//! The sections of a fragment's metadata, loaded when they are first needed. They stay in memory as
//! long as the fragment.

use crate::bytes::Cursor;
use crate::error::Result;
use crate::format::fragment::{FieldStats, LegacyMetadata, RTree, TileStatsColumn, TileValues};
use crate::memory::CachedFile;
use crate::platform::lock::OnceValue;

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
