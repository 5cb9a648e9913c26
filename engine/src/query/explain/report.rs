//! The parts of an explanation, as text and as JSON.

use std::fmt;
use std::time::Duration;

use crate::read::ReadSurvey;
use crate::types::Layout;
use serde_json::{Map, Value, json};

/// Returns a number with separators of thousands.
pub(super) fn number_text(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a number of bytes with a unit.
pub(super) fn bytes_text(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if bytes < 1024 {
        return format!("{bytes} bytes");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

impl Explanation {
    /// Returns the explanation as JSON. Bytes and cells are numbers, times are in seconds.
    pub fn to_json(&self) -> String {
        let survey = &self.survey;
        let outcome = self.outcome.as_ref().map(outcome_json);
        let value = json!({
            "array": self.uri,
            "reader": self.reader,
            "order": self.order.name(),
            "fields": self.fields,
            "condition_fields": self.condition_fields,
            "memory_budget": self.budget,
            "plan": {
                "fragments": survey.fragments,
                "fragments_read": survey.read_fragments,
                "tiles": survey.tiles,
                "tiles_outside_ranges": survey.tiles_outside,
                "tiles_hidden": survey.tiles_hidden,
                "tiles_excluded_by_statistics": survey.tiles_excluded,
                "tiles_read": survey.read_tiles,
                "tiles_cut_by_ranges": survey.cut_tiles,
                "cells_in_tiles_read": survey.read_cells,
                "cells_requested": survey.requested_cells,
                "stored_bytes": survey.stored_bytes,
                "decoded_bytes": survey.decoded_bytes,
                "memory": survey.memory,
            },
            "outcome": outcome,
            "hints": self.hints,
        });
        format!("{value:#}")
    }

    fn write_plan(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let survey = &self.survey;
        let number = number_text;
        writeln!(f, "array      {}", self.uri)?;
        writeln!(f, "reader     {}", self.reader)?;
        writeln!(f, "order      {}", self.order.name())?;
        writeln!(f, "fields     {}", self.fields.join(", "))?;
        if !self.condition_fields.is_empty() {
            writeln!(f, "condition  on {}", self.condition_fields.join(", "))?;
        }
        writeln!(
            f,
            "fragments  {} of {} are read",
            number(survey.read_fragments),
            number(survey.fragments)
        )?;
        writeln!(
            f,
            "tiles      {} of {} are read, {} of them cut by the ranges",
            number(survey.read_tiles),
            number(survey.tiles),
            number(survey.cut_tiles)
        )?;
        let others = [
            (survey.tiles_outside, "outside of the ranges"),
            (survey.tiles_hidden, "hidden by newer fragments"),
            (survey.tiles_excluded, "excluded by statistics"),
        ];
        for (tiles, reason) in others.iter().filter(|(tiles, _)| *tiles > 0) {
            writeln!(f, "           {} {reason}", number(*tiles))?;
        }
        writeln!(
            f,
            "cells      {} in these tiles{}",
            number(survey.read_cells),
            survey.requested_cells.map_or_else(String::new, |cells| {
                format!(", {} requested", number(cells))
            })
        )?;
        writeln!(
            f,
            "bytes      {} stored, {} decoded",
            bytes_text(survey.stored_bytes),
            bytes_text(survey.decoded_bytes)
        )?;
        writeln!(
            f,
            "memory     {} for tiles of a budget of {}",
            bytes_text(survey.memory),
            bytes_text(self.budget)
        )
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_plan(f)?;
        if let Some(outcome) = &self.outcome {
            write_outcome(outcome, f)?;
        }
        for hint in &self.hints {
            writeln!(f, "hint       {hint}")?;
        }
        Ok(())
    }
}

fn outcome_json(outcome: &ReadOutcome) -> Value {
    let times = outcome
        .times
        .iter()
        .map(|(name, time)| ((*name).to_owned(), Value::from(time.as_secs_f64())));
    json!({
        "complete": outcome.is_complete,
        "submits": outcome.submits,
        "cells": outcome.cells,
        "field_tiles_decoded": outcome.tiles,
        "tiles_without_results": outcome.tiles_without_results,
        "stored_bytes": outcome.stored_bytes,
        "requests": outcome.requests,
        "decoded_bytes": outcome.decoded_bytes,
        "returned_bytes": outcome.returned_bytes,
        "seconds": times.collect::<Map<_, _>>(),
    })
}

fn write_outcome(outcome: &ReadOutcome, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let number = number_text;
    let state = if outcome.is_complete {
        "complete"
    } else {
        "incomplete"
    };
    writeln!(
        f,
        "result     {state}: {} cells in {} submits",
        number(outcome.cells),
        number(outcome.submits)
    )?;
    writeln!(
        f,
        "read       {} in {} requests",
        bytes_text(outcome.stored_bytes),
        number(outcome.requests)
    )?;
    writeln!(
        f,
        "decoded    {} in {} tiles of fields",
        bytes_text(outcome.decoded_bytes),
        number(outcome.tiles)
    )?;
    if outcome.tiles_without_results > 0 {
        let tiles = number(outcome.tiles_without_results);
        writeln!(f, "           {tiles} tiles had no selected cell")?;
    }
    writeln!(f, "returned   {}", bytes_text(outcome.returned_bytes))?;
    for (name, time) in &outcome.times {
        writeln!(f, "{:>9.3} s {name}", time.as_secs_f64())?;
    }
    Ok(())
}

/// The plan of a read, and what happened so far.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explanation {
    /// The URI of the array.
    pub uri: String,
    /// The reader and its strategy.
    pub reader: &'static str,
    /// The order of the result.
    pub order: Layout,
    /// The fields that are read.
    pub fields: Vec<String>,
    /// The fields that the condition compares; empty without a condition.
    pub condition_fields: Vec<String>,
    /// The memory budget in bytes.
    pub budget: u64,
    /// The tiles that are considered and excluded.
    pub survey: ReadSurvey,
    /// The work that was done; `None` before the first submit.
    pub outcome: Option<ReadOutcome>,
    /// Suggestions, in sentences with numbers.
    pub hints: Vec<String>,
}

/// The work of all submits of a read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOutcome {
    /// Whether the result is complete.
    pub is_complete: bool,
    /// The number of submits.
    pub submits: u64,
    /// The number of delivered cells.
    pub cells: u64,
    /// The number of decoded tiles of fields.
    pub tiles: u64,
    /// The number of tiles that were compared with the ranges and the condition without a result;
    /// only of sparse arrays.
    pub tiles_without_results: u64,
    /// The bytes that were read from storage, with metadata. Other operations of the context at the
    /// same time are included.
    pub stored_bytes: u64,
    /// The number of requests for them.
    pub requests: u64,
    /// The bytes of tiles after decoding.
    pub decoded_bytes: u64,
    /// The bytes that were written to the buffers.
    pub returned_bytes: u64,
    /// The time of each stage. Stages that several threads execute have the sum of the threads.
    pub times: Vec<(&'static str, Duration)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_separators_and_bytes_units() {
        let texts = [0, 12, 999, 1000, 1_234_567].map(number_text);
        assert_eq!(texts, ["0", "12", "999", "1,000", "1,234,567"]);
        let texts = [5, 2048, 3 << 20].map(bytes_text);
        assert_eq!(texts, ["5 bytes", "2.0 KiB", "3.0 MiB"]);
    }
}
