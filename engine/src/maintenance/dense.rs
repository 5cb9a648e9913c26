//! Rewrites the cells of dense fragments as one fragment, or as several boxes of tiles if one would
//! be too large. For several, the sizes of tiles are computed first, which reads the cells twice.

use std::sync::Arc;

use super::consolidation::Consolidation;
use super::division::divide;
use super::field_buffer::{FieldBuffer, cells_per_part, field_buffers, widen};
use crate::array::Snapshot;
use crate::buffers::{FieldCells, OffsetsForm};
use crate::error::{Error, MaintenanceError, Result};
use crate::format::names::FragmentName;
use crate::fragment::{Fragment, FragmentWriter, NewFragment};
use crate::geometry::{CellBox, Order, TileGrid, for_each_position};
use crate::read::{DenseRead, ReadRequest};
use crate::stats::{Part, TileMeter};
use crate::subarray::Subarray;
use crate::types::Layout;
use crate::vfs::Uri;
use crate::write::{BoxWrite, reject_ordered};

/// The state of a rewrite of dense fragments.
struct DenseRewrite<'a> {
    consolidation: &'a Consolidation<'a>,
    /// The fragments as an array of their own.
    snapshot: Snapshot,
    grid: TileGrid,
    field_buffers: Vec<FieldBuffer>,
}

/// Writes the cells of fragments as one fragment, or as several. `before_commit` is called with the
/// name of the first one when everything but the commit is written; if it returns `false`, nothing
/// is committed. Returns the fragments, which is empty without cells.
pub(super) fn rewrite(
    consolidation: &Consolidation<'_>,
    fragments: &[Arc<Fragment>],
    new: NewFragment<'_>,
    before_commit: impl FnOnce(&FragmentName) -> Result<bool>,
) -> Result<Vec<Uri>> {
    let (vfs, schema) = (consolidation.vfs, &consolidation.schema);
    reject_ordered(schema)?;
    let key = consolidation.key.as_ref();
    let snapshot = Snapshot::of_fragments(consolidation.array, schema, fragments, &[], key);
    let Some(domain) = snapshot.non_empty_domain() else {
        return Ok(Vec::new());
    };
    let grid = TileGrid::new(schema)?;
    let whole = grid
        .to_box(schema, domain)
        .ok_or_else(|| Error::from(MaintenanceError::OutsideDomain))?;
    let mut rewrite = DenseRewrite {
        consolidation,
        snapshot,
        grid,
        field_buffers: field_buffers(schema),
    };
    let boxes = match consolidation.max_fragment_size()? {
        Some(max_bytes) => {
            let sizes = rewrite.measure(&whole)?;
            divide(&rewrite.grid, &whole, &sizes, max_bytes)?
        }
        None => vec![whole],
    };
    let written = Arc::<TileMeter>::default();
    let mut writers: Vec<FragmentWriter> = Vec::with_capacity(boxes.len());
    for part in &boxes {
        let mut writer = match writers.last() {
            Some(last) => last.next_fragment()?,
            None => FragmentWriter::create_locked(vfs, new)?.metered(&written),
        };
        rewrite.for_each_part(part, |box_write, fields| {
            box_write.append(vfs, fields, OffsetsForm::STARTS, &mut writer)
        })?;
        writer.set_non_empty_domain(rewrite.grid.to_ranges(schema, part));
        writer.seal()?;
        writers.push(writer);
    }
    let finished = FragmentWriter::finish_together(writers, before_commit);
    consolidation.record_step(&written);
    finished
}

impl DenseRewrite<'_> {
    /// Returns the size of each tile in the order of the tiles.
    fn measure(&mut self, cells: &CellBox) -> Result<Vec<u64>> {
        let vfs = self.consolidation.vfs;
        let mut sizes = Vec::new();
        self.for_each_part(cells, |box_write, fields| {
            sizes.extend(box_write.measure(vfs, fields, OffsetsForm::STARTS)?);
            Ok(())
        })?;
        Ok(sizes)
    }

    /// Reads the cells of a box in parts and calls `visit` with each, in the order of the tiles.
    fn for_each_part(
        &mut self,
        cells: &CellBox,
        mut visit: impl FnMut(&BoxWrite<'_>, &[FieldCells<'_>]) -> Result<()>,
    ) -> Result<()> {
        let budget = self.consolidation.config.memory_budget()?;
        let per_part = cells_per_part(&self.field_buffers, &budget);
        let grid = self.grid.clone();
        let context = &self.consolidation.vfs.context;
        context.progress("cells", |progress| progress.total += cells.cell_num())?;
        for_each_part(&grid, cells, per_part, |part| {
            let (schema, key) = (&self.consolidation.schema, self.consolidation.key.as_ref());
            let ranges = grid.to_ranges(schema, part);
            let context = &self.consolidation.vfs.context;
            let nested = context.track("read", "cells");
            read_box(
                self.consolidation,
                &self.snapshot,
                &mut self.field_buffers,
                part,
                &ranges,
            )?;
            drop(nested);
            context.progress("cells", |progress| progress.done += part.cell_num())?;
            let box_write = BoxWrite {
                schema,
                ranges: &ranges,
                order: Order::RowMajor,
                key,
            };
            let fields: Vec<_> = self.field_buffers.iter().map(FieldBuffer::cells).collect();
            visit(&box_write, &fields)
        })
    }
}

/// Reads the cells of a box.
fn read_box(
    consolidation: &Consolidation<'_>,
    snapshot: &Snapshot,
    fields: &mut [FieldBuffer],
    part: &CellBox,
    ranges: &[crate::types::Range],
) -> Result<()> {
    let (context, schema) = (&consolidation.vfs.context, &consolidation.schema);
    let mut subarray = Subarray::new(schema);
    for (dim, range) in ranges.iter().enumerate() {
        subarray.add_range(dim as u32, range.start(), range.end())?;
    }
    let names: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let stats = context.stats.part(Part::Reader);
    fields
        .iter_mut()
        .try_for_each(|field| field.reserve(part.cell_num()))?;
    let budget = consolidation.config.memory_budget()?;
    loop {
        let request = ReadRequest {
            subarray: &subarray,
            layout: Layout::RowMajor,
            names: &names,
            form: OffsetsForm::STARTS,
            condition: None,
        };
        let mut read = DenseRead::new(context, snapshot, consolidation.config, request)?;
        let mut buffers: Vec<_> = fields.iter_mut().map(FieldBuffer::buffers).collect();
        let sizes = read.fill(context, &mut buffers, &stats)?;
        drop(buffers);
        if read.is_done() {
            for (field, sizes) in fields.iter_mut().zip(sizes) {
                field.sizes = sizes;
            }
            return Ok(());
        }
        widen(fields, &budget)?;
    }
}

/// Calls `visit` with boxes in the order of the tiles. Each consists of complete tiles, except at
/// the ends of `cells`, and has at most `most` cells or is one tile.
fn for_each_part(
    grid: &TileGrid,
    cells: &CellBox,
    most: u64,
    mut visit: impl FnMut(&CellBox) -> Result<()>,
) -> Result<()> {
    let tiles = grid.tiles(cells);
    let order = grid.tile_order.slowest_first(tiles.dim_num());
    // The dimension that is divided: faster ones are complete, slower ones are one tile at a time.
    let mut cut = order.len() - 1;
    let mut step = grid.tile_cell_num.max(1);
    while cut > 0 {
        let whole = step.saturating_mul(tiles.len(order[cut]));
        if whole > most {
            break;
        }
        step = whole;
        cut -= 1;
    }
    let run = (most / step).clamp(1, tiles.len(order[cut]));
    let mut counts = vec![1u64; tiles.dim_num()];
    for (position, dim) in order.iter().enumerate() {
        if position < cut {
            counts[*dim] = tiles.len(*dim);
        } else if position == cut {
            counts[*dim] = tiles.len(*dim).div_ceil(run);
        }
    }
    for_each_position(&counts, grid.tile_order, |position| {
        let mut part = tiles.clone();
        for (rank, dim) in order.iter().enumerate().take(cut + 1) {
            let len = if rank == cut { run } else { 1 };
            part.low[*dim] = tiles.low[*dim] + position[*dim] * len;
            part.high[*dim] = (part.low[*dim] + len - 1).min(tiles.high[*dim]);
        }
        match grid.cells(&part).intersection(cells) {
            Some(inside) => visit(&inside),
            None => Ok(()),
        }
    })
}
