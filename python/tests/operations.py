"""Runs operations of TileDB-Py on the library of the package: operations.py [URI]

URI (a temporary folder) is a folder or a bucket for the arrays.
"""
import sys
import tempfile

import numpy as np
import tiledb_rs
import tiledb


def dense(uri):
    """Writes four overlapping fragments, and reads boxes, ranges and cells that fulfil a condition."""
    dimensions = [tiledb.Dim(name, domain=(0, end), tile=7, dtype=np.int32) for name, end in [("y", 39), ("x", 49)]]
    schema = tiledb.ArraySchema(tiledb.Domain(*dimensions), [tiledb.Attr("a", dtype=np.int32)])
    tiledb.Array.create(uri, schema)
    numbers = np.arange(2000, dtype=np.int32).reshape(40, 50)
    with tiledb.open(uri, "w") as array:
        array[:] = numbers
    for fragment in range(3):
        rows = slice(fragment * 3, fragment * 3 + 5)
        numbers[rows] = -1000 * (fragment + 1)
        with tiledb.open(uri, "w") as array:
            array[rows, :] = numbers[rows]
    with tiledb.open(uri) as array:
        assert (array[:]["a"] == numbers).all()
        assert (array[3:20, 10:30]["a"] == numbers[3:20, 10:30]).all()
        assert (array.multi_index[[1, 30], 2:4]["a"] == numbers[[1, 30], 2:5]).all()
        cells = array.query(cond="a < -1500")[:]["a"]
        assert (cells[numbers < -1500] == numbers[numbers < -1500]).all() and cells[0, 0] == np.iinfo(np.int32).min
    return numbers


def consolidation(uri, numbers):
    assert len(tiledb.array_fragments(uri)) == 4
    tiledb.consolidate(uri)
    tiledb.vacuum(uri)
    assert len(tiledb.array_fragments(uri)) == 1
    with tiledb.open(uri) as array:
        assert (array[:]["a"] == numbers).all()


def sparse(uri):
    """Writes numbers, text and missing values of all widths, and reads them with conditions."""
    domain = tiledb.Domain(
        tiledb.Dim("name", dtype="ascii"),
        tiledb.Dim("x", domain=(-5000, 5000), tile=100, dtype=np.int64),
    )
    attributes = [
        tiledb.Attr("byte", dtype=np.int8, filters=[tiledb.BitWidthReductionFilter(), tiledb.ZstdFilter()]),
        tiledb.Attr("word", dtype=np.uint16, filters=[tiledb.ByteShuffleFilter(), tiledb.LZ4Filter()]),
        tiledb.Attr("real", dtype=np.float32, filters=[tiledb.BitShuffleFilter(), tiledb.GzipFilter()]),
        tiledb.Attr("text", dtype=str, var=True, nullable=True, filters=[tiledb.Bzip2Filter()]),
        tiledb.Attr("time", dtype="datetime64[ns]", filters=[tiledb.DoubleDeltaFilter()]),
    ]
    schema = tiledb.ArraySchema(domain, attributes, sparse=True, capacity=64, cell_order="row-major")
    tiledb.Array.create(uri, schema)
    count = 1000
    x = np.arange(count) * 7 % 1999 - 999
    names = np.array([f"n{n % 13}" for n in range(count)], dtype="S")
    cells = {
        "byte": (np.arange(count) % 256 - 128).astype(np.int8),
        "word": (np.arange(count) * 65 % 65536).astype(np.uint16),
        "real": np.arange(count, dtype=np.float32) / 4,
        "text": np.array([None if n % 5 == 0 else "é" * (n % 7) for n in range(count)], dtype=object),
        "time": np.arange(count).astype("datetime64[ns]"),
    }
    for part in (slice(0, 600), slice(600, count)):
        with tiledb.open(uri, "w") as array:
            array[names[part], x[part]] = {name: values[part] for name, values in cells.items()}
    with tiledb.open(uri) as array:
        found = array[:]
        order = np.lexsort((x, names))
        assert len(found["x"]) == count
        stored = np.lexsort((found["x"], found["name"]))
        for name in ("byte", "word", "real", "time"):
            assert (found[name][stored] == cells[name][order]).all(), name
        found = array.query(cond="byte < -100 and real > 50.0")[:]
        expected = (cells["byte"] < -100) & (cells["real"] > 50)
        assert len(found["x"]) == expected.sum() > 0, len(found["x"])
        found = array.query(cond="text == 'éé'")[:]
        assert len(found["x"]) == sum(text == "éé" for text in cells["text"]) > 0
        found = array.multi_index["n3":"n4", -100:100]
        expected = np.isin(names, [b"n3", b"n4"]) & (abs(x) <= 100)
        assert len(found["x"]) == expected.sum() > 0
        assert array.query(attrs=["real"]).agg({"real": ["sum", "max"]})[:]["max"] == (count - 1) / 4
    with tiledb.open(uri, "d") as array:
        array.query(cond="word < 1000").submit()
    with tiledb.open(uri) as array:
        assert len(array[:]["x"]) == (cells["word"] >= 1000).sum()


def groups(uri, member):
    tiledb.group_create(uri)
    with tiledb.Group(uri, "w") as group:
        group.add(member, name="member")
        group.meta["key"] = "value"
    with tiledb.Group(uri) as group:
        assert group.meta["key"] == "value" and len(group) == 1
        assert group["member"].uri.endswith("/dense")


def main(folder):
    assert tiledb_rs.is_active()
    numbers = dense(f"{folder}/dense")
    consolidation(f"{folder}/dense", numbers)
    sparse(f"{folder}/sparse")
    groups(f"{folder}/group", f"{folder}/dense")
    for name in ("dense", "sparse", "group"):
        tiledb.remove(f"{folder}/{name}")
        assert tiledb.object_type(f"{folder}/{name}") is None
    print("operations")


if len(sys.argv) > 1:
    main(sys.argv[1])
else:
    with tempfile.TemporaryDirectory() as temporary:
        main(temporary)
