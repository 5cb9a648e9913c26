"""Arguments of wrong types and values: every call returns or raises an exception, none panics."""

import concurrent.futures
import itertools
import subprocess
import sys

import numpy as np
import pytest
import tiledb_rs
from tiledb_rs import Attr, Dim, Label, Schema


class Hostile:
    """An object whose methods fail."""

    def __getattr__(self, name):
        raise RuntimeError(name)

    def __len__(self):
        return -1

    def __index__(self):
        raise RuntimeError("index")


class Endless:
    def __len__(self):
        return 2**62

    def __getitem__(self, index):
        return 0


JUNK = [
    None,
    True,
    -1,
    2**63,
    2**64,
    -(2**100),
    1.5,
    float("nan"),
    "",
    "a\0b",
    "\udc80",
    b"",
    b"\xff",
    [],
    [[]],
    [None],
    [2**70],
    (),
    (1, 2, 3, 4, 5),
    (None, None),
    {},
    {"a": 1},
    {1: 2},
    {"x": object()},
    slice(None, None, 0),
    slice("a", "b"),
    slice(2**70, -(2**70), -(2**62)),
    slice(None, None, 2**63),
    slice(-(2**63), 2**63 - 1, 2**63 - 1),
    ...,
    object(),
    Hostile(),
    Endless(),
    np.datetime64("NaT"),
    np.array(["a", None], dtype=object),
    np.zeros((0, 3)),
    np.zeros(3, dtype="V5"),
    np.zeros(3, dtype=[("a", "i4")]),
    np.zeros(3, dtype="complex128"),
    np.broadcast_to(np.float32(1), (3, 10)),
    np.ma.masked,
    np.array(5),
    lambda *_: None,
]


def attempt(call, *arguments, **named):
    """Calls a function; an exception is a result, a panic (a BaseException) is not."""
    try:
        return call(*arguments, **named)
    except Exception:
        return None


@pytest.fixture(params=["dense", "sparse"])
def array(uri, request):
    dims = [Dim("x", (-5, 4), 2), Dim("y", (0, 2), 2)]
    attrs = [Attr("a", "int32"), Attr("t", str, nullable=True), Attr("e", str, enumeration=["p"])]
    tiledb_rs.create(uri, Schema(dims, attrs, sparse=request.param == "sparse"))
    array = tiledb_rs.open(uri, "w")
    if request.param == "dense":
        array[...] = {"a": np.ones((10, 3), "i4"), "t": np.full((10, 3), None), "e": np.full((10, 3), "p")}
    else:
        array[[1, 2], [0, 1]] = {"a": [1, 2], "t": ["a", None], "e": ["p", "p"]}
    return array


def test_methods_of_arrays_accept_any_object(array):
    field = array["a"]
    for junk in JUNK:
        for call in (
            array.__getitem__,
            array.read_into,
            array.enumeration,
            array.delete,
            array.write,
            array.evolve,
            array.consolidate,
            array.query,
            array.aggregate,
            array.__arrow_c_stream__,
            array._maintain,
            field.__getitem__,
            field.positions,
            field.read_into,
            field.__array__,
        ):
            attempt(call, junk)
        attempt(array.__getitem__, {"x": junk})
        attempt(array.__getitem__, {junk: 1} if isinstance(junk, (str, bytes, int)) else {"l": junk})
        attempt(field.read_into, np.zeros((10, 3), "i4"), {"y": junk})
        attempt(array.__datafusion_table_provider__, junk)
        attempt(array.query, columns=junk)
        attempt(array.query, ranges={"x": junk})
        attempt(array.query, ranges=junk)
        attempt(array.query, order=junk)
        attempt(array.query, batch_bytes=junk)
        attempt(array.read_into, np.zeros((10, 3), "i4"), junk, attr="a")
        attempt(array.metadata.__setitem__, "key", junk)
        attempt(array.metadata.__setitem__, junk, 1)
        attempt(array.__setitem__, junk, {"a": 1, "t": "x", "e": "p"})
        attempt(array.__setitem__, (0, 0), junk)
        for name in "a", "t", "e":
            cells = {"a": np.ones((10, 3), "i4"), "t": np.full((10, 3), "x"), "e": np.full((10, 3), "p")}
            attempt(array.__setitem__, ..., dict(cells, **{name: junk}))
            attempt(array.write, dict(cells, x=[1], y=[1], **{name: junk}))
        attempt(array.delete_fragments, junk, junk)
        assert array.isopen and array.schema.names == ("x", "y", "a", "t", "e"), junk
    for junk, other in itertools.product(JUNK, JUNK[::3]):
        attempt(array.__getitem__, (junk, other))
    assert tiledb_rs.check(array.uri) == []


def test_functions_accept_any_object(tmp_path):
    for number, junk in enumerate(JUNK):
        uri = str(tmp_path / f"{number}")
        for call in (
            tiledb_rs.open,
            tiledb_rs.ls,
            tiledb_rs.object_type,
            tiledb_rs.check,
            tiledb_rs.recommend,
            tiledb_rs.dataset,
        ):
            attempt(call, junk)
        attempt(tiledb_rs.open, uri, junk)
        for name in "timestamp", "key", "config":
            attempt(tiledb_rs.open, uri, **{name: junk})
        attempt(tiledb_rs.create, uri, junk)
        attempt(tiledb_rs.from_numpy, uri + "n", junk)
        attempt(tiledb_rs.from_numpy, uri + "t", np.zeros(3), tile=junk)
        attempt(tiledb_rs.from_numpy, uri + "f", np.zeros(3), filters=junk)
        attempt(tiledb_rs.from_arrow, uri + "a", junk, ["x"])
        for field in "name", "domain", "tile", "dtype", "filters":
            dim = {"name": "x", "domain": (0, 9), "tile": 2, "dtype": "int32", field: junk}
            attempt(lambda: Schema([Dim(**dim)], [Attr("a")]).dims)  # noqa: B023
        for field in Attr.__dataclass_fields__:
            attr = {"name": "a", field: junk}
            attempt(lambda: Schema([Dim("x", (0, 9))], [Attr(**attr)]).attrs)  # noqa: B023
        for field in "name", "dim", "dtype", "order", "filters":
            label = {"name": "l", "dim": "x", field: junk}
            attempt(lambda: Schema([Dim("x", (0, 9))], [Attr("a")], labels=[Label(**label)]))  # noqa: B023
        attempt(Schema, [Dim("x", (0, 9))], [Attr("a")], labels=junk)
        for option in "cell_order", "capacity", "allow_duplicates", "offsets_filters":
            attempt(Schema, [Dim("x", (0, 9))], [Attr("a")], sparse=True, **{option: junk})
    for domain, tile in (((5, 1), 2), ((0, 2**64), 2), ((-(2**63), 2**63 - 1), 2), ((0, 9), 0), ((0, 9), -3)):
        attempt(Schema, [Dim("x", domain, tile)], [Attr("a")])
    schema = Schema([Dim("x", (-(2**63), 2**63 - 1002), 1000)], [Attr("a")])
    tiledb_rs.create(str(tmp_path / "wide"), schema)
    with tiledb_rs.open(str(tmp_path / "wide"), "w") as array:
        for key in (..., slice(None, None, 2**40), slice(None, None, 2), slice(None, None, -1)):
            with pytest.raises((MemoryError, ValueError, IndexError, tiledb_rs.Error)):
                array[key]
        array[-(2**63)] = 5
        assert array[-(2**63) : -(2**63) + 2].tolist()[0] == 5


def test_closed_arrays_raise(uri):
    tiledb_rs.from_numpy(uri, np.arange(3))
    array = tiledb_rs.open(uri)
    field, query = array[""], array.query()
    array.close()
    array.close()
    for call in (
        lambda: array[0],
        lambda: array.schema,
        lambda: array.shape,
        lambda: len(array),
        lambda: array.query(),
        lambda: array.metadata["x"],
        lambda: array.fragments,
        lambda: array.read_into(np.zeros(3, "i8")),
        lambda: field[0],
        lambda: field.dtype,
        lambda: array.nonempty_domain(),
    ):
        with pytest.raises(ValueError, match="closed"):
            call()
    # What was made of it before stays valid.
    assert query.count() == 3
    array.reopen()
    assert array[1] == 1


def test_values_of_other_types_are_named_in_the_error(tmp_path):
    """Also where Python or a package would name an attribute that is not in the documentation."""
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    uri = str(tmp_path / "array")
    schema = Schema([Dim("x", (0, 3), 2)], [Attr("a"), Attr("b")])
    tiledb_rs.create(uri, schema)
    array = tiledb_rs.open(uri, "w")
    for wrong in 5, "text", [1], object(), np.zeros(2):
        calls = [
            lambda: tiledb_rs.open(uri, config=wrong),
            lambda: tiledb_rs.ls(uri, config=wrong),
            lambda: tiledb_rs.create(f"{uri}1", wrong),
            lambda: tiledb_rs.from_numpy(f"{uri}2", np.zeros(2), schema=wrong),
            lambda: tiledb_rs.from_arrow(f"{uri}3", {"x": [1]}, ["x"], schema=wrong),
            lambda: tiledb_rs.from_pandas(f"{uri}4", wrong),
            lambda: Schema([wrong], [Attr("a")]),
            lambda: Schema([Dim("x", (0, 3), 2)], [wrong]),
            lambda: Schema([Dim("x", (0, 3), 2)], [Attr("a")], labels=[wrong]),
            lambda: array.evolve(add=[wrong]),
            lambda: array.aggregate(wrong),
            lambda: np.asarray(array),
        ]
        for number, call in enumerate(calls):
            with pytest.raises(TypeError) as raised:
                call()
            assert "attribute '" not in str(raised.value), number


def test_threads_can_share_a_stream(uri):
    pytest.importorskip("pyarrow")
    rows = 200_000
    tiledb_rs.create(uri, Schema([Dim("x", (0, rows), 1000)], [Attr("a"), Attr("t", str)], sparse=True))
    with tiledb_rs.open(uri, "w") as array:
        array[np.arange(rows)] = {"a": np.arange(rows), "t": np.arange(rows).astype(str)}
    array = tiledb_rs.open(uri)
    for _ in range(5):
        batches = array.query(batch_bytes=50_000).batches()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            parts = list(pool.map(lambda _: list(batches), range(8)))  # noqa: B023
        read = np.sort(np.concatenate([batch.column("x") for part in parts for batch in part]))
        np.testing.assert_array_equal(read, np.arange(rows))


def test_texts_of_exceptions_with_zeros_end_a_stream(uri):
    """In a process of its own, which such a text ended."""
    pytest.importorskip("pyarrow")
    rows = 300_000
    tiledb_rs.create(uri, Schema([Dim("x", (0, rows), 1000)], [Attr("t", str)], sparse=True))
    with tiledb_rs.open(uri, "w") as array:
        array[np.arange(rows)] = {"t": np.arange(rows).astype(str)}
    program = r"""
import os, signal, sys, threading, time, tiledb_rs

def handle(*_):
    if is_reading:
        raise LookupError("a\0b")

def send():
    while True:
        os.kill(os.getpid(), signal.SIGUSR1)
        time.sleep(0.001)

array, is_reading = tiledb_rs.open(sys.argv[1]), False
signal.signal(signal.SIGUSR1, handle)
threading.Thread(target=send, daemon=True).start()
while True:
    batches = array.query(batch_bytes=1_000_000).batches()
    # Later calls look for signals.
    time.sleep(0.2)
    try:
        is_reading = True
        list(batches)
        is_reading = False
    except LookupError:
        is_reading = False
    except Exception as problem:
        is_reading = False
        assert "a\\0b" in str(problem), problem
        break
print("raised")
"""
    run = subprocess.run([sys.executable, "-c", program, uri], capture_output=True, text=True, timeout=300)
    assert (run.returncode, run.stdout) == (0, "raised\n"), run.stderr
