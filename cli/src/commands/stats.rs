//! `stats`: aggregates and histograms of fields.

use serde_json::{Map, Value, json};
use tiledb_engine::{
    AggregateOperator, Array, Context, Datatype, FieldValues, ReadQuery, Scalar, Schema,
};

use crate::args::Cells;
use crate::cell_text::{cell_json, is_number, real_text, table_text};
use crate::output::Output;
use crate::problem::{Problem, Result};
use crate::selection::{SelectedCells, open, selected_cells};
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
    let SelectedCells {
        query, is_empty, ..
    } = selected_cells(&array, cells)?;
    let count = if is_empty { 0 } else { query.count()? };
    let header = ["field", "datatype", "minimum", "maximum", "mean", "nulls"];
    let mut table = Table::new(header).right([2, 3, 4, 5]);
    let (mut json, mut histograms) = (Vec::new(), String::new());
    for name in names(&array, cells)? {
        let mut summary = FieldSummary::without_cells(&array, name)?;
        if count > 0 {
            summary.summarize(&array, &query, cells, bins)?;
        }
        table.push(summary.row());
        json.push(summary.json());
        if let Some(histogram) = &summary.histogram {
            histograms.push_str(&histogram_text(&summary.name, histogram));
        }
    }
    let json = json!({"cells": count, "fields": json});
    output.print(&json, || {
        format!("cells: {count}\n\n{}{histograms}", table.text())
    })
}

/// The statistics of a field.
struct FieldSummary {
    name: String,
    datatype: Datatype,
    /// The aggregates that the datatype supports, by their names.
    aggregates: Vec<(&'static str, FieldValues)>,
    /// The mean, if that of the aggregates is not the mean because their sum was too large.
    mean: Option<f64>,
    /// The histogram, if it is requested and the field has numbers.
    histogram: Option<Vec<Bin>>,
}

impl FieldSummary {
    fn without_cells(array: &Array, name: String) -> Result<Self> {
        Ok(Self {
            datatype: array.schema()?.datatype(&name).unwrap_or(Datatype::Any),
            name,
            aggregates: Vec::new(),
            mean: None,
            histogram: None,
        })
    }

    /// Computes the statistics of cells, of which there is at least one.
    fn summarize(
        &mut self,
        array: &Array,
        query: &ReadQuery,
        cells: &Cells,
        bins: usize,
    ) -> Result<()> {
        self.aggregates = aggregates(array, query, &self.name)?;
        let numbers = || Numbers::new(array, query, cells, &self.name);
        let mean = self.value("mean").and_then(|values| values.scalar(0));
        let mean = match mean {
            Some(Scalar::Real(mean)) if is_saturated(mean, self.datatype) => {
                Some(numbers()?.mean()?)
            }
            _ => None,
        };
        let histogram = if bins > 0 && has_numbers(&array.schema()?, &self.name) {
            Some(numbers()?.histogram(bins)?)
        } else {
            None
        };
        (self.mean, self.histogram) = (mean, histogram);
        Ok(())
    }

    /// Returns the result of an aggregate.
    fn value(&self, operator: &str) -> Option<&FieldValues> {
        let mut found = self.aggregates.iter();
        found.find_map(|(name, values)| (*name == operator).then_some(values))
    }

    /// Returns the row of a table.
    fn row(&self) -> Vec<String> {
        let text = |operator: &str| {
            let values = self.value(operator);
            let text = values.and_then(|values| table_text(values, 0));
            text.unwrap_or_default()
        };
        let mean = self.mean.map(|mean| mean.to_string());
        vec![
            self.name.clone(),
            self.datatype.name().to_owned(),
            text("min"),
            text("max"),
            mean_text(&mean.unwrap_or_else(|| text("mean"))),
            text("nulls"),
        ]
    }

    fn json(&self) -> Value {
        let mut object = Map::new();
        object.insert("name".into(), json!(self.name));
        object.insert("datatype".into(), json!(self.datatype.name()));
        for (operator, values) in &self.aggregates {
            object.insert((*operator).into(), cell_json(values, 0));
        }
        if let Some(mean) = self.mean {
            object.insert("mean".into(), json!(mean));
        }
        if let Some(histogram) = &self.histogram {
            let bins = histogram.iter();
            let bins = bins.map(|bin| json!({"from": bin.low, "to": bin.high, "cells": bin.cells}));
            object.insert("histogram".into(), Value::Array(bins.collect()));
        }
        Value::Object(object)
    }
}

/// Returns a mean with ten significant digits: the last ones depend on the order of additions.
fn mean_text(mean: &str) -> String {
    match mean.parse::<f64>() {
        Ok(value) if value.is_finite() => {
            let rounded = format!("{value:.9e}").parse::<f64>();
            // The largest numbers are rounded to infinity.
            let rounded = rounded.ok().filter(|rounded| rounded.is_finite());
            real_text(rounded.unwrap_or(value))
        }
        _ => mean.to_owned(),
    }
}

/// Returns whether the sum of integers exceeded its datatype, after which their mean is the largest
/// number.
fn is_saturated(mean: f64, datatype: Datatype) -> bool {
    datatype.is_integer() && mean.abs() == f64::MAX
}

/// Returns whether each cell of a field has one number.
fn has_numbers(schema: &Schema, name: &str) -> bool {
    schema.datatype(name).is_some_and(is_number) && has_one_value(schema, name)
}

/// Returns whether each cell of a field has one value, and no enumeration has it.
fn has_one_value(schema: &Schema, name: &str) -> bool {
    schema
        .attribute(name)
        .is_none_or(|attribute| attribute.cell_val_num == 1 && attribute.enumeration.is_none())
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
    let single = has_one_value(&schema, name);
    let counted = datatype.is_datetime() || datatype.is_time();
    let mut requested = Vec::new();
    if single && (is_number(datatype) || counted) || datatype == Datatype::StringAscii {
        requested.push(("min", AggregateOperator::Min));
        requested.push(("max", AggregateOperator::Max));
    }
    if has_numbers(&schema, name) {
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

/// The numbers of a field in the selected cells.
struct Numbers<'a> {
    query: &'a ReadQuery,
    name: &'a str,
    /// The value of cells that do not satisfy the condition of a read of a dense array, which are
    /// left out. Cells that satisfy it and have this value are left out as well.
    fill_value: Option<Vec<u8>>,
}

impl<'a> Numbers<'a> {
    fn new(array: &Array, query: &'a ReadQuery, cells: &Cells, name: &'a str) -> Result<Self> {
        let schema = array.schema()?;
        let returns_all_cells = schema.is_dense() && cells.condition.is_some();
        let attribute = schema.attribute(name).filter(|_| returns_all_cells);
        Ok(Self {
            query,
            name,
            fill_value: attribute.map(|attribute| attribute.fill_value.clone()),
        })
    }

    /// Calls a function with each number; not for nulls.
    fn for_each(&self, mut take: impl FnMut(f64)) -> Result<()> {
        for batch in self.query.clone().fields([self.name]).batches()? {
            let batch = batch?;
            let values = batch.field(self.name)?;
            let fill_value = self.fill_value.as_deref();
            let selected = (0..values.len()).filter(|cell| Some(values.bytes(*cell)) != fill_value);
            let numbers = selected.filter_map(|cell| values.scalar(cell)?.to_f64());
            numbers.for_each(&mut take);
        }
        Ok(())
    }

    /// Returns the mean, computed with floating-point numbers.
    fn mean(&self) -> Result<f64> {
        let (mut sum, mut number) = (0.0, 0.0);
        self.for_each(|value| {
            sum += value;
            number += 1.0;
        })?;
        Ok(sum / number)
    }

    /// Returns the least and the greatest of the finite numbers, if there are any.
    fn extremes(&self) -> Result<Option<(f64, f64)>> {
        let operators = [
            (AggregateOperator::Min, self.name),
            (AggregateOperator::Max, self.name),
        ];
        let extremes = self.query.aggregate(&operators)?;
        let value = |index: usize| extremes.get(index)?.scalar(0)?.to_f64();
        if let (Some(low), Some(high)) = (value(0), value(1))
            && low.is_finite()
            && high.is_finite()
        {
            return Ok(Some((low, high)));
        }
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        self.for_each(|value| {
            if value.is_finite() {
                (low, high) = (low.min(value), high.max(value));
            }
        })?;
        Ok((low <= high).then_some((low, high)))
    }

    /// Returns bins of equal width with the finite numbers.
    fn histogram(&self, number: usize) -> Result<Vec<Bin>> {
        let Some((low, high)) = self.extremes()? else {
            return Ok(Vec::new());
        };
        // The difference of the extremes may be infinite.
        let scale = if (high - low).is_finite() { 1.0 } else { 0.5 };
        let width = (high * scale - low * scale) / number as f64;
        let bound = |index: usize| (low * scale + width * index as f64) / scale;
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
        self.for_each(|value| {
            let index = if width > 0.0 {
                (value * scale - low * scale) / width
            } else {
                0.0
            };
            if value.is_finite() {
                bins[(index as usize).min(number - 1)].cells += 1;
            }
        })?;
        Ok(bins)
    }
}

/// Returns the bound of a bin with six decimals, of which those of small and large numbers are in
/// front of an exponent.
fn bound_text(bound: f64) -> String {
    if bound == 0.0 || (1e-3..1e12).contains(&bound.abs()) {
        format!("{bound:.6}")
    } else {
        format!("{bound:.6e}")
    }
}

fn histogram_text(name: &str, bins: &[Bin]) -> String {
    let most = bins.iter().map(|bin| bin.cells).max().unwrap_or(0).max(1);
    let mut text = format!("\n{name}\n");
    for bin in bins {
        let len = (bin.cells as f64 / most as f64 * BAR as f64).round() as usize;
        let bar = "█".repeat(len);
        let [low, high] = [bin.low, bin.high].map(bound_text);
        text.push_str(&format!("{low:>12} .. {high:<12} {:>8} {bar}\n", bin.cells));
    }
    text
}
