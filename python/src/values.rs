//! Single values: coordinates, bounds, metadata, aggregates.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString};
use pyo3::{IntoPyObjectExt, intern};
use tiledb_engine::{Datatype, Scalar, TypedValues};

use crate::columns::{dtype_name, numpy};
use crate::errors::OrRaise;

/// Returns the texts of an iterable. Its length, which any object may claim, is not trusted.
pub(crate) fn texts(values: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let mut found = Vec::new();
    for value in values.try_iter()? {
        found.push(value?.extract()?);
    }
    Ok(found)
}

/// Returns an integer of Python or NumPy, which may be one that no datatype has, as an end of a
/// slice of NumPy may be; `None` for values of other types and for integers of more than 100 bits.
pub(crate) fn integer(value: &Bound<'_, PyAny>) -> Option<i128> {
    match value.extract::<i64>() {
        Ok(value) => Some(value.into()),
        Err(_) => {
            let value = value.extract::<i128>().ok();
            value.filter(|value| value.unsigned_abs() < 1 << 100)
        }
    }
}

/// Returns a value as one of a datatype. Datetimes and times may be those of NumPy or the standard
/// library, texts in ISO 8601, or stored numbers.
pub(crate) fn scalar(value: &Bound<'_, PyAny>, datatype: Datatype) -> PyResult<Scalar> {
    let py = value.py();
    let is_time = datatype.is_datetime() || datatype.is_time();
    if value.is_instance_of::<PyBool>() {
        return Ok(Scalar::Bool(value.extract()?));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Scalar::Text(text.to_str()?.to_owned()));
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Scalar::Bytes(bytes.as_bytes().to_vec()));
    }
    if let Some(value) = integer(value) {
        return Ok(if datatype.is_real() {
            Scalar::Real(value as f64)
        } else {
            Scalar::Integer(value)
        });
    }
    if is_time {
        let value = numpy_time(py, datatype, value)?;
        let number = value.call_method1(intern!(py, "astype"), ("int64",))?;
        return Ok(Scalar::Integer(number.extract::<i64>()?.into()));
    }
    let class = value.get_type().name()?;
    let is_complex = class.to_str()?.starts_with("complex");
    if !is_complex && let Ok(number) = value.extract::<f64>() {
        return Ok(Scalar::Real(number));
    }
    Err(PyTypeError::new_err(format!(
        "a value of type {class} cannot be used for {}",
        datatype.name()
    )))
}

/// Returns a value as NumPy's type for a datatype of dates or times, with its unit.
fn numpy_time<'py>(
    py: Python<'py>,
    datatype: Datatype,
    value: impl IntoPyObjectExt<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let class = if datatype.is_datetime() {
        "datetime64"
    } else {
        "timedelta64"
    };
    let dtype = dtype_name(datatype);
    let unit = dtype.split(['[', ']']).nth(1).unwrap_or_default();
    let value = value.into_bound_py_any(py)?;
    let value = time_of_numpy(&value)?.unwrap_or(value);
    numpy(py)?.getattr(class)?.call1((value, unit))
}

/// Returns a time of pandas or one with a time zone as what NumPy converts without loss; `None` for
/// other values. NumPy would drop nanoseconds of pandas, as its types extend those of Python.
pub(crate) fn time_of_numpy<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = value.py();
    for method in [intern!(py, "to_datetime64"), intern!(py, "to_timedelta64")] {
        if let Some(method) = value.getattr_opt(method)? {
            return method.call0().map(Some);
        }
    }
    let zone = value.getattr_opt(intern!(py, "tzinfo"))?;
    if zone.is_none_or(|zone| zone.is_none()) || !value.hasattr(intern!(py, "astimezone"))? {
        return Ok(None);
    }
    let utc = py.import("datetime")?.getattr("timezone")?.getattr("utc")?;
    let time = value.call_method1("astimezone", (utc,))?;
    let options = PyDict::new(py);
    options.set_item("tzinfo", py.None())?;
    time.call_method("replace", (), Some(&options)).map(Some)
}

/// Returns a value as an object of Python; datetimes and times as those of NumPy.
pub(crate) fn object<'py>(
    py: Python<'py>,
    value: &Scalar,
    datatype: Datatype,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Scalar::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        Scalar::Integer(value) if datatype.is_datetime() || datatype.is_time() => {
            let value = i64::try_from(*value).map_err(|_| {
                PyValueError::new_err(format!("the time {value} does not fit 64 bits"))
            })?;
            numpy_time(py, datatype, value)?
        }
        Scalar::Integer(value) => value.into_pyobject(py)?.into_any(),
        Scalar::Real(value) => PyFloat::new(py, *value).into_any(),
        Scalar::Text(text) => PyString::new(py, text).into_any(),
        Scalar::Bytes(bytes) => PyBytes::new(py, bytes).into_any(),
    })
}

/// Returns the values of metadata: one value, or a list of several.
pub(crate) fn metadata_object<'py>(
    py: Python<'py>,
    values: &TypedValues,
) -> PyResult<Bound<'py, PyAny>> {
    let datatype = values.datatype();
    let scalars = values.scalars();
    if values.is_empty() && datatype.is_string() {
        return Ok(PyString::new(py, "").into_any());
    }
    if values.is_empty() && datatype.is_bytes() {
        return Ok(PyBytes::new(py, b"").into_any());
    }
    if let [value] = &scalars[..] {
        return object(py, value, datatype);
    }
    let list = PyList::empty(py);
    for value in &scalars {
        list.append(object(py, value, datatype)?)?;
    }
    Ok(list.into_any())
}

/// Returns an object of Python as metadata: a text, bytes, a number, or numbers of one type.
pub(crate) fn metadata_values(value: &Bound<'_, PyAny>) -> PyResult<TypedValues> {
    let py = value.py();
    let typed = |datatype, data: &[u8]| TypedValues::from_bytes(datatype, data).or_raise(py);
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.to_str()?.into());
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return typed(Datatype::Blob, bytes.as_bytes());
    }
    if value.is_instance_of::<PyBool>() {
        return typed(Datatype::Bool, &[u8::from(value.extract::<bool>()?)]);
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(match value.extract::<i64>() {
            Ok(value) => value.into(),
            Err(_) => value.extract::<u64>()?.into(),
        });
    }
    if value.is_instance_of::<PyFloat>() && value.get_type().name()? == "float" {
        return Ok(value.extract::<f64>()?.into());
    }
    if value.is_instance_of::<PyDict>() {
        return Err(PyTypeError::new_err("a dict cannot be stored as metadata"));
    }
    let array = numpy(py)?.call_method1("asarray", (value,))?;
    let datatype = crate::columns::datatype_of(&array.getattr("dtype")?)?;
    if array.getattr("ndim")?.extract::<usize>()? > 1 {
        return Err(PyValueError::new_err(
            "metadata has one value, or a list of values",
        ));
    }
    if datatype.is_string() {
        let class = value.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "a value of type {class} cannot be stored as metadata, which is a number, a text, \
             bytes, or numbers of one type"
        )));
    }
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if kind == "f" && !value.hasattr("dtype")? {
        let objects = numpy(py)?.call_method1("asarray", (value, "object"))?;
        let mut values = objects.call_method0("ravel")?.try_iter()?;
        let is_integer = |value: PyResult<Bound<'_, PyAny>>| {
            value.is_ok_and(|value| value.is_instance_of::<PyInt>())
        };
        if !array.is_empty()? && values.all(is_integer) {
            return Err(PyOverflowError::new_err(
                "no type has all of these integers",
            ));
        }
    }
    let native = array
        .getattr("dtype")?
        .call_method1("newbyteorder", ("=",))?;
    let bytes = array
        .call_method1("astype", (native,))?
        .call_method0("tobytes")?;
    typed(datatype, bytes.cast::<PyBytes>()?.as_bytes())
}
