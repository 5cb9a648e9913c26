//! Pictures of cells: first from statistics in the metadata, then from few cells, then from as many
//! as the picture has pixels, if the limits permit it.
//!
//! A response has a JSON text, preceded by its length in four bytes, and after padding to a
//! multiple of eight bytes the numbers of the picture by row as 64-bit floating-point numbers. NaN
//! is a missing cell.

use serde_json::{Value, json};
use tiledb_engine::{
    Array, Datatype, FieldValues, FragmentDetails, Layout, NonEmptyDomain, ReadQuery, Scalar,
    Schema,
};

use super::http::Request;
use super::map::{Frame, MAX_TILES, load_bounds, span};
use super::session::{MAX_BOX_TILES, Plan, Session, box_size, check, for_fragments, selection};
use crate::problem::{Problem, Result};
use crate::selection::{check_field, is_range_of, query, split_range};

/// The side of a picture in bins, by level: of statistics, of few cells, and of the last two.
const SIDES: [usize; 4] = [128, 32, 128, 256];
/// The most cells of a sparse array that are returned as points.
const MAX_POINTS: usize = 2000;
/// Fill values of at least this size in bytes are cells that were not written. Smaller ones are
/// also values: white in a picture with 8 or 16 bits.
const LEAST_FILL_BYTES: usize = 4;

/// A picture: numbers by row, and what they are.
struct Raster {
    columns: usize,
    rows: usize,
    numbers: Vec<f64>,
    properties: Value,
}

impl Raster {
    fn bytes(self) -> Vec<u8> {
        let mut json = self.properties;
        json["columns"] = self.columns.into();
        json["rows"] = self.rows.into();
        let text = json.to_string();
        let mut bytes = (text.len() as u32).to_le_bytes().to_vec();
        bytes.extend_from_slice(text.as_bytes());
        bytes.resize(bytes.len().next_multiple_of(8), b' ');
        bytes.extend(self.numbers.iter().flat_map(|number| number.to_le_bytes()));
        bytes
    }
}

/// Returns a picture of a field in the frame of a request, at a level.
pub(super) fn picture(session: &Session, request: &Request) -> Result<Vec<u8>> {
    let array = session.array(request)?;
    let schema = array.schema()?;
    let frame = Frame::new(&array, &schema, request)?;
    let level = request.number("level", (0, SIDES.len() - 1), 0);
    let field = request.parameter("field").unwrap_or_default();
    if schema.is_dense() || !field.is_empty() {
        check_field(&schema, field)?;
    }
    let view = View {
        session,
        array: &array,
        schema: &schema,
        frame,
        field,
        request,
    };
    let raster = match (schema.is_dense(), level) {
        (true, 0) => view.tile_means()?,
        (true, level) => view.sample(SIDES[level])?,
        (false, 0) => view.density()?,
        (false, level) => view.bins(SIDES[level].max(128))?,
    };
    Ok(raster.bytes())
}

/// The selection and the size of the picture that a request shows.
struct View<'a> {
    session: &'a Session,
    array: &'a Array,
    schema: &'a Schema,
    frame: Frame,
    /// The field that determines the colors; empty for the number of cells.
    field: &'a str,
    request: &'a Request,
}

/// The coordinates along one side of a picture of a dense array.
struct Side {
    low: i128,
    cells: i128,
    /// The number of coordinates that are shown.
    number: usize,
}

impl Side {
    /// Returns the cells of a dense dimension between two ends.
    fn new(schema: &Schema, dimension: usize, ends: (f64, f64), most: usize) -> Option<Self> {
        let dimension = &schema.dimensions()[dimension];
        let (first, last) = dimension.bounds()?;
        let (Scalar::Integer(first), Scalar::Integer(last)) = (first, last) else {
            return None;
        };
        let low = (ends.0.floor() as i128).clamp(first, last);
        let high = (ends.1.ceil() as i128 - 1).clamp(low, last);
        let cells = high - low + 1;
        let number = usize::try_from(cells).unwrap_or(usize::MAX).min(most);
        Some(Self { low, cells, number })
    }

    /// Returns the shown coordinate with an index: in the middle of the cells that it stands for.
    fn coordinate(&self, index: usize) -> i128 {
        self.low + (2 * index as i128 + 1) * self.cells / (2 * self.number as i128)
    }

    /// Adds the coordinates to a query.
    fn select(&self, mut query: ReadQuery, name: &str) -> ReadQuery {
        if self.number as i128 == self.cells {
            let high = self.low + self.cells - 1;
            return query.range(name, Scalar::Integer(self.low)..=Scalar::Integer(high));
        }
        for index in 0..self.number {
            query = query.point(name, Scalar::Integer(self.coordinate(index)));
        }
        query
    }

    fn ends(&self) -> [f64; 2] {
        [self.low as f64, (self.low + self.cells) as f64]
    }
}

impl View<'_> {
    fn raster(&self, columns: usize, rows: usize, bounds: [f64; 4]) -> Raster {
        Raster {
            columns,
            rows,
            numbers: vec![f64::NAN; columns * rows],
            properties: json!({"bounds": bounds, "limited": false}),
        }
    }

    /// Returns the domains of fragments that contain the fixed coordinates of other dimensions.
    fn contains_slice(&self, domain: &NonEmptyDomain) -> bool {
        let ranges = self.request.all("range");
        let ranges = ranges.filter_map(|text| split_range(self.schema, text));
        for (name, bounds) in ranges {
            let dimensions = self.schema.dimensions();
            let Some(index) = dimensions.iter().position(|other| other.name == name) else {
                continue;
            };
            let low = bounds
                .split("..")
                .next()
                .and_then(|text| text.parse::<f64>().ok());
            let own = domain
                .get(index)
                .and_then(|range| span(range, dimensions[index].datatype));
            if let (Some(low), Some((first, end))) = (low, own)
                && index != self.frame.x
                && Some(index) != self.frame.y
                && (low < first || low > end)
            {
                return false;
            }
        }
        true
    }

    /// Returns the mean of each tile of a dense array.
    fn tile_means(&self) -> Result<Raster> {
        let (columns, rows) = (SIDES[0], if self.frame.y.is_some() { SIDES[0] } else { 1 });
        let [x0, x1, y0, y1] = self.frame.bounds;
        let mut raster = self.raster(columns, rows, self.frame.bounds);
        raster.properties["source"] = "means of tiles, from statistics".into();
        let fragments = self.array.fragments()?;
        let total = fragments
            .iter()
            .map(|fragment| fragment.tile_num())
            .fold(0, u64::saturating_add);
        if total > MAX_TILES {
            raster.properties["limited"] = true.into();
            return Ok(raster);
        }
        let is_shown = |fragment: &FragmentDetails| {
            let domain = fragment.non_empty_domain();
            self.frame.rectangle(self.schema, &domain).is_some()
        };
        let shown: Vec<FragmentDetails> = fragments.into_iter().filter(is_shown).collect();
        let means = for_fragments(self.array, &shown, |fragment| {
            fragment.tile_means(self.field)
        })?;
        for (fragment, means) in shown.iter().zip(means) {
            check()?;
            for (domain, mean) in fragment.tile_bounds()?.iter().zip(means) {
                let (Some(mean), true) = (mean, self.contains_slice(domain)) else {
                    continue;
                };
                let Some([left, right, bottom, top]) = self.frame.rectangle(self.schema, domain)
                else {
                    continue;
                };
                let (from, to) = covered(left, right, x0, x1, columns);
                let (first, last) = covered(bottom, top, y0, y1, rows);
                for row in first..last {
                    raster.numbers[row * columns..][from..to].fill(mean);
                }
            }
        }
        Ok(raster)
    }

    /// Returns single cells of a dense array at equal distances, or all cells of a small frame.
    fn sample(&self, side: usize) -> Result<Raster> {
        let [x0, x1, y0, y1] = self.frame.bounds;
        let not_drawn = || Problem::usage("the dimension cannot be drawn");
        let x = Side::new(self.schema, self.frame.x, (x0, x1), side).ok_or_else(not_drawn)?;
        let y = match self.frame.y {
            Some(y) => Some(Side::new(self.schema, y, (y0, y1), side).ok_or_else(not_drawn)?),
            None => None,
        };
        let rows = y.as_ref().map_or(1, |y| y.number);
        let [left, right] = x.ends();
        let [bottom, top] = y.as_ref().map_or([0.0, 1.0], Side::ends);
        let mut raster = self.raster(x.number, rows, [left, right, bottom, top]);
        let shown = self.schema.dimensions();
        let mut cells = selection(self.request, vec![self.field.to_owned()]);
        let axes = [Some(self.frame.x), self.frame.y];
        let axes = axes
            .into_iter()
            .flatten()
            .map(|index| shown[index].name.as_str());
        let axes: Vec<&str> = axes.collect();
        cells.range.retain(|text| {
            let mut axes = axes.iter();
            !axes.any(|name| is_range_of(self.schema, text, name))
        });
        let has_condition = cells.condition.is_some();
        // The axes have a few coordinates each, and other dimensions the ranges of the selection.
        let part_num = |name: &str| {
            let mut ranges = cells.range.iter();
            // Axes have no range here.
            if ranges.any(|text| is_range_of(self.schema, text, name)) {
                1
            } else {
                u64::MAX
            }
        };
        let (_, tiles) = box_size(self.array, self.schema, &cells, part_num)?;
        if tiles.saturating_mul((x.number * rows) as u128) > MAX_BOX_TILES {
            raster.properties["limited"] = true.into();
            raster.properties["source"] = "too many tiles".into();
            return Ok(raster);
        }
        let mut query = query(self.array, &cells)?.layout(Layout::RowMajor);
        query = x.select(query, &shown[self.frame.x].name);
        if let (Some(y), Some(index)) = (&y, self.frame.y) {
            query = y.select(query, &shown[index].name);
        }
        for (index, dimension) in shown.iter().enumerate() {
            let is_axis = axes.contains(&dimension.name.as_str());
            let mut ranges = cells.range.iter();
            let is_fixed = ranges.any(|text| is_range_of(self.schema, text, &dimension.name));
            if !is_axis && !is_fixed {
                // Without a slider, the first coordinate with cells is shown.
                let domain = self.array.non_empty_domain()?;
                let low =
                    domain.and_then(|domain| domain.get(index).map(|range| range.start().clone()));
                let low = low.or_else(|| dimension.bounds().map(|(low, _)| low));
                query = query.point(&dimension.name, low.ok_or_else(not_drawn)?);
            }
        }
        let plan = Plan::of(self.array, &query)?;
        raster.properties["plan"] = plan.json();
        let exact =
            x.number as i128 == x.cells && y.as_ref().is_none_or(|y| y.number as i128 == y.cells);
        raster.properties["exact"] = exact.into();
        raster.properties["source"] = if exact {
            "all cells".into()
        } else {
            let step = |side: &Side| (side.cells as f64 / side.number as f64).round();
            let y = y
                .as_ref()
                .map_or_else(String::new, |y| format!(" x {}", step(y)));
            format!("one of {}{y} cells", step(&x)).into()
        };
        if !plan.is_within_limits() {
            raster.properties["limited"] = true.into();
            return Ok(raster);
        }
        self.session.expect(&plan, self.schema, &cells.columns);
        let written = WrittenCells::new(self.array, self.schema, self.field, has_condition)?;
        let is_transposed = self.frame.y.is_some_and(|y| y > self.frame.x);
        let mut position = 0;
        for batch in query.batches()? {
            let batch = batch?;
            check()?;
            let values = batch.field(self.field)?;
            for cell in 0..values.len() {
                let (row, column) = if is_transposed {
                    (position % rows, position / rows)
                } else {
                    (position / x.number, position % x.number)
                };
                position += 1;
                let coordinates = || {
                    let y = y.as_ref().map(|y| y.coordinate(row));
                    (x.coordinate(column), y)
                };
                if written.contains(values, cell, &self.frame, coordinates)
                    && let Some(to) = raster.numbers.get_mut(row * x.number + column)
                {
                    *to = number(values, cell);
                }
            }
        }
        Ok(raster)
    }

    /// Returns the number of cells of a sparse array in each bin, estimated from the bounds of
    /// tiles.
    fn density(&self) -> Result<Raster> {
        let (columns, rows) = (SIDES[0], if self.frame.y.is_some() { SIDES[0] } else { 1 });
        let [x0, x1, y0, y1] = self.frame.bounds;
        let mut raster = self.raster(columns, rows, self.frame.bounds);
        raster.properties["source"] = "estimated from the bounds of tiles".into();
        raster.properties["is_density"] = true.into();
        let (width, height) = ((x1 - x0) / columns as f64, (y1 - y0) / rows as f64);
        let fragments = self.array.fragments()?;
        load_bounds(self.array, self.schema, &self.frame, &fragments)?;
        for fragment in fragments {
            check()?;
            let domain = fragment.non_empty_domain();
            if self.frame.rectangle(self.schema, &domain).is_none() {
                continue;
            }
            // The bounds of very many tiles are those of the fragment.
            let is_coarse = fragment.tile_num() > MAX_TILES;
            let bounds = if is_coarse {
                vec![domain]
            } else {
                fragment.tile_bounds()?
            };
            let mut cells = fragment.cell_num();
            let capacity = if is_coarse {
                cells
            } else {
                self.schema.capacity()
            };
            for domain in bounds {
                let in_tile = cells.min(capacity);
                cells -= in_tile;
                let Some([left, right, bottom, top]) = self.frame.rectangle(self.schema, &domain)
                else {
                    continue;
                };
                // Tiles of a single coordinate of real numbers have no size.
                let (right, top) = (right.max(left + width), top.max(bottom + height));
                let density = in_tile as f64 / ((right - left) * (top - bottom));
                let (from, to) = covered(left, right, x0, x1, columns);
                let (first, last) = covered(bottom, top, y0, y1, rows);
                for row in first..last {
                    let low = y0 + height * row as f64;
                    let tall = top.min(low + height) - bottom.max(low);
                    for column in from..to {
                        let low = x0 + width * column as f64;
                        let wide = right.min(low + width) - left.max(low);
                        let bin = &mut raster.numbers[row * columns + column];
                        let share = density * wide.max(0.0) * tall.max(0.0);
                        if share > 0.0 {
                            *bin = if bin.is_nan() { share } else { *bin + share };
                        }
                    }
                }
            }
        }
        Ok(raster)
    }

    /// Returns the number of cells of a sparse array in each bin, or the mean of the field; few
    /// cells also as points.
    fn bins(&self, side: usize) -> Result<Raster> {
        let [x0, x1, y0, y1] = self.frame.bounds;
        let dimensions = self.schema.dimensions();
        let columns = bin_num(x1 - x0, side, dimensions[self.frame.x].datatype);
        let rows = match self.frame.y {
            Some(y) => bin_num(y1 - y0, side, dimensions[y].datatype),
            None => 1,
        };
        let mut raster = self.raster(columns, rows, self.frame.bounds);
        let axes = [Some(self.frame.x), self.frame.y];
        let axes: Vec<usize> = axes.into_iter().flatten().collect();
        let mut fields: Vec<String> = axes
            .iter()
            .map(|index| dimensions[*index].name.clone())
            .collect();
        if !self.field.is_empty() && !fields.iter().any(|name| name == self.field) {
            fields.push(self.field.to_owned());
        }
        let mut cells = selection(self.request, fields);
        cells.range.retain(|text| {
            let mut axes = axes.iter();
            !axes.any(|index| is_range_of(self.schema, text, &dimensions[*index].name))
        });
        let mut query = query(self.array, &cells)?.layout(Layout::Unordered);
        for (index, (low, high)) in axes.iter().zip([(x0, x1), (y0, y1)]) {
            let dimension = &dimensions[*index];
            let Some(range) = bounded(dimension, low, high) else {
                raster.properties["source"] = "no cells".into();
                return Ok(raster);
            };
            query = query.range(&dimension.name, range);
        }
        let plan = Plan::of(self.array, &query)?;
        raster.properties["plan"] = plan.json();
        raster.properties["is_density"] = self.field.is_empty().into();
        raster.properties["exact"] = true.into();
        if !plan.is_within_limits() {
            raster.properties["limited"] = true.into();
            return Ok(raster);
        }
        self.session.expect(&plan, self.schema, &cells.columns);
        let mut counts = vec![0.0; columns * rows];
        let (mut points, mut total) = (Vec::new(), 0_usize);
        for batch in query.batches()? {
            let batch = batch?;
            check()?;
            let fields = batch.fields();
            for cell in 0..batch.len() {
                let coordinate = |index: usize| fields.get(index)?.scalar(cell)?.to_f64();
                let (Some(x), Some(y)) = (
                    coordinate(0),
                    match self.frame.y {
                        Some(_) => coordinate(1),
                        None => Some(0.0),
                    },
                ) else {
                    continue;
                };
                let value = if self.field.is_empty() {
                    1.0
                } else {
                    batch
                        .field(self.field)
                        .map_or(f64::NAN, |values| number(values, cell))
                };
                total += 1;
                if points.len() <= 3 * MAX_POINTS {
                    points.extend([x, y, value]);
                }
                let bin = |value: f64, low: f64, high: f64, number: usize| {
                    let position = share_of(value, low, high) * number as f64;
                    (position.max(0.0) as usize).min(number - 1)
                };
                let index = bin(y, y0, y1, rows) * columns + bin(x, x0, x1, columns);
                if !value.is_nan() {
                    let sum = &mut raster.numbers[index];
                    *sum = if sum.is_nan() { value } else { *sum + value };
                    counts[index] += 1.0;
                }
            }
        }
        if !self.field.is_empty() {
            for (sum, count) in raster.numbers.iter_mut().zip(&counts) {
                *sum /= count;
            }
        }
        raster.properties["cells"] = total.into();
        raster.properties["source"] = if self.field.is_empty() {
            "counted".into()
        } else {
            "means of cells".into()
        };
        if points.len() <= 3 * MAX_POINTS {
            // JSON has no NaN.
            let points = points
                .iter()
                .map(|number| number.is_finite().then_some(*number));
            raster.properties["points"] = points.collect::<Vec<_>>().into();
        }
        Ok(raster)
    }
}

/// Returns the position of a value between two others, whose difference may be infinite.
fn share_of(value: f64, low: f64, high: f64) -> f64 {
    (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0)
}

/// Returns the bins that an interval covers, at least one if it is inside.
fn covered(low: f64, high: f64, first: f64, last: f64, number: usize) -> (usize, usize) {
    let position = |value: f64| share_of(value, first, last) * number as f64;
    let from = position(low).max(0.0).floor() as usize;
    let to = (position(high).ceil().max(0.0) as usize).min(number);
    let from = from.min(number.saturating_sub(1));
    (from, to.max((from + 1).min(number)))
}

fn bin_num(width: f64, side: usize, datatype: Datatype) -> usize {
    let is_whole = !datatype.is_real() && width <= side as f64;
    if is_whole {
        (width.ceil() as usize).max(1)
    } else {
        side
    }
}

/// Returns the coordinates of a dimension between two ends; `None` if the range is empty.
fn bounded(
    dimension: &tiledb_engine::Dimension,
    low: f64,
    high: f64,
) -> Option<std::ops::RangeInclusive<Scalar>> {
    let (first, last) = dimension.bounds()?;
    match (first, last) {
        (Scalar::Integer(first), Scalar::Integer(last)) => {
            let low = (low.floor() as i128).max(first);
            let high = (high.ceil() as i128 - 1).min(last);
            (low <= high).then_some(Scalar::Integer(low)..=Scalar::Integer(high))
        }
        (Scalar::Real(first), Scalar::Real(last)) => {
            let (low, high) = (low.max(first), high.min(last));
            (low <= high).then_some(Scalar::Real(low)..=Scalar::Real(high))
        }
        _ => None,
    }
}

/// Returns a cell as a number: the index of a value of an enumeration; NaN for null, for texts, and
/// for cells with several values.
fn number(values: &FieldValues, cell: usize) -> f64 {
    let datatype = values.datatype();
    if values.is_null(cell) || values.bytes(cell).len() != datatype.size() {
        return f64::NAN;
    }
    match Scalar::from_bytes(datatype, values.bytes(cell)) {
        // "Not a time".
        Scalar::Integer(value) if datatype.is_datetime() && value == i64::MIN.into() => f64::NAN,
        Scalar::Bool(value) => f64::from(u8::from(value)),
        scalar => scalar.to_f64().unwrap_or(f64::NAN),
    }
}

/// The cells of a dense array that were written.
struct WrittenCells {
    fill_value: Vec<u8>,
    fragments: Vec<NonEmptyDomain>,
    /// Whether every cell with the fill value was not written.
    fill_is_empty: bool,
}

impl WrittenCells {
    fn new(array: &Array, schema: &Schema, field: &str, has_condition: bool) -> Result<Self> {
        let attribute = schema.attribute(field);
        let fill_value = attribute.map_or_else(Vec::new, |found| found.fill_value.clone());
        let fragments = array.fragments()?;
        Ok(Self {
            // Cells that do not satisfy a condition have the fill value.
            fill_is_empty: has_condition || fill_value.len() >= LEAST_FILL_BYTES,
            fill_value,
            fragments: fragments
                .iter()
                .map(|fragment| fragment.non_empty_domain())
                .collect(),
        })
    }

    /// Returns whether a cell was written, as far as this can be known.
    fn contains(
        &self,
        values: &FieldValues,
        cell: usize,
        frame: &Frame,
        coordinates: impl Fn() -> (i128, Option<i128>),
    ) -> bool {
        if self.fill_value.is_empty() || values.bytes(cell) != self.fill_value {
            return true;
        }
        if self.fill_is_empty {
            return false;
        }
        let (x, y) = coordinates();
        let is_inside = |domain: &NonEmptyDomain, index: usize, value: i128| {
            let range = domain.get(index);
            range.is_some_and(|range| match (range.start(), range.end()) {
                (Scalar::Integer(low), Scalar::Integer(high)) => (low..=high).contains(&&value),
                _ => true,
            })
        };
        self.fragments.iter().any(|domain| {
            let is_row = frame
                .y
                .zip(y)
                .is_none_or(|(index, y)| is_inside(domain, index, y));
            is_row && is_inside(domain, frame.x, x)
        })
    }
}
