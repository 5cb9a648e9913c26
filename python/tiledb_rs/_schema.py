"""Schemas and their parts."""

import numbers
from dataclasses import asdict, dataclass
from typing import Any, Optional

from . import _native


@dataclass(frozen=True)
class Dim:
    """A dimension.

    ``dtype`` is a dtype of NumPy, ``"ascii"`` or ``str`` for texts (which have no domain), or a
    datatype of TileDB such as ``"DATETIME_DAY"``. Both bounds of ``domain`` are included. ``tile``
    is the extent of a tile. Filters are names such as ``"zstd"``, or pairs of a compressor and its
    level.

    >>> Dim("day", ("2024-01-01", "2024-12-31"), tile=7, dtype="datetime64[D]").name
    'day'
    """

    name: str
    domain: Optional[tuple] = None
    tile: Any = None
    dtype: Any = "int64"
    filters: Any = None

    @property
    def size(self):
        """The number of coordinates of the domain."""
        low, high = self.domain
        if isinstance(low, numbers.Integral):
            return int(high) - int(low) + 1
        return int((high - low) / (high - low).__class__(1)) + 1 if low != high else 1


@dataclass(frozen=True)
class Attr:
    """An attribute.

    ``dtype`` is a dtype of NumPy, ``str`` or ``bytes`` for cells of any length, or a datatype of
    TileDB. ``enumeration`` has the values of texts with few distinct values. ``fill`` is the value
    of cells that were not written.
    """

    name: str
    dtype: Any = "float64"
    nullable: bool = False
    var: bool = False
    values_per_cell: Optional[int] = None
    enumeration: Any = None
    fill: Any = None
    filters: Any = None


@dataclass(frozen=True)
class Label:
    """A label of a dimension of a dense array: a value for each coordinate, by which cells are found.

    The values increase or decrease with the coordinates (``order``).

    >>> Label("depth", "row", "float64").order
    'increasing'
    """

    name: str
    dim: str
    dtype: Any = "float64"
    order: str = "increasing"
    filters: Any = None


def dtype_text(dtype):
    """Returns a dtype as what the native module accepts."""
    if dtype is str:
        return "str"
    if dtype is bytes:
        return "bytes"
    return dtype


def check_type(value, kind):
    """Returns the value, or raises a TypeError if it is not of a class."""
    if not isinstance(value, kind):
        raise TypeError(f"a value of type {type(value).__name__} is used for a {kind.__name__}")
    return value


def attr_spec(attr):
    """Returns the description of an attribute for the native module."""
    check_type(attr, Attr)
    spec = {name: getattr(attr, name) for name in attr.__dataclass_fields__}
    spec["dtype"] = dtype_text(attr.dtype)
    if attr.enumeration is not None and not isinstance(attr.enumeration, str):
        spec["enumeration"] = list(attr.enumeration)
        if spec["dtype"] == "str":
            spec["dtype"] = "int32"
    return spec


class Schema:
    """The dimensions, attributes and options of an array.

    >>> schema = Schema([Dim("x", (0, 99), tile=10)], [Attr("a", "float32")])
    >>> schema.sparse, schema.dims[0].tile, schema.attr("a").dtype
    (False, 10, 'float32')
    """

    def __init__(
        self,
        dims,
        attrs,
        *,
        sparse=False,
        cell_order=None,
        tile_order=None,
        capacity=None,
        allow_duplicates=None,
        offsets_filters=None,
        current_domain=None,
        labels=(),
    ):
        options = {
            "cell_order": cell_order,
            "tile_order": tile_order,
            "capacity": capacity,
            "allow_duplicates": allow_duplicates,
            "offsets_filters": offsets_filters,
            "current_domain": None if current_domain is None else list(current_domain),
        }
        dims = [dict(asdict(check_type(dim, Dim)), dtype=_dim_dtype(dim.dtype)) for dim in dims]
        attrs = [attr_spec(attr) for attr in attrs]
        labels = [dict(asdict(check_type(label, Label)), dtype=dtype_text(label.dtype)) for label in labels]
        self._native = _native.Schema(dims, attrs, labels, bool(sparse), options)
        self._described = None

    @classmethod
    def _of(cls, native):
        schema = cls.__new__(cls)
        schema._native = native
        schema._described = None
        return schema

    def __reduce__(self):
        return _schema_of_json, (self._native.to_json(),)

    def _describe(self):
        if self._described is None:
            self._described = self._native.describe()
        return self._described

    @property
    def sparse(self):
        """Whether only written cells exist."""
        return self._native.sparse

    @property
    def dims(self):
        """The dimensions, as :class:`Dim`."""
        names = "name", "domain", "tile", "dtype", "filters"
        return tuple(
            Dim(**{name: _dim_value(dim, name) for name in names}) for dim in self._describe()["dims"]
        )

    @property
    def attrs(self):
        """The attributes, as :class:`Attr`."""
        names = Attr.__dataclass_fields__
        return tuple(
            Attr(**{name: _attr_value(attr, name) for name in names})
            for attr in self._describe()["attrs"]
        )

    def dim(self, name):
        """Returns the dimension with a name."""
        return _named(self.dims, name)

    def attr(self, name):
        """Returns the attribute with a name."""
        return _named(self.attrs, name)

    @property
    def names(self):
        """The names of the dimensions and the attributes."""
        return tuple(field.name for field in self.dims + self.attrs)

    @property
    def labels(self):
        """The names of the dimension labels, with those of their dimensions."""
        return dict(self._describe()["labels"])

    def __getattr__(self, name):
        known = (
            "cell_order",
            "tile_order",
            "capacity",
            "allow_duplicates",
            "version",
            "current_domain",
        )
        if name in known:
            return self._describe()[name]
        raise AttributeError(name)

    def __eq__(self, other):
        # As texts, because fill values may be NaN or NaT.
        return isinstance(other, Schema) and repr(self._describe()) == repr(other._describe())

    __hash__ = None

    def __str__(self):
        return str(self._native)

    def __repr__(self):
        kind = "sparse" if self.sparse else "dense"
        lines = [f"{kind} schema, {self.cell_order} cells"]
        for dim in self.dims:
            domain = "any text" if dim.domain is None else f"{dim.domain[0]} to {dim.domain[1]}"
            tile = "" if dim.tile is None else f", tile {dim.tile}"
            lines.append(f"  dim  {dim.name}: {dim.dtype}, {domain}{tile}")
        for attr in self.attrs:
            null = ", nullable" if attr.nullable else ""
            enumeration = f", enumeration {attr.enumeration}" if attr.enumeration else ""
            lines.append(f"  attr {attr.name}: {attr.dtype}{null}{enumeration}")
        return "\n".join(lines)

    def _repr_html_(self):
        from ._html import schema

        return schema(self)


def _schema_of_json(json):
    """Returns the schema that was pickled."""
    return Schema._of(_native.Schema.of_json(json))


def _dim_dtype(dtype):
    if dtype in (str, bytes, "str", "ascii", "utf8") or str(dtype).startswith(("<U", "|S")):
        return "ascii"
    return dtype


def _dim_value(dim, name):
    if name == "dtype" and dim["dtype"] == "object":
        return "ascii"
    return dim[name]


def _attr_value(attr, name):
    if name == "dtype" and attr["dtype"] == "object":
        return {"STRING_UTF8": "str", "STRING_ASCII": "ascii", "BLOB": "bytes"}.get(
            attr["datatype"], attr["datatype"]
        )
    if name == "var" and attr["dtype"] == "object":
        return False
    if name == "values_per_cell" and attr[name] == 1:
        return None
    return attr[name]


def _named(fields, name):
    for field in fields:
        if field.name == name:
            return field
    raise KeyError(name)
