"""The backend of xarray."""

import contextlib
import os

import numpy as np
import pytest
import tiledb_rs
from tiledb_rs import Attr, Dim, Schema

xr = pytest.importorskip("xarray")
pytest.importorskip("pandas")
import tiledb_rs.xarray_backend  # noqa: E402


def dataset():
    return xr.Dataset(
        {
            "temp": (("time", "x"), np.arange(12.0).reshape(4, 3), {"units": "K", "steps": [1, 2]}),
            "count": (("x",), np.array([1, 2, 3], dtype="int16")),
            "name": (("x",), np.array(["a", "", "größer"], dtype=object)),
            "scalar": ((), 5.5),
        },
        coords={"time": np.datetime64("2024-01-01") + np.arange(4), "x": [10, 20, 30]},
        attrs={"title": "a test", "numbers": [1, 2], "texts": ["a", "b"]},
    )


def test_datasets_survive(uri):
    written = dataset()
    written["temp"].encoding = {"scale_factor": 0.5, "dtype": "int32", "_FillValue": -1}
    written["temp"][1, 1] = np.nan
    written.tiledb_rs.write(uri, tiles={"time": 2})
    with xr.open_dataset(uri, engine="tiledb_rs") as found:
        xr.testing.assert_identical(found.load(), written)
        assert found["temp"].encoding["scale_factor"] == 0.5
    with xr.open_dataset(uri) as guessed:
        assert set(guessed.data_vars) == set(written.data_vars)
    with pytest.raises(FileExistsError):
        written.tiledb_rs.write(uri)
    written.tiledb_rs.write(uri, overwrite=True)


def test_reads_are_lazy_and_chunks_are_multiples_of_tiles(uri):
    pytest.importorskip("dask")
    values = np.arange(10_000).reshape(100, 100)
    written = xr.Dataset({"a": (("y", "x"), values)}).chunk({"y": 30, "x": 50})
    written.tiledb_rs.write(uri)
    with xr.open_dataset(uri, engine="tiledb_rs", chunks={}) as found:
        assert found["a"].chunks == ((30, 30, 30, 10), (50, 50))
        assert int(found["a"].sum()) == values.sum()
    with xr.open_dataset(uri, engine="tiledb_rs") as found:
        part = found["a"].isel(y=slice(None, None, 7), x=[3, 1])
        np.testing.assert_array_equal(part.values, values[::7][:, [3, 1]])
        np.testing.assert_array_equal(found["a"][-1].values, values[-1])


def test_arrays_have_coordinates_of_their_domains(uri):
    dims = [Dim("y", (5, 9), 2), Dim("x", (-2, 1), 2)]
    attrs = [Attr("a", "float32"), Attr("n", "int32", nullable=True)]
    tiledb_rs.create(uri, Schema(dims, attrs))
    values = np.arange(20, dtype="float32").reshape(5, 4)
    with tiledb_rs.open(uri, "w") as array:
        array[...] = {"a": values, "n": np.ma.masked_less(np.arange(20).reshape(5, 4), 3)}
        array.metadata["__tiledb_attr.a.units"] = "K"
        array.metadata["title"] = "t"
    with xr.open_dataset(uri, engine="tiledb_rs") as found:
        assert found.attrs == {"title": "t"} and found["a"].attrs == {"units": "K"}
        assert found["a"].sel(y=7, x=-1) == values[2, 1]
        assert found["a"].sel(x=slice(-1, 0)).shape == (5, 2)
        assert int(np.isnan(found["n"].values).sum()) == 3
    days = uri + "d"
    domain = np.datetime64("2024-01-01"), np.datetime64("2024-01-05")
    tiledb_rs.create(days, Schema([Dim("day", domain, 2, "datetime64[D]")], [Attr("a", "int64", fill=-1)]))
    with xr.open_dataset(days, engine="tiledb_rs") as found:
        assert found["a"].sel(day=slice("2024-01-02", "2024-01-03")).values.tolist() == [-1, -1]
    sparse = uri + "s"
    tiledb_rs.create(sparse, Schema([Dim("x", (0, 9))], [Attr("a")], sparse=True))
    with pytest.raises(ValueError, match="sparse"):
        xr.open_dataset(sparse, engine="tiledb_rs")


@pytest.mark.parametrize("dtype", ["int16", "float64", "timedelta64[s]"])
def test_several_values_of_a_cell_are_a_dimension(uri, dtype):
    cells = np.arange(24).astype(dtype).reshape(4, 2, 3)
    tiledb_rs.create(uri, Schema([Dim("y", (0, 3), 2), Dim("x", (0, 1))], [Attr("a", dtype, values_per_cell=3)]))
    with tiledb_rs.open(uri, "w") as array:
        array[...] = cells
    with xr.open_dataset(uri, engine="tiledb_rs") as found:
        assert found["a"].dims == ("y", "x", "a_values")
        np.testing.assert_array_equal(found["a"].values, cells)
        part = found["a"].isel(y=slice(None, None, -2), x=1, a_values=[2, 0])
        np.testing.assert_array_equal(part.values, cells[::-2, 1][:, [2, 0]])
        np.testing.assert_array_equal(found["a"].isel(a_values=1).values, cells[..., 1])


def test_attributes_keep_their_numbers(uri):
    attributes = {"large": [2**63, -1], "table": np.arange(4).reshape(2, 2), "swapped": np.arange(3, dtype=">i2")}
    xr.Dataset(attrs=attributes).tiledb_rs.write(uri)
    found = xr.open_dataset(uri, engine="tiledb_rs").attrs
    assert found["large"] == [2**63, -1]
    for name in "table", "swapped":
        np.testing.assert_array_equal(found[name], attributes[name])


def test_groups_are_datatrees(uri):
    dataset().tiledb_rs.write(uri)
    dataset()[["count"]].tiledb_rs.write(f"{uri}/inner")
    with tiledb_rs.open(uri, "w") as group:
        group.add("inner", "inner", relative=True)
    tree = xr.open_datatree(uri, engine="tiledb_rs")
    xr.testing.assert_identical(tree["inner"].to_dataset()[["count"]].load(), dataset()[["count"]])


@pytest.fixture(params=["s", "ms", "us", "ns"])
def time_unit(request):
    return request.param


@pytest.fixture(params=[False, True])
def use_dask(request):
    return request.param


backends = pytest.importorskip("xarray.tests.test_backends", reason="no tests of xarray")


class TestBase(backends.DatasetIOBase):
    """The tests that xarray has for all backends."""

    engine = "tiledb_rs"

    # A store that is written to directly does not exist, and tests of coroutines need a plugin.
    test_write_store = None
    test_load_async = None

    @pytest.mark.xfail(reason="the name None is stored as a text")
    def test_roundtrip_None_variable(self):
        super().test_roundtrip_None_variable()

    @contextlib.contextmanager
    def create_store(self):
        yield None

    @contextlib.contextmanager
    def roundtrip(self, data, save_kwargs=None, open_kwargs=None, allow_cleanup_failure=False):
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "store")
            self.save(data, path, **(save_kwargs or {}))
            with self.open(path, **(open_kwargs or {})) as found:
                yield found

    def save(self, dataset, path, **options):
        encoding = options.pop("encoding", None) or {}
        options.pop("unlimited_dims", None)
        dataset = dataset.copy()
        for name, values in encoding.items():
            dataset[name].encoding = values
        dataset.tiledb_rs.write(path, **options)

    @contextlib.contextmanager
    def open(self, path, **options):
        with xr.open_dataset(path, engine=self.engine, **options) as found:
            yield found


def test_lists_select_from_each_axis_of_an_empty_variable(uri):
    written = xr.Dataset({"a": (("x", "y", "z"), np.empty((0, 3, 4)))})
    written.tiledb_rs.write(uri)
    keys = {"y": [0, 2], "z": [1, 1, 3]}, {"y": 1, "z": [0, 2]}, {"x": [], "y": [True, False, True]}
    for key in keys:
        with xr.open_dataset(uri, engine="tiledb_rs") as found:
            xr.testing.assert_identical(found.isel(key).load(), written.isel(key))


def test_single_characters_keep_their_dimensions(uri):
    written = xr.Dataset(
        {
            "line": (("x",), np.array([b"a", b"", b"c"])),
            "plane": (("x", "y"), np.array([[b"a"], [b"b"], [b""]])),
            "scalar": ((), np.bytes_(b"q")),
        }
    )
    written.tiledb_rs.write(uri)
    for chunks in None, {}:
        with xr.open_dataset(uri, engine="tiledb_rs", chunks=chunks) as found:
            xr.testing.assert_identical(found.load(), written)


def test_texts_of_numpy_can_be_chunks(uri):
    pytest.importorskip("dask")
    texts = np.array(["a", "", "größer"], dtype=np.dtypes.StringDType())
    written = xr.Dataset({"text": (("x",), texts)})
    written.chunk({"x": 2}).tiledb_rs.write(uri)
    with xr.open_dataset(uri, engine="tiledb_rs") as found:
        assert found["text"].values.tolist() == ["a", "", "größer"]


def test_failed_writes_leave_nothing_or_what_existed(uri, tmp_path):
    wrong = xr.Dataset({"a": (("x",), np.arange(3)), "b": (("x",), np.arange(3), {"wrong": {1}})})
    with pytest.raises(TypeError):
        wrong.tiledb_rs.write(uri)
    assert not os.path.exists(uri)
    dataset().tiledb_rs.write(uri)
    with pytest.raises(TypeError):
        wrong.tiledb_rs.write(uri, overwrite=True)
    with xr.open_dataset(uri, engine="tiledb_rs") as found:
        assert found.identical(dataset())
    assert os.listdir(os.path.dirname(uri)) == [os.path.basename(uri)]
    other = tmp_path / "folder" / "other"
    other.parent.mkdir()
    other.write_text("text")
    with pytest.raises(TypeError):
        wrong.tiledb_rs.write(other.parent)
    assert other.read_text() == "text" and not (other.parent / "a").exists()


def test_a_dataset_can_replace_what_it_is_read_from(uri):
    dataset().tiledb_rs.write(uri)
    with xr.open_dataset(uri, engine="tiledb_rs") as found:
        (found[["temp"]] + 1).tiledb_rs.write(uri, overwrite=True)
    with xr.open_dataset(uri, engine="tiledb_rs") as found:
        np.testing.assert_array_equal(found["temp"], dataset()["temp"] + 1)


def test_variables_keep_their_names(uri):
    names = "x", "x.data", "a.data", "__a", "__schema", "..", "a/b", "/a", "a\\b", "a b", "é" * 150
    written = xr.Dataset({name: (("x",), [number], {"n": number}) for number, name in enumerate(names)})
    written["y.data"] = ("y", [1, 2])
    written["../outside"] = 5
    written.tiledb_rs.write(uri)
    with xr.open_dataset(uri, engine="tiledb_rs") as found:
        assert found.identical(written)
    assert os.listdir(os.path.dirname(uri)) == [os.path.basename(uri)]
    with pytest.raises(ValueError, match="name"):
        xr.Dataset({"": 1}).tiledb_rs.write(uri, overwrite=True)
    with pytest.raises(ValueError, match="__tiledb_a"):
        xr.Dataset(attrs={"__tiledb_a": 1}).tiledb_rs.write(uri, overwrite=True)


def test_attributes_of_nested_values_survive(uri):
    attributes = {
        "lists": [[1, 2], [3]],
        "ragged": [1, [2, 3]],
        "large": 2**70,
        "least": -(2**63) - 1,
        "values": {"a": np.int64(3), "b": [np.float32(1.5), None], "c": np.arange(2)},
        "texts": ["a", np.str_("b")],
        "truths": [True, np.bool_(False)],
    }
    plain = {**attributes, "values": {"a": 3, "b": [1.5, None], "c": [0, 1]}}
    xr.Dataset({"a": ((), 1, attributes)}, attrs=attributes).tiledb_rs.write(uri)
    with xr.open_dataset(uri, engine="tiledb_rs") as found:
        assert found.attrs == plain and found["a"].attrs == plain


def test_codecs_of_zarr_are_not_filters(uri):
    written = xr.Dataset({"a": (("x",), np.arange(3))})
    written["a"].encoding["filters"] = [object()]
    written.tiledb_rs.write(uri)
    with tiledb_rs.open(uri) as group:
        assert group["a"].schema.attrs[0].filters == ["zstd"]
    written["a"].encoding["filters"] = ["byteshuffle", ("gzip", 5)]
    written.tiledb_rs.write(uri, overwrite=True)
    with tiledb_rs.open(uri) as group:
        assert group["a"].schema.attrs[0].filters == ["byteshuffle", ("gzip", 5)]
