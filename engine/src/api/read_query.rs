//! Reads: the selection of fields and cells. `batches` delivers the results.

use std::collections::HashSet;
use std::ops::RangeBounds;
use std::sync::Arc;

use super::batches::{Batches, FieldStore};
use super::cell::FromCell;
use super::field_values::Records;
use super::subarray::Subarray;
use crate::array::Array as EngineArray;
use crate::buffers::{FieldForm, NeededSizes};
use crate::context::Context as EngineContext;
use crate::error::{ApiError, Error, Result};
use crate::expression::{Condition, Scalar};
use crate::memory;
use crate::query::{Explanation, Query};
use crate::subarray::Subarray as EngineSubarray;
use crate::types::{Layout, QueryType};

/// The default size of the buffers of a batch, in bytes.
const BATCH_BYTES: usize = 16 << 20;

/// A read that is being described: fields, ranges, condition. Nothing is read before one of the
/// methods that return values is called.
///
/// ```no_run
/// # use tiledb_engine::{Array, Context, Result, field};
/// # fn main() -> Result<()> {
/// # let array = Array::open(&Context::new()?, "weather")?;
/// let records = array
///     .query()
///     .fields(["station", "temperature"])
///     .range("day", 1..=31)
///     .condition(field("temperature").gt(20.5))
///     .collect()?;
/// let temperatures = records.values::<Option<f64>>("temperature")?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ReadQuery {
    array: Arc<EngineArray>,
    fields: Option<Vec<String>>,
    subarray: Subarray,
    condition: Option<Condition>,
    pub(super) layout: Option<Layout>,
    pub(super) batch_bytes: usize,
    #[cfg(feature = "arrow")]
    pub(super) durations: bool,
    #[cfg(feature = "arrow")]
    pub(super) indexes: Vec<String>,
    memory_budget: Option<u64>,
}

impl ReadQuery {
    pub(super) fn new(array: &Arc<EngineArray>) -> Self {
        Self {
            array: array.clone(),
            fields: None,
            subarray: Subarray::new(),
            condition: None,
            layout: None,
            batch_bytes: BATCH_BYTES,
            #[cfg(feature = "arrow")]
            durations: false,
            #[cfg(feature = "arrow")]
            indexes: Vec::new(),
            memory_budget: None,
        }
    }

    /// Selects the fields that are read: attributes, dimensions and dimension labels. By default
    /// these are the attributes and, of sparse arrays, the dimensions.
    #[must_use]
    pub fn fields<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.fields = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Adds a range of a dimension or a dimension label: `1..=31`, `1..32`, `1..` or `..=31`. Texts
    /// need an upper bound, which is included.
    #[must_use]
    pub fn range<V: Into<Scalar> + Clone>(
        mut self,
        name: &str,
        range: impl RangeBounds<V>,
    ) -> Self {
        self.subarray = self.subarray.range(name, range);
        self
    }

    /// Adds a single coordinate.
    #[must_use]
    pub fn point(mut self, name: &str, value: impl Into<Scalar>) -> Self {
        self.subarray = self.subarray.point(name, value);
        self
    }

    /// Replaces all ranges.
    #[must_use]
    pub fn subarray(mut self, subarray: Subarray) -> Self {
        self.subarray = subarray;
        self
    }

    /// Adds a condition that cells must satisfy. Cells of dense arrays that do not satisfy it have
    /// the fill value.
    #[must_use]
    pub fn condition(mut self, condition: Condition) -> Self {
        self.condition = Some(match self.condition {
            Some(first) => first & condition,
            None => condition,
        });
        self
    }

    /// Sets the order of the result; row-major by default. `Unordered` is fastest for sparse
    /// arrays.
    #[must_use]
    pub fn layout(mut self, layout: Layout) -> Self {
        self.layout = Some(layout);
        self
    }

    /// Sets the memory for the cells of a batch in bytes; 16 MiB by default. A batch is larger if
    /// a single cell needs more.
    #[must_use]
    pub fn batch_bytes(mut self, bytes: usize) -> Self {
        self.batch_bytes = bytes;
        self
    }

    /// Selects `Duration` as the Arrow type of times, which may be negative or longer than a day
    /// then; by default they are times of a day, of which those in seconds and milliseconds have 32
    /// bits.
    #[cfg(feature = "arrow")]
    #[must_use]
    pub fn durations(mut self) -> Self {
        self.durations = true;
        self
    }

    /// Selects attributes whose enumeration is left out of record batches: these have the stored
    /// indexes, as integers, and null for an index without a value. A consumer that looks values up
    /// itself saves the dictionary, whose indexes Arrow compares with its length. Other fields are
    /// not affected.
    #[cfg(feature = "arrow")]
    #[must_use]
    pub fn indexes<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.indexes = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the memory that the read may use beside the cells of a batch, in bytes; the parameter
    /// `sm.mem.total_budget` of the context by default.
    #[must_use]
    pub fn memory_budget(mut self, bytes: u64) -> Self {
        self.memory_budget = Some(bytes);
        self
    }

    /// Returns the context of the array.
    pub(super) fn context(&self) -> &Arc<EngineContext> {
        &self.array.vfs.context
    }

    /// Creates the query of the engine.
    pub(super) fn query(&self) -> Result<Query> {
        self.query_in(self.context())
    }

    /// Creates the query of the engine in a context.
    pub(super) fn query_in(&self, context: &Arc<EngineContext>) -> Result<Query> {
        let mut query = Query::within(context, &self.array, QueryType::Read)?;
        query.use_cell_starts();
        if let Some(bytes) = self.memory_budget {
            let mut config = query.request().config.clone();
            config.set(memory::PARAMETER, &bytes.to_string())?;
            query.set_config(&config)?;
        }
        if let Some(layout) = self.layout {
            query.set_layout(layout)?;
        }
        let mut subarray = query.request().subarray.clone();
        self.subarray.add_to(&mut subarray)?;
        if query.request().schema().is_dense() {
            complete(&mut subarray)?;
        }
        if subarray.is_set() {
            query.set_subarray(&subarray)?;
        }
        if let Some(condition) = &self.condition {
            let condition = condition.resolve(query.request().schema(), |name| {
                self.array.enumeration(name)
            })?;
            query.set_condition(&Arc::new(condition))?;
        }
        Ok(query)
    }

    pub(super) fn forms(&self, query: &Query) -> Result<Vec<FieldForm>> {
        let schema = query.request().schema();
        let names = self.fields.clone().unwrap_or_else(|| {
            schema
                .domain
                .dimensions
                .iter()
                .map(|dimension| dimension.name.clone())
                .filter(|_| !schema.is_dense())
                .chain(schema.attributes.iter().map(|field| field.name.clone()))
                .collect()
        });
        if names.is_empty() {
            return Err(ApiError::NoFields.into());
        }
        let mut forms = Vec::with_capacity(names.len());
        let mut known = HashSet::new();
        for name in &names {
            if !known.insert(name) {
                return Err(ApiError::SelectedTwice {
                    field: name.clone(),
                }
                .into());
            }
            forms.push(self.form(query, name)?);
        }
        Ok(forms)
    }

    pub(super) fn form(&self, query: &Query, name: &str) -> Result<FieldForm> {
        if let Some(form) = FieldForm::of(query.request().schema(), name, |name| {
            self.array.enumeration(name)
        })? {
            return Ok(form);
        }
        // The timestamps of cells.
        let field = query
            .request()
            .field(name)
            .map_err(|_| Error::from(ApiError::UnknownField { field: name.into() }))?;
        Ok(FieldForm {
            name: name.to_owned(),
            cells: field.cells,
            enumeration: None,
        })
    }

    /// Returns the names of the fields and the sizes of the complete result, without reading it.
    /// Offsets have 8 bytes.
    ///
    /// The sizes are exact if the metadata of tiles suffices; otherwise they are upper bounds.
    ///
    /// # Errors
    ///
    /// If names or values do not fit the schema of the array, or storage fails.
    pub fn result_sizes(&self) -> Result<Vec<(String, NeededSizes)>> {
        let query = self.query()?;
        let forms = self.forms(&query)?;
        let names: Vec<&str> = forms.iter().map(|form| &form.name[..]).collect();
        let needed = query.needed_sizes(&names, u64::MAX)?;
        Ok(names.into_iter().map(str::to_owned).zip(needed).collect())
    }

    /// Explains the read before it runs: fragments, tiles and bytes, and hints. Metadata of all
    /// tiles in the ranges is read. [`Batches::explain`] also has what happened.
    ///
    /// # Errors
    ///
    /// If names or values do not fit the schema of the array, or storage fails.
    pub fn explain(&self) -> Result<Explanation> {
        self.batches()?.explain()
    }

    /// Returns an iterator over the result in batches, which limits the memory for cells.
    ///
    /// # Errors
    ///
    /// If names or values do not fit the schema of the array.
    pub fn batches(&self) -> Result<Batches> {
        self.batches_in(self.context())
    }

    pub(super) fn batches_in(&self, context: &Arc<EngineContext>) -> Result<Batches> {
        let query = self.query_in(context)?;
        let forms = self.forms(&query)?;
        let share = self.batch_bytes / forms.len();
        let buffers = forms.into_iter().map(|form| FieldStore::new(form, share));
        Ok(Batches {
            buffers: buffers.collect::<Result<_>>()?,
            query,
            done: false,
        })
    }

    /// Reads all cells.
    ///
    /// # Errors
    ///
    /// If names or values do not fit the schema of the array, or storage fails.
    pub fn collect(&self) -> Result<Records> {
        let mut batches = self.batches()?;
        let mut records = batches.empty();
        for batch in &mut batches {
            records.append(batch?);
        }
        Ok(records)
    }

    /// Reads the cells of one field, such as `query.read::<Option<f64>>("temperature")?`.
    ///
    /// # Errors
    ///
    /// If names or values do not fit the schema of the array, the field has another datatype, a
    /// cell is null and `T` is not an `Option`, or storage fails.
    pub fn read<T: FromCell>(&self, field: &str) -> Result<Vec<T>> {
        self.clone().fields([field]).collect()?.values(field)
    }
}

/// Adds the complete domain of dimensions without ranges, which reads of dense arrays need. If the
/// array has a current domain, it is used.
fn complete(subarray: &mut EngineSubarray) -> Result<()> {
    let schema = subarray.schema.clone();
    for (index, dimension) in schema.domain.dimensions.iter().enumerate() {
        let current = schema
            .current_domain
            .as_ref()
            .and_then(|domain| domain.get(index));
        let number = index as u32;
        let is_set = subarray.is_dimension_set(index) || subarray.has_label_ranges(number);
        if let (false, Some(range)) = (is_set, current.or(dimension.domain.as_ref())) {
            subarray.add_range(number, range.start(), range.end())?;
        }
    }
    Ok(())
}
