#!/usr/bin/env python3
"""Compares the 22 queries of TPC-H over arrays with DuckDB's results, and optionally their times.

  pip install duckdb pyarrow tpchgen-cli
  run.py --tool target/debug/tiledb-rs [--scale 0.1] [--dir DIR] [--queries 1,6,21] [--times] [--program PROGRAM]
         [--option NAME=VALUE]

Tables are generated as CSV files, and copied into arrays by SQL, with the schema that `COPY ... STORED AS TILEDB` chooses.
Decimals are float64 in both, as arrays have no decimals; sums are compared with a relative tolerance of 1e-9. --times prints
CPU seconds for each query: DuckDB on zstd Parquet files with two threads, and a process of the tool. With --program, the program
of `cargo bench -p tiledb-datafusion --bench queries --no-run`, one process runs the queries instead, in one session as DuckDB
does, and another one with DataFusion on the Parquet files. Options are those of tables of arrays, such as dictionaries=true.
"""
import argparse, csv, datetime, io, json, math, os, pathlib, re, resource, subprocess, sys, tempfile

# Names and types of columns; the first one is the dimension of the array.
TABLES = {
    "region": "r_regionkey BIGINT, r_name TEXT, r_comment TEXT",
    "nation": "n_nationkey BIGINT, n_name TEXT, n_regionkey BIGINT, n_comment TEXT",
    "supplier": "s_suppkey BIGINT, s_name TEXT, s_address TEXT, s_nationkey BIGINT, s_phone TEXT, s_acctbal DOUBLE, s_comment TEXT",
    "customer": "c_custkey BIGINT, c_name TEXT, c_address TEXT, c_nationkey BIGINT, c_phone TEXT, c_acctbal DOUBLE,"
                " c_mktsegment TEXT, c_comment TEXT",
    "part": "p_partkey BIGINT, p_name TEXT, p_mfgr TEXT, p_brand TEXT, p_type TEXT, p_size INTEGER, p_container TEXT,"
            " p_retailprice DOUBLE, p_comment TEXT",
    "partsupp": "ps_partkey BIGINT, ps_suppkey BIGINT, ps_availqty INTEGER, ps_supplycost DOUBLE, ps_comment TEXT",
    "orders": "o_orderkey BIGINT, o_custkey BIGINT, o_orderstatus TEXT, o_totalprice DOUBLE, o_orderdate DATE,"
              " o_orderpriority TEXT, o_clerk TEXT, o_shippriority INTEGER, o_comment TEXT",
    "lineitem": "l_orderkey BIGINT, l_partkey BIGINT, l_suppkey BIGINT, l_linenumber INTEGER, l_quantity DOUBLE,"
                " l_extendedprice DOUBLE, l_discount DOUBLE, l_tax DOUBLE, l_returnflag TEXT, l_linestatus TEXT,"
                " l_shipdate DATE, l_commitdate DATE, l_receiptdate DATE, l_shipinstruct TEXT, l_shipmode TEXT, l_comment TEXT",
}


def generate(folder, scale):
    if not (folder / "lineitem.csv").exists():
        subprocess.run(["tpchgen-cli", "csv", "-s", str(scale), "--output-dir", str(folder)], check=True)


def make_arrays(tool, folder):
    script = ""
    for name, columns in TABLES.items():
        if (folder / "arrays" / name).exists():
            continue
        script += f"CREATE EXTERNAL TABLE {name} ({columns}) STORED AS CSV LOCATION '{folder}/{name}.csv' OPTIONS ('format.has_header' 'true');\n"
        script += f"COPY {name} TO '{folder}/arrays/{name}' STORED AS TILEDB;\n"
    if script:
        (folder / "arrays").mkdir(exist_ok=True)
        subprocess.run([tool, "sql"], input=script, text=True, check=True, stdout=subprocess.DEVNULL)


def connect(folder):
    import duckdb
    c = duckdb.connect(config={"threads": 2})
    for name, columns in TABLES.items():
        file = folder / f"{name}.parquet"
        if not file.exists():
            types = ", ".join(f"'{n}': '{t}'" for n, t in (part.split() for part in columns.split(", ")))
            c.execute(f"COPY (SELECT * FROM read_csv('{folder}/{name}.csv', header=true, columns={{{types}}}))"
                      f" TO '{file}' (FORMAT parquet, COMPRESSION zstd)")
        c.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet('{file}')")
    return c


def cell(value):
    if value is None or value == "":
        return ""
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)


def equal(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return a == b


def program_times(program, tables, queries):
    """Returns the CPU seconds of queries in one session."""
    text = "".join(f"-- {number}\n{query}\n" for number, query in queries.items())
    run = subprocess.run([program, "--threads", "2", "--repeat", "1", *tables], input=text, capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    lines = (line.split("\t") for line in run.stdout.splitlines())
    return {int(number): float(seconds) for number, seconds, *_ in lines}


def cpu(who):
    r = resource.getrusage(who)
    return r.ru_utime + r.ru_stime


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    ap.add_argument("--tool", required=True); ap.add_argument("--scale", type=float, default=0.1)
    ap.add_argument("--dir"); ap.add_argument("--queries"); ap.add_argument("--times", action="store_true"); ap.add_argument("--program")
    ap.add_argument("--option", action="append", default=[])
    o = ap.parse_args()
    temporary = None if o.dir else tempfile.TemporaryDirectory()
    folder = pathlib.Path(o.dir or temporary.name).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    generate(folder, o.scale)
    make_arrays(o.tool, folder)
    c = connect(folder)
    text = (pathlib.Path(__file__).parent / "queries.sql").read_text()
    queries = {int(n): q.strip().rstrip(";").replace(":scale", str(o.scale))
               for n, q in re.findall(r"^-- (\d+)\n(.*?)(?=^-- \d+\n|\Z)", text, re.S | re.M)}
    chosen = [int(n) for n in o.queries.split(",")] if o.queries else sorted(queries)
    tables = [part for name in TABLES for part in ("--table", f"{name}={folder}/arrays/{name}")]
    table_options = [part for option in o.option for part in ("--table-option", option)]
    failed, times, parquet_times = [], [], []
    ours, parquet = {}, {}
    if o.program:
        files = [part for name in TABLES for part in ("--parquet", f"{name}={folder}/{name}.parquet")]
        chosen_queries = {number: queries[number] for number in chosen}
        options = [part for option in o.option for part in ("--option", option)]
        ours = program_times(o.program, options + tables, chosen_queries)
        parquet = program_times(o.program, files, chosen_queries)
    for number in chosen:
        before = cpu(resource.RUSAGE_SELF)
        expected = [[cell(v) for v in row] for row in c.execute(queries[number]).fetchall()]
        duckdb_time = cpu(resource.RUSAGE_SELF) - before
        before = cpu(resource.RUSAGE_CHILDREN)
        run = subprocess.run([o.tool, "sql", queries[number], "--csv", *table_options, *tables], capture_output=True, text=True)
        tool_time = cpu(resource.RUSAGE_CHILDREN) - before
        found = [[cell(v) for v in row] for row in csv.reader(io.StringIO(run.stdout))][1:]
        same = run.returncode == 0 and len(found) == len(expected) and all(
            len(a) == len(b) and all(map(equal, a, b)) for a, b in zip(found, expected))
        if not same:
            failed.append(number)
            print(f"query {number}: {run.stderr.strip() or ''} {len(found)} rows {found[:3]}, expected {len(expected)} {expected[:3]}")
        tool_time = ours.get(number, tool_time)
        times.append(tool_time / max(duckdb_time, 1e-3))
        if o.times:
            line = f"query {number}: {tool_time:.3f} s, DuckDB {duckdb_time:.3f} s, ratio {times[-1]:.2f}"
            if number in parquet:
                parquet_times.append(tool_time / parquet[number])
                line += f"; DataFusion on Parquet {parquet[number]:.3f} s, ratio {parquet_times[-1]:.2f}"
            print(line)
    if o.times:
        for name, ratios in ("DuckDB", times), ("DataFusion on Parquet", parquet_times):
            if ratios:
                print(f"geometric mean of the ratios to {name}: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}")
    print(f"{len(chosen) - len(failed)} of {len(chosen)} queries are equal")
    sys.exit(bool(failed))


main()
