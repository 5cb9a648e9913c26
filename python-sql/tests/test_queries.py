"""SQL over arrays: results, errors, interruption, forks, and tables of the package datafusion."""

import concurrent.futures
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pyarrow as pa
import pytest
import tiledb_rs
from tiledb_rs import Attr, Dim, Schema


@pytest.fixture
def weather(tmp_path):
    """A sparse array of days with a station, an enumeration, and a temperature that may be null."""
    uri = str(tmp_path / "weather")
    table = pa.table(
        {
            "day": pa.array(np.arange(1000), pa.int64()),
            "station": pa.array(["Bergen", "Oslo", "Vardø", "Tromsø"] * 250),
            "temperature": pa.array([None if k % 10 == 3 else k / 10 for k in range(1000)], pa.float64()),
        }
    )
    schema = Schema(
        [Dim("day", (0, 9999), 100)],
        [Attr("station", str), Attr("temperature", "float64", nullable=True)],
        sparse=True,
    )
    tiledb_rs.create(uri, schema)
    with tiledb_rs.open(uri, "w") as array:
        array.write(table)
    return uri


@pytest.fixture
def grid(tmp_path):
    """A dense array of 100 x 100 cells."""
    uri = str(tmp_path / "grid")
    tiledb_rs.create(uri, Schema([Dim("y", (0, 99), 10), Dim("x", (0, 99), 10)], [Attr("v", "int32")]))
    with tiledb_rs.open(uri, "w") as array:
        array[...] = np.arange(10_000, dtype=np.int32).reshape(100, 100)
    return uri


def rows(text, **options):
    return tiledb_rs.sql(text, **options).arrow().to_pylist()


def test_columns_and_predicates(weather, grid):
    tables = {"w": weather, "g": grid}
    found = tiledb_rs.sql("SELECT temperature, day FROM w WHERE day BETWEEN 10 AND 14 ORDER BY day", tables=tables).arrow()
    assert found.schema == pa.schema([pa.field("temperature", pa.float64()), pa.field("day", pa.int64(), nullable=False)])
    assert found.to_pydict() == {"temperature": [1.0, 1.1, 1.2, None, 1.4], "day": [10, 11, 12, 13, 14]}
    assert rows("SELECT count(*) n FROM w WHERE temperature IS NULL", tables=tables) == [{"n": 100}]
    assert rows("SELECT day FROM w WHERE station = 'Vardø' AND temperature < 1 ORDER BY 1", tables=tables) == [{"day": 2}, {"day": 6}]
    assert rows("SELECT sum(v) s FROM g WHERE y = 3 AND x IN (5, 7)", tables=tables) == [{"s": 305 + 307}]
    assert rows("SELECT y, max(v) m FROM g WHERE y >= 98 GROUP BY y ORDER BY y", tables=tables) == [
        {"y": 98, "m": 9899},
        {"y": 99, "m": 9999},
    ]
    assert rows(f"SELECT v FROM tiledb('{grid}') WHERE y = 1 AND x = 1") == [{"v": 101}]


def test_joins_of_arrays(weather, grid):
    found = rows(
        "SELECT w.station, count(*) n, sum(g.v) s FROM w JOIN g ON w.day = g.v WHERE g.y < 2 GROUP BY 1 ORDER BY 1",
        tables={"w": weather, "g": grid},
    )
    names = ["Bergen", "Oslo", "Vardø", "Tromsø"]
    expected = [{"station": name, "n": 50, "s": sum(range(k, 200, 4))} for k, name in enumerate(names)]
    assert found == sorted(expected, key=lambda row: row["station"])


def test_results_are_tables_of_other_packages(weather):
    result = tiledb_rs.sql("SELECT station, count(*) n FROM w GROUP BY 1 ORDER BY 1", tables={"w": weather})
    assert pa.table(result)["n"].to_pylist() == [250] * 4
    assert pa.schema(result).names == ["station", "n"]
    assert [batch.num_rows for batch in result.batches()] == [4]
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame = result.pandas()
    assert isinstance(frame, pandas.DataFrame) and frame["station"].tolist() == ["Bergen", "Oslo", "Tromsø", "Vardø"]
    frame = result.polars()
    assert isinstance(frame, polars.DataFrame) and frame["n"].sum() == 1000
    empty = tiledb_rs.sql("SELECT * FROM w WHERE day > 5000", tables={"w": weather})
    assert empty.polars().shape == (0, 3) and empty.arrow().num_rows == 0


@pytest.mark.parametrize(
    "text, error, part",
    [
        ("SELEC 1", ValueError, "SELEC"),
        ("SELECT x FROM w", ValueError, "x"),
        ("SELECT * FROM missing", ValueError, "missing"),
        ("SELECT * FROM tiledb('{uri}-missing')", FileNotFoundError, "-missing"),
        ("SELECT * FROM tiledb('{uri}', nonsense => 1)", ValueError, "nonsense"),
        ("INSERT INTO w VALUES (20000, 'Oslo', 1.0)", ValueError, "20000"),
        ("UPDATE w SET temperature = 1", NotImplementedError, "UPDATE"),
    ],
)
def test_errors_have_a_meaning(weather, text, error, part):
    with pytest.raises(error, match=part) as raised:
        tiledb_rs.sql(text.replace("{uri}", weather), tables={"w": weather}).arrow()
    assert isinstance(raised.value, tiledb_rs.Error)


def test_damaged_files_are_an_error(weather):
    fragment = next(os.scandir(f"{weather}/__fragments")).path
    largest = max(os.scandir(fragment), key=lambda entry: entry.stat().st_size).path
    for file in os.listdir(fragment):
        if file.startswith(("a", "d")) and file.endswith(".tdb"):
            with open(os.path.join(fragment, file), "r+b") as opened:
                opened.truncate(1)
    assert largest
    with pytest.raises((OSError, tiledb_rs.Error)) as raised:
        tiledb_rs.sql("SELECT sum(temperature), min(station) FROM w", tables={"w": weather}).arrow()
    assert isinstance(raised.value, tiledb_rs.Error)


def test_parquet_files_are_written_and_read(weather, tmp_path):
    import pyarrow.parquet

    file = str(tmp_path / "rows.parquet")
    copied = rows(f"COPY (SELECT day, station FROM w WHERE day < 10) TO '{file}'", tables={"w": weather})
    assert copied == [{"count": 10}]
    assert pyarrow.parquet.read_table(file)["day"].to_pylist() == list(range(10))


#: A query that takes minutes, and whose first rows come at its end.
LONG = "SELECT count(*) FROM generate_series(1, 2000000) a JOIN generate_series(1, 2000000) b ON a.value % 7 < b.value % 5"
#: A query that takes minutes and has rows from the start.
ENDLESS = "SELECT a.value + b.value FROM generate_series(1, 1000000) a CROSS JOIN generate_series(1, 1000000) b"


#: The seconds after which an interrupt has had no effect. They are fewer than those of the queries.
LIMIT = 20


def interrupt(program):
    """Runs a program that prints "ready", interrupts it, and returns what it prints then."""
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate(timeout=60)
        assert process.returncode == 0
        assert time.monotonic() - begun < LIMIT
        return printed
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("text", [LONG, ENDLESS])
@pytest.mark.parametrize(
    "read",
    [
        "for batch in result.batches(): pass",
        "result.arrow()",
        "pyarrow.table(result)",
        "[None for batch in pyarrow.RecordBatchReader.from_stream(result)]",
    ],
)
def test_ctrl_c_ends_a_query(text, read):
    # The exception of a consumer, such as pyarrow, may come before the interrupt. Queries run afterwards.
    printed = interrupt(
        # An interrupted import may ignore the interrupt.
        "import pyarrow, tiledb_rs\n"
        f"result = tiledb_rs.sql({text!r})\n"
        "print('ready', flush=True)\n"
        "try:\n"
        "    try:\n"
        f"        {read}\n"
        "    except Exception as problem:\n"
        "        assert 'interrupted' in str(problem)\n"
        "        while True: pass\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', tiledb_rs.sql('SELECT 40 + 2 AS n').arrow()['n'][0], flush=True)\n"
    )
    assert printed == "interrupted 42\n"


def test_interrupted_statements_change_nothing(weather, tmp_path):
    before = sorted(os.listdir(tmp_path)), sorted(os.listdir(f"{weather}/__commits"))
    slow = LONG.replace("count(*)", "count(*) AS day, 'Oslo' AS station, 1.0 AS temperature")
    for statement in [
        f"INSERT INTO w {slow}",
        f"COPY ({slow}) TO '{tmp_path}/copy' STORED AS TILEDB",
        f"COPY ({slow}) TO '{tmp_path}/copy.parquet'",
    ]:
        printed = interrupt(
            "import tiledb_rs\n"
            "print('ready', flush=True)\n"
            "try:\n"
            f"    tiledb_rs.sql({statement!r}, tables={{'w': {weather!r}}})\n"
            "except KeyboardInterrupt:\n"
            "    print('interrupted', flush=True)\n"
        )
        assert printed == "interrupted\n"
    assert (sorted(os.listdir(tmp_path)), sorted(os.listdir(f"{weather}/__commits"))) == before


def count(uri, found):
    found.append(tiledb_rs.sql("SELECT count(*) n FROM w", tables={"w": uri}).arrow()["n"][0].as_py())


def test_threads_run_queries_at_the_same_time(weather):
    found = []
    threads = [threading.Thread(target=count, args=(weather, found)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [1000] * 8


def in_child(uri, queue):
    found = []
    count(uri, found)
    queue.put(found)


def test_threads_can_share_rows(tmp_path):
    uri, rows = str(tmp_path / "numbers"), 200_000
    tiledb_rs.from_arrow(uri, pa.table({"x": np.arange(rows), "t": np.arange(rows).astype(str)}), ["x"])
    with tiledb_rs.open(uri) as array:
        batches = tiledb_rs.sql("SELECT x, t FROM a", tables={"a": array}).batches()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            parts = list(pool.map(lambda _: list(batches), range(8)))
    read = np.sort(np.concatenate([batch.column("x") for part in parts for batch in part]))
    np.testing.assert_array_equal(read, np.arange(rows))


def test_errors_with_zeros_in_their_texts_end_a_stream(tmp_path):
    """In a process of its own, which such a text ended."""
    uri, rows = str(tmp_path / "numbers"), 500_000
    tiledb_rs.from_arrow(uri, pa.table({"x": np.arange(rows)}), ["x"])
    program = r"""
import sys, tiledb_rs
statement = "SELECT CAST(CASE WHEN x = 499999 THEN 'a' || chr(0) ELSE '1' END AS INT) FROM a ORDER BY x"
try:
    tiledb_rs.sql(statement, tables={"a": tiledb_rs.open(sys.argv[1])}).arrow()
except Exception as problem:
    assert "a" in str(problem), problem
    print("raised")
"""
    run = subprocess.run([sys.executable, "-c", program, uri], capture_output=True, text=True, timeout=300)
    assert (run.returncode, run.stdout) == (0, "raised\n"), run.stderr


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:This process")
def test_child_processes_run_queries(weather, method):
    count(weather, [])
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    child = context.Process(target=in_child, args=(weather, queue))
    child.start()
    assert queue.get(timeout=120) == [1000]
    child.join()
    assert child.exitcode == 0


def test_arrays_are_tables_of_datafusion(weather, grid):
    datafusion = pytest.importorskip("datafusion")
    context = datafusion.SessionContext()
    with tiledb_rs.open(weather) as array, tiledb_rs.open(grid) as other:
        context.register_table("w", array)
        context.register_table("g", other)
        query = "SELECT station, count(*) n, sum(v) s FROM w JOIN g ON day = v WHERE temperature < 10 AND y = 0 GROUP BY 1 ORDER BY 1"
        found = context.sql(query).to_arrow_table().to_pylist()
        days = [k for k in range(100) if k % 10 != 3]
        names = ["Bergen", "Oslo", "Vardø", "Tromsø"]
        expected = [
            {"station": name, "n": len(of_name), "s": sum(of_name)}
            for k, name in enumerate(names)
            for of_name in [[day for day in days if day % 4 == k]]
        ]
        assert found == sorted(expected, key=lambda row: row["station"])
        plan = context.sql("SELECT temperature FROM w WHERE day > 990").execution_plan().display_indent()
        # The scan evaluates the condition completely.
        assert "TileDbScan" in plan and "FilterExec" not in plan
        # The array of the table stays the one that was registered.
        tiledb_rs.sql("INSERT INTO t VALUES (5000, 'Oslo', 0.0)", tables={"t": weather})
        assert context.sql("SELECT count(*) n FROM w").to_arrow_table()["n"].to_pylist() == [1000]


def test_another_version_of_datafusion_is_an_error(weather, monkeypatch):
    datafusion = pytest.importorskip("datafusion")
    monkeypatch.setattr(datafusion, "__version__", "54.1.0")
    with tiledb_rs.open(weather) as array, pytest.raises(NotImplementedError, match="version 55"):
        datafusion.SessionContext().register_table("w", array)
