//! The explanation of the read behind a view, and statistics of fields.

use std::collections::HashSet;

use serde_json::{Value, json};
use tiledb_engine::{
    Array, Datatype, FieldValues, FragmentDetails, Layout, ReadQuery, Scalar, Schema,
};

use super::http::Request;
use super::outline::has_outline;
use super::rows::is_less;
use super::session::{
    MAX_BOX_TILES, MAX_STORED_BYTES, Plan, Session, box_size, check, check_box, for_fragments,
    is_remote, selection,
};
use crate::args::Cells;
use crate::cell_text::is_number;
use crate::problem::{Problem, Result};
use crate::selection::{check_field, is_range_of, query, selected_bounds, selected_cells};

/// The bins of a histogram.
const BINS: usize = 24;
/// The most fields of which statistics are read at a time.
const MAX_SUMMARIES: usize = 24;
/// The most characters of a least or greatest value.
const MAX_TEXT: usize = 200;
/// The cells in the tiles of a part whose statistics are read.
const PART_CELLS: u64 = 1 << 18;
/// The most divisions by two into parts.
const MAX_DIVISIONS: usize = 40;
/// The most fields of an explanation.
const MAX_FIELDS: usize = 64;
/// The requests to an object store for a part, one for each tile and field, from which on some of
/// the fragments are read.
pub(super) const MAX_PART_REQUESTS: u64 = 512;
/// The numbers from which the bins of a histogram without given bounds are determined.
const FIRST_NUMBERS: usize = 1 << 16;

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
    check_box(&array, &schema, &cells)?;
    let explanation = selected.query.batch_bytes(1 << 16).explain()?;
    let json = serde_json::from_str(&explanation.to_json()).unwrap_or(Value::Null);
    Ok(json!({"text": explanation.to_string(), "explanation": json}))
}

/// Returns statistics of fields. Without the parameter `part`: what the metadata of fragments
/// states, and the number of parts in which the cells can be read. With it: those of the cells of
/// one part, of which each is within the limits, so that the page can add them up.
///
/// If a part of an array in an object store takes many requests, the first response has the number
/// of fragments in a sample, unless it is for the parameter `all`; the page sends it with requests
/// for parts as the parameter `sample`.
pub(super) fn statistics(session: &Session, request: &Request) -> Result<Value> {
    let array = session.array(request)?;
    let schema = array.schema()?;
    let mut fields: Vec<String> = request.all("field").map(str::to_owned).collect();
    fields.truncate(MAX_SUMMARIES);
    if fields.is_empty() {
        return Err(Problem::usage("there is no field"));
    }
    for field in &fields {
        check_field(&schema, field)?;
    }
    let cells = selection(request, fields.clone());
    match request.parameter("part") {
        None => {
            let takes_all = request.parameter("all").is_some();
            stored_statistics(&array, &schema, &cells, takes_all)
        }
        Some(_) => {
            let number = request.parameter("sample").map(str::parse);
            let array = match number.and_then(std::result::Result::ok) {
                Some(number) => sample(&array, number)?,
                None => array,
            };
            part_statistics(session, &array, &schema, &cells, request)
        }
    }
}

/// Returns an array with this number of its fragments, at equal distances in the order of their
/// times, the newest one among them.
fn sample(array: &Array, number: usize) -> Result<Array> {
    let fragments = array.fragments()?;
    let total = fragments.len();
    let number = number.min(total);
    let names: HashSet<&str> = fragments
        .iter()
        .enumerate()
        .filter(|(index, _)| (index + 1) * number / total > index * number / total)
        .map(|(_, fragment)| fragment.name())
        .collect();
    Ok(array.with_fragments(|fragment| names.contains(fragment.name()))?)
}

/// Returns the parts of an array; of one in an object store with many fragments, those of a sample
/// of the fragments, with their number.
fn sampled_parts(array: &Array, schema: &Schema, cells: &Cells) -> Result<(Parts, Option<usize>)> {
    let mut parts = Parts::new(array, schema, cells)?;
    let total = array.fragments()?.len();
    let mut number = total;
    while has_outline(array.uri()) && number > 1 {
        let requests = parts.request_num(schema, cells);
        if requests <= MAX_PART_REQUESTS {
            break;
        }
        let share = number as u64 * MAX_PART_REQUESTS / requests;
        // With fewer fragments, parts are divided less.
        number = (share as usize).clamp(1, number - 1);
        parts = Parts::new(&sample(array, number)?, schema, cells)?;
    }
    Ok((parts, (number < total).then_some(number)))
}

/// Returns what the metadata of fragments states about fields.
fn stored_statistics(
    array: &Array,
    schema: &Schema,
    cells: &Cells,
    takes_all: bool,
) -> Result<Value> {
    let is_empty = array.non_empty_domain()?.is_none();
    let (parts, sample) = match (is_empty, takes_all) {
        (true, _) => (Parts::default(), None),
        (false, true) => (Parts::new(array, schema, cells)?, None),
        (false, false) => sampled_parts(array, schema, cells)?,
    };
    if let Some(plan) = &parts.plan {
        check_part(plan)?;
    }
    let fragments = array.fragments()?;
    // Bounds of all cells are of no use if some are selected.
    let is_whole = cells.condition.is_none() && cells.range.is_empty();
    let domain = array.non_empty_domain()?.unwrap_or_default();
    let stored = fragments.iter().map(FragmentDetails::cell_num);
    let mut found = Vec::new();
    for name in &cells.columns {
        let datatype = schema.datatype(name).unwrap_or(Datatype::Any);
        let mut dimensions = schema.dimensions().iter();
        let bounds = match dimensions.position(|dimension| dimension.name == *name) {
            _ if !is_whole || has_labels(schema, name) => None,
            Some(index) => domain
                .get(index)
                .map(|range| (range.start().clone(), range.end().clone())),
            None => bounds_of(array, &fragments, name)?,
        };
        let bound = |bound: &Scalar| bound_json(bound, datatype);
        found.push(json!({
            "name": name,
            "datatype": datatype.name(),
            "least": bounds.as_ref().map(|(least, _)| bound(least)),
            "greatest": bounds.as_ref().map(|(_, greatest)| bound(greatest)),
            "has_bins": has_bins(schema, name),
        }));
    }
    Ok(json!({
        "fields": found,
        "cells": stored.fold(0, u64::saturating_add),
        "fragments": fragments.len(),
        "remote": is_remote(array.uri()),
        "sample": sample,
        "parts": parts.number().to_string(),
        "sides": parts.sides.iter().map(|side| side.3).collect::<Vec<_>>(),
        "plan": parts.plan.map(|plan| plan.json()),
    }))
}

/// Returns whether a field has the values of an enumeration.
fn has_labels(schema: &Schema, name: &str) -> bool {
    let attribute = schema.attribute(name);
    attribute.is_some_and(|attribute| attribute.enumeration.is_some())
}

/// Returns the least and the greatest value of an attribute in fragments, if all state them.
fn bounds_of(
    array: &Array,
    fragments: &[FragmentDetails],
    name: &str,
) -> Result<Option<(Scalar, Scalar)>> {
    let bounds = for_fragments(array, fragments, |fragment| fragment.attribute_bounds(name))?;
    let mut all: Option<(Scalar, Scalar)> = None;
    for bounds in bounds {
        let Some((least, greatest)) = bounds else {
            return Ok(None);
        };
        all = Some(match all {
            None => (least, greatest),
            Some((low, high)) => (
                if is_less(&least, &low) { least } else { low },
                if is_less(&high, &greatest) {
                    greatest
                } else {
                    high
                },
            ),
        });
    }
    Ok(all)
}

/// Returns a value as a number, which may be inexact, and as text.
fn bound_json(bound: &Scalar, datatype: Datatype) -> Value {
    let text: String = bound.text(datatype).chars().take(MAX_TEXT).collect();
    json!({"number": bound.to_f64(), "text": text})
}

/// Returns whether a histogram of a field is drawn: each cell has one number or datetime.
fn has_bins(schema: &Schema, name: &str) -> bool {
    let datatype = schema.datatype(name).unwrap_or(Datatype::Any);
    let counts = is_number(datatype) || datatype.is_datetime() || datatype.is_time();
    let attribute = schema.attribute(name);
    counts && attribute.is_none_or(|found| found.cell_val_num == 1) && !has_labels(schema, name)
}

/// Returns an error if a part exceeds the limits of a view.
fn check_part(plan: &Plan) -> Result<()> {
    if plan.is_within_limits() {
        return Ok(());
    }
    let message = "the statistics of these cells exceed the limits of a view";
    Err(Problem::usage(message).hint("select a smaller range, or use `tiledb-rs stats`"))
}

/// The division of the selected cells into parts by the coordinates: a grid of boxes, of which each
/// is within the limits of a view.
#[derive(Default)]
struct Parts {
    /// The dimensions that are divided: name, bounds, and the number of intervals, a power of two.
    sides: Vec<(String, Scalar, Scalar, u64)>,
    /// The read of the part in the middle.
    plan: Option<Plan>,
}

impl Parts {
    /// Divides the cells until the part in the middle is small, or further divisions are of no use.
    fn new(array: &Array, schema: &Schema, cells: &Cells) -> Result<Self> {
        let mut parts = Self::undivided(array, schema, cells)?;
        let mut plan = parts.plan_of(array, schema, cells)?;
        let mut useful: Vec<usize> = (0..parts.sides.len()).collect();
        for step in 0..MAX_DIVISIONS {
            check()?;
            let is_small = plan.cells <= PART_CELLS && plan.stored <= MAX_STORED_BYTES / 4;
            if useful.is_empty() || (is_small && plan.is_within_limits()) {
                break;
            }
            let turn = step % useful.len();
            let index = useful[turn];
            parts.sides[index].3 *= 2;
            let next = parts.plan_of(array, schema, cells)?;
            if next.cells < plan.cells - plan.cells / 4 {
                plan = next;
            } else {
                // Tiles are as long as the parts, or longer.
                parts.sides[index].3 /= 2;
                useful.remove(turn);
            }
        }
        parts.plan = Some(plan);
        Ok(parts)
    }

    /// Returns the number of requests to an object store for a part.
    fn request_num(&self, schema: &Schema, cells: &Cells) -> u64 {
        let tiles = self.plan.as_ref().map_or(0, |plan| plan.tiles);
        let dimensions = schema.dimensions().iter();
        // Sparse arrays are read with all coordinates.
        let more = dimensions
            .filter(|dimension| !schema.is_dense() && !cells.columns.contains(&dimension.name));
        tiles.saturating_mul((cells.columns.len() + more.count()) as u64)
    }

    /// Returns one part with all cells.
    fn undivided(array: &Array, schema: &Schema, cells: &Cells) -> Result<Self> {
        let selected = selected_bounds(schema, cells)?;
        let domain = array.non_empty_domain()?.unwrap_or_default();
        let dimensions = schema.dimensions().iter().zip(domain).zip(selected);
        let sides = dimensions.filter_map(|((dimension, domain), selected)| {
            let repeated = cells.range.iter();
            let repeated = repeated.filter(|text| is_range_of(schema, text, &dimension.name));
            // Several ranges of a dimension stay as they are.
            if dimension.bounds().is_none() || repeated.count() > 1 {
                return None;
            }
            let (low, high) = selected.unwrap_or(domain).into_inner();
            Some((dimension.name.clone(), low, high, 1))
        });
        Ok(Self {
            sides: sides.collect(),
            plan: None,
        })
    }

    fn number(&self) -> u64 {
        let numbers = self.sides.iter().map(|(_, _, _, number)| *number);
        numbers.fold(1, u64::saturating_mul)
    }

    /// Returns the plan of the part in the middle, without the condition: tiles that it excludes
    /// may be read as well.
    fn plan_of(&self, array: &Array, schema: &Schema, cells: &Cells) -> Result<Plan> {
        let cells = &Cells {
            condition: None,
            ..cells.clone()
        };
        let middle = self.sides.iter().map(|(_, _, _, number)| number / 2);
        match self.query(array, schema, cells, &middle.collect::<Vec<_>>())? {
            Some(query) => self.plan_of_query(array, schema, cells, &query),
            None => Ok(Plan::nothing()),
        }
    }

    /// Returns the plan of the read of a part.
    fn plan_of_query(
        &self,
        array: &Array,
        schema: &Schema,
        cells: &Cells,
        query: &ReadQuery,
    ) -> Result<Plan> {
        let part_num = |name: &str| {
            let mut sides = self.sides.iter();
            let side = sides.find(|side| side.0 == name);
            side.map_or(1, |side| side.3)
        };
        match box_size(array, schema, cells, part_num)? {
            (number, tiles) if tiles > MAX_BOX_TILES => Ok(Plan::of_cells(number)),
            _ => Plan::of(array, query),
        }
    }

    /// Returns the intervals of a part with a number, as indexes in each dimension.
    fn indexes(&self, mut part: u64) -> Vec<u64> {
        let mut indexes = vec![0; self.sides.len()];
        for (index, (_, _, _, number)) in indexes.iter_mut().zip(&self.sides).rev() {
            *index = part % number;
            part /= number;
        }
        indexes
    }

    /// Returns the read of a part; `None` if it has no coordinates.
    fn query(
        &self,
        array: &Array,
        schema: &Schema,
        cells: &Cells,
        indexes: &[u64],
    ) -> Result<Option<ReadQuery>> {
        let divided = |text: &String| {
            let mut sides = self.sides.iter();
            sides.any(|(name, ..)| is_range_of(schema, text, name))
        };
        let mut cells = cells.clone();
        cells.range.retain(|text| !divided(text));
        let mut query = query(array, &cells)?;
        if !schema.is_dense() {
            query = query.layout(Layout::Unordered);
        }
        for ((name, low, high, number), index) in self.sides.iter().zip(indexes) {
            let Some((low, high)) = interval(low, high, *number, *index) else {
                return Ok(None);
            };
            query = query.range(name, low..=high);
        }
        Ok(Some(query))
    }
}

/// Returns the interval with an index of a range that is divided into intervals of equal length;
/// `None` if it has no value.
fn interval(low: &Scalar, high: &Scalar, number: u64, index: u64) -> Option<(Scalar, Scalar)> {
    let is_last = index + 1 == number;
    match (low, high) {
        (Scalar::Integer(low), Scalar::Integer(high)) => {
            let (number, index) = (i128::from(number), i128::from(index));
            let len = high - low + 1;
            // The product may exceed the type.
            let bound = |index: i128| low + len / number * index + len % number * index / number;
            let (first, end) = (bound(index), bound(index + 1));
            (first < end).then(|| (Scalar::Integer(first), Scalar::Integer(end - 1)))
        }
        (Scalar::Real(low), Scalar::Real(high)) => {
            let bound = |index: u64| {
                let share = index as f64 / number as f64;
                low * (1.0 - share) + high * share
            };
            let first = if index == 0 { *low } else { bound(index) };
            let last = if is_last {
                *high
            } else {
                bound(index + 1).next_down()
            };
            (first <= last).then_some((Scalar::Real(first), Scalar::Real(last)))
        }
        _ => None,
    }
}

/// The statistics of the cells of a field in a part.
struct PartSummary {
    fill_value: Option<Vec<u8>>,
    has_bounds: bool,
    has_bins: bool,
    nulls: u64,
    least: Option<Scalar>,
    greatest: Option<Scalar>,
    /// The finite numbers.
    histogram: Histogram,
}

impl PartSummary {
    fn new(schema: &Schema, cells: &Cells, name: &str, bins: Option<(f64, f64)>) -> Self {
        let attribute = schema.attribute(name);
        let datatype = schema.datatype(name).unwrap_or(Datatype::Any);
        let has_bins = has_bins(schema, name);
        let is_text = matches!(datatype, Datatype::StringAscii | Datatype::StringUtf8);
        // Cells of a dense array that do not satisfy the condition have the fill value.
        let is_filled = schema.is_dense() && cells.condition.is_some();
        Self {
            fill_value: attribute
                .filter(|_| is_filled)
                .map(|attribute| attribute.fill_value.clone()),
            has_bounds: has_bins || (is_text && !has_labels(schema, name)),
            has_bins,
            nulls: 0,
            least: None,
            greatest: None,
            histogram: Histogram::new(bins),
        }
    }

    /// Adds the cells of a batch; returns their number.
    fn add(&mut self, values: &FieldValues) -> u64 {
        let datatype = values.datatype();
        let mut cells = 0;
        for cell in 0..values.len() {
            if self.fill_value.as_deref() == Some(values.bytes(cell)) {
                continue;
            }
            cells += 1;
            if values.is_null(cell) {
                self.nulls += 1;
                continue;
            }
            if !self.has_bounds {
                continue;
            }
            // Bounds of long texts are those of their beginnings.
            let bytes = values.bytes(cell);
            let bytes = if self.has_bins {
                bytes
            } else {
                &bytes[..bytes.len().min(MAX_TEXT)]
            };
            let value = Scalar::from_bytes(datatype, bytes);
            if self.has_bins {
                // "Not a time" and "not a number".
                let is_missing = match value {
                    Scalar::Integer(value) => datatype.is_datetime() && value == i64::MIN.into(),
                    Scalar::Real(value) => value.is_nan(),
                    _ => true,
                };
                if is_missing {
                    continue;
                }
                if let Some(number) = value.to_f64().filter(|number| number.is_finite()) {
                    self.histogram.add(number);
                }
            }
            if self
                .least
                .as_ref()
                .is_none_or(|least| is_less(&value, least))
            {
                self.least = Some(value.clone());
            }
            if self
                .greatest
                .as_ref()
                .is_none_or(|greatest| is_less(greatest, &value))
            {
                self.greatest = Some(value);
            }
        }
        cells
    }
}

/// A histogram of finite numbers in bounded memory.
struct Histogram {
    /// The lowest and the highest bound, once they are known.
    bounds: Option<(f64, f64)>,
    /// Whether the bounds are given, so that the page can add the counts to others.
    is_fixed: bool,
    counts: [u64; BINS],
    /// Whether there are numbers outside of given bounds.
    has_outside: bool,
    /// The first numbers, until they determine the bounds.
    first: Vec<f64>,
    number: u64,
    sum: f64,
}

impl Histogram {
    fn new(bounds: Option<(f64, f64)>) -> Self {
        Self {
            bounds,
            is_fixed: bounds.is_some(),
            counts: [0; BINS],
            has_outside: false,
            first: Vec::new(),
            number: 0,
            sum: 0.0,
        }
    }

    fn add(&mut self, number: f64) {
        self.number += 1;
        self.sum += number;
        if self.bounds.is_some() {
            self.count(number);
            return;
        }
        self.first.push(number);
        if self.first.len() == FIRST_NUMBERS {
            self.count_first();
        }
    }

    /// Counts the first numbers in bins between their extremes.
    fn count_first(&mut self) {
        let first = std::mem::take(&mut self.first);
        let least = first.iter().copied().reduce(f64::min);
        let greatest = first.iter().copied().reduce(f64::max);
        self.bounds = self.bounds.or(least.zip(greatest));
        first.into_iter().for_each(|number| self.count(number));
    }

    fn count(&mut self, number: f64) {
        let Some((low, high)) = self.bounds else {
            return;
        };
        if number < low || number > high {
            self.has_outside |= self.is_fixed;
            if !self.is_fixed {
                self.widen(number);
            }
        }
        let index = self.index(number);
        self.counts[index] += 1;
    }

    /// Returns the bin of a number, the first or the last one if it is outside of the bounds.
    fn index(&self, number: f64) -> usize {
        let (low, high) = self.bounds.unwrap_or_default();
        // The difference of the bounds may be infinite.
        let share = (number / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
        let index = if share > 0.0 {
            share * BINS as f64
        } else {
            0.0
        };
        (index as usize).min(BINS - 1)
    }

    /// Moves the bounds so that a number is between them, and joins neighbouring bins.
    fn widen(&mut self, number: f64) {
        let Some((mut low, mut high)) = self.bounds else {
            return;
        };
        if low == high {
            let total = self.counts.iter().sum();
            self.bounds = Some((low.min(number), high.max(number)));
            self.counts = [0; BINS];
            let index = self.index(low);
            self.counts[index] = total;
            return;
        }
        while number < low || number > high {
            let width = high - low;
            let (left, right) = (low - width, high + width);
            if !left.is_finite() || !right.is_finite() {
                // The numbers beyond are in the first or in the last bin.
                break;
            }
            let mut joined = [0; BINS];
            let offset = if number > high { 0 } else { BINS / 2 };
            for (index, count) in self.counts.iter().enumerate() {
                joined[offset + index / 2] += count;
            }
            self.counts = joined;
            (low, high) = if number > high {
                (low, right)
            } else {
                (left, high)
            };
        }
        self.bounds = Some((low, high));
    }

    /// Returns the bins; null without numbers and given bounds.
    fn json(&mut self) -> Value {
        self.count_first();
        let Some((low, high)) = self.bounds else {
            return Value::Null;
        };
        json!({"low": low, "high": high, "counts": self.counts, "outside": self.has_outside})
    }
}

/// Returns the statistics of the cells of a part, and histograms between the given bounds.
fn part_statistics(
    session: &Session,
    array: &Array,
    schema: &Schema,
    cells: &Cells,
    request: &Request,
) -> Result<Value> {
    let mut parts = Parts::undivided(array, schema, cells)?;
    let sides = request.parameter("sides").unwrap_or_default();
    let numbers = sides.split(',').filter_map(|text| text.parse().ok());
    let numbers = numbers.filter(|number| (1..=1 << MAX_DIVISIONS).contains(number));
    for (side, number) in parts.sides.iter_mut().zip(numbers) {
        side.3 = number;
    }
    let part = request.parameter("part").and_then(|text| text.parse().ok());
    let part: u64 = part.ok_or_else(|| Problem::usage("the part is not a number"))?;
    let bounds = request.all("bins").map(|text| {
        let (low, high) = text.split_once(':')?;
        let (low, high): (f64, f64) = (low.parse().ok()?, high.parse().ok()?);
        (low.is_finite() && high.is_finite()).then_some((low, high))
    });
    let bounds: Vec<Option<(f64, f64)>> = bounds.collect();
    let names = cells.columns.iter().enumerate();
    let summaries = names.map(|(index, name)| {
        let own = bounds.get(index).copied().flatten();
        PartSummary::new(schema, cells, name, own)
    });
    let mut summaries: Vec<PartSummary> = summaries.collect();
    let mut counts = vec![0_u64; summaries.len()];
    let mut plan = Plan::nothing();
    if let Some(query) = parts.query(array, schema, cells, &parts.indexes(part))? {
        plan = parts.plan_of_query(array, schema, cells, &query)?;
        check_part(&plan)?;
        session.expect(&plan, schema, &cells.columns);
        for batch in query.batch_bytes(4 << 20).batches()? {
            let batch = batch?;
            check()?;
            let fields = batch.fields().iter();
            for ((summary, count), values) in summaries.iter_mut().zip(&mut counts).zip(fields) {
                *count += summary.add(values);
            }
        }
    }
    let fields = cells.columns.iter().zip(summaries).zip(counts);
    let fields = fields.map(|((name, mut summary), count)| {
        let datatype = schema.datatype(name).unwrap_or(Datatype::Any);
        let bound =
            |bound: &Option<Scalar>| bound.as_ref().map(|bound| bound_json(bound, datatype));
        let bins = if summary.has_bins {
            summary.histogram.json()
        } else {
            Value::Null
        };
        json!({
            "name": name,
            "cells": count,
            "nulls": summary.nulls,
            "numbers": summary.histogram.number,
            "sum": summary.histogram.sum,
            "least": bound(&summary.least),
            "greatest": bound(&summary.greatest),
            "bins": bins,
        })
    });
    Ok(json!({"fields": fields.collect::<Vec<_>>(), "plan": plan.json()}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_widens_its_bounds_and_counts_each_number_once() {
        let mut histogram = Histogram::new(None);
        for number in 0..FIRST_NUMBERS {
            histogram.add((number % 24) as f64);
        }
        // The bounds are those of the first numbers until others follow.
        assert_eq!(histogram.bounds, Some((0.0, 23.0)));
        for number in [-1000.0, 500.0, f64::MAX, f64::MIN] {
            histogram.add(number);
        }
        let json = histogram.json();
        let counts = json["counts"].as_array().expect("counts");
        let counts = counts.iter().map(|count| count.as_u64().expect("a count"));
        assert_eq!(counts.sum::<u64>(), FIRST_NUMBERS as u64 + 4);
        let low = json["low"].as_f64().expect("a number");
        let high = json["high"].as_f64().expect("a number");
        assert!(low <= -1000.0 && high >= 500.0, "{json}");
        assert_eq!(json["outside"], false);
    }

    #[test]
    fn a_histogram_of_few_numbers_is_between_their_extremes() {
        let mut histogram = Histogram::new(None);
        [3.0, 3.0]
            .into_iter()
            .for_each(|number| histogram.add(number));
        assert_eq!(histogram.json()["low"], histogram.json()["high"]);
        assert_eq!(histogram.json()["counts"][0], 2);
        let mut fixed = Histogram::new(Some((0.0, 1.0)));
        [0.5, 7.0].into_iter().for_each(|number| fixed.add(number));
        assert_eq!(fixed.json()["outside"], true);
        assert_eq!(Histogram::new(None).json(), Value::Null);
    }
}
