"""Arrays from tables and arrays of other packages."""

from . import _native
from ._schema import Attr, Dim, Schema

#: The rows of a sample for a recommended schema.
_SAMPLE_ROWS = 100_000
_ROWS = "__tiledb_rows"


def create(uri, schema, *, key=None, config=None):
    """Creates an array without cells."""
    _native.create_array(uri, schema._native, key, config)


def from_numpy(
    uri, array, *, schema=None, tile=None, attr="", dims=None, filters=None, key=None, config=None
):
    """Creates a dense array with the shape and the values of an array of NumPy.

    The attribute is named ``attr``, and the dimensions ``dims``, by default as by TileDB-Py. Without
    a ``schema``, the extents and filters are those that are recommended for a sample; ``tile``
    (an extent, or one for each dimension) and ``filters`` replace them. Masked arrays are nullable.
    """
    import numpy

    from ._array import Array

    array = numpy.ma.asanyarray(array) if isinstance(array, numpy.ma.MaskedArray) else numpy.asarray(array)
    if schema is None:
        schema = _schema_of_array(array, tile, attr, dims, filters)
    create(uri, schema, key=key, config=config)
    if array.size:
        with Array(uri, "w", key=key, config=config) as created:
            created[...] = {schema.attrs[0].name: array}


def _schema_of_array(array, tile, attr, names, filters):
    import numpy

    if array.ndim == 0 or array.size == 0:
        raise ValueError("an array without axes or values has no domain")
    names = names or [f"__dim_{axis}" for axis in range(array.ndim)]
    tiles = tile if isinstance(tile, (tuple, list)) else [tile] * array.ndim
    if len(names) != array.ndim or len(tiles) != array.ndim:
        raise ValueError(f"the array has {array.ndim} axes")

    def schema(tiles, filters):
        dims = [
            Dim(name, (0, size - 1), min(tile or size, size), "uint64")
            for name, size, tile in zip(names, array.shape, tiles)
        ]
        kind = str if array.dtype.kind in "OUT" else array.dtype
        if array.dtype.kind == "S":
            kind = "ascii"
        nullable = isinstance(array, numpy.ma.MaskedArray)
        return Schema(dims, [Attr(attr, kind, filters=filters, nullable=nullable)])

    if array.dtype.kind in "OUTS" or isinstance(array, numpy.ma.MaskedArray) or filters is not None:
        return schema([tile or min(size, 1000) for tile, size in zip(tiles, array.shape)], filters or ["zstd"])
    draft = schema([None] * array.ndim, None)
    # A box of adjacent cells in the middle.
    side = max(1, int(round(_SAMPLE_ROWS ** (1 / array.ndim))))
    box = tuple(
        slice(max(0, (size - side) // 2), max(0, (size - side) // 2) + side) for size in array.shape
    )
    cells = numpy.ascontiguousarray(array[box]).tobytes()
    native, _ = _native.recommend_bytes(draft._native, [(attr, cells)], "balanced", array.size)
    recommended = Schema._of(native)
    if tile is None:
        return recommended
    return schema(tiles, recommended.attrs[0].filters)


def recommend(table, index, *, domain=None, goal="balanced", allow_duplicates=True):
    """Returns a schema that is recommended for a table, and the reasons as a list of texts.

    ``index`` are the columns that become dimensions, and ``domain`` maps some of them to bounds; by
    default a domain has all values of the type, except that of floating-point numbers, which is
    somewhat larger than the range of the values. ``goal`` is ``"balanced"``, ``"size"`` or
    ``"speed"``.
    """
    table = _as_table(table)
    draft = _draft(table, index, domain, allow_duplicates)
    rows = table.num_rows
    if rows == 0:
        return draft, []
    # Runs of adjacent rows from the start, the middle and the end.
    run = _SAMPLE_ROWS // 3
    if rows > _SAMPLE_ROWS:
        import pyarrow

        starts = 0, (rows - run) // 2, rows - run
        table = pyarrow.concat_tables([table.slice(start, run) for start in starts])
    native, reasons = _native.recommend(draft._native, table, goal, rows)
    return Schema._of(native), reasons


def from_arrow(
    uri,
    table,
    index=None,
    *,
    schema=None,
    domain=None,
    goal="balanced",
    allow_duplicates=True,
    key=None,
    config=None,
    verbose=False,
):
    """Creates a sparse array with the rows of a table (anything with ``__arrow_c_stream__``).

    ``index`` are the columns that become dimensions; the others become attributes. Without an index
    the rows are numbered. Without a ``schema``, one is recommended for a sample of the rows, as by
    :func:`recommend`, and printed with the reasons if ``verbose``.
    """
    from ._array import Array

    table = _as_table(table)
    if index is None and (schema is None or _ROWS in schema.names):
        table = _numbered(table)
        index = [_ROWS]
        domain = {_ROWS: (0, 2**62), **(domain or {})}
    if schema is None:
        schema, reasons = recommend(
            table, index, domain=domain, goal=goal, allow_duplicates=allow_duplicates
        )
        if verbose:
            print(schema, *reasons, sep="\n")
    create(uri, schema, key=key, config=config)
    if table.num_rows:
        with Array(uri, "w", key=key, config=config) as created:
            created.write(table)


def from_pandas(uri, frame, index=None, **options):
    """Creates a sparse array with the rows of a ``pandas.DataFrame``.

    Without ``index``, the dimensions are the levels of the index of the frame, unless it only
    numbers the rows. The options are those of :func:`from_arrow`.
    """
    import pandas
    import pyarrow

    if index is None and not isinstance(frame.index, pandas.RangeIndex):
        names = [name or f"__index_{level}" for level, name in enumerate(frame.index.names)]
        frame = frame.rename_axis(names).reset_index()
        index = names
    table = pyarrow.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata()
    from_arrow(uri, table, index, **options)


def from_polars(uri, frame, index=None, **options):
    """Creates a sparse array with the rows of a ``polars.DataFrame`` or ``LazyFrame``.

    The options are those of :func:`from_arrow`.
    """
    if hasattr(frame, "collect"):
        frame = frame.collect()
    from_arrow(uri, frame, index, **options)


def _as_table(table):
    import pyarrow

    return table if isinstance(table, pyarrow.Table) else pyarrow.table(table)


def _numbered(table):
    import numpy
    import pyarrow

    rows = pyarrow.array(numpy.arange(table.num_rows, dtype="int64"))
    return table.add_column(0, _ROWS, rows)


def _draft(table, index, domain, allow_duplicates):
    """Returns a schema with the names, types and domains for a table."""
    index = [index] if isinstance(index, str) else list(index)
    dims = []
    for name in index:
        if name not in table.column_names:
            raise KeyError(name)
        dims.append(_dimension(name, table.column(name), (domain or {}).get(name)))
    native = _native.schema_from_arrow(dims, True, table, allow_duplicates)
    return Schema._of(native)


def _dimension(name, column, domain):
    """Returns the description of the dimension of a column."""
    import numpy
    import pyarrow
    import pyarrow.compute

    kind = column.type
    if pyarrow.types.is_dictionary(kind):
        raise TypeError(f"the column '{name}' is a dictionary, and cannot be a dimension")
    if any(check(kind) for check in (pyarrow.types.is_string, pyarrow.types.is_large_string)) or str(
        kind
    ) in ("string_view", "binary", "large_binary"):
        return {"name": name, "dtype": "ascii"}
    if pyarrow.types.is_timestamp(kind) or pyarrow.types.is_date32(kind):
        unit = "D" if pyarrow.types.is_date32(kind) else kind.unit
        low, high = domain or (-(2**62), 2**62)
        return {"name": name, "dtype": f"datetime64[{unit}]", "domain": (low, high), "tile": 1000}
    dtype = numpy.dtype(kind.to_pandas_dtype())
    if dtype.kind in "iu":
        info = numpy.iinfo(dtype)
        if domain is None:
            # The last tile ends at a value of the type, too.
            low, high, tile = int(info.min), int(info.max), 1000 if dtype.itemsize > 2 else 1
            largest = pyarrow.compute.max(column).as_py()
            if tile > 1 and largest is not None and largest > high - tile:
                tile = 1
            domain = (low, high - tile if tile > 1 else high)
        else:
            tile = min(1000, domain[1] - domain[0] + 1)
        return {"name": name, "dtype": dtype, "domain": domain, "tile": tile}
    if dtype.kind == "f":
        if domain is None:
            bounds = pyarrow.compute.min_max(column).as_py()
            low, high = bounds["min"] or 0.0, bounds["max"] or 0.0
            space = max(high - low, abs(low), abs(high), 1.0)
            domain = (low - space, high + space)
        return {"name": name, "dtype": dtype, "domain": domain, "tile": (domain[1] - domain[0]) / 16}
    raise TypeError(f"a column of type {kind} cannot be a dimension")
