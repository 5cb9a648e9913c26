//! The data of a picture of an array: the mean of an attribute in each bin of two dimensions.

use tiledb_engine::{Array, Datatype, FieldValues, Layout, Records, Schema};

use super::rectangles::{bounds, dimensions, is_matrix, name};
use super::{Area, Axis, Drawing};
use crate::problem::{Problem, Result};

/// The most bins of an axis.
const MAX_BINS: usize = 256;

/// An axis that is divided into bins.
struct Bins {
    axis: Axis,
    number: usize,
}

impl Bins {
    fn new(array: &Array, schema: &Schema, index: usize) -> Result<Option<Self>> {
        let Some(dimension) = schema.dimensions().get(index) else {
            return Ok(None);
        };
        let mut axis = Axis {
            name: dimension.name.clone(),
            datatype: dimension.datatype,
            low: 0.0,
            high: 1.0,
        };
        let domain = array.non_empty_domain()?;
        let domain = domain.ok_or_else(|| Problem::usage("the array has no cells to draw"))?;
        let range = domain.get(index).and_then(|range| bounds(range, &axis));
        (axis.low, axis.high) = range.ok_or_else(|| {
            Problem::usage(format!(
                "dimension '{}' has strings, which cannot be drawn",
                axis.name
            ))
        })?;
        let width = axis.high - axis.low;
        let whole = !axis.datatype.is_real() && width <= MAX_BINS as f64;
        let number = if whole { width as usize } else { MAX_BINS };
        Ok(Some(Self {
            axis,
            number: number.max(1),
        }))
    }

    fn width(&self) -> f64 {
        (self.axis.high - self.axis.low) / self.number as f64
    }

    /// Returns the bin of a cell.
    fn bin(&self, values: &FieldValues, cell: usize) -> Option<usize> {
        let value = values.scalar(cell)?.to_f64()?;
        let width = self.width();
        let index = if width > 0.0 {
            (value - self.axis.low) / width
        } else {
            0.0
        };
        Some((index as usize).min(self.number - 1))
    }

    /// Returns the bounds of a bin.
    fn bounds(&self, bin: usize) -> (f64, f64) {
        let low = self.axis.low + self.width() * bin as f64;
        (low, low + self.width())
    }
}

/// The sum and the number of the values in each bin.
struct Sums {
    x: Bins,
    y: Option<Bins>,
    bins: Vec<(f64, u64)>,
}

impl Sums {
    fn new(array: &Array, schema: &Schema) -> Result<Self> {
        let (horizontal, vertical) = dimensions(schema);
        let x = Bins::new(array, schema, horizontal)?;
        let x = x.ok_or_else(|| Problem::usage("the array has no dimensions"))?;
        let y = vertical.map(|index| Bins::new(array, schema, index));
        let y = y.transpose()?.flatten();
        let rows = y.as_ref().map_or(1, |bins| bins.number);
        let bins = vec![(0.0, 0); x.number * rows];
        Ok(Self { x, y, bins })
    }

    /// Adds the numbers of the attribute in a batch of cells.
    fn add(&mut self, batch: &Records, attribute: &str) -> Result<()> {
        let values = batch.field(attribute)?;
        let xs = batch.field(&self.x.axis.name)?;
        let y = self.y.as_ref();
        let ys = y.map(|bins| batch.field(&bins.axis.name)).transpose()?;
        for cell in 0..batch.len() {
            let value = values.scalar(cell).and_then(|value| value.to_f64());
            let row = match (y, ys) {
                (Some(bins), Some(ys)) => bins.bin(ys, cell),
                _ => Some(0),
            };
            let Some(((value, column), row)) = value.zip(self.x.bin(xs, cell)).zip(row) else {
                continue;
            };
            if !value.is_nan() {
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

/// Returns the means of an attribute over the first two dimensions.
pub(super) fn image(array: &Array, attribute: &str) -> Result<Drawing> {
    let schema = array.schema()?;
    let mut sums = Sums::new(array, &schema)?;
    let mut fields = vec![sums.x.axis.name.clone()];
    fields.extend(sums.y.iter().map(|bins| bins.axis.name.clone()));
    fields.push(attribute.to_owned());
    let mut query = array.query().fields(fields);
    if schema.is_dense() {
        // Dense arrays are drawn where they have cells.
        let domain = array.non_empty_domain()?.unwrap_or_default();
        for (dimension, range) in schema.dimensions().iter().zip(domain) {
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
        down: is_matrix(&schema),
    })
}

/// Returns the vertical axis of an array with one dimension.
fn single() -> Axis {
    Axis {
        name: String::new(),
        datatype: Datatype::Int64,
        low: 0.0,
        high: 1.0,
    }
}
