//! The sparse reader: a pipeline of stages that pass values to one another. A submit delivers as
//! many cells in the ranges as fit into the buffers, starting after the last delivered cell.
//!
//! ```text
//! scan      finds the tiles of each fragment that may contain results     TileScan
//! filter    selects cells of a tile by timestamps, ranges, values         CellSelection
//! merge     orders the cells of several tiles, removes hidden ones        MergePlan
//! gather    copies as many cells as fit into the buffers                  ColumnBatch
//! ```
//! `tiles` loads the columns of tiles, which all stages use. [`TileScheduler`] processes a batch of
//! tiles at a time: the next ones of the scan if tiles do not overlap and no cell hides another,
//! else those that `merge` selects and orders. Aggregates use the selected cells instead of
//! gathering them (`accumulate`). The next submit continues with the rest of the merge plan.

mod accumulate;
mod filter;
mod gather;
mod merge;
mod merge_plan;
mod needed_sizes;
mod scan;
mod survey;
pub(super) mod tiles;

use std::ops::Range;
use std::sync::Arc;

use hashbrown::HashSet;

pub(crate) use self::filter::DeletedCells;
pub(crate) use self::tiles::FragmentCoordinates;

use self::filter::{CellFilter, Deletes, Rules};
use self::gather::gather;
use self::merge::Merge;
use self::merge_plan::PendingCells;
use self::scan::{RangeFilter, ScannedTile, TileScan};
use self::tiles::{FieldTable, FragmentSource, ReadMeters, SparseField, TileLoader};
use crate::array::Snapshot;
use crate::buffers::{FieldBuffers, FieldSizes, OffsetsForm};
use crate::config::Config;
use crate::context::Context;
use crate::error::{Component, ReadError, Result};
use crate::format::names::TIMESTAMPS;
use crate::geometry::Order;
use crate::memory::tuning::VALUE_SHARE;
use crate::read::ReadRequest;
use crate::read::filled_buffers::FilledBuffers;
use crate::read::needed_sizes::{Amount, DeliveredCells};
use crate::schema::ArraySchema;
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
        let (context, schema, layout) = (&vfs.context, &snapshot.schema, request.layout);
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
    let mut known: HashSet<&str> = names.iter().copied().collect();
    names.extend(
        dims.chain(others)
            .chain([TIMESTAMPS])
            .filter(|name| known.insert(name)),
    );
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

/// The tiles of a scan that are not processed yet.
#[derive(Debug)]
enum TileScheduler {
    /// Tiles in sequence.
    Sequential(SequentialTiles),
    /// Merged cells.
    Merge(Box<Merge>),
}

/// The tiles of a scan in sequence.
#[derive(Debug)]
struct SequentialTiles {
    tiles: Vec<ScannedTile>,
    next: usize,
    /// The end of the tiles that were announced to an object store.
    announced: usize,
    /// The number of tiles in the last group of them.
    group: usize,
}

impl TileScheduler {
    /// Schedules the tiles of a scan in this layout.
    fn new(
        loader: &TileLoader,
        filter: &CellFilter,
        scan: TileScan,
        schema: &ArraySchema,
        layout: Layout,
    ) -> Result<Self> {
        let order = Order::of(layout).filter(|order| !is_stored_in(schema, *order));
        let is_unordered = layout == Layout::Unordered && schema.allows_dups;
        if is_unordered || order.is_none() && is_one_ordered_fragment(loader, &scan, schema) {
            return Ok(Self::Sequential(SequentialTiles {
                tiles: scan.into_tiles(),
                next: 0,
                announced: 0,
                group: 0,
            }));
        }
        let merge = Merge::new(loader, filter, schema, scan, order)?;
        Ok(Self::Merge(Box::new(merge)))
    }

    /// Returns whether the cells of several tiles are merged.
    fn is_merged(&self) -> bool {
        matches!(self, Self::Merge(_))
    }

    fn is_done(&self) -> bool {
        match self {
            Self::Sequential(sequential) => sequential.is_done(),
            Self::Merge(merge) => merge.is_done(),
        }
    }

    /// Returns all tiles of the scan, and the ranges of those that were not loaded yet.
    fn tiles(&self) -> (&[ScannedTile], Vec<Range<usize>>) {
        match self {
            Self::Sequential(sequential) => {
                let left = sequential.next..sequential.tiles.len();
                (&sequential.tiles, vec![left])
            }
            Self::Merge(merge) => merge.tiles(),
        }
    }

    /// Reports the number of tiles that were loaded as progress.
    fn report(&self, context: &Context) -> Result<()> {
        context.progress("tiles", |progress| {
            let (tiles, left) = self.tiles();
            let left: usize = left.iter().map(ExactSizeIterator::len).sum();
            progress.total = tiles.len() as u64;
            progress.done = (tiles.len() - left) as u64;
        })
    }

    /// Returns the number of cells of a tile in memory that may be added to the plan.
    fn pending(&self, index: usize) -> Amount {
        match self {
            Self::Sequential(_) => Amount::NONE,
            Self::Merge(merge) => merge.pending(index),
        }
    }

    /// Returns whether a cell may hide another one with equal coordinates.
    fn hides_cells(&self) -> bool {
        match self {
            Self::Sequential(_) => false,
            Self::Merge(merge) => merge.hides_cells(),
        }
    }

    /// Loads the next tiles, and appends at least `min_cells` of their cells to the plan. There may
    /// be none although tiles are left. All cells of the plan must have been delivered.
    fn next(
        &mut self,
        context: &Context,
        loader: &TileLoader,
        filter: &CellFilter,
        min_cells: usize,
        pending: &mut PendingCells,
    ) -> Result<()> {
        pending.plan.compact();
        match self {
            Self::Sequential(sequential) => {
                sequential.next(context, loader, filter, min_cells, pending)
            }
            Self::Merge(merge) => merge.next(context, loader, filter, min_cells, pending),
        }
    }
}

/// Returns whether all tiles are of one fragment in which no cell hides another.
fn is_one_ordered_fragment(loader: &TileLoader, scan: &TileScan, schema: &ArraySchema) -> bool {
    let mut with_tiles = scan
        .by_fragment
        .iter()
        .enumerate()
        .filter(|(_, tiles)| !tiles.is_empty());
    let (first, second) = (with_tiles.next(), with_tiles.next());
    second.is_none()
        && first.is_none_or(|(source, _)| {
            schema.allows_dups || !loader.sources[source].fragment.footer.has_timestamps
        })
}

/// Returns whether fragments store their cells in this order: only the slowest dimension is divided
/// into tiles.
fn is_stored_in(schema: &ArraySchema, order: Order) -> bool {
    let slowest = order.slowest(schema.dim_num());
    let dimensions = schema.domain.dimensions.iter().enumerate();
    Order::of(schema.cell_order) == Some(order)
        && dimensions
            .filter(|(dim, _)| *dim != slowest)
            .all(|(_, dimension)| dimension.is_one_tile())
}

impl SequentialTiles {
    /// Replaces the tiles in memory by the next tiles of the scan, for at least `min_cells` cells,
    /// and returns what the scan found.
    fn schedule(
        &mut self,
        loader: &TileLoader,
        filter: &CellFilter,
        min_cells: usize,
        pending: &mut PendingCells,
    ) -> Result<&[ScannedTile]> {
        pending.release_all(loader);
        pending.tiles.clear();
        let first = self.next;
        let (mut cells, mut bytes) = (0usize, 0u64);
        while let Some(scanned) = self.tiles.get(self.next) {
            if pending.is_enough(pending.tiles.len(), cells, min_cells) {
                break;
            }
            let source = scanned.source as usize;
            let tile = loader.tile(source, scanned.found.tile)?;
            let is_whole = loader.sources[source].contains_all(scanned.found);
            if !is_whole || filter.compares_values(source) {
                let more = loader.coordinates_size(&tile)?;
                if more > pending.budget {
                    return Err(pending.budget_error(more, 0));
                }
                let total = bytes.saturating_add(more);
                if !pending.tiles.is_empty() && total > pending.coordinate_bytes {
                    break;
                }
                bytes = total;
            }
            cells = cells.saturating_add(tile.cell_num);
            pending.tiles.push(tile);
            self.next += 1;
        }
        pending.grow();
        self.announce(loader)?;
        Ok(&self.tiles[first..self.next])
    }

    /// Announces the scheduled tiles, and a group of those after them, to an object store.
    fn announce(&mut self, loader: &TileLoader) -> Result<()> {
        while loader.is_remote() && self.announced < self.tiles.len() {
            let is_ahead = self.announced >= self.next + self.group;
            if is_ahead {
                break;
            }
            let tiles = self.tiles[self.announced..]
                .iter()
                .map(|scanned| (scanned.source as usize, scanned.found.tile));
            self.group = loader.prefetch_group(tiles, |_, _| true)?;
            self.announced += self.group;
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.next >= self.tiles.len()
    }

    fn next(
        &mut self,
        context: &Context,
        loader: &TileLoader,
        filter: &CellFilter,
        min_cells: usize,
        pending: &mut PendingCells,
    ) -> Result<()> {
        let scanned = self.schedule(loader, filter, min_cells, pending)?;
        let selected = filter.select_all(context, loader, &pending.tiles, |index| {
            (scanned[index].found, Rules::All)
        })?;
        for ((index, tile), selected) in (0u32..).zip(&pending.tiles).zip(selected) {
            pending.plan.push_selected(index, tile.cell_num, &selected);
        }
        pending.count_undelivered();
        pending.release_unused(loader);
        Ok(())
    }
}
