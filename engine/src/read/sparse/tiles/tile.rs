//! A tile of a fragment, and the columns of it that are in memory.

use std::sync::{Arc, OnceLock};

use crate::geometry::PackedColumn;
use crate::tile::Cells;

/// A tile of a fragment. Its columns are loaded on first use by [`super::TileLoader`], possibly by
/// several threads.
#[derive(Debug)]
pub(crate) struct Tile {
    /// The index of the fragment in the read.
    pub(crate) source: usize,
    /// The index of the tile in the fragment.
    pub(crate) index: u64,
    pub(crate) cell_num: usize,
    /// The number of cells in the merge plan that are not delivered yet. A cell that is delivered
    /// several times counts as often.
    pub(crate) undelivered: usize,
    /// Whether some of its cells may be added to the merge plan later.
    pub(crate) is_pending: bool,
    /// The cells by field.
    pub(super) columns: Vec<OnceLock<Cells>>,
    /// By field: the starts of the values of cells, if the values are not in memory.
    pub(super) starts: Vec<OnceLock<Vec<u64>>>,
    /// The packed coordinates by dimension.
    pub(super) packed: Vec<OnceLock<Arc<PackedColumn>>>,
    /// The coordinates of a fragment that stores those of a cell together.
    pub(super) combined: OnceLock<Cells>,
}

impl Tile {
    pub(crate) fn new(
        source: usize,
        index: u64,
        cell_num: usize,
        field_num: usize,
        dim_num: usize,
    ) -> Self {
        Self {
            source,
            index,
            cell_num,
            undelivered: 0,
            is_pending: false,
            columns: (0..field_num).map(|_| OnceLock::new()).collect(),
            starts: (0..field_num).map(|_| OnceLock::new()).collect(),
            packed: (0..dim_num).map(|_| OnceLock::new()).collect(),
            combined: OnceLock::new(),
        }
    }

    /// Returns whether some of its cells may be delivered later.
    pub(crate) fn is_needed(&self) -> bool {
        self.undelivered > 0 || self.is_pending
    }

    /// Returns the cells of a field if they are in memory.
    pub(crate) fn loaded(&self, field: usize) -> Option<&Cells> {
        self.columns[field].get()
    }

    /// Sets the cells of a field that is computed instead of stored. Cells that were set before are
    /// kept.
    pub(crate) fn set_column(&self, field: usize, cells: Cells) {
        let _ = self.columns[field].set(cells);
    }

    /// Returns the starts of the values of a field, and the end of the last one, if they are in
    /// memory.
    pub(crate) fn loaded_starts(&self, field: usize) -> Option<&[u64]> {
        let with_values = self.columns[field].get().map(|cells| &cells.starts);
        with_values.or(self.starts[field].get()).map(Vec::as_slice)
    }

    /// Returns the packed coordinates of a dimension if they are in memory.
    pub(crate) fn packed(&self, dim: usize) -> Option<&PackedColumn> {
        self.packed[dim].get().map(|column| &**column)
    }

    /// Returns the size of its columns in memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        let columns = self.columns.iter().filter_map(OnceLock::get);
        let columns = columns.chain(self.combined.get()).map(Cells::memory);
        let starts = self.starts.iter().filter_map(OnceLock::get);
        let packed = self.packed.iter().filter_map(OnceLock::get);
        columns.sum::<usize>()
            + starts.map(|starts| 8 * starts.capacity()).sum::<usize>()
            + packed.map(|column| column.memory()).sum::<usize>()
    }

    /// Drops all columns. The memory of cells goes to the buffer pool, unless the pool would exceed
    /// `pool_bytes`.
    pub(crate) fn release(&mut self, pool_bytes: usize) {
        for column in &mut self.columns {
            if let Some(cells) = column.take() {
                cells.into_pool(pool_bytes);
            }
        }
        self.combined = OnceLock::new();
        self.starts
            .iter_mut()
            .for_each(|starts| drop(starts.take()));
        self.packed
            .iter_mut()
            .for_each(|column| drop(column.take()));
    }
}
