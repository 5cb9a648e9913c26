//! Copies variable-length cells: first the length of each cell, then the bytes of as many as fit.

use std::sync::atomic::{AtomicU64, Ordering};

use super::fields::{AttributeRead, TileParts};
use super::plan::Plan;
use super::result::ResultBox;
use super::tile_tasks::{TileSlice, TileTask};
use crate::context::Context;
use crate::error::Result;
use crate::fragment::{FieldTiles, FilePart};
use crate::memory::pool;
use crate::read::filled_buffers::share_with_tasks;
use crate::tile::{CellRun, Cells, SharedBytes, TileWorkspace};
use crate::types::Match;

/// The offsets of the cells of a slice.
#[derive(Debug)]
struct Offsets {
    first: usize,
    /// The start of each cell, and the end of the last one.
    starts: Vec<u64>,
    tile_size: usize,
    /// The values of the tile, if they were loaded with the offsets.
    values: Option<Vec<u8>>,
}

impl Offsets {
    fn memory(&self) -> u64 {
        let values = self.values.as_ref().map_or(0, Vec::capacity);
        (8 * self.starts.capacity() + values) as u64
    }
}

/// The offsets of a slice, from loading the lengths of cells to copying their values.
#[derive(Debug)]
enum SliceOffsets {
    /// The cells have the fill value: they are in no fragment, or are not selected.
    Fill,
    InMemory(Offsets),
    /// They are loaded again, since the others need all memory. In a run that crosses many tiles,
    /// such as a column, the offsets of all of them are much larger than the result.
    Dropped,
}

/// The cells of a batch of a variable-length field.
pub(super) struct VarCells<'a> {
    plan: &'a Plan,
    read: &'a AttributeRead,
    /// The cells that do not get fill values: a byte per cell, 1 or 0; `None` for all.
    selected: Option<&'a [u8]>,
    tasks: Vec<TileTask>,
    /// By task and slice.
    offsets: Vec<Vec<SliceOffsets>>,
}

impl<'a> VarCells<'a> {
    /// Loads the offsets of the cells of `boxes`. Returns also the position of the values of each
    /// cell in the caller's buffer, of which the first is `position`, and the end of the last one.
    ///
    /// At most `max_bytes` bytes of offsets stay in memory until values are copied.
    pub(super) fn new(
        context: &Context,
        plan: &'a Plan,
        read: &'a AttributeRead,
        boxes: &[ResultBox],
        selected: Option<&'a [u8]>,
        position: u64,
        max_bytes: u64,
    ) -> Result<(Self, Vec<u64>)> {
        let tasks = tasks_of(plan, boxes)?;
        plan.announce(&tasks, &[(read, TileParts::Values)])?;
        let cell_num: u64 = boxes.iter().map(|part| part.cells.cell_num()).sum();
        // The slices of the tasks write the lengths of all cells.
        let mut lens = pool::filled_bytes("offsets", cell_num as usize * 8)?;
        let shared = share_with_tasks(&mut lens);
        let bytes = AtomicU64::new(0);
        let keep = |loaded: Option<Offsets>| match loaded {
            None => SliceOffsets::Fill,
            Some(offsets) => {
                let before = bytes.fetch_add(offsets.memory(), Ordering::Relaxed);
                if before.saturating_add(offsets.memory()) <= max_bytes {
                    SliceOffsets::InMemory(offsets)
                } else {
                    SliceOffsets::Dropped
                }
            }
        };
        let announced = [(read, TileParts::Offsets)];
        let mut offsets = Vec::with_capacity(tasks.len());
        plan.for_each_announced(&tasks, &announced, |_, group| {
            let bytes = TileTask::read_bytes(group, read.cell_size);
            let measured = context.map_sized(bytes, group.len(), |index| {
                let loaded = group[index]
                    .slices
                    .iter()
                    .map(|slice| measure(plan, read, slice, selected, shared));
                loaded.map(|loaded| loaded.map(keep)).collect()
            })?;
            offsets.extend(measured);
            Ok(())
        })?;
        let positions = positions_of(&lens, position);
        pool::put_bytes(lens, usize::MAX);
        let cells = Self {
            plan,
            read,
            selected,
            tasks,
            offsets,
        };
        Ok((cells, positions))
    }

    /// Copies the values of the first cells to `to`, the caller's buffer. `positions` are the
    /// positions there of the values of each of these cells, and the end of the last one.
    pub(super) fn copy(
        &self,
        context: &Context,
        positions: &[u64],
        to: SharedBytes<'_>,
    ) -> Result<()> {
        let announced = [(self.read, TileParts::Values)];
        self.plan
            .for_each_announced(&self.tasks, &announced, |before, group| {
                let bytes = TileTask::read_bytes(group, self.read.cell_size);
                context.for_each_sized(bytes, group.len(), |index| {
                    let offsets = &self.offsets[before + index];
                    group[index]
                        .slices
                        .iter()
                        .zip(offsets)
                        .try_for_each(|(slice, offsets)| {
                            self.put_slice(slice, offsets, positions, to)
                        })
                })
            })
    }

    /// Copies the cells of a slice that have a position.
    fn put_slice(
        &self,
        slice: &TileSlice,
        offsets: &SliceOffsets,
        positions: &[u64],
        to: SharedBytes<'_>,
    ) -> Result<()> {
        let stored = match offsets {
            SliceOffsets::Fill => None,
            _ => self.read.in_slice(self.plan, slice)?,
        };
        let Some(tiles) = stored else {
            let fill = &self.read.attribute.fill_value;
            for_each_run(slice, positions, |run| {
                for start in &positions[run.to..run.to + run.len] {
                    to.write(*start as usize, fill);
                }
            });
            return Ok(());
        };
        let reloaded;
        let offsets = match offsets {
            SliceOffsets::InMemory(offsets) => offsets,
            _ => {
                reloaded = load(tiles, slice)?;
                &reloaded
            }
        };
        let (Some(first), Some(last)) = (offsets.starts.first(), offsets.starts.last()) else {
            return Ok(());
        };
        let span = *first as usize..*last as usize;
        let mut read = Vec::new();
        let values = match &offsets.values {
            Some(values) => &values[span],
            None => {
                let size = offsets.tile_size;
                tiles.with_tile(FilePart::Var, slice.tile, size, |tile| {
                    TileWorkspace::with(|scratch| tile.read_span(span, scratch, &mut read))
                })?;
                &read[..]
            }
        };
        for_each_run(slice, positions, |run| {
            self.put_run(offsets, values, run, positions, to);
        });
        Ok(())
    }

    /// Copies a run of cells from the tile to the result. `values` begin with the first cell of
    /// `offsets`.
    fn put_run(
        &self,
        offsets: &Offsets,
        values: &[u8],
        run: CellRun,
        positions: &[u64],
        to: SharedBytes<'_>,
    ) {
        let first = offsets.starts.first().copied().unwrap_or_default();
        let from = run.from - offsets.first;
        let bytes = |from: usize, end: usize| {
            let (from, end) = (offsets.starts[from] - first, offsets.starts[end] - first);
            &values[from as usize..end as usize]
        };
        let Some(selected) = self.selected else {
            return to.write(positions[run.to] as usize, bytes(from, from + run.len));
        };
        for cell in 0..run.len {
            let value = if selected[run.to + cell] != 0 {
                bytes(from + cell, from + cell + 1)
            } else {
                &self.read.attribute.fill_value
            };
            to.write(positions[run.to + cell] as usize, value);
        }
    }
}

/// Returns the tasks of boxes of the result.
fn tasks_of(plan: &Plan, boxes: &[ResultBox]) -> Result<Vec<TileTask>> {
    let mut tasks = Vec::new();
    for result_box in boxes {
        plan.for_each_task(result_box, |task| {
            tasks.push(task);
            Ok(())
        })?;
    }
    Ok(tasks)
}

/// Returns the position of the values of each cell, and the end of the last one. `lens` are the
/// little-endian lengths of the cells, the first of which is at `first`.
fn positions_of(lens: &[u8], first: u64) -> Vec<u64> {
    let lens = lens.as_chunks().0;
    let mut positions = Vec::with_capacity(lens.len() + 1);
    let mut position = first;
    positions.push(position);
    positions.extend(lens.iter().map(|len| {
        position = position.saturating_add(u64::from_le_bytes(*len));
        position
    }));
    positions
}

/// Calls `visit` with the runs of a slice, without the cells that have no position.
fn for_each_run(slice: &TileSlice, positions: &[u64], mut visit: impl FnMut(CellRun)) {
    let cells = positions.len().saturating_sub(1);
    for strided in &slice.copies {
        strided.for_each_run(|run| {
            if run.to < cells {
                let len = run.len.min(cells - run.to);
                visit(CellRun { len, ..run });
            }
        });
    }
}

/// Loads the offsets of a slice and records the length of each cell.
fn measure(
    plan: &Plan,
    read: &AttributeRead,
    slice: &TileSlice,
    selected: Option<&[u8]>,
    lens: SharedBytes<'_>,
) -> Result<Option<Offsets>> {
    let share = selected.map_or(Match::All, |mask| slice.matching(mask));
    let stored = match share {
        Match::None => None,
        _ => read.in_slice(plan, slice)?,
    };
    let Some(tiles) = stored else {
        let len = read.attribute.fill_value.len() as u64;
        for strided in &slice.copies {
            strided.broadcast().copy(8, &len.to_le_bytes(), lens);
        }
        return Ok(None);
    };
    let offsets = load(tiles, slice)?;
    let selected = selected.filter(|_| share == Match::Some);
    let fill_len = read.attribute.fill_value.len() as u64;
    for strided in &slice.copies {
        strided.for_each_run(|run| {
            let to = lens.part(run.to * 8, run.len * 8).chunks_exact_mut(8);
            let from = run.from - offsets.first;
            let spans = offsets.starts[from..=from + run.len].windows(2);
            for (cell, (to, span)) in to.zip(spans).enumerate() {
                let len = if selected.is_none_or(|mask| mask[run.to + cell] != 0) {
                    span[1] - span[0]
                } else {
                    fill_len
                };
                to.copy_from_slice(&len.to_le_bytes());
            }
        });
    }
    Ok(Some(offsets))
}

/// Returns the offsets from the first to the last cell of a slice, after checking that they ascend
/// and are inside the tile.
fn load(tiles: &FieldTiles, slice: &TileSlice) -> Result<Offsets> {
    let tile_size = tiles.var_size(slice.tile)?;
    let cells = usize::try_from(slice.cell_num).unwrap_or(usize::MAX);
    let span = slice.span();
    let mut offsets = Offsets {
        first: span.start,
        starts: Vec::new(),
        tile_size,
        values: None,
    };
    if tiles.includes_offsets() {
        let mut tile = Cells::default();
        tiles.var_cells(slice.tile, cells, &mut tile)?;
        offsets.starts = tile.starts;
        offsets.first = 0;
        offsets.values = Some(tile.data);
    } else {
        tiles.starts(slice.tile, cells, span, &mut offsets.starts)?;
    }
    Ok(offsets)
}
