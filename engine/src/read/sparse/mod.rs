//! The sparse reader: a pipeline of stages that pass values to one another. A submit delivers as
//! many cells in the ranges as fit into the buffers, starting after the last delivered cell.
//!
//! ```text
//! scan      finds the tiles of each fragment that may contain results     TileScan
//! filter    selects cells of a tile by timestamps, ranges, values         CellSelection
//! merge     orders the cells of several tiles, removes hidden ones        MergePlan
//! gather    copies as many cells as fit into the buffers                  ColumnBatch
//! ```
//! `tiles` loads the columns of tiles, which all stages use. `schedule` processes a batch of tiles
//! at a time, through `merge` or, if tiles do not overlap, in sequence. Aggregates use the selected
//! cells instead of gathering them (`accumulate`). The next submit continues with the rest of the
//! merge plan.

mod accumulate;
mod filter;
mod gather;
mod merge;
mod merge_plan;
mod needed_sizes;
mod scan;
mod schedule;
mod survey;
pub(super) mod tiles;

use std::sync::Arc;

pub(crate) use self::filter::DeletedCells;
pub(crate) use self::tiles::FragmentCoordinates;

use self::filter::{CellFilter, Deletes};
use self::gather::gather;
use self::merge_plan::PendingCells;
use self::scan::{RangeFilter, TileScan};
use self::schedule::TileScheduler;
use self::tiles::{FieldTable, FragmentSource, ReadMeters, SparseField, TileLoader};
use crate::array::Snapshot;
use crate::buffers::{FieldBuffers, FieldSizes, OffsetsForm};
use crate::config::Config;
use crate::context::Context;
use crate::error::{Component, ReadError, Result};
use crate::format::names::TIMESTAMPS;
use crate::memory::tuning::VALUE_SHARE;
use crate::read::ReadRequest;
use crate::read::filled_buffers::FilledBuffers;
use crate::read::needed_sizes::DeliveredCells;
use crate::stats::{Counter, Moment, Stats, Timer};
use crate::subarray::Subarray;
use crate::types::{Layout, Match};
use crate::vfs::Vfs;

/// A sparse read between submits.
#[derive(Debug)]
pub(crate) struct SparseRead {
    loader: TileLoader,
    filter: CellFilter,
    form: OffsetsForm,
    scheduler: TileScheduler,
    pending: PendingCells,
    /// The maximum size in bytes of values that are not delivered yet.
    value_bytes: u64,
    delivered: DeliveredCells,
    /// Whether coordinates are unique.
    is_unique: bool,
}

impl SparseRead {
    /// Estimates the number of bytes that a read delivers for a field in all submits.
    pub(crate) fn estimate(
        context: &Context,
        snapshot: &Snapshot,
        subarray: &Subarray,
        name: &str,
    ) -> Result<FieldSizes> {
        let ranges = range_filter(subarray, Layout::RowMajor);
        let fields = FieldTable::new(fields_of(snapshot, &[name], std::iter::empty())?, 1);
        let loader = loader_of(snapshot, fields);
        let scan = TileScan::new(context, &loader.sources, &ranges)?;
        // The field is the first of the loader: delivered fields precede the others.
        scan::estimate(&loader, &scan, subarray, 0)
    }

    /// Plans a read. `aggregated` are the fields that only aggregates use.
    pub(crate) fn new(
        vfs: &Arc<Vfs>,
        snapshot: &Snapshot,
        config: &Config,
        request: ReadRequest<'_>,
        aggregated: &[&str],
        deleted: DeletedCells,
    ) -> Result<Self> {
        let budget = config.memory_budget()?.limit_bytes();
        let (mut loader, filter) = stages(vfs, snapshot, &request, aggregated, deleted)?;
        loader = loader.with_cache(&snapshot.coordinate_cache, budget);
        let (context, schema, layout) = (vfs.context(), &snapshot.schema, request.layout);
        let reader = if layout == Layout::Unordered && schema.allows_dups {
            Component::UnorderedReader
        } else {
            Component::MergingReader
        };
        let window = scan::offsets_window(&loader, config, reader, request.subarray.is_set())?;
        for source in &mut loader.sources {
            source.window = window;
        }
        let scan = TileScan::new(context, &loader.sources, &filter.ranges)?;
        let scheduler = TileScheduler::new(&loader, &filter, scan, schema, layout)?;
        Ok(Self {
            loader,
            filter,
            form: request.form,
            scheduler,
            pending: PendingCells::new(context, budget, reader),
            value_bytes: budget / VALUE_SHARE,
            delivered: DeliveredCells::default(),
            is_unique: !schema.allows_dups,
        })
    }

    /// Returns the number of cells that were delivered so far.
    pub(crate) fn delivered_cells(&self) -> u64 {
        self.delivered.cells
    }

    /// Continues at a position that another read of the same result has reached. The cells before
    /// it are selected and ordered again, but their values are not loaded.
    pub(crate) fn seek(&mut self, context: &Context, position: u64) -> Result<()> {
        let since_cancel = context.cancel_epoch();
        while self.delivered.cells < position {
            context.check_cancelled(since_cancel)?;
            let left = position - self.delivered.cells;
            let (loader, filter) = (&self.loader, &self.filter);
            let pending = &mut self.pending;
            if pending.plan.is_empty() {
                if self.scheduler.is_done() {
                    break;
                }
                let min_cells = usize::try_from(left).unwrap_or(usize::MAX);
                self.scheduler
                    .next(context, loader, filter, min_cells, pending)?;
                continue;
            }
            self.delivered.skip(pending.skip(loader, left));
        }
        Ok(())
    }

    /// Returns whether everything was delivered.
    pub(crate) fn is_done(&self) -> bool {
        self.pending.plan.is_empty() && self.scheduler.is_done()
    }

    /// Fills the buffers, which are in the order of the field names of the request.
    pub(crate) fn fill(
        &mut self,
        context: &Context,
        buffers: &mut [FieldBuffers<'_>],
        stats: &Stats,
    ) -> Result<Vec<FieldSizes>> {
        let since_cancel = context.cancel_epoch();
        stats.add(Counter::Loops, 1);
        let is_merged = self.scheduler.is_merged();
        let stage = if is_merged {
            Timer::ProcessSlabs
        } else {
            Timer::ProcessTiles
        };
        let (loader, filter) = (&self.loader, &self.filter);
        let mut filled = FilledBuffers::new(
            loader
                .fields
                .outputs()
                .iter()
                .map(|field| field.stored.cells)
                .collect(),
            self.form,
            buffers,
        );
        loop {
            context.check_cancelled(since_cancel)?;
            let pending = &mut self.pending;
            let begun = Moment::now();
            if pending.plan.is_empty() {
                if self.scheduler.is_done() {
                    break;
                }
                let min_cells = filled.capacity - filled.cell_num;
                self.scheduler
                    .next(context, loader, filter, min_cells, pending)?;
                stats.time(Timer::CreateResultTiles, begun);
                self.scheduler.report(context)?;
                continue;
            }
            stats.add(Counter::InternalLoops, 1);
            let is_full = gather(
                context,
                loader,
                pending,
                &mut filled,
                buffers,
                self.value_bytes,
                is_merged,
            )?;
            stats.time(stage, begun);
            if is_full {
                break;
            }
        }
        stats.add(Counter::Results, filled.cell_num as u64);
        self.record_tiles(stats);
        self.delivered.add(&filled);
        Ok(filled.finish(buffers))
    }

    /// Moves the counts of tiles to the statistics.
    fn record_tiles(&self, stats: &Stats) {
        // All fragments share the meters.
        if let Some(source) = self.loader.sources.first() {
            source.meters.record(stats);
        }
    }
}

/// Returns the number of fragments whose non-empty domain intersects the ranges of a subarray.
pub(crate) fn relevant_fragment_num(snapshot: &Snapshot, subarray: &Subarray) -> u64 {
    let ranges = RangeFilter::new(subarray, true);
    snapshot
        .fragments
        .iter()
        .filter_map(|fragment| fragment.footer.non_empty_domain.as_ref())
        .filter(|domain| ranges.is_all() || ranges.overlap(domain) != Match::None)
        .count() as u64
}

/// Checks that a read in global order has one range per dimension. Overlapping ranges count as one,
/// unless cells are returned once per range.
pub(crate) fn check_one_box(subarray: &Subarray) -> Result<()> {
    let one_box = if subarray.merges {
        RangeFilter::new(subarray, true).is_one_box()
    } else {
        subarray.single().is_some()
    };
    if one_box {
        Ok(())
    } else {
        Err(ReadError::ManyRanges.into())
    }
}

/// Returns the ranges of a read in a layout.
fn range_filter(subarray: &Subarray, layout: Layout) -> RangeFilter {
    // In row- and column-major order a cell is returned once for each range that contains it,
    // regardless of the parameter.
    let is_ordered = matches!(layout, Layout::RowMajor | Layout::ColMajor);
    RangeFilter::new(subarray, subarray.merges && !is_ordered)
}

/// Creates the stages that load and select cells.
fn stages(
    vfs: &Arc<Vfs>,
    snapshot: &Snapshot,
    request: &ReadRequest<'_>,
    aggregated: &[&str],
    deleted: DeletedCells,
) -> Result<(TileLoader, CellFilter)> {
    let condition = request.condition.as_ref();
    let compared = condition
        .iter()
        .flat_map(|condition| &condition.fields)
        .map(String::as_str);
    let selecting = aggregated.iter().copied().chain(compared);
    let mut fields = fields_of(snapshot, request.names, selecting)?;
    let deletes = Deletes::bind(vfs, snapshot, deleted, &mut fields)?;
    let fields = FieldTable::new(fields, request.names.len());
    let filter = CellFilter::new(
        range_filter(request.subarray, request.layout),
        request.condition.clone(),
        deletes,
        snapshot.session.timestamps,
        &fields,
    );
    Ok((loader_of(snapshot, fields), filter))
}

/// Returns the fields to deliver, and after them the fields that only select or are aggregated: the
/// dimensions, `others` and the timestamps.
fn fields_of<'a>(
    snapshot: &'a Snapshot,
    delivered: &[&'a str],
    others: impl Iterator<Item = &'a str>,
) -> Result<Vec<SparseField>> {
    let schema = &snapshot.schema;
    let dims = schema.domain.dimensions.iter().map(|dim| dim.name.as_str());
    let mut names = delivered.to_vec();
    for name in dims.chain(others).chain([TIMESTAMPS]) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
        .into_iter()
        .map(|name| SparseField::new(schema, name))
        .collect()
}

/// Returns the loader of the tiles of all fragments.
fn loader_of(snapshot: &Snapshot, fields: FieldTable) -> TileLoader {
    let range = snapshot.session.timestamps;
    let meters = ReadMeters::default();
    let sources = snapshot
        .fragments
        .iter()
        .map(|fragment| {
            let filters_times =
                fragment.footer.has_timestamps && !range.contains(fragment.timestamps());
            FragmentSource::new(Arc::clone(fragment), filters_times, fields.len(), &meters)
        })
        .collect();
    TileLoader::new(fields, sources)
}
