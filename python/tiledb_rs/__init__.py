"""Runs TileDB-Py on the library of TileDB in Rust.

Import this package before ``tiledb``::

    import tiledb_rs
    import tiledb

or run an unchanged program with ``python -m tiledb_rs program.py``. TileDB-Py must be a wheel from
PyPI that was built for a version of libtiledb from :data:`OLDEST_LIBTILEDB_VERSION` to
:data:`LIBTILEDB_VERSION`; any other one is an :class:`ImportError` when ``tiledb`` is imported, and
importing this package after ``tiledb`` is one as well.
"""

from ._functions import Error, Finding, check, clean
from ._queries import Explanation, arrow, explain
from ._redirect import (
    LIBTILEDB_VERSION,
    OLDEST_LIBTILEDB_VERSION,
    install,
    is_active,
    library,
)

__version__ = "0.1.0"
__all__ = [
    "LIBTILEDB_VERSION",
    "OLDEST_LIBTILEDB_VERSION",
    "Error",
    "Explanation",
    "Finding",
    "arrow",
    "check",
    "clean",
    "explain",
    "is_active",
    "library",
]

install()
