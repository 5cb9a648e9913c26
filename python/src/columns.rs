//! Fields as arrays of NumPy.

use std::panic::AssertUnwindSafe;
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, PrimitiveArray, RecordBatch};
use arrow_buffer::{Buffer, ScalarBuffer};
use numpy::{PyArrayDescr, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyInt, PyList, PyModule, PySlice, PyString, PyTuple};
use tiledb_engine::{
    Attribute, CellBytes, Context, Datatype, Enumeration, FieldValues, ReadQuery, Scalar, Schema,
    WriteQuery,
};

use crate::context::{detach, detach_long};
use crate::errors::OrRaise;
use crate::memory::{finished, memory, new_array};
use crate::values::{self, time_of_numpy};

/// The least number of values whose read looks for signals, which takes a microsecond.
const MIN_LONG_VALUES: usize = 1 << 16;

/// The number of values per cell of fields of variable length.
const VAR_NUM: u32 = u32::MAX;

/// Returns the module `numpy`.
pub(crate) fn numpy(py: Python<'_>) -> PyResult<&Bound<'_, PyModule>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || PyModule::import(py, "numpy").map(Bound::unbind))?;
    Ok(module.bind(py))
}

/// Returns the name of the dtype of single values; `object` for strings.
pub(crate) fn dtype_name(datatype: Datatype) -> &'static str {
    match datatype {
        Datatype::Int8 => "int8",
        Datatype::Uint8 => "uint8",
        Datatype::Int16 => "int16",
        Datatype::Uint16 => "uint16",
        Datatype::Int32 => "int32",
        Datatype::Uint32 => "uint32",
        Datatype::Int64 => "int64",
        Datatype::Uint64 => "uint64",
        Datatype::Float32 => "float32",
        Datatype::Float64 => "float64",
        Datatype::Bool => "bool",
        Datatype::Char => "S1",
        Datatype::Any => "uint8",
        Datatype::DatetimeYear => "datetime64[Y]",
        Datatype::DatetimeMonth => "datetime64[M]",
        Datatype::DatetimeWeek => "datetime64[W]",
        Datatype::DatetimeDay => "datetime64[D]",
        Datatype::DatetimeHr => "datetime64[h]",
        Datatype::DatetimeMin => "datetime64[m]",
        Datatype::DatetimeSec => "datetime64[s]",
        Datatype::DatetimeMs => "datetime64[ms]",
        Datatype::DatetimeUs => "datetime64[us]",
        Datatype::DatetimeNs => "datetime64[ns]",
        Datatype::DatetimePs => "datetime64[ps]",
        Datatype::DatetimeFs => "datetime64[fs]",
        Datatype::DatetimeAs => "datetime64[as]",
        Datatype::TimeHr => "timedelta64[h]",
        Datatype::TimeMin => "timedelta64[m]",
        Datatype::TimeSec => "timedelta64[s]",
        Datatype::TimeMs => "timedelta64[ms]",
        Datatype::TimeUs => "timedelta64[us]",
        Datatype::TimeNs => "timedelta64[ns]",
        Datatype::TimePs => "timedelta64[ps]",
        Datatype::TimeFs => "timedelta64[fs]",
        Datatype::TimeAs => "timedelta64[as]",
        _ => "object",
    }
}

/// Returns the datatype and the number of the values of a cell with a dtype of NumPy: two of
/// complex numbers, and one for each field of a structure.
pub(crate) fn cell_type_of(dtype: &Bound<'_, PyAny>) -> PyResult<(Datatype, u32)> {
    let kind: String = dtype.getattr("kind")?.extract()?;
    if kind == "c" {
        let datatype = match dtype.getattr("itemsize")?.extract()? {
            8 => Datatype::Float32,
            16 => Datatype::Float64,
            _ => return Err(unsupported(dtype)),
        };
        return Ok((datatype, 2));
    }
    let names = dtype.getattr("names")?;
    if names.is_none() {
        return Ok((datatype_of(dtype)?, 1));
    }
    let fields = dtype.getattr("fields")?;
    let mut found = None;
    for name in names.try_iter()? {
        let field = datatype_of(&fields.get_item(name?)?.get_item(0)?)?;
        if found.is_some_and(|found| found != field) || field.is_string() {
            return Err(unsupported(dtype));
        }
        found = Some(field);
    }
    let number = u32::try_from(names.len()?).unwrap_or(VAR_NUM);
    let datatype = found.ok_or_else(|| unsupported(dtype))?;
    Ok((datatype, number))
}

/// Returns the error for a dtype without a datatype, with what can be stored instead.
fn unsupported(dtype: &Bound<'_, PyAny>) -> PyErr {
    let text = dtype.str().map(|text| text.to_string()).unwrap_or_default();
    let hint = match &text[..] {
        "float16" | ">f2" => "; float32 has all of its values",
        _ if text.contains("m8[") || text.starts_with("timedelta64[") => {
            "; units of times are hours to attoseconds"
        }
        _ if text.starts_with('[') || text.starts_with('{') => {
            "; the fields of a structure have one type of numbers"
        }
        _ => "",
    };
    PyTypeError::new_err(format!("the dtype {text} cannot be stored{hint}"))
}

/// Returns the datatype of the values of a dtype of NumPy.
pub(crate) fn datatype_of(dtype: &Bound<'_, PyAny>) -> PyResult<Datatype> {
    let kind: String = dtype.getattr("kind")?.extract()?;
    match &kind[..] {
        "U" | "O" | "T" => return Ok(Datatype::StringUtf8),
        "S" => return Ok(Datatype::StringAscii),
        _ => {}
    }
    let name: String = dtype.getattr("name")?.extract()?;
    let found = Datatype::ALL.into_iter().find(|datatype| {
        *datatype != Datatype::Char && *datatype != Datatype::Any && dtype_name(*datatype) == name
    });
    found.ok_or_else(|| unsupported(dtype))
}

/// A dimension or an attribute.
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) datatype: Datatype,
    pub(crate) values_per_cell: u32,
    pub(crate) nullable: bool,
    pub(crate) enumeration: Option<String>,
    dtype: PyOnceLock<Py<PyArrayDescr>>,
}

impl Column {
    /// Returns the dimensions and attributes of a schema, in this order.
    pub(crate) fn all(schema: &Schema) -> Vec<Self> {
        let dimensions = schema.dimensions().iter().map(|dimension| Self {
            name: dimension.name.clone(),
            datatype: dimension.datatype,
            values_per_cell: if dimension.is_var() { VAR_NUM } else { 1 },
            nullable: false,
            enumeration: None,
            dtype: PyOnceLock::new(),
        });
        let attributes = schema.attributes().iter();
        dimensions
            .chain(attributes.map(|attribute| Self::of(attribute)))
            .collect()
    }

    /// Returns the column of an attribute.
    pub(crate) fn of(attribute: &Attribute) -> Self {
        Self {
            name: attribute.name.clone(),
            datatype: attribute.datatype,
            values_per_cell: attribute.cell_val_num,
            nullable: attribute.nullable,
            enumeration: attribute.enumeration.clone(),
            dtype: PyOnceLock::new(),
        }
    }

    /// Returns a fill value of several values as bytes: the values of a cell, or one for all.
    pub(crate) fn fill_bytes(&self, fill: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
        let py = fill.py();
        let numpy = numpy(py)?;
        if self.is_text() {
            let mut bytes = Vec::new();
            cell_bytes(py, self, fill, &mut bytes)?;
            return Ok(bytes);
        }
        let fill = with_last_axis(fill)?;
        let (cells, missing) = numbers(self, &fill, self.dtype(py)?)?;
        if missing.is_some() {
            return Err(PyTypeError::new_err(format!(
                "the fill value of the field '{}' has missing values",
                self.name
            )));
        }
        let cells = numpy.call_method1("broadcast_to", (cells, self.inner_len()))?;
        let bytes = cells.call_method0("tobytes")?;
        Ok(bytes.cast::<PyBytes>()?.as_bytes().to_vec())
    }

    /// Returns a fill value of several values as an object: a complex number, bytes, or a list.
    pub(crate) fn fill_object<'py>(
        &self,
        py: Python<'py>,
        bytes: &[u8],
    ) -> PyResult<Bound<'py, PyAny>> {
        if self.is_text() {
            return Ok(PyBytes::new(py, bytes).into_any());
        }
        let values =
            numpy(py)?.call_method1("frombuffer", (PyBytes::new(py, bytes), self.dtype(py)?))?;
        if self.is_complex() {
            return values.get_item(0)?.call_method0("item");
        }
        if self.datatype.is_datetime() || self.datatype.is_time() {
            // Objects of the standard library do not have all units.
            return values
                .call_method1("view", ("int64",))?
                .call_method0("tolist");
        }
        values.call_method0("tolist")
    }

    /// Returns the dimension labels of a schema.
    pub(crate) fn labels(schema: &Schema) -> Vec<Self> {
        let labels = schema.labels().filter_map(|(name, _)| schema.label(name));
        let labels = labels.map(|label| Self {
            name: label.name.clone(),
            datatype: label.datatype,
            values_per_cell: label.cell_val_num,
            nullable: false,
            enumeration: None,
            dtype: PyOnceLock::new(),
        });
        labels.collect()
    }

    pub(crate) fn is_var(&self) -> bool {
        self.values_per_cell == VAR_NUM
    }

    fn is_text(&self) -> bool {
        let datatype = self.datatype;
        datatype.is_string() || datatype.is_bytes() || datatype == Datatype::Char
    }

    /// Returns whether cells are read directly into the memory of an array of NumPy.
    pub(crate) fn is_plain(&self) -> bool {
        !self.is_var() && !self.nullable && self.enumeration.is_none() && !self.is_text()
    }

    /// Returns whether cells are complex numbers. Their files are those of pairs of numbers, which
    /// are complex numbers for TileDB-Py, too.
    pub(crate) fn is_complex(&self) -> bool {
        self.values_per_cell == 2 && self.datatype.is_real() && self.enumeration.is_none()
    }

    /// Returns the number of values of a cell that are a last axis of their own; 1 if they are not.
    pub(crate) fn inner_len(&self) -> usize {
        if self.is_var() || self.is_text() || self.is_complex() {
            1
        } else {
            self.values_per_cell as usize
        }
    }

    /// Returns the number of stored values that a value of the dtype has.
    pub(crate) fn dtype_values(&self) -> usize {
        if self.is_complex() { 2 } else { 1 }
    }

    /// Returns the dtype of the arrays that reads return.
    pub(crate) fn dtype<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyArrayDescr>> {
        let dtype = self.dtype.get_or_try_init(py, || {
            let name = if self.is_var() || self.enumeration.is_some() {
                "object".to_owned()
            } else if self.is_text() {
                let size = self.datatype.size() * self.values_per_cell as usize;
                format!("S{size}")
            } else if self.is_complex() {
                format!("complex{}", 16 * self.datatype.size())
            } else {
                dtype_name(self.datatype).to_owned()
            };
            PyArrayDescr::new(py, &name[..]).map(Bound::unbind)
        })?;
        Ok(dtype.bind(py))
    }
}

/// Returns complex numbers as pairs of numbers, with a last axis for them.
pub(crate) fn as_pairs<'py>(
    column: &Column,
    cells: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let numpy = numpy(cells.py())?;
    let cells = numpy.call_method1("expand_dims", (cells, -1))?;
    cells.call_method1("view", (dtype_name(column.datatype),))
}

/// Evaluates an expression with `$T` as the type in which values of a datatype are stored.
macro_rules! with_type {
    ($datatype:expr, $T:ident => $body:expr) => {
        match $datatype {
            Datatype::Int8 | Datatype::Char => {
                type $T = i8;
                $body
            }
            Datatype::Int16 => {
                type $T = i16;
                $body
            }
            Datatype::Uint16 | Datatype::StringUtf16 | Datatype::StringUcs2 => {
                type $T = u16;
                $body
            }
            Datatype::Int32 => {
                type $T = i32;
                $body
            }
            Datatype::Uint32 | Datatype::StringUtf32 | Datatype::StringUcs4 => {
                type $T = u32;
                $body
            }
            Datatype::Uint64 => {
                type $T = u64;
                $body
            }
            Datatype::Float32 => {
                type $T = f32;
                $body
            }
            Datatype::Float64 => {
                type $T = f64;
                $body
            }
            datatype if datatype.size() == 8 => {
                type $T = i64;
                $body
            }
            _ => {
                type $T = u8;
                $body
            }
        }
    };
}

/// Reads the cells of a plain column of a dense array into an array of NumPy of their number.
pub(crate) fn read_plain(
    py: Python<'_>,
    context: &Context,
    query: &ReadQuery,
    column: &Column,
    array: &Bound<'_, PyUntypedArray>,
) -> PyResult<usize> {
    let is_short = array.len() < MIN_LONG_VALUES;
    let read = with_type!(column.datatype, T => {
        // SAFETY: the caller passes an array whose values have the datatype of the column.
        let memory = unsafe { memory::<T>(array) };
        let read = || query.read_into(&column.name, memory);
        if is_short {
            detach(py, read)
        } else {
            detach_long(py, context, read)
        }
    });
    read?.or_raise(py)
}

/// Returns cells as an array of NumPy with this shape: masked if numbers may be null, of objects
/// for strings of any length, other cells of variable length, and values of enumerations.
pub(crate) fn to_array<'py>(
    py: Python<'py>,
    cells: &FieldValues,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let column = Column {
        name: String::new(),
        datatype: cells.datatype(),
        values_per_cell: cells.values_per_cell().unwrap_or(VAR_NUM),
        nullable: cells.is_nullable(),
        enumeration: cells.enumeration().map(|values| values.name().to_owned()),
        dtype: PyOnceLock::new(),
    };
    let mut shape = shape.to_vec();
    let number: usize = shape.iter().product();
    if number != cells.len() {
        return Err(PyValueError::new_err(
            "the read returned another number of cells",
        ));
    }
    if column.is_var() || column.enumeration.is_some() {
        return objects(py, cells, &column, &shape);
    }
    if column.inner_len() != 1 {
        shape.push(column.inner_len());
    }
    let array = new_array(column.dtype(py)?, &shape)?;
    let values = cells.data();
    // SAFETY: the array is new, and has as many bytes as the cells.
    unsafe {
        let data = (*array.as_array_ptr()).fields.data;
        std::ptr::copy_nonoverlapping(values.as_ptr(), data.cast::<u8>(), values.len());
    }
    if !column.nullable || cells.validity().iter().all(|valid| *valid != 0) && column.is_text() {
        return finished(array);
    }
    let invalid: Vec<u8> = cells
        .validity()
        .iter()
        .map(|valid| u8::from(*valid == 0))
        .collect();
    let mask = new_array(&PyArrayDescr::new(py, "bool")?, &shape[..])?;
    // SAFETY: the array is new, and has one byte for each value.
    let mask_bytes = unsafe { memory::<u8>(&mask) };
    for (byte, value) in mask_bytes
        .chunks_mut(column.inner_len().max(1))
        .zip(invalid)
    {
        byte.fill(value);
    }
    let options = PyDict::new(py);
    options.set_item(intern!(py, "mask"), mask)?;
    let masked = numpy(py)?.getattr(intern!(py, "ma"))?;
    masked.call_method(intern!(py, "MaskedArray"), (array,), Some(&options))
}

/// Returns cells as objects of Python.
fn objects<'py>(
    py: Python<'py>,
    cells: &FieldValues,
    column: &Column,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let array = new_array(&PyArrayDescr::object(py), shape)?;
    let values_of_enumeration = match cells.enumeration() {
        Some(enumeration) => {
            let datatype = enumeration.datatype();
            let values = enumeration
                .values()
                .map(|value| values::object(py, &value, datatype));
            Some(values.collect::<PyResult<Vec<_>>>()?)
        }
        None => None,
    };
    let dtype = PyArrayDescr::new(py, dtype_name(column.datatype))?;
    for cell in 0..cells.len() {
        let value = if cells.is_null(cell) {
            py.None().into_bound(py)
        } else if let Some(known) = &values_of_enumeration {
            let index = Scalar::from_bytes(column.datatype, cells.bytes(cell));
            let Scalar::Integer(index) = index else {
                return Err(PyValueError::new_err(
                    "an enumeration has indexes that are no integers",
                ));
            };
            let known = usize::try_from(index)
                .ok()
                .and_then(|index| known.get(index));
            known.cloned().unwrap_or_else(|| py.None().into_bound(py))
        } else {
            object_of_cell(py, column, &dtype, cells.bytes(cell))?
        };
        // SAFETY: the array has `cells.len()` objects; the one that is replaced is released.
        unsafe {
            let data = (*array.as_array_ptr()).fields.data;
            let slot = data.cast::<*mut pyo3::ffi::PyObject>().add(cell);
            pyo3::ffi::Py_XDECREF(*slot);
            *slot = value.into_ptr();
        }
    }
    if shape.is_empty() {
        return array.call_method0(intern!(py, "item"));
    }
    Ok(array.into_any())
}

fn object_of_cell<'py>(
    py: Python<'py>,
    column: &Column,
    dtype: &Bound<'py, PyArrayDescr>,
    bytes: &[u8],
) -> PyResult<Bound<'py, PyAny>> {
    let datatype = column.datatype;
    if datatype.is_bytes() || datatype == Datatype::Char {
        return Ok(PyBytes::new(py, bytes).into_any());
    }
    if datatype.is_byte_text() {
        return Ok(match std::str::from_utf8(bytes) {
            Ok(text) => PyString::new(py, text).into_any(),
            Err(_) => PyBytes::new(py, bytes).into_any(),
        });
    }
    if datatype.is_string() {
        return values::object(py, &Scalar::from_bytes(datatype, bytes), datatype);
    }
    let array = new_array(dtype, &[bytes.len() / datatype.size()])?;
    // SAFETY: the array is new, and has as many bytes as the cell.
    unsafe {
        let data = (*array.as_array_ptr()).fields.data;
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), data.cast::<u8>(), bytes.len());
    }
    Ok(array.into_any())
}

/// Adds the cells of a column to a write. They are an array of NumPy, masked where they are null,
/// or anything that NumPy makes an array of. `shape` is that of the box that is written.
pub(crate) fn write_column(
    write: WriteQuery,
    column: &Column,
    enumeration: Option<&Enumeration>,
    cells: &Bound<'_, PyAny>,
    shape: Option<&[usize]>,
) -> PyResult<WriteQuery> {
    let py = cells.py();
    let numpy = numpy(py)?;
    let mut cells = cells.clone();
    let mut mask = None;
    if cells.is_instance(&numpy.getattr("ma")?.getattr("MaskedArray")?)? {
        if !column.nullable && cells.getattr("mask")?.call_method0("any")?.is_truthy()? {
            return Err(PyValueError::new_err(format!(
                "the field '{}' cannot be null, and cells are masked",
                column.name
            )));
        }
        mask = Some(
            numpy
                .getattr("ma")?
                .call_method1("getmaskarray", (&cells,))?,
        );
        cells = cells.getattr("data")?;
    }
    let is_object = column.is_var() || column.enumeration.is_some() || column.is_text();
    let axes = shape.map_or(1, <[usize]>::len);
    if !is_object {
        cells = with_last_axis(&cells)?;
        if column.is_complex() {
            (cells, mask) = complex_cells(column, cells, mask, axes)?;
        }
    }
    let mut full = shape.map(<[usize]>::to_vec);
    if let (Some(full), true) = (&mut full, column.inner_len() != 1) {
        full.push(column.inner_len());
    }
    let mut array = if is_object {
        objects_of(column, &cells, axes)?
    } else {
        let (array, missing) = numbers(column, &with_nulls(&cells)?, column.dtype(py)?)?;
        mask = match (mask, missing) {
            (Some(masked), Some(missing)) => {
                Some(numpy.call_method1("logical_or", (masked, missing))?)
            }
            (mask, missing) => mask.or(missing),
        };
        array
    };
    if let Some(full) = &full {
        array = numpy.call_method1("broadcast_to", (array, full.clone()))?;
        if let Some(masked) = mask {
            mask = Some(numpy.call_method1("broadcast_to", (masked, full.clone()))?);
        }
    }
    if is_object {
        let list = array.call_method0("ravel")?.call_method0("tolist")?;
        let mask = mask.map(|mask| mask.call_method0("ravel")?.call_method0("tolist"));
        return write_objects(
            write,
            column,
            enumeration,
            &list,
            mask.transpose()?.as_ref(),
        );
    }
    let array = numpy.call_method1("ascontiguousarray", (array,))?;
    let array = array.cast_into::<PyUntypedArray>()?;
    let size = array.dtype().itemsize() * array.len();
    // SAFETY: the array is contiguous; it is a copy, or the caller's, which is only read.
    let data = unsafe {
        let data = (*array.as_array_ptr()).fields.data;
        if size == 0 {
            &[][..]
        } else {
            std::slice::from_raw_parts(data.cast::<u8>(), size)
        }
    };
    let validity: Option<Vec<u8>> = match (mask, column.nullable) {
        (Some(mask), true) => {
            let mask = mask.call_method0("ravel")?.call_method0("tobytes")?;
            let mask = mask.cast::<PyBytes>()?.as_bytes();
            let inner = column.inner_len().max(1);
            let cells = mask.chunks(inner);
            let mut several = cells.clone().filter(|_| inner > 1);
            if several.any(|cell| cell.iter().any(|masked| *masked != cell[0])) {
                return Err(masked_in_part(column));
            }
            Some(cells.map(|cell| u8::from(cell[0] == 0)).collect())
        }
        _ => None,
    };
    if validity.is_none()
        && !column.nullable
        && column.inner_len() == 1
        && !column.is_complex()
        && let Some(values) = arrow_values(column.datatype, &array)
    {
        let batch = RecordBatch::try_from_iter([(&column.name, values)])
            .map_err(|problem| PyValueError::new_err(problem.to_string()))?;
        return Ok(write.record_batch(&batch));
    }
    let bytes = CellBytes {
        data,
        offsets: None,
        validity: validity.as_deref(),
    };
    Ok(write.column_bytes(&column.name, bytes))
}

/// Returns the fields of structures as a last axis of their values. Other cells are returned
/// unchanged.
fn with_last_axis<'py>(cells: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = cells.py();
    let Some(dtype) = cells.getattr_opt(intern!(py, "dtype"))? else {
        return Ok(cells.clone());
    };
    let names = dtype.getattr_opt("names")?.filter(|names| !names.is_none());
    let Some(names) = names else {
        return Ok(cells.clone());
    };
    let fields = names.try_iter()?.map(|name| cells.get_item(name?));
    let fields = fields.collect::<PyResult<Vec<_>>>()?;
    let options = PyDict::new(py);
    options.set_item("axis", -1)?;
    numpy(py)?.call_method("stack", (fields,), Some(&options))
}

/// Returns cells of a complex field and their mask without the last axis that pairs of numbers
/// have.
fn complex_cells<'py>(
    column: &Column,
    cells: Bound<'py, PyAny>,
    mask: Option<Bound<'py, PyAny>>,
    axes: usize,
) -> PyResult<(Bound<'py, PyAny>, Option<Bound<'py, PyAny>>)> {
    let py = cells.py();
    let numpy = numpy(py)?;
    let array = numpy.call_method1("asarray", (&cells,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    if !matches!(&kind[..], "f" | "i" | "u" | "b") || shape.len() != axes + 1 || shape[axes] != 2 {
        return Ok((cells, mask));
    }
    let pairs = PyArrayDescr::new(py, dtype_name(column.datatype))?;
    let (array, _) = numbers(column, &array, &pairs)?;
    let array = numpy.call_method1("ascontiguousarray", (array,))?;
    let cells = array.call_method1("view", (column.dtype(py)?,))?;
    let cells = cells.call_method1("reshape", (&shape[..axes],))?;
    let mask = mask.map(|mask| {
        let (all, any) = (
            mask.call_method1("all", (-1,))?,
            mask.call_method1("any", (-1,))?,
        );
        if !numpy
            .call_method1("array_equal", (&all, any))?
            .is_truthy()?
        {
            return Err(masked_in_part(column));
        }
        Ok(all)
    });
    Ok((cells, mask.transpose()?))
}

/// Returns whether an array of NumPy is a masked one.
pub(crate) fn is_masked_array(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    let masked = numpy(array.py())?.getattr("ma")?.getattr("MaskedArray")?;
    array.is_instance(&masked)
}

/// Returns an error if cells are null, which arrays of NumPy that are not masked cannot have.
pub(crate) fn check_not_null(name: &str, cells: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = cells.py();
    if let Some(mask) = cells.getattr_opt(intern!(py, "mask"))?
        && mask.call_method0(intern!(py, "any"))?.is_truthy()?
    {
        return Err(PyTypeError::new_err(format!(
            "the field '{name}' has null values, which an array of NumPy cannot have: read it as a \
             masked array, with field[...]"
        )));
    }
    Ok(())
}

fn masked_in_part(column: &Column) -> PyErr {
    PyValueError::new_err(format!(
        "a cell of the field '{}' is null as a whole, and values of one are masked",
        column.name
    ))
}

/// Returns the cells of a field of objects as an array of NumPy with this number of axes. Lists
/// become arrays of objects, because NumPy would convert values of different types to texts, and
/// texts with zeros at their end to shorter ones.
fn objects_of<'py>(
    column: &Column,
    cells: &Bound<'py, PyAny>,
    axes: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let py = cells.py();
    let numpy = numpy(py)?;
    let is_list = cells.is_instance_of::<PyList>() || cells.is_instance_of::<PyTuple>();
    let array = if is_list {
        numpy.call_method1("asarray", (cells, "object"))?
    } else {
        numpy.call_method1("asarray", (cells,))?
    };
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    if column.is_text() || column.enumeration.is_some() || shape.len() != axes + 1 {
        return Ok(array);
    }
    // The cells have equal numbers of values, which are the last axis.
    let (outer, number) = (&shape[..axes], shape[axes]);
    let len: usize = outer.iter().product();
    let rows = array.call_method1("reshape", ((len, number),))?;
    let objects = numpy.call_method1("empty", (len, "object"))?;
    for (index, row) in rows.try_iter()?.enumerate() {
        objects.set_item(index, row?)?;
    }
    objects.call_method1("reshape", (outer.to_vec(),))
}

/// Returns numbers or times as an array with the dtype of a column, and a mask of missing values if
/// there are any.
///
/// # Errors
///
/// If a value is of another kind, or cannot be stored without loss.
fn numbers<'py>(
    column: &Column,
    cells: &Bound<'py, PyAny>,
    dtype: &Bound<'py, PyArrayDescr>,
) -> PyResult<(Bound<'py, PyAny>, Option<Bound<'py, PyAny>>)> {
    let py = cells.py();
    let numpy = numpy(py)?;
    let array = numpy.call_method1("asarray", (cells,))?;
    let given = array.getattr("dtype")?;
    // Integers of Python that fit are values of any type of integers, and `None` is null.
    let is_python = cells.is_instance_of::<PyList>()
        || cells.is_instance_of::<PyTuple>()
        || cells.is_instance_of::<PyInt>();
    let is_extension_array = cells.hasattr(intern!(py, "dtype"))?
        && cells
            .getattr(intern!(py, "dtype"))?
            .hasattr(intern!(py, "na_value"))?;
    if !is_extension_array && given.eq(dtype)? {
        return Ok((array, None));
    }
    if is_python || is_extension_array || given.getattr("kind")?.eq("O")? {
        let objects = numpy.call_method1("asarray", (cells, "object"))?;
        let (objects, missing) = values_of_objects(column, &objects)?;
        let Some(missing) = missing else {
            return Ok((from_objects(column, &objects, dtype)?, None));
        };
        let shape = objects.getattr("shape")?;
        let array = numpy.call_method1("zeros", (shape, dtype))?;
        let present = numpy.call_method1("logical_not", (&missing,))?;
        let values = from_objects(column, &objects.get_item(&present)?, dtype)?;
        array.set_item(&present, values)?;
        return Ok((array, Some(missing)));
    }
    if !numpy
        .call_method1("can_cast", (&given, dtype, "same_kind"))?
        .is_truthy()?
    {
        return Err(PyTypeError::new_err(format!(
            "values of dtype {} cannot be stored in the field '{}' of {}",
            given.str()?,
            column.name,
            dtype.str()?
        )));
    }
    check_integers(column, &array, dtype)?;
    Ok((cast(column, &array, dtype)?, None))
}

/// Returns an array with another dtype; a copy is made only of values of another type.
///
/// # Errors
///
/// If a datetime or time is not one of the unit of the dtype.
fn cast<'py>(
    column: &Column,
    array: &Bound<'py, PyAny>,
    dtype: &Bound<'py, PyArrayDescr>,
) -> PyResult<Bound<'py, PyAny>> {
    let numpy = numpy(array.py())?;
    let converted = numpy.call_method1("asarray", (array, dtype))?;
    let given = array
        .getattr("dtype")?
        .call_method1("newbyteorder", ("=",))?;
    let kind: String = given.getattr("kind")?.extract()?;
    if !matches!(&kind[..], "m" | "M") || given.eq(dtype)? {
        return Ok(converted);
    }
    let number = |array: Bound<'py, PyAny>| array.call_method1("view", ("int64",));
    let original = number(array.call_method1("astype", (&given,))?)?;
    let restored = number(converted.call_method1("astype", (&given,))?)?;
    if !numpy
        .call_method1("array_equal", (original, restored))?
        .is_truthy()?
    {
        return Err(PyValueError::new_err(format!(
            "values of dtype {} do not fit the field '{}' of {} without loss",
            given.str()?,
            column.name,
            dtype.str()?
        )));
    }
    Ok(converted)
}

/// Returns objects of Python without missing values as an array with a dtype.
fn from_objects<'py>(
    column: &Column,
    objects: &Bound<'py, PyAny>,
    dtype: &Bound<'py, PyArrayDescr>,
) -> PyResult<Bound<'py, PyAny>> {
    let numpy = numpy(objects.py())?;
    let kind: String = dtype.getattr("kind")?.extract()?;
    if matches!(&kind[..], "m" | "M") && objects.getattr("size")?.is_truthy()? {
        // The unit that represents all values; numbers have none.
        let list = objects.call_method0("tolist")?;
        let generic = format!("{kind}8");
        if let Ok(times) = numpy.call_method1("asarray", (list, generic)) {
            return cast(column, &times, dtype);
        }
    }
    numpy.call_method1("asarray", (objects, dtype))
}

/// Returns an array of pyarrow or polars that has nulls as a list, because NumPy would convert the
/// nulls to NaN. Other cells are returned unchanged.
fn with_nulls<'py>(cells: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let Some(count) = cells.getattr_opt("null_count")? else {
        return Ok(cells.clone());
    };
    let count = if count.is_callable() {
        count.call0()?
    } else {
        count
    };
    match (count.is_truthy()?, cells.hasattr("to_pylist")?) {
        (false, _) => Ok(cells.clone()),
        (true, true) => cells.call_method0("to_pylist"),
        (true, false) => cells.call_method0("to_list"),
    }
}

/// Returns an error if integers of another type do not fit the type of a column.
fn check_integers(
    column: &Column,
    array: &Bound<'_, PyAny>,
    dtype: &Bound<'_, PyArrayDescr>,
) -> PyResult<()> {
    let is_integer = |dtype: &Bound<'_, PyAny>| -> PyResult<bool> {
        let kind: String = dtype.getattr("kind")?.extract()?;
        Ok(kind == "i" || kind == "u")
    };
    let given = array.getattr("dtype")?;
    if given.eq(dtype)?
        || !is_integer(&given)?
        || !is_integer(dtype)?
        || !array.getattr("size")?.is_truthy()?
    {
        return Ok(());
    }
    let limits = numpy(array.py())?.call_method1("iinfo", (dtype,))?;
    for (extreme, excess) in [("min", CompareOp::Lt), ("max", CompareOp::Gt)] {
        let value = array.call_method0(extreme)?.call_method0("item")?;
        if value
            .rich_compare(limits.getattr(extreme)?, excess)?
            .is_truthy()?
        {
            return Err(PyOverflowError::new_err(format!(
                "the value {value} does not fit the field '{}' of {}",
                column.name,
                dtype.str()?
            )));
        }
    }
    Ok(())
}

/// Returns an array of objects whose values NumPy converts to those of a column without loss, and a
/// mask of missing ones (`None`, `NA` and `NaT`) if there are any.
fn values_of_objects<'py>(
    column: &Column,
    objects: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyAny>, Option<Bound<'py, PyAny>>)> {
    let py = objects.py();
    let numpy = numpy(py)?;
    let shape = objects.getattr("shape")?;
    let is_time = column.datatype.is_datetime() || column.datatype.is_time();
    let values = objects.call_method0("ravel")?.call_method0("tolist")?;
    let values = values.cast_into::<PyList>()?;
    let mut missing = Vec::with_capacity(values.len());
    let mut is_changed = false;
    for (index, value) in values.iter().enumerate() {
        let is_float = value.is_instance_of::<PyFloat>();
        let is_missing = value.is_none() || !is_float && is_missing(&value);
        missing.push(is_missing);
        if is_missing {
            continue;
        }
        if is_time {
            if let Some(time) = time_of_numpy(&value)? {
                values.set_item(index, time)?;
                is_changed = true;
            }
            if !is_float {
                continue;
            }
        }
        let fits = if column.datatype.is_real() {
            !value.is_instance_of::<PyString>()
                && !value.is_instance_of::<PyBytes>()
                && (column.is_complex() || !is_complex(&value))
        } else {
            !is_float && (value.hasattr(intern!(py, "__index__"))? || is_bool(&value))
        };
        if !fits {
            let kind = if is_float {
                "floating-point number".to_owned()
            } else {
                value.get_type().name()?.to_string()
            };
            return Err(PyTypeError::new_err(format!(
                "the {kind} {} cannot be stored in the field '{}'",
                value.str()?,
                column.name
            )));
        }
    }
    let mut objects = objects.clone();
    if is_changed {
        let replaced = numpy.call_method1("empty", (values.len(), "object"))?;
        let all = PySlice::full(py);
        replaced.set_item(all, values)?;
        objects = replaced.call_method1("reshape", (&shape,))?;
    }
    if !missing.contains(&true) {
        return Ok((objects, None));
    }
    if !column.nullable {
        return Err(PyValueError::new_err(format!(
            "the field '{}' cannot be null, and values are missing",
            column.name
        )));
    }
    let mask = numpy.call_method1("asarray", (missing,))?;
    Ok((objects, Some(mask.call_method1("reshape", (shape,))?)))
}

/// Returns whether a value is a complex number of Python or NumPy.
fn is_complex(value: &Bound<'_, PyAny>) -> bool {
    let name = value.get_type().name();
    name.is_ok_and(|name| name.to_str().is_ok_and(|name| name.starts_with("complex")))
}

/// Returns whether a value is a truth value of Python or NumPy.
fn is_bool(value: &Bound<'_, PyAny>) -> bool {
    let name = value.get_type().name();
    name.is_ok_and(|name| name == "bool" || name == "bool_")
}

/// Returns numbers as an array of Arrow in the memory of an array of NumPy that is contiguous.
/// Returns `None` for values of other types, and if the memory is not aligned.
fn arrow_values(datatype: Datatype, array: &Bound<'_, PyUntypedArray>) -> Option<ArrayRef> {
    let len = array.len();
    // SAFETY: the array object is valid.
    let data = NonNull::new(unsafe { (*array.as_array_ptr()).fields.data }.cast::<u8>())?;
    if len == 0 || !data.addr().get().is_multiple_of(datatype.size()) {
        return None;
    }
    let owner = Arc::new(AssertUnwindSafe(array.clone().unbind()));
    // SAFETY: the array is contiguous, has values of this datatype, and is kept by the buffer.
    let buffer = unsafe { Buffer::from_custom_allocation(data, len * datatype.size(), owner) };
    macro_rules! values {
        ($type:ty) => {
            Arc::new(PrimitiveArray::<$type>::new(
                ScalarBuffer::new(buffer, 0, len),
                None,
            ))
        };
    }
    Some(match datatype {
        Datatype::Int8 => values!(Int8Type),
        Datatype::Int16 => values!(Int16Type),
        Datatype::Int32 => values!(Int32Type),
        Datatype::Int64 => values!(Int64Type),
        Datatype::Uint8 => values!(UInt8Type),
        Datatype::Uint16 => values!(UInt16Type),
        Datatype::Uint32 => values!(UInt32Type),
        Datatype::Uint64 => values!(UInt64Type),
        Datatype::Float32 => values!(Float32Type),
        Datatype::Float64 => values!(Float64Type),
        _ => return None,
    })
}

/// Adds cells that are objects: texts, bytes, arrays of numbers, values of an enumeration.
fn write_objects(
    write: WriteQuery,
    column: &Column,
    enumeration: Option<&Enumeration>,
    cells: &Bound<'_, PyAny>,
    mask: Option<&Bound<'_, PyAny>>,
) -> PyResult<WriteQuery> {
    let py = cells.py();
    let (mut data, mut offsets, mut validity) = (Vec::new(), Vec::new(), Vec::new());
    let mut texts: Vec<Option<Scalar>> = Vec::new();
    let size = column.datatype.size() * column.values_per_cell as usize;
    for (index, cell) in cells.try_iter()?.enumerate() {
        let cell = cell?;
        let is_masked = match mask {
            Some(mask) => mask.get_item(index)?.is_truthy()?,
            None => false,
        };
        let is_null = is_masked || cell.is_none() || is_missing(&cell);
        if is_null && !column.nullable {
            return Err(PyValueError::new_err(format!(
                "the field '{}' cannot be null, as cell {index} is",
                column.name
            )));
        }
        if let Some(enumeration) = enumeration {
            if is_null {
                texts.push(None);
                continue;
            }
            let value = values::scalar(&cell, Datatype::StringUtf8)?;
            // Numbers are indexes of texts.
            if let Scalar::Integer(number) = &value
                && enumeration.datatype().is_string()
                && usize::try_from(*number).map_or(true, |number| number >= enumeration.len())
            {
                return Err(PyValueError::new_err(format!(
                    "cell {index} of the field '{}': {number} is not an index of the enumeration",
                    column.name
                )));
            }
            texts.push(Some(value));
            continue;
        }
        let start = data.len();
        validity.push(u8::from(!is_null));
        if !is_null {
            cell_bytes(py, column, &cell, &mut data)?;
        }
        if column.is_var() {
            offsets.push(start as u64);
        } else if data.len() > start + size {
            return Err(PyValueError::new_err(format!(
                "cell {index} of the field '{}' has more than {size} bytes",
                column.name
            )));
        } else {
            data.resize(start + size, 0);
        }
    }
    if enumeration.is_some() {
        return Ok(write.column(&column.name, texts));
    }
    let bytes = CellBytes {
        data: &data,
        offsets: column.is_var().then_some(&offsets[..]),
        validity: column.nullable.then_some(&validity[..]),
    };
    Ok(write.column_bytes(&column.name, bytes))
}

/// Returns whether a value is `NaN`, `NaT` or `NA`, which tables use for missing texts.
fn is_missing(cell: &Bound<'_, PyAny>) -> bool {
    if cell.is_instance_of::<PyString>() || cell.is_instance_of::<PyBytes>() {
        return false;
    }
    let name = cell.get_type().name();
    match name.map(|name| name.to_string()).as_deref() {
        Ok(name) if name.starts_with("float") => cell.extract::<f64>().is_ok_and(f64::is_nan),
        Ok("NAType" | "NaTType") => true,
        _ => false,
    }
}

fn cell_bytes(
    py: Python<'_>,
    column: &Column,
    cell: &Bound<'_, PyAny>,
    data: &mut Vec<u8>,
) -> PyResult<()> {
    if let Ok(bytes) = cell.cast::<PyBytes>() {
        data.extend_from_slice(bytes.as_bytes());
        return Ok(());
    }
    if column.is_text() {
        let text = cell.cast::<PyString>().map_err(|_| {
            let class = cell.get_type().name().map(|name| name.to_string());
            PyTypeError::new_err(format!(
                "a cell of the field '{}' is of type {}, not a text or bytes",
                column.name,
                class.unwrap_or_default()
            ))
        })?;
        let bytes = Scalar::Text(text.to_str()?.to_owned()).to_bytes(column.datatype);
        data.extend(bytes.map_err(|problem| PyValueError::new_err(problem.to_string()))?);
        return Ok(());
    }
    let dtype = PyArrayDescr::new(py, dtype_name(column.datatype))?;
    let (array, missing) = numbers(column, cell, &dtype)?;
    if missing.is_some() {
        return Err(PyValueError::new_err(format!(
            "a cell of the field '{}' is null as a whole, and values of one are missing",
            column.name
        )));
    }
    let bytes = array.call_method0("tobytes")?;
    data.extend_from_slice(bytes.cast::<PyBytes>()?.as_bytes());
    Ok(())
}
