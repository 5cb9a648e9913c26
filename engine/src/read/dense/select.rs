//! Selects the cells of a dense result that satisfy a condition.
//!
//! Tiles that are ruled out by statistics are not fetched, neither for the condition nor for the
//! result. Cells that no fragment contains keep their fill values.

use std::sync::Arc;

use super::columns::{Column, with_columns};
use super::fields::{AttributeRead, ReadField, TileParts};
use super::plan::Plan;
use super::result::ResultBox;
use super::tile_tasks::{TileSlice, TileTask};
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
    pub(super) fields: Vec<ReadField>,
}

/// The selected cells of a run.
pub(super) enum SelectedCells<'a> {
    Everything,
    /// A byte per cell, 1 or 0, for variable-length cells, whose lengths are needed before copying.
    ByCell(Vec<u8>),
    /// A condition that is evaluated tile by tile.
    ByTile(&'a Selector),
}

impl SelectedCells<'_> {
    /// Returns the mask of the cells, if there is one.
    pub(super) fn mask(&self) -> Option<&[u8]> {
        match self {
            Self::ByCell(mask) => Some(mask),
            _ => None,
        }
    }
}

impl Selector {
    pub(super) fn new(plan: &Plan, condition: BoundCondition) -> Result<Self> {
        let names = condition.fields.iter();
        let fields = names.map(|name| ReadField::new(plan, name));
        Ok(Self {
            fields: fields.collect::<Result<_>>()?,
            condition,
        })
    }

    /// Returns the attributes that the condition compares.
    pub(super) fn attributes(&self) -> impl Iterator<Item = &AttributeRead> {
        self.fields.iter().filter_map(ReadField::attribute)
    }

    /// Returns a byte for each of the `cells` cells of `boxes`, 1 if the cell is selected.
    pub(super) fn select(
        &self,
        context: &Context,
        plan: &Plan,
        boxes: &[ResultBox],
        cells: usize,
    ) -> Result<Vec<u8>> {
        let mut selected: Vec<u8> = try_vec("the cells of a condition", cells)?;
        let shared = share_with_tasks(&mut selected);
        let announced: Vec<_> = self
            .attributes()
            .map(|read| (read, TileParts::All))
            .collect();
        let size: usize = self.attributes().map(|read| read.cell_size).sum();
        plan.for_each_batch(boxes, SELECT_TASKS, |tasks| {
            plan.for_each_announced(tasks, &announced, |_, group| {
                let bytes = TileTask::read_bytes(group, size);
                context.for_each_sized(bytes, group.len(), |index| {
                    let task = &group[index];
                    let mut slices = task.slices.iter();
                    slices.try_for_each(|slice| self.select_slice(plan, &task.low, slice, shared))
                })
            })
        })?;
        Ok(selected)
    }

    fn select_slice(
        &self,
        plan: &Plan,
        low: &[u64],
        slice: &TileSlice,
        selected: SharedBytes<'_>,
    ) -> Result<()> {
        let selection = match slice.view {
            Some(_) => self.evaluate(plan, low, slice)?,
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
    /// the first to the last of the slice. The first cell of the space tile is at `low`.
    pub(super) fn evaluate(
        &self,
        plan: &Plan,
        low: &[u64],
        slice: &TileSlice,
    ) -> Result<Selection> {
        with_columns(self.fields.len(), |columns| {
            self.evaluate_in(plan, low, slice, columns)
        })
    }

    /// Returns the selected cells of a slice like [`Self::evaluate`]. If they are a mask, `columns`
    /// contain the fields of the condition afterwards.
    pub(super) fn evaluate_in(
        &self,
        plan: &Plan,
        low: &[u64],
        slice: &TileSlice,
        columns: &mut [Column],
    ) -> Result<Selection> {
        match self.tile_match(plan, low, slice)? {
            Match::None => return Ok(Selection::None),
            Match::All => return Ok(Selection::All),
            Match::Some => {}
        }
        let span = slice.span();
        let cells = span.len();
        for (column, field) in columns.iter_mut().zip(&self.fields) {
            column.load(plan, field, low, slice, span.clone(), true)?;
        }
        let columns: Vec<CellsRef<'_>> = columns.iter().map(Column::as_ref).collect();
        let mut mask = full_mask(cells)?;
        self.condition.select(&columns, cells, &mut mask);
        Ok(Selection::Mask(mask))
    }

    /// Returns the index of an attribute among the fields of the condition.
    pub(super) fn column_of(&self, read: &AttributeRead) -> Option<usize> {
        self.fields.iter().position(|field| match field {
            ReadField::Attribute(other) => Arc::ptr_eq(&other.attribute, &read.attribute),
            _ => false,
        })
    }

    /// Evaluates the condition on the statistics of the tile of a slice.
    pub(super) fn tile_match(&self, plan: &Plan, low: &[u64], slice: &TileSlice) -> Result<Match> {
        let cells = slice.cell_num;
        let mut coordinates = Vec::new();
        for field in &self.fields {
            coordinates.push(match field {
                ReadField::Dimension(dim) => tile_min_max(plan, low, *dim),
                ReadField::Attribute(_) | ReadField::Coordinates => Default::default(),
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
                // Conditions have no fields of this kind.
                ReadField::Coordinates => return Ok(Match::Some),
                ReadField::Attribute(read) => {
                    let Some(view) = slice.view else {
                        return Ok(Match::Some);
                    };
                    match read.in_view(plan, view)? {
                        Some(tiles) => FieldStatistics::of_tile(tiles, slice.tile),
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
