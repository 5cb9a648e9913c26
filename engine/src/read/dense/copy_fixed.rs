//! Copies the fixed-size parts of a dense read to the caller's buffers: values, validity and
//! coordinates.
//!
//! Cells that are not selected get fill values. If the cells have the same order in the caller's
//! buffer, runs are copied and masked in one pass. Otherwise fill values are written to the column
//! first, and the column is copied.

use std::ops::Range;

use super::DenseRead;
use super::columns::{self, Column, with_columns};
use super::fields::{AttributeRead, TileParts};
use super::result::ResultBox;
use super::select::{SelectedCells, Selector};
use super::tile_tasks::{TileSlice, TileTask};
use crate::buffers::FieldBuffers;
use crate::bytes::{simd_dispatch, sized};
use crate::context::Context;
use crate::error::{Result, bytes_in_memory};
use crate::fragment::FilePart;
use crate::memory::tuning::COPY_TASKS;
use crate::read::filled_buffers::{ColumnBatch, FieldOutput};
use crate::read::selection::Selection;
use crate::tile::{CellWriter, CellsRef, CopyAxis, SharedBytes, StridedCopy, TileWorkspace};
use crate::types::Match;

/// Returns the number of cells of tasks.
fn cell_num(tasks: &[TileTask]) -> u64 {
    tasks
        .iter()
        .flat_map(|task| &task.slices)
        .flat_map(|slice| &slice.copies)
        .map(|copy| copy.cell_num() as u64)
        .sum()
}

impl DenseRead {
    /// Copies everything of fixed size: values, validity and coordinates.
    pub(super) fn put_fixed(
        &self,
        context: &Context,
        batch: &ColumnBatch<ResultBox>,
        selected: &SelectedCells<'_>,
        buffers: &mut [FieldBuffers<'_>],
    ) -> Result<()> {
        let (boxes, first) = (&batch.runs[..], batch.first_cell);
        let mut targets = Vec::with_capacity(self.fields.len());
        for (field, buffers) in self.fields.iter().zip(buffers) {
            let cells = field.cell_type(&self.plan.schema);
            let data = buffers.data.as_deref_mut().filter(|_| !cells.is_var());
            let validity = buffers.validity.as_deref_mut().filter(|_| cells.nullable);
            targets.push(FieldOutput::new(
                data.map_or(&mut [], |data| &mut data[first * cells.cell_size()..]),
                &mut [],
                validity.map(|validity| &mut validity[first..]),
            ));
        }
        let from_storage: Vec<(&AttributeRead, &FieldOutput<'_>)> = self
            .fields
            .iter()
            .zip(&targets)
            .filter_map(|(field, target)| Some((field.attribute()?, target)))
            .filter(|(read, _)| !read.attribute.is_var() || read.attribute.nullable)
            .collect();
        for result_box in boxes {
            for (field, target) in self.fields.iter().zip(&targets) {
                let dimensions = field.dimensions(&self.plan.schema);
                for dim in dimensions.clone() {
                    self.put_coordinates(result_box, dim, &dimensions, target.data);
                }
            }
        }
        if from_storage.is_empty() {
            return Ok(());
        }
        let copied = from_storage.iter();
        let mut announced: Vec<_> = copied.map(|(read, _)| (*read, TileParts::Fixed)).collect();
        if let SelectedCells::ByTile(selector) = selected {
            announced.extend(selector.attributes().map(|read| (read, TileParts::All)));
        }
        self.plan.for_each_batch(boxes, COPY_TASKS, |tasks| {
            self.plan.for_each_announced(tasks, &announced, |_, group| {
                self.run(context, group, selected, &from_storage)?;
                context.progress("cells", |progress| progress.done += cell_num(group))
            })
        })
    }

    fn run(
        &self,
        context: &Context,
        tasks: &[TileTask],
        selection: &SelectedCells<'_>,
        fields: &[(&AttributeRead, &FieldOutput<'_>)],
    ) -> Result<()> {
        let copied: usize = fields.iter().map(|(read, _)| read.cell_size).sum();
        let selected = match selection {
            SelectedCells::Everything => None,
            SelectedCells::ByCell(selected) => Some(&selected[..]),
            SelectedCells::ByTile(selector) => {
                let compared: usize = selector.attributes().map(|read| read.cell_size).sum();
                let bytes = TileTask::read_bytes(tasks, copied + compared);
                return context.for_each_sized(bytes, tasks.len(), |index| {
                    context.check_cancelled(self.cancel_epoch)?;
                    self.run_task(&tasks[index], selector, fields)
                });
            }
        };
        let bytes = TileTask::read_bytes(tasks, copied);
        context.for_each_sized(bytes, tasks.len() * fields.len(), |index| {
            context.check_cancelled(self.cancel_epoch)?;
            let (read, target) = fields[index % fields.len()];
            let mut slices = tasks[index / fields.len()].slices.iter();
            slices.try_for_each(|slice| self.run_slice(slice, selected, read, target))
        })
    }

    /// Copies the fixed-size cells of a task that a condition selects, and fill values for the
    /// others. The fields of the condition are decoded once.
    fn run_task(
        &self,
        task: &TileTask,
        selector: &Selector,
        fields: &[(&AttributeRead, &FieldOutput<'_>)],
    ) -> Result<()> {
        with_columns(selector.fields.len() + 1, |columns| {
            let mut slices = task.slices.iter();
            slices.try_for_each(|slice| {
                self.put_selected(&task.low, slice, selector, fields, columns)
            })
        })
    }

    /// Copies the cells of a slice that a condition selects, and fill values for the others.
    /// `columns` are for the fields of the condition, and one for another field.
    fn put_selected(
        &self,
        low: &[u64],
        slice: &TileSlice,
        selector: &Selector,
        fields: &[(&AttributeRead, &FieldOutput<'_>)],
        columns: &mut [Column],
    ) -> Result<()> {
        let (known, other) = columns.split_at_mut(selector.fields.len());
        let selected = match slice.view {
            Some(_) => selector.evaluate_in(&self.plan, low, slice, known)?,
            None => Selection::None,
        };
        let span = slice.span();
        for (read, target) in fields {
            match &selected {
                Selection::All => self.run_slice(slice, None, read, target)?,
                Selection::Mask(mask) => {
                    let column = match selector.column_of(read) {
                        Some(index) => &mut known[index],
                        None => {
                            let cells = span.clone();
                            other[0].load_attribute(&self.plan, read, slice, cells, true)?;
                            &mut other[0]
                        }
                    };
                    put_masked(slice, span.start, read, column, mask, target);
                }
                _ => fill(slice, read, target),
            }
        }
        selected.recycle();
        Ok(())
    }

    fn run_slice(
        &self,
        slice: &TileSlice,
        selected: Option<&[u8]>,
        read: &AttributeRead,
        target: &FieldOutput<'_>,
    ) -> Result<()> {
        let share = selected.map_or(Match::All, |mask| slice.matching(mask));
        let stored = match share {
            Match::None => None,
            _ => read.in_slice(&self.plan, slice)?,
        };
        let Some(tiles) = stored else {
            fill(slice, read, target);
            return Ok(());
        };
        let cells = usize::try_from(slice.cell_num).unwrap_or(usize::MAX);
        let copy = |part: FilePart, size: usize, to: SharedBytes<'_>| {
            let len = bytes_in_memory("a tile", cells, size)?;
            tiles.with_tile(part, slice.tile, len, |tile| {
                TileWorkspace::with(|scratch| tile.copy_cells(size, &slice.copies, to, scratch))
            })
        };
        if !read.attribute.is_var() {
            copy(FilePart::Fixed, read.cell_size, target.data)?;
        }
        if let Some(validity) = target.validity {
            copy(FilePart::Validity, 1, validity)?;
        }
        if let (Some(selected), Match::Some) = (selected, share) {
            blank(slice, selected, read, target);
        }
        Ok(())
    }

    /// Writes the coordinates of a box in a dimension to a buffer whose cells have the coordinates
    /// of `dimensions`. They change along this dimension only.
    pub(super) fn put_coordinates<'a>(
        &self,
        result_box: &ResultBox,
        dim: usize,
        dimensions: &Range<usize>,
        to: impl Into<CellWriter<'a>>,
    ) {
        let width = dimensions.len();
        let shape = result_box.cells.shape();
        let strides = result_box.cells.strides(result_box.order);
        let strided = StridedCopy::new(
            (0..shape.len())
                .map(|d| CopyAxis {
                    len: shape[d] as usize,
                    from: usize::from(d == dim),
                    to: strides[d] as usize * width,
                })
                .collect(),
            0,
            result_box.start as usize * width + (dim - dimensions.start),
        );
        let size = self.plan.schema.domain.dimensions[dim].datatype.size();
        strided.copy(size, &self.plan.coordinates(result_box, dim), to);
    }
}

/// Replaces cells that are not selected by fill values.
fn blank(slice: &TileSlice, selected: &[u8], read: &AttributeRead, target: &FieldOutput<'_>) {
    for strided in &slice.copies {
        strided.for_each_run(|run| {
            let bits = &selected[run.to..run.to + run.len];
            if !read.attribute.is_var() {
                let size = read.cell_size;
                let cells = target.data.part(run.to * size, run.len * size);
                columns::blank(cells, &read.attribute.fill_value, bits);
            }
            if let Some(validity) = target.validity {
                let cells = validity.part(run.to, run.len);
                columns::blank(cells, &[read.attribute.fill_validity], bits);
            }
        });
    }
}

/// Writes fill values to cells that no fragment contains.
fn fill(slice: &TileSlice, read: &AttributeRead, target: &FieldOutput<'_>) {
    for strided in &slice.copies {
        let strided = strided.broadcast();
        if !read.attribute.is_var() {
            strided.copy(read.cell_size, &read.attribute.fill_value, target.data);
        }
        if let Some(validity) = target.validity {
            strided.copy(1, &[read.attribute.fill_validity], validity);
        }
    }
}

/// Copies the fixed-size cells of a slice to the output: selected cells from a column, fill values
/// for the others. The column and the mask start with cell `first` of the tile. The column is
/// changed.
fn put_masked(
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
                    columns::blank(to, fill, bits);
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
