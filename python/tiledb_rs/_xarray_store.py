"""Arrays and groups as variables of xarray: the form in which they are stored, and lazy reads.

An array is a dataset with a variable for each attribute; dimensions whose domain does not start at
0, and dates, have coordinates, and so have labels. A group is a dataset with the variables of its arrays, and its
groups are those of a datatree. Metadata with the prefix ``__tiledb_attr.NAME.`` belongs to the
variable ``NAME``, as in TileDB-CF; other metadata belongs to the dataset. The attribute of a variable
with the name of a dimension has the suffix ``.data``. The metadata ``__tiledb_sizes`` of a group has the
lengths of its dimensions, to which its arrays may have cells after the last one.
"""

import functools
import json

import numpy as np
import xarray as xr
from xarray.backends import BackendArray
from xarray.backends.common import AbstractDataStore
from xarray.core import indexing

from ._array import Array
from ._group import Group, object_type

PREFIX = "__tiledb_attr."
SCALAR = "__tiledb_scalar"
SHAPE = "__tiledb_shape"
SIZES = "__tiledb_sizes"
SUFFIX = ".data"
_JSON = "json:"

#: How often a group is read whose members disappear meanwhile.
_ATTEMPTS = 3


class _LazyField(BackendArray):
    """A field of a dense array, which is read when it is indexed."""

    def __init__(self, field, shape, dtype, fill):
        self._field, self._fill = field, fill
        self.shape, self.dtype = shape, np.dtype(dtype)

    def __getitem__(self, key):
        support = indexing.IndexingSupport.OUTER
        return indexing.explicit_indexing_adapter(key, self.shape, support, self._read)

    def _read(self, key):
        if 0 in self.shape:
            cells = np.empty(self.shape, self.dtype)
            # Lists select from each axis alone. The last axis is first, as integers remove axes.
            for axis, index in reversed(list(enumerate(key))):
                cells = cells[(slice(None),) * axis + (index,)]
            return cells
        if not self.shape:
            return np.asarray(self._field[...]).reshape(())
        axes = self._field.array.ndim
        # The array may have more cells than the variable.
        cells = self._field.positions(tuple(_bounded(part, size) for part, size in zip(key[:axes], self.shape)))
        if len(key) > axes:
            # The values of a cell, which are the last axis.
            cells = cells[(..., key[axes])]
        if isinstance(cells, np.ma.MaskedArray):
            cells = cells.astype(self.dtype).filled(self._fill)
        return np.asarray(cells, dtype=self.dtype)


def _bounded(key, size):
    """Returns a slice or an integer without negative or missing bounds."""
    if isinstance(key, slice):
        low, high, step = key.indices(size)
        return slice(low, None if high < 0 else high, step)
    return key + size if np.ndim(key) == 0 and key < 0 else key


class Store(AbstractDataStore):
    """The variables and attributes of an array, or of the arrays of a group."""

    def __init__(self, uri, timestamp=None, key=None, config=None):
        self._options = {"timestamp": timestamp, "key": key, "config": config}
        #: The array, the attribute, the attributes of xarray and the shape of each variable.
        self.arrays = {}
        self.attributes = {}
        self._sizes = {}
        if object_type(uri, config) != "group":
            self._add(Array(uri, **self._options), None)
            return
        for attempt in range(_ATTEMPTS):
            try:
                self._add_members(Group(uri, config=config))
                break
            except FileNotFoundError:
                # A write may have replaced a member since the group was read.
                if attempt == _ATTEMPTS - 1:
                    raise

    def _add_members(self, group):
        members, metadata = group._read()
        self.arrays = {}
        self._sizes = _sizes(metadata.get(SIZES), group.uri)
        self.attributes = _plain(metadata)
        for uri, kind, name in members:
            if kind == "array":
                self._add(Array(uri, **self._options), name or uri)

    @property
    def has_sizes(self):
        """Whether the group states the lengths of its dimensions."""
        return bool(self._sizes)

    def _add(self, array, member):
        schema = array.schema
        if schema.sparse:
            if member is not None:
                return
            raise ValueError(f"{array.uri} is sparse; read it as a table, with tiledb_rs.open")
        metadata = dict(array.metadata)
        for attr in schema.attrs:
            name = _name(array, attr.name, member)
            prefix = f"{PREFIX}{attr.name}."
            values = {key[len(prefix) :]: value for key, value in metadata.items() if key.startswith(prefix)}
            complete = _shape(array)
            stated = np.atleast_1d(metadata.get(SHAPE, complete)).tolist()
            if len(stated) == len(complete):
                sizes = zip(schema.dims, stated, complete)
                shape = tuple(min(self._sizes.get(dim.name, size), most) for dim, size, most in sizes)
            else:
                # A scalar, or metadata of another program.
                shape = complete
            self.arrays[name] = (array, attr, _plain(values), shape)
        if member is None:
            rest = {key: value for key, value in metadata.items() if not key.startswith(PREFIX)}
            self.attributes.update(_plain(rest))

    def get_attrs(self):
        attributes = {key: value for key, value in self.attributes.items() if not key.startswith("__tiledb")}
        labels = sorted({label for array, *_ in self.arrays.values() for label in array.schema.labels})
        if labels:
            # The names of variables that are coordinates, as in files of NetCDF.
            known = attributes.get("coordinates", "")
            attributes["coordinates"] = " ".join([*str(known).split(), *labels])
        return attributes

    def get_dimensions(self):
        sizes = {}
        for array, _, _, shape in self.arrays.values():
            sizes.update(zip(_dimensions(array), shape))
        return sizes

    def get_encoding(self):
        return {}

    def get_variables(self):
        return dict(self.variables)

    @functools.cached_property
    def variables(self):
        """The variables as they are stored, by name."""
        variables = {}
        for name, (array, attr, values, shape) in self.arrays.items():
            variables[name] = _variable(array, attr, values, shape)
            for dim, size in zip(array.schema.dims, shape):
                low = dim.domain[0]
                if dim.name not in variables and not (isinstance(low, int) and low == 0):
                    if isinstance(low, np.datetime64):
                        coordinates = low + np.arange(size)
                    else:
                        coordinates = np.arange(low, low + size, dtype=dim.dtype)
                    variables[dim.name] = xr.Variable((dim.name,), coordinates)
            for label, dim in array.schema.labels.items():
                if label not in variables:
                    field, size = array[label], dict(zip(_dimensions(array), shape))[dim]
                    data = indexing.LazilyIndexedArray(_LazyField(field, (size,), field.dtype, None))
                    variables[label] = xr.Variable((dim,), data)
        return variables

    def close(self):
        for array, *_ in self.arrays.values():
            array.close()


def _sizes(text, uri):
    """Returns the lengths of dimensions that the metadata of a group states."""
    try:
        sizes = json.loads(text or "{}")
        if all(isinstance(size, int) and size >= 0 for size in sizes.values()):
            return sizes
    except (AttributeError, TypeError, ValueError):
        pass
    raise ValueError(f"the metadata {SIZES!r} of {uri} is not a mapping of dimensions to lengths")


def _dimensions(array):
    names = [dim.name for dim in array.schema.dims]
    return [] if names == [SCALAR] else names


def _name(array, attr, member):
    """Returns the name of the variable of an attribute. ``member`` is the name of the array in its group."""
    name = attr.removesuffix(SUFFIX)
    if attr != member and name in [dim.name for dim in array.schema.dims]:
        return name
    return attr or member or "__tiledb_value"


def _shape(array):
    """Returns the lengths of the dimensions of an array with several attributes, or one."""
    return tuple(array[array.schema.attrs[0].name].shape)[: array.ndim]


def _variable(array, attr, values, shape):
    field = array[attr.name]
    shape = () if array.schema.dims[0].name == SCALAR else shape
    dtype, fill = field.dtype, None
    if attr.nullable and dtype.kind in "iufbc":
        dtype, fill = np.dtype("float64") if dtype.kind not in "fc" else dtype, np.nan
    elif attr.nullable and dtype.kind in "mM":
        fill = np.array("NaT", dtype)
    dimensions = _dimensions(array)
    if field.ndim > array.ndim:
        shape = field.shape
        dimensions = [*dimensions, f"{attr.name}_values"]
    data = indexing.LazilyIndexedArray(_LazyField(field, tuple(shape), dtype, fill))
    tiles = {}
    for dim, size in zip(array.schema.dims, shape):
        if dim.name != SCALAR and dim.tile is not None:
            tiles[dim.name] = int(min(int(dim.tile), size))
    encoding = {"preferred_chunks": tiles, "source": array.uri}
    if tiles:
        encoding["chunks"] = tuple(tiles.values())
    return xr.Variable(dimensions, data, values, encoding)


def _plain(metadata):
    """Returns metadata as attributes of xarray."""
    found = {}
    for key, value in metadata.items():
        if isinstance(value, str) and value.startswith(_JSON):
            value = json.loads(value[len(_JSON) :])
        elif isinstance(value, list):
            value = np.array(value)
        found[key] = value
    return found


def stored(value):
    """Returns an attribute of xarray as metadata."""
    if isinstance(value, str):
        return _JSON + json.dumps(value) if value.startswith(_JSON) else value
    if isinstance(value, (list, tuple)) and any(isinstance(number, (int, float, np.number)) for number in value):
        try:
            numbers = np.asarray(value)
        except ValueError:
            # Lists of different lengths are among the numbers.
            numbers = np.empty(0, object)
        if numbers.ndim == 1 and numbers.dtype.kind in "iuf":
            # Integers that no type has in common would be rounded.
            if numbers.dtype.kind != "f" or not all(isinstance(number, int) for number in value):
                return numbers
    is_large = isinstance(value, int) and not -(2**63) <= value < 2**64
    if isinstance(value, (list, tuple, dict)) or value is None or is_large:
        return _JSON + json.dumps(value, default=_json)
    if isinstance(value, np.ndarray) and (value.dtype.kind in "OU" or value.ndim > 1):
        return _JSON + json.dumps(value.tolist(), default=_json)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return value[()]
    return value


def _json(value):
    """Returns a value of NumPy as one that JSON has."""
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufOU":
        return value.tolist()
    raise TypeError(f"a value of type {type(value).__name__} in an attribute cannot be stored")
