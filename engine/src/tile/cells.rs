//! The cells of one field of a tile, in memory.

use crate::error::{Result, bytes_in_memory, reserve, try_vec};
use crate::geometry::Coordinates;
use crate::memory::{Workspace, WorkspaceKind, pool};

/// Owned cells.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    /// Fixed-size cells, or the concatenated values of variable-length ones.
    pub data: Vec<u8>,
    /// The start of each variable-length cell and the end of the last one: ascending, within
    /// `data`. Empty for fixed-size cells.
    pub starts: Vec<u64>,
    /// A byte for each cell of a nullable field, 0 for null. Empty for other fields.
    pub validity: Vec<u8>,
}

/// Borrowed cells. `starts` may begin and end anywhere within `data`.
#[derive(Clone, Copy, Debug)]
pub struct CellsRef<'a> {
    /// As [`Cells::data`].
    pub data: &'a [u8],
    /// As [`Cells::starts`]; `None` for fixed-size cells.
    pub starts: Option<&'a [u64]>,
    /// As [`Cells::validity`]; `None` for fields that are not nullable.
    pub validity: Option<&'a [u8]>,
}

/// The cell that a field has where no fragment contains one.
#[derive(Clone, Copy, Debug)]
pub struct FillValue<'a> {
    /// The bytes of the cell.
    pub value: &'a [u8],
    /// The validity of the cell; `None` for fields that are not nullable.
    pub validity: Option<u8>,
    /// Whether cells of the field have a variable length.
    pub is_var: bool,
}

/// Converts stored offsets, one per cell, to starts of cells in values that end at `end`, followed
/// by that end. Returns whether they ascend up to it.
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

/// Converts coordinates of `size` bytes from cell order to dimension order: those of the first
/// dimension, then those of the second, and so on. Bytes after the last complete cell are ignored.
///
/// # Errors
///
/// If memory cannot be allocated.
pub fn unzip(cells: &[u8], dim_num: usize, size: usize) -> Result<Vec<u8>> {
    let cell_size = dim_num * size;
    if cell_size == 0 || cells.len() < cell_size {
        return Ok(Vec::new());
    }
    let cells = cells.chunks_exact(cell_size);
    let mut columns: Vec<u8> = try_vec("coordinates", cells.len() * cell_size)?;
    for (dim, column) in columns.chunks_exact_mut(cells.len() * size).enumerate() {
        for (to, cell) in column.chunks_exact_mut(size).zip(cells.clone()) {
            to.copy_from_slice(&cell[dim * size..(dim + 1) * size]);
        }
    }
    Ok(columns)
}

impl Cells {
    /// Converts stored offsets, one per cell, to starts of cells in the data. Returns whether they
    /// ascend within it.
    #[must_use]
    pub fn set_starts(&mut self, offsets: &[u8]) -> bool {
        set_starts(offsets, self.data.len() as u64, &mut self.starts)
    }

    /// Replaces the cells by `cell_num` cells with the fill value.
    pub fn fill(&mut self, fill: FillValue<'_>, cell_num: usize) -> Result<()> {
        self.clear();
        let value = fill.value;
        let len = bytes_in_memory("fill values", cell_num, value.len())?;
        self.data = try_vec("fill values", len)?;
        for cell in self.data.chunks_exact_mut(value.len().max(1)) {
            cell.copy_from_slice(value);
        }
        if fill.is_var {
            reserve("offsets of fill values", &mut self.starts, cell_num + 1)?;
            let starts = (0..=cell_num as u64).map(|cell| cell * value.len() as u64);
            self.starts.extend(starts);
        }
        if let Some(validity) = fill.validity {
            reserve("validity of fill values", &mut self.validity, cell_num)?;
            self.validity.resize(cell_num, validity);
        }
        Ok(())
    }

    /// Returns cells with unspecified content, with memory from the buffer pool for `data` bytes
    /// and `starts` starts if it is available.
    pub fn from_pool(data: usize, starts: usize) -> Self {
        Self {
            data: pool::take_bytes(data),
            starts: pool::take_words(starts),
            validity: Vec::new(),
        }
    }

    /// Puts the memory into the buffer pool, unless the pool would exceed `max` bytes.
    pub fn into_pool(self, max: usize) {
        pool::put_bytes(self.data, max);
        pool::put_words(self.starts, max);
        pool::put_bytes(self.validity, max);
    }

    /// Removes the cells but keeps their memory.
    pub fn clear(&mut self) {
        self.data.clear();
        self.starts.clear();
        self.validity.clear();
    }

    /// Returns the size of the allocations in bytes.
    pub fn memory(&self) -> usize {
        self.data.capacity() + 8 * self.starts.capacity() + self.validity.capacity()
    }

    /// Returns the cells of a dimension as coordinates.
    pub fn coordinates(&self) -> Coordinates<'_> {
        let cells = self.as_ref();
        Coordinates {
            data: cells.data,
            starts: cells.starts,
        }
    }

    /// Borrows the cells.
    pub fn as_ref(&self) -> CellsRef<'_> {
        CellsRef {
            data: &self.data,
            starts: (!self.starts.is_empty()).then_some(&self.starts),
            validity: (!self.validity.is_empty()).then_some(&self.validity),
        }
    }
}

impl Workspace for Cells {
    const KIND: WorkspaceKind = WorkspaceKind::Cells;

    fn memory(&self) -> usize {
        Self::memory(self)
    }
}

impl<'a> CellsRef<'a> {
    /// Returns the number of cells; `cell_size` is the size in bytes of a fixed-size cell.
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
