//! A bounded sample of the cells of an array.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use tiledb_engine::{
    Array, FragmentDetails, Layout, ReadQuery, Records, SampleColumn, Scalar, Schema, Subarray,
};

use crate::problem::{Problem, Result};

/// The number of boxes that are read.
const BOXES: usize = 16;
/// The part of the sample that a box has.
const BOX_PART: f64 = 0.01;

/// The cells of a part of an array.
#[derive(Debug)]
pub(super) struct Sample {
    pub(super) schema: Schema,
    /// The cells of all fields; of a dense array, those of a box in row-major order.
    pub(super) records: Records,
    /// The bounds of the cells in each dimension.
    pub(super) bounds: Vec<(Scalar, Scalar)>,
    pub(super) boxes: Vec<Subarray>,
    /// The schema that the engine recommends for the cells, without new enumerations.
    pub(super) recommended: Schema,
    /// The reasons for it.
    pub(super) reasons: Vec<String>,
}

impl Sample {
    /// Reads at most `most` cells, or those of a tile if it has more.
    pub(super) fn take(array: &Array, most: u64) -> Result<Self> {
        let schema = array.schema()?;
        let Some(domain) = array.non_empty_domain()? else {
            return Err(Problem::usage("the array has no cells to measure")
                .hint("write or import cells first"));
        };
        let mut sample = Self {
            records: Records::default(),
            bounds: Vec::new(),
            boxes: Vec::new(),
            recommended: schema.clone(),
            reasons: Vec::new(),
            schema,
        };
        if sample.schema.is_dense() {
            // The centre of the non-empty domain may be between fragments.
            let written = largest_fragment(array)?.unwrap_or(domain);
            sample.take_box(array, &written, most)?;
        } else {
            sample.take_cells(array, most)?;
        }
        let fragments = array.fragments()?;
        let cells = fragments.iter().map(FragmentDetails::cell_num).sum();
        sample.recommend(cells)?;
        Ok(sample)
    }

    /// Sets the recommended schema, for an array with a number of cells.
    fn recommend(&mut self, total_cells: u64) -> Result<()> {
        let mut sample = tiledb_engine::Sample::new();
        if !self.schema.is_dense() {
            sample = sample.total_cells(total_cells);
        }
        for attribute in self.schema.attributes() {
            sample = sample.keep_texts(&attribute.name);
        }
        for values in self.records.fields() {
            sample = sample.column(SampleColumn {
                name: values.name(),
                data: values.data(),
                offsets: values.is_var().then_some(values.offsets()),
                validity: values.is_nullable().then_some(values.validity()),
            });
        }
        let recommendation = self.schema.recommend(&sample)?;
        let reasons = recommendation.reasons.iter();
        self.reasons = reasons.map(ToString::to_string).collect();
        self.recommended = recommendation.schema();
        Ok(())
    }

    /// Returns the memory of the cells in bytes.
    pub(super) fn bytes(&self) -> usize {
        let fields = self.records.fields().iter();
        let fields = fields
            .map(|field| field.data().len() + 8 * field.offsets().len() + field.validity().len());
        fields.sum()
    }

    pub(super) fn cells(&self) -> u64 {
        self.records.len() as u64
    }

    fn attributes(&self) -> Vec<String> {
        let names = self.schema.attributes().iter();
        names.map(|attribute| attribute.name.clone()).collect()
    }

    /// Reads a box at the centre of a box of a dense array. Its sides are halved until it is small
    /// enough.
    fn take_box(
        &mut self,
        array: &Array,
        written: &[RangeInclusive<Scalar>],
        most: u64,
    ) -> Result<()> {
        let integers = written
            .iter()
            .map(|range| Some((integer(range.start())?, integer(range.end())?)));
        let bounds: Option<Vec<(i128, i128)>> = integers.collect();
        let mut bounds = bounds.ok_or_else(|| Problem::usage("a dimension is not of integers"))?;
        let cells = |bounds: &[(i128, i128)]| {
            let sides = bounds.iter().map(|(low, high)| (high - low + 1) as f64);
            sides.product::<f64>()
        };
        while cells(&bounds) > most as f64 {
            let longest = bounds.iter_mut().max_by_key(|(low, high)| high - low);
            let Some((low, high)) = longest else { break };
            let quarter = ((*high - *low + 1) / 4).max(1);
            *low += quarter;
            *high = (*high - quarter).max(*low);
        }
        let mut query = array
            .query()
            .fields(self.attributes())
            .layout(Layout::RowMajor);
        for (dimension, (low, high)) in self.schema.dimensions().iter().zip(&bounds) {
            query = query.range(&dimension.name, *low..=*high);
        }
        self.records = query.collect()?;
        let scalars = bounds
            .iter()
            .map(|(low, high)| ((*low).into(), (*high).into()));
        self.bounds = scalars.collect();
        let part = BOX_PART.powf(1.0 / bounds.len() as f64);
        let mut random = Random(1);
        for _ in 0..BOXES {
            let mut subarray = Subarray::new();
            for (dimension, (low, high)) in self.schema.dimensions().iter().zip(&bounds) {
                let side = high - low + 1;
                let len = ((side as f64 * part).ceil() as i128).clamp(1, side);
                let start = low + random.below((side - len + 1) as u64) as i128;
                subarray = subarray.range(&dimension.name, start..=start + len - 1);
            }
            self.boxes.push(subarray);
        }
        Ok(())
    }

    /// Reads about `most` of the first cells of a sparse array in its own order.
    fn take_cells(&mut self, array: &Array, most: u64) -> Result<()> {
        let names: Vec<String> = self.schema.field_names().map(str::to_owned).collect();
        let query: ReadQuery = array.query().fields(names).layout(Layout::Unordered);
        let most_cells = usize::try_from(most).unwrap_or(usize::MAX);
        let cell = 16 * self.schema.field_names().count();
        let bytes = most_cells.saturating_mul(cell).clamp(1 << 16, 256 << 20);
        let batch = query.batch_bytes(bytes).batches()?.next();
        self.records = batch.transpose()?.unwrap_or_default();
        let cells = self.records.len();
        if cells == 0 {
            return Err(Problem::usage("the array has no cells to measure")
                .hint("write or import cells first"));
        }
        let mut sorted: Vec<Vec<Scalar>> = Vec::new();
        for dimension in self.schema.dimensions() {
            let mut values: Vec<Scalar> = self.records.values(&dimension.name)?;
            values.sort_by(compare);
            self.bounds
                .push((values[0].clone(), values[cells - 1].clone()));
            sorted.push(values);
        }
        let part = BOX_PART.powf(1.0 / sorted.len() as f64);
        let len = ((cells as f64 * part) as usize).clamp(1, cells);
        let mut random = Random(1);
        for _ in 0..BOXES {
            let mut subarray = Subarray::new();
            for (dimension, values) in self.schema.dimensions().iter().zip(&sorted) {
                let start = random.below((cells - len + 1) as u64) as usize;
                let range = values[start].clone()..=values[start + len - 1].clone();
                subarray = subarray.range(&dimension.name, range);
            }
            self.boxes.push(subarray);
        }
        Ok(())
    }
}

/// Returns the bounds of the fragment with the most cells.
fn largest_fragment(array: &Array) -> Result<Option<Vec<RangeInclusive<Scalar>>>> {
    let fragments = array.fragments()?.into_iter();
    let largest = fragments.max_by_key(FragmentDetails::cell_num);
    let bounds = largest.map(|fragment| fragment.non_empty_domain());
    Ok(bounds.filter(|bounds| !bounds.is_empty()))
}

fn integer(scalar: &Scalar) -> Option<i128> {
    match scalar {
        Scalar::Integer(value) => Some(*value),
        _ => None,
    }
}

fn compare(one: &Scalar, other: &Scalar) -> Ordering {
    match (one, other) {
        (Scalar::Integer(a), Scalar::Integer(b)) => a.cmp(b),
        (Scalar::Real(a), Scalar::Real(b)) => a.total_cmp(b),
        (Scalar::Text(a), Scalar::Text(b)) => a.cmp(b),
        (Scalar::Bytes(a), Scalar::Bytes(b)) => a.cmp(b),
        _ => Ordering::Equal,
    }
}

/// A linear congruential generator: the same boxes in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % limit.max(1)
    }
}
