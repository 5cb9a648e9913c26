//! Row- and column-major order within boxes.

use crate::types::Layout;

/// The order of the cells of a box, or of the tiles of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The last dimension runs fastest.
    RowMajor,
    /// The first dimension runs fastest.
    ColMajor,
}

impl Order {
    /// Returns the order that a layout names; `None` for those that are not row- or column-major.
    pub fn of(layout: Layout) -> Option<Self> {
        match layout {
            Layout::RowMajor => Some(Self::RowMajor),
            Layout::ColMajor => Some(Self::ColMajor),
            Layout::GlobalOrder | Layout::Unordered | Layout::Hilbert => None,
        }
    }

    /// Returns the dimensions from the slowest to the fastest.
    pub fn slowest_first(self, dim_num: usize) -> Vec<usize> {
        match self {
            Self::RowMajor => (0..dim_num).collect(),
            Self::ColMajor => (0..dim_num).rev().collect(),
        }
    }

    /// Returns the slowest dimension.
    pub fn slowest(self, dim_num: usize) -> usize {
        match self {
            Self::RowMajor => 0,
            Self::ColMajor => dim_num - 1,
        }
    }
}

/// Returns the distance in cells between neighbours in each dimension of a box of this shape.
/// Saturates: callers that allocate memory must check the size of the box first.
pub fn box_strides(shape: &[u64], order: Order) -> Vec<u64> {
    let mut strides = vec![1; shape.len()];
    let mut cells = 1u64;
    for dim in order.slowest_first(shape.len()).into_iter().rev() {
        strides[dim] = cells;
        cells = cells.saturating_mul(shape[dim]);
    }
    strides
}

/// Calls `visit` for each position in a box of this shape, in order; stops at the first error.
pub fn for_each_position<E>(
    shape: &[u64],
    order: Order,
    mut visit: impl FnMut(&[u64]) -> Result<(), E>,
) -> Result<(), E> {
    if shape.contains(&0) {
        return Ok(());
    }
    let dims = order.slowest_first(shape.len());
    let mut position = vec![0; shape.len()];
    loop {
        visit(&position)?;
        let mut dims = dims.iter().rev();
        loop {
            let Some(&dim) = dims.next() else {
                return Ok(());
            };
            position[dim] += 1;
            if position[dim] < shape[dim] {
                break;
            }
            position[dim] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_visited_in_order() {
        let mut seen = Vec::new();
        let done: Result<(), ()> = for_each_position(&[2, 3], Order::ColMajor, |position| {
            seen.push((position[0], position[1]));
            Ok(())
        });
        assert!(done.is_ok());
        assert_eq!(seen, [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2)]);
    }

    #[test]
    fn strides_follow_the_order() {
        assert_eq!(box_strides(&[2, 3, 4], Order::RowMajor), [12, 4, 1]);
        assert_eq!(box_strides(&[2, 3, 4], Order::ColMajor), [1, 2, 6]);
    }
}
