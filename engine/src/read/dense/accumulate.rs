//! The aggregates of a dense read, over the written cells that the condition selects.
//!
//! A fragment that is read completely and hides no cell of another contributes its statistics; a
//! complete tile contributes those of the tile. Other tiles are fetched. Cells of fragments without
//! the field are not included.

use super::columns::with_columns;
use super::fields::{ReadField, TileParts};
use super::plan::Plan;
use super::select::Selector;
use super::tile_tasks::{TileSlice, TileTask};
use crate::aggregate::{Accumulator, TileStatistics};
use crate::context::Context;
use crate::error::Result;
use crate::memory::tuning::{AGGREGATE_TASKS, TILES_PER_AGGREGATE_TASK};
use crate::platform::lock::Mutex;
use crate::read::selection::Selection;

/// Fills the accumulators of fields.
pub(super) fn accumulate(
    context: &Context,
    plan: &Plan,
    selector: Option<&Selector>,
    fields: &mut [(ReadField, Accumulator)],
    cancel_epoch: u64,
) -> Result<()> {
    if plan.cell_num == 0 || fields.is_empty() {
        return Ok(());
    }
    let takes_fragments = selector.is_none() && plan.takes_views_whole();
    let mut by_tiles = Vec::new();
    for (index, (field, accumulator)) in fields.iter_mut().enumerate() {
        if !takes_fragments || !accumulate_fragments(plan, field, accumulator)? {
            by_tiles.push(index);
        }
    }
    if by_tiles.is_empty() {
        return Ok(());
    }
    let remaining: Vec<_> = by_tiles.iter().map(|index| &fields[*index]).collect();
    let empty = || remaining.iter().map(|(_, accumulator)| accumulator.empty());
    let collected = Mutex::new(empty().collect::<Vec<_>>());
    let attributes = remaining.iter().filter_map(|(field, _)| field.attribute());
    let announced: Vec<_> = attributes
        .chain(selector.into_iter().flat_map(Selector::attributes))
        .map(|read| (read, TileParts::All))
        .collect();
    let aggregate = |tasks: &[TileTask]| {
        let mut partials: Vec<Accumulator> = empty().collect();
        for task in tasks {
            context.check_cancelled(cancel_epoch)?;
            for slice in &task.slices {
                let fields = remaining.iter().map(|(field, _)| field).zip(&mut partials);
                add_slice(plan, selector, &task.low, slice, fields)?;
            }
        }
        let mut all = collected.lock();
        all.iter_mut()
            .zip(&partials)
            .for_each(|(all, partial)| all.merge(partial));
        Ok(())
    };
    plan.for_each_written_batch(AGGREGATE_TASKS, |tasks| {
        plan.for_each_announced(tasks, &announced, |_, group| {
            let parts: Vec<_> = group.chunks(TILES_PER_AGGREGATE_TASK).collect();
            let bytes = TileTask::read_bytes(group, size_of::<u64>());
            context.for_each_sized(bytes, parts.len(), |index| aggregate(parts[index]))
        })
    })?;
    let collected = collected.into_inner();
    for (index, found) in by_tiles.into_iter().zip(&collected) {
        fields[index].1.merge(found);
    }
    Ok(())
}

/// Aggregates the fragments, which are read completely, by their statistics. Returns `false`
/// without a change if that is impossible.
fn accumulate_fragments(
    plan: &Plan,
    field: &ReadField,
    accumulator: &mut Accumulator,
) -> Result<bool> {
    let ReadField::Attribute(read) = field else {
        return Ok(false);
    };
    let mut collected = accumulator.empty();
    for (index, view) in plan.views.iter().enumerate() {
        // libtiledb counts cells outside the fragment's domain in fragments that it consolidates.
        if !plan.ends_at_tile_borders(view) {
            return Ok(false);
        }
        let Some(tiles) = read.in_view(plan, index)? else {
            continue;
        };
        let Some(slot) = tiles.statistics_slot() else {
            return Ok(false);
        };
        let cells = view.cells.cell_num();
        let Some(statistics) = TileStatistics::of_fragment(&view.fragment, slot, cells)? else {
            return Ok(false);
        };
        if !collected.add_statistics(&statistics) {
            return Ok(false);
        }
    }
    accumulator.merge(&collected);
    Ok(true)
}

/// Adds the cells of a slice to the accumulators that a thread has for fields.
fn add_slice<'a>(
    plan: &Plan,
    selector: Option<&Selector>,
    low: &[u64],
    slice: &TileSlice,
    fields: impl Iterator<Item = (&'a ReadField, &'a mut Accumulator)>,
) -> Result<()> {
    if slice.view.is_none() {
        return Ok(());
    }
    let selected = match selector {
        Some(selector) => selector.evaluate(plan, low, slice)?,
        None => Selection::All,
    };
    let mask = match &selected {
        Selection::None => return Ok(()),
        Selection::Mask(mask) => Some(&mask[..]),
        _ => None,
    };
    for (field, partial) in fields {
        add_field(plan, field, low, slice, mask, partial)?;
    }
    selected.recycle();
    Ok(())
}

fn add_field(
    plan: &Plan,
    field: &ReadField,
    low: &[u64],
    slice: &TileSlice,
    bits: Option<&[u8]>,
    partial: &mut Accumulator,
) -> Result<()> {
    if let ReadField::Attribute(read) = field {
        let Some(tiles) = read.in_slice(plan, slice)? else {
            return Ok(());
        };
        if let (None, true, Some(slot)) = (bits, is_whole(slice), tiles.statistics_slot()) {
            let cells = slice.cell_num;
            let statistics = TileStatistics::of_tile(&tiles.fragment, slot, slice.tile, cells)?;
            if statistics.is_some_and(|statistics| partial.add_statistics(&statistics)) {
                return Ok(());
            }
        }
    }
    let span = slice.span();
    with_columns(1, |columns| {
        let column = &mut columns[0];
        let values = partial.parts.needs_values();
        column.load(plan, field, low, slice, span.clone(), values)?;
        let cells = span.len();
        for strided in &slice.copies {
            if strided.cell_num() == cells && strided.source_span() == (span.start, span.end) {
                partial.add(&column.as_ref(), cells, bits);
                continue;
            }
            let mut mask = vec![0; cells];
            strided.for_each_run(|run| {
                let cells = run.from - span.start..run.source_end() - span.start;
                match bits {
                    Some(bits) => mask[cells.clone()].copy_from_slice(&bits[cells]),
                    None => mask[cells].fill(1),
                }
            });
            partial.add(&column.as_ref(), cells, Some(&mask));
        }
        Ok(())
    })
}

/// Returns whether a slice contains every cell of its tile exactly once.
fn is_whole(slice: &TileSlice) -> bool {
    match &slice.copies[..] {
        [strided] => strided.cell_num() as u64 == slice.cell_num,
        _ => false,
    }
}
