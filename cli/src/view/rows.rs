//! Cells as rows of a table, a page at a time, without reading the rows before it.
//!
//! The rows of a dense array are its cells in row-major order, so the number of a row determines
//! its coordinates. Those of a sparse array are ordered by their coordinates: a page begins at a
//! coordinate of the first dimension, and a range of this dimension is read that is small enough.

use serde_json::{Value, json};
use tiledb_engine::{Array, Layout, Records, Scalar, Schema};

use super::http::Request;
use super::map::MAX_TILES;
use super::session::{
    MAX_DECODED_BYTES, MAX_STORED_BYTES, Plan, Session, check, has_time, is_remote, selection,
};
use crate::args::Cells;
use crate::cell_text::{is_number, table_text};
use crate::problem::{Problem, Result};
use crate::selection::{dimension_bounds, is_range_of, parse_value, query, split_range};

/// The most rows of a response.
const MAX_ROWS: usize = 500;
/// The most columns of a response.
pub(super) const MAX_COLUMNS: usize = 64;
/// The most characters of a cell.
const MAX_TEXT: usize = 200;
/// The most cells in the tiles of a range that is sorted for a page of a sparse array.
const MAX_SORTED: u64 = 1 << 18;
/// The cells in the tiles of a range from which on a page reads a part of it that has about enough
/// cells.
const MIN_DIVIDED: u64 = 1 << 12;
/// The factor by which the next part is longer if this one had too few cells.
const PART_GROWTH: f64 = 8.0;
/// The most bytes that are read for a page of a sparse array.
const MAX_PAGE_BYTES: u64 = MAX_STORED_BYTES;

/// The columns and rows of a response.
#[derive(Default)]
struct Page {
    columns: Vec<Value>,
    rows: Vec<Value>,
    plans: Vec<Plan>,
}

impl Page {
    fn add(&mut self, batch: &Records, cells: std::ops::Range<usize>) {
        if self.columns.is_empty() {
            let columns = batch.fields().iter().map(|field| {
                let datatype = field.value_datatype();
                json!({"name": field.name(), "datatype": datatype.name(), "number": is_number(datatype)})
            });
            self.columns = columns.collect();
        }
        for cell in cells {
            let texts = batch.fields().iter().map(|field| {
                // Long strings are not converted as a whole.
                if field.bytes(cell).len() > 16 * MAX_TEXT {
                    let bytes = field.bytes(cell).get(..4 * MAX_TEXT).unwrap_or_default();
                    let part = Scalar::from_bytes(field.value_datatype(), bytes);
                    return shortened(&part.text(field.value_datatype()), true);
                }
                table_text(field, cell).map_or(Value::Null, |text| shortened(&text, false))
            });
            self.rows.push(texts.collect());
        }
    }

    fn json(self) -> Value {
        let sum = |part: fn(&Plan) -> u64| self.plans.iter().map(part).fold(0, u64::saturating_add);
        let plan = json!({
            "cells": sum(|plan| plan.cells),
            "stored_bytes": sum(|plan| plan.stored),
            "decoded_bytes": sum(|plan| plan.decoded),
            "tiles": sum(|plan| plan.tiles),
        });
        json!({"columns": self.columns, "rows": self.rows, "plan": plan})
    }
}

fn shortened(text: &str, is_part: bool) -> Value {
    let mut shown: String = text.chars().take(MAX_TEXT).collect();
    if is_part || shown.len() < text.len() {
        shown.push('…');
    }
    shown.into()
}

/// Returns the fields of a request; without some, the dimensions and attributes of which a page has
/// place for the first ones.
fn columns(schema: &Schema, request: &Request) -> Vec<String> {
    let mut names: Vec<String> = request.all("field").map(str::to_owned).collect();
    if names.is_empty() {
        names = schema.field_names().map(str::to_owned).collect();
    }
    names.truncate(MAX_COLUMNS);
    names
}

/// Returns a page of rows.
pub(super) fn rows(session: &Session, request: &Request) -> Result<Value> {
    let array = session.array(request)?;
    let schema = array.schema()?;
    let cells = selection(request, columns(&schema, request));
    let count = request.number("count", (1, MAX_ROWS), 50);
    if array.non_empty_domain()?.is_none() {
        let mut page = Page::default();
        page.add(&query(&array, &cells)?.batches()?.empty(), 0..0);
        let mut json = page.json();
        json["total"] = 0.into();
        json["start"] = 0.into();
        return Ok(json);
    }
    if schema.is_dense() {
        dense_rows(session, &array, &schema, &cells, request, count)
    } else {
        SparseRows::new(session, &array, &schema, &cells)?.page(request, count)
    }
}

/// Returns an error if the read of a page exceeds the limits, as that of a very large tile does.
pub(super) fn check_limits(plan: &Plan) -> Result<()> {
    if plan.stored <= MAX_STORED_BYTES && plan.decoded <= MAX_DECODED_BYTES {
        return Ok(());
    }
    let message = format!(
        "the tiles of these cells have {} bytes in storage and {} in memory, which exceeds the limit of a view",
        plan.stored, plan.decoded
    );
    Err(Problem::usage(message).hint("show fewer fields, or select a smaller range"))
}

fn dense_rows(
    session: &Session,
    array: &Array,
    schema: &Schema,
    cells: &Cells,
    request: &Request,
    count: usize,
) -> Result<Value> {
    let bounds = dimension_bounds(array, schema, cells)?
        .ok_or_else(|| Problem::usage("select at most one range of each dimension"))?;
    let lens: Vec<u128> = bounds
        .iter()
        .map(|bounds| bounds.len().max(0).cast_unsigned())
        .collect();
    let total = lens
        .iter()
        .fold(1_u128, |all, len| all.saturating_mul(*len));
    let start = request
        .parameter("start")
        .and_then(|text| text.parse().ok());
    let start = start.unwrap_or(0_u128).min(total.saturating_sub(1));
    let end = start.saturating_add(count as u128).min(total);
    let base = Cells {
        range: Vec::new(),
        ..cells.clone()
    };
    let mut page = Page::default();
    for part in boxes(&lens, start, end) {
        check()?;
        let mut query = query(array, &base)?.layout(Layout::RowMajor);
        for ((dimension, bounds), (low, high)) in schema.dimensions().iter().zip(&bounds).zip(part)
        {
            let coordinate = |distance: u128| bounds.low + distance.cast_signed();
            query = query.range(
                &dimension.name,
                Scalar::Integer(coordinate(low))..=Scalar::Integer(coordinate(high)),
            );
        }
        let plan = Plan::of(array, &query)?;
        check_limits(&plan)?;
        session.expect(&plan, schema, &cells.columns);
        page.plans.push(plan);
        for batch in query.batch_bytes(4 << 20).batches()? {
            let batch = batch?;
            page.add(&batch, 0..batch.len());
        }
    }
    let mut json = page.json();
    json["start"] = start.to_string().into();
    json["total"] = total.to_string().into();
    Ok(json)
}

/// Divides the positions from `start` to before `end` in a box with these lengths, in row-major
/// order, into boxes. Returns the first and the last distance in each dimension.
fn boxes(lens: &[u128], start: u128, end: u128) -> Vec<Vec<(u128, u128)>> {
    if start >= end {
        return Vec::new();
    }
    let Some((&len, inner)) = lens.split_first() else {
        return vec![Vec::new()];
    };
    let size = inner
        .iter()
        .fold(1_u128, |all, len| all.saturating_mul(*len));
    let (first, last) = (start / size, ((end - 1) / size).min(len.saturating_sub(1)));
    let within = |index: u128, from: u128, to: u128| {
        let parts = boxes(inner, from, to).into_iter();
        parts.map(move |mut part| {
            part.insert(0, (index, index));
            part
        })
    };
    if first == last {
        return within(first, start - first * size, end - first * size).collect();
    }
    let (mut parts, mut whole) = (Vec::new(), (first, last));
    if !start.is_multiple_of(size) {
        parts.extend(within(first, start % size, size));
        whole.0 += 1;
    }
    let rest = end - last * size;
    if rest < size {
        whole.1 -= 1;
    }
    if whole.0 <= whole.1 {
        let mut part = vec![whole];
        part.extend(inner.iter().map(|len| (0, len - 1)));
        parts.push(part);
    }
    if rest < size {
        parts.extend(within(last, 0, rest));
    }
    parts
}

/// The number of successive cells with equal coordinates.
#[derive(Default)]
struct EqualCells {
    coordinate: Vec<u8>,
    number: usize,
}

impl EqualCells {
    fn add(&mut self, coordinate: &[u8]) {
        if self.coordinate == coordinate {
            self.number += 1;
        } else {
            self.coordinate = coordinate.to_vec();
            self.number = 1;
        }
    }
}

/// The cells of a sparse array along its first dimension.
struct SparseRows<'a> {
    session: &'a Session,
    array: &'a Array,
    schema: &'a Schema,
    /// The selection without ranges of the first dimension.
    cells: Cells,
    low: Scalar,
    high: Scalar,
}

impl<'a> SparseRows<'a> {
    fn new(
        session: &'a Session,
        array: &'a Array,
        schema: &'a Schema,
        cells: &Cells,
    ) -> Result<Self> {
        let first = &schema.dimensions()[0];
        let is_first = |text: &&String| is_range_of(schema, text, &first.name);
        let own: Vec<&String> = cells.range.iter().filter(is_first).collect();
        let domain = array.non_empty_domain()?.unwrap_or_default();
        let domain = domain
            .first()
            .map(|range| (range.start().clone(), range.end().clone()));
        let (mut low, mut high) = domain.ok_or_else(|| Problem::usage("the array has no cells"))?;
        if let [range] = own[..] {
            let bounds = split_range(schema, range).map_or("", |(_, bounds)| bounds);
            let (from, to) = bounds.split_once("..").unwrap_or((bounds, bounds));
            if !from.is_empty() {
                low = stored(parse_value(first.datatype, from)?, first.datatype)?;
            }
            if !to.is_empty() {
                high = stored(parse_value(first.datatype, to)?, first.datatype)?;
            }
        } else if own.len() > 1 {
            return Err(Problem::usage(format!(
                "select one range of '{}'",
                first.name
            )));
        }
        let mut cells = cells.clone();
        cells.range.retain(|text| !is_first(&text));
        Ok(Self {
            session,
            array,
            schema,
            cells,
            low,
            high,
        })
    }

    fn query(&self, low: &Scalar, high: &Scalar) -> Result<tiledb_engine::ReadQuery> {
        self.query_of(&self.cells, low, high)
    }

    /// Returns the read without the condition. Tiles without a cell that satisfies it are read as
    /// well, if newer fragments may replace cells.
    fn unfiltered(&self, low: &Scalar, high: &Scalar) -> Result<tiledb_engine::ReadQuery> {
        let cells = Cells {
            condition: None,
            ..self.cells.clone()
        };
        self.query_of(&cells, low, high)
    }

    fn query_of(
        &self,
        cells: &Cells,
        low: &Scalar,
        high: &Scalar,
    ) -> Result<tiledb_engine::ReadQuery> {
        let first = &self.schema.dimensions()[0];
        let query = query(self.array, cells)?.layout(Layout::RowMajor);
        Ok(query.range(&first.name, low.clone()..=high.clone()))
    }

    /// Returns a page that begins at the parameter `from`, after `skip` cells from there on; or at
    /// a share of the first dimension. A page that takes long has the cells that were found until
    /// then.
    fn page(&self, request: &Request, count: usize) -> Result<Value> {
        let datatype = self.schema.dimensions()[0].datatype;
        let mut from = match (request.parameter("from"), request.parameter("share")) {
            (Some(text), _) => parse_position(text, datatype)?,
            (None, Some(share)) => self.at_share(share.parse().unwrap_or(0.0))?,
            (None, None) => self.low.clone(),
        };
        let mut skip = request.number("skip", (0, usize::MAX), 0);
        let start = position_text(&from, datatype);
        let first_name = self.schema.dimensions()[0].name.as_str();
        let (mut page, mut next, mut read) = (Page::default(), None, 0_u64);
        // The number of cells that a part should have, for each that is missing.
        let mut excess = 2.0;
        while !is_less(&self.high, &from) {
            check()?;
            if !page.plans.is_empty() && (!has_time() || read > MAX_PAGE_BYTES) {
                next = Some((from.clone(), skip));
                break;
            }
            let missing = (count - page.rows.len() + skip) as f64;
            let (to, plan) = self.range_from(&from, missing * excess)?;
            excess *= PART_GROWTH;
            read = read.saturating_add(plan.stored);
            let fields = &self.cells.columns;
            self.session.expect(&plan, self.schema, fields);
            page.plans.push(plan);
            let query = self.query(&from, &to)?;
            let mut batches = query.batch_bytes(8 << 20).batches()?;
            page.add(&batches.empty(), 0..0);
            let mut passed = 0;
            // The last cells with equal coordinates of the first dimension.
            let mut equal = EqualCells::default();
            for batch in batches.by_ref() {
                let batch = batch?;
                check()?;
                let first = skip.saturating_sub(passed).min(batch.len());
                passed += batch.len();
                let last = batch.len().min(first + count - page.rows.len());
                page.add(&batch, first..last);
                let coordinates = batch.field(first_name).ok();
                if let Some(coordinates) = coordinates {
                    (0..last).for_each(|cell| equal.add(coordinates.bytes(cell)));
                }
                if page.rows.len() == count {
                    let taken = passed - batch.len() + last;
                    let position = Scalar::from_bytes(datatype, &equal.coordinate);
                    // No range begins at a coordinate that is not a number.
                    let is_ordered = !matches!(position, Scalar::Real(value) if value.is_nan());
                    next = Some(match coordinates.filter(|_| last > 0 && is_ordered) {
                        Some(_) => (position, equal.number),
                        None => (from.clone(), taken),
                    });
                    break;
                }
            }
            if next.is_some() {
                break;
            }
            skip = 0;
            let Some(after) = successor(&to) else { break };
            from = after;
        }
        let share = self.share_of(&parse_position(&start, datatype)?);
        let mut json = page.json();
        json["from"] = start.into();
        json["share"] = share.into();
        json["skip"] = request.number("skip", (0, usize::MAX), 0).into();
        json["next"] = next.map_or(Value::Null, |(from, skip)| {
            // The share of the array before the next page.
            let share = self.share_of(&from);
            json!({"from": position_text(&from, datatype), "skip": skip, "share": share})
        });
        Ok(json)
    }

    /// Returns the end of the longest range from a coordinate on that is small enough to be sorted;
    /// without a condition, of a range with about this number of cells.
    fn range_from(&self, from: &Scalar, cell_num: f64) -> Result<(Scalar, Plan)> {
        let (to, plan) = self.small_range_from(from)?;
        if self.cells.condition.is_some() && is_remote(self.array.uri()) {
            return match self.last_of_tiles(from, &to)? {
                Some(last) => {
                    let plan = Plan::of(self.array, &self.unfiltered(from, &last)?)?;
                    Ok((last, plan))
                }
                None => Ok((to, plan)),
            };
        }
        if self.cells.condition.is_some() || plan.cells < MIN_DIVIDED {
            return Ok((to, plan));
        }
        let share = cell_num / plan.cells as f64;
        let shorter = match (from, &to) {
            (Scalar::Integer(low), Scalar::Integer(high)) => {
                let len = (high - low) as f64 * share;
                Scalar::Integer((low + len as i128).min(*high))
            }
            (Scalar::Real(low), Scalar::Real(high)) => {
                Scalar::Real((low + (high - low) * share).clamp(*low, *high))
            }
            _ => return Ok((to, plan)),
        };
        let plan = Plan::of(self.array, &self.unfiltered(from, &shorter)?)?;
        Ok((shorter, plan))
    }

    fn small_range_from(&self, from: &Scalar) -> Result<(Scalar, Plan)> {
        let mut to = self.high.clone();
        let mut starts: Option<Vec<String>> = None;
        // Few of the cells satisfy a condition, and neighbouring ranges share tiles.
        let most = if self.cells.condition.is_some() {
            2 * MAX_SORTED
        } else {
            MAX_SORTED
        };
        loop {
            check()?;
            let plan = Plan::of(self.array, &self.unfiltered(from, &to)?)?;
            let is_small = plan.cells <= most && plan.stored <= MAX_STORED_BYTES / 4;
            if is_small || plan.tiles <= 1 {
                check_limits(&plan)?;
                return Ok((to, plan));
            }
            let shorter = match (from, &to) {
                (Scalar::Integer(low), Scalar::Integer(high)) if low < high => {
                    Some(Scalar::Integer(low + (high - low) / 2))
                }
                (Scalar::Real(low), Scalar::Real(high)) if low < high => {
                    Some(*low + (*high - *low) / 2.0)
                        .filter(|middle| middle < high)
                        .map(Scalar::Real)
                }
                (Scalar::Text(low), Scalar::Text(high)) => {
                    if starts.is_none() {
                        starts = Some(self.tile_starts()?);
                    }
                    let inside = starts
                        .iter()
                        .flatten()
                        .filter(|start| low <= *start && *start < high);
                    let inside: Vec<&String> = inside.collect();
                    inside
                        .get(inside.len() / 2)
                        .map(|text| Scalar::Text((*text).clone()))
                }
                _ => None,
            };
            let Some(shorter) = shorter else {
                check_limits(&plan)?;
                return Ok((to, plan));
            };
            to = shorter;
        }
    }

    /// Returns the last coordinate of a tile in a range, such that a read up to it has the least
    /// tiles for its length: the next read begins with few tiles of this one. `None` for strings,
    /// and if no end of a tile is better than that of the range.
    fn last_of_tiles(&self, from: &Scalar, to: &Scalar) -> Result<Option<Scalar>> {
        let (Some(low), Some(high)) = (from.to_f64(), to.to_f64()) else {
            return Ok(None);
        };
        let (mut starts, mut ends) = (Vec::new(), Vec::new());
        for fragment in self.array.fragments()? {
            if fragment.tile_num() > MAX_TILES {
                return Ok(None);
            }
            for bounds in fragment.tile_bounds()? {
                let Some(range) = bounds.first() else {
                    continue;
                };
                let (start, end) = (range.start().to_f64(), range.end().to_f64());
                if let (Some(start), Some(end)) = (start, end)
                    && end >= low
                    && start <= high
                {
                    starts.push(start);
                    if end < high {
                        ends.push((end, range.end().clone()));
                    }
                }
            }
        }
        starts.sort_unstable_by(f64::total_cmp);
        let least_len = (high - low) / 4.0;
        let cost = |end: f64| {
            let tiles = starts.partition_point(|start| *start <= end);
            tiles as f64 / (end - low)
        };
        let long = ends.into_iter().filter(|(end, _)| end - low >= least_len);
        let best = long.min_by(|(one, _), (other, _)| cost(*one).total_cmp(&cost(*other)));
        let best = best.filter(|(end, _)| cost(*end) < cost(high));
        Ok(best.map(|(_, end)| end))
    }

    /// Returns the first coordinates of tiles, sorted.
    fn tile_starts(&self) -> Result<Vec<String>> {
        let mut starts = Vec::new();
        for fragment in self.array.fragments()? {
            if fragment.tile_num() > MAX_TILES {
                continue;
            }
            for bounds in fragment.tile_bounds()? {
                if let Some(Scalar::Text(start)) = bounds.first().map(|range| range.start()) {
                    starts.push(start.clone());
                }
            }
        }
        starts.sort();
        starts.dedup();
        Ok(starts)
    }

    /// Returns the coordinate at a share of the first dimension; of strings, of the tiles.
    fn at_share(&self, share: f64) -> Result<Scalar> {
        let share = share.clamp(0.0, 1.0);
        Ok(match (&self.low, &self.high) {
            (Scalar::Integer(low), Scalar::Integer(high)) => {
                let distance = (share * (high - low) as f64) as i128;
                Scalar::Integer((low + distance).min(*high))
            }
            (Scalar::Real(low), Scalar::Real(high)) => {
                Scalar::Real(low * (1.0 - share) + high * share)
            }
            _ => {
                let starts = self.tile_starts()?;
                let index = (share * starts.len() as f64) as usize;
                let start = starts.get(index.min(starts.len().saturating_sub(1)));
                start.map_or_else(|| self.low.clone(), |start| Scalar::Text(start.clone()))
            }
        })
    }

    /// Returns the share of the first dimension before a coordinate; `None` for strings.
    fn share_of(&self, position: &Scalar) -> Option<f64> {
        let (low, high) = (self.low.to_f64()?, self.high.to_f64()?);
        let share = (position.to_f64()? - low) / (high - low);
        share.is_finite().then(|| share.clamp(0.0, 1.0))
    }
}

/// Returns a value in its stored form: datetimes as numbers.
fn stored(value: Scalar, datatype: tiledb_engine::Datatype) -> Result<Scalar> {
    let bytes = value.to_bytes(datatype);
    let bytes = bytes.map_err(|error| Problem::usage(error.to_string()))?;
    Ok(Scalar::from_bytes(datatype, &bytes))
}

/// Returns a stored coordinate as a parameter of the next request.
fn position_text(position: &Scalar, datatype: tiledb_engine::Datatype) -> String {
    match position {
        Scalar::Integer(value) => value.to_string(),
        Scalar::Real(value) => format!("{value:?}"),
        other => other.text(datatype),
    }
}

fn parse_position(text: &str, datatype: tiledb_engine::Datatype) -> Result<Scalar> {
    if datatype.is_datetime() || datatype.is_time() {
        let number = text.parse().map(Scalar::Integer);
        return number.map_err(|_| Problem::usage(format!("'{text}' is not a position")));
    }
    stored(parse_value(datatype, text)?, datatype)
}

/// Returns whether a stored coordinate is less than another one.
pub(super) fn is_less(one: &Scalar, other: &Scalar) -> bool {
    match (one, other) {
        (Scalar::Integer(one), Scalar::Integer(other)) => one < other,
        (Scalar::Real(one), Scalar::Real(other)) => one < other,
        (Scalar::Text(one), Scalar::Text(other)) => one < other,
        _ => false,
    }
}

/// Returns the coordinate after another one; `None` after the last one.
fn successor(position: &Scalar) -> Option<Scalar> {
    match position {
        Scalar::Integer(value) => Some(Scalar::Integer(value + 1)),
        Scalar::Real(value) => Some(Scalar::Real(value.next_up())).filter(|_| value.is_finite()),
        Scalar::Text(text) => Some(Scalar::Text(format!("{text}\0"))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the positions in boxes.
    fn positions(lens: &[u128], parts: &[Vec<(u128, u128)>]) -> Vec<u128> {
        let mut all = Vec::new();
        for part in parts {
            let mut found = vec![0];
            for ((low, high), len) in part.iter().zip(lens) {
                let outer = found.iter();
                found = outer
                    .flat_map(|position| (*low..=*high).map(move |index| position * len + index))
                    .collect();
            }
            all.extend(found);
        }
        all
    }

    #[test]
    fn boxes_contain_each_position_once_in_order() {
        for lens in [vec![7], vec![3, 4], vec![2, 3, 4], vec![5, 1, 3]] {
            let total: u128 = lens.iter().product();
            for start in 0..total {
                for end in start..=total {
                    let parts = boxes(&lens, start, end);
                    let expected: Vec<u128> = (start..end).collect();
                    assert_eq!(positions(&lens, &parts), expected, "{lens:?} {start} {end}");
                    assert!(parts.len() < 2 * lens.len());
                }
            }
        }
    }

    #[test]
    fn boxes_of_a_huge_array_are_few() {
        let lens = [1 << 60, 1 << 60];
        assert_eq!(boxes(&lens, (1 << 119) + 5, (1 << 119) + 55).len(), 1);
    }
}
