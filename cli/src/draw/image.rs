//! The data of a picture of an array: the mean of an attribute in each bin of two dimensions.

use std::ops::RangeInclusive;

use tiledb_engine::{
    Array, Datatype, FieldValues, Layout, NonEmptyDomain, Records, Scalar, Schema,
};

use super::axes::{Axis, ShownDimensions, bounds};
use super::rectangles::name;
use super::{Area, Drawing};
use crate::args::{Cells, PictureOptions, Time};
use crate::problem::{Problem, Result};
use crate::selection::{query, selected_bounds};

/// The most bins of an axis.
const MAX_BINS: usize = 256;
/// Fill values of at least this size in bytes are cells that were not written. Smaller ones are
/// also values: white in a picture with 8 or 16 bits.
const LEAST_FILL_BYTES: usize = 4;

/// An axis that is divided into bins.
struct Bins {
    axis: Axis,
    number: usize,
}

impl Bins {
    /// Returns the bins of a dimension between the bounds of the cells, or of the selected ones.
    fn new(
        schema: &Schema,
        index: usize,
        domain: &NonEmptyDomain,
        selected: Option<RangeInclusive<Scalar>>,
    ) -> Result<Self> {
        let mut axis = ShownDimensions::axis(schema, index);
        let datatype = axis.datatype;
        let range = domain.get(index).and_then(|range| bounds(range, datatype));
        let (mut low, mut high) = range.ok_or_else(no_cells)?;
        if let Some((from, to)) = selected.and_then(|range| bounds(&range, datatype)) {
            (low, high) = (low.max(from), high.min(to));
            if low > high || (low == high && !datatype.is_real()) {
                return Err(no_cells());
            }
        }
        (axis.low, axis.high) = (low, high);
        axis.widen();
        let width = axis.high - axis.low;
        let whole = !datatype.is_real() && width <= MAX_BINS as f64;
        let number = if whole { width as usize } else { MAX_BINS };
        Ok(Self {
            axis,
            number: number.max(1),
        })
    }

    fn width(&self) -> f64 {
        // The difference of the bounds may be infinite.
        self.axis.high / self.number as f64 - self.axis.low / self.number as f64
    }

    /// Returns the bin of a cell.
    fn bin(&self, values: &FieldValues, cell: usize) -> Option<usize> {
        let value = values.scalar(cell)?.to_f64()?;
        let index = value / self.width() - self.axis.low / self.width();
        Some((index.max(0.0) as usize).min(self.number - 1))
    }

    /// Returns the bounds of a bin.
    fn bounds(&self, bin: usize) -> (f64, f64) {
        (self.edge(bin), self.edge(bin + 1))
    }

    /// Returns the lower bound of a bin; for the number of bins, the end of the last one.
    fn edge(&self, bin: usize) -> f64 {
        let from_low = self.axis.low + self.width() * bin as f64;
        if from_low.is_finite() {
            return from_low;
        }
        // The distance from the lower end may be infinite.
        self.axis.high - self.width() * (self.number - bin) as f64
    }
}

fn no_cells() -> Problem {
    Problem::usage("the array has no cells to draw")
}

/// The cells of a dense array that were written.
struct WrittenCells {
    fill_value: Vec<u8>,
    /// The domains of the fragments; `None` if one of them covers all others, or if fill values
    /// are never values.
    fragments: Option<Vec<NonEmptyDomain>>,
    /// Whether every cell with the fill value was not written.
    fill_is_empty: bool,
}

impl WrittenCells {
    fn new(
        array: &Array,
        schema: &Schema,
        attribute: &str,
        domain: &NonEmptyDomain,
        has_condition: bool,
    ) -> Result<Option<Self>> {
        let Some(attribute) = schema.attribute(attribute).filter(|_| schema.is_dense()) else {
            return Ok(None);
        };
        // Cells that do not satisfy a condition have the fill value.
        let fill_is_empty = has_condition || attribute.fill_value.len() >= LEAST_FILL_BYTES;
        let mut fragments = None;
        if !fill_is_empty {
            let all = array.fragments()?;
            let domains = all.iter().map(|fragment| fragment.non_empty_domain());
            let domains: Vec<_> = domains.collect();
            fragments = Some(domains).filter(|domains| !domains.contains(domain));
        }
        Ok(Some(Self {
            fill_value: attribute.fill_value.clone(),
            fragments,
            fill_is_empty,
        }))
    }

    /// Returns whether a cell was written, as far as this can be known.
    fn contains(&self, values: &FieldValues, coordinates: &[&FieldValues], cell: usize) -> bool {
        if values.bytes(cell) != self.fill_value {
            return true;
        }
        let Some(fragments) = &self.fragments else {
            return !self.fill_is_empty;
        };
        let cell: Vec<_> = coordinates.iter().map(|field| field.scalar(cell)).collect();
        let is_inside = |(range, value): (&RangeInclusive<Scalar>, &Option<Scalar>)| {
            let numbers = [Some(range.start()), value.as_ref(), Some(range.end())];
            let numbers = numbers.map(|scalar| match scalar {
                Some(Scalar::Integer(number)) => Some(*number),
                _ => None,
            });
            matches!(numbers, [Some(low), Some(value), Some(high)] if low <= value && value <= high)
        };
        fragments
            .iter()
            .any(|domain| domain.iter().zip(&cell).all(is_inside))
    }
}

/// The sum and the number of the values in each bin.
struct Sums {
    x: Bins,
    y: Option<Bins>,
    bins: Vec<(f64, u64)>,
    written: Option<WrittenCells>,
    /// The names of the dimensions by which written cells are known.
    dimensions: Vec<String>,
}

impl Sums {
    fn new(x: Bins, y: Option<Bins>, written: Option<WrittenCells>, schema: &Schema) -> Self {
        let rows = y.as_ref().map_or(1, |bins| bins.number);
        let by_fragments = |written: &&WrittenCells| written.fragments.is_some();
        let dimensions = schema.dimensions().iter();
        let dimensions = match written.as_ref().filter(by_fragments) {
            Some(_) => dimensions.map(|other| other.name.clone()).collect(),
            None => Vec::new(),
        };
        Self {
            bins: vec![(0.0, 0); x.number * rows],
            x,
            y,
            written,
            dimensions,
        }
    }

    /// Returns the names of the dimensions that must be read.
    fn dimension_names(&self) -> Vec<String> {
        let mut names = vec![self.x.axis.name.clone()];
        names.extend(self.y.iter().map(|bins| bins.axis.name.clone()));
        let others = self.dimensions.iter();
        let others: Vec<_> = others
            .filter(|name| !names.contains(name))
            .cloned()
            .collect();
        names.extend(others);
        names
    }

    /// Adds the numbers of the attribute in a batch of cells.
    fn add(&mut self, batch: &Records, attribute: &str) -> Result<()> {
        let values = batch.field(attribute)?;
        let datatype = values.value_datatype();
        let xs = batch.field(&self.x.axis.name)?;
        let y = self.y.as_ref();
        let ys = y.map(|bins| batch.field(&bins.axis.name)).transpose()?;
        let fields = self.dimensions.iter().map(|name| batch.field(name));
        let coordinates = fields.collect::<tiledb_engine::Result<Vec<_>>>()?;
        for cell in 0..batch.len() {
            let written = self.written.as_ref();
            if written.is_some_and(|written| !written.contains(values, &coordinates, cell)) {
                continue;
            }
            let value = values.scalar(cell).filter(|value| !is_nat(value, datatype));
            let value = value.and_then(|value| value.to_f64());
            let row = match (y, ys) {
                (Some(bins), Some(ys)) => bins.bin(ys, cell),
                _ => Some(0),
            };
            let Some(((value, column), row)) = value.zip(self.x.bin(xs, cell)).zip(row) else {
                continue;
            };
            if value.is_finite() {
                let sum = &mut self.bins[row * self.x.number + column];
                *sum = (sum.0 + value, sum.1 + 1);
            }
        }
        Ok(())
    }

    /// Returns the bins that have numbers, with their means.
    fn areas(&self) -> Vec<Area> {
        let bins = self.bins.iter().enumerate();
        let filled = bins.filter(|(_, (_, numbers))| *numbers > 0);
        let areas = filled.map(|(index, (sum, numbers))| {
            let (left, right) = self.x.bounds(index % self.x.number);
            let row = index / self.x.number;
            let y = self.y.as_ref();
            let (bottom, top) = y.map_or((0.0, 1.0), |bins| bins.bounds(row));
            Area {
                bounds: [left, right, bottom, top],
                value: sum / *numbers as f64,
                hollow: false,
            }
        });
        areas.collect()
    }
}

/// Returns whether a value is "not a time", which NumPy stores as the least integer.
fn is_nat(value: &Scalar, datatype: Datatype) -> bool {
    (datatype.is_datetime() || datatype.is_time()) && *value == Scalar::Integer(i64::MIN.into())
}

/// Returns the means of an attribute over the shown dimensions, of the selected cells.
pub(super) fn image(array: &Array, attribute: &str, options: &PictureOptions) -> Result<Drawing> {
    let schema = array.schema()?;
    let shown = ShownDimensions::new(&schema, &options.axes)?;
    let mut cells = Cells {
        columns: Vec::new(),
        range: options.range.clone(),
        condition: options.condition.clone(),
        time: Time {
            at: options.time.at,
        },
    };
    let selected = selected_bounds(&schema, &cells)?;
    let domain = array.non_empty_domain()?.ok_or_else(no_cells)?;
    let bins = |index: usize| Bins::new(&schema, index, &domain, selected[index].clone());
    let (x, y) = (bins(shown.horizontal)?, shown.vertical.map(bins));
    let has_condition = options.condition.is_some();
    let written = WrittenCells::new(array, &schema, attribute, &domain, has_condition)?;
    let mut sums = Sums::new(x, y.transpose()?, written, &schema);
    cells.columns = sums.dimension_names();
    cells.columns.push(attribute.to_owned());
    cells.columns.dedup();
    let mut query = query(array, &cells)?;
    if schema.is_dense() {
        // Dense arrays are drawn where they have cells.
        let dimensions = schema.dimensions().iter().zip(&selected).zip(domain);
        for ((dimension, _), range) in dimensions.filter(|((_, selected), _)| selected.is_none()) {
            query = query.range(&dimension.name, range);
        }
    } else {
        query = query.layout(Layout::Unordered);
    }
    for batch in query.batches()? {
        sums.add(&batch?, attribute)?;
    }
    let areas = sums.areas();
    if areas.is_empty() {
        return Err(Problem::usage(format!(
            "attribute '{attribute}' has no numbers to draw"
        )));
    }
    Ok(Drawing {
        title: format!("{attribute} of {}", name(array)),
        x: sums.x.axis,
        y: sums.y.map_or_else(single, |bins| bins.axis),
        areas,
        legend: (attribute.to_owned(), Datatype::Float64),
        categories: &[],
        outlined: false,
        down: shown.down,
    })
}

/// Returns the vertical axis of an array with one dimension.
fn single() -> Axis {
    Axis {
        name: String::new(),
        datatype: Datatype::Int64,
        low: 0.0,
        high: 1.0,
        unit: 1.0,
    }
}
