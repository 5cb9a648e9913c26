//! `stats`: aggregates and histograms of fields.

use serde_json::{Map, Value, json};
use tiledb_engine::{AggregateOperator, Array, Context, Datatype, FieldValues, ReadQuery};

use crate::args::Cells;
use crate::cell_text::{cell_json, is_number};
use crate::output::Output;
use crate::problem::{Problem, Result};
use crate::selection::{open, query};
use crate::table::Table;

/// The longest bar of a histogram in characters.
const BAR: usize = 40;

/// Prints minimum, maximum, mean and nulls of each field.
pub(super) fn stats(
    context: &Context,
    uri: &str,
    cells: &Cells,
    bins: usize,
    output: &mut Output,
) -> Result<()> {
    if bins > 1000 {
        return Err(Problem::usage("a histogram has at most 1000 bins"));
    }
    let array = open(context, uri, cells.time)?;
    let query = query(&array, cells)?;
    // Of a dense array without fragments, all cells would count.
    let is_written = !array.fragments()?.is_empty();
    let count = if is_written { query.count()? } else { 0 };
    let header = ["field", "datatype", "minimum", "maximum", "mean", "nulls"];
    let mut table = Table::new(header).right([2, 3, 4, 5]);
    let (mut json, mut histograms) = (Vec::new(), String::new());
    for name in names(&array, cells)? {
        let datatype = array.schema()?.datatype(&name).unwrap_or(Datatype::Any);
        let found = if count > 0 {
            aggregates(&array, &query, &name)?
        } else {
            Vec::new()
        };
        let text = |operator: &str| {
            let found = found
                .iter()
                .find(|(operator_name, _)| *operator_name == operator);
            found
                .and_then(|(_, values)| values.text(0))
                .unwrap_or_default()
        };
        table.push(vec![
            name.clone(),
            datatype.name().to_owned(),
            text("min"),
            text("max"),
            mean_text(&text("mean")),
            text("nulls"),
        ]);
        let mut object = Map::new();
        object.insert("name".into(), json!(name));
        object.insert("datatype".into(), json!(datatype.name()));
        for (operator, values) in &found {
            object.insert((*operator).into(), cell_json(values, 0));
        }
        let schema = array.schema()?;
        let attribute = schema.attribute(&name);
        let is_enumerated = attribute.is_some_and(|attribute| attribute.enumeration.is_some());
        if bins > 0 && count > 0 && is_number(datatype) && !is_enumerated {
            let histogram = histogram(&query, &name, bins)?;
            histograms.push_str(&histogram_text(&name, &histogram));
            let bins = histogram.iter();
            let bins = bins.map(|bin| json!({"from": bin.low, "to": bin.high, "cells": bin.cells}));
            object.insert("histogram".into(), Value::Array(bins.collect()));
        }
        json.push(Value::Object(object));
    }
    let json = json!({"cells": count, "fields": json});
    output.print(&json, || {
        format!("cells: {count}\n\n{}{histograms}", table.text())
    })
}

/// Returns a mean with ten significant digits: the last ones depend on the order of additions.
fn mean_text(mean: &str) -> String {
    match mean.parse::<f64>() {
        Ok(value) if value.is_finite() => {
            let rounded = format!("{value:.9e}").parse::<f64>();
            rounded.map_or_else(|_| mean.to_owned(), |value| value.to_string())
        }
        _ => mean.to_owned(),
    }
}

fn names(array: &Array, cells: &Cells) -> Result<Vec<String>> {
    let schema = array.schema()?;
    if !cells.columns.is_empty() {
        return Ok(cells.columns.clone());
    }
    let dense = schema.is_dense();
    let is_dimension = |name: &&str| schema.dimension(name).is_some();
    let names = schema
        .field_names()
        .filter(|name| !(dense && is_dimension(name)));
    Ok(names.map(str::to_owned).collect())
}

/// Returns the aggregates that the datatype of a field supports.
fn aggregates(
    array: &Array,
    query: &ReadQuery,
    name: &str,
) -> Result<Vec<(&'static str, FieldValues)>> {
    let schema = array.schema()?;
    let attribute = schema.attribute(name);
    let datatype = schema.datatype(name).unwrap_or(Datatype::Any);
    let single = attribute
        .is_none_or(|attribute| attribute.cell_val_num == 1 && attribute.enumeration.is_none());
    let counted = datatype.is_datetime() || datatype.is_time();
    let mut requested = Vec::new();
    if single && (is_number(datatype) || counted) || datatype == Datatype::StringAscii {
        requested.push(("min", AggregateOperator::Min));
        requested.push(("max", AggregateOperator::Max));
    }
    if single && is_number(datatype) {
        requested.push(("mean", AggregateOperator::Mean));
    }
    if attribute.is_some_and(|attribute| attribute.nullable) {
        requested.push(("nulls", AggregateOperator::NullCount));
    }
    let operators: Vec<_> = requested
        .iter()
        .map(|(_, operator)| (*operator, name))
        .collect();
    let values = query.aggregate(&operators)?;
    Ok(requested
        .into_iter()
        .map(|(operator_name, _)| operator_name)
        .zip(values)
        .collect())
}

/// A bin of a histogram: values from `low`, up to but not including `high` except in the last one.
struct Bin {
    low: f64,
    high: f64,
    cells: u64,
}

fn histogram(query: &ReadQuery, name: &str, number: usize) -> Result<Vec<Bin>> {
    let extremes = [
        (AggregateOperator::Min, name),
        (AggregateOperator::Max, name),
    ];
    let extremes = query.aggregate(&extremes)?;
    let value = |index: usize| extremes.get(index)?.scalar(0)?.to_f64();
    let (Some(low), Some(high)) = (value(0), value(1)) else {
        return Ok(Vec::new());
    };
    let width = (high - low) / number as f64;
    let bound = |index: usize| low + width * index as f64;
    let mut bins: Vec<Bin> = (0..number)
        .map(|index| Bin {
            low: bound(index),
            high: if index + 1 == number {
                high
            } else {
                bound(index + 1)
            },
            cells: 0,
        })
        .collect();
    for batch in query.clone().fields([name]).batches()? {
        let batch = batch?;
        let values = batch.field(name)?;
        let values = (0..values.len()).filter_map(|cell| values.scalar(cell)?.to_f64());
        for value in values.filter(|value| !value.is_nan()) {
            let index = if width > 0.0 {
                (value - low) / width
            } else {
                0.0
            };
            bins[(index as usize).min(number - 1)].cells += 1;
        }
    }
    Ok(bins)
}

fn histogram_text(name: &str, bins: &[Bin]) -> String {
    let most = bins.iter().map(|bin| bin.cells).max().unwrap_or(0).max(1);
    let mut text = format!("\n{name}\n");
    for bin in bins {
        let len = (bin.cells as f64 / most as f64 * BAR as f64).round() as usize;
        let bar = "█".repeat(len);
        text.push_str(&format!(
            "{:>12.6} .. {:<12.6} {:>8} {bar}\n",
            bin.low, bin.high, bin.cells
        ));
    }
    text
}
