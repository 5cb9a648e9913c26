//! Runs of cells that are copied together.

use std::ops::Range;

/// Cells that are consecutive in a source and in a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellRun {
    /// The index of the first cell in the source.
    pub from: usize,
    /// The index of the first cell in the destination.
    pub to: usize,
    /// The number of cells.
    pub len: usize,
}

impl CellRun {
    /// Returns the indexes of the cells in the source.
    pub fn source(&self) -> Range<usize> {
        self.from..self.source_end()
    }

    /// Returns the index after the last cell in the source.
    pub fn source_end(&self) -> usize {
        self.from + self.len
    }

    /// Returns the run in bytes, for cells of `size` bytes.
    #[must_use]
    pub fn in_bytes(self, size: usize) -> Self {
        Self {
            from: self.from * size,
            to: self.to * size,
            len: self.len * size,
        }
    }
}
