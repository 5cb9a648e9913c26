//! The cells of one field of one tile, in memory.

use crate::bytes::buffer_pool;

/// Cells that are owned, as they come from storage or go to it.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    /// Fixed-size cells, or the values of variable-length ones.
    pub data: Vec<u8>,
    /// Where each variable-length cell starts, and the end of the last: ascending, within `data`.
    /// Empty for fixed-size ones.
    pub starts: Vec<u64>,
    /// A byte for each cell of a nullable field, 0 for null. Empty for other fields.
    pub validity: Vec<u8>,
}

/// Cells that are borrowed: `starts` may begin and end anywhere within `data`.
#[derive(Clone, Copy, Debug)]
pub struct CellsRef<'a> {
    /// As [`Cells::data`].
    pub data: &'a [u8],
    /// As [`Cells::starts`]; `None` for fixed-size cells.
    pub starts: Option<&'a [u64]>,
    /// As [`Cells::validity`]; `None` for fields that are not nullable.
    pub validity: Option<&'a [u8]>,
}

/// Takes offsets as they are stored, one for each cell, for the starts of cells in values that end
/// at `end`, with that end behind them and returns whether they ascend up to it.
#[must_use]
pub fn set_starts(offsets: &[u8], end: u64, to: &mut Vec<u64>) -> bool {
    let (mut last, mut ascending) = (0, true);
    let (offsets, _) = offsets.as_chunks();
    to.clear();
    to.reserve(offsets.len() + 1);
    to.extend(offsets.iter().map(|offset| {
        let start = u64::from_le_bytes(*offset);
        ascending &= last <= start;
        last = start;
        start
    }));
    to.push(end);
    ascending && last <= end
}

impl Cells {
    /// Takes offsets as they are stored, one for each cell, for the starts of cells in the data and
    /// returns whether they ascend within it.
    #[must_use]
    pub fn set_starts(&mut self, offsets: &[u8]) -> bool {
        set_starts(offsets, self.data.len() as u64, &mut self.starts)
    }

    /// Cells to be filled anew, with room for `data` bytes and `starts` starts if there is some to
    /// spare. They may hold anything.
    pub fn spare(data: usize, starts: usize) -> Self {
        Self {
            data: buffer_pool::take_bytes(data),
            starts: buffer_pool::take_words(starts),
            validity: Vec::new(),
        }
    }

    /// Keeps the memory for others, as long as no more than `most` bytes are kept together.
    pub fn give_back(self, most: usize) {
        buffer_pool::put_bytes(self.data, most);
        buffer_pool::put_words(self.starts, most);
        buffer_pool::put_bytes(self.validity, most);
    }

    /// Forgets the cells, but not their memory.
    pub fn clear(&mut self) {
        self.data.clear();
        self.starts.clear();
        self.validity.clear();
    }

    /// Returns the memory that the cells take, in bytes.
    pub fn memory(&self) -> usize {
        self.data.capacity() + 8 * self.starts.capacity() + self.validity.capacity()
    }

    /// The same cells, borrowed.
    pub fn as_ref(&self) -> CellsRef<'_> {
        CellsRef {
            data: &self.data,
            starts: (!self.starts.is_empty()).then_some(&self.starts),
            validity: (!self.validity.is_empty()).then_some(&self.validity),
        }
    }
}

impl<'a> CellsRef<'a> {
    /// Returns the number of cells, `cell_size` bytes each where they do not vary.
    pub fn len(&self, cell_size: usize) -> usize {
        match self.starts {
            Some(starts) => starts.len().saturating_sub(1),
            None => self.data.len() / cell_size.max(1),
        }
    }

    /// Returns the bytes of a cell.
    pub fn get(&self, cell: usize, cell_size: usize) -> &'a [u8] {
        match self.starts {
            Some(starts) => &self.data[starts[cell] as usize..starts[cell + 1] as usize],
            None => &self.data[cell * cell_size..(cell + 1) * cell_size],
        }
    }
}
