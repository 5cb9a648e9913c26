"""Open arrays and queries."""

import sys
from collections.abc import Mapping, MutableMapping

from . import _native

Field = _native.Field


class Explanation(dict):
    """The explanation of a read; as a string, in the form for people."""

    def __init__(self, values, text):
        super().__init__(values)
        self._text = text

    def __str__(self):
        return self._text

    def _repr_html_(self):
        from ._html import plan

        return plan(self)


class Metadata(MutableMapping):
    """The metadata of an array. Changes are written at once."""

    def __init__(self, array):
        self._array = array

    def __getitem__(self, key):
        return self._array._metadata()[key]

    def __setitem__(self, key, value):
        self._array._set_metadata(key, value)

    def __delitem__(self, key):
        if key not in self._array._metadata():
            raise KeyError(key)
        self._array._remove_metadata(key)

    def __iter__(self):
        return iter(self._array._metadata())

    def __len__(self):
        return len(self._array._metadata())

    def __repr__(self):
        return repr(self._array._metadata())


class Table:
    """Something with a stream of Arrow, as objects of packages for tables."""

    def batches(self):
        """Returns a ``pyarrow.RecordBatchReader``."""
        import pyarrow

        return pyarrow.RecordBatchReader.from_stream(self)

    def arrow(self):
        """Reads all rows as a ``pyarrow.Table``."""
        return interruptible(self.batches().read_all)

    def pandas(self, **options):
        """Reads all rows as a ``pandas.DataFrame``."""
        table = with_durations(without_nat(self.arrow(), ("date32",)))
        table, numbers = without_complex(table)
        frame = table.to_pandas(**options)
        for position, cells in numbers.items():
            frame.isetitem(position, cells)
        return frame

    def polars(self):
        """Reads all rows as a ``polars.DataFrame``."""
        import polars

        reader = self.batches()
        if any(str(kind).startswith(TIMES) for kind in reader.schema.types):
            table = interruptible(reader.read_all)
            return polars_frame(with_durations(without_nat(table, TIMES)))
        return interruptible(lambda: polars.DataFrame(reader))


def polars_frame(table):
    """Returns a table or batch as a ``polars.DataFrame``, also with a column that has no name."""
    import polars

    frame = polars.DataFrame(table)
    if frame.columns != table.schema.names:
        frame.columns = table.schema.names
    return frame


def interruptible(read):
    """Calls a function of a package that reads a stream. If a signal ended the stream, the exception is
    that of the handler of the signal instead of the package's.
    """
    _native.keep_signal()
    try:
        return read()
    finally:
        raised = _native.kept_signal()
        if raised is not None:
            raise raised from None


#: The types of Arrow of which polars has no value for NaT.
TIMES = "date32", "duration", "time"


def without_nat(table, kinds=TIMES):
    """Returns a table or batch in which days and times that are NaT are null. Of dense arrays, NaT is
    the value of cells that were not written; other packages would have a date of another year.
    """
    import pyarrow
    import pyarrow.compute

    for number, field in enumerate(table.schema):
        if not str(field.type).startswith(kinds):
            continue
        stored = pyarrow.int32() if field.type.bit_width == 32 else pyarrow.int64()
        column = table.column(number)
        nat = pyarrow.scalar(-(2 ** (stored.bit_width - 1)), stored)
        is_nat = pyarrow.compute.equal(column.cast(stored), nat)
        if pyarrow.compute.any(is_nat).as_py():
            column = pyarrow.compute.if_else(is_nat, pyarrow.scalar(None, field.type), column)
            table = table.set_column(number, field.with_nullable(True), column)
    return table


def without_complex(table):
    """Returns a table in which columns of pairs of floating-point numbers are null, and their cells as
    complex numbers of NumPy by position. Null cells are NaN.
    """
    import numpy
    import pyarrow
    import pyarrow.compute

    found = {}
    for number, field in enumerate(table.schema):
        kind = field.type
        if not pyarrow.types.is_fixed_size_list(kind) or kind.list_size != 2 or kind.value_type.bit_width < 32:
            continue
        if pyarrow.types.is_floating(kind.value_type):
            column = table.column(number)
            found[number] = numpy.empty(len(column), f"complex{2 * kind.value_type.bit_width}")
            found[number].real, found[number].imag = (
                pyarrow.compute.list_element(column, part).to_numpy() for part in (0, 1)
            )
            table = table.set_column(number, field.name, pyarrow.nulls(len(column)))
    return table, found


class Query(_native.Query, Table):
    """A read of cells as a table. Nothing is read before a method that returns cells is called.

    It exports a stream of Arrow (``__arrow_c_stream__``), so that ``pyarrow.table(query)``,
    ``polars.DataFrame(query)`` and DuckDB read it, in bounded memory where they do not keep cells.
    A pickled or copied query reads the same state of the array.
    """

    def __new__(cls, array, where=None, columns=None, ranges=None, order=None, batch_bytes=0):
        if columns is not None and not isinstance(columns, str):
            columns = tuple(columns)
        ranges = None if ranges is None else dict(ranges)
        query = super().__new__(cls, array, where, columns, ranges, order, batch_bytes)
        query._arguments = array, where, columns, ranges, order, batch_bytes
        return query

    def __reduce__(self):
        return Query, self._arguments

    def aggregate(self, fields):
        """Computes aggregates in one pass, without reading cells where statistics suffice.

        ``fields`` maps names of fields to one of ``"sum"``, ``"mean"``, ``"min"``, ``"max"``,
        ``"null_count"`` and ``"count"``, or to a list of them. Returns a dictionary for each field.
        """
        if not isinstance(fields, Mapping):
            raise TypeError(f"aggregates are a mapping of fields to operators, not a {type(fields).__name__}")
        wanted = [
            (operator, field)
            for field, operators in fields.items()
            for operator in ([operators] if isinstance(operators, str) else operators)
        ]
        found = {}
        for (operator, field), value in zip(wanted, self._aggregate(wanted)):
            found.setdefault(field, {})[operator] = value
        return found

    def explain(self, run=False):
        """Explains the read; with ``run``, cells are read and dropped first."""
        import json

        values, text = self._explain(run)
        return Explanation(json.loads(values), text)


class Array(_native.Array):
    """An open array. It does not change until it is opened again, or changed through this object.

    ``array[...]`` reads by coordinates. Of a dense array with one attribute the result is an array
    of NumPy, of one with several a dictionary of arrays; ``array["name"][...]`` reads one of them.
    Of a sparse array the result is a dictionary with the coordinates and values of cells.
    """

    @property
    def schema(self):
        """The schema."""
        from ._schema import Schema

        return Schema._of(self._schema())

    @property
    def metadata(self):
        """The metadata, a mutable mapping."""
        return Metadata(self)

    @property
    def fragments(self):
        """The fragments, from the oldest to the newest."""
        from ._fragments import Fragment, Fragments

        names = tuple(dim.name for dim in self.schema.dims)
        return Fragments((Fragment(**described) for described in self._fragments()), names)

    def enumeration(self, name):
        """Returns the values of an enumeration."""
        return self._enumeration(name)

    def query(self, where=None, *, columns=None, ranges=None, order=None, batch_bytes=0):
        """Describes a read of cells as a table.

        ``where`` is a condition as text, such as ``"temperature > 20 AND station IN ('a')"``.
        ``columns`` are names of attributes and dimensions. ``ranges`` maps names of dimensions or
        dimension labels to slices, values, pairs (both bounds included), or lists of these; those
        outside of the domain select no cells.
        ``order`` is ``"row-major"``, ``"col-major"``, ``"global"`` or ``"unordered"``; by default,
        sparse arrays are read in any order. Batches have about ``batch_bytes`` bytes (0: 16 MiB).
        """
        return Query(self, where, columns, ranges, order, batch_bytes)

    def explain(self, where=None, run=False, **options):
        """Explains a read; the other parameters are those of :meth:`query`."""
        return self.query(where, **options).explain(run)

    def aggregate(self, fields, where=None, **options):
        """Computes aggregates; see :meth:`Query.aggregate` and :meth:`query`."""
        return self.query(where, **options).aggregate(fields)

    def write(self, table, *, fragment_bytes=1 << 30):
        """Writes the cells of a table; returns their number.

        The table is anything with ``__arrow_c_stream__`` (pyarrow, polars, DuckDB, pandas), or a
        dictionary of columns. A large stream is written as several fragments of about
        ``fragment_bytes`` bytes.
        """
        if isinstance(table, dict):
            import numpy

            self._write_columns({name: numpy.ma.asanyarray(cells) if isinstance(cells, numpy.ma.MaskedArray) else cells for name, cells in table.items()})
            schema = self.schema
            if not schema.sparse:
                return int(numpy.prod(self.shape))
            coordinates = table[schema.dims[0].name]
            return len(coordinates) if isinstance(coordinates, (list, tuple)) else numpy.size(coordinates)
        if "pandas" in sys.modules and isinstance(table, sys.modules["pandas"].DataFrame):
            from ._tables import table_of_frame

            table = table_of_frame(table)
        return self._write_arrow(table, fragment_bytes)

    def evolve(self, *, add=(), drop=(), extend=None, domain=None):
        """Changes the schema.

        ``add`` has attributes, ``drop`` names of attributes, ``extend`` lists of new values by names
        of enumerations, and ``domain`` the bounds to which the current domain grows.
        """
        from ._schema import attr_spec

        self._evolve([attr_spec(attr) for attr in add], list(drop), dict(extend or {}), None if domain is None else list(domain))

    def consolidate(self, mode="fragments", *, fragments=None, progress=None):
        """Merges fragments, or the files of ``mode``: ``"fragment_meta"``, ``"commits"`` or
        ``"array_meta"``.

        ``progress`` is called with the operation, the units that are done, all units, and the name
        of the unit, or is a ``tqdm``. If a call returns ``False``, the operation is cancelled.
        """
        self._maintain("consolidate", mode, _callback(progress), fragments)

    def vacuum(self, mode="fragments", *, progress=None):
        """Removes what consolidation replaced. Earlier states can no longer be read afterwards."""
        self._maintain("vacuum", mode, _callback(progress))

    def check(self):
        """Reads every file and returns what is wrong, as :func:`tiledb_rs.check`."""
        from ._functions import check

        return check(self.uri, dict(self._config()))

    def __arrow_c_stream__(self, requested_schema=None):
        return self.query().__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self):
        return self.query().__arrow_c_schema__()

    def __datafusion_table_provider__(self, session=None):
        from ._sql import table_provider

        return table_provider(self, session)

    def __array__(self, dtype=None, copy=None):
        attrs = self.schema.attrs
        if len(attrs) != 1:
            raise TypeError(f"the array has {len(attrs)} attributes; select one by its name")
        (attr,) = attrs
        return self[attr.name].__array__(dtype, copy)

    def __iter__(self):
        """Iterates over the first axis of a dense array."""
        attrs = self.schema.attrs
        if len(attrs) == 1:
            return iter(self[attrs[0].name])
        fields = [self[attr.name] for attr in attrs]
        return ({field.name: field.positions(row) for field in fields} for row in range(len(self)))

    def __dlpack__(self, **options):
        import numpy

        cells = self[...]
        if not isinstance(cells, numpy.ndarray) or isinstance(cells, numpy.ma.MaskedArray):
            raise TypeError("DLPack has no null values and one attribute: read others by their names")
        return cells.__dlpack__(**options)

    def __dlpack_device__(self):
        return (1, 0)

    def __repr__(self):
        if not self.isopen:
            return f"<closed array {self.uri}>"
        return f"<array {self.uri}, open for {'writing' if self.mode == 'w' else 'reading'}>\n{self.schema!r}"

    def _repr_html_(self):
        from ._html import array

        return array(self)


def with_durations(table):
    """Returns a table in which columns with times outside of a day are durations."""
    import pyarrow
    import pyarrow.compute

    for number, field in enumerate(table.schema):
        if not pyarrow.types.is_time(field.type):
            continue
        stored = pyarrow.int32() if pyarrow.types.is_time32(field.type) else pyarrow.int64()
        column = table.column(number).cast(stored)
        bounds = pyarrow.compute.min_max(column).as_py()
        day = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[field.type.unit] * 86_400
        if bounds["min"] is not None and (bounds["min"] < 0 or bounds["max"] >= day):
            column = column.cast(pyarrow.int64()).cast(pyarrow.duration(field.type.unit))
            table = table.set_column(number, field.name, column)
    return table


def weakly_filtered(array, where, names, selects, **options):
    """Returns the batches of a read that has all cells that a filter selects, and maybe others.

    ``where`` is a condition that is true wherever the filter is, ``names`` are the columns of the
    filter (``None`` if they are not known), and ``selects`` returns whether it selects a row of a
    table. A condition that the read does not accept is left out.
    """
    from ._errors import InvalidArgumentError

    if where is not None:
        try:
            if array.schema.sparse or not _selects_fill_values(array, names, selects):
                return array.query(where, **options).batches()
        except InvalidArgumentError:
            pass
    return array.query(**options).batches()


def _selects_fill_values(array, names, selects):
    """Returns whether a filter may select the fill values that a read of a dense array has instead of
    cells that do not satisfy its condition.
    """
    attrs = {attr.name for attr in array.schema.attrs}
    domain = array.nonempty_domain()
    if domain is None:
        return False
    if names is None or not attrs.issuperset(names):
        return True
    ranges = {dim.name: (low, low) for dim, (low, _) in zip(array.schema.dims, domain)}
    name = f'"{next(iter(names))}"'
    row = array.query(f"{name} IS NULL AND {name} IS NOT NULL", columns=list(names), ranges=ranges)
    return selects(row.arrow())


def _callback(progress):
    """Returns a function for the native module from one, or from a progress bar of tqdm."""
    if progress is None or not hasattr(progress, "update"):
        return progress

    def update(operation, done, total, unit):
        progress.total = total or None
        progress.unit = unit
        progress.set_description(operation, refresh=False)
        progress.update(done - progress.n)

    return update


def _reopen(kind, uri, mode, timestamp, config):
    """Opens an array from what was pickled."""
    return kind(uri, mode, timestamp=timestamp, config=config)


def open(uri, mode="r", *, timestamp=None, key=None, config=None):
    """Opens an array or a group.

    ``mode`` is ``"r"``, or ``"w"`` to change it. ``timestamp`` is the time whose state is read, in
    milliseconds since 1970 or as a ``datetime``, or a pair of a first and a last one, of which
    either may be ``None``; it is also that of changes. ``key`` is an encryption key, and ``config`` a mapping of parameters.
    Of a group, ``timestamp`` and ``key`` are those of its members.
    """
    try:
        return Array(uri, mode, timestamp=timestamp, key=key, config=config)
    except FileNotFoundError as problem:
        # Their module is loaded for the first error, so that a first read does not wait for it.
        from ._errors import ObjectNotFoundError

        if not isinstance(problem, ObjectNotFoundError) or _native.object_type(uri, config) != "group":
            raise
    from ._group import Group

    return Group(uri, mode, timestamp=timestamp, key=key, config=config)
