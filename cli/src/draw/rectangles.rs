//! The data of pictures of fragments and tiles.

use tiledb_engine::{Array, Datatype, FragmentDetails, NonEmptyDomain, Schema};

use super::{Area, Axis, Drawing};
use crate::problem::{Problem, Result};

/// The most tiles that are drawn.
const MAX_TILES: u64 = 20_000;

/// Returns the first two dimensions as axes, without bounds.
fn axes(schema: &Schema) -> Result<(Axis, Option<Axis>)> {
    let axis = |index: usize| {
        let dimension = schema.dimensions().get(index)?;
        Some(Axis {
            name: dimension.name.clone(),
            datatype: dimension.datatype,
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
        })
    };
    let texts = schema.dimensions().iter().take(2);
    if let Some(dimension) = texts
        .into_iter()
        .find(|dimension| dimension.datatype.is_string())
    {
        let message = format!(
            "dimension '{}' has strings, which cannot be drawn",
            dimension.name
        );
        return Err(Problem::usage(message).hint("`tiledb-rs draw timeline` draws any array"));
    }
    let first = axis(0).ok_or_else(|| Problem::usage("the array has no dimensions"))?;
    Ok((first, axis(1)))
}

/// Returns the bounds of a range of coordinates. An integer covers the space up to the next one.
pub(super) fn bounds(
    range: &std::ops::RangeInclusive<tiledb_engine::Scalar>,
    axis: &Axis,
) -> Option<(f64, f64)> {
    let one = if axis.datatype.is_real() { 0.0 } else { 1.0 };
    Some((range.start().to_f64()?, range.end().to_f64()? + one))
}

/// Collects rectangles on axes that grow with them.
pub(super) struct Collector {
    x: Axis,
    y: Option<Axis>,
    areas: Vec<Area>,
}

impl Collector {
    pub(super) fn new(schema: &Schema) -> Result<Self> {
        let (x, y) = axes(schema)?;
        let areas = Vec::new();
        Ok(Self { x, y, areas })
    }

    /// Orders the areas by value, so that greater values cover smaller ones.
    pub(super) fn sort(&mut self) {
        self.areas.sort_by(|a, b| a.value.total_cmp(&b.value));
    }

    /// Adds a rectangle; of a one-dimensional array, `row` is its vertical position.
    pub(super) fn add(&mut self, domain: &NonEmptyDomain, row: usize, value: f64) {
        let Some((left, right)) = domain.first().and_then(|range| bounds(range, &self.x)) else {
            return;
        };
        let vertical = match &self.y {
            Some(axis) => domain.get(1).and_then(|range| bounds(range, axis)),
            None => Some((row as f64, row as f64 + 1.0)),
        };
        let Some((bottom, top)) = vertical else {
            return;
        };
        self.x.low = self.x.low.min(left);
        self.x.high = self.x.high.max(right);
        if let Some(y) = &mut self.y {
            y.low = y.low.min(bottom);
            y.high = y.high.max(top);
        }
        self.areas.push(Area {
            bounds: [left, right, bottom, top],
            value,
            hollow: false,
        });
    }

    pub(super) fn drawing(
        self,
        title: String,
        legend: (String, Datatype),
        rows: usize,
    ) -> Result<Drawing> {
        if self.areas.is_empty() {
            return Err(Problem::usage("the array has no cells to draw"));
        }
        let y = self.y.unwrap_or(Axis {
            name: "fragment".into(),
            datatype: Datatype::Int64,
            low: 0.0,
            high: rows as f64,
        });
        Ok(Drawing {
            title,
            x: self.x,
            y,
            areas: self.areas,
            legend,
            categories: &[],
            outlined: true,
        })
    }
}

fn age(fragment: &FragmentDetails) -> f64 {
    fragment.timestamps().end as f64
}

/// Returns the non-empty domains of fragments, colored by the time of writing.
pub(super) fn fragments(array: &Array) -> Result<Drawing> {
    let mut collector = Collector::new(&array.schema()?)?;
    let found = array.fragments()?;
    for (row, fragment) in found.iter().enumerate() {
        collector.add(&fragment.non_empty_domain(), row, age(fragment));
    }
    let title = format!("Fragments of {}", name(array));
    let legend = ("written".to_owned(), Datatype::DatetimeMs);
    collector.drawing(title, legend, found.len())
}

/// Returns an error if fragments have more tiles than are drawn.
pub(super) fn check_number(fragments: &[FragmentDetails]) -> Result<()> {
    let tiles = fragments.iter().map(FragmentDetails::tile_num);
    if tiles.fold(0, u64::saturating_add) > MAX_TILES {
        let message = format!("the array has more than {MAX_TILES} tiles");
        return Err(Problem::usage(message));
    }
    Ok(())
}

/// Returns the bounding rectangles of the tiles of fragments, colored by fragment.
pub(super) fn tiles(array: &Array) -> Result<Drawing> {
    let mut collector = Collector::new(&array.schema()?)?;
    let found = array.fragments()?;
    check_number(&found)?;
    for (row, fragment) in found.iter().enumerate() {
        for tile in fragment.tile_bounds()? {
            collector.add(&tile, row, row as f64);
        }
    }
    let title = format!("Tiles of {}", name(array));
    collector.drawing(title, ("fragment".to_owned(), Datatype::Int64), found.len())
}

/// Returns the timestamps in the name of a fragment, `__START_END_ID`.
fn timestamps(uri: &str) -> Option<(f64, f64)> {
    let name = uri.trim_end_matches('/').rsplit('/').next()?;
    let mut parts = name.trim_start_matches("__").split('_');
    let (start, end) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some((start, end))
}

/// Returns a bar for each fragment from its first to its last timestamp: writes, consolidated
/// fragments, and as hollow bars the fragments that they replaced.
pub(super) fn timeline(array: &Array) -> Result<Drawing> {
    let mut bars = Vec::new();
    for uri in array.replaced_fragments()? {
        bars.extend(timestamps(&uri).map(|times| (times, true)));
    }
    for fragment in array.fragments()? {
        let times = fragment.timestamps();
        bars.push(((times.start as f64, times.end as f64), false));
    }
    if bars.is_empty() {
        return Err(Problem::usage("the array has no fragments to draw"));
    }
    bars.sort_by(|a, b| a.0.0.total_cmp(&b.0.0).then(a.0.1.total_cmp(&b.0.1)));
    let low = bars
        .iter()
        .map(|((start, _), _)| *start)
        .fold(f64::INFINITY, f64::min);
    let high = bars.iter().map(|((_, end), _)| *end).fold(low, f64::max);
    // Single timestamps are as wide as a hundredth of the picture.
    let least = ((high - low) / 100.0).max(1.0);
    let rows = bars.len();
    let areas = bars
        .into_iter()
        .enumerate()
        .map(|(row, ((start, end), hollow))| Area {
            bounds: [
                start,
                end.max(start + least),
                row as f64 + 0.15,
                row as f64 + 0.85,
            ],
            value: if end > start { 1.0 } else { 0.0 },
            hollow,
        });
    let axis = |name: &str, datatype, low, high| Axis {
        name: name.to_owned(),
        datatype,
        low,
        high,
    };
    Ok(Drawing {
        title: format!("Timeline of {}", name(array)),
        x: axis("time", Datatype::DatetimeMs, low, high + least),
        y: axis("fragment", Datatype::Int64, 0.0, rows as f64),
        areas: areas.collect(),
        legend: (
            "0: write, 1: consolidated; hollow: replaced".into(),
            Datatype::Int64,
        ),
        categories: &[],
        outlined: true,
    })
}

/// Returns the last part of the URI of an array.
pub(super) fn name(array: &Array) -> &str {
    let uri = array.uri().trim_end_matches('/');
    uri.rsplit('/').next().unwrap_or(uri)
}
