//! A batch of a dense read: a run of the result that fits into the caller's buffers.

use super::DenseRead;
use super::announce::AnnouncedField;
use super::budget;
use super::copy_var::{RunLimits, ValueCopy, VarRun};
use super::fields::AttributeRead;
use super::result::ResultBox;
use super::select::SelectedCells;
use crate::buffers::FieldBuffers;
use crate::context::Context;
use crate::error::Result;
use crate::memory::tuning::REMOTE_TASKS;
use crate::read::filled_buffers::ColumnBatch;
use crate::read::filled_buffers::FilledBuffers;
use crate::read::filled_buffers::share_with_tasks;
use crate::stats::{Stats, Timer};

/// The next cells of a dense read.
#[derive(Debug)]
pub(super) struct DenseBatch {
    pub(super) cells: ColumnBatch<ResultBox>,
    /// By variable-length field.
    vars: Vec<VarRun>,
}

impl DenseRead {
    /// Returns the cells up to `end`, or fewer if variable-length values do not fit.
    pub(super) fn next_batch(
        &self,
        context: &Context,
        stats: &Stats,
        end: u64,
        selected: &SelectedCells<'_>,
        filled: &FilledBuffers,
    ) -> Result<DenseBatch> {
        let mut cells = ColumnBatch::new(filled.cell_num);
        let mut vars = Vec::with_capacity(filled.vars.len());
        cells.cell_num = (end - self.position) as usize;
        if !filled.vars.is_empty() {
            self.announce_first(end)?;
        }
        let max_bytes = budget::max_run_bytes(self.budget) / filled.vars.len().max(1) as u64;
        for var in &filled.vars {
            let Some(read) = self.attribute(var.field) else {
                continue;
            };
            let boxes = self.plan.boxes(self.position, end);
            let _timing = stats.timer(Timer::CopyOffsetTiles);
            let limits = RunLimits {
                cells: (end - self.position) as usize,
                position: var.bytes,
                max_bytes,
            };
            let (run, offsets) =
                VarRun::new(context, &self.plan, read, &boxes, selected.mask(), limits)?;
            let fitting = offsets.partition_point(|end| *end <= var.capacity);
            cells.cell_num = cells.cell_num.min(fitting.saturating_sub(1));
            cells.var_offsets.push(offsets);
            vars.push(run);
        }
        for offsets in &mut cells.var_offsets {
            offsets.truncate(cells.cell_num + 1);
        }
        cells.is_full = self.position + (cells.cell_num as u64) < end;
        if cells.cell_num > 0 {
            let end = self.position + cells.cell_num as u64;
            cells.runs = self.plan.boxes(self.position, end);
        }
        Ok(DenseBatch { cells, vars })
    }

    /// Begins to load the first tiles of all attributes up to `end`, so that attributes do not wait
    /// for one another.
    fn announce_first(&self, end: u64) -> Result<()> {
        if !self.plan.is_remote() {
            return Ok(());
        }
        let attributes = (0..self.fields.len()).filter_map(|index| self.attribute(index));
        let attributes: Vec<_> = attributes.map(AnnouncedField::all).collect();
        let mut tasks = Vec::new();
        for result_box in self.plan.boxes(self.position, end) {
            if tasks.len() >= REMOTE_TASKS {
                break;
            }
            self.plan.for_each_task(&result_box, |task| {
                tasks.push(task);
                Ok(())
            })?;
        }
        self.plan.announce(&tasks, &attributes).map(drop)
    }

    /// Copies a batch to the caller's buffers.
    pub(super) fn put(
        &self,
        context: &Context,
        stats: &Stats,
        batch: &DenseBatch,
        selected: &SelectedCells<'_>,
        buffers: &mut [FieldBuffers<'_>],
    ) -> Result<()> {
        let DenseBatch { cells, vars } = batch;
        if cells.cell_num == 0 {
            return Ok(());
        }
        let timing = stats.timer(Timer::CopyFixedTiles);
        self.put_fixed(context, cells, selected, buffers)?;
        drop(timing);
        let is_var = |index: &usize| self.attribute(*index).is_some_and(AttributeRead::is_var);
        let fields = (0..self.fields.len()).filter(is_var);
        for (index, (run, offsets)) in fields.zip(vars.iter().zip(&cells.var_offsets)) {
            let buffers = &mut buffers[index];
            let (Some(read), Some(data), Some(to)) = (
                self.attribute(index),
                buffers.data.as_deref_mut(),
                buffers.offsets.as_deref_mut(),
            ) else {
                continue;
            };
            let to = &mut to[cells.first_cell * self.form.width..];
            let starts = offsets[..cells.cell_num].iter().copied();
            self.form.put_all(to, starts, read.value_size);
            let _timing = stats.timer(Timer::CopyVarTiles);
            let copy = ValueCopy {
                plan: &self.plan,
                read,
                positions: offsets,
                selected: selected.mask(),
                to: share_with_tasks(data),
            };
            run.copy(context, &copy)?;
        }
        Ok(())
    }

    /// Returns a field if it is an attribute.
    fn attribute(&self, field: usize) -> Option<&AttributeRead> {
        self.fields[field].attribute()
    }
}
