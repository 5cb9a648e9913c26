"""Complex numbers, structures and times through every interface, and types that cannot be stored."""

import subprocess
import sys

import numpy as np
import pytest
import tiledb_rs
from tiledb_rs import Attr, Dim, Schema

COMPLEX = np.array([1 + 2j, -3.5j, 0, np.inf])


@pytest.mark.parametrize("name", ["complex64", "complex128"])
def test_complex_numbers_of_dense_arrays(uri, name):
    cells = np.array([COMPLEX, -COMPLEX], name)
    tiledb_rs.from_numpy(uri, cells, attr="a")
    with tiledb_rs.open(uri, "w") as array:
        assert array.schema.attr("a").dtype == name and array.schema.attr("a").values_per_cell is None
        field = array["a"]
        assert field.dtype == name and field.shape == (2, 4)
        for found in array[...], np.asarray(field), np.from_dlpack(array), field.positions(slice(None)):
            assert found.dtype == name
            np.testing.assert_array_equal(found, cells)
        assert array[1, 0] == -1 - 2j and array[::-1, [3, 1]].tolist() == cells[::-1, [3, 1]].tolist()
        out, pairs, swapped = np.empty((2, 4), name), np.empty((2, 4, 2), f"float{4 * cells.itemsize}"), np.empty((4, 2), name).T
        for buffer in out, pairs, swapped:
            array.read_into(buffer)
        np.testing.assert_array_equal(out, cells)
        np.testing.assert_array_equal(swapped, cells)
        np.testing.assert_array_equal(pairs, cells[..., None].view(pairs.dtype))
        # Complex and real numbers, and pairs of numbers.
        array[0] = [5, 6.5, 7j, 8]
        array[1] = [[1, 2], [3, 4], [5, 6], [7, 8]]
        assert array[...].tolist() == [[5, 6.5, 7j, 8], [1 + 2j, 3 + 4j, 5 + 6j, 7 + 8j]]
        array[...] = 2j
        assert array[...].tolist() == [[2j] * 4] * 2
        with pytest.raises(ValueError):
            array[0] = [[1, 2], [3, 4]]
        # Schemas that are made of the parts of another one are equal.
        assert Schema(array.schema.dims, array.schema.attrs) == array.schema


def test_complex_numbers_of_sparse_arrays(uri):
    pyarrow = pytest.importorskip("pyarrow")
    attrs = [Attr("a", "complex128", nullable=True, fill=1 + 1j), Attr("p", "float32", values_per_cell=2)]
    tiledb_rs.create(uri, Schema([Dim("x", (0, 99), 10)], attrs, sparse=True))
    with tiledb_rs.open(uri, "w") as array:
        assert array.schema.attr("a").fill == 1 + 1j
        cells = np.ma.array(COMPLEX, mask=[0, 0, 1, 0])
        array.write({"x": range(4), "a": cells, "p": np.arange(8, dtype="float32").reshape(4, 2)})
        query = array.query(order="row-major")
        found = query.numpy()
        assert found["a"].tolist() == [1 + 2j, -3.5j, None, np.inf] and found["p"].dtype == "complex64"
        assert found["p"].tolist() == [1j, 2 + 3j, 4 + 5j, 6 + 7j]
        assert array[1:3]["a"].tolist() == [-3.5j, None]
        table = query.arrow()
        assert table["a"].to_pylist() == [[1, 2], [0, -3.5], None, [np.inf, 0]]
        array.write(table)
        array.write({"x": [9], "a": [None], "p": [5]})
        assert array.query(ranges={"x": 9}).numpy()["a"].tolist() == [None]
        with pytest.raises(TypeError, match="'x'"):
            tiledb_rs.from_arrow(uri + "x", table.rename_columns(["y", "a", "x"]), "x")


def test_complex_numbers_in_frames(uri):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame = pandas.DataFrame({"k": [3, 1], "c": COMPLEX[:2].astype("complex64"), "v": [0.5, 1.5], "z": COMPLEX[2:]})
    tiledb_rs.from_pandas(uri, frame, "k")
    with tiledb_rs.open(uri, "w") as array:
        assert array.schema.attr("c").dtype == "complex64" and array.schema.attr("z").dtype == "complex128"
        found = array.query(order="row-major").pandas()
        assert found.columns.tolist() == ["k", "c", "v", "z"] and found["c"].dtype == "complex64"
        assert found["c"].tolist() == [-3.5j, 1 + 2j] and found["z"].tolist() == [np.inf, 0]
        array.write(frame.assign(k=[5, 6]))
        assert array.query().pandas().sort_values("k")["c"].tolist() == [-3.5j, 1 + 2j, 1 + 2j, -3.5j]
        for polar in array.query(order="row-major").polars(), tiledb_rs.scan(uri).collect().sort("k"):
            assert polar["c"][:2].to_list() == [[0, -3.5], [1, 2]]
            assert polar.schema["z"] == polars.Array(polars.Float64, 2)
        assert array.query("v < 0").pandas()["c"].dtype == "complex64"


def test_complex_numbers_in_xarray(uri):
    xr = pytest.importorskip("xarray")
    written = xr.Dataset({"a": (("y", "x"), np.array([COMPLEX, -COMPLEX]))})
    import tiledb_rs.xarray_backend  # noqa: F401

    written.tiledb_rs.write(uri)
    with xr.open_dataset(uri, engine="tiledb_rs") as found:
        xr.testing.assert_identical(found.load(), written)
    nullable = uri + "n"
    tiledb_rs.create(nullable, Schema([Dim("x", (0, 3))], [Attr("a", "complex64", nullable=True)]))
    with tiledb_rs.open(nullable, "w") as array:
        array[...] = np.ma.array(COMPLEX, mask=[0, 1, 0, 0])
    with xr.open_dataset(nullable, engine="tiledb_rs") as found:
        assert np.isnan(found["a"].values).tolist() == [False, True, False, False]


def test_structures_are_several_values(uri):
    cells = np.array([(1, 2, 3), (4, 5, 6)], "i4,i4,i4")
    tiledb_rs.from_numpy(uri, cells, attr="a")
    with tiledb_rs.open(uri, "w") as array:
        assert array.schema.attr("a").values_per_cell == 3 and array.schema.attr("a").dtype == "int32"
        assert array[...].tolist() == [[1, 2, 3], [4, 5, 6]]
        # In a structure with other names and padding.
        other = np.zeros(2, np.dtype({"names": ["x", "y", "z"], "formats": ["i2"] * 3, "offsets": [0, 4, 9], "itemsize": 20}))
        other["y"] = 7
        array[...] = other
        assert array[...].tolist() == [[0, 7, 0]] * 2
        assert array[...].view("i4,i4,i4")[..., 0].tolist() == [(0, 7, 0)] * 2
    reals = uri + "r"
    tiledb_rs.from_numpy(reals, np.array([(1, 2), (3, 4)], "f4,f4"))
    assert tiledb_rs.open(reals)[...].tolist() == [1 + 2j, 3 + 4j]


def test_fill_values_of_several_values(uri):
    attrs = [
        Attr("c", "complex64", fill=2 - 1j),
        Attr("p", "int16", values_per_cell=3, fill=[1, 2, 3]),
        Attr("q", "int16", values_per_cell=3, fill=7),
        Attr("n", "int32", nullable=True),
        Attr("m", "int32", nullable=True, fill=5),
    ]
    schema = Schema([Dim("x", (0, 1))], attrs)
    tiledb_rs.create(uri, schema)
    # A schema of the same parts has the same fill values, also null ones.
    tiledb_rs.create(uri + "copy", Schema(schema.dims, schema.attrs))
    for name in uri, uri + "copy":
        with tiledb_rs.open(name) as array:
            assert array["c"][0] == 2 - 1j and array["p"][1].tolist() == [1, 2, 3] and array["q"][0].tolist() == [7] * 3
            assert array["n"][...].tolist() == [None, None] and array["m"][...].tolist() == [5, 5]
    assert tiledb_rs.open(uri).schema == tiledb_rs.open(uri + "copy").schema
    with pytest.raises((TypeError, ValueError)):
        Schema([Dim("x", (0, 1))], [Attr("p", "int16", values_per_cell=3, fill=[1, 2])])


UNITS = "h", "m", "s", "ms", "us", "ns"


@pytest.mark.parametrize("unit", UNITS)
def test_times_are_durations_in_every_interface(uri, unit):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    # Negative ones, and numbers that do not fit 32 bits.
    times = np.array([-1, 5, 0, 2**33], f"timedelta64[{unit}]")
    tiledb_rs.create(uri, Schema([Dim("x", (0, 9))], [Attr("t", times.dtype, nullable=True), Attr("u", times.dtype)], sparse=True))
    with tiledb_rs.open(uri, "w") as array:
        array.write({"x": range(4), "t": np.ma.array(times, mask=[0, 0, 1, 0]), "u": times})
        query = array.query(order="row-major")
        assert (query.numpy()["u"] == times).all() and query.numpy()["t"].mask.tolist() == [False, False, True, False]
        table = query.arrow()
        assert pyarrow.types.is_duration(table.schema.field("u").type) and table.schema == pyarrow.schema(query)
        expected = times.astype("timedelta64[s]") if unit in "hm" else times
        assert (table["u"].to_numpy() == expected).all() and table["t"].null_count == 1
        assert (query.pandas()["u"].to_numpy() == times).all() and query.pandas()["t"].isna().sum() == 1
        cells = tiledb_rs.dataset(uri).to_table()
        assert cells.schema == table.schema
        for frame in query.polars(), tiledb_rs.scan(uri).collect():
            assert isinstance(frame.schema["u"], polars.Duration) and frame["t"].null_count() == 1
            assert frame["u"].to_list()[:2] == pandas.Series(times[:2]).dt.to_pytimedelta().tolist()
        # Stored from Arrow, pandas and polars, too.
        array.write(table)
        again = uri + "again"
        tiledb_rs.from_arrow(again, table, "x")
        assert (tiledb_rs.open(again).query(order="row-major").numpy()["u"] == times).all()
        if unit not in "hm":
            assert tiledb_rs.open(again).schema.attr("u").dtype == f"timedelta64[{unit}]"
            tiledb_rs.from_pandas(uri + "pandas", query.pandas()[["x", "u"]], "u")
            assert tiledb_rs.open(uri + "pandas").query(order="row-major").numpy()["x"].tolist() == [0, 2, 1, 3]
    days = uri + "days"
    tiledb_rs.from_numpy(days, np.array(["NaT", 1], times.dtype), attr="u")
    for frame in tiledb_rs.open(days).query().polars(), tiledb_rs.scan(days).collect():
        assert frame["u"].null_count() == 1


def test_times_of_a_day_are_stored_as_times(uri):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"t": pyarrow.array([0, 86_399_999_999], "time64[us]")})
    tiledb_rs.from_arrow(uri, table)
    found = tiledb_rs.open(uri).query(order="row-major")
    assert found.numpy()["t"].astype("int64").tolist() == [0, 86_399_999_999]
    assert found.arrow()["t"].cast("int64").cast("time64[us]").to_pylist() == table["t"].to_pylist()


@pytest.mark.parametrize(
    "dtype, hint",
    [("float16", "float32"), ("timedelta64[D]", "hours"), ("longdouble", "float128"), ("clongdouble", "complex256"),
     ("i4,f4", "structure"), ([("a", "S3"), ("b", "S3")], "structure"), ("V5", "V5"), (np.dtype("i4,i4,f2"), "float32")],
    ids=str,
)  # fmt: skip
def test_dtypes_without_a_datatype_name_the_field(uri, dtype, hint):
    for call in (
        lambda: Schema([Dim("x", (0, 9))], [Attr("speed", dtype)]),
        lambda: tiledb_rs.from_numpy(uri, np.zeros(3, dtype), attr="speed"),
    ):
        with pytest.raises(TypeError, match="'speed'.*" + hint):
            call()
    assert tiledb_rs.object_type(uri) is None
    with pytest.raises(TypeError, match="'speed'"):
        Schema([Dim("speed", (0, 9), dtype=dtype)], [Attr("a")])


def test_columns_without_a_datatype_name_the_column(uri):
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    bins = pandas.cut(pandas.Series([1, 2]), [0, 1, 2])
    for cells, hint in (
        (pandas.period_range("2024-01", periods=2, freq="M"), "to_timestamp"),
        (pandas.interval_range(0, 2), "bounds"),
        (bins, "bounds"),
    ):
        frame = pandas.DataFrame({"speed": cells})
        with pytest.raises(TypeError, match="'speed'.*" + hint):
            tiledb_rs.from_pandas(uri, frame)
        with pytest.raises(TypeError, match="'speed'"):
            tiledb_rs.from_arrow(uri, pyarrow.Table.from_pandas(frame))
    for cells in pyarrow.array([{"a": 1}]), pyarrow.array([5], pyarrow.decimal128(5, 2)):
        with pytest.raises(TypeError, match="speed"):
            tiledb_rs.from_arrow(uri, pyarrow.table({"speed": cells}))
    assert tiledb_rs.object_type(uri) is None
    # The documents give these alternatives.
    frame = pandas.DataFrame({"speed": pandas.period_range("2024-01", periods=2, freq="M")})
    tiledb_rs.from_pandas(uri, frame.assign(speed=frame["speed"].dt.to_timestamp(), half=np.ones(2, "float16")))
    assert tiledb_rs.open(uri).query().numpy()["half"].dtype == "float32"


PROGRAM = """
import sys
import numpy as np, tiledb

write, read = sys.argv[1:]
times = np.array([-1, 2**40], "timedelta64[ms]")
cells = {
    "c": np.array([1 + 2j, -3.5j]), "d": np.array([1j, 2], "complex64"), "t": times,
    "r": np.array([(1, 2, 3), (4, 5, 6)], "i4,i4,i4"), "s": np.array([b"ab", b"c"], "S3"),
}
schema = tiledb.ArraySchema.load(read)
for name, values in cells.items():
    assert schema.attr(name).dtype == values.dtype, (name, schema.attr(name).dtype)
for sparse in False, True:
    uri = write + ("s" if sparse else "d")
    domain = tiledb.Domain(tiledb.Dim("x", domain=(0, 1), tile=2, dtype="int64"))
    attrs = [tiledb.Attr(name, dtype=values.dtype) for name, values in cells.items()]
    tiledb.Array.create(uri, tiledb.ArraySchema(domain, attrs, sparse=sparse))
    with tiledb.open(uri, "w") as array:
        array[np.array([0, 1]) if sparse else slice(None)] = cells
    for name in uri, read:
        with tiledb.open(name) as array:
            found = array[:]
            for field, values in cells.items():
                np.testing.assert_array_equal(found[field], values, field)
"""


def test_complex_numbers_structures_and_times_are_those_of_tiledb_py(tmp_path):
    if subprocess.run([sys.executable, "-c", "import tiledb"], capture_output=True).returncode:
        pytest.skip("no TileDB-Py")
    written, read = str(tmp_path / "py"), str(tmp_path / "rs")
    cells = {
        "c": np.array([1 + 2j, -3.5j]),
        "d": np.array([1j, 2], "complex64"),
        "t": np.array([-1, 2**40], "timedelta64[ms]"),
        "r": np.array([(1, 2, 3), (4, 5, 6)], "i4,i4,i4"),
    }
    attrs = [Attr(name, values.dtype) for name, values in cells.items()] + [Attr("s", "CHAR", values_per_cell=3)]
    tiledb_rs.create(read, Schema([Dim("x", (0, 1), 2)], attrs))
    with tiledb_rs.open(read, "w") as array:
        array[...] = {**cells, "s": np.array([b"ab", b"c"], "S3")}
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM, written, read], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    expected = {**cells, "r": cells["r"].view("i4").reshape(2, 3), "s": np.array([b"ab", b"c"], "S3")}
    for uri in written + "d", written + "s", read:
        array = tiledb_rs.open(uri)
        for name, values in expected.items():
            for found in array[...][name], array[name][...], array.query(order="row-major").numpy()[name]:
                np.testing.assert_array_equal(found, values, name)
                assert found.dtype == values.dtype
        if "pyarrow" in sys.modules:
            table = array.query(order="row-major").arrow()
            assert table["r"].to_pylist() == [[1, 2, 3], [4, 5, 6]] and table["c"].to_pylist() == [[1, 2], [0, -3.5]]


def test_null_values_are_not_dropped_by_buffers(uri):
    tiledb_rs.from_numpy(uri, np.ma.array([1, 2, 3], mask=[False, True, False]))
    with tiledb_rs.open(uri) as array:
        with pytest.raises(TypeError, match="null"):
            array.read_into(np.zeros(3, "int64"))
        out = np.ma.zeros(3, "int64")
        array.read_into(out)
        assert out.tolist() == [1, None, 3]
    numbers = uri + "n"
    tiledb_rs.from_numpy(numbers, np.arange(3))
    out = np.ma.masked_all(3, "int64")
    tiledb_rs.open(numbers).read_into(out)
    assert out.tolist() == [0, 1, 2]


def test_files_of_several_arrays_become_groups(uri, tmp_path):
    arrays = {
        "plain": np.arange(6).reshape(2, 3),
        "swapped": np.arange(3, dtype=">f8"),
        "times": np.array([1, -1], "m8[s]"),
        "scalar": np.float32(2.5),
        "odd/name": np.array([True, False]),
        "__x": np.array(["a", ""]),
    }
    for save in np.savez, np.savez_compressed:
        save(tmp_path / "file.npz", **arrays)
        with np.load(tmp_path / "file.npz") as file:
            tiledb_rs.from_numpy(uri + save.__name__, file)
        with tiledb_rs.open(uri + save.__name__) as group:
            assert sorted(group) == sorted(arrays)
            for name, array in arrays.items():
                found = group[name][...]
                np.testing.assert_array_equal(found, np.atleast_1d(array))
                assert found.dtype == "O" or found.dtype == np.asarray(array).dtype.newbyteorder("=")
    wrong = {"a": np.arange(3), "b": np.array([1j], "clongdouble")}
    with pytest.raises(TypeError):
        tiledb_rs.from_numpy(uri, wrong)
    assert tiledb_rs.object_type(uri) is None and not (tmp_path / "array").exists()
    with pytest.raises(FileExistsError):
        tiledb_rs.from_numpy(uri + "savez", arrays)
    with pytest.raises(ValueError, match="schema"):
        tiledb_rs.from_numpy(uri, arrays, schema=1)


def test_encoded_columns_of_arrow_are_decoded(uri):
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.compute")
    numbers = [None, 1, 1, 1, 5, 5, None, 2]
    lists = [[1, 2], None, [], [3], [4, 5, 6], [], [7], None]
    runs = pa.chunked_array(
        [pa.compute.run_end_encode(pa.array(part, "int32")) for part in (numbers[:3], numbers[3:])]
    )
    text = pa.compute.run_end_encode(pa.array(["a", "a", "b", None, "b", "", "", "c"]), pa.int16())
    times = pa.compute.run_end_encode(pa.array([0, 0, 5, 5, 5, 5, 5, 9], pa.timestamp("s")), pa.int64())
    table = pa.table(
        {
            "id": pa.compute.run_end_encode(pa.array([1, 2, 3, 4, 5, 6, 7, 8], "int16")),
            "number": runs,
            "text": text,
            "time": times,
            "list": pa.array(lists, pa.list_view(pa.int8())),
            "large": pa.array(lists, pa.large_list_view(pa.float64())),
        }
    )
    for number, index in enumerate((None, ["id"])):
        tiledb_rs.from_arrow(f"{uri}{number}", table, index)
        with tiledb_rs.open(f"{uri}{number}") as array:
            found = array.query(columns=table.column_names, order="row-major").arrow().sort_by("id")
        assert found["id"].to_pylist() == [1, 2, 3, 4, 5, 6, 7, 8]
        assert found["number"].to_pylist() == numbers
        assert found["text"].to_pylist() == text.to_pylist()
        assert found["time"].cast("int64").to_pylist() == [0, 0, 5, 5, 5, 5, 5, 9]
        assert found["list"].to_pylist() == found["large"].to_pylist() == lists
    # Parts of a table, of which some values of a run are not selected.
    with tiledb_rs.open(uri + "1", "w") as array:
        array.write(table.slice(2, 3).set_column(0, "id", pa.array([101, 102, 103], "int16")))
        found = array.query(ranges={"id": (101, 103)}, order="row-major", columns=table.column_names).arrow()
        assert found["number"].to_pylist() == [1, 1, 5] and found["list"].to_pylist() == lists[2:5]
        assert found["text"].to_pylist() == ["b", None, "b"]
    with pytest.raises(ValueError, match="null values"):
        tiledb_rs.from_arrow(uri, table, ["number"])


def test_long_runs_are_decoded_in_parts(uri):
    pa = pytest.importorskip("pyarrow")
    rows = 200_000
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([150_000, rows]), pa.array([7, None], "int8"))
    tiledb_rs.from_arrow(uri, pa.table({"id": range(rows), "run": runs}), ["id"])
    with tiledb_rs.open(uri) as array:
        assert array.query("run = 7").count() == 150_000
        assert array.aggregate({"run": "null_count"})["run"]["null_count"] == 50_000


def test_damaged_encoded_columns_are_errors(uri):
    pa = pytest.importorskip("pyarrow")
    schema = Schema([Dim("id", (0, 99), 10)], [Attr("a", "int32", nullable=True), Attr("l", "int32", var=True, nullable=True)], sparse=True)
    tiledb_rs.create(uri, schema)

    def buffer(*numbers):
        return pa.py_buffer(np.array(numbers, "int32"))

    values = pa.array([1, 2], "int32")
    lists = pa.array([[], [], [], []], pa.list_view(pa.int32()))
    kind = pa.run_end_encoded(pa.int32(), pa.int32())
    for ends, length in ((1, 1), 2), ((3, 2), 3), ((1, 2), 4), ((-1, 4), 4), ((1, 2, 3), 3):
        ends = pa.array(ends, "int32")
        with tiledb_rs.open(uri, "w") as array:
            # PyArrow finds some of the errors.
            with pytest.raises((ValueError, TypeError)):
                runs = pa.RunEndEncodedArray.from_buffers(kind, length, [None], children=[ends, values])
                array.write(pa.table({"id": range(length), "a": runs, "l": lists[:length]}))
    for starts, sizes in ((0, 3), (0, 0)), ((0, -1), (0, 1)), ((5, 0), (0, 0)), ((0, 0), (2**31 - 1, 1)), ((0, 0), (-1, 1)):
        views = pa.Array.from_buffers(
            pa.list_view(pa.int32()), 2, [None, buffer(*starts), buffer(*sizes)], children=[values]
        )
        with tiledb_rs.open(uri, "w") as array:
            try:
                array.write(pa.table({"id": range(2), "a": values, "l": views}))
            except (ValueError, TypeError):
                continue
        # A view of no values may start anywhere.
        assert sizes == (0, 0)
