"""Dense arrays: indexes, fields, buffers, processes."""

import multiprocessing
import os
import pickle
import threading

import numpy as np
import pytest
import tiledb_rs
from tiledb_rs import Attr, Dim, Schema


@pytest.fixture
def numbers(uri):
    values = np.arange(1000, dtype="int32").reshape(20, 50)
    tiledb_rs.from_numpy(uri, values, tile=8)
    return values


KEYS = [
    np.s_[...],
    np.s_[:],
    np.s_[3],
    np.s_[-1],
    np.s_[3, 4],
    np.s_[-2, -3],
    np.s_[2:9],
    np.s_[2:9, 7],
    np.s_[..., 5],
    np.s_[5, ...],
    np.s_[2:9, 10:20],
    np.s_[2:900, -10:],
    np.s_[::2],
    np.s_[::3, 1::7],
    np.s_[1:40:11, ::9],
    np.s_[::-1],
    np.s_[::-2, 5::-1],
    np.s_[10:2:-3],
    np.s_[4:4],
    np.s_[9:2, 3],
    np.s_[: 10**30],
    np.s_[-(10**30) : 2**64, 2**63 :],
    np.s_[:, [1, 2, 3]],
    np.s_[[5, 1, 1]],
    np.s_[np.array([2, 0, 19])],
    np.s_[:, np.arange(50) % 7 == 0],
    np.s_[np.int16(3), np.uint64(9)],
    np.s_[[np.int64(3), np.int64(9)], 4],
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_an_index_selects_what_numpy_selects(uri, numbers, key):
    with tiledb_rs.open(uri) as array:
        found, expected = array[key], numbers[key]
        np.testing.assert_array_equal(found, expected)
        assert type(found) is type(expected) and found.dtype == expected.dtype
        assert np.shape(found) == np.shape(expected)
        np.testing.assert_array_equal(array[""][key], expected)


@pytest.mark.parametrize(
    "key, error",
    [
        (20, IndexError),
        (-21, IndexError),
        ((1, 2, 3), IndexError),
        ((..., ...), IndexError),
        (1.5, IndexError),
        (True, IndexError),
        ("no such field", KeyError),
        ([[1, 2]], IndexError),
        ([99], IndexError),
        (slice(None, None, 0), ValueError),
        (slice(1.5, None), IndexError),
        (None, IndexError),
        (np.array([True, False]), IndexError),
    ],
    ids=str,
)
def test_an_index_that_does_not_fit_is_an_error(uri, numbers, key, error):
    with tiledb_rs.open(uri) as array, pytest.raises(error):
        array[key]


def test_coordinates_of_negative_domains_and_dates_are_indexes(tmp_path):
    uri = str(tmp_path / "negative")
    tiledb_rs.create(uri, Schema([Dim("x", (-5, 4), 3, "int8")], [Attr("a", "int64")]))
    with tiledb_rs.open(uri, "w") as array:
        array[:] = np.arange(10)
        assert array[-5] == 0 and array[4] == 9
        assert array[-2:1].tolist() == [3, 4, 5]
        assert array[[-5, 4]].tolist() == [0, 9]
        with pytest.raises(IndexError):
            array[5]
    uri = str(tmp_path / "dates")
    domain = np.datetime64("2024-01-01"), np.datetime64("2024-12-31")
    schema = Schema([Dim("day", domain, 31, "datetime64[D]")], [Attr("a", "float64")])
    tiledb_rs.create(uri, schema)
    with tiledb_rs.open(uri, "w") as array:
        assert np.isnan(array[np.datetime64("2024-02-29")])
        array[np.datetime64("2024-02-01"):np.datetime64("2024-02-29")] = np.arange(29.0)
        assert array[np.datetime64("2024-02-29")] == 28
        assert array[np.datetime64("2024-02-28"):].tolist()[:2] == [27.0, 28.0]
        assert array.nonempty_domain() == ((np.datetime64("2024-02-01"), np.datetime64("2024-02-29")),)
        assert array.schema.dims[0].domain == domain


def test_several_attributes_are_a_dictionary(tmp_path):
    uri = str(tmp_path / "several")
    attributes = [
        Attr("i", "uint16"),
        Attr("n", "float32", nullable=True),
        Attr("t", str, nullable=True),
        Attr("e", str, enumeration=["red", "green"]),
        Attr("d", "datetime64[s]"),
        Attr("b", "bool"),
        Attr("p", "int32", values_per_cell=2),
        Attr("v", "int64", var=True),
    ]
    tiledb_rs.create(uri, Schema([Dim("x", (0, 3), 2)], attributes))
    cells = {
        "i": [1, 2, 3, 4],
        "n": np.ma.masked_array([1.5, 2.5, 0, 4.5], [False, False, True, False]),
        "t": np.array(["a", None, "", "größer"], dtype=object),
        "e": np.array(["green", "red", "red", "green"]),
        "d": np.array(["2024-01-01T00:00:01", "1960-01-01", "NaT", "2000-01-01"], "datetime64[s]"),
        "b": [True, False, True, False],
        "p": np.arange(8).reshape(4, 2),
        "v": np.array([np.arange(n) for n in range(4)], dtype=object),
    }
    with tiledb_rs.open(uri, "w") as array:
        array[:] = cells
        found = array[:]
        assert list(found) == [attribute.name for attribute in attributes]
        for name in "i", "b", "d", "p":
            np.testing.assert_array_equal(found[name], np.asarray(cells[name]))
        assert isinstance(found["n"], np.ma.MaskedArray)
        assert found["n"].mask.tolist() == [False, False, True, False]
        assert found["n"].compressed().tolist() == [1.5, 2.5, 4.5]
        assert found["t"].tolist() == ["a", None, "", "größer"]
        assert found["e"].tolist() == ["green", "red", "red", "green"]
        assert [cell.tolist() for cell in found["v"]] == [[], [0], [0, 1], [0, 1, 2]]
        assert array["t"][1:3].tolist() == [None, ""] and array["t"][3] == "größer"
        assert array["p"].shape == (4, 2) and array["p"][1].tolist() == [2, 3]
        assert array["d"].dtype == "datetime64[s]"
        assert array.enumeration("e") == ["red", "green"]
        with pytest.raises(TypeError):
            array.read_into(np.zeros(4))
        with pytest.raises(ValueError, match="'i' cannot be null"):
            array[:] = dict(cells, i=np.ma.masked_array([1, 2, 3, 4], [1, 0, 0, 0]))


def test_buffers_of_the_caller_are_filled_or_refused(uri, numbers):
    with tiledb_rs.open(uri) as array:
        out = np.zeros((3, 4), dtype="int32")
        array.read_into(out, np.s_[2:5, 6:10])
        np.testing.assert_array_equal(out, numbers[2:5, 6:10])
        field = array[""]
        for other in (
            np.zeros((4, 3), dtype="int32").T,
            np.zeros((3, 8), dtype="int32")[:, ::2],
            np.zeros((3, 4), dtype=">i4"),
            np.zeros((3, 4), dtype="float64"),
            np.frombuffer(bytearray(49), dtype="uint8")[1:].view("int32").reshape(3, 4),
        ):
            field.read_into(other, np.s_[2:5, 6:10])
            np.testing.assert_array_equal(other, numbers[2:5, 6:10])
        with pytest.raises(ValueError, match="shape"):
            array.read_into(np.zeros((3, 5), dtype="int32"), np.s_[2:5, 6:10])
        with pytest.raises(TypeError):
            array.read_into(np.zeros((3, 4), dtype="int8"), np.s_[2:5, 6:10])
        with pytest.raises(TypeError):
            array.read_into(bytearray(48), np.s_[2:5, 6:10])
        out.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            array.read_into(out, np.s_[2:5, 6:10])
        assert np.asarray(array).sum() == numbers.sum()
        assert np.array(field, dtype="float64").dtype == "float64"
        np.testing.assert_array_equal(np.from_dlpack(array), numbers)
        assert array.shape == (20, 50) and len(array) == 20 and array.ndim == 2


def test_values_that_do_not_fit_are_refused(uri, numbers):
    with tiledb_rs.open(uri, "w") as array:
        for cells, error in (
            (np.zeros((20, 50)), TypeError),
            (np.zeros((20, 50), dtype="complex64"), TypeError),
            ("text", (TypeError, ValueError)),
            (np.zeros((20, 49), dtype="int32"), ValueError),
            ({"b": 1}, KeyError),
            (2**40, OverflowError),
        ):
            with pytest.raises(error):
                array[:] = cells
        with pytest.raises(ValueError, match="box"):
            array[::2] = 1
        np.testing.assert_array_equal(array[:], numbers)
        array[1:3, 4] = 7
        array[5] = np.arange(50, dtype=">i2")
        numbers[1:3, 4], numbers[5] = 7, np.arange(50)
        np.testing.assert_array_equal(array[:], numbers)
    with tiledb_rs.open(uri) as array, pytest.raises(OSError, match="mode 'w'"):
        array[0] = 1
    with pytest.raises(ValueError, match="closed"):
        array[0]
    assert not array.isopen and "closed" in repr(array)


def test_exceptions_have_the_classes_of_python(tmp_path, uri, numbers):
    with pytest.raises(FileNotFoundError) as caught:
        tiledb_rs.open(str(tmp_path / "none"))
    assert isinstance(caught.value, tiledb_rs.Error)
    with pytest.raises(FileExistsError):
        tiledb_rs.from_numpy(uri, numbers)
    with pytest.raises(ValueError):
        tiledb_rs.open(uri, "x")
    with pytest.raises(ValueError):
        tiledb_rs.open(uri, config={"sm.memory_budget": "x"})
    with pytest.raises(ValueError):
        tiledb_rs.open(uri + "\0")
    with pytest.raises(TypeError):
        tiledb_rs.open(3)
    data = [os.path.join(top, name) for top, _, names in os.walk(uri) for name in names]
    (data,) = [path for path in data if path.endswith("a0.tdb")]
    with open(data, "r+b") as file:
        file.truncate(os.path.getsize(data) // 2)
    with tiledb_rs.open(uri) as array, pytest.raises(OSError) as caught:
        array[:]
    assert isinstance(caught.value, tiledb_rs.Error)


def test_earlier_states_are_read(uri):
    tiledb_rs.create(uri, Schema([Dim("x", (0, 3), 4)], [Attr("a", "int64")]))
    for time in 1, 2, 3:
        with tiledb_rs.open(uri, "w", timestamp=time) as array:
            array[time] = time
    low = np.iinfo("int64").min
    assert tiledb_rs.open(uri, timestamp=2)[:].tolist() == [low, 1, 2, low]
    assert tiledb_rs.open(uri, timestamp=(2, 3))[:].tolist() == [low, low, 2, 3]
    assert tiledb_rs.open(uri, timestamp=(3, None))[:].tolist() == [low, low, low, 3]
    array = tiledb_rs.open(uri)
    assert [fragment.timestamps for fragment in array.fragments] == [(1, 1), (2, 2), (3, 3)]


def _sum(array):
    return int(array[:].sum())


def test_arrays_are_used_by_threads_and_processes(uri, numbers):
    array = tiledb_rs.open(uri)
    total = int(numbers.sum())
    found = []
    threads = [threading.Thread(target=lambda: found.append(_sum(array))) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert found == [total] * 8
    copy = pickle.loads(pickle.dumps(array))
    assert type(copy) is tiledb_rs.Array and copy.uri == array.uri and _sum(copy) == total
    with tiledb_rs.open(uri, "w") as writer:
        writer[0, 0] = 5
    # The copy has the state that was pickled.
    assert _sum(pickle.loads(pickle.dumps(array))) == total
    for method in "fork", "spawn":
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(_sum, [array, array]) == [total, total]


def test_encrypted_arrays_need_the_key(uri):
    key = "0123456789abcdeF0123456789abcdeF"
    tiledb_rs.from_numpy(uri, np.arange(5), key=key)
    assert tiledb_rs.open(uri, key=key)[2] == 2
    assert tiledb_rs.open(uri, key=key.encode())[2] == 2
    with pytest.raises(tiledb_rs.Error):
        tiledb_rs.open(uri)


def test_arrays_in_memory_exist_in_the_process():
    tiledb_rs.from_numpy("mem://numbers", np.arange(6.0).reshape(2, 3))
    assert tiledb_rs.open("mem://numbers")[1, 2] == 5
    tiledb_rs.remove("mem://numbers")
    assert tiledb_rs.object_type("mem://numbers") is None


def test_arrays_are_iterated_along_the_first_axis(uri):
    tiledb_rs.create(uri, Schema([Dim("x", (-2, 1), 2), Dim("y", (0, 1), 2)], [Attr("a", "int64"), Attr("b", "int8")]))
    with tiledb_rs.open(uri, "w") as array:
        array[...] = {"a": np.arange(8).reshape(4, 2), "b": np.zeros((4, 2), "int8")}
        assert [row.tolist() for row in array["a"]] == np.arange(8).reshape(4, 2).tolist()
        rows = list(array)
        assert len(rows) == 4 and rows[3]["a"].tolist() == [6, 7]
    sparse = uri + "s"
    tiledb_rs.create(sparse, Schema([Dim("x", (0, 9))], [Attr("a")], sparse=True))
    with pytest.raises(TypeError):
        iter(tiledb_rs.open(sparse))


def test_dlpack_exports_numbers_without_nulls(uri):
    tiledb_rs.from_numpy(uri, np.arange(12.0).reshape(3, 4))
    assert np.from_dlpack(tiledb_rs.open(uri)).sum() == 66
    tiledb_rs.from_numpy(uri + "m", np.ma.masked_less(np.arange(3), 1))
    with pytest.raises(TypeError, match="null"):
        np.from_dlpack(tiledb_rs.open(uri + "m"))


def test_memory_of_large_results_is_used_again_only_when_they_are_freed(uri):
    values = np.arange(5_000_000, dtype="float64")
    tiledb_rs.from_numpy(uri, values, tile=1_000_000, filters=["none"])
    array = tiledb_rs.open(uri)
    first, second = array[:], array[:]
    assert not np.shares_memory(first, second) and first.flags.writeable and first.flags.c_contiguous
    first[:] = -1
    np.testing.assert_array_equal(second, values)
    part = first[10:20]
    address = first.ctypes.data
    del first
    third = array[:]
    assert third.ctypes.data != address and part.tolist() == [-1.0] * 10
    del part
    again = array[:]
    assert again.ctypes.data == address
    np.testing.assert_array_equal(again, values)
    np.testing.assert_array_equal(third, values)
    # Results of several types use the same memory.
    del again
    tiledb_rs.from_numpy(uri + "i", np.arange(40_000_000, dtype="int8"), filters=["none"])
    small = tiledb_rs.open(uri + "i")[:]
    assert small.ctypes.data == address and small.dtype == "int8" and small[5] == 5


def written(uri, attr, cells):
    """Returns the cells of a new sparse array after they were written."""
    tiledb_rs.create(uri, Schema([Dim("x", (0, 99), 10)], [attr], sparse=True))
    with tiledb_rs.open(uri, "w") as array:
        array.write({"x": np.arange(len(cells)), attr.name: cells})
        return array.query(order="row-major").numpy()[attr.name]


NANOSECONDS = np.array([123_456_789, 1], "datetime64[ns]")


@pytest.mark.parametrize(
    "attr, cells, expected",
    [
        (Attr("a", bytes), [b"a\0", b"\0"], [b"a\0", b"\0"]),
        (Attr("a", str), ["a\0", "\0"], ["a\0", "\0"]),
        (Attr("a", str, nullable=True), ["a", float("nan")], ["a", None]),
        (Attr("a", str, nullable=True), np.array(["a", np.float64("nan")], object), ["a", None]),
        (Attr("a", "int32", var=True), [[1, 2], [3, 4]], [[1, 2], [3, 4]]),
        (Attr("a", "int32", var=True), [np.array([1, 2]), np.array([3, 4])], [[1, 2], [3, 4]]),
        (Attr("a", "int32", var=True), [[1, 2], [3]], [[1, 2], [3]]),
        (Attr("a", "uint64"), [2**63, 1], [2**63, 1]),
        (Attr("a", "int32"), [True, 2], [1, 2]),
        (Attr("a", "datetime64[s]"), np.array([10**9, 0], "datetime64[ns]"), np.array([1, 0], "datetime64[s]").tolist()),
        (Attr("a", "datetime64[D]"), ["2024-01-02", "1969-01-01"], np.array(["2024-01-02", "1969-01-01"], "datetime64[D]").tolist()),
    ],
    ids=str,
)
def test_cells_that_are_written_are_read(uri, attr, cells, expected):
    found = written(uri, attr, cells)
    assert [value.tolist() if isinstance(value, np.ndarray) else value for value in found.tolist()] == expected


@pytest.mark.parametrize(
    "attr, cells, error",
    [
        (Attr("a", str), ["a", 1], TypeError),
        (Attr("a", str), ["a", None], ValueError),
        (Attr("a", "int32", var=True), [[1.5, 2], [3]], TypeError),
        (Attr("a", "int8", var=True), [np.array([300, 2]), np.array([3])], OverflowError),
        (Attr("a", "int32"), [np.float32(1.5), 2], TypeError),
        (Attr("a", "int32"), ["5", 2], TypeError),
        (Attr("a", str, enumeration=["p", "q"], nullable=True), [5, None], ValueError),
        (Attr("a", "float64"), ["5.5", 2], TypeError),
        (Attr("a", "datetime64[s]"), NANOSECONDS, ValueError),
        (Attr("a", "datetime64[D]"), ["2024-01-02T12", "2024-01-03"], ValueError),
        (Attr("a", "datetime64[ns]"), np.array(["3000-01-01", "1000-01-01"], "datetime64[s]"), ValueError),
        (Attr("a", "int32", values_per_cell=2, nullable=True), np.ma.array([[1, 2], [3, 4]], mask=[[0, 1], [1, 1]]), ValueError),
    ],
    ids=str,
)
def test_cells_that_would_change_are_errors_that_name_the_field(uri, attr, cells, error):
    with pytest.raises(error, match="'a'"):
        written(uri, attr, cells)


def test_times_of_pandas_keep_their_nanoseconds(uri):
    pandas = pytest.importorskip("pandas")
    attr = Attr("a", "datetime64[ns]")
    zoned = pandas.Series(pandas.DatetimeIndex(NANOSECONDS, tz="UTC").tz_convert("Europe/Berlin"))
    for number, cells in enumerate([pandas.Series(NANOSECONDS), zoned, [pandas.Timestamp(value) for value in NANOSECONDS], list(zoned)]):
        assert (written(f"{uri}{number}", attr, cells) == NANOSECONDS).all()
    times = written(uri, Attr("a", "timedelta64[ns]"), [pandas.Timedelta(1, "ns"), pandas.Timedelta(5, "s")])
    assert times.astype("int64").tolist() == [1, 5 * 10**9]


def test_null_values_are_not_dropped_by_arrays_of_numpy(uri):
    tiledb_rs.from_numpy(uri, np.ma.array([1, 2, 3], mask=[False, True, False]))
    with tiledb_rs.open(uri) as array:
        for drops in (lambda: np.asarray(array), lambda: np.asarray(array[""])):
            with pytest.raises(TypeError, match="null"):
                drops()
        assert array[...].tolist() == [1, None, 3]
    full = uri + "full"
    tiledb_rs.from_numpy(full, np.ma.array([1, 2], mask=False))
    assert np.asarray(tiledb_rs.open(full)).tolist() == [1, 2]


def test_timestamps_of_ranges_are_times_or_numbers(uri):
    import datetime

    tiledb_rs.create(uri, Schema([Dim("x", (0, 1))], [Attr("a", "int64")]))
    for time in 1000, 2000:
        with tiledb_rs.open(uri, "w", timestamp=time) as array:
            array[time // 1000 - 1] = time
    times = [datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc) for seconds in (0.5, 1.5)]
    fill = np.iinfo("int64").min
    assert tiledb_rs.open(uri, timestamp=tuple(times))[...].tolist() == [1000, fill]
    assert tiledb_rs.open(uri, timestamp=(np.datetime64(1500, "ms"), None))[...].tolist() == [fill, 2000]


def test_exceptions_of_progress_are_raised(uri):
    tiledb_rs.create(uri, Schema([Dim("x", (0, 9))], [Attr("a", "int64")]))
    with tiledb_rs.open(uri, "w") as array:
        for value in range(3):
            array[...] = np.full(10, value)

        def fail(*_):
            raise LookupError("of the callback")

        with pytest.raises(LookupError, match="of the callback"):
            array.consolidate(progress=fail)
        with pytest.raises(tiledb_rs.CancelledError):
            array.consolidate(progress=lambda *_: False)
        array.consolidate()
        assert len(array.fragments) == 1


def test_metadata_and_cells_of_big_endian_arrays_keep_their_values(uri):
    tiledb_rs.from_numpy(uri, np.arange(3, dtype=">f8"))
    with tiledb_rs.open(uri, "w") as array:
        array.metadata["numbers"] = np.arange(3, dtype=">i2")
        assert array.metadata["numbers"] == [0, 1, 2] and array[...].tolist() == [0, 1, 2]
        with pytest.raises(OverflowError):
            array.metadata["numbers"] = [2**63, -1]


def test_days_that_were_not_written_are_null_in_frames(uri):
    pytest.importorskip("pandas"), pytest.importorskip("polars")
    tiledb_rs.create(uri, Schema([Dim("x", (0, 3))], [Attr("day", "datetime64[D]"), Attr("time", "datetime64[us]")]))
    with tiledb_rs.open(uri, "w") as array:
        array[1:2] = {"day": np.array(["2024-01-02"], "datetime64[D]"), "time": np.array([5], "datetime64[us]")}
        query = array.query(ranges={"x": slice(0, 3)})
        assert query.pandas()["day"].isna().tolist() == query.pandas()["time"].isna().tolist() == [True, False, True]
        for frame in (query.polars(), tiledb_rs.scan(uri, ranges={"x": slice(0, 3)}).collect()):
            assert frame["day"].is_null().to_list() == frame["time"].is_null().to_list() == [True, False, True]


def test_times_outside_of_a_day_are_durations_in_frames(uri):
    pytest.importorskip("pandas"), pytest.importorskip("polars")
    for unit in "s", "ms", "us", "ns":
        times = np.array([-1, 5, 90_000 * 10**9], "timedelta64[ns]").astype(f"timedelta64[{unit}]")
        tiledb_rs.from_numpy(uri + unit, times, attr="t")
        query = tiledb_rs.open(uri + unit).query()
        assert (query.pandas()["t"].to_numpy() == times).all()
        assert (query.polars()["t"].to_numpy() == times).all()


def test_lists_of_integers_of_several_types_are_coordinates(uri, numbers):
    with tiledb_rs.open(uri) as array:
        np.testing.assert_array_equal(array[[np.uint64(3), -1, 2]], numbers[[3, -1, 2]])
        with pytest.raises(IndexError, match="float"):
            array[[1.0, 2]]


def test_a_path_is_the_same_array_in_another_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tiledb_rs.from_numpy("numbers", np.arange(3))
    tiledb_rs.create_group("group")
    with tiledb_rs.open("group", "w") as group:
        group.add(str(tmp_path / "numbers"), "numbers")
    array, group = tiledb_rs.open("numbers"), tiledb_rs.open("group")
    pickled = pickle.dumps([array, group])
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    array.reopen()
    assert array.uri == "numbers" and array[2] == 2 and group["numbers"][1] == 1
    copy, other = pickle.loads(pickled)
    assert copy[2] == 2 and len(other) == 1


def test_times_before_1970_and_missing_times_are_errors(uri):
    import datetime

    tiledb_rs.from_numpy(uri, np.arange(3))
    before = datetime.datetime(1960, 1, 1, tzinfo=datetime.timezone.utc)
    for time in before, np.datetime64("NaT"), np.datetime64(-1, "ms"), -1, True, (None, before):
        for mode in "r", "w":
            with pytest.raises((TypeError, ValueError, OverflowError)):
                tiledb_rs.open(uri, mode, timestamp=time)
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="NaT"):
        tiledb_rs.open(uri, timestamp=pandas.NaT)


def test_schemas_with_fill_values_that_are_not_numbers_are_equal(uri):
    attrs = [Attr("f", "float32"), Attr("d", "datetime64[s]"), Attr("c", "complex128")]
    tiledb_rs.create(uri, Schema([Dim("x", (0, 1))], attrs))
    assert tiledb_rs.open(uri).schema == tiledb_rs.open(uri).schema
    assert Schema([Dim("x", (0, 1))], attrs) != Schema([Dim("x", (0, 1))], attrs[:2])
