//! The explanation of the read behind a view, and statistics of fields.

use serde_json::{Value, json};
use tiledb_engine::{Array, ReadQuery, Scalar, Schema};

use super::http::Request;
use super::session::{Plan, Session, check, selection};
use crate::args::Cells;
use crate::commands::FieldSummary;
use crate::problem::{Problem, Result};
use crate::selection::{check_field, selected_cells};

/// The bins of a histogram.
const BINS: usize = 24;
/// The most fields of an explanation.
const MAX_FIELDS: usize = 64;

/// Explains the read of the selection: the plan, without reading cells.
pub(super) fn explain(session: &Session, request: &Request) -> Result<Value> {
    let array = session.array(request)?;
    let schema = array.schema()?;
    let mut fields: Vec<String> = request.all("field").map(str::to_owned).collect();
    if fields.is_empty() {
        fields = schema.field_names().map(str::to_owned).collect();
    }
    fields.truncate(MAX_FIELDS);
    let cells = selection(request, fields);
    let selected = selected_cells(&array, &cells)?;
    let explanation = selected.query.batch_bytes(1 << 16).explain()?;
    let json = serde_json::from_str(&explanation.to_json()).unwrap_or(Value::Null);
    Ok(json!({"text": explanation.to_string(), "explanation": json}))
}

/// Returns the statistics of a field with a histogram: of all selected cells, or, if these exceed
/// the limits, of a part in the middle.
pub(super) fn statistics(session: &Session, request: &Request) -> Result<Value> {
    let array = session.array(request)?;
    let schema = array.schema()?;
    let field = request.parameter("field").unwrap_or_default();
    check_field(&schema, field)?;
    let cells = selection(request, vec![field.to_owned()]);
    let selected = selected_cells(&array, &cells)?;
    let mut summary = FieldSummary::without_cells(&array, field.to_owned())?;
    if selected.is_empty {
        return Ok(json!({"cells": 0, "summary": summary.json(), "is_sample": false}));
    }
    let (query, plan, ranges) = within_limits(&array, &schema, &cells, selected.query)?;
    let count = query.count()?;
    if count > 0 {
        summary.summarize(&array, &query, &cells, BINS)?;
    }
    Ok(json!({
        "cells": count,
        "summary": summary.json(),
        "is_sample": !ranges.is_empty(),
        "ranges": ranges,
        "plan": plan.json(),
    }))
}

/// Returns a read that is within the limits, its plan, and the ranges to which it was narrowed.
fn within_limits(
    array: &Array,
    schema: &Schema,
    cells: &Cells,
    query: ReadQuery,
) -> Result<(ReadQuery, Plan, Vec<String>)> {
    let plan = Plan::of(array, &query)?;
    if plan.is_within_limits() {
        return Ok((query, plan, Vec::new()));
    }
    let domain = array.non_empty_domain()?.unwrap_or_default();
    let dimensions = schema.dimensions().iter().zip(domain);
    let mut bounds: Vec<(String, Scalar, Scalar)> = dimensions
        .map(|(dimension, range)| {
            let (low, high) = range.into_inner();
            (dimension.name.clone(), low, high)
        })
        .collect();
    let named = |name: &str| {
        let mut names = cells.range.iter().filter_map(|text| text.split_once('='));
        names.any(|(other, _)| other == name)
    };
    bounds.retain(|(name, _, _)| !named(name));
    // Each step takes the middle half of a dimension, in turn.
    for step in 0..256 {
        check()?;
        if bounds.is_empty() {
            break;
        }
        let index = step % bounds.len();
        match &mut bounds[index] {
            (_, Scalar::Integer(low), Scalar::Integer(high)) => {
                let quarter = (*high - *low) / 4;
                (*low, *high) = (*low + quarter, *high - quarter);
                if quarter == 0 {
                    *high = *low;
                }
            }
            (_, Scalar::Real(low), Scalar::Real(high)) => {
                let (first, last) = (*low, *high);
                *low = first * 0.75 + last * 0.25;
                *high = first * 0.25 + last * 0.75;
            }
            _ => {}
        }
        let mut selected = selected_cells(array, cells)?.query;
        if schema.is_dense() {
            // Its ranges are those of the non-empty domain.
            selected = crate::selection::query(array, cells)?;
        }
        for (name, low, high) in &bounds {
            selected = selected.range(name, low.clone()..=high.clone());
        }
        let plan = Plan::of(array, &selected)?;
        if plan.is_within_limits() {
            let ranges = bounds.iter().map(|(name, low, high)| {
                let datatype = schema.dimension(name).map(|dimension| dimension.datatype);
                let text = |bound: &Scalar| {
                    datatype.map_or_else(String::new, |datatype| bound.text(datatype))
                };
                format!("{name}={}..{}", text(low), text(high))
            });
            return Ok((selected, plan, ranges.collect()));
        }
    }
    Err(
        Problem::usage("the statistics of these cells exceed the limits of a view")
            .hint("select a smaller range, or use `tiledb-rs stats`"),
    )
}
