//! A form of an array, and what a sample costs in it.

use std::time::Instant;

use serde_json::{Value, json};
use tiledb_engine::{
    Array, ArrayType, Attribute, CellBytes, Compressor, Context, Datatype, Filter, FilterList,
    FilterType, Layout, ReadQuery, Scalar, Schema,
};

use super::sample::Sample;
use crate::problem::{Problem, Result};

/// A time that is added to each before times are compared, in seconds: shorter ones vary too much.
const NOISE: f64 = 1e-3;
/// The number of times that a read is repeated; the shortest time counts.
const REPEATS: usize = 3;

/// The filters of all fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filters {
    /// Those of the array.
    Present,
    None,
    Zstd,
    Lz4,
    ShuffleZstd,
    BitshuffleZstd,
    DeltaZstd,
    /// Those that are recommended for each field.
    Recommended,
}

impl Filters {
    const ALL: [Self; 7] = [
        Self::Recommended,
        Self::None,
        Self::Zstd,
        Self::Lz4,
        Self::ShuffleZstd,
        Self::BitshuffleZstd,
        Self::DeltaZstd,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::None => "none",
            Self::Zstd => "ZSTD",
            Self::Lz4 => "LZ4",
            Self::ShuffleZstd => "BYTESHUFFLE, ZSTD",
            Self::BitshuffleZstd => "BITSHUFFLE, ZSTD",
            Self::DeltaZstd => "DOUBLE_DELTA, ZSTD",
            Self::Recommended => "for each field",
        }
    }

    /// Returns the filters of a field. Texts and bytes are compressed only.
    fn to_list(
        self,
        name: &str,
        datatype: Datatype,
        present: &FilterList,
        sample: &Sample,
    ) -> FilterList {
        let is_number = !datatype.is_string() && !datatype.is_bytes() && datatype != Datatype::Char;
        let zstd = Filter::compression(Compressor::Zstd);
        let first = match self {
            Self::Present => return present.clone(),
            Self::Recommended => {
                return sample.recommended.filters(name).unwrap_or(present).clone();
            }
            Self::None => return FilterList::default(),
            Self::Lz4 => return FilterList::of(Filter::compression(Compressor::Lz4)),
            Self::Zstd => None,
            Self::ShuffleZstd => Filter::new(FilterType::Byteshuffle),
            Self::BitshuffleZstd => Filter::new(FilterType::Bitshuffle),
            // Floating-point numbers have no differences that decode to the same bits.
            Self::DeltaZstd if datatype.is_real() => Filter::new(FilterType::Byteshuffle),
            Self::DeltaZstd => Some(Filter::compression(Compressor::DoubleDelta)),
        };
        let filters = first.filter(|_| is_number).into_iter().chain([zstd]);
        FilterList {
            filters: filters.collect(),
            ..FilterList::default()
        }
    }
}

/// A form of an array.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Form {
    cell_order: Layout,
    tile_order: Layout,
    /// The extent of each dimension; `None` for dimensions of strings.
    extents: Vec<Option<Scalar>>,
    capacity: u64,
    filters: Filters,
}

impl Form {
    /// Returns the present form of the array.
    pub(super) fn of(sample: &Sample) -> Self {
        let schema = &sample.schema;
        let dimensions = schema.dimensions().iter();
        let mut form = Self {
            cell_order: schema.cell_order(),
            tile_order: schema.tile_order(),
            extents: dimensions
                .map(|dimension| dimension.tile_extent())
                .collect(),
            capacity: schema.capacity(),
            filters: Filters::Present,
        };
        form.limit(sample);
        form
    }

    /// Returns the form that the engine recommends for the sample.
    pub(super) fn recommended(sample: &Sample) -> Self {
        let schema = &sample.recommended;
        let dimensions = schema.dimensions().iter();
        let mut form = Self {
            cell_order: schema.cell_order(),
            tile_order: schema.tile_order(),
            extents: dimensions
                .map(|dimension| dimension.tile_extent())
                .collect(),
            capacity: schema.capacity(),
            filters: Filters::Recommended,
        };
        form.limit(sample);
        form
    }

    /// Returns whether the filters are those that the engine recommends.
    pub(super) fn has_recommended_filters(&self) -> bool {
        self.filters == Filters::Recommended
    }

    /// Limits the extents of a dense array to the sample.
    fn limit(&mut self, sample: &Sample) {
        if !sample.schema.is_dense() {
            return;
        }
        for (extent, (low, high)) in self.extents.iter_mut().zip(&sample.bounds) {
            if let (Some(Scalar::Integer(extent)), Scalar::Integer(low), Scalar::Integer(high)) =
                (extent, low, high)
            {
                *extent = (*extent).clamp(1, high - low + 1);
            }
        }
    }

    /// Returns this form with other extents, orders and capacities.
    pub(super) fn layouts(&self, sample: &Sample) -> Vec<Self> {
        let mut forms = Vec::new();
        if !sample.schema.is_dense() {
            for cell_order in [Layout::RowMajor, Layout::ColMajor, Layout::Hilbert] {
                for capacity in [1_000, 10_000, 100_000] {
                    forms.push(Self {
                        cell_order,
                        capacity,
                        ..self.clone()
                    });
                }
            }
            return forms;
        }
        let orders = match self.cell_order {
            Layout::ColMajor => [Layout::ColMajor, Layout::RowMajor],
            _ => [Layout::RowMajor, Layout::ColMajor],
        };
        let dimensions = self.extents.len();
        for cell_order in orders {
            for cells in [4_096f64, 65_536.0, 1_048_576.0] {
                let side = cells.powf(1.0 / dimensions as f64).round().max(1.0) as i128;
                let extents = vec![Some(Scalar::Integer(side)); dimensions];
                forms.push(Self {
                    cell_order,
                    extents,
                    ..self.clone()
                });
            }
            forms.push(Self {
                cell_order,
                ..self.clone()
            });
        }
        forms.iter_mut().for_each(|form| form.limit(sample));
        forms
    }

    /// Returns this form with the other order of tiles. The Hilbert order has no tiles.
    pub(super) fn tile_orders(&self) -> Vec<Self> {
        let tile_order = match (self.cell_order, self.tile_order) {
            (Layout::Hilbert, _) => return Vec::new(),
            (_, Layout::ColMajor) => Layout::RowMajor,
            _ => Layout::ColMajor,
        };
        vec![Self {
            tile_order,
            ..self.clone()
        }]
    }

    /// Returns this form with other filters.
    pub(super) fn filters(&self) -> Vec<Self> {
        let forms = Filters::ALL.iter().map(|filters| Self {
            filters: *filters,
            ..self.clone()
        });
        forms.collect()
    }

    fn extents_text(&self) -> String {
        let extents = self.extents.iter().map(|extent| match extent {
            Some(extent) => extent.to_string(),
            None => "-".to_owned(),
        });
        extents.collect::<Vec<_>>().join(" x ")
    }

    pub(super) fn layout_text(&self, sample: &Sample) -> String {
        let (cells, tiles) = (self.cell_order.name(), self.tile_order.name());
        let order = match self.cell_order {
            Layout::Hilbert => cells.to_owned(),
            _ => format!("{cells}/{tiles}"),
        };
        if sample.schema.is_dense() {
            format!("{order}, extents {}", self.extents_text())
        } else {
            format!("{order}, capacity {}", self.capacity)
        }
    }

    /// Returns all properties but the filters.
    pub(super) fn names(&self) -> String {
        let (cells, tiles) = (self.cell_order.name(), self.tile_order.name());
        let (extents, capacity) = (self.extents_text(), self.capacity);
        format!("cell order {cells}, tile order {tiles}, extents {extents}, capacity {capacity}")
    }

    pub(super) fn filters_text(&self) -> String {
        self.filters.name().to_owned()
    }

    pub(super) fn json(&self, sample: &Sample) -> Value {
        let extents = self
            .extents
            .iter()
            .map(|extent| extent.as_ref().map(ToString::to_string));
        let capacity = (!sample.schema.is_dense()).then_some(self.capacity);
        json!({
            "cell_order": self.cell_order.name(), "tile_order": self.tile_order.name(),
            "extents": extents.collect::<Vec<_>>(), "capacity": capacity,
            "filters": self.filters.name(),
        })
    }
}

/// The costs of the sample in a form: bytes and seconds.
#[derive(Clone, Debug)]
pub(super) struct SampleCosts {
    pub(super) form: Form,
    pub(super) bytes: u64,
    pub(super) write: f64,
    pub(super) read_all: f64,
    pub(super) read_boxes: f64,
}

impl SampleCosts {
    /// Returns the sum of the size and the times, each relative to another form.
    pub(super) fn score(&self, other: &Self) -> f64 {
        let ratio = |value: f64, other: f64| value / other.max(1e-9);
        let time = |value: f64, other: f64| ratio(value + NOISE, other + NOISE);
        ratio(self.bytes as f64, other.bytes as f64)
            + 0.5 * time(self.write, other.write)
            + time(self.read_all, other.read_all)
            + time(self.read_boxes, other.read_boxes)
    }

    pub(super) fn json(&self, sample: &Sample) -> Value {
        json!({
            "form": self.form.json(sample), "bytes": self.bytes, "write_seconds": self.write,
            "read_all_seconds": self.read_all, "read_boxes_seconds": self.read_boxes,
        })
    }
}

/// An array of the sample in a form.
pub(super) struct Candidate<'a> {
    sample: &'a Sample,
    form: Form,
}

impl<'a> Candidate<'a> {
    pub(super) fn new(sample: &'a Sample, form: Form) -> Self {
        Self { sample, form }
    }

    /// Writes the array, reads it, and removes it.
    pub(super) fn measure(self, context: &Context, uri: &str) -> Result<SampleCosts> {
        Array::create(context, uri, &self.schema()?)?;
        let mut array = Array::open(context, uri)?;
        let start = Instant::now();
        self.write(&array)?;
        let write = start.elapsed().as_secs_f64();
        array.reopen()?;
        let sizes = array.fragments()?;
        let bytes = sizes.iter().map(|fragment| fragment.size());
        let bytes = bytes.sum::<tiledb_engine::Result<u64>>()?;
        // Buffers that are much larger than the result would take most of the time.
        let memory = |part: usize| (self.sample.bytes() / part).max(1 << 16);
        let whole = array.query().batch_bytes(memory(1).saturating_mul(2));
        let read_all = shortest(|| self.read(&whole, self.sample.cells()))?;
        let some = array.query().batch_bytes(memory(16));
        let read_boxes = shortest(|| {
            let mut boxes = self.sample.boxes.iter();
            boxes.try_for_each(|subarray| self.read(&some.clone().subarray(subarray.clone()), 0))
        })?;
        drop(array);
        context.remove(uri)?;
        Ok(SampleCosts {
            form: self.form,
            bytes,
            write,
            read_all,
            read_boxes,
        })
    }

    fn schema(&self) -> Result<Schema> {
        let (schema, form) = (&self.sample.schema, &self.form);
        let kind = schema.array_type();
        let mut builder = Schema::builder(kind)
            .tile_order(form.tile_order)
            .cell_order(form.cell_order)
            .capacity(form.capacity);
        if kind == ArrayType::Sparse {
            builder = builder.allow_duplicates(true);
        }
        let dimensions = schema.dimensions().iter().zip(&form.extents);
        for ((dimension, extent), bounds) in dimensions.zip(&self.sample.bounds) {
            let domain = match dimension.bounds() {
                Some(_) if schema.is_dense() => Some(bounds.clone()),
                domain => domain,
            };
            builder = match (domain, extent) {
                (Some((low, high)), Some(extent)) => {
                    let (name, datatype) = (&dimension.name, dimension.datatype);
                    builder.dimension(name, datatype, low..=high, extent.clone())
                }
                _ => builder.string_dimension(&dimension.name),
            };
            let filters = form.filters.to_list(
                &dimension.name,
                dimension.datatype,
                &dimension.filters,
                self.sample,
            );
            builder = builder.filters(&dimension.name, filters);
        }
        for attribute in schema.attributes() {
            // The indexes of enumerations are stored as they are.
            let plain = Attribute {
                enumeration: None,
                ..(**attribute).clone()
            };
            let filters = form.filters.to_list(
                &attribute.name,
                attribute.datatype,
                &attribute.filters,
                self.sample,
            );
            builder = builder.with_attribute(plain.with_filters(filters)?);
        }
        Ok(builder.build()?)
    }

    fn write(&self, array: &Array) -> Result<()> {
        let mut write = array.write();
        for values in self.sample.records.fields() {
            let cells = CellBytes {
                data: values.data(),
                offsets: values.is_var().then_some(values.offsets()),
                validity: values.is_nullable().then_some(values.validity()),
            };
            write = write.column_bytes(values.name(), cells);
        }
        if self.sample.schema.is_dense() {
            write = write.layout(Layout::RowMajor);
        }
        Ok(write.submit()?)
    }

    /// Reads cells, of which there are at least `least`.
    fn read(&self, query: &ReadQuery, least: u64) -> Result<()> {
        let layout = if self.sample.schema.is_dense() {
            Layout::RowMajor
        } else {
            Layout::Unordered
        };
        let mut cells = 0;
        for batch in query.clone().layout(layout).batches()? {
            cells += batch?.len() as u64;
        }
        if cells < least {
            let message = format!("{cells} of {least} cells of the sample were read");
            return Err(Problem::damage(message).hint("this is an error of the program; report it"));
        }
        Ok(())
    }
}

/// Returns the shortest time of several runs in seconds.
fn shortest(mut run: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut seconds = f64::INFINITY;
    for _ in 0..REPEATS {
        let start = Instant::now();
        run()?;
        seconds = seconds.min(start.elapsed().as_secs_f64());
    }
    Ok(seconds)
}
