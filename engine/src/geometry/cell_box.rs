//! Boxes of cells with inclusive bounds, and their intersection and difference.

use super::steps::{Order, box_strides, for_each_position};

/// A box of cells: the first and the last coordinate in each dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellBox {
    /// The first coordinate in each dimension.
    pub low: Vec<u64>,
    /// The last coordinate in each dimension.
    pub high: Vec<u64>,
}

impl CellBox {
    /// Returns the number of cells, saturating.
    pub fn cell_num(&self) -> u64 {
        self.low
            .iter()
            .zip(&self.high)
            .map(|(low, high)| (high - low).saturating_add(1))
            .fold(1, u64::saturating_mul)
    }

    /// Returns the number of coordinates in a dimension, saturating for a complete 64-bit domain.
    pub fn len(&self, dim: usize) -> u64 {
        (self.high[dim] - self.low[dim]).saturating_add(1)
    }

    /// Returns the number of coordinates in each dimension, saturating.
    pub fn shape(&self) -> Vec<u64> {
        (0..self.dim_num()).map(|dim| self.len(dim)).collect()
    }

    /// Returns the distance in cells between neighbours in each dimension if the cells are stored
    /// in `order`. Saturates: callers that allocate memory must check the number of cells first.
    pub fn strides(&self, order: Order) -> Vec<u64> {
        box_strides(&self.shape(), order)
    }

    /// Calls `visit` with the coordinates of each cell, in order; stops at the first error.
    pub fn for_each_cell<E>(
        &self,
        order: Order,
        mut visit: impl FnMut(&[u64]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut coordinates = self.low.clone();
        for_each_position(&self.shape(), order, |position| {
            let dims = coordinates.iter_mut().zip(position).zip(&self.low);
            for ((coordinate, position), low) in dims {
                *coordinate = low + position;
            }
            visit(&coordinates)
        })
    }

    /// Returns the number of dimensions.
    pub fn dim_num(&self) -> usize {
        self.low.len()
    }

    /// Returns the box in coordinates that are counted from `origin`, which precedes the box in
    /// each dimension.
    #[must_use]
    pub fn relative_to(&self, origin: &[u64]) -> Self {
        let shift = |coordinates: &[u64]| {
            coordinates
                .iter()
                .zip(origin)
                .map(|(coordinate, origin)| coordinate - origin)
                .collect()
        };
        Self {
            low: shift(&self.low),
            high: shift(&self.high),
        }
    }

    /// Returns whether this box contains every cell of `other`.
    pub fn contains(&self, other: &Self) -> bool {
        (0..self.dim_num()).all(|d| self.low[d] <= other.low[d] && other.high[d] <= self.high[d])
    }

    /// Returns whether the boxes have a cell in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..self.dim_num()).all(|d| self.low[d] <= other.high[d] && other.low[d] <= self.high[d])
    }

    /// Returns the cells that both boxes contain.
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        self.overlaps(other).then(|| Self {
            low: self
                .low
                .iter()
                .zip(&other.low)
                .map(|(a, b)| *a.max(b))
                .collect(),
            high: self
                .high
                .iter()
                .zip(&other.high)
                .map(|(a, b)| *a.min(b))
                .collect(),
        })
    }

    /// Appends disjoint boxes to `rest` that together contain the cells of this box outside of
    /// `hole`. `hole` must lie within this box.
    pub fn subtract(&self, hole: &Self, rest: &mut Vec<Self>) {
        let mut left = self.clone();
        for d in 0..self.dim_num() {
            if left.low[d] < hole.low[d] {
                let mut below = left.clone();
                below.high[d] = hole.low[d] - 1;
                rest.push(below);
                left.low[d] = hole.low[d];
            }
            if hole.high[d] < left.high[d] {
                let mut upper = left.clone();
                upper.low[d] = hole.high[d] + 1;
                rest.push(upper);
                left.high[d] = hole.high[d];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn small_box() -> impl Strategy<Value = CellBox> {
        proptest::collection::vec((0u64..6, 0u64..6), 3).prop_map(|ends| CellBox {
            low: ends.iter().map(|(a, b)| *a.min(b)).collect(),
            high: ends.iter().map(|(a, b)| *a.max(b)).collect(),
        })
    }

    fn contains_cell(cells: &CellBox, cell: [u64; 3]) -> bool {
        (0..3).all(|d| cells.low[d] <= cell[d] && cell[d] <= cells.high[d])
    }

    proptest! {
        #[test]
        fn difference_contains_each_remaining_cell_once(whole in small_box(), other in small_box()) {
            let Some(hole) = whole.intersection(&other) else { return Ok(()) };
            let mut rest = Vec::new();
            whole.subtract(&hole, &mut rest);
            for cell in 0..216u64 {
                let coordinates = [cell / 36, cell / 6 % 6, cell % 6];
                let times = rest.iter().filter(|part| contains_cell(part, coordinates)).count();
                prop_assert_eq!(times, usize::from(contains_cell(&whole, coordinates) && !contains_cell(&hole, coordinates)));
            }
        }
    }
}
