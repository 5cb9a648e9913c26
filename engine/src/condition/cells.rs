//! Evaluates conditions on the cells of a tile: column by column, in blocks of cells that stay in
//! the cache.

use super::bind::{BoundCondition, CellTest, Leaf, TestNode};
use super::strings;
use crate::memory::pool;
use crate::memory::tuning::CONDITION_BLOCK_CELLS;
use crate::tile::CellsRef;

impl BoundCondition {
    /// Clears the bytes of `selected` of all cells that do not satisfy the condition; other bytes
    /// keep their value, 1 or 0. `columns` are the cells of [`Self::fields`] in their order,
    /// `cells` each.
    ///
    /// # Panics
    ///
    /// If a column has fewer cells.
    pub fn select(&self, columns: &[CellsRef<'_>], cells: usize, selected: &mut [u8]) {
        let selected = &mut selected[..cells];
        match &*self.root {
            TestNode::Always(true) => return,
            TestNode::Always(false) => return selected.fill(0),
            _ => {}
        }
        // Bitmaps for disjunctions.
        let mut scratch = pool::take_bytes(self.depth * CONDITION_BLOCK_CELLS);
        scratch.resize(self.depth * CONDITION_BLOCK_CELLS, 0);
        for (block, bits) in selected.chunks_mut(CONDITION_BLOCK_CELLS).enumerate() {
            test(
                &self.root,
                columns,
                block * CONDITION_BLOCK_CELLS,
                bits,
                &mut scratch,
            );
        }
        pool::put_bytes(scratch, usize::MAX);
    }
}

/// Evaluates a test on the cells starting at `start`, one for each byte of `selected`.
fn test(
    node: &TestNode,
    columns: &[CellsRef<'_>],
    start: usize,
    selected: &mut [u8],
    scratch: &mut [u8],
) {
    match node {
        TestNode::Always(true) => {}
        TestNode::Always(false) => selected.fill(0),
        TestNode::Leaf(leaf) => leaf.select(&columns[leaf.column], start, selected),
        TestNode::All(parts) => {
            for part in parts {
                test(part, columns, start, selected, scratch);
                if !any(selected) {
                    return;
                }
            }
        }
        TestNode::Any(parts) => {
            let (found, scratch) = scratch.split_at_mut(CONDITION_BLOCK_CELLS);
            let (one, scratch) = scratch.split_at_mut(CONDITION_BLOCK_CELLS);
            let found = &mut found[..selected.len()];
            let one = &mut one[..selected.len()];
            found.fill(0);
            for part in parts {
                // Only cells that are selected and not accepted yet are evaluated.
                for ((one, found), selected_bit) in one.iter_mut().zip(&*found).zip(&*selected) {
                    *one = *selected_bit & (found ^ 1);
                }
                if !any(one) {
                    break;
                }
                test(part, columns, start, one, scratch);
                for (found, one) in found.iter_mut().zip(&*one) {
                    *found |= one;
                }
            }
            for (bit, found) in selected.iter_mut().zip(&*found) {
                *bit &= found;
            }
        }
    }
}

/// Returns whether any bit is set.
fn any(bits: &[u8]) -> bool {
    bits.iter().fold(0, |all, bit| all | bit) != 0
}

impl Leaf {
    fn select(&self, column: &CellsRef<'_>, start: usize, selected: &mut [u8]) {
        let cells = start..start + selected.len();
        let validity = column.validity.map(|validity| &validity[cells.clone()]);
        if let CellTest::IsNull(null) = self.check {
            let Some(validity) = validity else {
                return if null {
                    selected.fill(0)
                };
            };
            for (bit, valid) in selected.iter_mut().zip(validity) {
                *bit &= u8::from((*valid == 0) == null);
            }
            return;
        }
        if let Some(validity) = validity {
            for (bit, valid) in selected.iter_mut().zip(validity) {
                *bit &= u8::from(*valid != 0);
            }
        }
        if let Some(starts) = column.starts {
            let starts = &starts[start..=start + selected.len()];
            return self.select_texts(column.data, starts, selected);
        }
        let data = &column.data[cells.start * self.cell_size..cells.end * self.cell_size];
        match &self.check {
            CellTest::IsNull(_) => {}
            CellTest::Number { value, compare, .. } => compare(value, data, selected),
            CellTest::Member { is_in, members, .. } => {
                members.select(*is_in, self.cell_size, data, selected);
            }
            CellTest::Text { operator, value } => {
                strings::select(*operator, value, data, selected);
            }
        }
    }

    fn select_texts(&self, data: &[u8], starts: &[u64], selected: &mut [u8]) {
        match &self.check {
            CellTest::Text { operator, value } => {
                strings::select_varying(*operator, value, data, starts, selected);
            }
            CellTest::Member { is_in, members, .. } => {
                let cells = starts
                    .windows(2)
                    .map(|pair| &data[pair[0] as usize..pair[1] as usize]);
                for (bit, cell) in selected.iter_mut().zip(cells) {
                    *bit &= u8::from(*bit != 0 && members.has(cell) == *is_in);
                }
            }
            CellTest::IsNull(_) | CellTest::Number { .. } => {}
        }
    }
}
