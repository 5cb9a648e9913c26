//! The positions and sizes of the stored tiles of a fragment. All of them are kept in memory, or
//! windows of them for a read whose memory budget does not hold more.

use std::ops::Range;

use super::{FilePart, Fragment, Slot};
use crate::error::{Error, Result};
use crate::format::fragment::{FooterColumn, read_numbers, read_numbers_within};
use crate::format::names::COORDINATES;
use crate::format::version as v;
use crate::platform::lock::Mutex;

/// The windows of one section that are kept: threads of one read work on neighbouring tiles, which
/// may be on both sides of the end of a window.
pub const WINDOWS: usize = 2;

/// The tile offsets and sizes of one field in one fragment, for a read whose memory budget does not
/// hold them.
///
/// A window is loaded by decoding its section and keeping a part, so at most [`WINDOWS`] windows
/// per section stay in memory.
#[derive(Debug)]
pub struct TileWindows {
    /// The number of tiles of a window.
    len: usize,
    /// By [`FilePart`].
    offsets: [Mutex<Vec<Window>>; 3],
    sizes: Mutex<Vec<Window>>,
}

/// Consecutive numbers of a section.
#[derive(Debug)]
struct Window {
    first: u64,
    /// One more than the window has tiles, unless the section ends: the end of a tile is the start
    /// of the next.
    numbers: Vec<u64>,
}

impl Window {
    fn get(&self, number: u64) -> Option<u64> {
        let number = number.checked_sub(self.first)?;
        self.numbers.get(usize::try_from(number).ok()?).copied()
    }
}

impl TileWindows {
    /// Creates windows of `len` tiles, at least 1.
    pub fn new(len: usize) -> Self {
        Self {
            len: len.max(1),
            offsets: Default::default(),
            sizes: Mutex::default(),
        }
    }

    /// Returns the numbers of a tile and of the next tile.
    fn pair(
        &self,
        section: &Mutex<Vec<Window>>,
        tile: u64,
        load: impl FnOnce(u64, usize) -> Result<Vec<u64>>,
    ) -> Result<[Option<u64>; 2]> {
        let len = self.len as u64;
        let first = tile / len * len;
        let mut windows = section.lock();
        let found = windows.iter().position(|window| window.first == first);
        let index = match found {
            Some(index) => index,
            None => {
                let numbers = load(first, self.len.saturating_add(1))?;
                let farthest = windows
                    .iter()
                    .enumerate()
                    .max_by_key(|(_, window)| window.first.abs_diff(first));
                if let Some((index, _)) = farthest.filter(|_| windows.len() == WINDOWS) {
                    windows.swap_remove(index);
                }
                windows.push(Window { first, numbers });
                windows.len() - 1
            }
        };
        let window = windows.get(index);
        let number = |index| window.and_then(|window| window.get(index));
        Ok([number(tile), number(tile.saturating_add(1))])
    }
}

impl Fragment {
    /// Returns the range of a stored tile in its file, checked against the size of the file. With
    /// `windows`, only these are loaded unless all offsets are in memory.
    pub fn stored_range(
        &self,
        slot: Slot,
        part: FilePart,
        tile: u64,
        windows: Option<&TileWindows>,
    ) -> Result<Range<u64>> {
        let (subject, column) = ("tile offsets", part.tile_offsets());
        let section = &self.slot_sections(slot)?.tile_offsets[part as usize];
        let [start, end] = match windows {
            Some(windows) if section.get().is_none() => {
                windows.pair(&windows.offsets[part as usize], tile, |first, len| {
                    self.column_section(subject, column, slot, |from| {
                        read_numbers_within(from, subject, first, len)
                    })
                })?
            }
            _ => {
                let offsets = section.get_or_try_init(|| {
                    self.column_section(subject, column, slot, |from| read_numbers(from, subject))
                })?;
                let index = usize::try_from(tile).unwrap_or(usize::MAX);
                [index, index.saturating_add(1)].map(|index| offsets.get(index).copied())
            }
        };
        // The last tile extends to the end of the file: early releases stored more offsets than
        // tiles for some dense fragments.
        let size = self.file_size(slot, part);
        let is_last = tile.saturating_add(1) >= self.tile_num;
        let end = end.filter(|_| !is_last).unwrap_or(size);
        match start {
            Some(start) if start <= end && end <= size => Ok(start..end),
            _ => {
                let problem = format!("of tile {tile} are not within the file of {size} bytes");
                Err(Error::corrupt(subject, "offsets", 0, problem).with_uri(self.uri()))
            }
        }
    }

    /// Returns the unfiltered size in bytes of a tile of variable-length values. With `windows`,
    /// only these are loaded unless all sizes are in memory.
    pub fn var_size(&self, slot: Slot, tile: u64, windows: Option<&TileWindows>) -> Result<u64> {
        let (subject, column) = ("tile sizes", FooterColumn::VarSizes);
        let section = &self.slot_sections(slot)?.var_sizes;
        let size = match windows {
            Some(windows) if section.get().is_none() => {
                windows.pair(&windows.sizes, tile, |first, len| {
                    self.column_section(subject, column, slot, |from| {
                        read_numbers_within(from, subject, first, len)
                    })
                })?[0]
            }
            _ => {
                let sizes = section.get_or_try_init(|| {
                    self.column_section(subject, column, slot, |from| read_numbers(from, subject))
                })?;
                let index = usize::try_from(tile).unwrap_or(usize::MAX);
                sizes.get(index).copied()
            }
        };
        size.ok_or_else(|| {
            let problem = format!("has none for tile {tile}");
            Error::corrupt(subject, "sizes", 0, problem).with_uri(self.uri())
        })
    }

    /// Returns an error unless the last tile has a position in the file of the first dimension,
    /// which confirms the number of tiles.
    pub fn check_tile_num(&self, windows: Option<&TileWindows>) -> Result<()> {
        let name = if self.footer.head.version >= v::SPLIT_DIMENSIONS {
            self.schema.domain.dimensions.first().map(|dim| &*dim.name)
        } else {
            Some(COORDINATES)
        };
        let slot = name.and_then(|name| self.slot(name));
        if let (Some(slot), Some(last)) = (slot, self.tile_num.checked_sub(1)) {
            self.stored_range(slot, FilePart::Fixed, last, windows)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_section_and_two_windows_stay() {
        let numbers: Vec<u64> = (0..100).map(|index| index * index).collect();
        let mut loads = 0;
        let windows = TileWindows::new(7);
        let mut pair = |tile: u64| {
            let load = |first: u64, len: usize| {
                loads += 1;
                let from = (first as usize).min(numbers.len());
                Ok(numbers[from..(from + len).min(numbers.len())].to_vec())
            };
            windows.pair(&windows.sizes, tile, load).expect("numbers")
        };
        for tile in 0..105u64 {
            let expected = [tile, tile + 1].map(|index| numbers.get(index as usize).copied());
            assert_eq!(pair(tile), expected, "tile {tile}");
            // The window before is still there.
            if let Some(before) = tile.checked_sub(7) {
                assert_eq!(pair(before)[0], numbers.get(before as usize).copied());
            }
        }
        assert_eq!(loads, 15);
        assert_eq!(windows.sizes.lock().len(), WINDOWS);
    }
}
