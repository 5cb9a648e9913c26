//! The map: the fragments of an array and their tiles over two dimensions.

use std::ops::RangeInclusive;

use serde_json::{Value, json};
use tiledb_engine::{Array, Datatype, FragmentDetails, NonEmptyDomain, Scalar, Schema, TileUse};

use super::http::Request;
use super::session::{
    MAX_BOX_TILES, Plan, Session, box_size, check, for_fragments, is_remote, selection,
};
use crate::problem::{Problem, Result};
use crate::selection::selected_cells;

/// The most fragments of a response.
const MAX_FRAGMENTS: usize = 5000;
/// The most tiles of a response.
const MAX_SHOWN: usize = 4000;
/// The most tiles of a fragment, or of all fragments for their uses, whose bounds are looked at.
pub(super) const MAX_TILES: u64 = 200_000;

/// The most characters of a bound of strings in a response.
const MAX_TEXT: usize = 60;
/// The most labels of an axis of strings.
const MAX_LABELS: usize = 20;

/// The part of two dimensions that a view shows. Integers cover the space up to the next one.
/// Strings are ordered by their rank among the bounds of tiles: those are at equal distances
/// between 0 and 1.
pub(super) struct Frame {
    /// The indexes of the dimensions.
    pub(super) x: usize,
    pub(super) y: Option<usize>,
    /// Left, right, bottom, top.
    pub(super) bounds: [f64; 4],
    /// The sorted bounds of tiles, of dimensions of strings.
    ranks: Vec<(usize, Vec<String>)>,
}

/// Returns the bounds of a range as numbers.
pub(super) fn span(range: &RangeInclusive<Scalar>, datatype: Datatype) -> Option<(f64, f64)> {
    let one = if datatype.is_real() { 0.0 } else { 1.0 };
    Some((range.start().to_f64()?, range.end().to_f64()? + one))
}

impl Frame {
    /// Returns the frame of a request for a picture: without bounds, that of all cells.
    pub(super) fn new(array: &Array, schema: &Schema, request: &Request) -> Result<Self> {
        Self::with_ranks(array, schema, request, None)
    }

    /// Returns the frame of a request. Dimensions of strings need the fragments that are shown.
    fn with_ranks(
        array: &Array,
        schema: &Schema,
        request: &Request,
        fragments: Option<&[FragmentDetails]>,
    ) -> Result<Self> {
        let dimensions = schema.dimensions();
        let index_of = |name: &str| {
            let index = dimensions.iter().position(|other| other.name == name);
            let index =
                index.ok_or_else(|| Problem::usage(format!("there is no dimension '{name}'")))?;
            if dimensions[index].bounds().is_none() && fragments.is_none() {
                return Err(Problem::usage(format!("dimension '{name}' has strings"))
                    .hint("pictures need dimensions of numbers or datetimes"));
            }
            Ok(index)
        };
        let x = request
            .parameter("x")
            .ok_or_else(|| Problem::usage("there is no dimension x"))?;
        let (x, y) = (
            index_of(x)?,
            request.parameter("y").map(index_of).transpose()?,
        );
        if y == Some(x) {
            return Err(Problem::usage("the two axes are the same dimension"));
        }
        let mut ranks = Vec::new();
        for index in [Some(x), y].into_iter().flatten() {
            if let Some(fragments) = fragments.filter(|_| dimensions[index].bounds().is_none()) {
                ranks.push((index, ranked_bounds(array, fragments, index)?));
            }
        }
        let domain = array.non_empty_domain()?;
        let whole = |index: usize| {
            if ranks.iter().any(|(other, _)| *other == index) {
                return Some((0.0, 1.0));
            }
            let dimension = &dimensions[index];
            let range = domain
                .as_ref()
                .and_then(|domain| domain.get(index).cloned());
            let range = range.or_else(|| dimension.bounds().map(|(low, high)| low..=high))?;
            span(&range, dimension.datatype)
        };
        let number = |name: &str| {
            let number = request
                .parameter(name)
                .and_then(|text| text.parse::<f64>().ok());
            number.filter(|number| number.is_finite())
        };
        let side = |index: usize, names: [&str; 2]| {
            let whole = whole(index).unwrap_or((0.0, 1.0));
            let low = number(names[0]).unwrap_or(whole.0);
            let high = number(names[1]).unwrap_or(whole.1);
            if high > low {
                (low, high)
            } else {
                (low, low + 1.0)
            }
        };
        let (left, right) = side(x, ["x0", "x1"]);
        let (bottom, top) = y.map_or((0.0, 1.0), |y| side(y, ["y0", "y1"]));
        let bounds = [left, right, bottom, top];
        Ok(Self {
            x,
            y,
            bounds,
            ranks,
        })
    }

    /// Returns the bounds of a range of a dimension as numbers.
    fn span(
        &self,
        schema: &Schema,
        index: usize,
        range: &RangeInclusive<Scalar>,
    ) -> Option<(f64, f64)> {
        let Some((_, texts)) = self.ranks.iter().find(|(other, _)| *other == index) else {
            return span(range, schema.dimensions()[index].datatype);
        };
        let rank = |bound: &Scalar| {
            let text = bound.text(schema.dimensions()[index].datatype);
            texts.partition_point(|other| *other < text)
        };
        let number = texts.len().max(1) as f64;
        let (low, high) = (rank(range.start()), rank(range.end()));
        Some((low as f64 / number, (high + 1) as f64 / number))
    }

    /// Returns the positions and texts of labels of an axis of strings; `None` for others.
    fn labels(&self, index: Option<usize>, ends: (f64, f64)) -> Option<Vec<Value>> {
        let (_, texts) = self.ranks.iter().find(|(other, _)| Some(*other) == index)?;
        let number = texts.len().max(1) as f64;
        let position = |share: f64| (share * number).clamp(0.0, number) as usize;
        let (first, end) = (position(ends.0), position(ends.1));
        let step = (end - first).div_ceil(MAX_LABELS).max(1);
        let shown = texts.iter().enumerate().take(end).skip(first);
        let labels = shown.step_by(step).map(|(rank, text)| {
            let text: String = text.chars().take(MAX_TEXT).collect();
            json!([rank as f64 / number, text])
        });
        Some(labels.collect())
    }

    /// Returns the rectangle of a domain; `None` if it is outside of the frame.
    pub(super) fn rectangle(&self, schema: &Schema, domain: &NonEmptyDomain) -> Option<[f64; 4]> {
        let side = |index: usize| self.span(schema, index, domain.get(index)?);
        let (left, right) = side(self.x)?;
        let (bottom, top) = match self.y {
            Some(y) => side(y)?,
            None => (0.0, 1.0),
        };
        let [x0, x1, y0, y1] = self.bounds;
        let is_inside = left <= x1 && right >= x0 && bottom <= y1 && top >= y0;
        is_inside.then_some([left, right, bottom, top])
    }
}

/// Returns the distinct bounds of the tiles of fragments in a dimension of strings, sorted; of the
/// fragments themselves if the tiles are too many.
fn ranked_bounds(
    array: &Array,
    fragments: &[FragmentDetails],
    index: usize,
) -> Result<Vec<String>> {
    let total = fragments.iter().map(FragmentDetails::tile_num);
    let has_tiles = total.fold(0, u64::saturating_add) <= MAX_TILES;
    let bounds = for_fragments(array, fragments, |fragment| {
        if has_tiles {
            fragment.tile_bounds()
        } else {
            Ok(vec![fragment.non_empty_domain()])
        }
    })?;
    let ranges = bounds
        .iter()
        .flatten()
        .filter_map(|domain| domain.get(index));
    let texts = ranges.flat_map(|range| {
        [range.start(), range.end()].map(|bound| match bound {
            Scalar::Text(text) => text.clone(),
            other => other.text(Datatype::StringAscii),
        })
    });
    let mut texts: Vec<String> = texts.collect();
    texts.sort_unstable();
    texts.dedup();
    Ok(texts)
}

/// The tiles of a response, five numbers and a use each.
#[derive(Default)]
struct Tiles {
    numbers: Vec<Value>,
    count: usize,
    /// Whether tiles were left out.
    cut: bool,
}

impl Tiles {
    fn add(&mut self, fragment: usize, bounds: [f64; 4], cells: u64, tile: Option<TileUse>) {
        self.count += 1;
        if self.count > MAX_SHOWN {
            self.cut = true;
            return;
        }
        self.numbers.push(fragment.into());
        self.numbers.extend(bounds.map(Value::from));
        self.numbers.push(cells.into());
        self.numbers.push(match tile {
            None => Value::Null,
            Some(TileUse::Outside) => 0.into(),
            Some(TileUse::Hidden) => 1.into(),
            Some(TileUse::Excluded) => 2.into(),
            Some(TileUse::WithoutResults) => 3.into(),
            Some(TileUse::Read) => 4.into(),
        });
    }
}

/// Returns the fragments and tiles in the frame of a request; with the parameter `use`, what a read
/// of the selection does with each tile.
pub(super) fn map(session: &Session, request: &Request) -> Result<Value> {
    let array = session.array(request)?;
    let schema = array.schema()?;
    let fragments = array.fragments()?;
    let frame = Frame::with_ranks(&array, &schema, request, Some(&fragments))?;
    let total: u64 = fragments
        .iter()
        .map(FragmentDetails::tile_num)
        .fold(0, u64::saturating_add);
    let uses = match request.parameter("use") {
        Some(_) if total <= MAX_TILES => tile_uses(&array, &schema, request)?,
        _ => None,
    };
    let sizes = for_fragments(&array, &fragments, FragmentDetails::size)?;
    load_bounds(&array, &schema, &frame, &fragments)?;
    let (mut listed, mut tiles, mut left_out) = (Vec::new(), Tiles::default(), 0);
    for (index, fragment) in fragments.iter().enumerate() {
        check()?;
        let domain = fragment.non_empty_domain();
        let Some(bounds) = frame.rectangle(&schema, &domain) else {
            continue;
        };
        if listed.len() == MAX_FRAGMENTS {
            left_out += 1;
            continue;
        }
        let times = fragment.timestamps();
        // The bounds of strings as texts.
        let texts =
            [Some(frame.x), frame.y].map(|axis| {
                let axis = axis.filter(|axis| schema.dimensions()[*axis].bounds().is_none())?;
                let datatype = schema.dimensions()[axis].datatype;
                let range = domain.get(axis)?;
                Some([range.start(), range.end()].map(|bound| -> String {
                    bound.text(datatype).chars().take(MAX_TEXT).collect()
                }))
            });
        listed.push(json!({
            "texts": texts,
            "index": index,
            "name": fragment.name(),
            "bounds": bounds,
            "start": times.start,
            "end": times.end,
            "cells": fragment.cell_num(),
            "bytes": sizes.get(index),
            "tiles": fragment.tile_num(),
        }));
        if tiles.cut {
            continue;
        }
        let uses = uses.as_ref().and_then(|uses| uses.get(index));
        match uses {
            None if fragment.is_dense() => add_grid(&frame, &schema, index, bounds, &mut tiles),
            _ if fragment.tile_num() > MAX_TILES => tiles.cut = true,
            _ => {
                let mut cells = fragment.cell_num();
                for (tile, domain) in fragment.tile_bounds()?.iter().enumerate() {
                    let in_tile = if fragment.is_dense() {
                        fragment.cell_num() / fragment.tile_num().max(1)
                    } else {
                        // All tiles but the last one are full.
                        cells.min(schema.capacity())
                    };
                    cells = cells.saturating_sub(in_tile);
                    if let Some(bounds) = frame.rectangle(&schema, domain) {
                        let used = uses.and_then(|uses| uses.get(tile)).copied();
                        tiles.add(index, bounds, in_tile, used);
                    }
                }
            }
        }
    }
    let [left, right, bottom, top] = frame.bounds;
    Ok(json!({
        "frame": frame.bounds,
        "labels": [frame.labels(Some(frame.x), (left, right)), frame.labels(frame.y, (bottom, top))],
        "fragments": listed,
        "fragments_left_out": left_out,
        "fragments_total": fragments.len(),
        "tiles": if tiles.cut { Vec::new() } else { tiles.numbers },
        "tiles_cut": tiles.cut,
        "tiles_total": total,
        "has_uses": uses.is_some(),
        "max_tiles": MAX_SHOWN,
    }))
}

/// Loads the bounds of the tiles of sparse fragments in a frame from an object store, several at a
/// time. The fragments keep them.
pub(super) fn load_bounds(
    array: &Array,
    schema: &Schema,
    frame: &Frame,
    fragments: &[FragmentDetails],
) -> Result<()> {
    if !is_remote(array.uri()) {
        return Ok(());
    }
    let is_shown = |fragment: &&FragmentDetails| {
        let domain = fragment.non_empty_domain();
        frame.rectangle(schema, &domain).is_some()
    };
    let shown: Vec<FragmentDetails> = fragments.iter().filter(is_shown).cloned().collect();
    load_all_bounds(array, &shown)
}

/// Loads the bounds of the tiles of sparse fragments, unless they are very many.
pub(super) fn load_all_bounds(array: &Array, fragments: &[FragmentDetails]) -> Result<()> {
    for_fragments(array, fragments, |fragment| {
        if fragment.is_dense() || fragment.tile_num() > MAX_TILES {
            return Ok(());
        }
        fragment.tile_bounds().map(drop)
    })?;
    Ok(())
}

/// Adds the tiles of a dense fragment in the frame, which extents determine.
fn add_grid(frame: &Frame, schema: &Schema, index: usize, bounds: [f64; 4], tiles: &mut Tiles) {
    let grid = |dimension: usize, low: f64, high: f64| {
        let dimension = &schema.dimensions()[dimension];
        let first = dimension.bounds().and_then(|(first, _)| first.to_f64());
        let extent = dimension.tile_extent().and_then(|extent| extent.to_f64());
        match first.zip(extent) {
            Some((first, extent)) if extent >= 1.0 => {
                let number = |value: f64| ((value - first) / extent).floor();
                (first, extent, number(low), number(high - 0.5))
            }
            _ => (low, high - low, 0.0, 0.0),
        }
    };
    let [left, right, bottom, top] = bounds;
    let [x0, x1, y0, y1] = frame.bounds;
    let x = grid(frame.x, left.max(x0), right.min(x1));
    let y = frame.y.map(|y| grid(y, bottom.max(y0), top.min(y1)));
    let number = |grid: (f64, f64, f64, f64)| (grid.3 - grid.2 + 1.0).max(0.0);
    let (columns, rows) = (number(x), y.map_or(1.0, number));
    let left_over = MAX_SHOWN - tiles.count.min(MAX_SHOWN);
    // Each number is compared, because one of them may be 0.
    if columns.max(1.0) * rows.max(1.0) > left_over as f64 {
        tiles.cut |= columns > 0.0 && rows > 0.0;
        return;
    }
    let side = |grid: (f64, f64, f64, f64), number: f64, ends: (f64, f64)| {
        let low = grid.0 + grid.1 * number;
        (low.max(ends.0), (low + grid.1).min(ends.1))
    };
    for row in 0..rows as usize {
        let (bottom, top) = match y {
            Some(y) => side(y, y.2 + row as f64, (bottom, top)),
            None => (bottom, top),
        };
        for column in 0..columns as usize {
            let (left, right) = side(x, x.2 + column as f64, (left, right));
            let cells = (right - left) * (top - bottom);
            tiles.add(index, [left, right, bottom, top], cells as u64, None);
        }
    }
}

/// Returns what a read of the selection does with each tile. The cells of a sparse array are read
/// if the limits permit it, which shows tiles without results. `None` if the box of the selection
/// has very many tiles.
fn tile_uses(
    array: &Array,
    schema: &Schema,
    request: &Request,
) -> Result<Option<Vec<Vec<TileUse>>>> {
    // One field suffices, because tiles are selected by coordinates and by the condition.
    let field = if schema.is_dense() {
        schema
            .attributes()
            .first()
            .map(|attribute| attribute.name.clone())
    } else {
        schema
            .dimensions()
            .first()
            .map(|dimension| dimension.name.clone())
    };
    let cells = selection(request, field.into_iter().collect());
    if box_size(array, schema, &cells, |_| 1)?.1 > MAX_BOX_TILES {
        return Ok(None);
    }
    let query = selected_cells(array, &cells)?.query;
    let mut batches = query.batches()?;
    if !schema.is_dense() && Plan::of(array, &query)?.is_within_limits() {
        for batch in batches.by_ref() {
            batch?;
            check()?;
        }
    }
    Ok(Some(batches.tile_uses()?))
}
