#!/usr/bin/env python3
"""CPU seconds of queries over an array of 8 M rows, beside DuckDB on a Parquet file with the same rows.

  pip install duckdb numpy pyarrow tiledb==0.36.1
  cargo bench -p tiledb-datafusion --bench queries --no-run
  sql/tests/tables.py --program target/release/deps/queries-... [--rows 8000000] [--dir DIR] [--repeat 5] [--works a,b]

Columns: id (the dimension, sorted), a float64, b int32 (0..999), s a text of 4 to 12 bytes. In the arrays, s is an enumeration,
integers have bitshuffle and zstd, and a has byteshuffle and LZ4; the Parquet file has zstd and 65536 rows in a group. Each side
runs all queries in one session of one process with two threads. The least of the repetitions counts. The page cache is warm.
"engine" is a read of the same fields without SQL, "dictionary" SQL with the option `dictionaries`, and "parquet" DataFusion on the
Parquet file. Ratios to the engine are those of SQL without and with dictionaries.
"""
import argparse, json, math, pathlib, resource, subprocess, sys, tempfile
import numpy as np


def columns(n):
    r = np.random.default_rng(7)
    a = np.round(np.cumsum(r.normal(size=n)), 2)
    b = r.integers(0, 1000, n).astype(np.int32)
    words = np.array([f"w{i:03d}" * (1 + i % 3) for i in range(500)])
    return np.arange(n, dtype=np.int64), a, b, words[r.integers(0, 500, n)]


def generate(folder, n):
    import pyarrow as pa, pyarrow.parquet as pq, tiledb as t
    if (folder / "t.parquet").exists():
        return
    i, a, b, s = columns(n)
    words, indexes = np.unique(s, return_inverse=True)
    shuffle = t.FilterList([t.BitShuffleFilter(), t.ZstdFilter(level=1)])
    attributes = [t.Attr("a", dtype=np.float64, filters=t.FilterList([t.ByteShuffleFilter(), t.LZ4Filter()])),
                  t.Attr("b", dtype=np.int32, filters=shuffle),
                  t.Attr("s", dtype=np.uint16, enum_label="words", filters=shuffle)]
    dimension = t.Dim("id", domain=(0, n - 1), tile=65536, dtype=np.int64,
                      filters=t.FilterList([t.DoubleDeltaFilter(), t.ZstdFilter(level=1)]))
    enumeration = t.Enumeration("words", False, values=[str(w) for w in words])
    for name, sparse in ("dense", False), ("sparse", True):
        schema = t.ArraySchema(t.Domain(dimension), attributes, sparse=sparse, capacity=65536, enums=[enumeration])
        t.Array.create(str(folder / name), schema)
        with t.open(str(folder / name), "w") as array:
            array[i if sparse else slice(None)] = {"a": a, "b": b, "s": indexes.astype(np.uint16)}
    pq.write_table(pa.table({"id": i, "a": a, "b": b, "s": s}), folder / "t.parquet", compression="zstd", row_group_size=65536)


def works(n):
    """Returns the table, the query and the fields that the engine reads for each work."""
    low, high = n // 2, n // 2 + n // 100
    points = ";".join(f"SELECT a FROM TABLE WHERE id = {k}" for k in range(5, n, n // 200))
    return {
        "scan_a": ("dense", "SELECT a FROM TABLE", "a"),
        "scan_s": ("dense", "SELECT s FROM TABLE", "s"),
        "scan_all": ("sparse", "SELECT a, id, b, s FROM TABLE", "a, id, b, s"),
        "range_1pct": ("dense", f"SELECT a FROM TABLE WHERE id BETWEEN {low} AND {high - 1}", None),
        "range_1pct_sparse": ("sparse", f"SELECT a FROM TABLE WHERE id BETWEEN {low} AND {high - 1}", None),
        "filter_1pct": ("sparse", "SELECT a FROM TABLE WHERE b < 10", None),
        "filter_string": ("sparse", "SELECT a FROM TABLE WHERE s = 'w007w007'", None),
        "sum_a": ("sparse", "SELECT sum(a) FROM TABLE", None),
        "sum_where": ("sparse", "SELECT sum(a) FROM TABLE WHERE b < 10", None),
        "point": ("dense", points, None),
    }


def duckdb_times(folder, queries, repeat):
    import duckdb
    c = duckdb.connect(config={"threads": 2})
    c.execute(f"CREATE VIEW t AS SELECT * FROM read_parquet('{folder}/t.parquet')")
    def cpu():
        r = resource.getrusage(resource.RUSAGE_SELF)
        return r.ru_utime + r.ru_stime
    for name, text in queries.items():
        least = math.inf
        for _ in range(repeat):
            before, number, total = cpu(), 0, 0.0
            for query in text.split(";"):
                result = c.execute(query)
                # Texts are not made objects of Python.
                if name in ("scan_s", "scan_all"):
                    found = result.to_arrow_table()
                    number += len(found)
                    total += float(found["a"].to_numpy().sum()) if "a" in found.column_names else 0.0
                else:
                    found = next(iter(result.fetchnumpy().values()))
                    number, total = number + len(found), total + float(found.sum())
            least = min(least, cpu() - before)
        yield name, (least, number, total)


def program_times(program, arguments, queries, repeat):
    text = "".join(f"-- {name}\n{query}\n" for name, query in queries.items())
    run = subprocess.run([program, "--threads", "2", "--repeat", str(repeat), *arguments], input=text, capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    for line in run.stdout.splitlines():
        name, cpu, _, rows, total = line.split("\t")
        yield name, (float(cpu), int(rows), float(total))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    ap.add_argument("--program", required=True); ap.add_argument("--rows", type=int, default=8_000_000)
    ap.add_argument("--dir"); ap.add_argument("--repeat", type=int, default=5); ap.add_argument("--works")
    ap.add_argument("--duckdb", action="store_true", help=argparse.SUPPRESS)
    o = ap.parse_args()
    temporary = None if o.dir else tempfile.TemporaryDirectory()
    folder = pathlib.Path(o.dir or temporary.name).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    chosen = {name: work for name, work in works(o.rows).items() if not o.works or name in o.works.split(",")}
    if o.duckdb:
        queries = {name: query.replace("TABLE", "t") for name, (_, query, _) in chosen.items()}
        return print(json.dumps(dict(duckdb_times(folder, queries, o.repeat))))
    generate(folder, o.rows)
    # A process without NumPy's and PyArrow's threads.
    arguments = [sys.executable, __file__, "--program", "", "--rows", str(o.rows), "--dir", folder, "--repeat", str(o.repeat), "--duckdb"]
    arguments += ["--works", o.works] if o.works else []
    duckdb = json.loads(subprocess.run(arguments, check=True, capture_output=True, text=True).stdout)
    arrays = ["--table", f"dense={folder}/dense", "--table", f"sparse={folder}/sparse"]
    ours = dict(program_times(o.program, arrays, {n: q.replace("TABLE", t) for n, (t, q, _) in chosen.items()}, o.repeat))
    reads = {n: f"READ {t}: {fields}" for n, (t, _, fields) in chosen.items() if fields}
    engine = dict(program_times(o.program, arrays, reads, o.repeat)) if reads else {}
    chosen_reads = {n: q.replace("TABLE", t) for n, (t, q, fields) in chosen.items() if fields}
    dictionaries = ["--option", "dictionaries=true", *arrays]
    dictionary = dict(program_times(o.program, dictionaries, chosen_reads, o.repeat)) if reads else {}
    files = ["--parquet", f"t={folder}/t.parquet"]
    parquet = dict(program_times(o.program, files, {n: q.replace("TABLE", "t") for n, (_, q, _) in chosen.items()}, o.repeat))
    print(f"{'work':20s}{'SQL':>9s}{'DuckDB':>9s}{'ratio':>7s}{'engine':>9s}{'ratio':>7s}{'dictionary':>11s}{'ratio':>7s}{'parquet':>9s}")
    ratios, failed = [], False
    for name, (cpu, rows, total) in ours.items():
        other = duckdb[name]
        ratios.append(cpu / other[0])
        line = f"{name:20s}{cpu:9.4f}{other[0]:9.4f}{ratios[-1]:7.2f}"
        if name in engine:
            line += f"{engine[name][0]:9.4f}{cpu / engine[name][0]:7.2f}"
            line += f"{dictionary[name][0]:11.4f}{dictionary[name][0] / engine[name][0]:7.2f}"
        else:
            line += " " * 34
        line += f"{parquet[name][0]:9.4f}"
        for found in (other, engine.get(name, other), dictionary.get(name, other), parquet[name]):
            if found[1] != rows or not math.isclose(found[2], total, rel_tol=1e-9, abs_tol=1e-6):
                line += f"  differs: {found[1:]} for {(rows, total)}"
                failed = True
        print(line)
    print(f"geometric mean of the ratios to DuckDB: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}, greatest {max(ratios):.2f}")
    sys.exit(failed)


main()
