//! Offsets and sizes of tiles of which only windows are in memory.

use crate::error::Result;
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
    /// By [`super::FilePart`].
    pub(super) offsets: [Section; 3],
    pub(super) sizes: Section,
}

/// The windows of one section.
pub(super) type Section = Mutex<Vec<Window>>;

/// Consecutive numbers of a section.
#[derive(Debug)]
pub(super) struct Window {
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
            sizes: Section::default(),
        }
    }

    /// Returns the numbers of a tile and of the next tile.
    pub(super) fn pair(
        &self,
        section: &Section,
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
