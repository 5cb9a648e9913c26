//! Which cells of a dense result a condition selects.
//!
//! Tiles that their statistics rule out are not fetched, neither for the condition nor for what is read. Cells that nobody
//! wrote are left as they are, with the fill values that they have anyway.

use std::sync::Arc;

use super::columns::{Column, with_columns};
use super::fields::{AttributeRead, ReadField};
use super::plan::Plan;
use super::result_run::ResultBox;
use super::tile_tasks::{TileSlice, TileTask};
use crate::condition::{BoundCondition, FieldStatistics, TileMatch};
use crate::context::Context;
use crate::error::{Result, try_vec};
use crate::tile::{CellsRef, SharedBytes};

/// How many jobs are planned before they run.
const JOBS: usize = 512;

/// A condition, and where its fields are.
#[derive(Debug)]
pub(super) struct Selector {
    condition: BoundCondition,
    fields: Vec<ReadField>,
}

/// The cells of a stretch that are selected: a byte for each.
#[derive(Debug)]
pub(super) struct CellMask(Vec<u8>);

impl CellMask {
    /// Whether a cell is selected.
    pub(super) fn has(&self, place: usize) -> bool {
        self.0[place] != 0
    }

    /// The bytes of a run of cells, 1 or 0 each.
    pub(super) fn run(&self, place: usize, len: usize) -> &[u8] {
        &self.0[place..place + len]
    }

    /// How much of a piece is selected.
    pub(super) fn of_piece(&self, piece: &TileSlice) -> TileMatch {
        let (mut any, mut all) = (0, 1);
        for walk in &piece.walks {
            let _: std::result::Result<(), ()> = walk.for_each_run(|_, place, len| {
                let (one, each) = self
                    .run(place, len)
                    .iter()
                    .fold((0, 1), |of, bit| (of.0 | bit, of.1 & bit));
                any |= one;
                all &= each;
                Ok(())
            });
        }
        match (any, all) {
            (0, _) => TileMatch::None,
            (_, 1) => TileMatch::All,
            _ => TileMatch::Some,
        }
    }
}

impl Selector {
    pub(super) fn new(plan: &Plan, condition: BoundCondition) -> Result<Self> {
        let names = condition.fields().iter();
        let fields =
            names.map(|name| ReadField::new(&plan.schema, name, plan.layers.len(), &plan.meter));
        Ok(Self {
            fields: fields.collect::<Result<_>>()?,
            condition,
        })
    }

    /// The selected ones of the `cells` cells of `parts`.
    pub(super) fn select(
        &self,
        context: &Context,
        plan: &Plan,
        parts: &[ResultBox],
        cells: usize,
    ) -> Result<CellMask> {
        let mut selected: Vec<u8> = try_vec("the cells of a condition", cells)?;
        let shared = SharedBytes::new(&mut selected);
        let run = |jobs: &[TileTask]| {
            context.for_each(jobs.len(), |at| {
                let job = &jobs[at];
                let mut pieces = job.pieces.iter();
                pieces.try_for_each(|piece| self.select_piece(plan, job, piece, shared))
            })
        };
        plan.for_each_batch(parts, JOBS, run)?;
        Ok(CellMask(selected))
    }

    fn select_piece(
        &self,
        plan: &Plan,
        job: &TileTask,
        piece: &TileSlice,
        selected: SharedBytes<'_>,
    ) -> Result<()> {
        let mut bits = Vec::new();
        let verdict = match piece.fragment {
            Some(_) => self.evaluate(plan, job, piece, &mut bits)?,
            None => TileMatch::All,
        };
        let first = piece.span().0;
        for walk in &piece.walks {
            let (walk, bits) = match verdict {
                TileMatch::None => continue,
                TileMatch::All => (walk.broadcast(), &[1][..]),
                TileMatch::Some => (walk.clone().shifted(first), &bits[..]),
            };
            // SAFETY: each cell of the result belongs to one piece, and each piece to one call.
            #[expect(unsafe_code, reason = "threads fill one bitmap, each its own cells")]
            unsafe {
                walk.copy(1, bits, selected);
            }
        }
        Ok(())
    }

    /// How much of a piece of a fragment is selected. Where that is some of it, `bits` has a byte for each cell of its
    /// span.
    pub(super) fn evaluate(
        &self,
        plan: &Plan,
        job: &TileTask,
        piece: &TileSlice,
        bits: &mut Vec<u8>,
    ) -> Result<TileMatch> {
        with_columns(self.fields.len(), |columns| {
            self.evaluate_in(plan, job, piece, columns, bits)
        })
    }

    /// The same; where the answer is "some", `columns` hold the fields of the condition then.
    pub(super) fn evaluate_in(
        &self,
        plan: &Plan,
        job: &TileTask,
        piece: &TileSlice,
        columns: &mut [Column],
        bits: &mut Vec<u8>,
    ) -> Result<TileMatch> {
        match self.verdict(plan, job, piece)? {
            TileMatch::Some => {}
            known => return Ok(known),
        }
        let span = piece.span();
        let cells = span.1 - span.0;
        for (column, field) in columns.iter_mut().zip(&self.fields) {
            column.load(plan, field, (job, piece), span, true)?;
        }
        let columns: Vec<CellsRef<'_>> = columns.iter().map(Column::as_ref).collect();
        bits.clear();
        bits.resize(cells, 1);
        self.condition.select(&columns, cells, bits);
        Ok(TileMatch::Some)
    }

    /// The number of fields that it looks at.
    pub(super) fn field_num(&self) -> usize {
        self.fields.len()
    }

    /// The place of an attribute among them.
    pub(super) fn column_of(&self, read: &AttributeRead) -> Option<usize> {
        let same = |field: &ReadField| matches!(field, ReadField::Attribute(own) if Arc::ptr_eq(&own.attribute, &read.attribute));
        self.fields.iter().position(same)
    }

    /// What statistics tell of the tile of a piece.
    fn verdict(&self, plan: &Plan, job: &TileTask, piece: &TileSlice) -> Result<TileMatch> {
        let cells = piece.cell_num;
        let mut coordinates = Vec::new();
        for field in &self.fields {
            coordinates.push(match field {
                ReadField::Dimension(dim) => tile_ends(plan, job, *dim),
                ReadField::Attribute(_) => Default::default(),
            });
        }
        let mut facts = Vec::with_capacity(self.fields.len());
        for (field, ends) in self.fields.iter().zip(&coordinates) {
            facts.push(match field {
                ReadField::Dimension(dim) => {
                    let size = plan.schema.domain.dimensions[*dim].datatype.size();
                    FieldStatistics {
                        ends: Some((&ends.0[..size], &ends.1[..size])),
                        null_count: Some(0),
                    }
                }
                ReadField::Attribute(read) => {
                    let Some(at) = piece.fragment else {
                        return Ok(TileMatch::Some);
                    };
                    match read.source(&plan.layers, at)? {
                        Some(source) => {
                            let fragment = &plan.layers[at].fragment;
                            FieldStatistics::of_tile(fragment, source.slot(), piece.tile)
                        }
                        None => FieldStatistics {
                            ends: None,
                            null_count: match (
                                read.attribute.nullable,
                                read.attribute.fill_validity,
                            ) {
                                (true, 0) => Some(cells),
                                _ => Some(0),
                            },
                        },
                    }
                }
            });
        }
        Ok(self.condition.verdict(&facts, cells))
    }
}

/// The first and the last coordinate of a job's tile.
fn tile_ends(plan: &Plan, job: &TileTask, dim: usize) -> ([u8; 8], [u8; 8]) {
    let (axis, low) = (&plan.grid.axes[dim], job.low[dim]);
    let dimension = &plan.schema.domain.dimensions[dim];
    let high = low.saturating_add(axis.extent - 1).min(axis.last);
    (
        axis.coordinate(dimension, low),
        axis.coordinate(dimension, high),
    )
}
