"""Dimension labels: their values as indexes, in queries, and as coordinates of xarray."""

import pickle

import numpy as np
import pytest
import tiledb_rs
from tiledb_rs import Attr, Dim, Label, Schema


@pytest.fixture
def soil(uri):
    dims = [Dim("row", (1, 5), 2), Dim("column", (0, 2), 2)]
    labels = [
        Label("depth", "row", "float64"),
        Label("name", "column", "ascii"),
        Label("day", "row", "datetime64[D]", order="decreasing"),
    ]
    tiledb_rs.create(uri, Schema(dims, [Attr("a", "int32"), Attr("b", "float32", nullable=True)], labels=labels))
    with tiledb_rs.open(uri, "w") as array:
        array[...] = {
            "a": np.arange(15).reshape(5, 3),
            "b": np.ma.masked_less(np.arange(15).reshape(5, 3), 4),
            "depth": [0.0, 0.5, 1.5, 4.0, 8.0],
            "name": ["ash", "elm", "oak"],
            "day": np.datetime64("2024-01-05") - np.arange(5),
        }
    return uri


def test_labels_select_cells_as_indexes(soil):
    array = tiledb_rs.open(soil)
    cells = np.arange(15).reshape(5, 3)
    for key, expected in (
        ({"depth": slice(0.5, 4.0)}, cells[1:4]),
        ({"depth": slice(0.6, None), "name": "elm"}, cells[2:, 1]),
        ({"depth": slice(None, 0.2)}, cells[:1]),
        ({"depth": [4.0, 0.0], "column": slice(1, None)}, cells[[3, 0], 1:]),
        ({"depth": 1.5, "name": "oak"}, cells[2, 2]),
        ({"name": ["oak", "ash"]}, cells[:, [2, 0]]),
        ({"name": slice("b", "p")}, cells[:, 1:]),
        ({"day": np.datetime64("2024-01-04")}, cells[1]),
        ({"day": slice(np.datetime64("2024-01-02"), np.datetime64("2024-01-03"))}, cells[2:4]),
        ({"day": slice("2024-01-02", None)}, cells[:4]),
        ({"row": 2, "name": "ash"}, cells[1, 0]),
        ({"depth": slice(None)}, cells),
        ({}, cells),
    ):
        found = array["a"][key]
        np.testing.assert_array_equal(found, expected, err_msg=str(key))
        assert np.shape(found) == expected.shape
        np.testing.assert_array_equal(array[key]["a"], expected)
    assert array["b"][{"depth": 0.5}].tolist() == [None, 4.0, 5.0]
    out = np.empty((2, 3), "int32")
    array["a"].read_into(out, {"depth": slice(0.5, 1.5)})
    assert out.tolist() == cells[1:3].tolist()
    assert array["a"][{"depth": slice(5.0, 6.0)}].shape == (0, 3)
    for key, error in (
        ({"depth": 0.7}, KeyError),
        ({"name": "beech"}, KeyError),
        ({"none": 1}, KeyError),
        ({"depth": 0.5, "row": 2}, IndexError),
        ({"depth": 0.5, "day": slice(None)}, IndexError),
        ({"depth": slice(0.0, 1.0, 2)}, IndexError),
        ({"name": slice("b", None)}, IndexError),
        ({"depth": "deep"}, Exception),
        ({3: 4}, TypeError),
    ):
        with pytest.raises(error):
            array["a"][key]


def test_labels_are_fields(soil):
    array = tiledb_rs.open(soil)
    assert array.schema.labels == {"depth": "row", "name": "column", "day": "row"}
    depth = array["depth"]
    assert depth.shape == (5,) and depth.dtype == "float64" and depth.ndim == 1
    assert depth[...].tolist() == [0.0, 0.5, 1.5, 4.0, 8.0]
    assert depth[2] == 0.5 and depth[4:].tolist() == [4.0, 8.0]
    assert depth.positions(slice(None, None, -2)).tolist() == [8.0, 1.5, 0.0]
    assert array["name"][...].tolist() == ["ash", "elm", "oak"]
    assert array["day"][1] == np.datetime64("2024-01-05")
    assert np.asarray(depth).sum() == 14.0
    assert pickle.loads(pickle.dumps(depth))[5] == 8.0
    with pytest.raises(TypeError, match="labels"):
        depth.read_into(np.empty(5))


def test_labels_are_ranges_and_columns_of_queries(soil):
    array = tiledb_rs.open(soil)
    found = array.query(ranges={"depth": slice(0.5, 2.0), "name": ["elm"]}).numpy()
    assert found["a"].tolist() == [4, 7]
    found = array.query(columns=["a", "depth"], ranges={"depth": (1.5, 4.0), "column": 0}).numpy()
    assert found["a"].tolist() == [6, 9] and found["depth"].tolist() == [1.5, 4.0]
    assert array.query(ranges={"day": slice("2024-01-04", "2024-01-09")}).count() == 6


def test_labels_are_written_in_parts(uri):
    schema = Schema([Dim("x", (0, 9), 5)], [Attr("a")], labels=[Label("l", "x", "int64")])
    tiledb_rs.create(uri, schema)
    with tiledb_rs.open(uri, "w") as array:
        array[:5] = {"a": np.arange(5.0), "l": np.arange(0, 50, 10)}
        array[5:] = {"a": np.arange(5.0), "l": np.arange(50, 100, 10)}
        assert array["l"][...].tolist() == list(range(0, 100, 10))
        assert array[{"l": slice(40, 60)}].tolist() == [4.0, 0.0, 1.0]
        with pytest.raises(Exception):
            array[:5] = {"a": np.arange(5.0), "l": [5, 4, 3, 2, 1]}
    for order, error in ("sideways", ValueError), (3, TypeError):
        with pytest.raises(error):
            Schema([Dim("x", (0, 9))], [Attr("a")], labels=[Label("l", "x", order=order)])
    with pytest.raises(tiledb_rs.Error):
        Schema([Dim("x", (0, 9))], [Attr("a")], labels=[Label("l", "y")])


def test_labels_are_coordinates_of_xarray(soil):
    xr = pytest.importorskip("xarray")
    with xr.open_dataset(soil, engine="tiledb_rs") as found:
        assert set(found.coords) == {"row", "depth", "name", "day"}
        assert found["depth"].dims == ("row",) and found["depth"].values.tolist() == [0.0, 0.5, 1.5, 4.0, 8.0]
        assert found["name"].values.tolist() == ["ash", "elm", "oak"]
        assert found.set_xindex("depth")["a"].sel(depth=4.0).values.tolist() == [9, 10, 11]
        assert "coordinates" not in found.attrs
