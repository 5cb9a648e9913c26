//! Chunks: how a tile is divided, and how the chunks are stored.
//!
//! ```text
//! number of chunks  u64
//! of each chunk:
//!   original length u32   of its data, in bytes
//!   filtered length u32
//!   metadata length u32
//!   metadata, then the filtered data
//! ```
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use super::{FilterList, FilterType};
use crate::bytes::Cursor;
use crate::error::{PipelineError, Result};

/// The bytes before the metadata of a chunk: three lengths.
pub const CHUNK_HEADER_LEN: usize = 12;

/// One chunk of a stored tile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chunk<'a> {
    /// The size of its data before filtering, in bytes.
    pub original_len: u32,
    /// The metadata that the filters wrote for it.
    pub metadata: &'a [u8],
    /// The filtered data.
    pub filtered: &'a [u8],
}

/// Iterates over the chunks of a stored tile. Lengths are checked before they are used; after an
/// error the iteration ends.
#[derive(Clone, Debug)]
pub struct Chunks<'a> {
    cursor: Cursor<'a>,
    /// The number of chunks not read yet.
    chunks_left: u64,
    /// The original size in bytes of the chunks not read yet.
    bytes_left: u64,
}

impl<'a> Chunks<'a> {
    /// Starts reading the chunks of a tile whose data is `expected_len` bytes long.
    pub fn parse(stored: &'a [u8], expected_len: u64) -> Result<Self> {
        let mut cursor = Cursor::new("tile", stored);
        let chunks_left = cursor.count("number of chunks", CHUNK_HEADER_LEN)? as u64;
        Ok(Self {
            cursor,
            chunks_left,
            bytes_left: expected_len,
        })
    }

    fn read(&mut self) -> Result<Chunk<'a>> {
        let start = self.cursor.clone();
        let original_len = self.cursor.u32("original length of a chunk")?;
        let filtered_len = self.cursor.u32("filtered length of a chunk")?;
        let metadata_len = self.cursor.u32("metadata length of a chunk")?;
        let Some(bytes_left) = self.bytes_left.checked_sub(u64::from(original_len)) else {
            return Err(start.corrupt(
                "original length of a chunk",
                format!(
                    "is {original_len}, but {} bytes of the tile are left",
                    self.bytes_left
                ),
            ));
        };
        self.bytes_left = bytes_left;
        Ok(Chunk {
            original_len,
            metadata: self
                .cursor
                .take_u64("metadata of a chunk", u64::from(metadata_len))?,
            filtered: self
                .cursor
                .take_u64("data of a chunk", u64::from(filtered_len))?,
        })
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Result<Chunk<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.chunks_left == 0 {
            let missing = std::mem::take(&mut self.bytes_left);
            return (missing > 0).then(|| {
                Err(self
                    .cursor
                    .corrupt("chunks", format!("end {missing} bytes before the tile")))
            });
        }
        self.chunks_left -= 1;
        let read = self.read();
        if read.is_err() {
            (self.chunks_left, self.bytes_left) = (0, 0);
        }
        Some(read)
    }
}

/// Returns the chunk size in bytes for a tile of fixed-size cells; the last chunk may be shorter.
/// Chunks hold whole cells; a cell larger than a chunk is a chunk of its own. With the WebP filter
/// the whole tile is one chunk.
pub fn chunk_size(list: &FilterList, tile_len: u64, cell_size: u64) -> Result<u32> {
    let size = if list.max_chunk_size == 0 || list.has(FilterType::Webp) {
        tile_len
    } else {
        let cell_size = cell_size.max(1);
        let size = tile_len.min(u64::from(FilterList::CHUNK_SIZE));
        (size / cell_size * cell_size).max(cell_size)
    };
    u32::try_from(size).map_err(|_| PipelineError::ChunkTooLarge.into())
}

/// Returns the start of each chunk of a tile of fixed-size cells, in bytes.
pub fn chunk_starts(list: &FilterList, tile_len: u64, cell_size: u64) -> Result<Vec<u64>> {
    let size = u64::from(chunk_size(list, tile_len, cell_size)?);
    let number = if size == 0 {
        1
    } else {
        tile_len.div_ceil(size)
    };
    Ok((0..number).map(|chunk| chunk * size).collect())
}

/// Returns the start of each chunk of a tile of variable-size cells, in bytes. `cells` contains the
/// start of each cell and the end of the last one, ascending; positions count from the start of the
/// first cell.
///
/// A cell that exceeds the chunk size still joins the chunk as its last cell if the chunk is at
/// most half full or if the result is at most one and a half times the size. Otherwise it begins a
/// new chunk, and is alone in it if it is larger than a chunk.
pub fn var_chunk_starts(list: &FilterList, cells: &[u64], value_size: u64) -> Result<Vec<u64>> {
    let base = cells.first().copied().unwrap_or_default();
    let total = cells.last().map_or(0, |end| end.saturating_sub(base));
    let size = u64::from(chunk_size(list, total, value_size)?);
    let mut starts = vec![0];
    let mut filled = 0;
    let number = cells.len().saturating_sub(1);
    for (index, (start, end)) in cells.iter().zip(cells.iter().skip(1)).enumerate() {
        let (start, end) = (start.saturating_sub(base), end.saturating_sub(base));
        let cell = end.saturating_sub(start);
        let with_cell = filled + cell;
        if with_cell <= size {
            filled = with_cell;
        } else if filled <= size / 2 || with_cell <= size + size / 2 {
            u32::try_from(with_cell).map_err(|_| PipelineError::ChunkTooLarge)?;
            starts.push(end);
            filled = 0;
        } else if cell > size {
            u32::try_from(cell).map_err(|_| PipelineError::ChunkTooLarge)?;
            starts.push(start);
            if index + 1 < number {
                starts.push(end);
            }
            filled = 0;
        } else {
            starts.push(start);
            filled = cell;
        }
    }
    Ok(starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: u64 = FilterList::CHUNK_SIZE as u64;

    fn with_chunk_size(max_chunk_size: u32) -> FilterList {
        FilterList {
            max_chunk_size,
            ..FilterList::default()
        }
    }

    #[test]
    fn chunks_hold_whole_cells() {
        let size = |len, cell| chunk_size(&with_chunk_size(1), len, cell).expect("small");
        assert_eq!(size(200_000, 4), 65536);
        assert_eq!(size(200_000, 12), 65532);
        assert_eq!(size(100, 4), 100);
        assert_eq!(size(400_000, 100_000), 100_000);
        assert_eq!(
            chunk_size(&with_chunk_size(0), 200_000, 4).expect("small"),
            200_000
        );
        assert!(chunk_size(&with_chunk_size(1), 1 << 33, 1 << 32).is_err());
    }

    #[test]
    fn an_empty_tile_has_a_chunk_only_if_tiles_are_not_divided() {
        assert!(
            chunk_starts(&with_chunk_size(1), 0, 4)
                .expect("small")
                .is_empty()
        );
        assert_eq!(chunk_starts(&with_chunk_size(0), 0, 4).expect("small"), [0]);
        assert_eq!(
            chunk_starts(&with_chunk_size(1), 2 * SIZE + 1, 1).expect("small"),
            [0, SIZE, 2 * SIZE]
        );
    }

    #[test]
    fn cells_of_any_length_stay_whole() {
        let starts = |offsets: &[u64], total| {
            let moved = offsets.iter().chain([&total]).map(|offset| offset + 7);
            var_chunk_starts(&with_chunk_size(1), &moved.collect::<Vec<_>>(), 1).expect("small")
        };
        // Small cells fill a chunk.
        assert_eq!(starts(&[0, 40_000, 60_000], 65_000), [0]);
        // A large cell joins a chunk that is less than half full.
        assert_eq!(starts(&[0, 10_000, 200_000], 200_001), [0, 200_000]);
        // More than half full, and the cell is too large to join: a chunk of its own.
        assert_eq!(starts(&[0, 50_000, 200_000], 200_001), [0, 50_000, 200_000]);
        // More than half full, but together within one and a half sizes: the cell joins.
        assert_eq!(starts(&[0, 50_000], 90_000), [0, 90_000]);
        // A slightly larger cell begins the next chunk.
        assert_eq!(starts(&[0, 50_000], 110_000), [0, 50_000]);
    }

    #[test]
    fn lengths_that_do_not_add_up_are_errors() {
        let chunk = |original: u32| [&original.to_le_bytes()[..], &[0; 8]].concat();
        let tile = |chunks: &[u32]| {
            let number = (chunks.len() as u64).to_le_bytes().to_vec();
            chunks
                .iter()
                .fold(number, |tile, len| [tile, chunk(*len)].concat())
        };
        let read = |stored: &[u8], len| -> Result<usize> {
            Chunks::parse(stored, len)?.try_fold(0, |number, chunk| chunk.map(|_| number + 1))
        };
        assert_eq!(read(&tile(&[3, 4]), 7).ok(), Some(2));
        assert!(read(&tile(&[3, 4]), 6).is_err());
        assert!(read(&tile(&[3, 4]), 8).is_err());
        assert!(read(&tile(&[]), 1).is_err());
        assert!(read(&u64::MAX.to_le_bytes(), 1).is_err());
    }
}
