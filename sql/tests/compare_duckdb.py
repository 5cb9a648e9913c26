#!/usr/bin/env python3
"""Compares the results of random queries over arrays with DuckDB's over the same rows.

  pip install duckdb
  TILEDB_RS_SQL_EXPORT=FOLDER TILEDB_RS_SQL_QUERIES=2000 cargo test -p tiledb-datafusion --test sql random
  sql/tests/compare_duckdb.py FOLDER

The test stores the rows of each array, each query and its result in the folder. Queries that DuckDB's dialect does not have are
counted and left out. Floating-point columns are not compared: DuckDB does not distinguish zeros by sign.
"""
import collections, math, pathlib, sys
import duckdb


def key(row):
    return [(value is None, str(type(value)), str(value)) for value in row]


def equal(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9) or (math.isnan(a) and math.isnan(b))
    return a == b


def main():
    folder = pathlib.Path(sys.argv[1])
    compared, failed, invalid = 0, 0, collections.Counter()
    for table in sorted(folder.glob("t*.parquet")):
        if "-" in table.stem:
            continue
        c = duckdb.connect()
        c.execute("SET default_null_order = 'nulls_last_on_asc_first_on_desc'")
        c.execute("CREATE MACRO to_timestamp_seconds(x) AS make_timestamp(x * 1000000)")
        c.execute(f"CREATE TABLE t AS SELECT * FROM read_parquet('{table}')")
        for file in sorted(folder.glob(f"{table.stem}-*.sql")):
            sql = file.read_text()
            try:
                expected = c.execute(sql).fetchall()
            except duckdb.Error as problem:
                invalid[str(problem).split(":")[0]] += 1
                continue
            found = c.execute(f"SELECT * FROM read_parquet('{file.with_suffix('.parquet')}')").fetchall()
            compared += 1
            found, expected = sorted(found, key=key), sorted(expected, key=key)
            if len(found) != len(expected) or not all(all(map(equal, a, b)) for a, b in zip(found, expected)):
                failed += 1
                print(f"{file}: {sql}\n  found    {len(found)} {found[:5]}\n  expected {len(expected)} {expected[:5]}")
    print(f"{compared} queries compared, {failed} differ; not valid in DuckDB: {dict(invalid)}")
    sys.exit(bool(failed) or not compared)


main()
