"""SQL over arrays, by the package ``tiledb_rs_sql``."""

from ._array import Array, Table
from ._group import Group


class Rows(Table):
    """The rows of a statement of SQL. A query runs when a method that returns rows is called."""

    def __init__(self, rows):
        self._rows = rows

    def __arrow_c_stream__(self, requested_schema=None):
        return self._rows.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self):
        return self._rows.__arrow_c_schema__()

    def __reduce__(self):
        raise TypeError("rows of SQL cannot be pickled or copied; read them as a table first: rows.arrow()")

    def __repr__(self):
        return str(self.arrow())


def package():
    """Returns the package with DataFusion."""
    try:
        import tiledb_rs_sql
    except ImportError as problem:
        raise ImportError("SQL needs the package tiledb-rs-sql: pip install tiledb-rs-sql") from problem
    return tiledb_rs_sql


def sql(query, *, tables=None, timestamp=None, config=None):
    """Runs a statement of SQL with Apache DataFusion.

    Arrays are tables by the function ``tiledb``, as in ``SELECT * FROM tiledb('uri') WHERE x > 5``, or by
    ``tables``, a mapping of names to open arrays, groups (whose arrays are the tables of a schema) or
    URIs. Conditions, columns, limits and aggregates are pushed down to reads. ``timestamp`` and
    ``config`` are those of the URIs. Requires the package ``tiledb-rs-sql``.
    """
    from . import _native

    parameters, timestamps = _native.open_options(timestamp, config)
    described = []
    for name, table in (tables or {}).items():
        if isinstance(table, Array):
            described.append((name, "array", table.uri, *_state(table)))
        elif isinstance(table, Group):
            options = _native.open_options(None, table._config)
            described.append((name, "group", str(table.uri), timestamps, options[0]))
        else:
            kind = _native.object_type(table, config) or "array"
            described.append((name, kind, str(table), timestamps, parameters))
    return Rows(package().sql(query, described, parameters, timestamps))


def table_provider(array, session):
    """Returns an array as a table of DataFusion."""
    timestamps, parameters = _state(array)
    if session is None:
        raise TypeError("the session of DataFusion is needed: use datafusion 52 or later")
    return package().table_provider(array.uri, parameters, timestamps, session)


def _state(array):
    """Returns the timestamps and the parameters with which an array has the same cells."""
    return array._timestamps(), array._config()
