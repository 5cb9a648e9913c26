"""Arrays of TileDB for NumPy, Arrow, pandas, polars and xarray; and TileDB-Py on this library.

>>> import numpy, tempfile, tiledb_rs
>>> uri = tempfile.mkdtemp() + "/heights"
>>> tiledb_rs.from_numpy(uri, numpy.arange(12.0).reshape(3, 4))
>>> with tiledb_rs.open(uri) as heights:
...     heights[1, 2], heights[:, 1].tolist()
(np.float64(6.0), [1.0, 5.0, 9.0])

:func:`open` opens arrays and groups, and :func:`from_numpy`, :func:`from_arrow`,
:func:`from_pandas`, :func:`from_polars` and :func:`create` make arrays.

To run programs that use TileDB-Py on the library of this package, import it before ``tiledb``, or
run an unchanged program with ``python -m tiledb_rs program.py``. TileDB-Py must be a wheel from
PyPI that was built for a version of libtiledb from :data:`OLDEST_LIBTILEDB_VERSION` to
:data:`LIBTILEDB_VERSION`; any other one is an :class:`ImportError` when ``tiledb`` is imported.
"""

from . import _redirect
from ._redirect import LIBTILEDB_VERSION, OLDEST_LIBTILEDB_VERSION, is_active, library

#: The modules of the names that are loaded when they are used first, so that an import is quick.
_MODULES = {
    "_functions": ("Finding", "arrow", "check", "clean", "explain"),
    "_errors": (
        "AlreadyExistsError",
        "BusyError",
        "CancelledError",
        "CorruptError",
        "Error",
        "InvalidArgumentError",
        "NotFoundError",
        "ObjectNotFoundError",
        "OutOfMemoryError",
        "PermissionDeniedError",
        "ReadOnlyError",
        "StorageError",
        "UnsupportedError",
    ),
    "_schema": ("Attr", "Dim", "Label", "Schema"),
    "_array": ("Array", "Explanation", "Field", "Query", "open"),
    "_fragments": ("Fragment",),
    "_group": ("Group", "create_group", "ls", "object_type", "remove", "rename"),
    "_tables": ("create", "from_arrow", "from_numpy", "from_pandas", "from_polars", "recommend"),
    "_polars": ("scan",),
    "_dataset": ("dataset",),
    "_sql": ("sql",),
    # The version of the crate.
    "_native": ("__version__",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "LIBTILEDB_VERSION",
    "OLDEST_LIBTILEDB_VERSION",
    "is_active",
    "library",
    *sorted(name for name in _MODULE_OF if name != "__version__"),
]


def __getattr__(name):
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'tiledb_rs' has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(f"tiledb_rs.{module}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})


_redirect.install()
