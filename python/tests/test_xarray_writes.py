"""Writes of xarray that change a dataset, and those of trees."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import tiledb_rs

xr = pytest.importorskip("xarray")
pd = pytest.importorskip("pandas")
import tiledb_rs.xarray_backend  # noqa: E402


def month(first, days, name="a test"):
    """Returns days of a dataset from a day of 2024 on."""
    time = np.datetime64("2024-01-01") + np.arange(first, first + days)
    numbers = np.arange(first, first + days)
    return xr.Dataset(
        {
            "temp": (("time", "x"), numbers[:, None] + np.array([0.5, 0.25, 0.125]), {"units": "K"}),
            "note": (("time",), np.array([f"day {number}" for number in numbers], object)),
            "depth": (("x",), np.array([1, 2, 3], "int16")),
        },
        coords={"time": time, "x": [10, 20, 30], "kind": ((), "land")},
        attrs={"title": name},
    )


def opened(uri, **options):
    with xr.open_dataset(uri, engine="tiledb_rs", **options) as found:
        return found.load()


def files_of(uri):
    return sorted(os.listdir(uri))


def test_appended_cells_follow_the_existing_ones(uri):
    month(0, 5).tiledb_rs.write(uri)
    month(5, 3).tiledb_rs.write(uri, append_dim="time")
    month(8, 1).tiledb_rs.write(uri, mode="a", append_dim="time")
    found = opened(uri)
    xr.testing.assert_identical(found, month(0, 9))
    assert found["temp"].isel(time=-1, x=0) == 8.5
    with xr.open_dataset(uri, engine="tiledb_rs") as lazy:
        np.testing.assert_array_equal(lazy["temp"][::-2].values, month(0, 9)["temp"][::-2])
        np.testing.assert_array_equal(lazy["temp"][[-1, 0]].values, month(0, 9)["temp"][[-1, 0]])
    # Steps of one coordinate, into tiles of several.
    other = uri + "o"
    month(0, 1).tiledb_rs.write(other, tiles={"time": 4})
    for day in range(1, 10):
        month(day, 1).tiledb_rs.write(other, append_dim="time")
    xr.testing.assert_identical(opened(other), month(0, 10))
    with tiledb_rs.open(other) as group:
        assert group["temp"].schema.dims[0].tile == 4


def test_appended_cells_get_the_existing_encoding(uri):
    first = month(0, 4)
    first["temp"].encoding = {"scale_factor": 0.125, "dtype": "int16", "_FillValue": -1}
    first["time"].encoding = {"units": "days since 2000-01-01"}
    first["temp"][0, 0] = np.nan
    first.tiledb_rs.write(uri)
    second = month(4, 2)
    second["temp"][1, 1] = np.nan
    second.tiledb_rs.write(uri, append_dim="time")
    found = opened(uri)
    assert found["temp"].encoding["dtype"] == "int16"
    assert found["time"].encoding["units"] == "days since 2000-01-01"
    xr.testing.assert_equal(found, xr.concat([first, second], "time", data_vars="minimal"))


def test_a_dataset_without_cells_can_grow(uri):
    month(0, 0).tiledb_rs.write(uri)
    assert opened(uri).sizes == {"time": 0, "x": 3}
    values = xr.Dataset({"a": (("x",), np.empty(0))})
    other = uri + "e"
    values.tiledb_rs.write(other)
    xr.Dataset({"a": (("x",), [1.0, 2.0])}).tiledb_rs.write(other, append_dim="x")
    assert opened(other)["a"].values.tolist() == [1.0, 2.0]
    with tiledb_rs.open(other) as group:
        assert opened(group["a"].uri)["a"].values.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    "change, problem",
    [
        (lambda day: day.isel(x=[0, 1]), "cells along 'x'"),
        (lambda day: day.assign_coords(x=[10, 20, 31]), "coordinates of 'x'"),
        (lambda day: day.assign(temp=day["temp"].astype("int64")), "dtype int64"),
        (lambda day: day.assign(temp=day["temp"].T), "dimensions"),
        (lambda day: day.assign(temp=day["temp"].assign_attrs(units="C")), "units"),
        (lambda day: day.assign(note=("time", [b"x"])), "note"),
        (lambda day: day.assign(new=("time", [1])), "do not exist yet"),
        (lambda day: day.drop_vars("note"), "are not in the dataset"),
        (lambda day: day.drop_vars("time"), "are not in the dataset"),
        (lambda day: day.rename(time="day"), "no dimension 'time'"),
        (lambda day: day.assign_coords(time=day["time"] + np.timedelta64(1, "s")), "time"),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_cells_that_do_not_fit_are_not_appended(uri, change, problem):
    first = month(0, 2)
    first["time"].encoding = {"units": "days since 2000-01-01", "dtype": "int64"}
    first.tiledb_rs.write(uri)
    with pytest.raises(ValueError, match=problem):
        change(month(2, 1)).tiledb_rs.write(uri, append_dim="time")
    xr.testing.assert_identical(opened(uri), month(0, 2))


def test_texts_of_a_fixed_length_grow_if_they_fit(uri):
    xr.Dataset({"a": (("x",), np.array([b"long", b"er"]))}).tiledb_rs.write(uri)
    xr.Dataset({"a": (("x",), np.array([b"ab"]))}).tiledb_rs.write(uri, append_dim="x")
    assert opened(uri)["a"].values.tolist() == [b"long", b"er", b"ab"]
    with pytest.raises(ValueError, match="dtype"):
        xr.Dataset({"a": (("x",), np.array([b"longer"]))}).tiledb_rs.write(uri, append_dim="x")


def test_numbers_are_appended_if_the_existing_type_has_them(uri):
    def numbers(dtype):
        return xr.Dataset({"a": (("x",), np.arange(2).astype(dtype))})

    for name, stored, fits, wrong in ("f", "f4", "f2", "f8"), ("i", "i4", "i2", "i8"), ("u", "u2", "u1", "i4"):
        numbers(stored).tiledb_rs.write(uri + name)
        numbers(fits).tiledb_rs.write(uri + name, append_dim="x")
        with pytest.raises(ValueError, match="dtype"):
            numbers(wrong).tiledb_rs.write(uri + name, append_dim="x")
        found = opened(uri + name)["a"]
        assert found.dtype == stored and found.values.tolist() == [0, 1, 0, 1]


def test_fixed_dimensions_do_not_grow(uri):
    month(0, 2).tiledb_rs.write(uri, unlimited_dims=["x"])
    with pytest.raises(ValueError, match="cannot grow along 'time' beyond 2 cells"):
        month(2, 1).tiledb_rs.write(uri, append_dim="time")
    xr.testing.assert_identical(opened(uri), month(0, 2))
    with tiledb_rs.open(uri) as group:
        assert group["time"].schema.current_domain is None
        assert group["temp"].schema.dims[0].domain == (0, 1)
        assert group["temp"].schema.current_domain == [(0, 1), (0, 2)]


def test_datasets_without_sizes_are_read_and_do_not_grow(uri):
    tiledb_rs.create_group(uri)
    tiledb_rs.create(f"{uri}/a", tiledb_rs.Schema([tiledb_rs.Dim("x", (0, 2), 2)], [tiledb_rs.Attr("a", "int64")]))
    with tiledb_rs.open(f"{uri}/a", "w") as array:
        array[...] = [1, 2, 3]
    with tiledb_rs.open(uri, "w") as group:
        group.add("a", "a", relative=True)
    more = xr.Dataset({"a": (("x",), [4])})
    with pytest.raises(ValueError, match="cannot grow along 'x' beyond 3 cells"):
        more.tiledb_rs.write(uri, append_dim="x")
    xr.Dataset({"a": (("x",), [5])}).tiledb_rs.write(uri, region={"x": slice(1, 2)})
    xr.Dataset({"b": (("x",), [7, 8, 9])}).tiledb_rs.write(uri, mode="a")
    found = opened(uri)
    assert found["a"].values.tolist() == [1, 5, 3] and found["b"].values.tolist() == [7, 8, 9]


def test_variables_are_added_and_replaced(uri):
    month(0, 3).tiledb_rs.write(uri, mode="a")
    before = files_of(uri)
    change = xr.Dataset(
        {"temp": (("time", "x"), np.ones((3, 3), "int8")), "wind": (("time",), [1.0, 2.0, 3.0])},
        coords={"height": ("x", [1.5, 2.5, 3.5])},
        attrs={"source": "s"},
    )
    change.tiledb_rs.write(uri, mode="a")
    expected = month(0, 3).drop_vars("temp").merge(change).assign_attrs(source="s")
    xr.testing.assert_identical(opened(uri), expected)
    # The array that was replaced is gone.
    assert len(files_of(uri)) == len(before) + 2
    with pytest.raises(ValueError, match="4 cells along 'time'"):
        month(0, 4).drop_vars(["time", "note"]).tiledb_rs.write(uri, mode="a")
    xr.testing.assert_identical(opened(uri), expected)
    # From the dataset itself, which is read lazily.
    with xr.open_dataset(uri, engine="tiledb_rs") as lazy:
        (lazy[["wind"]] * 2).tiledb_rs.write(uri, mode="a")
    assert opened(uri)["wind"].values.tolist() == [2.0, 4.0, 6.0]


def test_modes_are_checked(uri):
    month(0, 2).tiledb_rs.write(uri)
    for mode in None, "w-":
        with pytest.raises(FileExistsError):
            month(0, 1).tiledb_rs.write(uri, mode=mode)
    wrong = (
        {"mode": "x"},
        {"mode": "a", "overwrite": True},
        {"mode": "w", "append_dim": "time"},
        {"mode": "w", "region": "auto"},
        {"append_dim": "time", "region": "auto"},
        {"region": "all"},
        {"mode": "a", "encoding": {"temp": {"dtype": "int8"}}},
        {"mode": "w", "encoding": {"none": {}}},
    )
    for options in wrong:
        with pytest.raises(ValueError):
            month(0, 2).tiledb_rs.write(uri, **options)
    with pytest.raises(FileNotFoundError):
        month(0, 2).tiledb_rs.write(uri + "n", region="auto")
    xr.testing.assert_identical(opened(uri), month(0, 2))
    month(0, 1).tiledb_rs.write(uri, mode="w", encoding={"temp": {"dtype": "float32"}})
    assert opened(uri)["temp"].dtype == "float32" and opened(uri).sizes["time"] == 1


def test_regions_replace_cells(uri):
    month(0, 6).tiledb_rs.write(uri)
    part = month(0, 6)[["temp"]].drop_vars("kind") * -1
    part.isel(time=slice(2, 4)).tiledb_rs.write(uri, region={"time": slice(2, 4)})
    expected = month(0, 6)
    expected["temp"][2:4] *= -1
    xr.testing.assert_identical(opened(uri), expected)
    part.isel(time=[5], x=[1, 2]).tiledb_rs.write(uri, region="auto")
    expected["temp"][5, 1:] *= -1
    xr.testing.assert_identical(opened(uri), expected)
    part.isel(time=[0], x=[0]).tiledb_rs.write(uri, region={"time": "auto", "x": slice(1)}, mode="a")
    expected["temp"][0, 0] *= -1
    xr.testing.assert_identical(opened(uri), expected)
    month(0, 6)[["temp"]].tiledb_rs.write(uri, mode="r+")
    xr.testing.assert_identical(opened(uri), month(0, 6))


def test_regions_are_checked(uri):
    month(0, 6).tiledb_rs.write(uri)
    part = month(2, 2)[["temp"]].drop_vars("kind")
    wrong = (
        (part, {"time": slice(0, 2)}, "coordinates of 'time'"),
        (part, {"time": slice(2, 5)}, "2 cells along 'time'"),
        (part, {"time": slice(5, 7)}, "not a region"),
        (part, {"time": slice(2, 6, 2)}, "not a region"),
        (part, {"time": slice(-4, -2)}, "not a region"),
        (part, {"day": slice(2, 4)}, "no dimension 'day'"),
        (part.isel(x=[0]), {"time": slice(2, 4)}, "1 cells along 'x'"),
        (month(2, 2).drop_vars("kind"), {"time": slice(2, 4)}, "depth"),
        (part.rename(temp="new"), {"time": slice(2, 4)}, "do not exist"),
        (part.isel(time=[1, 0]), "auto", "do not follow"),
        (month(5, 2)[["temp"]].drop_vars("kind"), "auto", "not among"),
        (part.drop_vars(["time", "x"]), "auto", "no coordinates by which"),
        (part.drop_vars("time"), {"time": "auto"}, "no coordinates of 'time'"),
        (part.assign(temp=part["temp"].astype("int32")), "auto", "dtype int32"),
    )
    for dataset, region, problem in wrong:
        with pytest.raises(ValueError, match=problem):
            dataset.tiledb_rs.write(uri, region=region)
    with pytest.raises(TypeError, match="slice"):
        part.tiledb_rs.write(uri, region={"time": 3})
    xr.testing.assert_identical(opened(uri), month(0, 6))


class _Failing:
    """Values of which one chunk cannot be computed."""

    def __call__(self, block, block_info=None):
        if block_info[0]["chunk-location"][0] == 2:
            raise RuntimeError("the chunk failed")
        return block


@pytest.mark.parametrize("scheduler", ["threads", "synchronous"])
def test_failed_changes_leave_the_dataset(uri, scheduler):
    dask = pytest.importorskip("dask")
    month(0, 4).tiledb_rs.write(uri)
    files = files_of(uri)

    def failing(dataset, name="temp"):
        dataset = dataset.chunk({"time": 1})
        dataset[name] = dataset[name].copy(data=dataset[name].data.map_blocks(_Failing(), dtype="float64"))
        return dataset

    with dask.config.set(scheduler=scheduler):
        for options in {"append_dim": "time"}, {"mode": "w"}:
            with pytest.raises(RuntimeError, match="the chunk failed"):
                failing(month(4, 4)).tiledb_rs.write(uri, **options)
            xr.testing.assert_identical(opened(uri), month(0, 4))
        new = (month(0, 4)[["temp"]] * 2).rename(temp="new").drop_vars("kind")
        with pytest.raises(RuntimeError, match="the chunk failed"):
            failing(new, "new").tiledb_rs.write(uri, mode="a")
        with pytest.raises(RuntimeError, match="the chunk failed"):
            failing(month(0, 4)[["temp"]].drop_vars("kind") * 2).tiledb_rs.write(uri, region="auto")
    xr.testing.assert_identical(opened(uri), month(0, 4))
    assert files_of(uri) == files
    assert os.listdir(os.path.dirname(uri)) == [os.path.basename(uri)]
    with tiledb_rs.open(uri) as group:
        assert [len(group[name].fragments) for name in ("temp", "time")] == [1, 1]
    # The next write does not see what the failed one left.
    month(4, 2).tiledb_rs.write(uri, append_dim="time")
    xr.testing.assert_identical(opened(uri), month(0, 6))


def test_a_killed_append_is_not_seen(uri):
    month(0, 4).tiledb_rs.write(uri)
    program = f"""
import os, sys
sys.path[:0] = {[os.path.dirname(__file__), *sys.path]!r}
from test_xarray_writes import month
import tiledb_rs._xarray_writer as writer

class Native:
    create_array = staticmethod(writer._native.create_array)
    change_group = staticmethod(lambda *_: os._exit(9))

writer._native = Native
month(4, 2).tiledb_rs.write({uri!r}, append_dim="time")
"""
    assert subprocess.run([sys.executable, "-c", program]).returncode == 9
    xr.testing.assert_identical(opened(uri), month(0, 4))
    month(4, 3).tiledb_rs.write(uri, append_dim="time")
    xr.testing.assert_identical(opened(uri), month(0, 7))


def _write_part(uri, number):
    month(2 * number, 2)[["temp", "note"]].drop_vars("kind").tiledb_rs.write(uri, region="auto")
    return number


def test_processes_and_threads_write_regions(uri):
    dask = pytest.importorskip("dask")
    pytest.importorskip("dask.array")
    whole = month(0, 12)
    template = whole.chunk({"time": 2})
    delayed = template.tiledb_rs.write(uri, compute=False, tiles={"time": 5, "x": 2})
    found = opened(uri)
    # Coordinates that are not chunks are written at once, chunks are not.
    xr.testing.assert_identical(found["time"], whole["time"])
    assert np.isnan(found["temp"].values).all()
    for scheduler in "processes", "threads":
        parts = [dask.delayed(_write_part)(uri, number) for number in range(6)]
        assert dask.compute(*parts, scheduler=scheduler, num_workers=3) == tuple(range(6))
        found = opened(uri)
        xr.testing.assert_identical(found[["temp", "note"]], whole[["temp", "note"]])
    assert delayed.compute() is None
    xr.testing.assert_identical(opened(uri), whole)
    more = month(12, 4).chunk({"time": 1}).tiledb_rs.write(uri, append_dim="time", compute=False)
    assert opened(uri).sizes["time"] == 16
    dask.compute(more, scheduler="processes", num_workers=2)
    xr.testing.assert_identical(opened(uri), month(0, 16))


def test_delayed_writes_fill_a_dataset_that_replaces_another(uri):
    pytest.importorskip("dask")
    month(0, 2).tiledb_rs.write(uri)
    delayed = month(0, 5).chunk({"time": 2}).tiledb_rs.write(uri, mode="w", compute=False)
    pickle.loads(pickle.dumps(delayed)).compute()
    xr.testing.assert_identical(opened(uri), month(0, 5))


def test_trees_survive(uri):
    written = xr.DataTree.from_dict({"/": month(0, 3), "/inner/leaf": month(0, 3)[["temp"]], "/other": xr.Dataset({"a": ("y", [1, 2])}, attrs={"b": 1})})
    written.tiledb_rs.write(uri)
    with xr.open_datatree(uri, engine="tiledb_rs") as found:
        xr.testing.assert_identical(found.load(), written)
    with pytest.raises(FileExistsError):
        written.tiledb_rs.write(uri)
    smaller = xr.DataTree.from_dict({"/": month(0, 2), "/a": xr.Dataset({"b": 1.5})})
    smaller.tiledb_rs.write(uri, mode="w", encoding={"/a": {"b": {"dtype": "float32"}}})
    with xr.open_datatree(uri, engine="tiledb_rs") as found:
        assert found["a/b"].dtype == "float32"
        xr.testing.assert_equal(found.load(), smaller)
    # A node is a dataset to which cells can be appended.
    nested = uri + "n"
    xr.DataTree.from_dict({"/sea": month(0, 2)}).tiledb_rs.write(nested)
    month(2, 2).tiledb_rs.write(f"{nested}/sea", append_dim="time")
    with xr.open_datatree(nested, engine="tiledb_rs") as found:
        xr.testing.assert_identical(found["sea"].to_dataset().load(), month(0, 4))


def test_inherited_coordinates_are_written_on_request(uri):
    written = xr.DataTree.from_dict({"/": month(0, 3)[["time"]], "/inner": xr.Dataset({"a": ("time", [1, 2, 3])})})
    for inherited in False, True:
        written.tiledb_rs.write(uri, mode="w", write_inherited_coords=inherited)
        with tiledb_rs.open(uri) as group:
            assert ("time" in group["inner"]) == inherited
        with xr.open_datatree(uri, engine="tiledb_rs") as found:
            xr.testing.assert_identical(found.load(), written)


def test_failed_trees_leave_nothing_or_what_existed(uri):
    wrong = xr.DataTree.from_dict({"/": month(0, 1), "/inner": xr.Dataset({"a": ("x", [1, 2, 3], {"b": {1}})})})
    with pytest.raises(TypeError):
        wrong.tiledb_rs.write(uri)
    assert not os.path.exists(uri)
    month(0, 2).tiledb_rs.write(uri)
    with pytest.raises(TypeError):
        wrong.tiledb_rs.write(uri, mode="w")
    xr.testing.assert_identical(opened(uri), month(0, 2))
    assert os.listdir(os.path.dirname(uri)) == [os.path.basename(uri)]
    for options in {"mode": "a"}, {"encoding": {"/none": {}}}:
        with pytest.raises(ValueError):
            wrong.tiledb_rs.write(uri, **options)


def test_arrays_in_memory_are_datasets(uri):
    month(0, 2).tiledb_rs.write("mem://xarray-writes")
    month(2, 2).tiledb_rs.write("mem://xarray-writes", append_dim="time")
    xr.testing.assert_identical(opened("mem://xarray-writes"), month(0, 4))


def test_tiledb_py_reads_datasets_that_grow(uri):
    tiledb = pytest.importorskip("tiledb")
    month(0, 2).tiledb_rs.write(uri)
    month(2, 2).tiledb_rs.write(uri, append_dim="time")
    with tiledb.open(f"{uri}/temp") as array:
        np.testing.assert_array_equal(array[:]["temp"], month(0, 4)["temp"])


def test_readers_see_a_complete_dataset_while_it_is_changed(uri):
    month(0, 2).tiledb_rs.write(uri)
    program = f"""
import os, sys
sys.path[:0] = {[os.path.dirname(__file__), *sys.path]!r}
from test_xarray_writes import month
for number in range(1, 9):
    month(2 * number, 2, name=f"state {{number}}").tiledb_rs.write({uri!r}, append_dim="time")
"""
    with subprocess.Popen([sys.executable, "-c", program]) as writer:
        while writer.poll() is None:
            with xr.open_dataset(uri, engine="tiledb_rs") as found:
                days = found.sizes["time"]
                number = days // 2 - 1
                title = f"state {number}" if number else "a test"
                xr.testing.assert_identical(found[["temp", "note"]].drop_vars("kind").load(), month(0, days, title)[["temp", "note"]].drop_vars("kind"))
    assert writer.returncode == 0
    xr.testing.assert_identical(opened(uri), month(0, 18, "state 8"))
