//! Finds cells that are not in order, and duplicates, among cells that should be in global order.

use super::keys::{KeyedCells, Keys};
use super::{CellOrder, Coordinates};
use crate::error::Result;

/// A copy of the coordinates of one cell, by dimension.
#[derive(Clone, Debug)]
pub struct CellCopy(Vec<(Vec<u8>, Option<[u64; 2]>)>);

impl CellCopy {
    /// Creates a cell. Each coordinate is a pair of its bytes and whether it is a string.
    pub fn new(coordinates: impl IntoIterator<Item = (Vec<u8>, bool)>) -> Self {
        let coordinates = coordinates.into_iter().map(|(bytes, is_string)| {
            let ends = is_string.then_some([0, bytes.len() as u64]);
            (bytes, ends)
        });
        Self(coordinates.collect())
    }

    /// Returns the bytes of the coordinates, by dimension.
    pub fn values(&self) -> Vec<Vec<u8>> {
        self.0.iter().map(|(bytes, _)| bytes.clone()).collect()
    }

    /// Returns columns that contain this cell only.
    pub fn columns(&self) -> Vec<Coordinates<'_>> {
        self.0
            .iter()
            .map(|(bytes, ends)| Coordinates {
                data: bytes,
                starts: ends.as_ref().map(|ends| &ends[..]),
            })
            .collect()
    }
}

/// Cells that violate the order, by index.
#[derive(Debug, Default)]
pub struct OrderViolations {
    /// The cells with the same coordinates as the previous cell, in ascending order.
    pub duplicates: Vec<usize>,
    /// The first cell that sorts before the previous cell.
    pub order: Option<usize>,
}

impl OrderViolations {
    /// Adds those of `cell_num` cells of columns that contain as many. `first` is the index of
    /// their first cell.
    pub fn find(
        &mut self,
        order: &CellOrder,
        columns: &[Coordinates<'_>],
        first: usize,
        cell_num: usize,
    ) -> Result<()> {
        let mut keys = Keys::default();
        keys.reset(order.word_num(), cell_num)?;
        order.fill(columns, 0, &mut keys.words_mut().collect::<Vec<_>>());
        let words = keys.word(0);
        let ascends = |all, (earlier, later): (&u64, &u64)| all & (earlier < later);
        let following = words.get(1..).unwrap_or_default();
        if words.iter().zip(following).fold(true, ascends) {
            return Ok(());
        }
        let cells = KeyedCells {
            keys: &keys,
            columns,
        };
        for cell in 1..cell_num {
            self.compare(order, (cells, cell - 1), (cells, cell), first + cell);
        }
        Ok(())
    }

    /// Adds the first of some cells, with index 0, if it violates the order after `last`.
    pub fn find_after(
        &mut self,
        order: &CellOrder,
        last: &CellCopy,
        columns: &[Coordinates<'_>],
    ) -> Result<()> {
        let last_columns = last.columns();
        let (mut last_keys, mut keys) = (Keys::default(), Keys::default());
        order.make_keys(&last_columns, &mut last_keys)?;
        keys.reset(order.word_num(), 1)?;
        order.fill(columns, 0, &mut keys.words_mut().collect::<Vec<_>>());
        let previous = KeyedCells {
            keys: &last_keys,
            columns: &last_columns,
        };
        let current = KeyedCells {
            keys: &keys,
            columns,
        };
        self.compare(order, (previous, 0), (current, 0), 0);
        Ok(())
    }

    /// Compares a cell with the previous one, each by its index in some cells. `index` is that of
    /// the second cell in the list.
    fn compare(
        &mut self,
        order: &CellOrder,
        (a, i): (KeyedCells<'_>, usize),
        (b, j): (KeyedCells<'_>, usize),
        index: usize,
    ) {
        let found = order.compare(a, i, b, j);
        if found.is_eq() && order.same_cell(a, i, b, j) {
            self.duplicates.push(index);
        }
        // Cells with the same Hilbert value may be in any order.
        if found.is_gt() && self.order.is_none() && !order.same_hilbert_value(a.keys, i, b.keys, j)
        {
            self.order = Some(index);
        }
    }
}
