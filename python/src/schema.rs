//! Schemas: their description as values of Python, and their creation from it.

use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use tiledb_engine::{
    Array, ArrayType, Attribute, DataOrder, Datatype, Dimension, Enumeration, Filter, FilterList,
    FilterType, Layout, Scalar, Schema, SchemaBuilder,
};

use crate::columns::{Column, cell_type_of, dtype_name, numpy};
use crate::context::detach;
use crate::errors::OrRaise;
use crate::query::extremes;
use crate::values;

/// The number of values per cell of fields of variable length.
const VAR_NUM: u32 = u32::MAX;

/// The schema of an array, which the class `Schema` of Python wraps.
#[pyclass(name = "Schema", module = "tiledb_rs._native", frozen)]
#[derive(Debug)]
pub(crate) struct PySchema {
    pub(crate) schema: Schema,
    /// The array that has the values of the enumerations.
    array: Option<Array>,
}

impl PySchema {
    /// Creates the schema of an open array.
    pub(crate) fn of_array(schema: Schema, array: Array) -> Self {
        Self {
            schema,
            array: Some(array),
        }
    }
}

impl From<Schema> for PySchema {
    fn from(schema: Schema) -> Self {
        Self {
            schema,
            array: None,
        }
    }
}

/// Returns a datatype and the number of values of a cell: its name in the file format, such as
/// `DATETIME_DAY`; `str` and `bytes` for strings of any length; or a dtype of NumPy.
fn cell_type(value: &Bound<'_, PyAny>) -> PyResult<(Datatype, u32)> {
    if let Ok(name) = value.extract::<String>() {
        let found = match &name[..] {
            "str" | "utf8" => Some(Datatype::StringUtf8),
            "ascii" => Some(Datatype::StringAscii),
            "bytes" | "blob" => Some(Datatype::Blob),
            _ => Datatype::from_name(&name),
        };
        if let Some(found) = found {
            return Ok((found, 1));
        }
    }
    let dtype = numpy(value.py())?.getattr("dtype")?.call1((value,))?;
    let is_bytes = dtype.getattr("kind")?.extract::<String>()? == "S";
    if is_bytes && dtype.getattr("itemsize")?.extract::<usize>()? == 0 {
        return Ok((Datatype::Blob, 1));
    }
    cell_type_of(&dtype)
}

/// Returns the datatype of a field with one value per cell, from what [`cell_type`] accepts.
fn datatype(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Datatype> {
    match cell_type(value) {
        Ok((datatype, 1)) => Ok(datatype),
        Ok(_) => {
            let text = value.str()?;
            let problem = format!("field '{name}': a value of dtype {text} is no coordinate");
            Err(PyTypeError::new_err(problem))
        }
        Err(problem) => Err(of_field(value.py(), name, &problem)),
    }
}

/// Returns the error for the dtype of a field.
fn of_field(py: Python<'_>, name: &str, problem: &PyErr) -> PyErr {
    PyTypeError::new_err(format!("field '{name}': {}", problem.value(py)))
}

/// Returns the type of a filter by its name, in any case and also without the underscores.
fn filter_type(name: &str) -> Option<FilterType> {
    let short = name.to_uppercase().replace(['-', '_', ' '], "");
    (0..32).filter_map(FilterType::from_code).find(|kind| {
        let known = kind.name().replace('_', "");
        known == short
            || known
                .strip_suffix("ENCODING")
                .is_some_and(|known| known == short)
    })
}

/// Returns filters from a list of names, such as `"zstd"`, and pairs of a compressor and its level.
fn filters(list: &Bound<'_, PyAny>) -> PyResult<FilterList> {
    let mut found = FilterList::default();
    let list = match list.cast::<PyString>() {
        Ok(name) => PyTuple::new(list.py(), [name])?.into_any(),
        Err(_) => list.clone(),
    };
    for item in list.try_iter()? {
        let item = item?;
        let (name, level): (String, Option<i32>) = match item.extract::<String>() {
            Ok(name) => (name, None),
            Err(_) => item
                .extract::<(String, i32)>()
                .map(|(name, level)| (name, Some(level)))?,
        };
        let unknown = || PyValueError::new_err(format!("there is no filter '{name}'"));
        let kind = filter_type(&name).ok_or_else(unknown)?;
        let mut filter = Filter::new(kind).ok_or_else(unknown)?;
        if let Some(level) = level {
            let compressor = match &filter {
                Filter::Compression(compression) => compression.compressor,
                _ => return Err(PyValueError::new_err(format!("'{name}' has no level"))),
            };
            filter = Filter::compression_at(compressor, level);
        }
        found.filters.push(filter);
    }
    Ok(found)
}

fn describe_filters<'py>(py: Python<'py>, list: &FilterList) -> PyResult<Bound<'py, PyList>> {
    let described = PyList::empty(py);
    for filter in list.filters.iter() {
        let name = filter.kind().name().to_lowercase();
        match filter {
            Filter::Compression(compression) if compression.level != -1 => {
                described.append((name, compression.level))?;
            }
            _ => described.append(name)?,
        }
    }
    Ok(described)
}

/// Returns an order by its name.
pub(crate) fn layout(name: &str) -> PyResult<Layout> {
    Ok(match name {
        "row-major" | "C" => Layout::RowMajor,
        "col-major" | "column-major" | "F" => Layout::ColMajor,
        "global" | "G" => Layout::GlobalOrder,
        "unordered" | "U" => Layout::Unordered,
        "hilbert" | "H" => Layout::Hilbert,
        _ => return Err(PyValueError::new_err(format!("there is no order '{name}'"))),
    })
}

fn item<'py>(spec: &Bound<'py, PyDict>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(spec.get_item(name)?.filter(|value| !value.is_none()))
}

fn required<'py>(spec: &Bound<'py, PyDict>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    item(spec, name)?.ok_or_else(|| PyKeyError::new_err(name.to_owned()))
}

/// Adds the dimension that a description has.
pub(crate) fn add_dimension(
    builder: SchemaBuilder,
    spec: &Bound<'_, PyDict>,
) -> PyResult<SchemaBuilder> {
    let name: String = required(spec, "name")?.extract()?;
    let datatype = match item(spec, "dtype")? {
        Some(dtype) => datatype(&name, &dtype)?,
        None => Datatype::Int64,
    };
    let mut builder = if datatype.is_string() {
        builder.string_dimension(&name)
    } else {
        let (low, high): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
            required(spec, "domain")?.extract()?;
        let low = values::scalar(&low, datatype)?;
        let high = values::scalar(&high, datatype)?;
        let extent = match item(spec, "tile")? {
            Some(tile) if datatype.is_datetime() => {
                // The extent of a datetime is a number of its units.
                let dtype = dtype_name(datatype).replace("datetime64", "timedelta64");
                let tile = numpy(spec.py())?.call_method1("asarray", (tile, dtype))?;
                let tile = tile
                    .call_method1("astype", ("int64",))?
                    .call_method0("item")?;
                values::scalar(&tile, Datatype::Int64)?
            }
            Some(tile) => values::scalar(&tile, datatype)?,
            None => default_extent(datatype, &low, &high),
        };
        builder.dimension(&name, datatype, low..=high, extent)
    };
    if let Some(list) = item(spec, "filters")? {
        builder = builder.filters(&name, filters(&list)?);
    }
    Ok(builder)
}

/// Returns the extent of a dimension without one: its complete domain, up to 1000, or less so that
/// the last tile ends at a value of the datatype.
fn default_extent(datatype: Datatype, low: &Scalar, high: &Scalar) -> Scalar {
    use Scalar::{Integer, Real};
    match (low, high) {
        (Integer(low), Integer(high)) => {
            let largest = extremes(datatype).map_or(i128::MAX, |(_, largest)| match largest {
                Integer(largest) => largest,
                _ => i128::MAX,
            });
            let size = high - low + 1;
            let fits = |extent: &i128| low + (size + extent - 1) / extent * extent - 1 <= largest;
            let mut extents = (1..=size.min(largest).clamp(1, 1000)).rev();
            Integer(extents.find(fits).unwrap_or(1))
        }
        (Real(low), Real(high)) if high > low => Real((high - low) / 16.0),
        _ => Integer(1000),
    }
}

fn add_attribute(builder: SchemaBuilder, spec: &Bound<'_, PyDict>) -> PyResult<SchemaBuilder> {
    let py = spec.py();
    let name: String = required(spec, "name")?.extract()?;
    let mut builder = builder;
    let mut attribute = attribute(spec)?;
    if let Some(listed) = item(spec, "enumeration")? {
        // The name of an enumeration that was added, or the values of one of its own.
        if let Ok(known) = listed.extract::<String>() {
            attribute = attribute.with_enumeration(&known);
        } else {
            let texts = values::texts(&listed)?;
            let ordered = match item(spec, "ordered")? {
                Some(ordered) => ordered.is_truthy()?,
                None => false,
            };
            let enumeration = Enumeration::of_texts(&name, ordered, texts).or_raise(py)?;
            builder = builder.enumeration(enumeration);
            attribute = attribute.with_enumeration(&name);
        }
    }
    Ok(builder.with_attribute(attribute))
}

/// Adds the dimension label that a description has.
fn add_label(builder: SchemaBuilder, spec: &Bound<'_, PyDict>) -> PyResult<SchemaBuilder> {
    let name: String = required(spec, "name")?.extract()?;
    let dimension: String = required(spec, "dim")?.extract()?;
    let order: String = required(spec, "order")?.extract()?;
    let order = match &order[..] {
        "increasing" => DataOrder::Increasing,
        "decreasing" => DataOrder::Decreasing,
        _ => {
            return Err(PyValueError::new_err(format!(
                "the order of a label is 'increasing' or 'decreasing', not '{order}'"
            )));
        }
    };
    let mut datatype = datatype(&name, &required(spec, "dtype")?)?;
    if datatype.is_string() {
        datatype = Datatype::StringAscii;
    }
    let mut builder = builder.label(&dimension, &name, order, datatype);
    if let Some(list) = item(spec, "filters")? {
        builder = builder.filters(&name, filters(&list)?);
    }
    Ok(builder)
}

/// Returns the bounds of a current domain, one pair for each dimension.
fn current_domain(
    dims: &[Bound<'_, PyDict>],
    value: &Bound<'_, PyAny>,
) -> PyResult<Vec<(Scalar, Scalar)>> {
    let pairs: Vec<(Bound<'_, PyAny>, Bound<'_, PyAny>)> = value.extract()?;
    if pairs.len() != dims.len() {
        return Err(PyValueError::new_err(format!(
            "a current domain of {} pairs does not fit {} dimensions",
            pairs.len(),
            dims.len()
        )));
    }
    let bounds = pairs.iter().zip(dims).map(|((low, high), dim)| {
        let name: String = required(dim, "name")?.extract()?;
        let datatype = match item(dim, "dtype")? {
            Some(dtype) => datatype(&name, &dtype)?,
            None => Datatype::Int64,
        };
        Ok((
            values::scalar(low, datatype)?,
            values::scalar(high, datatype)?,
        ))
    });
    bounds.collect()
}

/// Creates an attribute from its description.
pub(crate) fn attribute(spec: &Bound<'_, PyDict>) -> PyResult<Attribute> {
    let py = spec.py();
    let name: String = required(spec, "name")?.extract()?;
    let found = cell_type(&required(spec, "dtype")?);
    let (mut datatype, values) = found.map_err(|problem| of_field(py, &name, &problem))?;
    let flag =
        |key| -> PyResult<bool> { item(spec, key)?.map_or(Ok(false), |value| value.is_truthy()) };
    if item(spec, "enumeration")?.is_some() && !datatype.is_integer() {
        datatype = Datatype::Int32;
    }
    let mut attribute = Attribute::of(&name, datatype);
    if flag("var")? {
        attribute = attribute.with_any_number_of_values();
    }
    let number: Option<u32> = item(spec, "values_per_cell")?
        .map(|number| number.extract())
        .transpose()?;
    if values > 1 && number.is_some_and(|number| number != values) {
        return Err(PyValueError::new_err(format!(
            "field '{name}': a cell has the {values} values of the dtype"
        )));
    }
    if values > 1 || number.is_some() {
        let number = number.unwrap_or(values);
        attribute = attribute.with_values_per_cell(number).or_raise(py)?;
    }
    if flag("nullable")? {
        attribute = attribute.with_nulls();
    }
    if let Some(list) = item(spec, "filters")? {
        attribute = attribute.with_filters(filters(&list)?).or_raise(py)?;
    }
    if let Some(fill) = item(spec, "fill")? {
        attribute = with_fill(attribute, &fill)?;
    }
    Ok(attribute)
}

/// Returns an attribute with a fill value: one value, or those of a cell.
fn with_fill(mut attribute: Attribute, fill: &Bound<'_, PyAny>) -> PyResult<Attribute> {
    let py = fill.py();
    if matches!(attribute.cell_val_num, 1 | VAR_NUM) {
        let fill = values::scalar(fill, attribute.datatype)?;
        return attribute.with_fill_value(fill).or_raise(py);
    }
    let bytes = Column::of(&attribute).fill_bytes(fill)?;
    let validity = attribute.nullable.then_some(1);
    attribute
        .set_fill_value(Some(&bytes), validity)
        .or_raise(py)?;
    Ok(attribute)
}

fn describe_dimension<'py>(py: Python<'py>, dimension: &Dimension) -> PyResult<Bound<'py, PyDict>> {
    let described = PyDict::new(py);
    let datatype = dimension.datatype;
    described.set_item("name", &dimension.name)?;
    described.set_item("datatype", datatype.name())?;
    described.set_item("dtype", dtype_name(datatype))?;
    if let Some((low, high)) = dimension.bounds() {
        let bounds = (
            values::object(py, &low, datatype)?,
            values::object(py, &high, datatype)?,
        );
        described.set_item("domain", bounds)?;
    } else {
        described.set_item("domain", py.None())?;
    }
    match dimension.tile_extent() {
        Some(extent) if datatype.is_datetime() => {
            described.set_item("tile", values::object(py, &extent, Datatype::Int64)?)?;
        }
        Some(extent) => described.set_item("tile", values::object(py, &extent, datatype)?)?,
        None => described.set_item("tile", py.None())?,
    }
    described.set_item("filters", describe_filters(py, &dimension.filters)?)?;
    Ok(described)
}

fn describe_attribute<'py>(py: Python<'py>, attribute: &Attribute) -> PyResult<Bound<'py, PyDict>> {
    let described = PyDict::new(py);
    let datatype = attribute.datatype;
    let is_var = attribute.cell_val_num == VAR_NUM;
    described.set_item("name", &attribute.name)?;
    described.set_item("datatype", datatype.name())?;
    let column = Column::of(attribute);
    let is_complex = column.is_complex();
    if is_complex {
        described.set_item("dtype", column.dtype(py)?.getattr("name")?)?;
    } else {
        described.set_item("dtype", dtype_name(datatype))?;
    }
    described.set_item("nullable", attribute.nullable)?;
    described.set_item("var", is_var)?;
    let values = if is_complex {
        1
    } else {
        attribute.cell_val_num
    };
    described.set_item("values_per_cell", (!is_var).then_some(values))?;
    described.set_item("enumeration", attribute.enumeration.as_deref())?;
    described.set_item("filters", describe_filters(py, &attribute.filters)?)?;
    // A null fill value has no value.
    let fill = attribute.fill_value(attribute.nullable).ok();
    let fill = fill.filter(|(_, validity)| !attribute.nullable || *validity != 0);
    match fill {
        Some((bytes, _)) if is_var || bytes.len() == datatype.size() => {
            let fill = Scalar::from_bytes(datatype, bytes);
            described.set_item("fill", values::object(py, &fill, datatype)?)?;
        }
        Some((bytes, _)) => described.set_item("fill", column.fill_object(py, bytes)?)?,
        None => described.set_item("fill", py.None())?,
    }
    Ok(described)
}

#[pymethods]
impl PySchema {
    /// Creates a schema from descriptions of its parts.
    #[new]
    #[pyo3(signature = (dims, attrs, labels, sparse, options))]
    fn new(
        dims: Vec<Bound<'_, PyDict>>,
        attrs: Vec<Bound<'_, PyDict>>,
        labels: Vec<Bound<'_, PyDict>>,
        sparse: bool,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let py = options.py();
        let mut builder = Schema::builder(if sparse {
            ArrayType::Sparse
        } else {
            ArrayType::Dense
        });
        for dim in &dims {
            builder = add_dimension(builder, dim)?;
        }
        for attr in &attrs {
            builder = add_attribute(builder, attr)?;
        }
        for label in &labels {
            builder = add_label(builder, label)?;
        }
        for (name, value) in options {
            if value.is_none() {
                continue;
            }
            builder = match &name.extract::<String>()?[..] {
                "cell_order" => builder.cell_order(layout(&value.extract::<String>()?)?),
                "tile_order" => builder.tile_order(layout(&value.extract::<String>()?)?),
                "capacity" => builder.capacity(value.extract()?),
                "allow_duplicates" => builder.allow_duplicates(value.extract()?),
                "offsets_filters" => builder.offsets_filters(filters(&value)?),
                "current_domain" => builder.current_domain(current_domain(&dims, &value)?),
                other => {
                    return Err(PyTypeError::new_err(format!(
                        "a schema has no option '{other}'"
                    )));
                }
            };
        }
        builder.build().or_raise(py).map(Self::from)
    }

    /// Returns whether the array is sparse.
    #[getter]
    fn sparse(&self) -> bool {
        !self.schema.is_dense()
    }

    /// Returns the properties as a dictionary.
    fn describe<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let described = PyDict::new(py);
        let dims = self
            .schema
            .dimensions()
            .iter()
            .map(|dimension| describe_dimension(py, dimension));
        let attrs = self
            .schema
            .attributes()
            .iter()
            .map(|attribute| describe_attribute(py, attribute));
        described.set_item("sparse", !self.schema.is_dense())?;
        described.set_item("dims", dims.collect::<PyResult<Vec<_>>>()?)?;
        described.set_item("attrs", attrs.collect::<PyResult<Vec<_>>>()?)?;
        described.set_item("labels", self.schema.labels().collect::<Vec<_>>())?;
        described.set_item("cell_order", self.schema.cell_order().name())?;
        described.set_item("tile_order", self.schema.tile_order().name())?;
        described.set_item("capacity", self.schema.capacity())?;
        described.set_item("allow_duplicates", self.schema.allows_duplicates())?;
        described.set_item("version", self.schema.version())?;
        let current = self.schema.current_domain();
        let current = current.map(|ranges| {
            let ranges = ranges
                .iter()
                .zip(self.schema.dimensions())
                .map(|(range, dimension)| {
                    let low = values::object(py, range.start(), dimension.datatype)?;
                    Ok((low, values::object(py, range.end(), dimension.datatype)?))
                });
            ranges.collect::<PyResult<Vec<_>>>()
        });
        described.set_item("current_domain", current.transpose()?)?;
        Ok(described)
    }

    /// Returns the schema as JSON, from which [`of_json`](Self::of_json) creates it.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        if let Some(array) = &self.array {
            for name in self.schema.enumeration_names() {
                detach(py, || array.enumeration(name))?.or_raise(py)?;
            }
        }
        let json = serde_json::to_string(&self.schema);
        json.map_err(|problem| PyValueError::new_err(problem.to_string()))
    }

    /// Creates a schema from its JSON.
    #[staticmethod]
    fn of_json(json: &str) -> PyResult<Self> {
        let schema: Result<Schema, _> = serde_json::from_str(json);
        let schema = schema.map_err(|problem| PyValueError::new_err(problem.to_string()))?;
        Ok(Self::from(schema))
    }

    fn __str__(&self) -> String {
        self.schema.to_string()
    }
}
