//! The data of pictures of fragments and tiles.

use tiledb_engine::{Array, Datatype, FragmentDetails, NonEmptyDomain, Schema};

use super::axes::{Axis, ShownDimensions, bounds};
use super::{Area, Category, Drawing, category};
use crate::problem::{Problem, Result};

/// The most tiles that are drawn.
const MAX_TILES: u64 = 20_000;
/// The least size of a tile in each direction, as a share of the picture: one of a single
/// coordinate has no size.
const LEAST_SHARE: f64 = 1e-6;

/// Collects rectangles on axes that grow with them.
pub(super) struct Collector {
    shown: ShownDimensions,
    x: Axis,
    y: Option<Axis>,
    areas: Vec<Area>,
}

impl Collector {
    /// Creates a collection for the dimensions with the names `axes`; see
    /// [`ShownDimensions::new`].
    pub(super) fn new(schema: &Schema, axes: &[String]) -> Result<Self> {
        let shown = ShownDimensions::new(schema, axes)?;
        let axis = |index| ShownDimensions::axis(schema, index);
        Ok(Self {
            shown,
            x: axis(shown.horizontal),
            y: shown.vertical.map(axis),
            areas: Vec::new(),
        })
    }

    /// Orders the areas by value, so that greater values cover smaller ones.
    pub(super) fn sort(&mut self) {
        self.areas.sort_by(|a, b| a.value.total_cmp(&b.value));
    }

    /// Orders the areas by size, so that smaller ones cover larger ones; if the sizes are equal,
    /// greater values cover smaller ones.
    pub(super) fn sort_by_size(&mut self) {
        let size = |area: &Area| {
            let [left, right, bottom, top] = area.bounds;
            (right - left) * (top - bottom)
        };
        self.areas.sort_by(|a, b| {
            let by_size = size(b).total_cmp(&size(a));
            by_size.then(a.value.total_cmp(&b.value))
        });
    }

    /// Adds a rectangle; of a one-dimensional array, `row` is its vertical position.
    pub(super) fn add(&mut self, domain: &NonEmptyDomain, row: usize, value: f64) {
        let horizontal = domain.get(self.shown.horizontal);
        let horizontal = horizontal.and_then(|range| bounds(range, self.x.datatype));
        let Some((left, right)) = horizontal else {
            return;
        };
        let vertical = match self.y.as_ref().zip(self.shown.vertical) {
            Some((axis, index)) => domain
                .get(index)
                .and_then(|range| bounds(range, axis.datatype)),
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
        let mut x = self.x;
        let mut y = self.y.unwrap_or(Axis {
            name: "fragment".into(),
            datatype: Datatype::Int64,
            low: 0.0,
            high: rows as f64,
            unit: 1.0,
        });
        x.widen();
        y.widen();
        Ok(Drawing {
            title,
            x,
            y,
            areas: self.areas,
            legend,
            categories: &[],
            outlined: true,
            down: self.shown.down,
        })
    }

    /// Divides the values of the areas, numbers of cells, by the sizes of the areas. The result is
    /// the decimal logarithm.
    fn divide_by_size(&mut self) {
        let width = (self.x.high - self.x.low) * LEAST_SHARE;
        let height = self.y.as_ref().map(|y| (y.high - y.low) * LEAST_SHARE);
        for area in &mut self.areas {
            let [left, right, bottom, top] = area.bounds;
            let height = height.map_or(1.0, |least| (top - bottom).max(least));
            let size = (right - left).max(width) * height;
            area.value = (area.value / size.clamp(f64::MIN_POSITIVE, f64::MAX)).log10();
        }
    }
}

fn age(fragment: &FragmentDetails) -> f64 {
    fragment.timestamps().end as f64
}

/// Returns the non-empty domains of fragments, colored by the time of writing.
pub(super) fn fragments(array: &Array, axes: &[String]) -> Result<Drawing> {
    let mut collector = Collector::new(&array.schema()?, axes)?;
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

/// Returns the bounding rectangles of the tiles of fragments, colored by the density of cells;
/// those of dense arrays, whose density is the same, by fragment.
pub(super) fn tiles(array: &Array, axes: &[String]) -> Result<Drawing> {
    let schema = array.schema()?;
    let mut collector = Collector::new(&schema, axes)?;
    let found = array.fragments()?;
    check_number(&found)?;
    for (row, fragment) in found.iter().enumerate() {
        let mut cells = fragment.cell_num();
        for tile in fragment.tile_bounds()? {
            // All tiles but the last one are full.
            let in_tile = cells.min(schema.capacity());
            cells -= in_tile;
            let value = if schema.is_dense() {
                row as f64
            } else {
                in_tile as f64
            };
            collector.add(&tile, row, value);
        }
    }
    let legend = if schema.is_dense() {
        ("fragment", Datatype::Int64)
    } else {
        collector.divide_by_size();
        collector.sort();
        ("density: log10 of cells per area", Datatype::Float64)
    };
    let title = format!("Tiles of {}", name(array));
    collector.drawing(title, (legend.0.to_owned(), legend.1), found.len())
}

/// The fragments of a timeline.
const TIMELINE: [Category; 4] = [
    category("write", [68, 57, 130], '█'),
    category("replaced, not vacuumed", [255, 255, 255], '□'),
    category("consolidation", [53, 183, 121], '▓'),
    category("consolidation, sources vacuumed", [235, 200, 30], '░'),
];

/// The times from the first to the last timestamp of a fragment.
#[derive(Clone, Copy)]
struct TimeSpan {
    start: f64,
    end: f64,
}

impl TimeSpan {
    /// Returns the timestamps in the name of a fragment, `__START_END_ID`.
    fn of_name(uri: &str) -> Option<Self> {
        let name = uri.trim_end_matches('/').rsplit('/').next()?;
        let mut parts = name.trim_start_matches("__").split('_');
        Some(Self {
            start: parts.next()?.parse().ok()?,
            end: parts.next()?.parse().ok()?,
        })
    }

    fn contains(self, other: Self) -> bool {
        other.start >= self.start && other.end <= self.end
    }
}

/// A fragment in a timeline.
struct TimelineBar {
    times: TimeSpan,
    /// Whether a consolidated fragment has replaced it.
    replaced: bool,
}

impl TimelineBar {
    /// Returns the index of its category in [`TIMELINE`].
    fn category(&self, bars: &[Self]) -> f64 {
        let is_source = |bar: &Self| bar.replaced && self.times.contains(bar.times);
        match (self.replaced, self.times.end > self.times.start) {
            (true, _) => 1.0,
            (false, false) => 0.0,
            (false, true) if bars.iter().any(is_source) => 2.0,
            (false, true) => 3.0,
        }
    }
}

/// Returns the bars of all fragments, ordered by their times.
fn timeline_bars(array: &Array) -> Result<Vec<TimelineBar>> {
    let mut bars = Vec::new();
    for uri in array.replaced_fragments()? {
        bars.extend(TimeSpan::of_name(&uri).map(|times| TimelineBar {
            times,
            replaced: true,
        }));
    }
    for fragment in array.fragments()? {
        let times = fragment.timestamps();
        let times = TimeSpan {
            start: times.start as f64,
            end: times.end as f64,
        };
        bars.push(TimelineBar {
            times,
            replaced: false,
        });
    }
    bars.sort_by(|a, b| {
        let by_start = a.times.start.total_cmp(&b.times.start);
        by_start.then(a.times.end.total_cmp(&b.times.end))
    });
    Ok(bars)
}

/// Returns a bar for each fragment from its first to its last timestamp: writes, fragments that
/// consolidations wrote, and the fragments that they replaced, until these are vacuumed.
pub(super) fn timeline(array: &Array) -> Result<Drawing> {
    let bars = timeline_bars(array)?;
    if bars.is_empty() {
        return Err(Problem::usage("the array has no fragments to draw"));
    }
    let starts = bars.iter().map(|bar| bar.times.start);
    let low = starts.fold(f64::INFINITY, f64::min);
    let high = bars.iter().map(|bar| bar.times.end).fold(low, f64::max);
    // Single timestamps are as wide as a hundredth of the picture.
    let least = ((high - low) / 100.0).max(1.0);
    let areas = bars.iter().enumerate().map(|(row, bar)| Area {
        bounds: [
            bar.times.start,
            bar.times.end.max(bar.times.start + least),
            row as f64 + 0.15,
            row as f64 + 0.85,
        ],
        value: bar.category(&bars),
        hollow: bar.replaced,
    });
    let axis = |name: &str, datatype, low, high| Axis {
        name: name.to_owned(),
        datatype,
        low,
        high,
        unit: 1.0,
    };
    Ok(Drawing {
        title: format!("Timeline of {}", name(array)),
        x: axis("time", Datatype::DatetimeMs, low, high + least),
        y: axis("fragment", Datatype::Int64, 0.0, bars.len() as f64),
        areas: areas.collect(),
        legend: ("fragments".into(), Datatype::Int64),
        categories: &TIMELINE,
        outlined: true,
        down: false,
    })
}

/// Returns the last part of the URI of an array.
pub(super) fn name(array: &Array) -> &str {
    let uri = array.uri().trim_end_matches('/');
    uri.rsplit('/').next().unwrap_or(uri)
}
