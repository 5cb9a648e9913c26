//! Indexes of dense arrays: coordinates with the rules of NumPy.

use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyEllipsis, PyList, PySlice, PyTuple};
use tiledb_engine::{Datatype, ReadQuery, Scalar, Schema};

use crate::columns::numpy;
use crate::values::{integer, scalar};

/// The least step of a slice whose coordinates are read one by one instead of with those between.
const MIN_SPARSE_STEP: i128 = 8;

/// The largest number of coordinates that are read one by one because of a step.
const MAX_POINTS: i128 = 1 << 16;

/// A dimension of a dense array. Coordinates of datetimes are their stored numbers.
#[derive(Debug)]
pub(crate) struct Axis {
    pub(crate) name: String,
    pub(crate) datatype: Datatype,
    /// The first and the last coordinate of the current domain.
    pub(crate) bounds: (i128, i128),
}

impl Axis {
    /// Returns the dimensions of a dense schema; none of a sparse one.
    pub(crate) fn all(schema: &Schema) -> Vec<Self> {
        if !schema.is_dense() {
            return Vec::new();
        }
        let current = schema.current_domain();
        let dimensions = schema.dimensions().iter().enumerate();
        let axes = dimensions.map(|(index, dimension)| {
            let current = current.as_ref().and_then(|ranges| ranges.get(index));
            let bounds = current.map(|range| (range.start().clone(), range.end().clone()));
            let bounds = bounds.or_else(|| dimension.bounds());
            let bounds = match bounds {
                Some((Scalar::Integer(low), Scalar::Integer(high))) => (low, high),
                _ => (0, -1),
            };
            let name = dimension.name.clone();
            Self {
                name,
                datatype: dimension.datatype,
                bounds,
            }
        });
        axes.collect()
    }

    /// Returns the number of coordinates.
    pub(crate) fn len(&self) -> usize {
        usize::try_from(self.bounds.1 - self.bounds.0 + 1).unwrap_or(usize::MAX)
    }

    fn is_time(&self) -> bool {
        !self.datatype.is_integer()
    }

    /// Returns the number of a coordinate.
    fn coordinate(&self, value: &Bound<'_, PyAny>) -> PyResult<i128> {
        if self.is_time() {
            if let Scalar::Integer(value) = self.stored(scalar(value, self.datatype)?)? {
                return Ok(value);
            }
        } else if let Some(value) = integer(value) {
            return Ok(value);
        }
        let class = value.get_type().name()?;
        Err(PyIndexError::new_err(format!(
            "the dimension '{}' of {} cannot be indexed with a value of type {class}",
            self.name,
            self.datatype.name()
        )))
    }

    /// Returns a text as the number that is stored for it.
    fn stored(&self, value: Scalar) -> PyResult<Scalar> {
        let Scalar::Text(_) = &value else {
            return Ok(value);
        };
        let bytes = value.to_bytes(self.datatype);
        let bytes = bytes.map_err(|problem| PyValueError::new_err(problem.to_string()))?;
        Ok(Scalar::from_bytes(self.datatype, &bytes))
    }

    /// Returns a coordinate after negative ones, which count from the end of domains without
    /// negative coordinates, were converted.
    fn wrapped(&self, value: i128) -> i128 {
        if value < 0 && self.bounds.0 >= 0 && !self.is_time() {
            value + self.bounds.1 + 1
        } else {
            value
        }
    }

    fn single(&self, value: &Bound<'_, PyAny>) -> PyResult<i128> {
        let value = self.wrapped(self.coordinate(value)?);
        let (low, high) = self.bounds;
        if value < low || value > high {
            return Err(PyIndexError::new_err(format!(
                "coordinate {value} is outside of the domain of dimension '{}', {low} to {high}",
                self.name
            )));
        }
        Ok(value)
    }

    fn slice(&self, slice: &Bound<'_, PySlice>) -> PyResult<AxisIndex> {
        let py = slice.py();
        let (low, high) = self.bounds;
        let (start, stop, step) = (
            slice.getattr(intern!(py, "start"))?,
            slice.getattr(intern!(py, "stop"))?,
            slice.getattr(intern!(py, "step"))?,
        );
        let step = if step.is_none() {
            1
        } else {
            integer(&step)
                .ok_or_else(|| PyTypeError::new_err("the step of a slice is no integer"))?
        };
        if step == 0 {
            return Err(PyValueError::new_err("the step of a slice is 0"));
        }
        // The end of a range of datetimes is included, as in TileDB-Py.
        let inclusive = i128::from(self.is_time());
        let bound = |value: &Bound<'_, PyAny>| -> PyResult<Option<i128>> {
            if value.is_none() {
                return Ok(None);
            }
            self.coordinate(value)
                .map(|value| Some(self.wrapped(value)))
        };
        let (start, stop) = (bound(&start)?, bound(&stop)?);
        if step > 0 {
            let first = start.unwrap_or(low).max(low);
            let end = stop.map_or(high + 1, |stop| stop + inclusive).min(high + 1);
            return Ok(AxisIndex::stepped(
                first,
                (end - first + step - 1).max(0) / step,
                step,
            ));
        }
        let first = start.unwrap_or(high).min(high);
        let end = stop.map_or(low - 1, |stop| stop - inclusive).max(low - 1);
        Ok(AxisIndex::stepped(
            first,
            (first - end - step - 1).max(0) / -step,
            step,
        ))
    }

    /// Returns the index for a list of coordinates, or for a mask.
    fn list(&self, given: &Bound<'_, PyAny>) -> PyResult<AxisIndex> {
        let py = given.py();
        let mut list = numpy(py)?.call_method1("asarray", (given,))?;
        if list.getattr("ndim")?.extract::<usize>()? != 1 {
            return Err(PyIndexError::new_err(
                "an index is not a list with one axis",
            ));
        }
        let kind: String = list.getattr("dtype")?.getattr("kind")?.extract()?;
        if kind == "f" && given.is_instance_of::<PyList>() {
            // Integers of several types, which NumPy rounds to what they have in common.
            list = numpy(py)?.call_method1("asarray", (given, "object"))?;
        }
        let mut coordinates = Vec::new();
        if kind == "b" {
            let len = list.len()?;
            if len != self.len() {
                return Err(PyIndexError::new_err(format!(
                    "a mask with {len} values is used for dimension '{}' with {} coordinates",
                    self.name,
                    self.len()
                )));
            }
            list = numpy(py)?.call_method1("flatnonzero", (list,))?;
            for position in list.call_method0("tolist")?.try_iter()? {
                coordinates.push(self.bounds.0 + i128::from(position?.extract::<i64>()?));
            }
        } else {
            for value in list.try_iter()? {
                coordinates.push(self.single(&value?)?);
            }
        }
        Ok(AxisIndex::of(&coordinates))
    }
}

/// Returns ascending coordinates as ranges of adjacent ones.
fn runs(coordinates: &[i128]) -> Vec<(i128, i128)> {
    let mut found: Vec<(i128, i128)> = Vec::new();
    for value in coordinates {
        match found.last_mut() {
            Some((_, end)) if *end + 1 == *value => *end = *value,
            _ => found.push((*value, *value)),
        }
    }
    found
}

/// The selected coordinates of a dimension.
#[derive(Debug, Default)]
pub(crate) struct AxisIndex {
    /// The ranges that are read, both bounds included, in ascending order.
    pub(crate) ranges: Vec<(i128, i128)>,
    /// The number of coordinates in the ranges.
    pub(crate) len: usize,
    /// Whether the index is a single coordinate, whose axis the result does not have.
    pub(crate) is_dropped: bool,
    /// Every how many of the coordinates that are read is part of the result.
    stride: usize,
    is_reversed: bool,
    /// The positions among the coordinates that are read, in the order of the result.
    order: Option<Vec<usize>>,
}

impl AxisIndex {
    /// Selects coordinates in this order.
    pub(crate) fn of(coordinates: &[i128]) -> Self {
        let mut sorted = coordinates.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let order = if sorted == coordinates {
            None
        } else {
            let position = |value| sorted.binary_search(value).unwrap_or_default();
            Some(coordinates.iter().map(position).collect())
        };
        Self {
            ranges: runs(&sorted),
            len: sorted.len(),
            order,
            ..Self::default()
        }
    }

    /// Selects a single coordinate.
    pub(crate) fn point(value: i128) -> Self {
        Self {
            ranges: vec![(value, value)],
            len: 1,
            is_dropped: true,
            ..Self::default()
        }
    }

    /// Selects `number` coordinates from `first` in steps.
    fn stepped(first: i128, number: i128, step: i128) -> Self {
        if number <= 0 {
            return Self::default();
        }
        let last = first + (number - 1) * step;
        let (low, high) = (first.min(last), first.max(last));
        let (ranges, len, stride) = if step.abs() < MIN_SPARSE_STEP || number > MAX_POINTS {
            (vec![(low, high)], high - low + 1, step.unsigned_abs())
        } else {
            let points = (0..number).map(|index| low + index * step.abs());
            (points.map(|value| (value, value)).collect(), number, 1)
        };
        Self {
            ranges,
            len: usize::try_from(len).unwrap_or(usize::MAX),
            stride: usize::try_from(stride).unwrap_or(1),
            is_reversed: step < 0,
            ..Self::default()
        }
    }

    /// Returns the single range, if the coordinates are adjacent and in ascending order.
    pub(crate) fn single_range(&self) -> Option<(i128, i128)> {
        match &self.ranges[..] {
            [range] if self.stride <= 1 && !self.is_reversed && self.order.is_none() => {
                Some(*range)
            }
            _ => None,
        }
    }

    fn is_simple(&self) -> bool {
        self.stride <= 1 && !self.is_reversed && self.order.is_none()
    }
}

/// The selected cells of a dense array.
#[derive(Debug)]
pub(crate) struct Selection {
    pub(crate) axes: Vec<AxisIndex>,
}

impl Selection {
    /// Parses what is between the brackets of `array[...]`.
    pub(crate) fn parse(axes: &[Axis], key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut selected = Vec::with_capacity(axes.len());
        if let Ok(keys) = key.cast::<PyTuple>() {
            let number = keys.len();
            let dots = keys
                .iter_borrowed()
                .filter(|item| item.is_instance_of::<PyEllipsis>())
                .count();
            if dots > 1 || number - dots > axes.len() {
                return Err(too_many(number - dots, axes.len()));
            }
            let omitted = axes.len() - (number - dots);
            for item in keys.iter_borrowed() {
                if item.is_instance_of::<PyEllipsis>() {
                    for _ in 0..omitted {
                        selected.push(complete(&axes[selected.len()]));
                    }
                } else {
                    selected.push(Self::axis(&axes[selected.len()], &item)?);
                }
            }
        } else if !key.is_instance_of::<PyEllipsis>() {
            let axis = axes.first().ok_or_else(|| too_many(1, 0))?;
            selected.push(Self::axis(axis, key)?);
        }
        for axis in &axes[selected.len()..] {
            selected.push(complete(axis));
        }
        Ok(Self { axes: selected })
    }

    /// Parses a dictionary of indexes by the names of dimensions and labels. `label` returns the
    /// dimension of a label and the coordinates that its index selects.
    pub(crate) fn parse_named(
        axes: &[Axis],
        keys: &Bound<'_, PyDict>,
        label: impl Fn(&str, &Bound<'_, PyAny>) -> PyResult<(usize, AxisIndex)>,
    ) -> PyResult<Self> {
        let mut selected: Vec<Option<AxisIndex>> = axes.iter().map(|_| None).collect();
        for (name, key) in keys {
            let name: String = name.extract()?;
            let (number, index) = match axes.iter().position(|axis| axis.name == name) {
                Some(number) => (number, Self::axis(&axes[number], &key)?),
                None => label(&name, &key)?,
            };
            if selected[number].replace(index).is_some() {
                return Err(PyIndexError::new_err(format!(
                    "the dimension '{}' has two indexes",
                    axes[number].name
                )));
            }
        }
        let selected = axes.iter().zip(selected);
        let axes = selected.map(|(axis, index)| index.unwrap_or_else(|| complete(axis)));
        Ok(Self {
            axes: axes.collect(),
        })
    }

    /// Parses an index with positions from 0, as those of arrays of NumPy.
    pub(crate) fn parse_positions(axes: &[Axis], key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let shifted: Vec<Axis> = axes
            .iter()
            .map(|axis| Axis {
                name: String::new(),
                datatype: Datatype::Int64,
                bounds: (0, axis.bounds.1 - axis.bounds.0),
            })
            .collect();
        let mut selection = Self::parse(&shifted, key)?;
        for (index, axis) in selection.axes.iter_mut().zip(axes) {
            for (low, high) in &mut index.ranges {
                (*low, *high) = (*low + axis.bounds.0, *high + axis.bounds.0);
            }
        }
        Ok(selection)
    }

    fn axis(axis: &Axis, key: &Bound<'_, PyAny>) -> PyResult<AxisIndex> {
        if let Ok(slice) = key.cast::<PySlice>() {
            return axis.slice(slice);
        }
        if key.is_instance_of::<PyBool>() {
            return Err(PyIndexError::new_err("a truth value is no coordinate"));
        }
        let is_list = key.is_instance_of::<PyList>()
            || (key.hasattr(intern!(key.py(), "__len__"))?
                && key.hasattr(intern!(key.py(), "dtype"))?
                && key.getattr(intern!(key.py(), "ndim"))?.extract::<usize>()? > 0);
        if is_list {
            return axis.list(key);
        }
        axis.single(key).map(AxisIndex::point)
    }

    /// Returns the lengths of the axes that are read, without those of single coordinates.
    pub(crate) fn shape(&self) -> Vec<usize> {
        let axes = self.axes.iter().filter(|axis| !axis.is_dropped);
        axes.map(|axis| axis.len).collect()
    }

    /// Returns the number of cells that are read.
    pub(crate) fn cells(&self) -> usize {
        self.axes
            .iter()
            .map(|axis| axis.len)
            .fold(1, usize::saturating_mul)
    }

    /// Returns whether the result has the cells that are read, in their order.
    pub(crate) fn is_simple(&self) -> bool {
        self.axes.iter().all(AxisIndex::is_simple)
    }

    /// Adds the ranges to a read.
    pub(crate) fn add_to(&self, axes: &[Axis], mut query: ReadQuery) -> ReadQuery {
        for (axis, index) in axes.iter().zip(&self.axes) {
            for (low, high) in &index.ranges {
                query = query.range(&axis.name, *low..=*high);
            }
        }
        query
    }

    /// Selects the result from the cells that were read.
    pub(crate) fn apply<'py>(&self, mut array: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if self.is_simple() {
            return Ok(array);
        }
        let py = array.py();
        let numpy = numpy(py)?;
        let axes = self.axes.iter().filter(|axis| !axis.is_dropped);
        let mut copies = false;
        for (number, axis) in axes.enumerate() {
            if let Some(order) = &axis.order {
                array = array.call_method1("take", (order.clone(), number))?;
                continue;
            }
            if axis.is_simple() {
                continue;
            }
            copies |= axis.stride > 1;
            let step = axis.stride.max(1) as i64 * if axis.is_reversed { -1 } else { 1 };
            let slice = py
                .get_type::<PySlice>()
                .call1((py.None(), py.None(), step))?;
            let all = py.get_type::<PySlice>().call1((py.None(),))?;
            let mut keys = vec![all; number];
            keys.push(slice);
            array = array.get_item(PyTuple::new(py, keys)?)?;
        }
        // A view of every n-th value would keep all of them in memory.
        if copies && !array.is_instance(&numpy.getattr("generic")?)? {
            return array.call_method0("copy");
        }
        Ok(array)
    }
}

/// Selects all coordinates.
pub(crate) fn complete(axis: &Axis) -> AxisIndex {
    let (low, high) = axis.bounds;
    AxisIndex::stepped(low, high - low + 1, 1)
}

fn too_many(given: usize, dimensions: usize) -> PyErr {
    PyIndexError::new_err(format!(
        "{given} indexes were given for an array with {dimensions} dimensions"
    ))
}
