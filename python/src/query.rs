//! Queries of tables: ranges, conditions, columns, aggregates, explanations.

use std::sync::Arc;

use pyo3::exceptions::{PyIndexError, PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyCapsule, PyDict, PyEllipsis, PyList, PySlice, PyTuple};
use pyo3::{IntoPyObjectExt, intern};
use tiledb_engine::{
    AggregateOperator, Condition, Context, Datatype, Layout, ReadQuery, Records, Scalar,
};

use crate::array::{Opened, PyArray};
use crate::arrow;
use crate::columns::to_array;
use crate::context::{detach, detach_long};
use crate::errors::OrRaise;
use crate::schema::layout;
use crate::values::{object, scalar};

/// A range of a dimension, both bounds included.
type NamedRange = (String, Scalar, Scalar);

/// Parses what is between the brackets of a sparse array. The end of a slice of integers is not
/// part of it; that of other types is. Returns `None` if an empty list selects no cells.
pub(crate) fn sparse_ranges(
    opened: &Opened,
    key: &Bound<'_, PyAny>,
) -> PyResult<Option<Vec<NamedRange>>> {
    let dimensions = opened.schema.dimensions();
    let keys = match key.cast::<PyTuple>() {
        Ok(keys) => keys.iter().collect::<Vec<_>>(),
        Err(_) => vec![key.clone()],
    };
    let dots = keys
        .iter()
        .filter(|key| key.is_instance_of::<PyEllipsis>())
        .count();
    if dots > 1 || keys.len() - dots > dimensions.len() {
        return Err(PyIndexError::new_err(format!(
            "{} indexes were given for an array with {} dimensions",
            keys.len(),
            dimensions.len()
        )));
    }
    let mut ranges = Vec::new();
    let mut has_cells = true;
    let mut next = 0;
    let number = keys.len() - dots;
    for key in keys {
        if key.is_instance_of::<PyEllipsis>() {
            next += dimensions.len() - number;
            continue;
        }
        let Some(dimension) = dimensions.get(next) else {
            break;
        };
        let datatype = dimension.datatype;
        has_cells &= add_range(
            opened,
            &dimension.name,
            datatype,
            &key,
            !datatype.is_integer(),
            &mut ranges,
        )?;
        next += 1;
    }
    Ok(has_cells.then_some(ranges))
}

/// Adds the ranges that a slice, a value, or a list of values, pairs and slices selects. Returns
/// whether there are any: an empty list selects no cells.
fn add_range(
    opened: &Opened,
    name: &str,
    datatype: Datatype,
    key: &Bound<'_, PyAny>,
    inclusive: bool,
    ranges: &mut Vec<NamedRange>,
) -> PyResult<bool> {
    let py = key.py();
    if let Ok(slice) = key.cast::<PySlice>() {
        if !slice.getattr(intern!(py, "step"))?.is_none() {
            return Err(PyIndexError::new_err(
                "a sparse array cannot be read in steps",
            ));
        }
        let (start, stop) = (
            slice.getattr(intern!(py, "start"))?,
            slice.getattr(intern!(py, "stop"))?,
        );
        if start.is_none() && stop.is_none() {
            return Ok(true);
        }
        let bounds = match opened.schema.label(name) {
            _ if !start.is_none() && !stop.is_none() => None,
            Some(label) => Some(extremes(label.datatype).ok_or_else(|| {
                PyIndexError::new_err(format!("the range of '{name}' needs two bounds"))
            })?),
            None => bounds_of(py, opened, name)?,
        };
        let low = match (start.is_none(), &bounds) {
            (false, _) => coordinate(opened, name, &start, datatype)?,
            (true, Some((low, _))) => low.clone(),
            // Without cells the range does not matter.
            (true, None) => return Ok(true),
        };
        let high = match (stop.is_none(), &bounds) {
            (false, _) => match coordinate(opened, name, &stop, datatype)? {
                Scalar::Integer(value) if !inclusive => Scalar::Integer(value - 1),
                other => other,
            },
            (true, Some((_, high))) => high.clone(),
            (true, None) => return Ok(true),
        };
        // Ranges end at the domain, as those of NumPy.
        let (low, high) = match (low, high, domain(opened, name)) {
            (
                Scalar::Integer(low),
                Scalar::Integer(high),
                Some((Scalar::Integer(first), Scalar::Integer(last))),
            ) => (
                Scalar::Integer(low.max(first)),
                Scalar::Integer(high.min(last)),
            ),
            (low, high, _) => (low, high),
        };
        if let (Scalar::Integer(low), Scalar::Integer(high)) = (&low, &high)
            && low > high
        {
            return Ok(false);
        }
        return Ok(add_bounds(opened, name, low, high, ranges));
    }
    if key.is_instance_of::<PyBool>() {
        return Err(PyIndexError::new_err("a truth value is no coordinate"));
    }
    let is_list = key.is_instance_of::<PyList>() || key.hasattr("__array__")? && key.len().is_ok();
    if is_list {
        let mut has_ranges = false;
        for item in key.try_iter()? {
            let item = item?;
            if item.is_instance_of::<PySlice>() || item.is_instance_of::<PyTuple>() {
                has_ranges |= add_range(opened, name, datatype, &item, inclusive, ranges)?;
            } else {
                let value = coordinate(opened, name, &item, datatype)?;
                has_ranges |= add_bounds(opened, name, value.clone(), value, ranges);
            }
        }
        return Ok(has_ranges);
    }
    if let Ok(pair) = key.cast::<PyTuple>() {
        let (low, high): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
        let low = coordinate(opened, name, &low, datatype)?;
        let high = coordinate(opened, name, &high, datatype)?;
        return Ok(add_bounds(opened, name, low, high, ranges));
    }
    let value = coordinate(opened, name, key, datatype)?;
    Ok(add_bounds(opened, name, value.clone(), value, ranges))
}

/// Returns the domain of a dimension; `None` of labels and strings.
fn domain(opened: &Opened, name: &str) -> Option<(Scalar, Scalar)> {
    opened.schema.dimension(name)?.bounds()
}

/// Returns a bound of a range. Negative integers count from the end of domains without negative
/// coordinates, as in indexes of dense arrays.
fn coordinate(
    opened: &Opened,
    name: &str,
    value: &Bound<'_, PyAny>,
    datatype: Datatype,
) -> PyResult<Scalar> {
    let value = scalar(value, datatype)?;
    Ok(match (value, domain(opened, name)) {
        (Scalar::Integer(value), Some((Scalar::Integer(first), Scalar::Integer(last))))
            if value < 0 && first >= 0 && datatype.is_integer() =>
        {
            Scalar::Integer(value + last + 1)
        }
        // Dates as texts are compared with the domain as the numbers that are stored for them.
        (Scalar::Text(text), Some((Scalar::Integer(_), _))) => {
            let text = Scalar::Text(text);
            match text.to_bytes(datatype) {
                Ok(bytes) => Scalar::from_bytes(datatype, &bytes),
                Err(_) => text,
            }
        }
        (value, _) => value,
    })
}

/// Adds a range unless it is outside of the domain, where no cells are; the engine would read the
/// cells at the nearest bound. Returns whether it was added.
fn add_bounds(
    opened: &Opened,
    name: &str,
    low: Scalar,
    high: Scalar,
    ranges: &mut Vec<NamedRange>,
) -> bool {
    let is_outside = match (&low, &high, domain(opened, name)) {
        (
            Scalar::Integer(low),
            Scalar::Integer(high),
            Some((Scalar::Integer(first), Scalar::Integer(last))),
        ) => *high < first || *low > last,
        (
            Scalar::Real(low),
            Scalar::Real(high),
            Some((Scalar::Real(first), Scalar::Real(last))),
        ) => *high < first || *low > last,
        _ => false,
    };
    if !is_outside {
        ranges.push((name.to_owned(), low, high));
    }
    !is_outside
}

/// Returns the least and the largest value of a datatype; `None` for strings.
pub(crate) fn extremes(datatype: Datatype) -> Option<(Scalar, Scalar)> {
    if datatype.is_string() {
        return None;
    }
    if datatype.is_real() {
        let largest = if datatype.size() == 4 {
            f64::from(f32::MAX)
        } else {
            f64::MAX
        };
        return Some((Scalar::Real(-largest), Scalar::Real(largest)));
    }
    let bits = 8 * datatype.size() as u32;
    let is_unsigned = matches!(
        datatype,
        Datatype::Uint8 | Datatype::Uint16 | Datatype::Uint32 | Datatype::Uint64
    );
    let (low, high) = if is_unsigned {
        (0, (1_i128 << bits) - 1)
    } else {
        (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
    };
    Some((Scalar::Integer(low), Scalar::Integer(high)))
}

/// Returns the bounds of the cells of a dimension.
fn bounds_of(py: Python<'_>, opened: &Opened, name: &str) -> PyResult<Option<(Scalar, Scalar)>> {
    let domain = detach(py, || opened.array.non_empty_domain())?.or_raise(py)?;
    let position = opened
        .schema
        .dimensions()
        .iter()
        .position(|dimension| dimension.name == name);
    let range = domain
        .zip(position)
        .and_then(|(domain, index)| domain.get(index).cloned());
    Ok(range.map(|range| range.into_inner()))
}

/// A read that is described; nothing is read before a method that returns values is called. The
/// class `Query` of Python extends it.
#[pyclass(name = "Query", module = "tiledb_rs._native", subclass, frozen)]
pub(crate) struct PyQuery {
    opened: Arc<Opened>,
    query: ReadQuery,
    /// Whether the array has cells, without which reads of dense arrays return none, and the ranges
    /// have some.
    has_cells: bool,
    /// Whether the caller chose the size of batches.
    has_batch_bytes: bool,
}

/// The largest size of a batch of a read of all cells.
const MAX_BATCH_BYTES: u64 = 16 << 20;

/// Reads all cells. The buffers of a batch, which are filled with zeros first, are not larger than
/// the result can be.
pub(crate) fn collect(query: &ReadQuery) -> tiledb_engine::Result<Records> {
    let sizes = query.result_sizes()?;
    let needed = sizes.iter().map(|(_, needed)| {
        let sizes = &needed.sizes;
        // A quarter of the memory of strings is for offsets.
        let strings = sizes.data.saturating_mul(4) / 3;
        let offsets = sizes.offsets.saturating_mul(4);
        let bytes = if offsets > 0 {
            strings.max(offsets)
        } else {
            sizes.data.saturating_add(sizes.validity)
        };
        bytes.saturating_add(64)
    });
    // The fields have equal shares.
    let bytes = needed.max().unwrap_or(0).saturating_mul(sizes.len() as u64);
    let bytes = bytes.min(MAX_BATCH_BYTES) as usize;
    query.clone().batch_bytes(bytes).collect()
}

impl PyQuery {
    fn context(&self) -> &Context {
        self.opened.array.context()
    }
}

#[pymethods]
impl PyQuery {
    #[new]
    #[pyo3(signature = (array, r#where=None, columns=None, ranges=None, order=None, batch_bytes=0))]
    fn new(
        array: &Bound<'_, PyArray>,
        r#where: Option<&str>,
        columns: Option<Bound<'_, PyAny>>,
        ranges: Option<&Bound<'_, PyDict>>,
        order: Option<&str>,
        batch_bytes: usize,
    ) -> PyResult<Self> {
        let py = array.py();
        let opened = array.get().opened()?;
        let is_dense = opened.schema.is_dense();
        let mut query = opened.array.query().durations();
        if let Some(columns) = columns {
            if columns.is_instance_of::<pyo3::types::PyString>() {
                return Err(PyTypeError::new_err(
                    "columns is a list of names, not a text",
                ));
            }
            let names: Vec<String> = columns
                .try_iter()?
                .map(|name| name?.extract())
                .collect::<PyResult<_>>()?;
            for name in &names {
                let labels = opened.schema.labels().any(|(label, _)| label == name);
                if !labels {
                    opened.column(name)?;
                }
            }
            query = query.fields(names);
        }
        let mut selected = Vec::new();
        let mut has_cells = true;
        for (name, key) in ranges.into_iter().flatten() {
            let name: String = name.extract()?;
            has_cells &= add_named_range(&opened, &name, &key, &mut selected)?;
        }
        if is_dense {
            // Of dimensions without a range, the coordinates of written cells are read.
            let domain = detach(py, || opened.array.non_empty_domain())?.or_raise(py)?;
            has_cells &= domain.is_some();
            let labels: Vec<(&str, &str)> = opened.schema.labels().collect();
            for (dimension, range) in opened
                .schema
                .dimensions()
                .iter()
                .zip(domain.unwrap_or_default())
            {
                let is_set = selected.iter().any(|(name, ..)| {
                    *name == dimension.name
                        || labels.iter().any(|(label, of_dimension)| {
                            label == name && *of_dimension == dimension.name
                        })
                });
                if !is_set {
                    let (low, high) = range.into_inner();
                    selected.push((dimension.name.clone(), low, high));
                }
            }
        }
        for (name, low, high) in selected {
            query = query.range(&name, low..=high);
        }
        if let Some(text) = r#where {
            query = query.condition(Condition::parse(text).or_raise(py)?);
        }
        query = match (order, is_dense) {
            (Some(name), _) => query.layout(layout(name)?),
            (None, true) => query,
            (None, false) => query.layout(Layout::Unordered),
        };
        if batch_bytes > 0 {
            query = query.batch_bytes(batch_bytes);
        }
        Ok(Self {
            opened,
            query,
            has_cells,
            has_batch_bytes: batch_bytes > 0,
        })
    }

    /// Reads all cells as arrays of NumPy by name.
    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = PyDict::new(py);
        if !self.has_cells {
            let batches = detach(py, || self.query.batches())?.or_raise(py)?;
            for cells in batches.empty().fields() {
                found.set_item(cells.name(), to_array(py, cells, &[0])?)?;
            }
            return Ok(found);
        }
        let read = || {
            if self.has_batch_bytes {
                self.query.collect()
            } else {
                collect(&self.query)
            }
        };
        let records = detach_long(py, self.context(), read)?.or_raise(py)?;
        for cells in records.fields() {
            found.set_item(cells.name(), to_array(py, cells, &[cells.len()])?)?;
        }
        Ok(found)
    }

    /// Returns the number of cells.
    fn count(&self, py: Python<'_>) -> PyResult<u64> {
        if !self.has_cells {
            return Ok(0);
        }
        detach_long(py, self.context(), || self.query.count())?.or_raise(py)
    }

    /// Computes aggregates, given as pairs of an operator and a field, in one pass.
    fn _aggregate<'py>(
        &self,
        py: Python<'py>,
        requests: Vec<(String, String)>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mut aggregates = Vec::with_capacity(requests.len());
        for (operator, field) in &requests {
            let name = operator.to_uppercase();
            let known = AggregateOperator::from_name(&name).ok_or_else(|| {
                PyValueError::new_err(format!("there is no aggregate '{operator}'"))
            })?;
            if known != AggregateOperator::Count {
                self.opened.column(field)?;
            }
            aggregates.push((known, &field[..]));
        }
        if !self.has_cells {
            let values = aggregates.iter().map(|(operator, _)| match operator {
                AggregateOperator::Count | AggregateOperator::NullCount => {
                    0_u64.into_bound_py_any(py)
                }
                _ => Ok(py.None().into_bound(py)),
            });
            return values.collect();
        }
        let results = detach_long(py, self.context(), || self.query.aggregate(&aggregates))?;
        let results = results.or_raise(py)?;
        let values = results.iter().map(|result| match result.scalar(0) {
            Some(value) => object(py, &value, result.datatype()),
            None => Ok(py.None().into_bound(py)),
        });
        values.collect()
    }

    /// Returns the explanation as JSON and as text. With `run` the cells are read and dropped
    /// first.
    fn _explain(&self, py: Python<'_>, run: bool) -> PyResult<(String, String)> {
        let explanation = detach_long(py, self.context(), || {
            let mut batches = self.query.batches()?;
            if run && self.has_cells {
                for batch in &mut batches {
                    batch?;
                }
            }
            batches.explain()
        })?;
        let explanation = explanation.or_raise(py)?;
        Ok((explanation.to_json(), explanation.to_string()))
    }

    /// Exports the read as a stream of Arrow, in bounded memory.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let batches = detach(py, || self.query.record_batches())?.or_raise(py)?;
        let context = self.opened.array.context().clone();
        arrow::stream_capsule(py, context, batches, self.has_cells, requested_schema)
    }

    /// Exports the schema of the result.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        use arrow_array::RecordBatchReader as _;
        let batches = detach(py, || self.query.record_batches())?.or_raise(py)?;
        arrow::schema_capsule(py, &batches.schema())
    }
}

/// Adds the ranges that a key selects of a dimension, or of a label, whose slices include their
/// ends. Returns whether it selects any.
pub(crate) fn add_named_range(
    opened: &Opened,
    name: &str,
    key: &Bound<'_, PyAny>,
    ranges: &mut Vec<NamedRange>,
) -> PyResult<bool> {
    if let Some(dimension) = opened.schema.dimension(name) {
        let datatype = dimension.datatype;
        return add_range(opened, name, datatype, key, !datatype.is_integer(), ranges);
    }
    let label = opened.schema.label(name);
    let label = label.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
    add_range(opened, name, label.datatype, key, true, ranges)
}
