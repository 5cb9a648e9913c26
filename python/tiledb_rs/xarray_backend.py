"""xarray: ``xarray.open_dataset(uri, engine="tiledb_rs")`` and ``dataset.tiledb_rs.write(uri)``.

An array is a dataset with a variable for each attribute; dimensions whose domain does not start at
0, and dates, have coordinates, and so have labels. A group is a dataset with the variables of its arrays, and its
groups are those of a datatree. Metadata with the prefix ``__tiledb_attr.NAME.`` belongs to the
variable ``NAME``, as in TileDB-CF; other metadata belongs to the dataset. The attribute of a variable
with the name of a dimension has the suffix ``.data``.
"""

import json
import os
import uuid

import numpy as np
import xarray as xr
from xarray.backends import BackendArray, BackendEntrypoint
from xarray.backends.common import AbstractDataStore, ensure_dtype_not_object
from xarray.backends.store import StoreBackendEntrypoint
from xarray.coding import strings
from xarray.core import indexing

from . import _native
from ._array import Array
from ._group import Group, create_group, object_type, remove, rename
from ._schema import Attr, Dim, Schema

_PREFIX = "__tiledb_attr."
_SCALAR = "__tiledb_scalar"
_SHAPE = "__tiledb_shape"
_SUFFIX = ".data"
_JSON = "json:"


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
        cells = self._field.positions(key[:axes])
        if len(key) > axes:
            # The values of a cell, which are the last axis.
            cells = cells[(..., key[axes])]
        if isinstance(cells, np.ma.MaskedArray):
            cells = cells.astype(self.dtype).filled(self._fill)
        return np.asarray(cells, dtype=self.dtype)


class _Store(AbstractDataStore):
    """The variables and attributes of an array, or of the arrays of a group."""

    def __init__(self, uri, timestamp=None, key=None, config=None):
        self._options = {"timestamp": timestamp, "key": key, "config": config}
        self._arrays, self._attributes = {}, {}
        if object_type(uri, config) == "group":
            group = Group(uri, config=config)
            self._attributes = _plain(group.metadata)
            for name, member, kind in group.members:
                if kind == "array":
                    self._add(Array(member, **self._options), name)
        else:
            self._add(Array(uri, **self._options), None)

    def _add(self, array, member):
        schema = array.schema
        if schema.sparse:
            if member is not None:
                return
            raise ValueError(f"{array.uri} is sparse; read it as a table, with tiledb_rs.open")
        metadata = dict(array.metadata)
        for attr in schema.attrs:
            name = _name(array, attr.name, member)
            prefix = f"{_PREFIX}{attr.name}."
            values = {key[len(prefix) :]: value for key, value in metadata.items() if key.startswith(prefix)}
            shape = tuple(np.atleast_1d(metadata.get(_SHAPE, _shape(array))).tolist())
            self._arrays[name] = (array, attr, _plain(values), shape)
        if member is None:
            rest = {key: value for key, value in metadata.items() if not key.startswith(_PREFIX)}
            self._attributes.update(_plain(rest))

    def get_attrs(self):
        attributes = {key: value for key, value in self._attributes.items() if not key.startswith("__tiledb")}
        labels = sorted({label for array, *_ in self._arrays.values() for label in array.schema.labels})
        if labels:
            # The names of variables that are coordinates, as in files of NetCDF.
            known = attributes.get("coordinates", "")
            attributes["coordinates"] = " ".join([*str(known).split(), *labels])
        return attributes

    def get_dimensions(self):
        sizes = {}
        for array, _, _, shape in self._arrays.values():
            sizes.update(zip(_dimensions(array), shape))
        return sizes

    def get_encoding(self):
        return {}

    def get_variables(self):
        variables = {}
        for name, (array, attr, values, shape) in self._arrays.items():
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
        for array, *_ in self._arrays.values():
            array.close()


def _dimensions(array):
    names = [dim.name for dim in array.schema.dims]
    return [] if names == [_SCALAR] else names


def _name(array, attr, member):
    """Returns the name of the variable of an attribute. ``member`` is the name of the array in its group."""
    name = attr.removesuffix(_SUFFIX)
    if attr != member and name in [dim.name for dim in array.schema.dims]:
        return name
    return attr or member or "__tiledb_value"


def _shape(array):
    """Returns the lengths of the dimensions of an array with several attributes, or one."""
    return tuple(array[array.schema.attrs[0].name].shape)[: array.ndim]


def _variable(array, attr, values, shape):
    field = array[attr.name]
    shape = () if array.schema.dims[0].name == _SCALAR else shape
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
        if dim.name != _SCALAR and dim.tile is not None:
            tiles[dim.name] = int(min(int(dim.tile), size))
    encoding = {"preferred_chunks": tiles, "source": array.uri}
    if tiles:
        encoding["chunks"] = tuple(tiles.values())
    return xr.Variable(dimensions, data, values, encoding)


class TileDBBackend(BackendEntrypoint):
    """The backend ``tiledb_rs`` of xarray."""

    description = "Open arrays and groups of TileDB"
    url = "https://docs.xarray.dev/en/stable/internals/how-to-add-new-backend.html"

    def open_dataset(
        self,
        filename_or_obj,
        *,
        mask_and_scale=True,
        decode_times=True,
        concat_characters=True,
        decode_coords=True,
        drop_variables=None,
        use_cftime=None,
        decode_timedelta=None,
        timestamp=None,
        key=None,
        config=None,
    ):
        store = _Store(os.fspath(filename_or_obj), timestamp, key, config)
        return StoreBackendEntrypoint().open_dataset(
            store,
            mask_and_scale=mask_and_scale,
            decode_times=decode_times,
            concat_characters=concat_characters,
            decode_coords=decode_coords,
            drop_variables=drop_variables,
            use_cftime=use_cftime,
            decode_timedelta=decode_timedelta,
        )

    def open_groups_as_dict(self, filename_or_obj, **options):
        found = {}

        def add(uri, path, parents):
            if uri in parents:
                raise ValueError(f"the group {uri!r} contains itself")
            found[path] = self.open_dataset(uri, **options)
            for name, member, kind in Group(uri, config=options.get("config")).members:
                if kind == "group":
                    add(member, f"{path.rstrip('/')}/{name}", parents | {uri})

        add(os.fspath(filename_or_obj), "/", frozenset())
        return found

    def open_datatree(self, filename_or_obj, **options):
        return xr.DataTree.from_dict(self.open_groups_as_dict(filename_or_obj, **options))

    def guess_can_open(self, filename_or_obj):
        try:
            uri = os.fspath(filename_or_obj)
        except TypeError:
            return False
        folders = "__schema", "__group"
        return isinstance(uri, str) and any(os.path.isdir(os.path.join(uri, name)) for name in folders)


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


def _stored(value):
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


def write_dataset(dataset, uri, *, tiles=None, filters=("zstd",), overwrite=False, config=None):
    """Writes a dataset as a group with an array for each variable.

    ``tiles`` maps dimensions to extents of tiles; by default they are the chunks of Dask or of the
    encoding. ``filters`` are those of all variables, unless the encoding of one has ``filters``.

    If a variable cannot be written, the group is removed, but not other files in its folder. With
    ``overwrite``, what exists is replaced after everything is written; the dataset may be read from it.
    """
    uri = os.fsdecode(uri)
    uri = uri.rstrip("/") if "://" in uri else os.path.abspath(uri)
    replaces = overwrite and object_type(uri, config) is not None
    target = f"{uri}.{uuid.uuid4().hex}" if replaces else uri
    _write_group(dataset, target, tiles or {}, filters, config)
    if replaces:
        remove(uri, config)
        rename(target, uri, config)


def _write_group(dataset, uri, tiles, filters, config):
    variables, attributes = xr.conventions.encode_dataset_coordinates(dataset)
    for name in attributes:
        if str(name).startswith("__tiledb"):
            raise ValueError(f"the attribute {name!r} has the name of metadata of TileDB")
    path = uri.removeprefix("file://")
    is_new = "://" not in path and not os.path.lexists(path)
    create_group(uri, config)
    created = []
    try:
        with Group(uri, "w", config=config) as group:
            for key, value in attributes.items():
                group.metadata[str(key)] = _stored(value)
            for number, (name, variable) in enumerate(variables.items()):
                folder = _folder(str(name), number)
                _write_variable(f"{uri}/{folder}", str(name), variable, tiles, filters, config, created)
                group.add(folder, str(name), relative=True)
    except BaseException:
        if is_new:
            remove(uri, config)
        else:
            for array in created:
                _native.remove_array(array, None, config)
        raise


def _folder(name, number):
    """Returns the folder of a variable: its name, unless folders have no such names."""
    if not name:
        raise ValueError("a variable without a name cannot be stored")
    is_folder = name.strip(".") and not name.startswith("__") and not set(name) & set("/\\\0")
    return name if is_folder and len(os.fsencode(name)) < 200 else f"__variable_{number}"


def _write_variable(uri, name, variable, tiles, filters, config, created):
    encoded = variable.encoding.get("filters")
    # Datasets of zarr have codecs there.
    if encoded and all(isinstance(filter, (str, tuple)) for filter in encoded):
        filters = encoded
    encoded = variable.encoding.get("chunks") or ()
    encoded = dict(zip(variable.dims, encoded)) if len(encoded) == variable.ndim else {}
    chunks = variable.chunksizes
    variable = _encoded(variable, name)
    dims = []
    for dim, size in variable.sizes.items():
        tile = tiles.get(dim) or (chunks[dim][0] if dim in chunks else encoded.get(dim))
        # A domain cannot be empty.
        tile = max(1, int(min(tile or 1000, size)))
        dims.append(Dim(str(dim), (0, max(size, 1) - 1), tile, "uint64"))
    dims = dims or [Dim(_SCALAR, (0, 0), 1, "uint64")]
    dtype = variable.dtype
    length = None
    if dtype.kind in "OU":
        kind = bytes if strings.check_vlen_dtype(dtype) is bytes else str
    elif dtype.kind == "S":
        kind, length = "CHAR", max(1, dtype.itemsize)
    else:
        kind = dtype.newbyteorder("=")
    fill = variable.attrs.get("_FillValue")
    fill = fill.item() if isinstance(fill, np.generic) and dtype.kind in "iuf" else None
    attr = f"{name}{_SUFFIX}" if name in variable.dims else name
    if name.startswith("__"):
        # Names of attributes do not; the array has the name in the group.
        attr = ""
    filters = list(filters) if filters else None
    attr = Attr(attr, kind, values_per_cell=length, filters=filters, fill=fill)
    _native.create_array(uri, Schema(dims, [attr])._native, None, config)
    created.append(uri)
    with Array(uri, "w", config=config) as array:
        for key, value in variable.attrs.items():
            array.metadata[f"{_PREFIX}{attr.name}.{key}"] = _stored(value)
        if 0 in variable.shape:
            array.metadata[_SHAPE] = np.array(variable.shape)
        else:
            _write_cells(array, attr.name, variable)


def _encoded(variable, name):
    """Returns a variable with the attributes and dtypes that are stored."""
    if variable.dtype.kind == "T":
        values = variable.astype(object)
        is_text = xr.apply_ufunc(
            lambda cells: np.vectorize(isinstance, otypes=[bool])(cells, str),
            values,
            dask="parallelized",
            output_dtypes=[bool],
        )
        variable = values.where(is_text, "")
    variable = xr.conventions.encode_cf_variable(variable, name=name)
    variable = ensure_dtype_not_object(variable, name=name)
    variable = strings.EncodedStringCoder(allows_unicode=True).encode(variable)
    if variable.dtype == "S1":
        # As characters, because their last axis is joined when they are read.
        variable = strings.CharacterArrayCoder().encode(variable, name=name)
    return variable


def _write_cells(array, name, variable):
    if not variable.shape:
        array[...] = {name: np.asarray(variable.values).reshape(1)}
        return
    if variable.chunks is None:
        array[...] = {name: np.asarray(variable.values)}
        return
    # One box for each chunk of Dask, so that the memory is that of a chunk.
    starts = [np.concatenate([[0], np.cumsum(lengths)]) for lengths in variable.chunks]
    for block in np.ndindex(*(len(lengths) for lengths in variable.chunks)):
        box = tuple(
            slice(int(ends[index]), int(ends[index + 1])) for ends, index in zip(starts, block)
        )
        array[box] = {name: np.asarray(variable[box].values)}


@xr.register_dataset_accessor("tiledb_rs")
class _DatasetAccessor:
    """``dataset.tiledb_rs``, after an import of this module."""

    def __init__(self, dataset):
        self._dataset = dataset

    def write(self, uri, **options):
        """Writes the dataset; the options are those of :func:`write_dataset`."""
        write_dataset(self._dataset, uri, **options)
