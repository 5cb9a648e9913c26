"""Arrays from tables and arrays of other packages."""

import os
from collections.abc import Mapping

from . import _native
from ._schema import Attr, Dim, Schema, check_type

#: The rows of a sample for a recommended schema.
_SAMPLE_ROWS = 100_000
_ROWS = "__tiledb_rows"


def create(uri, schema, *, key=None, config=None):
    """Creates an array without cells."""
    check_type(schema, Schema)
    _native.create_array(uri, schema._native, key, config)


def from_numpy(
    uri, array, *, schema=None, tile=None, attr="", dims=None, filters=None, key=None, config=None
):
    """Creates a dense array with the shape and the values of an array of NumPy.

    The attribute is named ``attr``, and the dimensions ``dims``, by default as by TileDB-Py. Without
    a ``schema``, the extents and filters are those that are recommended for a sample; ``tile``
    (an extent, or one for each dimension) and ``filters`` replace them. Masked arrays are nullable.
    An array without axes becomes one with one cell.

    A mapping of names to arrays, such as ``numpy.load("file.npz")``, becomes a group of arrays.
    """
    import numpy

    if isinstance(array, Mapping):
        if schema is not None:
            raise ValueError("the arrays of a mapping have no common schema")
        options = {"tile": tile, "attr": attr, "dims": dims, "filters": filters, "key": key, "config": config}
        _group_of_arrays(uri, array, options)
        return
    array = numpy.ma.asanyarray(array) if isinstance(array, numpy.ma.MaskedArray) else numpy.asarray(array)
    if array.ndim == 0:
        array = array.reshape(1)
    if schema is None:
        schema = _schema_of_array(array, tile, attr, dims, filters)
    check_type(schema, Schema)
    cells = {schema.attrs[0].name: array}
    _create_filled(uri, schema, key, config, array.size, lambda created: created.__setitem__(..., cells))


def _group_of_arrays(uri, arrays, options):
    """Creates a group with arrays by name. If one cannot be written, nothing is left."""
    from ._group import create_group, folder_name, remove_created

    uri = os.fsdecode(uri)
    config = options["config"]
    path = uri.removeprefix("file://")
    is_new = "://" not in path and not os.path.lexists(path)
    create_group(uri, config)
    created, changes = [], []
    try:
        for name in arrays:
            folder = folder_name(str(name), len(created))
            created.append(f"{uri}/{folder}")
            from_numpy(created[-1], arrays[name], **options)
            changes.append(("add_relative", folder, str(name)))
        _native.change_group(uri, changes, config)
    except BaseException:
        remove_created([uri] if is_new else created, config)
        raise


def _create_filled(uri, schema, key, config, size, write):
    """Creates an array and writes its cells. If that fails, the array is removed, but not other files
    in its folder.
    """
    from ._array import Array

    create(uri, schema, key=key, config=config)
    if not size:
        return
    try:
        with Array(uri, "w", key=key, config=config) as created:
            write(created)
    except BaseException:
        _native.remove_array(uri, key, config)
        raise


def _schema_of_array(array, tile, attr, names, filters):
    import numpy

    if array.size == 0:
        raise ValueError("an array without values has no domain")
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
        nullable = isinstance(array, numpy.ma.MaskedArray) or (
            array.dtype.kind in "OT" and any(not isinstance(value, (str, bytes)) for value in array.flat)
        )
        return Schema(dims, [Attr(attr, kind, filters=filters, nullable=nullable)])

    if array.dtype.kind in "OUTS" or isinstance(array, numpy.ma.MaskedArray) or filters is not None:
        return schema([tile or min(size, 1000) for tile, size in zip(tiles, array.shape)], filters or ["zstd"])
    draft = schema([None] * array.ndim, None)
    # A box of adjacent cells in the middle.
    side = max(1, int(round(_SAMPLE_ROWS ** (1 / array.ndim))))
    box = tuple(
        slice(max(0, (size - side) // 2), max(0, (size - side) // 2) + side) for size in array.shape
    )
    cells = array[box].astype(array.dtype.newbyteorder("=")).tobytes()
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
    table = _as_table(table)
    if schema is not None:
        check_type(schema, Schema)
    if index is None and (schema is None or _ROWS in schema.names):
        if _ROWS not in table.column_names:
            table = _numbered(table)
        index = [_ROWS]
        domain = {_ROWS: (0, 2**62), **(domain or {})}
    if schema is None:
        schema, reasons = recommend(
            table, index, domain=domain, goal=goal, allow_duplicates=allow_duplicates
        )
        if verbose:
            print(schema, *reasons, sep="\n")
    _create_filled(uri, schema, key, config, table.num_rows, lambda created: created.write(table))


def from_pandas(uri, frame, index=None, **options):
    """Creates a sparse array with the rows of a ``pandas.DataFrame``.

    Without ``index``, the dimensions are the levels of the index of the frame, unless it only
    numbers the rows from 0. With ``index``, named levels are columns like the others. The options
    are those of :func:`from_arrow`.
    """
    import pandas

    check_type(frame, pandas.DataFrame)
    names = frame.index.names
    rows = pandas.RangeIndex(len(frame))
    is_numbered = isinstance(frame.index, pandas.RangeIndex) and frame.index.equals(rows)
    if index is not None:
        frame = frame.reset_index([name for name in names if name is not None and name not in frame])
    elif not is_numbered or names[0] is not None:
        index = [f"__index_{level}" if name is None else str(name) for level, name in enumerate(names)]
        frame = frame.rename_axis(index).reset_index()
    table = table_of_frame(frame, preserve_index=False).replace_schema_metadata()
    from_arrow(uri, table, index, **options)


def table_of_frame(frame, **options):
    """Returns a ``pandas.DataFrame`` as a table of pyarrow, with complex numbers as pairs."""
    import numpy
    import pandas
    import pyarrow

    refused = {
        pandas.PeriodDtype: "store the start of its periods, series.dt.to_timestamp()",
        pandas.IntervalDtype: "store its bounds as two columns",
    }
    numbers = {}
    for position, (name, dtype) in enumerate(zip(frame.columns, frame.dtypes)):
        kind = dtype.categories.dtype if isinstance(dtype, pandas.CategoricalDtype) else dtype
        for other, hint in refused.items():
            if isinstance(kind, other):
                raise TypeError(f"the column '{name}' of {kind} cannot be stored; {hint}")
        if dtype.kind == "c":
            cells = numpy.ascontiguousarray(frame.iloc[:, position].to_numpy())
            if dtype.itemsize > 16:
                raise TypeError(f"the column '{name}' of {dtype} cannot be stored; complex128 has 64-bit numbers")
            numbers[position] = cells.view(f"float{4 * dtype.itemsize}")
    kept = [position for position in range(frame.shape[1]) if position not in numbers]
    table = pyarrow.Table.from_pandas(frame.iloc[:, kept], **options)
    for position, field in enumerate(table.schema):
        if pyarrow.types.is_list(field.type) and pyarrow.types.is_floating(field.type.value_type):
            cells = _with_nan(table.column(position).combine_chunks())
            table = table.set_column(position, field.with_type(cells.type), cells)
    for position, cells in numbers.items():
        column = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(cells), 2)
        table = table.add_column(position, str(frame.columns[position]), column)
    return table


def _with_nan(cells):
    """Returns a list array of pyarrow in which null values of cells, as which pyarrow reads NaN of
    pandas, are NaN.
    """
    import pyarrow
    import pyarrow.compute

    if not cells.values.null_count:
        return cells
    values = pyarrow.compute.fill_null(cells.values, float("nan"))
    return pyarrow.ListArray.from_arrays(cells.offsets, values, mask=cells.is_null())


def from_polars(uri, frame, index=None, **options):
    """Creates a sparse array with the rows of a ``polars.DataFrame`` or ``LazyFrame``.

    The options are those of :func:`from_arrow`.
    """
    if hasattr(frame, "collect"):
        frame = frame.collect()
    from_arrow(uri, frame, index, **options)


def _as_table(table):
    import pyarrow

    table = table if isinstance(table, pyarrow.Table) else pyarrow.table(table)
    for number, field in enumerate(table.schema):
        kind = field.type.value_type if pyarrow.types.is_dictionary(field.type) else field.type
        name = getattr(kind, "extension_name", None)
        if name in ("pandas.period", "pandas.interval"):
            raise TypeError(f"the column '{field.name}' of type {field.type} cannot be stored")
        # Enumerations that grow have texts.
        if pyarrow.types.is_dictionary(field.type) and not _is_text(field.type.value_type):
            kind = field.type.value_type
            table = table.set_column(number, field.with_type(kind), table.column(number).cast(kind))
    return table


def _is_text(kind):
    return str(kind) in ("string", "large_string", "string_view")


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

    if pyarrow.types.is_run_end_encoded(column.type):
        column = pyarrow.compute.run_end_decode(column)
    kind = column.type
    if pyarrow.types.is_dictionary(kind):
        raise TypeError(f"the column '{name}' is a dictionary, and cannot be a dimension")
    if column.null_count:
        raise ValueError(f"the column '{name}' has null values, and cannot be a dimension")
    if _is_text(kind):
        return {"name": name, "dtype": "ascii"}
    types = pyarrow.types
    if types.is_float16(kind):
        column = column.cast("float32")
        kind = column.type
    if types.is_timestamp(kind) or types.is_date32(kind) or types.is_duration(kind) or types.is_time(kind):
        unit = "D" if types.is_date32(kind) else kind.unit
        name_of_kind = "timedelta64" if types.is_duration(kind) or types.is_time(kind) else "datetime64"
        # Nanoseconds of 64 bits are 585 years; the last tile ends at a value of the type, too.
        low, high = domain or ((-(2**63) + 1, 2**63 - 1001) if unit == "ns" else (-(2**62), 2**62))
        return {"name": name, "dtype": f"{name_of_kind}[{unit}]", "domain": (low, high), "tile": 1000}
    try:
        dtype = numpy.dtype(kind.to_pandas_dtype())
    except (TypeError, NotImplementedError):
        dtype = numpy.dtype(object)
    if dtype.kind in "iu":
        info = numpy.iinfo(dtype)
        if domain is None:
            low, high, tile = int(info.min), int(info.max), 1000
            bounds = pyarrow.compute.min_max(column).as_py()
            least, largest = bounds["min"] or 0, bounds["max"] or 0
            if dtype.itemsize > 2 and largest <= high - tile:
                # The last tile ends at a value of the type, too.
                high -= tile
            else:
                # The number of coordinates is one of the type.
                tile = 1
                if largest < high:
                    high -= 1
                elif least > low:
                    low += 1
                else:
                    raise ValueError(f"the column '{name}' has all values of {dtype}, and cannot be a dimension")
            domain = (low, high)
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
    raise TypeError(f"the column '{name}' of type {kind} cannot be a dimension")
