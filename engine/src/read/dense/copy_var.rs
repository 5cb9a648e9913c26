//! Copies variable-length cells: first the length of each cell, then the bytes of as many as fit.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::fields::AttributeRead;
use super::plan::Plan;
use super::result_run::ResultBox;
use super::select::CellMask;
use super::tile_tasks::{TileSlice, TileTask};
use crate::condition::TileMatch;
use crate::context::Context;
use crate::error::{Result, try_vec};
use crate::fragment::{FieldTiles, FilePart, Fragment};
use crate::read::outputs::share_with_tasks;
use crate::tile::{Cells, SharedBytes, TileWorkspace};

/// The offsets of the cells of a slice, and the end of the last one.
#[derive(Debug)]
struct Offsets {
    first: usize,
    ends: Vec<u64>,
    tile_size: usize,
    /// The values of the tile, if they were loaded with the offsets.
    values: Option<Vec<u8>>,
}

impl Offsets {
    fn memory(&self) -> u64 {
        let values = self.values.as_ref().map_or(0, Vec::capacity);
        (8 * self.ends.capacity() + values) as u64
    }
}

/// The offsets of a slice, from loading the lengths of cells to copying their values.
#[derive(Debug)]
enum SliceOffsets {
    /// No fragment contains the cells, or none is selected.
    Fill,
    InMemory(Offsets),
    /// They are loaded again, since the others need all memory. In a run that crosses many tiles,
    /// such as a column, the offsets of all of them are much larger than the result.
    Dropped,
}

/// A run of cells of a variable-length field.
#[derive(Debug)]
pub(super) struct VarRun {
    tasks: Vec<TileTask>,
    /// By task and slice.
    offsets: Vec<OnceLock<Vec<SliceOffsets>>>,
    /// The start of each cell in the values of the run, and the end of the last one.
    starts: Vec<u64>,
}

/// The size of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunLimits {
    /// The number of its cells.
    pub(super) cells: usize,
    /// The maximum number of bytes of offsets that stay in memory until values are copied.
    pub(super) max_bytes: u64,
}

impl VarRun {
    /// Loads the offsets of the cells of `parts`.
    pub(super) fn new(
        context: &Context,
        plan: &Plan,
        read: &AttributeRead,
        parts: &[ResultBox],
        selected: Option<&CellMask>,
        limits: RunLimits,
    ) -> Result<Self> {
        let RunLimits { cells, max_bytes } = limits;
        let mut tasks = Vec::new();
        for part in parts {
            plan.for_each_task(part, |task| {
                tasks.push(task);
                Ok(())
            })?;
        }
        plan.announce(&tasks, &[read])?;
        let offsets: Vec<OnceLock<_>> = tasks.iter().map(|_| OnceLock::new()).collect();
        let mut lens: Vec<u8> = try_vec("offsets", cells * 8)?;
        let shared = share_with_tasks(&mut lens);
        let bytes = AtomicU64::new(0);
        let in_memory = |offsets: Option<Offsets>| match offsets {
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
        context.for_each(tasks.len(), |index| {
            let found: Result<Vec<_>> = tasks[index]
                .slices
                .iter()
                .map(|slice| measure(plan, read, slice, selected, shared).map(in_memory))
                .collect();
            let _ = offsets[index].set(found?);
            Ok(())
        })?;
        let mut starts = Vec::with_capacity(cells + 1);
        let mut start = 0u64;
        starts.extend(lens.as_chunks().0.iter().map(|len| {
            let before = start;
            start = start.saturating_add(u64::from_le_bytes(*len));
            before
        }));
        starts.push(start);
        Ok(Self {
            tasks,
            offsets,
            starts,
        })
    }

    /// Returns the number of cells whose values have at most `bytes` bytes.
    pub(super) fn fitting(&self, bytes: u64) -> u64 {
        self.starts.partition_point(|start| *start <= bytes) as u64 - 1
    }

    /// Returns the starts of the first `cells` cells in the values of the run.
    pub(super) fn starts(&self, cells: usize) -> &[u64] {
        &self.starts[..cells]
    }

    /// Returns the start of a cell in the values of the run.
    pub(super) fn start(&self, cell: usize) -> u64 {
        self.starts[cell]
    }

    /// Copies the values of the first `cells` cells.
    pub(super) fn copy(
        &self,
        context: &Context,
        plan: &Plan,
        read: &AttributeRead,
        cells: usize,
        selected: Option<&CellMask>,
        to: SharedBytes<'_>,
    ) -> Result<()> {
        context.for_each(self.tasks.len(), |index| {
            let offsets = self.offsets[index].get().map_or(&[][..], |offsets| offsets);
            self.tasks[index]
                .slices
                .iter()
                .zip(offsets)
                .try_for_each(|(slice, offsets)| {
                    let source = slice
                        .fragment
                        .map(|index| read.source(&plan.views, index))
                        .transpose()?
                        .flatten();
                    let (Some(source), Some(index)) = (source, slice.fragment) else {
                        self.fill_slice(slice, &read.attribute.fill_value, cells, to);
                        return Ok(());
                    };
                    let fragment = &plan.views[index].fragment;
                    let reloaded;
                    let offsets = match offsets {
                        SliceOffsets::InMemory(offsets) => offsets,
                        SliceOffsets::Dropped => {
                            reloaded = load(fragment, source, slice)?;
                            &reloaded
                        }
                        SliceOffsets::Fill => {
                            self.fill_slice(slice, &read.attribute.fill_value, cells, to);
                            return Ok(());
                        }
                    };
                    self.copy_slice(
                        slice,
                        (fragment, source),
                        offsets,
                        cells,
                        selected.map(|selected| (selected, &read.attribute.fill_value[..])),
                        to,
                    )
                })
        })
    }

    fn copy_slice(
        &self,
        slice: &TileSlice,
        (fragment, source): (&Fragment, &FieldTiles),
        offsets: &Offsets,
        cells: usize,
        selected: Option<(&CellMask, &[u8])>,
        to: SharedBytes<'_>,
    ) -> Result<()> {
        let (Some(first), Some(last)) = (offsets.ends.first(), offsets.ends.last()) else {
            return Ok(());
        };
        let span = *first as usize..*last as usize;
        let mut read = Vec::new();
        let values = match &offsets.values {
            Some(values) => &values[span.clone()],
            None => {
                let size = offsets.tile_size;
                source.with_tile(fragment, FilePart::Var, slice.tile, size, |tile| {
                    TileWorkspace::with(|scratch| tile.read_span(span.clone(), scratch, &mut read))
                })?;
                &read[..]
            }
        };
        for strided in &slice.copies {
            let _: std::result::Result<(), ()> = strided.for_each_run(|from, position, len| {
                if position >= cells {
                    return Ok(());
                }
                let len = len.min(cells - position);
                let from = from - offsets.first;
                if let Some((selected, fill)) = selected {
                    for cell in 0..len {
                        let bytes = if selected.has(position + cell) {
                            let ends = &offsets.ends[from + cell..from + cell + 2];
                            &values[ends[0] as usize - span.start..ends[1] as usize - span.start]
                        } else {
                            fill
                        };
                        let start = self.starts[position + cell] as usize;
                        to.write(start, bytes);
                    }
                    return Ok(());
                }
                let bytes = &values[offsets.ends[from] as usize - span.start
                    ..offsets.ends[from + len] as usize - span.start];
                to.write(self.starts[position] as usize, bytes);
                Ok(())
            });
        }
        Ok(())
    }

    fn fill_slice(&self, slice: &TileSlice, fill: &[u8], cells: usize, to: SharedBytes<'_>) {
        for strided in &slice.copies {
            let _: std::result::Result<(), ()> = strided.for_each_run(|_, position, len| {
                for cell in position..cells.min(position + len) {
                    to.write(self.starts[cell] as usize, fill);
                }
                Ok(())
            });
        }
    }
}

/// Loads the offsets of a slice and records the length of each cell.
fn measure(
    plan: &Plan,
    read: &AttributeRead,
    slice: &TileSlice,
    selected: Option<&CellMask>,
    lens: SharedBytes<'_>,
) -> Result<Option<Offsets>> {
    let share = selected.map_or(TileMatch::All, |selected| selected.of_slice(slice));
    let source = slice
        .fragment
        .filter(|_| share != TileMatch::None)
        .map(|view_index| read.source(&plan.views, view_index))
        .transpose()?
        .flatten();
    let (Some(view_index), Some(source)) = (slice.fragment, source) else {
        let len = read.attribute.fill_value.len() as u64;
        for strided in &slice.copies {
            strided.broadcast().copy(8, &len.to_le_bytes(), lens);
        }
        return Ok(None);
    };
    let offsets = load(&plan.views[view_index].fragment, source, slice)?;
    let selected = selected.filter(|_| share == TileMatch::Some);
    let fill_len = read.attribute.fill_value.len() as u64;
    for strided in &slice.copies {
        let _: std::result::Result<(), ()> = strided.for_each_run(|from, position, len| {
            let to = lens.part(position * 8, len * 8);
            let from = from - offsets.first;
            for (cell, (to, ends)) in to
                .chunks_exact_mut(8)
                .zip(offsets.ends[from..=from + len].windows(2))
                .enumerate()
            {
                let len = if selected.is_none_or(|selected| selected.has(position + cell)) {
                    ends[1] - ends[0]
                } else {
                    fill_len
                };
                to.copy_from_slice(&len.to_le_bytes());
            }
            Ok(())
        });
    }
    Ok(Some(offsets))
}

/// Returns the offsets from the first to the last cell of a slice, after checking that they ascend
/// and are inside the tile.
fn load(fragment: &Fragment, source: &FieldTiles, slice: &TileSlice) -> Result<Offsets> {
    let tile_size = source.var_size(fragment, slice.tile)?;
    let cells = usize::try_from(slice.cell_num).unwrap_or(usize::MAX);
    let (first, last) = slice.span();
    let mut offsets = Offsets {
        first,
        ends: Vec::new(),
        tile_size,
        values: None,
    };
    if source.includes_offsets() {
        let mut tile = Cells::default();
        source.cells_with_offsets(fragment, slice.tile, cells, &mut tile)?;
        offsets.ends = tile.starts;
        offsets.first = 0;
        offsets.values = Some(tile.data);
    } else {
        source.starts(fragment, slice.tile, cells, first..last, &mut offsets.ends)?;
    }
    Ok(offsets)
}
