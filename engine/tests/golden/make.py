"""Writes the golden arrays with TileDB-Py 0.36.1 (libtiledb 2.30.0). Usage: make.py FOLDER"""
import sys

import numpy as np
import tiledb
from tiledb.libtiledb import Array, LayoutType, Query, QueryType


def write(path, layout, fields):
    ctx = tiledb.Ctx()
    array = Array(ctx, path, QueryType.WRITE)
    query = Query(ctx, array, QueryType.WRITE)
    query.layout = layout
    kept = []
    for name, (data, offsets, validity) in fields.items():
        parts = [None if part is None else np.array(part) for part in (data, offsets, validity)]
        kept.append(parts)
        query.set_data_buffer(name, parts[0], parts[0].size)
        if offsets is not None:
            query.set_offsets_buffer(name, parts[1], parts[1].size)
        if validity is not None:
            query.set_validity_buffer(name, parts[2], parts[2].size)
    query._submit()
    query.finalize()
    array._close()


def text(words):
    data = np.frombuffer("".join(words).encode(), dtype=np.uint8)
    lengths = [len(word) for word in words]
    return data, np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.uint64)


def dense(path):
    """Two by two tiles of two by two cells; one tile of `n` is all null, `v` has an empty cell."""
    domain = tiledb.Domain(
        tiledb.Dim("y", domain=(-1, 2), tile=2, dtype=np.int16),
        tiledb.Dim("x", domain=(-1, 2), tile=2, dtype=np.int16),
    )
    attributes = [
        tiledb.Attr("a", dtype=np.int32),
        tiledb.Attr("v", dtype="ascii", var=True),
        tiledb.Attr("n", dtype=np.float64, nullable=True),
        tiledb.Attr("u", dtype=np.uint8, filters=tiledb.FilterList([tiledb.ZstdFilter()])),
    ]
    tiledb.Array.create(path, tiledb.ArraySchema(domain=domain, attrs=attributes))
    cells = np.arange(16)
    words = [chr(97 + i) * (i % 4) for i in range(16)]
    nulls = np.array([0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1], dtype=np.uint8)
    write(path, LayoutType.ROW_MAJOR, {
        "a": (np.array(cells - 8, dtype=np.int32), None, None),
        "v": (*text(words), None),
        "n": (cells / 4.0, None, nulls),
        "u": (np.array(cells * 16, dtype=np.uint8), None, None),
    })


def sparse(path):
    """Thirteen tiles of at most two cells: an R-tree of three levels, over dimensions of three datatypes."""
    domain = tiledb.Domain(
        tiledb.Dim("i", domain=(-100, 100), tile=10, dtype=np.int32),
        tiledb.Dim("r", domain=(0, 100), tile=10, dtype=np.float64),
        tiledb.Dim("s", domain=(None, None), tile=None, dtype="ascii"),
    )
    schema = tiledb.ArraySchema(
        sparse=True, capacity=2, domain=domain, attrs=[tiledb.Attr("a", dtype=np.uint8)]
    )
    tiledb.Array.create(path, schema)
    cells = np.arange(25)
    words = [chr(97 + i % 7) * (1 + i % 3) for i in range(25)]
    write(path, LayoutType.UNORDERED, {
        "i": (np.array(cells * 7 % 50 - 20, dtype=np.int32), None, None),
        "r": (cells * 3.5, None, None),
        "s": (*text(words), None),
        "a": (np.array(cells * 10, dtype=np.uint8), None, None),
    })


if __name__ == "__main__":
    dense(sys.argv[1] + "/dense")
    sparse(sys.argv[1] + "/sparse")
