//! The dense reader. A submit delivers as much of the result as fits into the buffers, starting
//! after the last delivered cell.
//!
//! `plan` lays the result, a box of cells in the caller's layout, over the domain. `tile_tasks`
//! assigns the cells of each space tile to fragments. As many cells as fit into the buffers are a
//! batch, which `copy_fixed` and `copy_var` copy. `select` evaluates conditions and `accumulate`
//! computes aggregates on `columns`.

mod accumulate;
mod columns;
mod copy_fixed;
mod copy_var;
mod estimate;
mod fields;
mod needed_sizes;
mod plan;
mod result;
mod select;
mod survey;
#[cfg(test)]
mod tests;
mod tile_tasks;

use std::sync::Arc;

use self::accumulate::accumulate;
use self::copy_var::VarCells;
use self::estimate::estimate;
use self::fields::{AttributeRead, ReadField, TileParts};
use self::plan::Plan;
use self::result::ResultBox;
use self::select::{SelectedCells, Selector};
use crate::aggregate::{Accumulator, Aggregate, AggregateResult, GroupedAggregates};
use crate::array::Snapshot;
use crate::buffers::{FieldBuffers, FieldSizes, OffsetsForm};
use crate::config::Config;
use crate::context::Context;
use crate::error::{BudgetError, BudgetPurpose, Component, ReadError, Result, try_vec};
use crate::geometry::Order;
use crate::memory::PARAMETER;
use crate::memory::tuning::{MAX_VAR_CELLS, REMOTE_TASKS, VAR_CELLS};
use crate::read::ReadRequest;
use crate::read::filled_buffers::{ColumnBatch, FilledBuffers, share_with_tasks};
use crate::read::needed_sizes::DeliveredCells;
use crate::stats::{Counter, MeterNames, Stats, Timer};
use crate::tile::ChunkCache;
use crate::types::Layout;

/// A dense read between submits.
#[derive(Debug)]
pub(crate) struct DenseRead {
    plan: Plan,
    fields: Vec<ReadField>,
    form: OffsetsForm,
    /// The first cell of the result that was not delivered yet or, with `selected_only`, not
    /// examined.
    pub(crate) position: u64,
    delivered: DeliveredCells,
    cancel_epoch: u64,
    selector: Option<Selector>,
    /// Whether only the coordinates of selected cells are delivered.
    selected_only: bool,
    /// The memory budget in bytes.
    budget: u64,
}

impl DenseRead {
    /// Plans a read.
    pub(crate) fn new(
        context: &Context,
        snapshot: &Snapshot,
        config: &Config,
        request: ReadRequest<'_>,
    ) -> Result<Self> {
        let ReadRequest {
            subarray, layout, ..
        } = request;
        let order = match (Order::of(layout), layout) {
            (Some(order), _) => Some(order),
            _ if subarray.single().is_some() => None,
            (None, Layout::GlobalOrder) => return Err(ReadError::ManyRanges.into()),
            (None, _) => Some(Order::RowMajor),
        };
        let plan = Plan::new(&snapshot.schema, &snapshot.fragments, subarray, order)?;
        let fields: Vec<_> = request
            .names
            .iter()
            .map(|name| ReadField::delivered(&plan, name))
            .collect::<Result<_>>()?;
        let selected_only = config.flag("sm.query.dense.qc_coords_mode")?;
        let selector = request
            .condition
            .map(|condition| Selector::new(&plan, condition))
            .transpose()?;
        Ok(Self {
            plan,
            fields,
            form: request.form,
            position: 0,
            delivered: DeliveredCells::default(),
            cancel_epoch: context.cancel_epoch(),
            selected_only: selected_only && selector.is_some(),
            selector,
            budget: config.memory_budget()?.limit_bytes(),
        })
    }

    /// Keeps decoded chunks in a cache of an open array, of at most `max_bytes`, for later reads.
    #[must_use]
    pub(crate) fn with_cache(mut self, chunks: &Arc<ChunkCache>, max_bytes: u64) -> Self {
        let limit = fields::cache_bytes(&self.plan, &self.fields, self.budget).min(max_bytes);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        chunks.shrink(limit);
        self.plan.cache = Some((Arc::clone(chunks), limit));
        self
    }

    /// Returns an error if the budget is smaller than the metadata of the array, the tile offsets,
    /// or one tile that must be decoded. Tiles without filters are read into the caller's buffers
    /// and need no memory, nor do the buffers.
    pub(crate) fn check_budget(&self) -> Result<()> {
        let needs = [
            (BudgetPurpose::OpenArray, fields::opened_bytes(&self.plan)),
            (
                BudgetPurpose::TileOffsets,
                fields::offsets_bytes(&self.plan, &self.fields),
            ),
            (
                BudgetPurpose::Tile,
                fields::largest_tile(&self.plan, &self.fields).unwrap_or_default(),
            ),
        ];
        let mut available = self.budget;
        for (purpose, need) in needs {
            let Some(left) = available.checked_sub(need) else {
                let exceeded = BudgetError {
                    component: Component::DenseReader,
                    purpose,
                    need,
                    available,
                    budget: self.budget,
                    parameter: PARAMETER,
                };
                return Err(exceeded.into());
            };
            available = left;
        }
        Ok(())
    }

    /// Returns the maximum number of cells of a batch with variable-length fields: the lengths and
    /// starts of its cells take 16 bytes each, at most a quarter of the budget.
    fn max_var_cells(&self) -> u64 {
        (self.budget / 64).max(1024)
    }

    /// Computes aggregates of all cells of the result, delivered or not.
    pub(crate) fn aggregate(
        &self,
        context: &Context,
        aggregates: &[&Aggregate],
        stats: &Stats,
    ) -> Result<Vec<AggregateResult>> {
        let _timing = stats.timer(Timer::ProcessAggregates);
        let plan = &self.plan;
        let grouped = GroupedAggregates::new(aggregates);
        let mut fields = Vec::new();
        for (field, accumulator) in grouped.accumulators() {
            fields.push((ReadField::new(plan, &field.name)?, accumulator));
        }
        let selector = self.selector.as_ref();
        accumulate(context, plan, selector, &mut fields, self.cancel_epoch)?;
        plan.meter.record(stats, MeterNames::Attributes);
        let accumulators: Vec<&Accumulator> =
            fields.iter().map(|(_, accumulator)| accumulator).collect();
        // Cells that a condition does not select are counted, because they are delivered with fill
        // values.
        Ok(grouped.results(&accumulators, plan.cell_num))
    }

    /// Estimates the number of bytes of its first field in all submits.
    pub(crate) fn estimate(&self) -> Result<FieldSizes> {
        match self.fields.first() {
            Some(field) => estimate(&self.plan, field),
            None => Ok(FieldSizes::default()),
        }
    }

    /// Continues at a position that another read of the same result has reached.
    pub(crate) fn seek(&mut self, position: u64) {
        self.position = position.min(self.plan.cell_num);
        self.delivered.skip(self.position);
    }

    /// Returns whether the complete result was delivered.
    pub(crate) fn is_done(&self) -> bool {
        self.position >= self.plan.cell_num
    }

    /// Fills the buffers, which are in the order of the field names of the plan.
    pub(crate) fn fill(
        &mut self,
        context: &Context,
        buffers: &mut [FieldBuffers<'_>],
        stats: &Stats,
    ) -> Result<Vec<FieldSizes>> {
        self.cancel_epoch = context.cancel_epoch();
        stats.add(Counter::Loops, 1);
        if self.position == 0 {
            stats.add(Counter::SpaceTiles, self.plan.space_tile_num());
        }
        let mut filled = FilledBuffers::new(
            self.fields
                .iter()
                .map(|field| field.cell_type(&self.plan.schema))
                .collect(),
            self.form,
            buffers,
        );
        let capacity = filled.capacity as u64;
        if self.selected_only {
            return self.fill_selected(context, stats, capacity, buffers);
        }
        // End the delivery at a tile boundary if possible, so that no tile is decoded twice.
        let capacity = self.plan.run_end(self.position, capacity, capacity) - self.position;
        let max_var_cells = self.max_var_cells();
        self.report(context)?;
        while !self.is_done() && (filled.cell_num as u64) < capacity {
            context.check_cancelled(self.cancel_epoch)?;
            let left = capacity - filled.cell_num as u64;
            let (preferred, most) = if filled.vars.is_empty() {
                (left, left)
            } else {
                (
                    left.min(VAR_CELLS).min(max_var_cells),
                    left.min(MAX_VAR_CELLS).min(max_var_cells),
                )
            };
            let end = self.plan.run_end(self.position, preferred, most);
            stats.add(Counter::InternalLoops, 1);
            let selected = self.selected_cells(context, stats, end)?;
            let (batch, vars) = self.next_batch(context, stats, end, &selected, &filled)?;
            self.put(context, stats, &batch, &vars, &selected, buffers)?;
            filled.advance(&batch);
            self.position += batch.cell_num as u64;
            self.report(context)?;
            if batch.is_full {
                break;
            }
        }
        self.plan.meter.record(stats, MeterNames::Attributes);
        stats.add(Counter::Results, filled.cell_num as u64);
        self.delivered.add(&filled);
        Ok(filled.finish(buffers))
    }

    /// Returns the cells up to `end`, or fewer if variable-length values do not fit, and those of
    /// each variable-length field.
    fn next_batch<'a>(
        &'a self,
        context: &Context,
        stats: &Stats,
        end: u64,
        selected: &'a SelectedCells<'_>,
        filled: &FilledBuffers,
    ) -> Result<(ColumnBatch<ResultBox>, Vec<VarCells<'a>>)> {
        let mut cells = ColumnBatch::new(filled.cell_num);
        let mut vars = Vec::with_capacity(filled.vars.len());
        cells.cell_num = (end - self.position) as usize;
        if !filled.vars.is_empty() {
            self.announce_first(end)?;
        }
        // The offsets of tiles that stay in memory take at most a quarter of the budget.
        let max_bytes = self.budget / 4 / filled.vars.len().max(1) as u64;
        for var in &filled.vars {
            let Some(read) = self.attribute(var.field) else {
                continue;
            };
            let boxes = self.plan.boxes(self.position, end);
            let _timing = stats.timer(Timer::CopyOffsetTiles);
            let mask = selected.mask();
            let (run, offsets) = VarCells::new(
                context, &self.plan, read, &boxes, mask, var.bytes, max_bytes,
            )?;
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
        Ok((cells, vars))
    }

    /// Begins to load the first tiles of all attributes up to `end`, so that attributes do not wait
    /// for one another.
    fn announce_first(&self, end: u64) -> Result<()> {
        if !self.plan.is_remote() {
            return Ok(());
        }
        let attributes: Vec<_> = (0..self.fields.len())
            .filter_map(|index| self.attribute(index))
            .map(|read| (read, TileParts::All))
            .collect();
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
    fn put(
        &self,
        context: &Context,
        stats: &Stats,
        cells: &ColumnBatch<ResultBox>,
        vars: &[VarCells<'_>],
        selected: &SelectedCells<'_>,
        buffers: &mut [FieldBuffers<'_>],
    ) -> Result<()> {
        if cells.cell_num == 0 {
            return Ok(());
        }
        let timing = stats.timer(Timer::CopyFixedTiles);
        self.put_fixed(context, cells, selected, buffers)?;
        drop(timing);
        for (index, (run, offsets)) in (0..self.fields.len())
            .filter(|index| {
                self.attribute(*index)
                    .is_some_and(|read| read.attribute.is_var())
            })
            .zip(vars.iter().zip(&cells.var_offsets))
        {
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
            run.copy(context, offsets, share_with_tasks(data))?;
        }
        Ok(())
    }

    /// Returns a field if it is an attribute.
    fn attribute(&self, field: usize) -> Option<&AttributeRead> {
        self.fields[field].attribute()
    }

    /// Reports the number of delivered cells as progress.
    fn report(&self, context: &Context) -> Result<()> {
        context.progress("cells", |progress| {
            (progress.done, progress.total) = (self.position, self.plan.cell_num);
        })
    }

    /// Returns the cells up to `end` that the condition selects.
    fn selected_cells(
        &self,
        context: &Context,
        stats: &Stats,
        end: u64,
    ) -> Result<SelectedCells<'_>> {
        let has_var =
            |field: &ReadField| matches!(field, ReadField::Attribute(a) if a.attribute.is_var());
        match &self.selector {
            Some(selector) if !self.fields.iter().any(has_var) => {
                Ok(SelectedCells::ByTile(selector))
            }
            _ => Ok(match self.select(context, end, stats)? {
                Some(selected) => SelectedCells::ByCell(selected),
                None => SelectedCells::Everything,
            }),
        }
    }

    /// Returns the selection of the cells up to `end`, or `None` without a condition.
    fn select(&self, context: &Context, end: u64, stats: &Stats) -> Result<Option<Vec<u8>>> {
        let Some(selector) = &self.selector else {
            return Ok(None);
        };
        let _timing = stats.timer(Timer::ApplyCondition);
        let boxes = self.plan.boxes(self.position, end);
        let cells = (end - self.position) as usize;
        Ok(Some(selector.select(context, &self.plan, &boxes, cells)?))
    }

    /// Delivers the coordinates of as many selected cells as fit into the buffers.
    fn fill_selected(
        &mut self,
        context: &Context,
        stats: &Stats,
        capacity: u64,
        buffers: &mut [FieldBuffers<'_>],
    ) -> Result<Vec<FieldSizes>> {
        let mut sizes = vec![FieldSizes::default(); self.fields.len()];
        let mut cells = 0u64;
        while !self.is_done() && cells < capacity {
            context.check_cancelled(self.cancel_epoch)?;
            let end = self.plan.run_end(self.position, VAR_CELLS, MAX_VAR_CELLS);
            let selected = self.select(context, end, stats)?;
            let total = (end - self.position) as usize;
            let chosen: Vec<usize> = (0..total)
                .filter(|cell| selected.as_ref().is_none_or(|all| all[*cell] != 0))
                .collect();
            let taken = chosen.len().min((capacity - cells) as usize);
            for ((field, buffers), sizes) in
                self.fields.iter().zip(buffers.iter_mut()).zip(&mut sizes)
            {
                let schema = &self.plan.schema;
                let dimensions = field.dimensions(schema);
                let (false, Some(to)) = (dimensions.is_empty(), buffers.data.as_deref_mut()) else {
                    continue;
                };
                let size = field.cell_type(schema).cell_size();
                let mut all: Vec<u8> = try_vec("coordinates", total * size)?;
                for result_box in self.plan.boxes(self.position, end) {
                    for dim in dimensions.clone() {
                        self.put_coordinates(&result_box, dim, &dimensions, &mut all[..]);
                    }
                }
                let to = &mut to[cells as usize * size..];
                for (to, cell) in to.chunks_exact_mut(size).zip(&chosen[..taken]) {
                    to.copy_from_slice(&all[cell * size..(cell + 1) * size]);
                }
                sizes.data += (taken * size) as u64;
            }
            cells += taken as u64;
            self.position = match chosen.get(taken) {
                // The next submit continues with the first cell that did not fit.
                Some(cell) => self.position + *cell as u64,
                None => end,
            };
        }
        Ok(sizes)
    }
}
