//! Suggestions for faster reads.

use super::report::{Explanation, ReadOutcome};
use super::report::{bytes_text, number_text};
use crate::schema::{ArraySchema, number_text as value_text};

/// The number of bytes below which waste is not worth a hint.
const MIN_BYTES: u64 = 1 << 20;
/// The percentage of bytes that are not returned from which on there is a hint.
const MIN_WASTE: u64 = 50;
/// The number of fragments from which on consolidation is suggested.
const MANY_FRAGMENTS: u64 = 10;
/// The number of submits from which on larger buffers are suggested.
const MANY_SUBMITS: u64 = 10;
/// The number of requests from which on their size matters.
const MANY_REQUESTS: u64 = 100;
/// The size in bytes below which requests are small.
const SMALL_REQUEST: u64 = 64 << 10;
/// The percentage of the budget from which on a larger one is suggested.
const FULL_BUDGET: u64 = 90;

/// Returns the hints for an explanation.
pub(super) fn hints(explanation: &Explanation, schema: &ArraySchema) -> Vec<String> {
    let outcome = explanation.outcome.as_ref();
    let hints = [
        unused_cells(explanation, schema),
        outcome.and_then(|outcome| unused_bytes(explanation, outcome)),
        ineffective_condition(explanation),
        many_fragments(explanation),
        outcome.and_then(many_submits),
        outcome.and_then(small_requests),
        full_budget(explanation),
    ];
    hints.into_iter().flatten().collect()
}

/// Returns a percentage, rounded.
fn percent(part: u64, all: u64) -> u64 {
    (part as f64 * 100.0 / all.max(1) as f64).round() as u64
}

/// Returns what determines the size of a tile.
fn tile_size(schema: &ArraySchema) -> String {
    if !schema.is_dense() {
        return format!("the capacity {}", number_text(schema.capacity));
    }
    let extents = schema.domain.dimensions.iter().map(|dimension| {
        let extent = dimension.extent.as_deref();
        extent.map_or_else(String::new, |extent| value_text(dimension.datatype, extent))
    });
    format!(
        "the tile extent [{}]",
        extents.collect::<Vec<_>>().join(", ")
    )
}

/// Cells of tiles that the ranges cut.
fn unused_cells(explanation: &Explanation, schema: &ArraySchema) -> Option<String> {
    let survey = &explanation.survey;
    let requested = survey.requested_cells?.min(survey.read_cells);
    let unused = survey.read_cells - requested;
    let share = percent(unused, survey.read_cells);
    let is_large = survey.cut_tiles > 0 && survey.decoded_bytes >= MIN_BYTES;
    (is_large && share >= MIN_WASTE).then(|| {
        format!(
            "{share} % of the {} in the tiles that are read are not requested: {} exceeds the ranges",
            bytes_text(survey.decoded_bytes),
            tile_size(schema)
        )
    })
}

/// Bytes that were decoded and not returned.
fn unused_bytes(explanation: &Explanation, outcome: &ReadOutcome) -> Option<String> {
    let decoded = outcome.decoded_bytes;
    let unused = decoded.saturating_sub(outcome.returned_bytes);
    let share = percent(unused, decoded);
    let is_large = outcome.is_complete && decoded >= MIN_BYTES && share >= MIN_WASTE;
    let reason = if explanation.survey.cut_tiles > 0 {
        format!(
            "the ranges cut {} of the {} tiles",
            number_text(explanation.survey.cut_tiles),
            number_text(explanation.survey.read_tiles)
        )
    } else if explanation.condition_fields.is_empty() {
        return None;
    } else {
        "the condition selects few cells of each tile".to_owned()
    };
    is_large.then(|| {
        format!(
            "{share} % of the {} that were decoded were not returned: {reason}",
            bytes_text(decoded)
        )
    })
}

/// A condition that excludes no tile.
fn ineffective_condition(explanation: &Explanation) -> Option<String> {
    const MIN_TILES: u64 = 4;
    let survey = &explanation.survey;
    let compared: Vec<String> = explanation
        .condition_fields
        .iter()
        .map(|name| format!("`{name}`"))
        .collect();
    let is_ineffective =
        !compared.is_empty() && survey.tiles_excluded == 0 && survey.read_tiles >= MIN_TILES;
    is_ineffective.then(|| {
        format!(
            "the condition on {} pruned none of {} tiles: their minima and maxima do not exclude it; \
             tiles are pruned if cells with similar values are stored together",
            compared.join(", "),
            number_text(survey.read_tiles)
        )
    })
}

/// Fragments that are merged.
fn many_fragments(explanation: &Explanation) -> Option<String> {
    let fragments = explanation.survey.read_fragments;
    (fragments >= MANY_FRAGMENTS).then(|| {
        let how = if explanation.survey.is_merged {
            "overlap or are compared"
        } else {
            "are read"
        };
        format!(
            "{} fragments {how}: consolidate the array",
            number_text(fragments)
        )
    })
}

/// Buffers that were filled often.
fn many_submits(outcome: &ReadOutcome) -> Option<String> {
    (outcome.submits >= MANY_SUBMITS).then(|| {
        format!(
            "the buffers were filled {} times: larger buffers need fewer submits",
            number_text(outcome.submits)
        )
    })
}

/// Many requests of few bytes.
fn small_requests(outcome: &ReadOutcome) -> Option<String> {
    let average = outcome.stored_bytes / outcome.requests.max(1);
    (outcome.requests >= MANY_REQUESTS && average < SMALL_REQUEST).then(|| {
        format!(
            "{} requests read {} each on average: larger tiles need fewer requests",
            number_text(outcome.requests),
            bytes_text(average)
        )
    })
}

/// Memory that nearly fills the budget.
fn full_budget(explanation: &Explanation) -> Option<String> {
    let share = percent(explanation.survey.memory, explanation.budget);
    (share >= FULL_BUDGET).then(|| {
        format!(
            "tiles take {} of the memory budget of {}: raise `sm.mem.total_budget`",
            bytes_text(explanation.survey.memory),
            bytes_text(explanation.budget)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::ReadSurvey;
    use crate::types::Layout;

    fn explanation(survey: ReadSurvey, outcome: ReadOutcome) -> Explanation {
        Explanation {
            uri: "mem://a".into(),
            reader: "dense",
            order: Layout::RowMajor,
            fields: vec!["a".into()],
            condition_fields: Vec::new(),
            budget: 1 << 30,
            survey,
            outcome: Some(outcome),
            hints: Vec::new(),
        }
    }

    #[test]
    fn numbers_determine_the_hints() {
        let few = ReadOutcome {
            submits: MANY_SUBMITS - 1,
            ..ReadOutcome::default()
        };
        assert_eq!(many_submits(&few), None);
        let many = ReadOutcome {
            submits: 1057,
            ..few
        };
        let hint = many_submits(&many).expect("a hint");
        assert!(hint.contains("filled 1,057 times"), "{hint}");
        let survey = ReadSurvey {
            read_tiles: 40,
            read_fragments: 1000,
            is_merged: true,
            memory: 1 << 30,
            ..ReadSurvey::default()
        };
        let mut explanation = explanation(survey, many);
        assert_eq!(ineffective_condition(&explanation), None);
        explanation.condition_fields.push("a".into());
        let hint = ineffective_condition(&explanation).expect("a hint");
        assert!(hint.contains("`a` pruned none of 40 tiles"), "{hint}");
        assert!(many_fragments(&explanation).is_some_and(|hint| hint.contains("1,000 fragments")));
        assert!(full_budget(&explanation).is_some_and(|hint| hint.contains("1.0 GiB")));
        explanation.survey.tiles_excluded = 1;
        assert_eq!(ineffective_condition(&explanation), None);
    }

    #[test]
    fn bytes_that_are_not_returned_are_a_percentage() {
        let outcome = ReadOutcome {
            is_complete: true,
            decoded_bytes: 200 << 20,
            returned_bytes: 8 << 20,
            ..ReadOutcome::default()
        };
        let survey = ReadSurvey {
            read_tiles: 4,
            cut_tiles: 3,
            ..ReadSurvey::default()
        };
        let explanation = explanation(survey, outcome.clone());
        let hint = unused_bytes(&explanation, &outcome).expect("a hint");
        assert!(hint.starts_with("96 % of the 200.0 MiB"), "{hint}");
        assert!(hint.ends_with("the ranges cut 3 of the 4 tiles"), "{hint}");
        let requests = ReadOutcome {
            requests: 1000,
            stored_bytes: 4_096_000,
            ..outcome
        };
        assert!(small_requests(&requests).is_some_and(|hint| hint.contains("4.0 KiB each")));
    }
}
