"""SQL by the package `tiledb_rs_sql`, if it is installed."""

import numpy as np
import pytest
import tiledb_rs
from tiledb_rs import Attr, Dim, Schema

pytest.importorskip("pyarrow")


@pytest.fixture
def trees(uri):
    pytest.importorskip("tiledb_rs_sql")
    schema = Schema([Dim("id", (0, 9999), 100)], [Attr("tree", str), Attr("height", "float64", nullable=True)], sparse=True)
    tiledb_rs.create(uri, schema)
    with tiledb_rs.open(uri, "w", timestamp=10) as array:
        height = np.ma.masked_equal(np.arange(100.0), 7)
        array.write({"id": np.arange(100), "tree": ["oak", "ash"] * 50, "height": height})
    return uri


def test_a_missing_package_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "tiledb_rs_sql", None)
    with pytest.raises(ImportError, match="pip install tiledb-rs-sql"):
        tiledb_rs.sql("SELECT 1")


def test_statements_read_and_write_arrays(trees):
    found = tiledb_rs.sql(f"SELECT tree, count(*) n, max(height) m FROM tiledb('{trees}') WHERE id < 10 GROUP BY 1 ORDER BY 1")
    assert found.arrow().to_pylist() == [{"tree": "ash", "n": 5, "m": 9.0}, {"tree": "oak", "n": 5, "m": 8.0}]
    assert found.pandas()["n"].tolist() == [5, 5] and found.polars().height == 2
    assert sum(batch.num_rows for batch in found.batches()) == 2
    with tiledb_rs.open(trees) as array:
        read = tiledb_rs.sql("SELECT sum(height) s FROM t WHERE tree = 'oak'", tables={"t": array})
        assert read.arrow()["s"].to_pylist() == [float(sum(range(0, 100, 2)))]
        inserted = tiledb_rs.sql("INSERT INTO t VALUES (500, 'elm', 1.5), (501, 'elm', NULL)", tables={"t": trees})
        # The statement ran once, however often its result is read.
        assert inserted.arrow()["count"].to_pylist() == [2] == inserted.arrow()["count"].to_pylist()
        assert tiledb_rs.open(trees).query("tree = 'elm'").count() == 2
        # The open array has the state of its opening.
        assert tiledb_rs.sql("SELECT count(*) n FROM t", tables={"t": array}).arrow()["n"].to_pylist() == [100]
    counted = tiledb_rs.sql("SELECT count(*) n FROM t", tables={"t": trees}, timestamp=10)
    assert counted.arrow()["n"].to_pylist() == [100]
    for text, error in (
        ("SELECT FROM FROM", ValueError),
        ("SELECT x FROM none", ValueError),
        (f"SELECT x FROM tiledb('{trees}')", ValueError),
        (f"SELECT * FROM tiledb('{trees}x')", tiledb_rs.Error),
    ):
        with pytest.raises(error):
            tiledb_rs.sql(text)
    for junk in None, 3, b"x":
        with pytest.raises(TypeError):
            tiledb_rs.sql(junk)


def test_groups_are_schemas(trees, tmp_path):
    group = str(tmp_path / "group")
    tiledb_rs.create_group(group)
    with tiledb_rs.open(group, "w") as opened:
        opened.add(trees, "trees")
    found = tiledb_rs.sql("SELECT count(*) n FROM g.trees", tables={"g": tiledb_rs.open(group)})
    assert found.arrow()["n"].to_pylist() == [100]


def test_arrays_are_tables_of_datafusion(trees):
    datafusion = pytest.importorskip("datafusion")
    context = datafusion.SessionContext()
    with tiledb_rs.open(trees) as array:
        context.register_table("trees", array)
        found = context.sql("SELECT tree, count(*) n FROM trees WHERE height < 10 GROUP BY tree ORDER BY tree").to_arrow_table()
        assert found.to_pylist() == [{"tree": "ash", "n": 4}, {"tree": "oak", "n": 5}]
        with pytest.raises(TypeError, match="session"):
            array.__datafusion_table_provider__()
