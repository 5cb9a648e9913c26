"""Random indexes against NumPy, and random contents against TileDB-Py.

``TILEDB_RS_CASES`` is the number of cases of each property, ``TILEDB_RS_OPENS`` that of opens.
"""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import tiledb_rs
from tiledb_rs import Attr, Dim, Schema

hypothesis = pytest.importorskip("hypothesis")
st = hypothesis.strategies

CASES = int(os.environ.get("TILEDB_RS_CASES", "1500"))
SETTINGS = hypothesis.settings(
    max_examples=CASES, deadline=None, derandomize=True, database=None, suppress_health_check=list(hypothesis.HealthCheck)
)
SHAPES = [(7,), (5, 9), (4, 3, 6)]


@pytest.fixture(scope="module")
def arrays(tmp_path_factory):
    """Returns open arrays with tiles of several shapes, each with its values."""
    found = []
    for number, shape in enumerate(SHAPES * 2):
        for low in 0, -3, 2:
            uri = str(tmp_path_factory.mktemp("arrays") / f"{number}")
            dims = [
                Dim(f"d{axis}", (low, low + size - 1), min(2 + number % 3, size), "int16")
                for axis, size in enumerate(shape)
            ]
            order = "row-major" if number < 3 else "col-major"
            schema = Schema(dims, [Attr("a", "int32")], cell_order=order, tile_order=order)
            tiledb_rs.create(uri, schema)
            values = np.arange(np.prod(shape), dtype="int32").reshape(shape)
            with tiledb_rs.open(uri, "w") as array:
                array[...] = values
            found.append((tiledb_rs.open(uri), values, low))
    return found


def axis_index(size):
    position = st.integers(-size - 2, size + 1)
    bound = st.none() | position
    steps = st.none() | st.integers(-4, 9).filter(bool)
    return (
        position
        | st.slices(size)
        | st.builds(slice, bound, bound, steps)
        | st.lists(st.integers(0, size - 1), max_size=4).map(lambda values: np.array(values, "int64"))
    )


def outer(values, key):
    """Returns what an index selects if its lists are applied one after another, as by xarray."""
    axis = 0
    for index in key:
        values = values[(slice(None),) * axis + (index,)]
        axis += not isinstance(index, int)
    return values


@SETTINGS
@hypothesis.given(data=st.data())
def test_random_positions_select_what_numpy_selects(arrays, data):
    array, values, _ = data.draw(st.sampled_from(arrays))
    number = data.draw(st.integers(0, values.ndim))
    key = tuple(data.draw(axis_index(size)) for size in values.shape[:number])
    try:
        expected = outer(values, key)
    except IndexError:
        with pytest.raises(IndexError):
            array["a"].positions(key)
        return
    found = array["a"].positions(key)
    assert np.shape(found) == np.shape(expected), key
    np.testing.assert_array_equal(found, expected)


@SETTINGS
@hypothesis.given(data=st.data())
def test_random_coordinates_select_cells_of_their_range(arrays, data):
    array, values, low = data.draw(st.sampled_from(arrays))
    key, positions = [], []
    for size in values.shape:
        start = data.draw(st.integers(max(low, 0) if low >= 0 else low, low + size - 1))
        stop = data.draw(st.integers(start + 1, low + size + 3))
        if low < 0 or start >= 0:
            step = data.draw(st.sampled_from([None, 1, 2, 8]))
        key.append(slice(start, stop, step))
        positions.append(slice(start - low, stop - low, step))
    np.testing.assert_array_equal(array[tuple(key)], values[tuple(positions)])


PROGRAM = '''
import os, pickle, sys
import numpy as np, tiledb

folder = sys.argv[1]
with open(os.path.join(folder, "cases"), "rb") as file:
    cases = pickle.load(file)
for name, kind, cells in cases:
    with tiledb.open(os.path.join(folder, name)) as array:
        if kind == "dense":
            found = array[:]
            found = found if isinstance(found, np.ndarray) else found["a"]
            np.testing.assert_array_equal(found, cells)
        else:
            found = array.query(order="C")[:]
            for field, expected in cells.items():
                values = found[field]
                values = [v.decode() if isinstance(v, bytes) else v for v in values.tolist()]
                assert values == list(expected), (name, field, values, expected)
        assert array.meta["case"] == name
    # The other direction.
    uri = os.path.join(folder, name + "_back")
    if kind == "dense":
        tiledb.from_numpy(uri, cells).close()
    else:
        schema = tiledb.ArraySchema.load(os.path.join(folder, name))
        tiledb.Array.create(uri, schema)
        with tiledb.open(uri, "w") as array:
            array[cells["x"], cells["s"]] = {"v": np.array(cells["v"]), "t": np.array(cells["t"], dtype=object)}
            array.meta["case"] = name
'''

DTYPES = "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64 datetime64[s] datetime64[ns]".split()


def test_contents_are_those_of_tiledb_py(tmp_path):
    has_tiledb = subprocess.run([sys.executable, "-c", "import tiledb"], capture_output=True)
    if has_tiledb.returncode:
        pytest.skip("no TileDB-Py")
    random = np.random.default_rng(5)
    cases = []
    for number in range(60):
        name = f"case{number}"
        if number % 2:
            shape = tuple(random.integers(1, 12, random.integers(1, 4)))
            dtype = np.dtype(DTYPES[number % len(DTYPES)])
            cells = random.integers(0, 100, shape).astype("int64").astype(dtype)
            tiledb_rs.from_numpy(str(tmp_path / name), cells)
            cases.append((name, "dense", cells))
        else:
            rows = int(random.integers(1, 300))
            x = np.sort(random.choice(10_000, rows, replace=False)) - 5000
            cells = {
                "x": x,
                "s": [f"k{value % 17}" for value in x],
                "v": random.normal(size=rows),
                "t": ["ä" * int(length) + "z" for length in random.integers(0, 9, rows)],
            }
            dims = [Dim("x", (-5000, 4999), 100), Dim("s", dtype=str)]
            attrs = [Attr("v", "float64", filters=["byteshuffle", ("zstd", 5)]), Attr("t", str)]
            tiledb_rs.create(str(tmp_path / name), Schema(dims, attrs, sparse=True, capacity=64))
            with tiledb_rs.open(str(tmp_path / name), "w") as array:
                array.write(cells)
            cases.append((name, "sparse", {key: list(np.asarray(value).tolist()) for key, value in cells.items()}))
        with tiledb_rs.open(str(tmp_path / name), "w") as array:
            array.metadata["case"] = name
    (tmp_path / "cases").write_bytes(pickle.dumps(cases))
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    for name, kind, cells in cases:
        with tiledb_rs.open(str(tmp_path / f"{name}_back")) as array:
            if kind == "dense":
                np.testing.assert_array_equal(array[:], cells)
            else:
                found = array.query(order="row-major").numpy()
                assert {key: value.tolist() for key, value in found.items()} == cells
                assert array.metadata["case"] == name


ROWS = 40
INTEGERS = [0, 1, -1, 5, 2**53 + 1, -(2**63), 2**63 - 1]
REALS = [0.0, -0.0, 1.5, 5.0, float("nan"), float("inf"), -float("inf")]
TEXTS = ["", "a", "b", "it's", "é", "a\0", "unknown"]
VALUES = {"i": INTEGERS, "n": INTEGERS, "f": REALS, "s": TEXTS, "e": TEXTS, "x": [0, 5, 39, 60]}


@pytest.fixture(scope="module", params=["dense", "sparse"])
def filtered(request, tmp_path_factory):
    """Returns the URI of an array, and its cells as a table in memory."""
    pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    random = np.random.default_rng(7)
    cells = {name: [values[index] for index in random.integers(0, len(values), ROWS)] for name, values in VALUES.items()}
    cells["e"] = [text if text != "unknown" else "a" for text in cells["e"]]
    for name in "n", "s":
        cells[name] = [None if index % 5 == 0 else value for index, value in enumerate(cells[name])]
    kinds = {"i": "int64", "n": "int64", "f": "float64", "s": str, "e": str}
    attrs = [
        Attr(name, kind, nullable=name in "ns", enumeration=TEXTS[:-1] if name == "e" else None) for name, kind in kinds.items()
    ]
    uri = str(tmp_path_factory.mktemp("filtered") / "array")
    tiledb_rs.create(uri, Schema([Dim("x", (0, ROWS - 1), 7)], attrs, sparse=request.param == "sparse"))
    with tiledb_rs.open(uri, "w") as array:
        array.write({"x": list(range(ROWS)), **{name: cells[name] for name in kinds}} if request.param == "sparse" else {name: cells[name] for name in kinds})
        return uri, array.query(columns=["x", *kinds]).arrow()


@st.composite
def filters(draw, depth=2):
    """Draws a filter as expressions of pyarrow and of polars."""
    import operator

    import polars
    import pyarrow.compute as compute

    if depth and draw(st.booleans()):
        left, right = draw(filters(depth - 1)), draw(filters(depth - 1))
        join = draw(st.sampled_from([operator.and_, operator.or_, None]))
        return tuple(~one if join is None else join(one, other) for one, other in zip(left, right))
    name = draw(st.sampled_from(sorted(VALUES)))
    value = st.sampled_from(VALUES[name])
    columns = compute.field(name), polars.col(name)
    kind = draw(st.sampled_from(["compare", "compare", "in", "null"]))
    if kind == "null":
        return tuple(column.is_null() for column in columns)
    if kind == "in":
        listed = draw(st.lists(value, min_size=1, max_size=3))
        return columns[0].isin(listed), columns[1].is_in(listed)
    compared = draw(st.sampled_from([operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]))
    number = draw(value)
    return tuple(compared(column, number) for column in columns)


@SETTINGS
@hypothesis.given(both=filters())
def test_random_filters_select_the_rows_that_they_select_in_memory(filtered, both):
    import polars
    import pyarrow.dataset

    uri, table = filtered

    def rows(select):
        try:
            return sorted(select())
        except (pyarrow.ArrowException, polars.exceptions.PolarsError):
            # Types that are not compared.
            return None

    of_arrow, of_polars = both
    for found, expected in (
        (lambda: tiledb_rs.dataset(uri), lambda: pyarrow.dataset.dataset(table)),
        (lambda: tiledb_rs.scan(uri), lambda: polars.DataFrame(table).lazy()),
    ):
        selected = []
        for source in found(), expected():
            if hasattr(source, "collect"):
                selected.append(rows(lambda: source.filter(of_polars).select("x").collect()["x"].to_list()))
            else:
                selected.append(rows(lambda: source.to_table(columns=["x"], filter=of_arrow)["x"].to_pylist()))
        assert selected[1] is None or selected[0] == selected[1], str(both)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_memory_does_not_grow_with_opens(uri):
    tiledb_rs.from_numpy(uri, np.arange(100).reshape(10, 10))
    opens = int(os.environ.get("TILEDB_RS_OPENS", "3000"))

    def work(times):
        for _ in range(times):
            with tiledb_rs.open(uri) as array:
                array[1, 2], array[2:4, ::2], array.metadata, array.schema.dims

    work(500)
    before = resident()
    work(opens)
    assert resident() - before < 4 << 20


def test_memory_does_not_grow_with_frames_datasets_and_configurations(uri):
    """polars and pyarrow keep some MiB, and polars some blocks for each of its threads, more slowly with time."""
    import gc

    pyarrow, polars = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    import pyarrow.dataset

    tiledb_rs.from_arrow(uri, pyarrow.table({"x": range(100), "a": [float(value) for value in range(100)]}), "x")
    number = 0

    def work(times):
        nonlocal number
        for _ in range(times):
            number += 1
            tiledb_rs.scan(uri).filter(polars.col("a") < 5).collect()
            tiledb_rs.dataset(uri).to_table(filter=pyarrow.dataset.field("a") < 5)
            tiledb_rs.open(uri, config={"sm.memory_budget": str(10**9 + number)}).query().arrow()
        gc.collect()
        return sys.getallocatedblocks(), len(gc.get_objects()), resident()

    times = max(200, int(os.environ.get("TILEDB_RS_OPENS", "3000")) // 15)
    before = work(100)
    after = work(times)
    assert after[0] - before[0] < 5 * times and after[1] - before[1] < times / 2, (before, after)
    assert after[2] - before[2] < 8 << 20, (before, after)
