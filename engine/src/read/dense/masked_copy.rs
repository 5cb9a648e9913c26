//! Copies selected cells, with fill values instead of the others.
//!
//! If the cells have the same order in the caller's buffer, runs are copied and masked in one pass.
//! Otherwise fill values are written to the column first, and the column is copied.

use super::columns::{Column, blank};
use super::fields::AttributeRead;
use super::tile_tasks::TileSlice;
use crate::bytes::{simd_dispatch, sized};
use crate::read::outputs::FieldOutput;
use crate::tile::{CellsRef, SharedBytes, StridedCopy};

/// Copies the fixed-size cells of a slice to the output: selected cells from a column, fill values
/// for the others. The column and the mask start with cell `first` of the tile. The column is
/// changed.
pub(super) fn put(
    slice: &TileSlice,
    first: usize,
    read: &AttributeRead,
    column: &mut Column,
    bits: &[u8],
    target: &FieldOutput<'_>,
) {
    if slice.copies.iter().any(|strided| strided.run_len() == 1) {
        column.blank(read, bits);
        return put_column(slice, first, read, &column.as_ref(), target);
    }
    let column = column.as_ref();
    for strided in &slice.copies {
        let fill = &read.attribute.fill_value;
        pick(strided, first, fill, column.data, bits, target.data);
        if let (Some(from), Some(to)) = (column.validity, target.validity) {
            let fill = [read.attribute.fill_validity];
            pick(strided, first, &fill, from, bits, to);
        }
    }
}

/// Copies the cells of a slice from a column that starts with cell `first` of the tile.
fn put_column(
    slice: &TileSlice,
    first: usize,
    read: &AttributeRead,
    column: &CellsRef<'_>,
    target: &FieldOutput<'_>,
) {
    for strided in &slice.copies {
        let strided = strided.clone().shifted(first);
        strided.copy(read.cell_size, column.data, target.data);
        if let (Some(from), Some(to)) = (column.validity, target.validity) {
            strided.copy(1, from, to);
        }
    }
}

/// Copies the cells of a strided copy, or the fill value.
fn pick(
    strided: &StridedCopy,
    first: usize,
    fill: &[u8],
    column: &[u8],
    bits: &[u8],
    target: SharedBytes<'_>,
) {
    let size = fill.len();
    let mut before = None;
    strided.for_each_run(|run| {
        // Prefetch the run after the next one: the rows of the caller's buffer are far apart.
        if let Some(stride) = before.and_then(|before| run.to.checked_sub(before)) {
            target.will_write((run.to + 2 * stride) * size, run.len * size);
        }
        before = Some(run.to);
        let cells = run.from - first..run.source_end() - first;
        let to = target.part(run.to * size, run.len * size);
        let from = &column[cells.start * size..cells.end * size];
        pick_cells(fill, from, &bits[cells], to);
    });
}

fn pick_cells(fill: &[u8], from: &[u8], bits: &[u8], to: &mut [u8]) {
    simd_dispatch(
        #[inline(always)]
        || {
            sized!(fill.len(),
                N => pick_sized::<N>(fill, from, bits, to),
                else => {
                    to.copy_from_slice(from);
                    blank(to, fill, bits);
                }
            );
        },
    );
}

#[inline(always)]
fn pick_sized<const N: usize>(fill: &[u8], from: &[u8], bits: &[u8], to: &mut [u8]) {
    let Some(fill) = fill.first_chunk::<N>() else {
        return;
    };
    let (from, to) = (from.as_chunks::<N>().0, to.as_chunks_mut::<N>().0);
    for ((to, from), bit) in to.iter_mut().zip(from).zip(bits) {
        // Read in any case, so that the loop has no branches.
        let cell = *from;
        *to = if *bit != 0 { cell } else { *fill };
    }
}
