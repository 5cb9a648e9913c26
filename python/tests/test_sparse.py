"""Sparse arrays and tables: queries, writes, maintenance, groups."""

import datetime
import os
import time

import numpy as np
import pytest
import tiledb_rs
from tiledb_rs import Attr, Dim, Schema

pyarrow = pytest.importorskip("pyarrow")


@pytest.fixture
def stations(uri):
    dims = [Dim("day", (np.datetime64("2024-01-01"), np.datetime64("2024-12-31")), 7, "datetime64[D]")]
    dims.append(Dim("station", dtype=str))
    attrs = [Attr("temp", "float64", nullable=True), Attr("note", str, nullable=True)]
    tiledb_rs.create(uri, Schema(dims, attrs, sparse=True, capacity=100))
    days = np.datetime64("2024-01-01") + np.arange(300)
    table = {
        "day": days,
        "station": np.array([f"s{index % 3}" for index in range(300)]),
        "temp": np.ma.masked_array(np.arange(300.0), np.arange(300) % 10 == 9),
        "note": np.array([None if index % 2 else f"n{index}" for index in range(300)], dtype=object),
    }
    with tiledb_rs.open(uri, "w", timestamp=10) as array:
        assert array.write(table) == 300
    return uri


def test_queries_return_tables_of_other_packages(stations):
    with tiledb_rs.open(stations) as array:
        query = array.query("temp > 20 AND station IN ('s0', 's1')", columns=["day", "temp"])
        expected = [n for n in range(21, 300) if n % 3 < 2 and n % 10 != 9]
        table = query.arrow()
        assert table.schema.names == ["day", "temp"] and str(table.schema.field("day").type) == "date32[day]"
        assert sorted(table["temp"].to_pylist()) == expected
        assert sorted(query.numpy()["temp"].tolist()) == expected
        assert query.numpy()["day"].dtype == "datetime64[D]"
        assert query.count() == len(expected)
        assert sum(len(batch) for batch in query.batches()) == len(expected)
        assert len(list(array.query(batch_bytes=2000).batches())) > 3
        ranges = {"day": slice("2024-02-01", "2024-02-10"), "station": ["s1", ("s2", "s2")]}
        found = array.query(ranges=ranges, order="row-major").numpy()
        assert found["temp"].tolist() == [n if n % 10 != 9 else None for n in range(31, 41) if n % 3]
        nulls = array.query(columns=["note"], ranges={"day": "2024-01-02"}).numpy()["note"]
        assert nulls.tolist() == [None]
        assert array.query(order="row-major").arrow()["note"].null_count == 150
        with pytest.raises(ValueError, match="at character"):
            array.query("temp >")
        with pytest.raises(KeyError):
            array.query(columns=["none"])
        with pytest.raises(KeyError):
            array.query(ranges={"none": 1})
        with pytest.raises(TypeError):
            array.query(columns="temp")
        with pytest.raises(ValueError):
            array.query(order="sideways")


def test_slices_select_cells_by_coordinates(stations):
    with tiledb_rs.open(stations) as array:
        found = array["2024-01-02":"2024-01-03"] if False else array[np.datetime64("2024-01-02"):np.datetime64("2024-01-03")]
        assert found["temp"].tolist() == [1, 2] and found["station"].tolist() == ["s1", "s2"]
        assert array[:, "s2"]["temp"].shape == (100,)
        assert array["temp"][np.datetime64("2024-01-02")].tolist() == [1.0]
        assert array[...]["day"].shape == (300,)
        with pytest.raises(IndexError):
            array[1, 2, 3]
        with pytest.raises(TypeError):
            array.shape


def test_aggregates_and_explanations(stations):
    with tiledb_rs.open(stations) as array:
        found = array.aggregate({"temp": ["min", "max", "mean", "null_count"], "day": "max"})
        values = [n for n in range(300) if n % 10 != 9]
        assert found["temp"] == {"min": 0, "max": 298, "mean": np.mean(values), "null_count": 30}
        assert found["day"]["max"] == np.datetime64("2024-10-26")
        assert array.aggregate({"temp": "count"}, "temp < 10")["temp"]["count"] == 9
        plan = array.explain("temp >= 290", columns=["temp"])
        assert plan["plan"]["tiles"] == 3 and "array " in str(plan) and "tiles" in plan._repr_html_()
        assert array.explain(run=True)["outcome"]["cells"] == 300
        with pytest.raises(ValueError):
            array.aggregate({"temp": "median"})


def test_streams_of_arrow_are_read_and_written(stations, tmp_path):
    array = tiledb_rs.open(stations)
    table = pyarrow.table(array.query(order="row-major"))
    assert table.num_rows == 300 and table["temp"].null_count == 30
    schema = pyarrow.schema([("temp", pyarrow.float64()), ("day", pyarrow.date32())])
    reader = pyarrow.RecordBatchReader.from_stream(array, schema=schema)
    assert reader.schema.names == ["temp", "day"]
    assert pyarrow.schema(array).names == ["day", "station", "temp", "note"]
    copy = str(tmp_path / "copy")
    tiledb_rs.create(copy, array.schema)
    with tiledb_rs.open(copy, "w") as written:
        assert written.write(table) == 300
        assert written.query(order="row-major").arrow().equals(table)
        with pytest.raises(TypeError, match="stream"):
            written.write(3)
        with pytest.raises(tiledb_rs.Error):
            written.write(table.drop_columns(["day"]))


def test_tables_become_arrays_with_recommended_schemas(tmp_path, capsys):
    table = pyarrow.table(
        {
            "id": pyarrow.array(range(5000), pyarrow.int64()),
            "kind": pyarrow.array(["oak", "ash"] * 2500),
            "size": pyarrow.array([None if n % 7 == 0 else n / 4 for n in range(5000)]),
            "time": pyarrow.array(range(5000), pyarrow.timestamp("us")),
        }
    )
    uri = str(tmp_path / "table")
    tiledb_rs.from_arrow(uri, table, ["id"], verbose=True)
    assert "kind" in capsys.readouterr().out
    array = tiledb_rs.open(uri)
    assert array.schema.attr("kind").enumeration is not None
    found = array.query(order="row-major").arrow()
    assert found["size"].to_pylist() == table["size"].to_pylist()
    assert found["kind"].cast(pyarrow.string()).to_pylist() == table["kind"].to_pylist()
    assert array.query("kind = 'ash' AND id < 10", columns=["id"], order="row-major").numpy()["id"].tolist() == [1, 3, 5, 7, 9]
    # New values of an enumeration are added to it.
    with tiledb_rs.open(uri, "w") as written:
        more = table.slice(0, 1).set_column(1, "kind", pyarrow.array(["elm"])).set_column(0, "id", pyarrow.array([9000]))
        written.write(more)
        assert written.query("kind = 'elm'").count() == 1
    schema, reasons = tiledb_rs.recommend(table, ["id"], domain={"id": (0, 9999)}, goal="size")
    assert schema.dim("id").domain == (0, 9999) and len(reasons) >= 4
    rows = str(tmp_path / "rows")
    tiledb_rs.from_arrow(rows, table)
    assert tiledb_rs.open(rows).query("size > 100").count() == sum(1 for n in range(5000) if n % 7 and n > 400)


def test_frames_of_pandas_and_polars_survive(tmp_path):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame = pandas.DataFrame({"x": [3, 1, 2], "name": ["c", "a", "b"], "v": [0.5, None, 1.5]})
    uri = str(tmp_path / "pandas")
    tiledb_rs.from_pandas(uri, frame, ["x"])
    found = tiledb_rs.open(uri).query(order="row-major").pandas()
    assert found["x"].tolist() == [1, 2, 3] and found["name"].astype(str).tolist() == ["a", "b", "c"]
    assert found["v"].isna().tolist() == [True, False, False]
    dated = frame.set_index(pandas.to_datetime(["2024-01-03", "2024-01-01", "2024-01-02"]).rename("day"))
    tiledb_rs.from_pandas(str(tmp_path / "dated"), dated)
    assert tiledb_rs.open(str(tmp_path / "dated")).schema.dims[0].name == "day"
    other = polars.DataFrame({"k": ["b", "a"], "v": [1, 2], "f": [1.5, float("nan")]})
    uri = str(tmp_path / "polars")
    tiledb_rs.from_polars(uri, other.lazy(), index=["k"])
    assert tiledb_rs.open(uri).query(order="row-major").polars()["v"].to_list() == [2, 1]


def test_lazy_frames_push_conditions_down(stations):
    polars = pytest.importorskip("polars")
    import datetime

    frame = tiledb_rs.scan(stations)
    whole = frame.collect()
    assert whole.height == 300
    column = polars.col
    for expression in (
        column("temp") > 20,
        (column("temp") <= 20) & (column("station") == "s1"),
        column("station").is_in(["s0", "s2"]) | (column("temp") == 7),
        column("day") >= datetime.date(2024, 6, 1),
        column("note").is_null() & (5 > column("temp")),
        column("note").str.starts_with("n1"),
        ~(column("temp") > 20),
        column("temp").is_in([1.0, 2.0]),
    ):
        expected = whole.filter(expression).sort("day")
        assert frame.filter(expression).collect().sort("day").equals(expected), expression
    assert frame.select("temp").head(7).collect().shape == (7, 1)
    assert frame.filter(column("temp") < 9).select(polars.len()).collect().item() == 9
    from tiledb_rs._polars import condition

    assert condition((column("temp") < 20) & column("note").str.len_chars().gt(1)) == '"temp" < 20'
    assert condition(column("temp") > 20, {"temp"}) is None
    assert condition((column("a") == "it's") | (column("b") == True)) == """("a" = 'it''s' OR "b" = TRUE)"""  # noqa: E712


def test_duckdb_reads_streams(stations):
    duckdb = pytest.importorskip("duckdb")
    cells = tiledb_rs.open(stations).query("temp < 30").batches()  # noqa: F841
    found = duckdb.sql("SELECT station, count(*) n FROM cells GROUP BY 1 ORDER BY 1").fetchall()
    assert found == [("s0", 9), ("s1", 9), ("s2", 9)]


def test_arrays_are_changed_and_maintained(uri):
    schema = Schema([Dim("x", (0, 999), 100)], [Attr("a", "int32"), Attr("e", str, enumeration=["p"])], sparse=True)
    tiledb_rs.create(uri, schema)
    array = tiledb_rs.open(uri, "w")
    for start in 0, 100, 200:
        x = np.arange(start, start + 100)
        array[x] = {"a": x, "e": np.full(100, "p")}
    assert len(array.fragments) == 3 and array.fragments[0].cells == 100
    array.delete("a >= 250")
    assert array.query().count() == 250
    array.evolve(add=[Attr("b", "float32")], extend={"e": ["q"]})
    assert array.enumeration("e") == ["p", "q"] and array.schema.attr("b").dtype == "float32"
    array.evolve(drop=["b"])
    assert array.schema.names == ("x", "a", "e")
    steps = []
    array.consolidate(progress=lambda *step: steps.append(step))
    assert len(array.fragments) == 1 and steps[0][0] == "consolidate" and steps[0][3] == "cells"
    array.vacuum()
    assert tiledb_rs.open(uri).query().count() == 250
    with pytest.raises(ValueError):
        array.consolidate("none")
    with pytest.raises(tiledb_rs.CancelledError):
        for start in 300, 400:
            array[np.arange(start, start + 100)] = {"a": np.arange(100), "e": np.full(100, "q")}
        array.consolidate(progress=lambda *step: False)
    assert array.query().count() == 450 and array.aggregate({"a": "max"})["a"]["max"] == 249


def test_metadata_is_a_mutable_mapping(uri):
    tiledb_rs.from_numpy(uri, np.arange(3))
    values = {
        "text": "größer",
        "empty": "",
        "number": 5,
        "large": 2**63,
        "real": 0.5,
        "flag": True,
        "bytes": b"\0\1",
        "no bytes": b"",
        "list": [1, 2, 3],
        "reals": [0.5, 1.5],
    }
    with tiledb_rs.open(uri, "w") as array:
        array.metadata.update(values)
        assert dict(array.metadata) == values
        array.metadata["number"] = np.float32(1.5)
        del array.metadata["text"]
        assert array.metadata["number"] == 1.5 and "text" not in array.metadata
        for key, error in (("x", TypeError), (3, TypeError)):
            with pytest.raises(error):
                array.metadata[key] = {"a": 1}
        with pytest.raises(TypeError):
            array.metadata["x"] = object()
        with pytest.raises(KeyError):
            array.metadata["text"]
        with pytest.raises(KeyError):
            del array.metadata["text"]
    with tiledb_rs.open(uri) as array:
        assert len(array.metadata) == 9
        with pytest.raises(OSError):
            array.metadata["x"] = 1


def test_groups_are_mappings(tmp_path):
    uri = str(tmp_path / "group")
    tiledb_rs.create_group(uri)
    for name in "one", "two":
        tiledb_rs.from_numpy(f"{uri}/{name}", np.arange(3))
    with tiledb_rs.open(uri, "w") as group:
        group.add("one", "first", relative=True)
        group.add(f"{uri}/two")
        group.metadata["a"] = 1
        assert set(group) >= {"first"} and len(group) == 2
        assert group["first"][2] == 2 and group.metadata == {"a": 1}
        assert "first" in repr(group) and "first" in group._repr_html_()
        group.discard("first")
        with pytest.raises(KeyError):
            group["first"]
    assert {kind for _, kind in tiledb_rs.ls(uri)} == {"array"}
    assert tiledb_rs.object_type(uri) == "group" and len(tiledb_rs.ls(str(tmp_path), recursive=True)) == 3
    tiledb_rs.rename(f"{uri}/one", f"{uri}/three")
    tiledb_rs.remove(f"{uri}/three")
    assert tiledb_rs.object_type(f"{uri}/three") is None
    with pytest.raises(OSError):
        tiledb_rs.open(uri).metadata["a"] = 2
    with pytest.raises(FileNotFoundError):
        tiledb_rs.open(uri + "x")


def test_descriptions_for_notebooks_escape_names(uri):
    tiledb_rs.create(uri, Schema([Dim("<x>", (0, 9), 2)], [Attr("a&b", "int32", nullable=True)]))
    with tiledb_rs.open(uri, "w") as array:
        array[:5] = np.arange(5)
        array.metadata["<k>"] = "<v>"
        for text in array._repr_html_(), array.schema._repr_html_(), array.fragments._repr_html_():
            assert "<x>" not in text and "<k>" not in text and "<v>" not in text
            assert text.count("<table>") == text.count("</table>")
        assert "&lt;x&gt;" in array._repr_html_() and "<svg" in array._repr_html_()


def test_datasets_of_pyarrow_push_filters_down(stations, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    import datetime
    import pickle

    from tiledb_rs._dataset import condition

    cells = tiledb_rs.dataset(stations)
    whole = cells.to_table()
    assert whole.num_rows == 300 and cells.schema.names == ["day", "station", "temp", "note"]
    field = pyarrow.dataset.field
    day = datetime.date(2024, 6, 1)
    for expression, expected in (
        (field("temp") > 20.5, '"temp" > 20.5'),
        ((field("station") == "s1") & (field("temp") <= 100), '("station" = \'s1\' AND "temp" <= 100)'),
        ((field("day") >= day) | field("note").is_valid(), '("day" >= \'2024-06-01\' OR "note" IS NOT NULL)'),
        (field("station").isin(["s0", "s2"]), "\"station\" IN ('s0', 's2')"),
        (field("station").isin([f"s{n}" for n in range(50)]), None),
        (~(field("temp") > 20), None),
        ((field("temp") < 9) & ~field("note").is_null(), '"temp" < 9'),
        (field("note").is_null(), '"note" IS NULL'),
        (field("temp") * 2 < 9, None),
        (field("note") == 'a"b', None),
        (field("station") == "it's", "\"station\" = 'it''s'"),
        (field("temp") == float("nan"), None),
        (field("temp") > 1e300, '"temp" > 1e+300'),
    ):
        pushed, names = condition(expression, cells.schema)
        assert pushed == expected, (str(expression), pushed)
        expected = whole.filter(expression).sort_by("day")
        assert cells.to_table(filter=expression).sort_by("day").equals(expected), expression
        assert cells.count_rows(filter=expression) == expected.num_rows
        assert cells.to_table(columns=["note"], filter=expression).column_names == ["note"]
    assert cells.count_rows() == 300 and cells.head(5).num_rows == 5
    assert cells.to_table(columns={"double": field("temp") * 2}).num_rows == 300
    assert pickle.loads(pickle.dumps(cells)).to_table().num_rows == 300
    assert tiledb_rs.dataset(stations, ranges={"day": slice("2024-02-01", "2024-02-10")}).count_rows() == 10
    for text, expected in (
        ("SELECT count(*) FROM cells", 300),
        ("SELECT count(*) FROM cells WHERE temp < 30 AND station = 's1'", 9),
        ("SELECT count(*) FROM cells WHERE station IN ('s0', 's1', 'x')", 200),
        ("SELECT sum(temp) FROM cells WHERE day BETWEEN DATE '2024-01-02' AND DATE '2024-01-04'", 6),
        ("SELECT count(*) FROM cells WHERE note IS NULL AND temp >= 100.5", 80),
    ):
        assert duckdb.sql(text).fetchall()[0][0] == expected, text
    # Enumerations are dictionaries, numbers of small types compare as numbers of larger types.
    other = str(tmp_path / "other")
    attrs = [Attr("e", str, enumeration=["a", "b"], nullable=True), Attr("f", "float32"), Attr("b", "bool"), Attr("u", "uint8")]
    tiledb_rs.create(other, Schema([Dim("x", (0, 9))], attrs, sparse=True))
    with tiledb_rs.open(other, "w") as array:
        array.write({"x": [1, 2, 3], "e": np.array(["a", None, "b"], object), "f": [0.1, np.nan, 5], "b": [True, False, True], "u": [1, 2, 255]})
    cells = tiledb_rs.dataset(other)
    for text, expected in (
        ("e = 'b'", [3]),
        ("e IN ('a', 'b') AND b", [1, 3]),
        ("f > 0.1::DOUBLE", [1, 2, 3]),
        ("u < 300 AND u > -5", [1, 2, 3]),
        ("NOT b OR e IS NULL", [2]),
    ):
        assert sorted(duckdb.sql(f"SELECT x FROM cells WHERE {text}").fetchnumpy()["x"].tolist()) == expected, text


def test_changes_have_the_timestamp_of_the_open(stations):
    start = tiledb_rs.open(stations).timestamp + 1000
    with tiledb_rs.open(stations, "w", timestamp=start) as array:
        array.delete("temp < 10")
        array.metadata["unit"] = "K"
        array.evolve(add=[Attr("wind", "float32")])
    with tiledb_rs.open(stations, "w", timestamp=(0, start + 1)) as array:
        del array.metadata["unit"]
    before = tiledb_rs.open(stations, timestamp=start - 1)
    assert before.query("temp < 10").count() == 9
    assert dict(before.metadata) == {} and len(before.schema.attrs) == 2
    after = tiledb_rs.open(stations, timestamp=start)
    assert after.query("temp < 10").count() == 0
    assert dict(after.metadata) == {"unit": "K"} and len(after.schema.attrs) == 3
    assert dict(tiledb_rs.open(stations, timestamp=start + 1).metadata) == {}


def test_a_time_range_without_an_end_writes_at_the_present(stations):
    with tiledb_rs.open(stations, "w", timestamp=(11, None)) as array:
        array.write({"day": ["2024-12-31"], "station": ["s0"], "temp": [1.5], "note": ["x"]})
        array.metadata["unit"] = "K"
    (_, last) = tiledb_rs.open(stations).fragments[-1].timestamps
    assert abs(last - time.time() * 1000) < 600_000
    assert dict(tiledb_rs.open(stations).metadata) == {"unit": "K"}


def test_milliseconds_of_a_datetime_are_exact(stations):
    for milliseconds in range(1000):
        when = datetime.datetime(2023, 11, 14, microsecond=milliseconds * 1000, tzinfo=datetime.timezone.utc)
        assert tiledb_rs.open(stations, timestamp=when).timestamp == 1_699_920_000_000 + milliseconds


def test_missing_values_of_lists_and_objects_are_null(stations):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    days = np.datetime64("2024-11-01") + np.arange(3)
    table = {"day": days, "station": ["t"] * 3, "temp": [1.5, None, np.nan], "note": ["a", None, "b"]}
    with tiledb_rs.open(stations, "w") as array:
        array.write(table)
        read = array.query(ranges={"station": "t"}, order="row-major").arrow()
        assert read["temp"].null_count == 1 and np.isnan(read["temp"][2].as_py())
        assert read["note"].to_pylist() == ["a", None, "b"]
        columns = [pandas.array([7, None, 8], dtype="Int64"), pandas.Series([7, None, 8], dtype="Float64")]
        columns += [pyarrow.array([7, None, 8]), pyarrow.chunked_array([[7, None], [8]])]
        columns.append(polars.Series([7, None, 8]))
        for column in columns:
            array.write({**table, "temp": column})
            read = array.query(ranges={"station": "t"}, order="row-major").arrow()
            assert read["temp"].to_pylist() == [7, None, 8]
            array.write(table)
        days = pyarrow.array(days)
        array.write({**table, "day": days, "temp": [7, 8, 9]})
        assert array.query(ranges={"station": "t"}).arrow()["temp"].to_pylist() == [7, 8, 9]
        with pytest.raises((ValueError, TypeError)):
            array.write({**table, "day": [days[0], None, days[1]]})
        with pytest.raises((ValueError, TypeError)):
            array.write({**table, "temp": [1.5, "x", 2]})
        with pytest.raises(TypeError, match="floating-point"):
            array.write({**table, "day": [1.5, 2.0, 3.0]})


def test_integers_that_do_not_fit_are_an_error(uri):
    tiledb_rs.create(uri, Schema([Dim("x", (0, 9), 5)], [Attr("a", "int8"), Attr("b", "int64")]))
    with tiledb_rs.open(uri, "w") as array:
        for a, b in (np.array([300]), 1), (1, np.array([2**63], "uint64")), (300, 1), ([-129], 1):
            with pytest.raises(OverflowError):
                array[3:4] = {"a": a, "b": b}
        array[3:4] = {"a": np.array([-128]), "b": np.array([2**63 - 1], "uint64")}
        assert array["a"][3] == -128 and array["b"][3] == 2**63 - 1


def test_an_index_of_pandas_that_does_not_number_the_rows_is_kept(tmp_path):
    pandas = pytest.importorskip("pandas")
    values = {"a": [1.0, 2.0, 3.0]}
    cases = [
        (pandas.RangeIndex(5, 20, 5), "__index_0", [5, 10, 15]),
        (pandas.RangeIndex(3, name="id"), "id", [0, 1, 2]),
        (pandas.Index([3, 4, 5], name=0), "0", [3, 4, 5]),
        (pandas.RangeIndex(3), "__tiledb_rows", [0, 1, 2]),
    ]
    for number, (index, name, expected) in enumerate(cases):
        uri = str(tmp_path / f"{number}")
        tiledb_rs.from_pandas(uri, pandas.DataFrame(values, index=index))
        found = tiledb_rs.open(uri).query(order="row-major").numpy()
        assert found[name].tolist() == expected and found["a"].tolist() == values["a"]
    # With the names of columns, named levels of the index are columns, too.
    frame = pandas.DataFrame({"k": [7, 8, 9], **values}, index=pandas.Index(["p", "q", "r"], name="day"))
    tiledb_rs.from_pandas(str(tmp_path / "named"), frame, ["k"])
    assert set(tiledb_rs.open(str(tmp_path / "named")).schema.names) == {"k", "day", "a"}
    tiledb_rs.from_pandas(str(tmp_path / "day"), frame, "day")
    assert tiledb_rs.open(str(tmp_path / "day"))["q"]["k"].tolist() == [8]


def test_times_of_all_years_can_be_coordinates(uri):
    days = pyarrow.array(np.array(["1678-01-01", "2261-12-31"], "datetime64[ns]"))
    tiledb_rs.from_arrow(uri, pyarrow.table({"day": days, "v": [1, 2]}), "day")
    found = tiledb_rs.open(uri).query(order="row-major").numpy()
    assert found["day"].tolist() == days.cast("int64").to_pylist()


def test_an_array_that_cannot_be_filled_is_removed(uri):
    with pytest.raises((ValueError, tiledb_rs.Error)):
        tiledb_rs.from_arrow(uri, pyarrow.table({"x": [1, None], "v": [1, 2]}), "x")
    assert tiledb_rs.object_type(uri) is None
    with pytest.raises(TypeError):
        tiledb_rs.from_numpy(uri, np.array([1, "a"], dtype=object))
    assert tiledb_rs.object_type(uri) is None
    tiledb_rs.from_arrow(uri, pyarrow.table({"x": [1, 3], "v": [1, 2]}), "x")
    with pytest.raises(tiledb_rs.AlreadyExistsError):
        tiledb_rs.from_arrow(uri, pyarrow.table({"x": [1, 3], "v": [1, 2]}), "x")
    assert tiledb_rs.open(uri).query().count() == 2


def test_an_empty_list_selects_no_cells(uri):
    for sparse in True, False:
        array_uri = f"{uri}{sparse}"
        tiledb_rs.create(array_uri, Schema([Dim("x", (0, 9), 5)], [Attr("a", "int64", nullable=True)], sparse=sparse))
        with tiledb_rs.open(array_uri, "w") as array:
            array[np.arange(10) if sparse else ...] = {"a": np.arange(10)}
            query = array.query(ranges={"x": []})
            assert query.count() == 0 and query.numpy()["a"].tolist() == [] and query.arrow().num_rows == 0
            assert query.aggregate({"a": ["count", "sum"]}) == {"a": {"count": 0, "sum": None}}
            cells = array[np.array([], "int64")]
            assert (cells["a"] if sparse else cells).tolist() == []


def test_problems_of_a_stream_of_arrow_are_raised(uri):
    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            raise LookupError("of the producer")

    tiledb_rs.create(uri, Schema([Dim("x", (0, 9))], [Attr("a")], sparse=True))
    with tiledb_rs.open(uri, "w") as array, pytest.raises(LookupError, match="of the producer"):
        array.write(Stream())


def test_filters_of_dense_arrays_do_not_select_fill_values(uri):
    pytest.importorskip("polars")
    import polars
    import pyarrow.dataset

    tiledb_rs.create(uri, Schema([Dim("x", (0, 9), 5)], [Attr("a", "int64"), Attr("s", str)]))
    with tiledb_rs.open(uri, "w") as array:
        array[...] = {"a": np.arange(10), "s": np.array(list("abcdefghij"))}
    dataset, column = tiledb_rs.dataset(uri), pyarrow.dataset.field
    for expression, lazy, expected in (
        (column("a") < 3, polars.col("a") < 3, [0, 1, 2]),
        (column("a") > 6, polars.col("a") > 6, [7, 8, 9]),
        (column("s") != "c", polars.col("s") != "c", [0, 1, 3, 4, 5, 6, 7, 8, 9]),
        ((column("a") < 3) & (column("x") > 0), (polars.col("a") < 3) & (polars.col("x") > 0), [1, 2]),
    ):
        assert dataset.to_table(filter=expression)["a"].to_pylist() == expected
        assert tiledb_rs.scan(uri).filter(lazy).collect()["a"].to_list() == expected


def test_a_signal_ends_a_long_call(uri):
    import signal

    class Alarm(Exception):
        pass

    def ring(*_):
        raise Alarm

    tiledb_rs.create(uri, Schema([Dim("x", (0, 9))], [Attr("a", "int64")], sparse=True, allow_duplicates=True))
    batch = pyarrow.record_batch({"x": pyarrow.array([1]), "a": pyarrow.array([2])})
    # A fragment for each batch takes minutes.
    table = pyarrow.Table.from_batches([batch] * 100_000)
    earlier = signal.signal(signal.SIGALRM, ring)
    try:
        with tiledb_rs.open(uri, "w") as array:
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            with pytest.raises(Alarm):
                array.write(table, fragment_bytes=1)
            array.reopen()
            assert array.query().count() < 100_000
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, earlier)


def test_columns_of_small_integers_can_be_dimensions(tmp_path):
    for name in "int8", "uint8", "int16", "uint16", "int64", "uint64":
        limits = np.iinfo(name)
        for number, values in enumerate(([0, 1], [limits.max, 1], [limits.min, 1])):
            uri = str(tmp_path / f"{name}{number}")
            tiledb_rs.from_arrow(uri, pyarrow.table({"x": pyarrow.array(values, name), "v": [1, 2]}), "x")
            assert sorted(tiledb_rs.open(uri).query().numpy()["x"].tolist()) == sorted(values)
        with pytest.raises(ValueError, match="'x'"):
            both = pyarrow.array([limits.min, limits.max], name)
            tiledb_rs.from_arrow(str(tmp_path / "both"), pyarrow.table({"x": both, "v": [1, 2]}), "x")
        # Without an extent, the last tile ends at a value of the type.
        Schema([Dim("x", (int(limits.min), int(limits.max) - 1), dtype=name)], [Attr("a")], sparse=True)


def test_categories_that_are_not_texts_are_values(uri):
    pandas = pytest.importorskip("pandas")
    tiledb_rs.from_pandas(uri, pandas.DataFrame({"c": pandas.Categorical([3, None, 1])}))
    assert tiledb_rs.open(uri).query(order="row-major").arrow()["c"].to_pylist() == [3, None, 1]
    tiledb_rs.from_arrow(uri + "e", pyarrow.table({"c": pyarrow.array(["", None]).dictionary_encode()}))
    frame = tiledb_rs.open(uri + "e").query(order="row-major").pandas()
    assert frame["c"].tolist()[0] == "" and frame["c"].isna().tolist() == [False, True]
    # The numbers of rows are the index of a copy.
    tiledb_rs.from_pandas(uri + "copy", frame)
    assert tiledb_rs.open(uri + "copy").query().count() == 2


def test_ranges_outside_of_the_domain_select_no_cells(uri):
    for sparse in True, False:
        array_uri = f"{uri}{sparse}"
        tiledb_rs.create(array_uri, Schema([Dim("x", (0, 9), 5)], [Attr("a", "int64")], sparse=sparse))
        with tiledb_rs.open(array_uri, "w") as array:
            array[np.arange(10) if sparse else ...] = {"a": np.arange(10)}
            for key, expected in (
                (10, []),
                ([10, 3], [3]),
                ((12, 15), []),
                ([(8, 12)], [8, 9]),
                (slice(5, 5), []),
                (slice(None, 0), []),
                (slice(20, 30), []),
                (-1, [9]),
                ([-2, 0], [0, 8]),
                (slice(-2, None), [8, 9]),
                (slice(0, -8), [0, 1]),
                (slice(8, 10**30), [8, 9]),
                (slice(-(10**30), 1), [0]),
                (slice(2**64, None), []),
            ):
                assert sorted(array.query(ranges={"x": key}).numpy()["a"].tolist()) == expected, key
    real = uri + "real"
    tiledb_rs.create(real, Schema([Dim("x", (0.0, 1.0), 0.5, "float64")], [Attr("a", "int64")], sparse=True))
    with tiledb_rs.open(real, "w") as array:
        array[[0.0, 1.0]] = {"a": [1, 2]}
        assert array[1.5]["a"].tolist() == array[-1.0]["a"].tolist() == [] and array[0.5:2.0]["a"].tolist() == [2]


def test_slices_of_a_large_table_become_one_fragment(uri):
    table = pyarrow.table({"x": range(20_000), "v": range(20_000)})
    tiledb_rs.create(uri, Schema([Dim("x", (0, 20_000))], [Attr("v", "int64", nullable=True)], sparse=True))
    with tiledb_rs.open(uri, "w") as array:
        slices = pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=100))
        assert array.write(slices, fragment_bytes=1 << 20) == 20_000
        assert len(array.fragments) == 1


def test_a_callback_of_progress_reads_a_stream(uri, tmp_path):
    other = str(tmp_path / "other")
    for name, rows in (uri, 10), (other, 60_000):
        tiledb_rs.from_arrow(name, pyarrow.table({"a": range(rows)}))
    read = []

    def callback(*_):
        # pyarrow releases the interpreter; after 0.1 s, the read looks for signals.
        if not read:
            read.append(tiledb_rs.open(other).query(batch_bytes=64).arrow().num_rows)

    with tiledb_rs.open(uri, "w") as array:
        array.write(pyarrow.table({"__tiledb_rows": [20], "a": [5]}))
        array.consolidate(progress=callback)
    assert read == [60_000]


def test_an_interrupt_ends_the_read_of_a_stream(uri):
    import signal

    tiledb_rs.from_arrow(uri, pyarrow.table({"a": range(300_000)}))
    earlier = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        # Batches of a few cells take many seconds.
        query = tiledb_rs.open(uri).query(batch_bytes=64)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            query.arrow()
        assert tiledb_rs.open(uri).query().count() == 300_000
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, earlier)


def test_members_of_groups_have_the_key_and_the_time_of_the_open(tmp_path):
    uri, key = str(tmp_path / "group"), "0123456789abcdef" * 2
    tiledb_rs.create_group(uri)
    tiledb_rs.create(f"{uri}/a", Schema([Dim("x", (0, 1))], [Attr("a", "int64")]), key=key)
    for time in 1000, 2000:
        with tiledb_rs.open(f"{uri}/a", "w", timestamp=time, key=key) as array:
            array[...] = time
    with tiledb_rs.open(uri, "w") as group:
        group.add("a", "a", relative=True)
    assert tiledb_rs.open(uri, key=key)["a"][0] == 2000
    assert tiledb_rs.open(uri, key=key, timestamp=1500)["a"][0] == 1000
    with pytest.raises(tiledb_rs.Error):
        tiledb_rs.open(uri)["a"]


def test_attributes_without_a_name_are_columns_of_frames(uri):
    polars = pytest.importorskip("polars")
    for number, cells in enumerate([np.arange(3), np.array(["2024-01-01", "NaT"], "datetime64[D]")]):
        tiledb_rs.from_numpy(f"{uri}{number}", cells)
        query = tiledb_rs.open(f"{uri}{number}").query()
        frame = tiledb_rs.scan(f"{uri}{number}")
        assert query.polars().columns == [""] and query.pandas().columns.tolist() == [""]
        assert frame.collect().columns == ["__dim_0", ""]
        assert frame.filter(polars.col("__dim_0") > 0).select("").collect().height == len(cells) - 1


def test_an_array_that_cannot_be_filled_leaves_the_files_of_its_folder(uri):
    os.mkdir(uri)
    notes = os.path.join(uri, "notes")
    with open(notes, "w") as file:
        file.write("notes")
    schema = Schema([Dim("id", (0, 3), 1)], [Attr("v", "int64")], sparse=True)
    for key in None, b"0" * 32:
        with pytest.raises(ValueError, match="outside of the domain"):
            tiledb_rs.from_arrow(uri, pyarrow.table({"id": [4], "v": [1]}), ["id"], schema=schema, key=key)
        assert os.listdir(uri) == ["notes"]


def test_float16_is_a_dimension_and_bytes_are_not(uri):
    halves = pyarrow.array(np.array([0.5, -2.0, 1.5], "float16"))
    tiledb_rs.from_arrow(uri, pyarrow.table({"x": halves, "v": [1, 2, 3]}), ["x"])
    found = tiledb_rs.open(uri)[:]
    assert found["x"].dtype == "float32" and found["x"].tolist() == [-2.0, 0.5, 1.5]
    for kind in pyarrow.binary(), pyarrow.large_binary(), pyarrow.binary_view():
        with pytest.raises(TypeError, match="cannot be a dimension"):
            tiledb_rs.recommend(pyarrow.table({"x": pyarrow.array([b"a"], kind)}), ["x"])


def test_cells_of_frames_keep_nan(uri):
    pd = pytest.importorskip("pandas")
    cells = [np.array([1.0, np.nan]), None, np.array([]), np.array([np.nan])]
    tiledb_rs.from_pandas(uri, pd.DataFrame({"cells": cells}))
    found = tiledb_rs.open(uri).query(columns=["cells"]).arrow()["cells"].to_pylist()
    assert [None if cell is None else [repr(value) for value in cell] for cell in found] == [
        ["1.0", "nan"],
        None,
        [],
        ["nan"],
    ]


def test_writes_return_the_number_of_cells(tmp_path):
    dense, sparse = str(tmp_path / "dense"), str(tmp_path / "sparse")
    tiledb_rs.create(dense, Schema([Dim("y", (0, 2), 3), Dim("x", (0, 3), 4)], [Attr("a")]))
    tiledb_rs.create(sparse, Schema([Dim("x", (0, 9), 5)], [Attr("a")], sparse=True))
    with tiledb_rs.open(dense, "w") as array:
        assert array.write({"a": np.zeros((3, 4))}) == 12
    with tiledb_rs.open(sparse, "w") as array:
        assert array.write({"a": [1.0, 2.0], "x": [1, 2]}) == 2
        assert array.write({"a": np.float64(3.0), "x": 3}) == 1
    assert tiledb_rs.open(sparse)["a"][:].tolist() == [1.0, 2.0, 3.0]
