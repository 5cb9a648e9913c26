//! Explanations of reads: the plan, and what happened so far.
//!
//! The plan is computed from metadata when it is requested. What happened comes from the statistics
//! of the query, which are recorded anyway.

mod hints;
mod report;

use super::fields;
use super::query::{CellRead, Query, ReadWork};
use super::request::QueryRequest;
use crate::error::{EstimateError, Result};
use crate::read::{ReadSurvey, TileUse};
use crate::schema::ArraySchema;
use crate::stats::{Counter, Timer};
use crate::types::{QueryStatus, QueryType};

pub use report::{Explanation, ReadOutcome};

/// The stages of a read and their names.
const STAGES: [(Timer, &str); 14] = [
    (Timer::InitState, "planning"),
    (Timer::Work, "reading in total"),
    (Timer::CreateResultTiles, "selecting and ordering cells"),
    (Timer::ApplyCondition, "evaluating the condition"),
    (Timer::CopyOffsetTiles, "reading offsets"),
    (Timer::CopyFixedTiles, "copying fixed-size cells"),
    (Timer::CopyVarTiles, "copying variable-length cells"),
    (Timer::ProcessTiles, "copying cells"),
    (Timer::ProcessSlabs, "copying merged cells"),
    (Timer::ProcessAggregates, "computing aggregates"),
    (
        Timer::ReadAttributeTiles,
        "storage of attributes, all threads",
    ),
    (
        Timer::ReadCoordinateTiles,
        "storage of coordinates, all threads",
    ),
    (
        Timer::UnfilterAttributeTiles,
        "decoding attributes, all threads",
    ),
    (
        Timer::UnfilterCoordinateTiles,
        "decoding coordinates, all threads",
    ),
];

impl Query {
    /// Explains a read: its plan, and what the submits have done so far. `names` are the fields to
    /// explain before the first submit; if it is empty, the fields of the aggregates, or else all
    /// attributes. Labels are left out: they are read from arrays of their own.
    ///
    /// The query is not started. The metadata of all tiles in the ranges is read.
    ///
    /// # Errors
    /// If the query is not a read, or a submit would fail.
    pub fn explain(&self, names: &[&str]) -> Result<Explanation> {
        if self.request.query_type != QueryType::Read {
            return Err(EstimateError::NotARead.into());
        }
        self.check_open()?;
        let (read_names, survey) = match self.state.cells() {
            Some(CellRead::Open { names, read }) if !names.is_empty() => {
                (names.clone(), self.request.survey(read)?)
            }
            _ => {
                let names = self.request.explained_fields(names);
                let read: Vec<&str> = names.iter().map(String::as_str).collect();
                let survey = self.request.survey(&self.request.planned(&read)?)?;
                (names, survey)
            }
        };
        let condition = self.request.bound_condition()?;
        let mut explanation = Explanation {
            uri: self.request.array.uri.to_string(),
            reader: reader(self.request.schema(), &survey),
            order: self.request.layout,
            fields: read_names,
            condition_fields: condition.map_or_else(Vec::new, |condition| condition.fields),
            budget: self.request.config.memory_budget()?.limit_bytes(),
            survey,
            outcome: (self.submits.number > 0).then(|| self.outcome()),
            hints: Vec::new(),
        };
        explanation.hints = hints::hints(&explanation, self.request.schema());
        Ok(explanation)
    }

    /// Returns what the read of the last submit does with each tile, by fragment of the open array.
    /// Before the first submit, `names` are the fields as in [`explain`](Query::explain).
    ///
    /// # Errors
    /// If the query is not a read, or a submit would fail.
    pub fn tile_uses(&self, names: &[&str]) -> Result<Vec<Vec<TileUse>>> {
        if self.request.query_type != QueryType::Read {
            return Err(EstimateError::NotARead.into());
        }
        self.check_open()?;
        let planned;
        let read = match self.state.cells() {
            Some(CellRead::Open { names, read }) if !names.is_empty() => read,
            _ => {
                let names = self.request.explained_fields(names);
                planned = self
                    .request
                    .planned(&names.iter().map(String::as_str).collect::<Vec<_>>())?;
                &planned
            }
        };
        match read {
            ReadWork::Dense(read) => read.tile_uses(&self.request.snapshot.fragments),
            ReadWork::Sparse(read) => read.tile_uses(),
        }
    }

    fn outcome(&self) -> ReadOutcome {
        let stats = &self.stats;
        let times = STAGES
            .iter()
            .map(|(timer, name)| (*name, stats.total(*timer)));
        let without_results = match self.state.cells() {
            Some(CellRead::Open {
                read: ReadWork::Sparse(read),
                ..
            }) => read.tiles_without_results(),
            _ => 0,
        };
        ReadOutcome {
            is_complete: self.status() == QueryStatus::Completed,
            submits: self.submits.number,
            cells: stats.count(Counter::Results),
            tiles: stats.count(Counter::TilesRead),
            tiles_without_results: without_results,
            stored_bytes: self.submits.stored_bytes,
            requests: self.submits.requests,
            decoded_bytes: stats.count(Counter::UnfilteredBytes),
            returned_bytes: self.submits.returned_bytes,
            times: times.filter(|(_, time)| !time.is_zero()).collect(),
        }
    }
}

/// Returns the name of the reader and its strategy.
fn reader(schema: &ArraySchema, survey: &ReadSurvey) -> &'static str {
    match (schema.is_dense(), survey.is_merged, schema.allows_dups) {
        (true, ..) => "dense: tile by tile, the newest fragment for each cell",
        (false, false, _) => "sparse: tile by tile, cells are not compared",
        (false, true, false) => {
            "sparse: cells of tiles that overlap are ordered, hidden ones removed"
        }
        (false, true, true) => "sparse: cells of tiles that overlap are ordered",
    }
}

impl QueryRequest {
    fn survey(&self, read: &ReadWork) -> Result<ReadSurvey> {
        match read {
            ReadWork::Dense(read) => read.survey(&self.snapshot.fragments),
            ReadWork::Sparse(read) => read.survey(),
        }
    }

    /// Returns the fields that are explained before the first submit.
    fn explained_fields(&self, names: &[&str]) -> Vec<String> {
        let schema = self.schema();
        let cells: Vec<String> = names
            .iter()
            .filter(|name| {
                self.aggregate(name).is_none()
                    && schema.label(name).is_none()
                    && fields::shape_of(schema, name).is_some()
            })
            .map(|name| (*name).to_owned())
            .collect();
        if !cells.is_empty() {
            return cells;
        }
        let mut aggregated: Vec<String> = self
            .aggregates
            .iter()
            .filter_map(|named| named.aggregate.field().map(|field| field.name.clone()))
            .collect();
        aggregated.dedup();
        if !aggregated.is_empty() {
            return aggregated;
        }
        schema
            .attributes
            .iter()
            .map(|attribute| attribute.name.clone())
            .collect()
    }
}
