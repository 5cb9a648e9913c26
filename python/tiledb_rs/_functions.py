"""Functions that read or maintain an array by its URI."""

from typing import NamedTuple, Optional

from . import _native


class Finding(NamedTuple):
    """What is wrong with a file: ``note``, ``remains``, ``warning`` or ``error``."""

    severity: str
    uri: str
    #: The position of the damaged record in bytes.
    position: Optional[int]
    problem: str


def check(uri, config=None):
    """Reads every file of the array or group at ``uri`` and returns a list of findings.

    ``config`` is a mapping of parameters. Nothing is changed.
    """
    return [Finding(*finding) for finding in _native.check(uri, config)]


def clean(uri, config=None, dry_run=False):
    """Removes what killed processes left in the array or group at ``uri``; returns its URIs.

    A dry run removes nothing. ``config`` is a mapping of parameters.
    """
    return _native.clean(uri, config, dry_run)


def arrow(uri, where=None, columns=None, config=None, batch_bytes=0):
    """Reads cells of the array at ``uri``; returns a ``pyarrow.RecordBatchReader``.

    ``where`` is a condition as text, such as ``"temperature > 20.5 AND note IS NOT NULL"``.
    ``columns`` are names of attributes and dimensions; without them, all attributes and, of sparse
    arrays, the dimensions are read. ``config`` is a mapping of parameters. Batches have about
    ``batch_bytes`` bytes (0: 16 MiB), which bounds the memory; ``read_all()`` of the reader returns
    a table.

    Cells of sparse arrays are in any order. Of dense arrays the box that contains all written cells
    is read, in row-major order; cells that do not satisfy the condition have fill values, as in all
    reads of TileDB. Requires pyarrow.
    """
    from ._array import Array

    if not 0 <= batch_bytes < 2**63:
        raise ValueError("batch_bytes is negative or too large")
    array = Array(uri, config=config)
    return array.query(where, columns=columns, batch_bytes=batch_bytes).batches()


def explain(uri, where=None, columns=None, config=None, run=False):
    """Explains a read of the array at ``uri``: fragments and tiles, bytes, times, hints.

    The parameters are those of :func:`arrow`. Without ``run`` the result is the plan; with it, all
    cells are read and dropped first, and the result also has what happened. Returns a dictionary,
    whose string is the explanation for people. Does not need pyarrow.
    """
    from ._array import Array

    return Array(uri, config=config).explain(where, run, columns=columns)
