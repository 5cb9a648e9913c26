"""Writes of datasets and trees of xarray: new groups, new variables, more cells, and regions.

Everything that is new is written where readers do not see it: arrays in folders of their own, and
cells after the last one of a dimension. One change of the group shows all of it.
"""

import contextlib
import json
import os
import re
import threading
import uuid

import numpy as np
import xarray as xr
from xarray.backends.common import ensure_dtype_not_object
from xarray.coding import strings

from . import _native
from ._array import Array
from ._errors import Error
from ._group import create_group, folder_name, object_type, remove, remove_created, rename
from ._schema import Attr, Dim, Schema
from ._xarray_store import PREFIX, SCALAR, SHAPE, SIZES, SUFFIX, Store, stored

#: The length to which a dimension can grow.
_MAX_SIZE = 2**40

_MIDNIGHT = re.compile(r"(?<=\d)[ T]00:00(:00(\.0+)?)?$")

#: The attributes that say how cells become values, and those of which the default does not matter.
_ENCODINGS = "scale_factor", "add_offset", "_FillValue", "missing_value", "calendar", "dtype", "_Unsigned"


def write_dataset(
    dataset,
    uri,
    *,
    mode=None,
    append_dim=None,
    region=None,
    tiles=None,
    filters=("zstd",),
    unlimited_dims=None,
    encoding=None,
    overwrite=False,
    compute=True,
    config=None,
):
    """Writes a dataset as a group with an array for each variable, or changes such a group.

    ``mode`` is ``"w-"`` (the default: nothing may exist), ``"w"`` (what exists is replaced after
    everything is written; the dataset may be read from it; ``overwrite=True`` is the same), ``"a"``
    (variables and attributes are added or replaced) or ``"r+"`` (cells of existing variables are
    replaced).

    With ``append_dim``, whose mode is ``"a"``, the variables with this dimension get more cells
    after their last one, in the encoding of the existing ones. Coordinates of other dimensions must
    be the existing ones, and other variables are replaced.

    With ``region``, whose mode is ``"r+"``, the cells in slices of dimensions are replaced, such as
    ``{"time": slice(10, 20)}``. ``"auto"``, for a dimension or for all with coordinates, finds the slice
    by these. Processes can write different regions at the same time.

    ``tiles`` maps dimensions to extents of tiles; by default they are the chunks of Dask or of the
    encoding. ``filters`` are those of new variables, unless the encoding of one has ``filters``.
    ``unlimited_dims`` are the dimensions along which new variables can grow, by default all.
    ``encoding`` maps names of new variables to their encodings. With ``compute=False``, chunks of
    Dask are not written before the ``Delayed`` that is returned is computed; until then their cells
    have fill values.

    If a write fails, the dataset is as it was before, or does not exist. There are three exceptions:
    a process that is killed while a region is written may have written a part of it; one that is
    killed while an existing dataset is replaced may leave it under its URI with a suffix; and cells
    that workers of another process wrote in a region are not removed.
    """
    uri = _absolute(uri)
    mode = _mode(mode, overwrite, append_dim, region)
    kind = object_type(uri, config)
    if mode == "a" and region is None and kind is None:
        mode = "w-"
    if encoding:
        dataset = _with_encoding(dataset, encoding)
    if mode in ("w-", "w"):
        layout = _Layout(tiles, filters, unlimited_dims)
        return _create(dataset, {}, uri, mode, layout, compute, config)
    if kind != "group":
        found = "an array" if kind else "nothing"
        raise FileNotFoundError(f"there is {found} at {uri!r}, and no group with a dataset")
    existing = Store(uri, config=config)
    with contextlib.closing(existing):
        if mode == "r+" or region is not None:
            _check_new_encodings(encoding, existing)
            return _write_region(dataset, existing, region or {}, compute, config)
        layout = _Layout(tiles, filters, unlimited_dims)
        return _modify(dataset, uri, existing, append_dim, encoding, layout, compute, config)


def write_datatree(
    tree,
    uri,
    *,
    mode="w-",
    tiles=None,
    filters=("zstd",),
    unlimited_dims=None,
    encoding=None,
    write_inherited_coords=False,
    compute=True,
    config=None,
):
    """Writes a tree as groups in groups, each with the variables of a node.

    ``mode`` is ``"w-"`` or ``"w"``. ``encoding`` maps paths of nodes to the encodings of their
    variables. Coordinates are written in the node that has them, and with
    ``write_inherited_coords`` also in those below it. The other options are those of
    :func:`write_dataset`.
    """
    if mode not in ("w-", "w"):
        raise ValueError(f"the mode of a tree is 'w-' or 'w', not {mode!r}")
    encoding = dict(encoding or {})
    def parts(node, path):
        dataset = node.to_dataset(inherit=write_inherited_coords or node is tree)
        if path in encoding:
            dataset = _with_encoding(dataset, encoding.pop(path))
        children = node.children.items()
        return dataset, {name: parts(child, f"{path.rstrip('/')}/{name}") for name, child in children}

    layout = _Layout(tiles, filters, unlimited_dims)
    dataset, children = parts(tree, "/")
    if encoding:
        raise ValueError(f"the tree has no nodes {sorted(encoding)} of the encoding")
    return _create(dataset, children, _absolute(uri), mode, layout, compute, config)


def _absolute(uri):
    uri = os.fsdecode(uri)
    return uri.rstrip("/") if "://" in uri else os.path.abspath(uri)


def _mode(mode, overwrite, append_dim, region):
    """Returns the mode that the options of a write select."""
    if overwrite:
        if mode not in (None, "w"):
            raise ValueError(f"overwrite=True and the mode {mode!r} contradict each other")
        mode = "w"
    if mode is None:
        mode = "r+" if region is not None else "a" if append_dim is not None else "w-"
    if mode not in ("w-", "w", "a", "r+"):
        raise ValueError(f"the mode is 'w-', 'w', 'a' or 'r+', not {mode!r}")
    if region is not None and append_dim is not None:
        raise ValueError("a write has a region or a dimension to append to, not both")
    if region is not None and mode not in ("a", "r+"):
        raise ValueError(f"the mode of a write to a region is 'r+', not {mode!r}")
    if append_dim is not None and mode != "a":
        raise ValueError(f"the mode of a write that appends is 'a', not {mode!r}")
    return mode


def _with_encoding(dataset, encoding):
    dataset = dataset.copy()
    for name, values in encoding.items():
        if name not in dataset.variables:
            raise ValueError(f"the dataset has no variable {name!r} of the encoding")
        dataset[name].encoding = dict(values)
    return dataset


def _check_new_encodings(encoding, existing):
    known = sorted(set(encoding or ()).intersection(existing.arrays))
    if known:
        raise ValueError(f"the variables {known} exist, and keep their encodings")


def _parts(dataset):
    """Returns the variables and the attributes of a dataset, with the names of coordinates."""
    variables, attributes = xr.conventions.encode_dataset_coordinates(dataset)
    for name in attributes:
        if str(name).startswith("__tiledb"):
            raise ValueError(f"the attribute {name!r} has the name of metadata of TileDB")
    return {str(name): variable for name, variable in variables.items()}, attributes


class _Target:
    """An attribute of an array to which boxes of cells are written, also in other processes."""

    def __init__(self, uri, attr, config, start):
        self.uri, self.fragments = uri, []
        self._attr, self._config, self._start = attr, config, start
        self._array = None
        self._running, self._is_stopped = 0, False
        self._change = threading.Condition()

    def __reduce__(self):
        return _Target, (self.uri, self._attr, self._config, self._start)

    def write(self, box, cells):
        cells = np.asarray(cells)
        key = tuple(slice(low + part.start, low + part.stop) for low, part in zip(self._start, box))
        if not box:
            key, cells = ..., cells.reshape(1)
        with self._change:
            if self._is_stopped:
                return
            if self._array is None:
                self._array = Array(self.uri, "w", config=self._config)
            self._running += 1
        try:
            self.fragments += self._array._write_box(key, {self._attr: cells})
        finally:
            with self._change:
                self._running -= 1
                self._change.notify_all()

    def stop(self):
        """Waits for writes of other threads, and ignores further ones."""
        with self._change:
            self._is_stopped = True
            self._change.wait_for(lambda: self._running == 0)


def _boxes(variable):
    """Returns the boxes of the chunks of a variable."""
    ends = [np.concatenate([[0], np.cumsum(lengths)]).tolist() for lengths in variable.chunks]
    for block in np.ndindex(*(len(lengths) for lengths in variable.chunks)):
        yield block, tuple(slice(part[index], part[index + 1]) for part, index in zip(ends, block))


def _tasks(writes):
    """Returns the writes of the chunks of Dask as tasks, from pairs of a target and a variable."""
    import dask

    write = dask.delayed(_Target.write, pure=False)
    tasks = []
    for target, variable in writes:
        chunks = variable.data.to_delayed(optimize_graph=False)
        tasks += [write(target, box, chunks[block]) for block, box in _boxes(variable)]
    return tasks


def _write_cells(writes, compute):
    """Writes the cells of variables, given as pairs of a target and a variable. Returns the pairs
    that are left for later.
    """
    later = []
    for target, variable in writes:
        if 0 in variable.shape:
            continue
        if hasattr(variable.data, "to_delayed"):
            later.append((target, variable))
        elif variable.chunks is None:
            target.write(tuple(slice(0, size) for size in variable.shape), variable.values)
        else:
            for _, box in _boxes(variable):
                target.write(box, variable[box].values)
    if compute and later:
        import dask

        try:
            dask.compute(_tasks(later))
        except BaseException:
            # Dask does not wait for its threads.
            for target, _ in later:
                target.stop()
            raise
        return []
    return later


def _delayed(later):
    """Returns the tasks of writes as one."""
    import dask

    return dask.delayed(_finished, pure=False)(_tasks(later))


def _finished(_):
    """Returns the result of writes."""


class _Layout:
    """The tiles, the filters and the growing dimensions of new arrays."""

    def __init__(self, tiles, filters, unlimited_dims):
        self._tiles, self._filters = tiles or {}, filters
        self._unlimited = None if unlimited_dims is None else set(unlimited_dims)

    def _grows(self, dim):
        return self._unlimited is None or dim in self._unlimited

    def array(self, name, variable):
        """Returns the array of a variable, which is not created yet."""
        filters = self._filters
        encoded = variable.encoding.get("filters")
        # Datasets of zarr have codecs there.
        if encoded and all(isinstance(filter, (str, tuple)) for filter in encoded):
            filters = encoded
        encoded = variable.encoding.get("chunks") or ()
        encoded = dict(zip(variable.dims, encoded)) if len(encoded) == variable.ndim else {}
        chunks = variable.chunksizes
        variable = _encoded(variable, name)
        dims, bounds = [], []
        for dim, size in variable.sizes.items():
            grows = self._grows(dim)
            tile = self._tiles.get(dim)
            if not (tile and grows):
                tile = tile or (chunks[dim][0] if dim in chunks else encoded.get(dim)) or 1000
                tile = min(tile, size)
            # A domain cannot be empty.
            tile, last = max(1, int(tile)), max(size, 1) - 1
            bounds.append((0, last))
            dims.append(Dim(str(dim), (0, max(_MAX_SIZE - 1, last) if grows else last), tile, "uint64"))
        has_growing = any(self._grows(dim) for dim in variable.dims)
        dims = dims or [Dim(SCALAR, (0, 0), 1, "uint64")]
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
        attr = f"{name}{SUFFIX}" if name in variable.dims else name
        if name.startswith("__"):
            # Names of attributes do not; the array has the name in the group.
            attr = ""
        filters = list(filters) if filters else None
        attr = Attr(attr, kind, values_per_cell=length, filters=filters, fill=fill)
        schema = Schema(dims, [attr], current_domain=bounds if has_growing else None)
        return _NewArray(name, attr.name, schema, variable)


class _NewArray:
    """A variable, encoded, with the schema of its array."""

    def __init__(self, name, attr, schema, variable):
        self.name, self.attr, self.schema, self.variable = name, attr, schema, variable
        prefix = f"{PREFIX}{attr}."
        self.metadata = {f"{prefix}{key}": stored(value) for key, value in variable.attrs.items()}
        if 0 in variable.shape:
            self.metadata[SHAPE] = np.array(variable.shape)

    def create(self, uri, config):
        """Creates the array, without cells. Returns their target."""
        _native.create_array(uri, self.schema._native, None, config)
        if self.metadata:
            with Array(uri, "w", config=config) as array:
                for key, value in self.metadata.items():
                    array.metadata[key] = value
        return _Target(uri, self.attr, config, (0,) * self.variable.ndim)


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


def _create(dataset, children, uri, mode, layout, compute, config):
    """Writes a new group, or one that replaces what exists."""
    replaces = mode == "w" and object_type(uri, config) is not None
    target = f"{uri}.{uuid.uuid4().hex}" if replaces else uri
    later = _write_group(dataset, children, target, layout, compute, config)
    if replaces:
        try:
            _replace(uri, target, config)
        except BaseException:
            if object_type(target, config) and object_type(uri, config):
                remove(target, config)
            raise
        for part, _ in later:
            part.uri = uri + part.uri[len(target) :]
    return None if compute else _delayed(later)


def _replace(uri, new, config):
    """Replaces an array or group by another one."""
    if "://" in uri and not uri.startswith("file://"):
        # Object stores copy what is renamed.
        remove(uri, config)
        rename(new, uri, config)
        return
    old = f"{new}.old"
    rename(uri, old, config)
    try:
        rename(new, uri, config)
    except BaseException:
        rename(old, uri, config)
        raise
    remove(old, config)


def _write_group(dataset, children, uri, layout, compute, config):
    """Writes a dataset, and those of ``children`` with their own, as groups that do not exist.
    Returns the writes that are left for later.
    """
    variables, attributes = _parts(dataset)
    arrays = [layout.array(name, variable) for name, variable in variables.items()]
    changes = [("set", str(key), stored(value)) for key, value in attributes.items()]
    if dataset.sizes:
        changes.append(_sizes_change(arrays, {}))
    path = uri.removeprefix("file://")
    is_new = "://" not in path and not os.path.lexists(path)
    create_group(uri, config)
    created, writes, later = [], [], []
    try:
        for array in arrays:
            folder = folder_name(array.name, len(created))
            created.append(f"{uri}/{folder}")
            writes.append((array.create(created[-1], config), array.variable))
            changes.append(("add_relative", folder, array.name))
        later = _write_cells(writes, compute)
        for name, (node, nodes) in children.items():
            folder = folder_name(str(name), len(created))
            later += _write_group(node, nodes, f"{uri}/{folder}", layout, compute, config)
            created.append(f"{uri}/{folder}")
            changes.append(("add_relative", folder, str(name)))
        _native.change_group(uri, changes, config)
    except BaseException:
        if is_new:
            remove(uri, config)
        else:
            remove_created(created, config)
        raise
    return later


def _sizes_change(arrays, known):
    """Returns the change of a group that states the lengths of its dimensions."""
    sizes = dict(known)
    for array in arrays:
        sizes.update(array.variable.sizes)
    return "set", SIZES, json.dumps({str(dim): int(size) for dim, size in sizes.items()})


def _modify(dataset, uri, existing, append_dim, encoding, layout, compute, config):
    """Adds and replaces variables, and appends cells to those with a dimension."""
    _check_new_encodings(encoding, existing)
    variables, attributes = _parts(dataset)
    changes = []
    for key, value in attributes.items():
        if key == "coordinates":
            # The names of those of both.
            names = [*str(existing.attributes.get(key, "")).split(), *str(value).split()]
            value = " ".join(dict.fromkeys(names))
        changes.append(("set", str(key), stored(value)))
    known = existing.variables
    sizes = existing.get_dimensions()
    extended = {}
    if append_dim is not None:
        extended = _extended(dataset, variables, existing, append_dim)
        for dim in dataset.indexes:
            # Other coordinates would be those of the existing cells, too.
            is_stored = dim in existing.arrays and dim in variables
            if is_stored and dim != append_dim and variables[dim].dims == (dim,):
                _check_coordinate(dataset, existing, dim, (0, sizes[dim]))
                del variables[dim]
    kept = [name for name in known if name in extended or name not in variables]
    fixed = {dim: size for name in kept for dim, size in known[name].sizes.items()}
    arrays = [layout.array(name, variable) for name, variable in variables.items() if name not in extended]
    for array in arrays:
        for dim, size in array.variable.sizes.items():
            if fixed.setdefault(dim, size) != size:
                raise ValueError(
                    f"the variable {array.name!r} has {size} cells along {dim!r}, and the dataset {fixed[dim]}; "
                    "append_dim appends cells, and mode='w' replaces the dataset"
                )
    sizes = {dim: size for dim, size in sizes.items() if dim in fixed}
    if append_dim is not None:
        sizes[append_dim] += dataset.sizes[append_dim]
    appended = [_Extension(existing, name, variable, append_dim, sizes) for name, variable in extended.items()]
    if existing.has_sizes or append_dim is not None:
        changes.append(_sizes_change(arrays, sizes))
    created, writes = [], []
    try:
        for number, array in enumerate(arrays):
            folder = folder_name(array.name, number)
            folder = f"{folder[:150]}.{uuid.uuid4().hex}"
            created.append(f"{uri}/{folder}")
            writes.append((array.create(created[-1], config), array.variable))
            changes.append(("add_relative", folder, array.name))
        writes += [(part.extend(config), part.variable) for part in appended]
        later = _write_cells(writes, compute)
        _native.change_group(uri, changes, config)
    except BaseException:
        remove_created(created, config)
        _remove_fragments(writes[len(arrays) :], config)
        raise
    root = f"{uri if '://' in uri else 'file://' + uri}/"
    for array in arrays:
        replaced = existing.arrays.get(array.name)
        # Arrays elsewhere may belong to other groups, too.
        if replaced is not None and replaced[0].uri.startswith(root):
            # The dataset is complete; a reader may have the array open on a system that forbids it.
            with contextlib.suppress(Error):
                _native.remove_array(replaced[0].uri, None, config)
    return None if compute else _delayed(later)


def _remove_fragments(writes, config):
    for target, _ in writes:
        if target.fragments:
            with Array(target.uri, "w", config=config) as array:
                array._delete_named_fragments(target.fragments)


def _extended(dataset, variables, existing, append_dim):
    """Returns the variables that get more cells, encoded as the existing ones."""
    if append_dim not in dataset.dims:
        raise ValueError(f"the dataset has no dimension {append_dim!r} to append")
    if append_dim not in existing.get_dimensions():
        raise ValueError(f"the existing dataset has no dimension {append_dim!r} to append to")
    known = existing.variables
    added = [name for name, variable in variables.items() if append_dim in variable.dims]
    unknown = [name for name in added if name not in existing.arrays]
    if unknown:
        raise ValueError(f"the variables {unknown} have the dimension {append_dim!r}, and do not exist yet")
    missing = [name for name in existing.arrays if append_dim in known[name].dims and name not in added]
    if missing:
        raise ValueError(f"the variables {missing} have the dimension {append_dim!r}, and are not in the dataset")
    fitting = {}
    for name in added:
        fitting[name] = _fitting(name, variables[name], existing)
        for dim, size in fitting[name].sizes.items():
            if dim != append_dim and size != known[name].sizes[dim]:
                raise ValueError(
                    f"the variable {name!r} has {size} cells along {dim!r}, and the existing one {known[name].sizes[dim]}"
                )
    return fitting


def _fitting(name, variable, existing):
    """Returns a variable as it is stored in the existing one, whose encoding it gets."""
    known = existing.variables[name]
    array, attr, *_ = existing.arrays[name]
    decoded = xr.conventions.decode_cf_variable(name, known)
    is_sized = variable.dtype.kind in "biufcS"
    if _value_kind(variable) != _value_kind(decoded) or is_sized and not np.can_cast(variable.dtype, decoded.dtype):
        raise ValueError(f"the variable {name!r} has the dtype {variable.dtype}, and the existing one {decoded.dtype}")
    variable = variable.copy(deep=False)
    variable.encoding = decoded.encoding
    encoded = _encoded(variable, name)
    if encoded.dims != known.dims:
        raise ValueError(f"the variable {name!r} has the dimensions {encoded.dims}, and the existing one {known.dims}")
    dtype = array[attr.name].dtype
    is_same_kind = encoded.dtype.kind == dtype.kind and dtype.kind in "biufcS"
    if is_same_kind and np.can_cast(encoded.dtype, dtype):
        encoded = encoded.astype(dtype)
    is_bytes = strings.check_vlen_dtype(encoded.dtype) is bytes
    fits = encoded.dtype.newbyteorder("=") == dtype
    if encoded.dtype.kind in "OU":
        fits = attr.dtype == ("bytes" if is_bytes else "str")
    if not fits:
        raise ValueError(f"the variable {name!r} is stored as {encoded.dtype}, and the existing one as {dtype}")
    for key in (*_ENCODINGS, "units"):
        one, other = encoded.attrs.get(key), known.attrs.get(key)
        # The unit of numbers need not be given, that of times is a part of the encoding.
        if not (key == "units" and one is None and decoded.dtype.kind not in "mM") and not _are_equal(one, other):
            raise ValueError(f"the variable {name!r} has the encoding {key}={one!r}, and the existing one {other!r}")
    return encoded


def _value_kind(variable):
    return "text" if variable.dtype.kind in "OUT" else variable.dtype.kind


def _are_equal(one, other):
    if one is None or other is None:
        return one is other
    if isinstance(one, str) and isinstance(other, str):
        # Times since a day may have the time of the day.
        return _MIDNIGHT.sub("", one) == _MIDNIGHT.sub("", other)
    one, other = np.asarray(one), np.asarray(other)
    if one.dtype.kind in "fc" and other.dtype.kind in "fc":
        return np.array_equal(one, other, equal_nan=True)
    return np.array_equal(one, other)


def _first(existing, name):
    """Returns the coordinates of the first cell of a variable."""
    array = existing.arrays[name][0]
    first = [dim.domain[0] for dim in array.schema.dims]
    if not all(isinstance(low, int) for low in first):
        raise ValueError(f"the coordinates of the variable {name!r} are not integers; write to the array itself")
    return () if array.schema.dims[0].name == SCALAR else tuple(first)


class _Extension:
    """Cells that are appended to a variable."""

    def __init__(self, existing, name, variable, append_dim, sizes):
        self.variable = variable
        self._array, attr, _, shape = existing.arrays[name]
        self._attr = attr.name
        first = _first(existing, name)
        axis = variable.dims.index(append_dim)
        self._start = tuple(low + (shape[axis] if axis == number else 0) for number, low in enumerate(first))
        schema = self._array.schema
        current = schema.current_domain or [dim.domain for dim in schema.dims]
        self._domain = list(current)
        last = first[axis] + sizes[append_dim] - 1
        if last > current[axis][1]:
            low, high = schema.dims[axis].domain
            if last > high:
                raise ValueError(
                    f"the variable {name!r} cannot grow along {append_dim!r} beyond {high - low + 1} cells, because its "
                    "array was created so; write the dataset again with mode='w'"
                )
            self._domain[axis] = low, last
        self._grows = self._domain != list(current)

    def extend(self, config):
        """Expands the array. Returns the target of the cells."""
        with Array(self._array.uri, "w", config=config) as array:
            if self._grows:
                array.evolve(domain=self._domain)
            if SHAPE in array.metadata:
                # The array had no cells.
                del array.metadata[SHAPE]
        return _Target(self._array.uri, self._attr, config, self._start)


def _write_region(dataset, existing, region, compute, config):
    """Replaces the cells of variables in slices of dimensions."""
    region = _slices(dataset, existing, region)
    variables, _ = _parts(dataset)
    sizes = existing.get_dimensions()
    for dim, size in dataset.sizes.items():
        low, high = region.get(dim, (0, sizes.get(dim)))
        if high is not None and size != high - low:
            raise ValueError(f"the dataset has {size} cells along {dim!r}, and the region {high - low}")
    unknown = [name for name in variables if name not in existing.arrays]
    if unknown:
        raise ValueError(f"the variables {unknown} do not exist; a region can be written of existing ones only")
    others = [
        name
        for name, variable in variables.items()
        if region and variable.dims != (name,) and not set(region) & set(variable.dims)
    ]
    if others:
        raise ValueError(
            f"the variables {others} have no dimension of the region {list(region)}; leave them out with "
            f"dataset.drop_vars({others})"
        )
    writes = []
    for name, variable in variables.items():
        if region and variable.dims == (name,):
            _check_coordinate(dataset, existing, name, region.get(name, (0, sizes[name])))
            continue
        fitting = _fitting(name, variable, existing)
        lows = [low + region.get(dim, (0, 0))[0] for low, dim in zip(_first(existing, name), fitting.dims)]
        array, attr, *_ = existing.arrays[name]
        writes.append((_Target(array.uri, attr.name, config, tuple(lows)), fitting))
    try:
        later = _write_cells(writes, compute)
    except BaseException:
        _remove_fragments(writes, config)
        raise
    return None if compute else _delayed(later)


def _slices(dataset, existing, region):
    """Returns the first and the last position, which is excluded, of a region by dimension."""
    if isinstance(region, str):
        if region != "auto":
            raise ValueError(f"a region is a mapping of dimensions to slices, or 'auto', not {region!r}")
        region = {dim: "auto" for dim in dataset.dims if dim in dataset.indexes}
        if not region:
            raise ValueError("the dataset has no coordinates by which a region can be found")
    sizes = existing.get_dimensions()
    found = {}
    for dim, part in region.items():
        if dim not in dataset.dims or dim not in sizes:
            owner = "dataset" if dim not in dataset.dims else "existing dataset"
            raise ValueError(f"the {owner} has no dimension {dim!r} of the region")
        if isinstance(part, str) and part == "auto":
            found[dim] = _position(dataset, existing, dim)
            continue
        if not isinstance(part, slice):
            raise TypeError(f"the region of {dim!r} is a slice or 'auto', not a value of type {type(part).__name__}")
        low, high, step = part.start or 0, sizes[dim] if part.stop is None else part.stop, part.step
        if step not in (None, 1) or not 0 <= low <= high <= sizes[dim]:
            raise ValueError(f"{part} is not a region of the {sizes[dim]} cells along {dim!r}")
        found[dim] = low, high
    return found


def _coordinate(existing, dim):
    """Returns the coordinates of a dimension, or raises an error if it has none."""
    if dim not in existing.arrays:
        raise ValueError(f"the existing dataset has no coordinates of {dim!r}, by which a region can be found")
    return xr.conventions.decode_cf_variable(dim, existing.variables[dim]).to_index()


def _position(dataset, existing, dim):
    """Returns the region whose coordinates are those of a dataset."""
    if dim not in dataset.indexes:
        raise ValueError(f"the dataset has no coordinates of {dim!r}, by which a region can be found")
    known = _coordinate(existing, dim)
    positions = known.get_indexer(dataset.indexes[dim])
    if len(positions) == 0 or (positions < 0).any():
        raise ValueError(f"coordinates of {dim!r} are not among the existing ones")
    if (np.diff(positions) != 1).any():
        raise ValueError(f"the coordinates of {dim!r} do not follow one another in the existing dataset")
    return int(positions[0]), int(positions[-1]) + 1


def _check_coordinate(dataset, existing, dim, bounds):
    """Checks that coordinates are those that exist, because a write of a region does not change them."""
    known = _coordinate(existing, dim)[slice(*bounds)]
    if not known.equals(dataset[dim].variable.to_index()):
        raise ValueError(f"the coordinates of {dim!r} are not the existing ones")
