//! Selects the cells of a dense result that satisfy a condition.
//!
//! Tiles that are ruled out by statistics are not fetched, neither for the condition nor for the
//! result. Cells that no fragment contains keep their fill values.

use std::sync::Arc;

use super::announce::AnnouncedField;
use super::columns::{Column, with_columns};
use super::fields::{AttributeRead, ReadField, StoredAttribute};
use super::plan::Plan;
use super::result::ResultBox;
use super::tile_tasks::{TaskSlice, TileSlice, TileTask};
use crate::condition::{BoundCondition, FieldStatistics};
use crate::context::Context;
use crate::error::{Result, try_vec};
use crate::memory::tuning::SELECT_TASKS;
use crate::read::filled_buffers::share_with_tasks;
use crate::read::selection::{Selection, full_mask};
use crate::tile::{CellsRef, SharedBytes};
use crate::types::Match;

/// A condition and the fields it compares.
#[derive(Debug)]
pub(super) struct Selector {
    condition: BoundCondition,
    fields: Vec<ReadField>,
}

/// The selected cells of a run of the result: one byte per cell.
#[derive(Debug)]
pub(super) struct CellMask(Vec<u8>);

/// The selected cells of a run.
pub(super) enum SelectedCells<'a> {
    Everything,
    /// A mask, for variable-length cells, whose lengths are needed before copying.
    ByCell(CellMask),
    /// A condition that is evaluated tile by tile.
    ByTile(&'a Selector),
}

impl SelectedCells<'_> {
    /// Returns the mask of the cells, if there is one.
    pub(super) fn mask(&self) -> Option<&CellMask> {
        match self {
            Self::ByCell(mask) => Some(mask),
            _ => None,
        }
    }
}

impl CellMask {
    /// Returns whether a cell is selected.
    pub(super) fn has(&self, cell: usize) -> bool {
        self.0[cell] != 0
    }

    /// Returns the bytes of a run of cells, 1 or 0 each.
    pub(super) fn run(&self, first: usize, len: usize) -> &[u8] {
        &self.0[first..first + len]
    }

    /// Returns how much of a slice is selected.
    pub(super) fn of_slice(&self, slice: &TileSlice) -> Match {
        let (mut any, mut all) = (0, 1);
        for strided in &slice.copies {
            strided.for_each_run(|run| {
                let (one, each) = self
                    .run(run.to, run.len)
                    .iter()
                    .fold((0, 1), |(one, each), bit| (one | bit, each & bit));
                any |= one;
                all &= each;
            });
        }
        match (any, all) {
            (0, _) => Match::None,
            (_, 1) => Match::All,
            _ => Match::Some,
        }
    }
}

impl Selector {
    pub(super) fn new(plan: &Plan, condition: BoundCondition) -> Result<Self> {
        let names = condition.fields().iter();
        let fields =
            names.map(|name| ReadField::new(&plan.schema, name, plan.views.len(), &plan.meter));
        Ok(Self {
            fields: fields.collect::<Result<_>>()?,
            condition,
        })
    }

    /// Returns the attributes that the condition compares.
    pub(super) fn attributes(&self) -> impl Iterator<Item = &AttributeRead> {
        self.fields.iter().filter_map(ReadField::attribute)
    }

    /// Selects among the `cells` cells of `boxes`.
    pub(super) fn select(
        &self,
        context: &Context,
        plan: &Plan,
        boxes: &[ResultBox],
        cells: usize,
    ) -> Result<CellMask> {
        let mut selected: Vec<u8> = try_vec("the cells of a condition", cells)?;
        let shared = share_with_tasks(&mut selected);
        let announced: Vec<_> = self.attributes().map(AnnouncedField::all).collect();
        let size: usize = self.attributes().map(|read| read.cell_size).sum();
        plan.for_each_batch(boxes, SELECT_TASKS, |tasks| {
            plan.for_each_announced(tasks, &announced, |_, group| {
                let bytes = TileTask::read_bytes(group, size);
                context.for_each_sized(bytes, group.len(), |index| {
                    let mut slices = group[index].slices();
                    slices.try_for_each(|slice| self.select_slice(plan, slice, shared))
                })
            })
        })?;
        Ok(CellMask(selected))
    }

    fn select_slice(
        &self,
        plan: &Plan,
        task_slice: TaskSlice<'_>,
        selected: SharedBytes<'_>,
    ) -> Result<()> {
        let slice = task_slice.slice;
        let selection = match slice.view {
            Some(_) => self.evaluate(plan, task_slice)?,
            None => Selection::All,
        };
        let first = slice.span().start;
        for strided in &slice.copies {
            let (strided, bits) = match &selection {
                Selection::Mask(mask) => (strided.clone().shifted(first), &mask[..]),
                Selection::All => (strided.broadcast(), &[1][..]),
                _ => continue,
            };
            strided.copy(1, bits, selected);
        }
        selection.recycle();
        Ok(())
    }

    /// Returns the selected cells of a slice of a fragment: all, none, or a mask of the cells from
    /// the first to the last of the slice.
    pub(super) fn evaluate(&self, plan: &Plan, task_slice: TaskSlice<'_>) -> Result<Selection> {
        with_columns(self.fields.len(), |columns| {
            self.evaluate_in(plan, task_slice, columns)
        })
    }

    /// Returns the selected cells of a slice like [`Self::evaluate`]. If they are a mask, `columns`
    /// contain the fields of the condition afterwards.
    pub(super) fn evaluate_in(
        &self,
        plan: &Plan,
        task_slice: TaskSlice<'_>,
        columns: &mut [Column],
    ) -> Result<Selection> {
        match self.tile_match(plan, task_slice)? {
            Match::None => return Ok(Selection::None),
            Match::All => return Ok(Selection::All),
            Match::Some => {}
        }
        let span = task_slice.slice.span();
        let cells = span.len();
        for (column, field) in columns.iter_mut().zip(&self.fields) {
            column.load(plan, field, task_slice, span.clone(), true)?;
        }
        let columns: Vec<CellsRef<'_>> = columns.iter().map(Column::as_ref).collect();
        let mut mask = full_mask(cells)?;
        self.condition.select(&columns, cells, &mut mask);
        Ok(Selection::Mask(mask))
    }

    /// Returns the number of fields of the condition.
    pub(super) fn field_num(&self) -> usize {
        self.fields.len()
    }

    /// Returns the index of an attribute among the fields of the condition.
    pub(super) fn column_of(&self, read: &AttributeRead) -> Option<usize> {
        self.fields.iter().position(|field| match field {
            ReadField::Attribute(other) => Arc::ptr_eq(&other.attribute, &read.attribute),
            _ => false,
        })
    }

    /// Evaluates the condition on the statistics of the tile of a slice.
    pub(super) fn tile_match(&self, plan: &Plan, task_slice: TaskSlice<'_>) -> Result<Match> {
        let slice = task_slice.slice;
        let cells = slice.cell_num;
        let mut coordinates = Vec::new();
        for field in &self.fields {
            coordinates.push(match field {
                ReadField::Dimension(dim) => tile_min_max(plan, task_slice.low, *dim),
                ReadField::Attribute(_) => Default::default(),
            });
        }
        let mut statistics = Vec::with_capacity(self.fields.len());
        for (field, min_max) in self.fields.iter().zip(&coordinates) {
            statistics.push(match field {
                ReadField::Dimension(dim) => {
                    let size = plan.schema.domain.dimensions[*dim].datatype.size();
                    FieldStatistics {
                        min_max: Some((&min_max.0[..size], &min_max.1[..size])),
                        null_count: Some(0),
                    }
                }
                ReadField::Attribute(read) => {
                    let Some(view) = slice.view else {
                        return Ok(Match::Some);
                    };
                    match read.in_view(plan, view)? {
                        Some(StoredAttribute { fragment, tiles }) => {
                            let slot = tiles.statistics_slot();
                            let of_tile =
                                |slot| FieldStatistics::of_tile(fragment, slot, slice.tile);
                            slot.map_or(FieldStatistics::UNKNOWN, of_tile)
                        }
                        None => FieldStatistics::of_fill_value(read.fill_value(), cells),
                    }
                }
            });
        }
        Ok(self.condition.tile_match(&statistics, cells))
    }
}

/// Returns the first and the last coordinate of the tile whose first cell is at `low`.
fn tile_min_max(plan: &Plan, low: &[u64], dim: usize) -> ([u8; 8], [u8; 8]) {
    let (axis, low) = (&plan.grid.axes[dim], low[dim]);
    let dimension = &plan.schema.domain.dimensions[dim];
    let high = low.saturating_add(axis.extent - 1).min(axis.last);
    (
        axis.coordinate(dimension, low),
        axis.coordinate(dimension, high),
    )
}
