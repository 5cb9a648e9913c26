//! The sparse reader. A submit delivers as many cells in the ranges as fit into the buffers,
//! starting after the last delivered cell.
//!
//! ```text
//! plan       finds the tiles of each fragment that may contain results    ranges, plan
//! select     selects cells of these tiles                                 select
//! order      merges cells and removes hidden duplicates                   scheduler, merge
//! batch      takes as many cells as fit into the buffers                  batch
//! deliver    decodes tiles and copies cells to the buffers                deliver, gather_scattered
//! ```
//! Aggregates use the ordered cells instead of a batch (`accumulate`). The stages process a wave of
//! tiles at a time. The next submit continues with the cells that a wave left in the queue.

mod accumulate;
mod batch;
mod deletes;
mod deliver;
mod estimate;
mod fields;
mod gather_scattered;
mod merge;
mod plan;
pub(super) mod points;
mod ranges;
mod scheduler;
mod select;
mod tiles;

use std::sync::Arc;

pub use self::deletes::Deleted;

use self::batch::{Batch, FilledBuffers, Queue};
use self::deletes::Deletes;
use self::fields::{ReadMeters, ReadSource, SparseField};
use self::plan::MetadataBudget;
use self::ranges::RangeFilter;
use self::scheduler::TileScheduler;
use self::tiles::{Input, Tile};
use crate::array::Snapshot;
use crate::buffers::{FieldBuffers, FieldSizes, OffsetsForm};
use crate::condition::BoundCondition;
use crate::config::Config;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::format::names::TIMESTAMPS;
use crate::fragment::Overlap;
use crate::stats::{Counter, Moment, Stats, Timer};
use crate::subarray::Subarray;
use crate::types::{Layout, NdRange};
use crate::vfs::Vfs;

/// A sparse read between submits.
#[derive(Debug)]
pub struct SparseRead {
    input: Input,
    form: OffsetsForm,
    scheduler: TileScheduler,
    /// The tiles of the pieces in the queue.
    tiles: Vec<Tile>,
    queue: Queue,
    cancel_epoch: u64,
    /// The maximum size in bytes of values that are not delivered yet.
    memory: u64,
}

/// The parameters of a sparse read.
#[derive(Debug)]
pub struct SparseRequest<'a> {
    /// The fields to deliver.
    pub names: &'a [&'a str],
    /// The fields that only aggregates use.
    pub extra: &'a [&'a str],
    /// The layout.
    pub layout: Layout,
    /// The format of offsets.
    pub form: OffsetsForm,
    /// The condition that selects cells.
    pub condition: Option<BoundCondition>,
    /// The treatment of deleted cells.
    pub deleted: Deleted,
}

impl SparseRead {
    /// Estimates the number of bytes that a read delivers for a field in all submits.
    pub fn estimate(
        context: &Context,
        snapshot: &Snapshot,
        subarray: &Subarray,
        name: &str,
    ) -> Result<FieldSizes> {
        // Each range is counted in every layout: libtiledb merges ranges only when it reads.
        let layout = Layout::RowMajor;
        let all = |_: &mut Vec<SparseField>| Ok(Deletes::default());
        let input = input_of(snapshot, subarray, layout, (&[name], &[]), None, all)?;
        estimate::estimate(&input, &plan::plan(context, &input)?, 0)
    }

    /// Plans a read.
    pub fn new(
        vfs: &Vfs,
        snapshot: &Snapshot,
        config: &Config,
        subarray: &Subarray,
        request: SparseRequest<'_>,
    ) -> Result<Self> {
        let SparseRequest {
            names,
            extra,
            layout,
            form,
            condition,
            deleted,
        } = request;
        let mut input = input_of(
            snapshot,
            subarray,
            layout,
            (names, extra),
            condition,
            |fields| Deletes::bind(vfs, snapshot, deleted, fields),
        )?;
        let context = vfs.context();
        let budget = config.memory_budget()?.limit_bytes();
        input.keep(&snapshot.coordinate_cache, budget);
        let as_stored = layout == Layout::Unordered && snapshot.schema.allows_dups;
        let (ratio, reader) = if as_stored {
            (
                "sm.mem.reader.sparse_unordered_with_dups.ratio_array_data",
                "SparseUnorderedWithDupsReader",
            )
        } else {
            (
                "sm.mem.reader.sparse_global_order.ratio_array_data",
                "SparseGlobalOrderReader",
            )
        };
        let metadata = MetadataBudget {
            ratio,
            reader,
            has_ranges: subarray.is_set(),
            orders_tiles: !as_stored,
        };
        let window = plan::offsets_window(&input, config, metadata)?;
        for source in &mut input.sources {
            source.window = window;
        }
        let scheduler = TileScheduler::new(context, &input, &snapshot.schema, layout, budget)?;
        Ok(Self {
            input,
            form,
            scheduler,
            tiles: Vec::new(),
            queue: Queue::default(),
            cancel_epoch: context.cancel_epoch(),
            memory: budget / 8,
        })
    }

    /// Returns whether everything was delivered.
    pub fn is_done(&self) -> bool {
        self.queue.is_empty() && self.scheduler.is_done()
    }

    /// Fills the buffers, which are in the order of the field names of the plan.
    pub fn step(
        &mut self,
        context: &Context,
        buffers: &mut [FieldBuffers<'_>],
        stats: &Stats,
    ) -> Result<Vec<FieldSizes>> {
        self.cancel_epoch = context.cancel_epoch();
        stats.add(Counter::Loops, 1);
        let stage = match self.scheduler {
            TileScheduler::SequentialTiles(_) => Timer::ProcessTiles,
            TileScheduler::Merge(_) => Timer::ProcessSlabs,
        };
        let mut filled = FilledBuffers::new(&self.input, self.form, buffers);
        loop {
            context.check_cancelled(self.cancel_epoch)?;
            if self.queue.is_empty() {
                if self.scheduler.is_done() {
                    break;
                }
                let cells_wanted = filled.capacity - filled.cells;
                let since = Moment::now();
                self.scheduler.next(
                    context,
                    &self.input,
                    cells_wanted,
                    &mut self.tiles,
                    self.queue.refill(),
                )?;
                stats.time(Timer::CreateResultTiles, since);
                continue;
            }
            stats.add(Counter::InternalLoops, 1);
            let since = Moment::now();
            let batch = Batch::take(
                context,
                &self.input,
                &self.tiles,
                &self.queue,
                &filled,
                (self.memory, !self.scheduler.is_straight()),
            )?;
            self.deliver(context, &batch, &mut filled, buffers)?;
            stats.time(stage, since);
            if batch.is_full {
                break;
            }
        }
        stats.add(Counter::Results, filled.cells as u64);
        self.record_tiles(stats);
        Ok(self.close(&filled, buffers))
    }

    /// Moves the counts of tiles to the statistics.
    fn record_tiles(&self, stats: &Stats) {
        // All fragments share the meters.
        if let Some(source) = self.input.sources.first() {
            source.meters.record(stats);
        }
    }

    fn deliver(
        &mut self,
        context: &Context,
        batch: &Batch,
        filled: &mut FilledBuffers,
        buffers: &mut [FieldBuffers<'_>],
    ) -> Result<()> {
        deliver::emit(
            context,
            self.cancel_epoch,
            &self.input,
            &self.tiles,
            batch,
            self.form,
            filled,
            buffers,
            self.memory,
        )?;
        let mut delivered = vec![0usize; self.tiles.len()];
        for piece in &batch.pieces {
            delivered[piece.tile as usize] += piece.len as usize;
        }
        for (tile, delivered) in self.tiles.iter_mut().zip(delivered) {
            tile.waiting = tile.waiting.saturating_sub(delivered);
            if delivered > 0 && tile.waiting == 0 {
                self.input.forget(tile);
            }
        }
        filled.cells += batch.cells;
        for (var, starts) in filled.vars.iter_mut().zip(&batch.var_starts) {
            var.bytes = starts.last().copied().unwrap_or(var.bytes);
        }
        self.queue.pass(batch);
        Ok(())
    }

    /// Records the sizes, and writes the additional offset.
    fn close(&self, filled: &FilledBuffers, buffers: &mut [FieldBuffers<'_>]) -> Vec<FieldSizes> {
        let cells = filled.cells as u64;
        let mut sizes = Vec::with_capacity(self.input.outputs);
        for (index, (field, buffers)) in self.input.fields.iter().zip(buffers).enumerate() {
            let mut size = FieldSizes {
                data: cells * field.cell_size as u64,
                offsets: 0,
                validity: if field.is_nullable() { cells } else { 0 },
            };
            if let Some(var) = filled.vars.iter().find(|var| var.field == index) {
                size.data = var.bytes;
                if cells > 0 {
                    size.offsets = self.form.size(cells);
                    if let (Some(offsets), true) = (buffers.offsets.as_deref_mut(), self.form.extra)
                    {
                        self.form
                            .put(offsets, filled.cells, var.bytes, field.value_size);
                    }
                }
            }
            sizes.push(size);
        }
        sizes
    }
}

/// Returns the number of fragments whose non-empty domain intersects the ranges of a subarray.
pub(crate) fn relevant_fragment_num(snapshot: &Snapshot, subarray: &Subarray) -> u64 {
    let ranges = RangeFilter::new(subarray, true);
    let domains = snapshot.fragments.iter();
    let domains = domains.filter_map(|fragment| fragment.non_empty_domain());
    let relevant = |domain: &&NdRange| ranges.is_all() || ranges.overlap(domain) != Overlap::None;
    domains.filter(relevant).count() as u64
}

/// Returns the error for several ranges of a dimension in global order.
pub(crate) fn reject_ranges() -> Error {
    Error::usage(
        "ReaderBase",
        "Cannot initialize reader; Multi-range reads are not supported on a global order query.",
    )
}

/// Checks that a read in global order has one range per dimension. Overlapping ranges count as one,
/// unless cells are returned once per range.
pub(crate) fn check_one_box(subarray: &Subarray) -> Result<()> {
    let one_box = if subarray.merges() {
        RangeFilter::new(subarray, true).is_one_box()
    } else {
        subarray.single().is_some()
    };
    if one_box {
        Ok(())
    } else {
        Err(reject_ranges())
    }
}

/// Creates the input of the stages of a read.
fn input_of(
    snapshot: &Snapshot,
    subarray: &Subarray,
    layout: Layout,
    (names, extra): (&[&str], &[&str]),
    condition: Option<BoundCondition>,
    deletes: impl FnOnce(&mut Vec<SparseField>) -> Result<Deletes>,
) -> Result<Input> {
    let schema = &snapshot.schema;
    // In row- and column-major order a cell is returned once for each range that contains it,
    // regardless of the parameter.
    let ordered = matches!(layout, Layout::RowMajor | Layout::ColMajor);
    let merge = subarray.merges() && !ordered;
    let range_filter = RangeFilter::new(subarray, merge);
    let mut all: Vec<&str> = names.to_vec();
    let dims = schema.domain.dimensions.iter().map(|dim| dim.name.as_str());
    let conditioned = condition.iter().flat_map(|condition| condition.fields());
    let conditioned = conditioned.map(String::as_str);
    let extra = extra.iter().copied().chain(conditioned);
    for name in dims.chain(extra).chain([TIMESTAMPS]) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    let mut fields: Vec<SparseField> = all
        .iter()
        .map(|name| SparseField::new(schema, name))
        .collect::<Result<_>>()?;
    let deletes = deletes(&mut fields)?;
    let range = snapshot.timestamps;
    let meters = ReadMeters::default();
    let sources = snapshot.fragments.iter().map(|fragment| {
        let timed = fragment.has_timestamps() && !range.contains(fragment.timestamps());
        ReadSource::new(Arc::clone(fragment), timed, fields.len(), &meters)
    });
    let sources = sources.collect();
    Ok(Input::new(
        fields,
        names.len(),
        sources,
        range_filter,
        condition,
        deletes,
        range,
    ))
}
