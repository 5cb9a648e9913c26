//! Runs of the result: consecutive cells in the caller's order, represented by a few boxes.

use crate::geometry::{CellBox, Order};

/// A box of a run of the result, and the position of its cells in the buffers.
#[derive(Clone, Debug)]
pub(super) struct ResultBox {
    /// The box, in coordinates of the result.
    pub(super) cells: CellBox,
    /// The order of its cells in the buffers.
    pub(super) order: Order,
    /// The index of its first cell in the buffers.
    pub(super) start: u64,
}

/// Returns the boxes of the cells `from..end` of `cells`, counted in `order`. The first cell has
/// the output index `start`.
pub(super) fn run_boxes(
    cells: &CellBox,
    order: Order,
    from: u64,
    end: u64,
    start: u64,
    parts: &mut Vec<ResultBox>,
) {
    if from >= end {
        return;
    }
    if from == 0 && end >= cells.cell_num() {
        parts.push(ResultBox {
            cells: cells.clone(),
            order,
            start,
        });
        return;
    }
    // Complete rows in the middle, partial rows at both ends.
    let Some((dim, row)) = rows_of(cells, order) else {
        return;
    };
    let (first, last) = (from / row, (end - 1) / row);
    let slice = |low, high| slice_of(cells, dim, low, high);
    if first == last {
        return run_boxes(
            &slice(first, first),
            order,
            from - first * row,
            end - first * row,
            start,
            parts,
        );
    }
    let mut middle = (first, last);
    if from > first * row {
        run_boxes(
            &slice(first, first),
            order,
            from - first * row,
            row,
            start,
            parts,
        );
        middle.0 += 1;
    }
    let tail = end - last * row;
    if tail < row {
        middle.1 -= 1;
    }
    if middle.0 <= middle.1 {
        let first_cell = start + (middle.0 * row - from);
        parts.push(ResultBox {
            cells: slice(middle.0, middle.1),
            order,
            start: first_cell,
        });
    }
    if tail < row {
        run_boxes(
            &slice(last, last),
            order,
            0,
            tail,
            start + (last * row - from),
            parts,
        );
    }
}

/// Returns the part of a box with the coordinates `low..=high` of a dimension, counted from the
/// first.
fn slice_of(cells: &CellBox, dim: usize, low: u64, high: u64) -> CellBox {
    let mut slice = cells.clone();
    slice.low[dim] = cells.low[dim] + low;
    slice.high[dim] = cells.low[dim] + high;
    slice
}

/// Returns the slowest dimension with more than one coordinate, and the number of cells of one of
/// its coordinates.
fn rows_of(cells: &CellBox, order: Order) -> Option<(usize, u64)> {
    let dims = order.slowest_first(cells.dim_num());
    let dim = *dims.iter().find(|dim| cells.len(**dim) > 1)?;
    // Not the quotient of the number of cells, which saturates for huge boxes.
    let others = dims.iter().filter(|other| **other != dim);
    let row = others.fold(1, |row: u64, other| row.saturating_mul(cells.len(*other)));
    Some((dim, row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{box_strides, for_each_position};
    use proptest::prelude::*;

    #[test]
    fn runs_of_huge_boxes_keep_complete_rows() {
        let side = 1 << 40;
        let vast = CellBox {
            low: vec![0; 2],
            high: vec![side - 1; 2],
        };
        for (order, rows) in [(Order::RowMajor, 0), (Order::ColMajor, 1)] {
            let mut parts = Vec::new();
            run_boxes(&vast, order, 10, 1 << 30, 0, &mut parts);
            let [part] = &parts[..] else {
                panic!("{parts:?}")
            };
            assert_eq!((part.cells.low[rows], part.cells.high[rows]), (0, 0));
            let columns = 1 - rows;
            assert_eq!(part.cells.low[columns], 10);
            assert_eq!(part.cells.high[columns], (1 << 30) - 1);
            parts.clear();
            run_boxes(&vast, order, side - 5, 3 * side + 7, 0, &mut parts);
            let numbers: Vec<u64> = parts.iter().map(|part| part.cells.cell_num()).collect();
            assert_eq!(numbers, [5, 2 * side, 7]);
            let starts: Vec<u64> = parts.iter().map(|part| part.start).collect();
            assert_eq!(starts, [0, 5, 2 * side + 5]);
        }
    }

    proptest! {
        #[test]
        fn the_boxes_of_a_run_contain_each_of_its_cells_at_its_position(
            shape in proptest::collection::vec(1u64..6, 1..4),
            ends in (0u64..200, 0u64..200),
            col_major: bool,
        ) {
            let order = if col_major { Order::ColMajor } else { Order::RowMajor };
            let whole = CellBox { low: vec![3; shape.len()], high: shape.iter().map(|n| n + 2).collect() };
            let cells = whole.cell_num();
            let (from, end) = (ends.0.min(ends.1) % cells, (ends.0.max(ends.1) % cells) + 1);
            let mut parts = Vec::new();
            run_boxes(&whole, order, from, end, 0, &mut parts);
            let mut counts = vec![0; end.saturating_sub(from) as usize];
            let strides = box_strides(&shape, order);
            for part in &parts {
                let part_shape: Vec<u64> = (0..shape.len()).map(|d| part.cells.len(d)).collect();
                let part_strides = box_strides(&part_shape, order);
                for_each_position(&part_shape, order, |position| {
                    let index: u64 = (0..position.len()).map(|d| (position[d] + part.cells.low[d] - 3) * strides[d]).sum();
                    let cell: u64 = part.start + (0..position.len()).map(|d| position[d] * part_strides[d]).sum::<u64>();
                    assert_eq!(index - from, cell);
                    counts[cell as usize] += 1;
                    Ok::<(), ()>(())
                }).expect("never fails");
            }
            prop_assert!(counts.iter().all(|times| *times == 1));
        }
    }
}
