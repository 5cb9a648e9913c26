//! The positions and sizes of the stored tiles of a fragment.

use std::ops::Range;

use super::{FilePart, Fragment, Slot, TileWindows};
use crate::error::{Error, Result};
use crate::format::fragment::{FooterColumn, read_numbers, read_numbers_within};
use crate::format::names::COORDINATES;
use crate::format::version as v;

impl Fragment {
    /// Returns the range of a stored tile in its file, checked against the size of the file.
    pub fn stored_range(&self, slot: Slot, part: FilePart, tile: u64) -> Result<Range<u64>> {
        let sections = self.slot_sections(slot)?;
        let offsets = sections.tile_offsets[part as usize].get(|| {
            self.column_section("tile offsets", part.tile_offsets(), slot, |from| {
                read_numbers(from, "tile offsets")
            })
        })?;
        let tile_index = usize::try_from(tile).unwrap_or(usize::MAX);
        let end = offsets.get(tile_index.saturating_add(1)).copied();
        self.checked_range(slot, part, tile, offsets.get(tile_index).copied(), end)
    }

    /// Returns the position of a tile in its file, from `start` to `end`, the start of the next
    /// tile. The last tile extends to the end of the file: early releases stored more offsets
    /// than tiles for some dense fragments.
    pub(super) fn checked_range(
        &self,
        slot: Slot,
        part: FilePart,
        tile: u64,
        start: Option<u64>,
        end: Option<u64>,
    ) -> Result<Range<u64>> {
        let size = self.file_size(slot, part);
        let is_last = tile.saturating_add(1) >= self.tile_num;
        let end = end.filter(|_| !is_last).unwrap_or(size);
        match start {
            Some(start) if start <= end && end <= size => Ok(start..end),
            _ => {
                let problem = format!("of tile {tile} are not within the file of {size} bytes");
                Err(Error::corrupt("tile offsets", "offsets", 0, problem).with_uri(self.uri()))
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
                Some(windows) => self.stored_range_within(slot, FilePart::Fixed, last, windows),
                None => self.stored_range(slot, FilePart::Fixed, last),
            }
            .map(|_| ()),
            _ => Ok(()),
        }
    }

    /// Returns the unfiltered size in bytes of a tile of variable-length values.
    pub fn var_size(&self, slot: Slot, tile: u64) -> Result<u64> {
        let sizes = self.slot_sections(slot)?.var_sizes.get(|| {
            self.column_section("tile sizes", FooterColumn::VarSizes, slot, |from| {
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
        Error::corrupt("tile sizes", "sizes", 0, problem).with_uri(self.uri())
    }

    /// Returns whether all tile offsets of a file are in memory.
    pub(super) fn has_tile_offsets(&self, slot: Slot, part: FilePart) -> Result<bool> {
        Ok(self.slot_sections(slot)?.tile_offsets[part as usize].is_loaded())
    }

    /// Returns whether all sizes of variable-length tiles are in memory.
    pub(super) fn has_var_sizes(&self, slot: Slot) -> Result<bool> {
        Ok(self.slot_sections(slot)?.var_sizes.is_loaded())
    }

    /// Returns the position of a tile in its file as [`Fragment::stored_range`] does, but keeps
    /// only windows of the offsets.
    pub fn stored_range_within(
        &self,
        slot: Slot,
        part: FilePart,
        tile: u64,
        windows: &TileWindows,
    ) -> Result<Range<u64>> {
        if self.has_tile_offsets(slot, part)? {
            return self.stored_range(slot, part, tile);
        }
        let section = &windows.offsets[part as usize];
        let [start, end] = windows.pair(section, tile, |first, len| {
            self.column_section("tile offsets", part.tile_offsets(), slot, |from| {
                read_numbers_within(from, "tile offsets", first, len)
            })
        })?;
        self.checked_range(slot, part, tile, start, end)
    }

    /// Returns the size of a tile of variable-length values as [`Fragment::var_size`] does, but
    /// keeps only windows of the sizes.
    pub fn var_size_within(&self, slot: Slot, tile: u64, windows: &TileWindows) -> Result<u64> {
        if self.has_var_sizes(slot)? {
            return self.var_size(slot, tile);
        }
        let [size, _] = windows.pair(&windows.sizes, tile, |first, len| {
            self.column_section("tile sizes", FooterColumn::VarSizes, slot, |from| {
                read_numbers_within(from, "tile sizes", first, len)
            })
        })?;
        size.ok_or_else(|| self.missing_size(tile))
    }
}
