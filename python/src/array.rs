//! Open arrays.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::{PyArrayDescr, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PySlice, PyString, PyTuple};
use tiledb_engine::{
    Array, ErrorKind, Layout, MaintenanceMode, ReadQuery, Scalar, Schema, TimeRange,
};

use crate::arrow;
use crate::columns::{self, Column, read_plain, to_array, write_column};
use crate::context::{self, Parameters, detach, detach_long};
use crate::errors::{OrRaise, exception, raised};
use crate::index::{Axis, AxisIndex, Selection, complete};
use crate::memory::{finished, new_array};
use crate::query::{add_named_range, collect};
use crate::schema::{PySchema, attribute, layout};
use crate::values::{metadata_object, metadata_values, object, scalar, texts as texts_of};

/// The size of a batch of labels.
const LABEL_BATCH_BYTES: usize = 1 << 20;

/// The state of an open array.
pub(crate) struct Opened {
    pub(crate) array: Array,
    pub(crate) schema: Schema,
    pub(crate) axes: Vec<Axis>,
    /// The dimensions and the attributes.
    pub(crate) columns: Vec<Column>,
    /// The dimension labels.
    labels: Vec<Column>,
}

impl Opened {
    fn new(array: Array) -> tiledb_engine::Result<Self> {
        let schema = array.schema()?;
        Ok(Self {
            axes: Axis::all(&schema),
            columns: Column::all(&schema),
            labels: Column::labels(&schema),
            array,
            schema,
        })
    }

    /// Returns the attributes.
    pub(crate) fn attributes(&self) -> &[Column] {
        self.columns
            .get(self.schema.dimensions().len()..)
            .unwrap_or_default()
    }

    pub(crate) fn column(&self, name: &str) -> PyResult<&Column> {
        let mut columns = self.columns.iter().chain(&self.labels);
        let found = columns.find(|column| column.name == name);
        found.ok_or_else(|| {
            let problem = format!("the array has no field '{name}'");
            Python::attach(|py| exception(py, "NotFoundError", problem))
        })
    }

    /// Returns the number of the dimension of a label; `None` for other columns.
    fn labelled(&self, column: &Column) -> Option<usize> {
        let mut labels = self.schema.labels();
        let (_, dimension) = labels.find(|(name, _)| *name == column.name)?;
        self.axes.iter().position(|axis| axis.name == dimension)
    }

    /// Parses what is between the brackets of a dense array.
    fn select(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<Selection> {
        match key.cast::<PyDict>() {
            Ok(keys) => Selection::parse_named(&self.axes, keys, |name, key| {
                self.label_index(py, name, key)
            }),
            Err(_) => Selection::parse(&self.axes, key),
        }
    }

    /// Returns the dimension of a label, and the coordinates that an index of the label selects:
    /// a value, a slice with both ends included, or a list of these.
    fn label_index(
        &self,
        py: Python<'_>,
        name: &str,
        key: &Bound<'_, PyAny>,
    ) -> PyResult<(usize, AxisIndex)> {
        let number = self.labelled(self.column(name)?);
        let number = number.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        let axis = &self.axes[number];
        if let Ok(slice) = key.cast::<PySlice>() {
            let mut ranges = Vec::new();
            if !add_named_range(self, name, slice.as_any(), &mut ranges)? {
                return Ok((number, AxisIndex::of(&[])));
            }
            if ranges.is_empty() {
                return Ok((number, complete(axis)));
            }
            let found = self.labelled_coordinates(py, number, &ranges)?;
            return Ok((number, AxisIndex::of(&found)));
        }
        let single = |key: &Bound<'_, PyAny>| {
            let mut ranges = Vec::new();
            let found = if add_named_range(self, name, key, &mut ranges)? {
                self.labelled_coordinates(py, number, &ranges)?
            } else {
                Vec::new()
            };
            if found.is_empty() {
                let value = key.str()?;
                let problem = format!("the label '{name}' has no value {value}");
                return Err(PyKeyError::new_err(problem));
            }
            Ok(found)
        };
        let is_list = key.is_instance_of::<PyList>()
            || key.hasattr(intern!(py, "__array__"))? && key.len().is_ok();
        if !is_list {
            let found = single(key)?;
            return Ok((number, AxisIndex::point(found[0])));
        }
        let mut coordinates = Vec::new();
        for value in key.try_iter()? {
            coordinates.extend(single(&value?)?);
        }
        Ok((number, AxisIndex::of(&coordinates)))
    }

    /// Returns the coordinates of a dimension whose labels are in ranges, in ascending order.
    fn labelled_coordinates(
        &self,
        py: Python<'_>,
        number: usize,
        ranges: &[(String, Scalar, Scalar)],
    ) -> PyResult<Vec<i128>> {
        let name = &self.axes[number].name;
        let mut query = self.single_line(number).fields([name]);
        query = query.batch_bytes(LABEL_BATCH_BYTES);
        for (label, low, high) in ranges {
            query = query.range(label, low.clone()..=high.clone());
        }
        let records = match detach(py, || query.collect())? {
            // A range without a value is an error of the engine.
            Err(error)
                if error.kind() == ErrorKind::InvalidArgument
                    && !self.has_labels(py, number, ranges)? =>
            {
                return Ok(Vec::new());
            }
            records => records.or_raise(py)?,
        };
        let cells = records.field(name).or_raise(py)?;
        let coordinate = |cell| match Scalar::from_bytes(cells.datatype(), cells.bytes(cell)) {
            Scalar::Integer(value) => Some(value),
            _ => None,
        };
        Ok((0..cells.len()).filter_map(coordinate).collect())
    }

    /// Returns whether the labels of a dimension have a value in one of these ranges.
    fn has_labels(
        &self,
        py: Python<'_>,
        number: usize,
        ranges: &[(String, Scalar, Scalar)],
    ) -> PyResult<bool> {
        let numpy = columns::numpy(py)?;
        for (label, low, high) in ranges {
            let column = self.column(label)?;
            let all = py.Ellipsis().into_bound(py);
            let selection = Selection::parse(&self.axes[number..=number], &all)?;
            let values = self.read_label(py, column, number, &selection)?;
            let dtype = values.getattr("dtype")?;
            let bound = |value| {
                let value = object(py, value, column.datatype)?;
                numpy.call_method1("asarray", (value, &dtype))
            };
            let after = values.call_method1("__ge__", (bound(low)?,))?;
            let before = values.call_method1("__le__", (bound(high)?,))?;
            let within = after.call_method1("__and__", (before,))?;
            if within.call_method0("any")?.is_truthy()? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns a read of the cells along a dimension at the first coordinates of the others.
    fn single_line(&self, number: usize) -> ReadQuery {
        let mut query = self.array.query();
        for (index, axis) in self.axes.iter().enumerate() {
            if index != number {
                query = query.range(&axis.name, axis.bounds.0..=axis.bounds.0);
            }
        }
        query
    }

    /// Reads the values of a dimension label.
    fn read_label<'py>(
        &self,
        py: Python<'py>,
        column: &Column,
        number: usize,
        selection: &Selection,
    ) -> PyResult<Bound<'py, PyAny>> {
        if selection.cells() == 0 {
            return Ok(new_array(column.dtype(py)?, &selection.shape())?.into_any());
        }
        let axes = &self.axes[number..=number];
        let query = selection.add_to(axes, self.single_line(number).fields([&column.name]));
        let query = query.batch_bytes(LABEL_BATCH_BYTES);
        let records = detach(py, || query.collect())?.or_raise(py)?;
        let cells = records.field(&column.name).or_raise(py)?;
        selection.apply(to_array(py, cells, &selection.shape())?)
    }

    /// Reads a field by coordinates.
    fn read_field<'py>(
        &self,
        py: Python<'py>,
        column: &Column,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if self.axes.is_empty() {
            return self.read_sparse(py, key, Some(column));
        }
        if let Some(number) = self.labelled(column) {
            let selection = Selection::parse(&self.axes[number..=number], key)?;
            return self.read_label(py, column, number, &selection);
        }
        self.read_dense(py, column, &self.select(py, key)?)
    }

    /// Reads a field of a dense array by positions from 0.
    fn read_positions<'py>(
        &self,
        py: Python<'py>,
        column: &Column,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.shape(None)?;
        if let Some(number) = self.labelled(column) {
            let selection = Selection::parse_positions(&self.axes[number..=number], key)?;
            return self.read_label(py, column, number, &selection);
        }
        let selection = Selection::parse_positions(&self.axes, key)?;
        self.read_dense(py, column, &selection)
    }

    fn only_attribute(&self) -> PyResult<&Column> {
        match self.attributes() {
            [column] => Ok(column),
            attributes => Err(PyTypeError::new_err(format!(
                "the array has {} attributes; select one by its name",
                attributes.len()
            ))),
        }
    }

    /// Reads a field of a dense array.
    fn read_dense<'py>(
        &self,
        py: Python<'py>,
        column: &Column,
        selection: &Selection,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut shape = selection.shape();
        let has_cells = selection.cells() > 0;
        if !column.is_plain() && has_cells {
            let query = selection.add_to(&self.axes, self.array.query().fields([&column.name]));
            let records =
                detach_long(py, self.array.context(), || collect(&query))?.or_raise(py)?;
            let cells = records.field(&column.name).or_raise(py)?;
            return selection.apply(to_array(py, cells, &shape)?);
        }
        if column.inner_len() != 1 {
            shape.push(column.inner_len());
        }
        let array = new_array(column.dtype(py)?, &shape)?;
        if has_cells {
            let query = selection.add_to(&self.axes, self.array.query());
            let read = read_plain(py, self.array.context(), &query, column, &array)?;
            if read != array.len() * column.dtype_values() {
                return Err(PyValueError::new_err(
                    "the read returned another number of values",
                ));
            }
        }
        if selection.is_simple() {
            return finished(array);
        }
        selection.apply(array.into_any())
    }

    /// Reads all attributes of a dense array: one as an array, several as a dictionary.
    fn read_all_dense<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let selection = self.select(py, key)?;
        if let [column] = self.attributes() {
            return self.read_dense(py, column, &selection);
        }
        let found = PyDict::new(py);
        for column in self.attributes() {
            found.set_item(&column.name, self.read_dense(py, column, &selection)?)?;
        }
        Ok(found.into_any())
    }

    /// Reads cells of a sparse array: a dictionary of all fields, or one field.
    fn read_sparse<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        column: Option<&Column>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut query = self.array.query().layout(Layout::RowMajor);
        let ranges = crate::query::sparse_ranges(self, key)?;
        let has_cells = ranges.is_some();
        for (name, low, high) in ranges.into_iter().flatten() {
            query = query.range(&name, low..=high);
        }
        if let Some(column) = column {
            query = query.fields([&column.name]);
        }
        let read = || {
            if has_cells {
                collect(&query)
            } else {
                Ok(query.batches()?.empty())
            }
        };
        let records = detach_long(py, self.array.context(), read)?.or_raise(py)?;
        if let Some(column) = column {
            let cells = records.field(&column.name).or_raise(py)?;
            return to_array(py, cells, &[cells.len()]);
        }
        let found = PyDict::new(py);
        for cells in records.fields() {
            found.set_item(cells.name(), to_array(py, cells, &[cells.len()])?)?;
        }
        Ok(found.into_any())
    }

    /// Reads a field into an array of NumPy of the same shape.
    fn read_into(
        &self,
        py: Python<'_>,
        column: &Column,
        out: &Bound<'_, PyAny>,
        key: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        if self.axes.is_empty() {
            return Err(PyTypeError::new_err("read_into reads dense arrays only"));
        }
        if self.labelled(column).is_some() {
            return Err(PyTypeError::new_err("read_into does not read labels"));
        }
        let selection = self.select(py, key)?;
        let out = out
            .cast::<PyUntypedArray>()
            .map_err(|_| PyTypeError::new_err("the array that is read into is not one of NumPy"))?;
        let flags = out.getattr(intern!(py, "flags"))?;
        if !flags.getattr(intern!(py, "writeable"))?.is_truthy()? {
            return Err(PyValueError::new_err(
                "the array that is read into is read-only",
            ));
        }
        let dtype: &Bound<'_, PyArrayDescr> = column.dtype(py)?;
        let is_direct = column.is_plain()
            && selection.is_simple()
            && flags.getattr(intern!(py, "carray"))?.is_truthy()?
            && out.dtype().eq(dtype)?
            && !columns::is_masked_array(out)?;
        if !is_direct {
            let mut values = self.read_dense(py, column, &selection)?;
            if column.is_complex() && out.ndim() == selection.shape().len() + 1 {
                values = columns::as_pairs(column, &values)?;
            }
            let same = values
                .getattr(intern!(py, "shape"))?
                .eq(out.getattr("shape")?)?;
            if !same {
                return Err(other_shape(
                    &values.getattr("shape")?,
                    &out.getattr("shape")?,
                ));
            }
            if columns::is_masked_array(out)? {
                return out.set_item(py.Ellipsis(), values);
            }
            columns::check_not_null(&column.name, &values)?;
            columns::numpy(py)?.call_method1("copyto", (out, values, "safe"))?;
            return Ok(());
        }
        let mut shape = selection.shape();
        if column.inner_len() != 1 {
            shape.push(column.inner_len());
        }
        if shape != out.shape() {
            let expected = PyTuple::new(py, shape)?;
            return Err(other_shape(expected.as_any(), &out.getattr("shape")?));
        }
        if selection.cells() > 0 {
            let query = selection.add_to(&self.axes, self.array.query());
            read_plain(py, self.array.context(), &query, column, out)?;
        }
        Ok(())
    }

    /// Returns the shape of a field of a dense array.
    fn shape(&self, column: Option<&Column>) -> PyResult<Vec<usize>> {
        if self.axes.is_empty() {
            return Err(PyTypeError::new_err("a sparse array has no shape"));
        }
        if let Some(number) = column.and_then(|column| self.labelled(column)) {
            return Ok(vec![self.axes[number].len()]);
        }
        let mut shape: Vec<usize> = self.axes.iter().map(Axis::len).collect();
        if let Some(column) = column.filter(|column| column.inner_len() != 1) {
            shape.push(column.inner_len());
        }
        Ok(shape)
    }
}

fn other_shape(result: &Bound<'_, PyAny>, given: &Bound<'_, PyAny>) -> PyErr {
    PyValueError::new_err(format!(
        "the result has shape {result}, and the array has {given}"
    ))
}

/// The arguments with which an array was opened.
#[derive(Clone, Debug)]
struct Source {
    uri: String,
    /// The URI, also after a change of the working directory and in other processes.
    location: String,
    timestamps: Option<(u64, u64)>,
    parameters: Parameters,
    is_writable: bool,
}

impl Source {
    fn open(&self, py: Python<'_>) -> PyResult<Opened> {
        let context = context::context(py, &self.parameters)?;
        let range = match self.timestamps {
            Some((start, end)) => TimeRange { start, end },
            None => TimeRange::ALL,
        };
        let opened = detach(py, || {
            Array::open_at(&context, &self.location, range).and_then(Opened::new)
        })?;
        opened.map_err(|error| match error.kind() {
            ErrorKind::NotFound => exception(py, "ObjectNotFoundError", error.to_string()),
            _ => raised(py, &error),
        })
    }
}

/// An open array. The class `Array` of Python extends it.
#[pyclass(
    name = "Array",
    module = "tiledb_rs._native",
    subclass,
    frozen,
    weakref
)]
pub(crate) struct PyArray {
    source: Source,
    state: Mutex<Option<Arc<Opened>>>,
}

impl PyArray {
    /// Returns the open array. The lock is held for the time of a copy of the pointer only, by a
    /// thread that is attached to Python, so that a forked child finds it free.
    pub(crate) fn opened(&self) -> PyResult<Arc<Opened>> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state
            .clone()
            .ok_or_else(|| PyValueError::new_err("the array is closed"))
    }

    fn set(&self, opened: Option<Opened>) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = opened.map(Arc::new);
    }

    fn writable(&self, py: Python<'_>) -> PyResult<Arc<Opened>> {
        if !self.source.is_writable {
            return Err(exception(
                py,
                "ReadOnlyError",
                "the array is open for reading; open it with mode 'w' to change it".to_owned(),
            ));
        }
        self.opened()
    }

    /// Makes the changes of this array visible in it.
    fn refresh(&self, py: Python<'_>) -> PyResult<()> {
        self.set(Some(self.source.open(py)?));
        Ok(())
    }

    fn write_timestamp(&self) -> Option<u64> {
        let (_, end) = self.source.timestamps?;
        Some(end).filter(|end| *end != TimeRange::ALL.end)
    }

    /// Writes cells of columns. Returns the URIs of the fragments.
    fn submit(
        &self,
        py: Python<'_>,
        opened: &Opened,
        cells: &Bound<'_, PyDict>,
        ranges: &[(String, Scalar, Scalar)],
        shape: Option<&[usize]>,
        order: Option<Layout>,
    ) -> PyResult<Vec<String>> {
        let mut write = opened.array.write();
        for (name, low, high) in ranges {
            write = write.range(name, low.clone()..=high.clone());
        }
        if let Some(order) = order {
            write = write.layout(order);
        }
        if let Some(timestamp) = self.write_timestamp() {
            write = write.at(timestamp);
        }
        for (name, values) in cells {
            let name: String = name.extract()?;
            let column = opened.column(&name)?;
            let labelled = opened.labelled(column);
            let label_shape = labelled.and_then(|number| match ranges.get(number) {
                Some((_, Scalar::Integer(low), Scalar::Integer(high))) => {
                    usize::try_from(high - low + 1).ok()
                }
                _ => None,
            });
            let label_shape = label_shape.map(|len| [len]);
            let shape = label_shape.as_ref().map(|shape| &shape[..]).or(shape);
            let enumeration = match &column.enumeration {
                Some(name) => Some(detach(py, || opened.array.enumeration(name))?.or_raise(py)?),
                None => None,
            };
            write = write_column(write, column, enumeration.as_deref(), &values, shape)?;
        }
        let write = || write.submit_fragments();
        detach_long(py, opened.array.context(), write)?.or_raise(py)
    }
}

pub(crate) fn timestamps(value: &Bound<'_, PyAny>) -> PyResult<(u64, u64)> {
    if let Ok(pair) = value.cast::<PyTuple>() {
        let (start, end): (Option<Bound<'_, PyAny>>, Option<Bound<'_, PyAny>>) = pair.extract()?;
        let start = start.map(|start| timestamp(&start)).transpose()?;
        let end = end.map(|end| timestamp(&end)).transpose()?;
        return Ok((start.unwrap_or(0), end.unwrap_or(u64::MAX)));
    }
    Ok((0, timestamp(value)?))
}

/// Returns a URI, or the absolute form of a path.
fn absolute(uri: &str) -> String {
    if uri.contains("://") || uri.is_empty() {
        return uri.to_owned();
    }
    let path = std::path::absolute(uri).ok();
    let path = path.and_then(|path| path.to_str().map(str::to_owned));
    path.unwrap_or_else(|| uri.to_owned())
}

/// Returns a time in milliseconds since 1970.
fn timestamp(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    if value.is_instance_of::<PyBool>() {
        return Err(PyTypeError::new_err("a truth value is no time"));
    }
    if value.hasattr("timestamp")? {
        let seconds: f64 = value.call_method0("timestamp")?.extract()?;
        if seconds.is_nan() || seconds < 0.0 {
            let time = value.str()?;
            return Err(PyValueError::new_err(format!(
                "the time {time} is not one since 1970"
            )));
        }
        // The float is rounded, because it does not represent every microsecond exactly.
        let microseconds = (seconds * 1e6).round() as u64;
        return Ok(microseconds / 1000);
    }
    if value.get_type().name()? == "datetime64" {
        let number = value.call_method1("astype", ("datetime64[ms]",))?;
        return number.call_method1("astype", ("int64",))?.extract();
    }
    value.extract()
}

/// Returns a URI or path as text.
pub(crate) fn uri_text(uri: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = match uri.extract::<String>() {
        Ok(text) => text,
        Err(_) => uri
            .py()
            .import("os")?
            .call_method1("fsdecode", (uri,))?
            .extract()
            .map_err(|_| {
                let problem = "the URI is not UTF-8".to_owned();
                exception(uri.py(), "InvalidArgumentError", problem)
            })?,
    };
    if text.contains('\0') {
        return Err(PyValueError::new_err("embedded null byte"));
    }
    Ok(text)
}

#[pymethods]
impl PyArray {
    #[new]
    #[pyo3(signature = (uri, mode="r", *, timestamp=None, key=None, config=None))]
    fn new(
        py: Python<'_>,
        uri: &Bound<'_, PyAny>,
        mode: &str,
        timestamp: Option<&Bound<'_, PyAny>>,
        key: Option<&Bound<'_, PyAny>>,
        config: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let is_writable = match mode {
            "r" => false,
            "w" => true,
            _ => return Err(PyValueError::new_err("the mode of an array is 'r' or 'w'")),
        };
        let uri = uri_text(uri)?;
        let source = Source {
            location: absolute(&uri),
            uri,
            timestamps: timestamp.map(timestamps).transpose()?,
            parameters: context::parameters(config, key)?,
            is_writable,
        };
        let opened = source.open(py)?;
        Ok(Self {
            source,
            state: Mutex::new(Some(Arc::new(opened))),
        })
    }

    /// Returns what creates an equal array: the class and its arguments.
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let array = slf.get();
        let config = PyDict::new(py);
        for (name, value) in &array.source.parameters {
            config.set_item(name, value)?;
        }
        let mode = if array.source.is_writable { "w" } else { "r" };
        let open = py.import("tiledb_rs._array")?.getattr("_reopen")?;
        let class = slf.get_type();
        // The copy has the state of this array.
        let timestamps = array._timestamps().unwrap_or(array.source.timestamps);
        let arguments =
            (class, &array.source.location, mode, timestamps, config).into_pyobject(py)?;
        Ok((open, arguments))
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) {
        self.close();
    }

    /// Closes the array. Reads that are running end as usual.
    fn close(&self) {
        self.set(None);
    }

    /// Opens the array again to see later writes.
    fn reopen(&self, py: Python<'_>) -> PyResult<()> {
        self.refresh(py)
    }

    /// Whether the array is open.
    #[getter]
    fn isopen(&self) -> bool {
        self.opened().is_ok()
    }

    /// The URI.
    #[getter]
    fn uri(&self) -> &str {
        &self.source.uri
    }

    /// The mode, `'r'` or `'w'`.
    #[getter]
    fn mode(&self) -> &'static str {
        if self.source.is_writable { "w" } else { "r" }
    }

    /// The last timestamp of the writes that are visible, in milliseconds since 1970.
    #[getter]
    fn timestamp(&self) -> PyResult<u64> {
        Ok(self.opened()?.array.timestamp())
    }

    fn _schema(&self) -> PyResult<PySchema> {
        let opened = self.opened()?;
        Ok(PySchema::of_array(
            opened.schema.clone(),
            opened.array.clone(),
        ))
    }

    /// Returns the timestamps of the writes that are visible, if the array does not have all of the
    /// time when it is opened.
    fn _timestamps(&self) -> PyResult<Option<(u64, u64)>> {
        if self.source.timestamps.is_some() || self.source.is_writable {
            return Ok(self.source.timestamps);
        }
        Ok(Some((0, self.opened()?.array.timestamp())))
    }

    fn _config(&self) -> Parameters {
        self.source.parameters.clone()
    }

    /// The length of each dimension.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let opened = self.opened()?;
        PyTuple::new(py, opened.shape(opened.only_attribute().ok())?)
    }

    /// The number of dimensions.
    #[getter]
    fn ndim(&self) -> PyResult<usize> {
        Ok(self.opened()?.schema.dimensions().len())
    }

    /// The dtype of the only attribute.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDescr>> {
        Ok(self.opened()?.only_attribute()?.dtype(py)?.clone())
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(self.opened()?.shape(None)?.first().copied().unwrap_or(0))
    }

    fn __getitem__<'py>(
        slf: &Bound<'py, Self>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let opened = slf.get().opened()?;
        if let Ok(name) = key.cast::<PyString>() {
            // A text is the name of a field, unless only coordinates can be meant.
            let name = name.to_str()?;
            if opened.column(name).is_ok() {
                let field = PyField {
                    array: slf.clone().unbind(),
                    name: name.to_owned(),
                };
                return Ok(field.into_pyobject(py)?.into_any());
            }
            if !opened
                .schema
                .dimensions()
                .first()
                .is_some_and(|first| first.is_var())
            {
                return Err(PyKeyError::new_err(name.to_owned()));
            }
        }
        if opened.axes.is_empty() {
            return opened.read_sparse(py, key, None);
        }
        opened.read_all_dense(py, key)
    }

    fn __setitem__(
        &self,
        py: Python<'_>,
        key: &Bound<'_, PyAny>,
        cells: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        self._write_box(py, key, cells)?;
        self.refresh(py)
    }

    /// Writes cells as an assignment to an index does, which this array does not show before it is
    /// opened again. Returns the URIs of the fragments.
    fn _write_box(
        &self,
        py: Python<'_>,
        key: &Bound<'_, PyAny>,
        cells: &Bound<'_, PyAny>,
    ) -> PyResult<Vec<String>> {
        let opened = self.writable(py)?;
        let columns = match cells.cast::<PyDict>() {
            Ok(columns) => columns.clone(),
            Err(_) => {
                let columns = PyDict::new(py);
                columns.set_item(&opened.only_attribute()?.name, cells)?;
                columns
            }
        };
        if opened.axes.is_empty() {
            let keys = match key.cast::<PyTuple>() {
                Ok(keys) => keys.clone(),
                Err(_) => PyTuple::new(py, [key])?,
            };
            let dimensions = opened.schema.dimensions();
            if keys.len() != dimensions.len() {
                return Err(PyValueError::new_err(format!(
                    "coordinates of {} dimensions are needed, and {} were given",
                    dimensions.len(),
                    keys.len()
                )));
            }
            let columns = columns.copy()?;
            for (dimension, coordinates) in dimensions.iter().zip(&keys) {
                let coordinates = columns::numpy(py)?.call_method1("atleast_1d", (coordinates,))?;
                columns.set_item(&dimension.name, coordinates)?;
            }
            return self.submit(py, &opened, &columns, &[], None, None);
        }
        let selection = opened.select(py, key)?;
        if selection.cells() == 0 {
            return Ok(Vec::new());
        }
        let mut ranges = Vec::with_capacity(opened.axes.len());
        for (axis, index) in opened.axes.iter().zip(&selection.axes) {
            let (low, high) = index.single_range().ok_or_else(|| {
                PyValueError::new_err("cells that are written need to be a box, without steps")
            })?;
            ranges.push((
                axis.name.clone(),
                Scalar::Integer(low),
                Scalar::Integer(high),
            ));
        }
        let shape = selection.shape();
        self.submit(py, &opened, &columns, &ranges, Some(&shape), None)
    }

    /// Writes cells given as columns, those of dimensions and attributes.
    #[pyo3(signature = (columns, order=None))]
    fn _write_columns(
        &self,
        py: Python<'_>,
        columns: &Bound<'_, PyDict>,
        order: Option<&str>,
    ) -> PyResult<()> {
        let opened = self.writable(py)?;
        let order = order.map(layout).transpose()?;
        self.submit(py, &opened, columns, &[], None, order)?;
        self.refresh(py)
    }

    /// Writes the record batches of an object with `__arrow_c_stream__`, as one fragment for about
    /// every `fragment_bytes` bytes. Returns the number of cells.
    fn _write_arrow(
        &self,
        py: Python<'_>,
        stream: &Bound<'_, PyAny>,
        fragment_bytes: usize,
    ) -> PyResult<u64> {
        let opened = self.writable(py)?;
        let reader = arrow::reader(stream)?;
        let array = opened.array.clone();
        let timestamp = self.write_timestamp();
        let written = detach_long(py, opened.array.context(), || {
            arrow::write(array, reader, timestamp, fragment_bytes)
        })?;
        let written = written.map_err(|problem| problem.raise(py))?;
        self.refresh(py)?;
        Ok(written)
    }

    /// Reads a field of a dense array into an array of NumPy. Without a copy if that has the dtype
    /// of the field and is contiguous.
    #[pyo3(signature = (out, key=None, *, attr=None))]
    fn read_into(
        &self,
        py: Python<'_>,
        out: &Bound<'_, PyAny>,
        key: Option<&Bound<'_, PyAny>>,
        attr: Option<&str>,
    ) -> PyResult<()> {
        let opened = self.opened()?;
        let column = match attr {
            Some(name) => opened.column(name)?,
            None => opened.only_attribute()?,
        };
        let all = py.Ellipsis().into_bound(py);
        opened.read_into(py, column, out, key.unwrap_or(&all))
    }

    /// Returns the bounds of the cells of each dimension, both included; `None` without cells.
    fn nonempty_domain<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let opened = self.opened()?;
        let domain = detach(py, || opened.array.non_empty_domain())?;
        let Some(ranges) = domain.or_raise(py)? else {
            return Ok(None);
        };
        let ranges = ranges
            .iter()
            .zip(opened.schema.dimensions())
            .map(|(range, dimension)| {
                let low = object(py, range.start(), dimension.datatype)?;
                Ok((low, object(py, range.end(), dimension.datatype)?))
            });
        PyTuple::new(py, ranges.collect::<PyResult<Vec<_>>>()?).map(Some)
    }

    fn _enumeration<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let opened = self.opened()?;
        let enumeration = detach(py, || opened.array.enumeration(name))?.or_raise(py)?;
        let values = enumeration
            .values()
            .map(|value| object(py, &value, enumeration.datatype()));
        values.collect()
    }

    fn _metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = PyDict::new(py);
        let opened = self.opened()?;
        let metadata = detach(py, || opened.array.metadata())?;
        for (key, values) in metadata.or_raise(py)? {
            found.set_item(key, metadata_object(py, &values)?)?;
        }
        Ok(found)
    }

    fn _set_metadata(&self, py: Python<'_>, key: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let opened = self.writable(py)?;
        let values = metadata_values(value)?;
        let timestamp = self.write_timestamp();
        detach(py, || opened.array.put_metadata_at(key, values, timestamp))?.or_raise(py)?;
        self.refresh(py)
    }

    fn _remove_metadata(&self, py: Python<'_>, key: &str) -> PyResult<()> {
        let opened = self.writable(py)?;
        let timestamp = self.write_timestamp();
        detach(py, || opened.array.remove_metadata_at(key, timestamp))?.or_raise(py)?;
        self.refresh(py)
    }

    fn _fragments<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let opened = self.opened()?;
        let fragments = detach(py, || opened.array.fragments())?.or_raise(py)?;
        let described = fragments.iter().map(|fragment| {
            let described = PyDict::new(py);
            let timestamps = fragment.timestamps();
            let domain = fragment.non_empty_domain();
            let domain = domain
                .iter()
                .zip(opened.schema.dimensions())
                .map(|(range, dimension)| {
                    let low = object(py, range.start(), dimension.datatype)?;
                    Ok((low, object(py, range.end(), dimension.datatype)?))
                });
            described.set_item("uri", fragment.uri())?;
            described.set_item("name", fragment.name())?;
            described.set_item("timestamps", (timestamps.start, timestamps.end))?;
            described.set_item("cells", fragment.cell_num())?;
            described.set_item("tiles", fragment.tile_num())?;
            described.set_item("bytes", fragment.size().or_raise(py)?)?;
            described.set_item("sparse", !fragment.is_dense())?;
            described.set_item("version", fragment.version())?;
            described.set_item("domain", domain.collect::<PyResult<Vec<_>>>()?)?;
            Ok(described)
        });
        described.collect()
    }

    /// Deletes the cells of a sparse array that satisfy a condition.
    fn delete(&self, py: Python<'_>, r#where: &str) -> PyResult<()> {
        let opened = self.writable(py)?;
        let condition = r#where.parse().or_raise(py)?;
        let timestamp = self.write_timestamp();
        detach(py, || opened.array.delete_at(&condition, timestamp))?.or_raise(py)?;
        self.refresh(py)
    }

    /// Deletes the fragments whose timestamps are completely in a range.
    fn delete_fragments(&self, py: Python<'_>, start: u64, end: u64) -> PyResult<()> {
        let opened = self.writable(py)?;
        detach(py, || opened.array.delete_fragments(start..=end))?.or_raise(py)?;
        self.refresh(py)
    }

    /// Deletes fragments by their URIs or names.
    fn _delete_named_fragments(&self, py: Python<'_>, names: Vec<String>) -> PyResult<()> {
        let opened = self.writable(py)?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        detach(py, || opened.array.delete_named_fragments(&names))?.or_raise(py)?;
        self.refresh(py)
    }

    /// Changes the schema: `add` has descriptions of attributes, `drop` names, and `extend` new
    /// values of enumerations by name.
    fn _evolve(
        &self,
        py: Python<'_>,
        add: Vec<Bound<'_, PyDict>>,
        drop: Vec<String>,
        extend: &Bound<'_, PyDict>,
        domain: Option<Bound<'_, PyList>>,
    ) -> PyResult<()> {
        let opened = self.writable(py)?;
        let mut changes = tiledb_engine::SchemaEvolution::new();
        if let Some(timestamp) = self.write_timestamp() {
            changes = changes.at(timestamp);
        }
        for spec in &add {
            let mut added = attribute(spec)?;
            if let Some(values) = spec
                .get_item("enumeration")?
                .filter(|values| !values.is_none())
            {
                let known: Result<String, _> = values.extract();
                let name = match known {
                    Ok(name) => name,
                    Err(_) => {
                        let texts = texts_of(&values)?;
                        let made = tiledb_engine::Enumeration::of_texts(&added.name, false, texts);
                        changes = changes.with_enumeration(made.or_raise(py)?).or_raise(py)?;
                        added.name.clone()
                    }
                };
                added = added.with_enumeration(&name);
            }
            changes.add_attribute(added).or_raise(py)?;
        }
        for name in &drop {
            changes.drop_attribute(name);
        }
        for (name, texts) in extend {
            let name: String = name.extract()?;
            let texts = texts_of(&texts)?;
            let known = detach(py, || opened.array.enumeration(&name))?.or_raise(py)?;
            let extended = known.with_texts(texts).or_raise(py)?;
            changes
                .extend_enumeration(&Arc::new(extended))
                .or_raise(py)?;
        }
        if let Some(domain) = domain {
            let mut bounds = Vec::new();
            for (pair, dimension) in domain.iter().zip(opened.schema.dimensions()) {
                let (low, high): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
                let low = scalar(&low, dimension.datatype)?;
                bounds.push((low, scalar(&high, dimension.datatype)?));
            }
            changes.expand_to(&opened.schema, &bounds).or_raise(py)?;
        }
        detach(py, || opened.array.evolve(&changes))?.or_raise(py)?;
        self.refresh(py)
    }

    /// Consolidates or vacuums, in one of the modes of the engine. `progress` is called with the
    /// operation, the units that are done, all units, and the name of the unit.
    #[pyo3(signature = (operation, mode, progress=None, fragments=None))]
    fn _maintain(
        &self,
        py: Python<'_>,
        operation: &str,
        mode: &str,
        progress: Option<Py<PyAny>>,
        fragments: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let opened = self.opened()?;
        let mode = crate::objects::maintenance_mode(mode)?;
        let fragments = fragments.map(|names| texts_of(&names)).transpose()?;
        let has_progress = progress.is_some();
        let array = match progress {
            None => opened.array.clone(),
            Some(progress) => {
                // The progress of other operations of the context is not reported.
                let is_private = !self.source.uri.starts_with("mem://");
                let context = if is_private {
                    context::new_context(&self.source.parameters).or_raise(py)?
                } else {
                    opened.array.context().clone()
                };
                crate::objects::set_progress(&context, progress);
                detach(py, || Array::open(&context, &self.source.location))?.or_raise(py)?
            }
        };
        let maintain = || match (operation, &fragments) {
            ("consolidate", Some(names)) => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                array.consolidate_fragments(&names)
            }
            ("consolidate", None) => array.consolidate(mode),
            _ => array.vacuum(mode),
        };
        let done = if has_progress {
            // Python handles signals when it calls the callback.
            detach(py, maintain)
        } else {
            detach_long(py, array.context(), maintain)
        };
        array.context().clear_progress();
        done?.or_raise(py)?;
        self.refresh(py)
    }

    fn _modes(&self) -> Vec<&'static str> {
        MaintenanceMode::ALL
            .iter()
            .map(|mode| mode.name())
            .collect()
    }
}

/// A field of an open array: `array["temperature"]`.
#[pyclass(name = "Field", module = "tiledb_rs._native", frozen)]
pub(crate) struct PyField {
    array: Py<PyArray>,
    name: String,
}

#[pymethods]
impl PyField {
    /// Returns what creates an equal field: an index of the array.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let index = py.import("operator")?.getattr("getitem")?;
        (index, (self.array.clone_ref(py), &self.name)).into_pyobject(py)
    }

    /// The array.
    #[getter]
    fn array(&self, py: Python<'_>) -> Py<PyArray> {
        self.array.clone_ref(py)
    }

    /// The name.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The dtype of the arrays that reads return.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDescr>> {
        Ok(self
            .array
            .get()
            .opened()?
            .column(&self.name)?
            .dtype(py)?
            .clone())
    }

    /// The length of each dimension.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let opened = self.array.get().opened()?;
        PyTuple::new(py, opened.shape(Some(opened.column(&self.name)?))?)
    }

    /// The number of axes.
    #[getter]
    fn ndim(&self) -> PyResult<usize> {
        let opened = self.array.get().opened()?;
        Ok(opened.shape(Some(opened.column(&self.name)?))?.len())
    }

    fn __len__(&self) -> PyResult<usize> {
        let opened = self.array.get().opened()?;
        Ok(opened.shape(None)?.first().copied().unwrap_or(0))
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let opened = self.array.get().opened()?;
        opened.read_field(py, opened.column(&self.name)?, key)
    }

    /// Iterates over the first axis of a dense array.
    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let opened = slf.get().array.get().opened()?;
        let shape = opened.shape(Some(opened.column(&slf.get().name)?))?;
        let builtins = py.import("builtins")?;
        let range = builtins.call_method1("range", (shape.first(),))?;
        builtins.call_method1("map", (slf.getattr("positions")?, range))
    }

    /// Reads a dense array with an index of positions from 0 instead of coordinates.
    fn positions<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let opened = self.array.get().opened()?;
        opened.read_positions(py, opened.column(&self.name)?, key)
    }

    fn __setitem__(
        &self,
        py: Python<'_>,
        key: &Bound<'_, PyAny>,
        cells: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let columns = PyDict::new(py);
        columns.set_item(&self.name, cells)?;
        self.array.get().__setitem__(py, key, columns.as_any())
    }

    /// Reads into an array of NumPy.
    #[pyo3(signature = (out, key=None))]
    fn read_into(
        &self,
        py: Python<'_>,
        out: &Bound<'_, PyAny>,
        key: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        self.array.get().read_into(py, out, key, Some(&self.name))
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            return Err(PyValueError::new_err(
                "the cells of an array are read, which makes a copy",
            ));
        }
        let cells = self.__getitem__(py, &py.Ellipsis().into_bound(py))?;
        columns::check_not_null(&self.name, &cells)?;
        match dtype {
            Some(dtype) => columns::numpy(py)?.call_method1("asarray", (cells, dtype)),
            None => columns::numpy(py)?.call_method1("asarray", (cells,)),
        }
    }

    fn __repr__(&self) -> PyResult<String> {
        let opened = self.array.get().opened()?;
        let column = opened.column(&self.name)?;
        Ok(format!(
            "<field '{}' of {}, {}>",
            self.name,
            opened.array.uri(),
            column.datatype.name()
        ))
    }
}
