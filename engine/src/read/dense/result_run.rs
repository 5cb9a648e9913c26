//! Runs of the result: consecutive cells in the caller's order, represented by a few boxes.

use std::ops::Range;

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

/// Appends the boxes of a run of `cells`, which are counted in `order`. The first cell of the run
/// has the output index `start`.
pub(super) fn append_run(
    cells: &CellBox,
    order: Order,
    run: Range<u64>,
    start: u64,
    boxes: &mut Vec<ResultBox>,
) {
    if run.is_empty() {
        return;
    }
    if run.start == 0 && run.end >= cells.cell_num() {
        boxes.push(ResultBox {
            cells: cells.clone(),
            order,
            start,
        });
        return;
    }
    let Some((dim, row)) = rows_of(cells, order) else {
        return;
    };
    let rows = |low, high| slice_of(cells, dim, low, high);
    let (first, last) = (run.start / row, (run.end - 1) / row);
    if first == last {
        let in_row = run.start - first * row..run.end - first * row;
        return append_run(&rows(first, first), order, in_row, start, boxes);
    }
    // The first and the last row may be cut; those between them are complete.
    let (head, tail) = (run.start - first * row, run.end - last * row);
    let mut complete = first..last + 1;
    if head > 0 {
        append_run(&rows(first, first), order, head..row, start, boxes);
        complete.start += 1;
    }
    if tail < row {
        complete.end -= 1;
    }
    if !complete.is_empty() {
        boxes.push(ResultBox {
            cells: rows(complete.start, complete.end - 1),
            order,
            start: start + (complete.start * row - run.start),
        });
    }
    if tail < row {
        let start = start + (last * row - run.start);
        append_run(&rows(last, last), order, 0..tail, start, boxes);
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
            let mut boxes = Vec::new();
            append_run(&vast, order, 10..1 << 30, 0, &mut boxes);
            let [result_box] = &boxes[..] else {
                panic!("{boxes:?}")
            };
            assert_eq!(
                (result_box.cells.low[rows], result_box.cells.high[rows]),
                (0, 0)
            );
            let columns = 1 - rows;
            assert_eq!(result_box.cells.low[columns], 10);
            assert_eq!(result_box.cells.high[columns], (1 << 30) - 1);
            boxes.clear();
            append_run(&vast, order, side - 5..3 * side + 7, 0, &mut boxes);
            let numbers: Vec<u64> = boxes
                .iter()
                .map(|result_box| result_box.cells.cell_num())
                .collect();
            assert_eq!(numbers, [5, 2 * side, 7]);
            let starts: Vec<u64> = boxes.iter().map(|result_box| result_box.start).collect();
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
            let mut boxes = Vec::new();
            append_run(&whole, order, from..end, 0, &mut boxes);
            let mut counts = vec![0; end.saturating_sub(from) as usize];
            let strides = box_strides(&shape, order);
            for result_box in &boxes {
                let part_shape: Vec<u64> = result_box.cells.shape();
                let part_strides = box_strides(&part_shape, order);
                for_each_position(&part_shape, order, |position| {
                    let index: u64 = (0..position.len()).map(|d| (position[d] + result_box.cells.low[d] - 3) * strides[d]).sum();
                    let cell: u64 = result_box.start + (0..position.len()).map(|d| position[d] * part_strides[d]).sum::<u64>();
                    assert_eq!(index - from, cell);
                    counts[cell as usize] += 1;
                    Ok::<(), ()>(())
                }).expect("never fails");
            }
            prop_assert!(counts.iter().all(|times| *times == 1));
        }
    }
}
