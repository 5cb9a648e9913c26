#!/usr/bin/env python3
"""Writes and reads an array in a bucket with dask.array, on several processes.

    dask_on_s3.py BUCKET

BUCKET is the URI of a bucket, such as s3://bucket. The parameters are read from the environment, for example
TILEDB_VFS_S3_REGION; docs/object-stores.md lists them. Needs TileDB-Py and dask[distributed]. Exits with status 77 if
one of them is not installed.
"""
import sys

try:
    import dask.array as da
    import numpy as np
    import tiledb
    from dask.distributed import Client, LocalCluster
except ImportError as error:
    print(f"skipped: {error}", file=sys.stderr)
    sys.exit(77)

ROWS, COLUMNS, CHUNK = 400, 300, 100


def block(block_info=None):
    """Returns a chunk of the array: the number of each cell."""
    (first_row, end_row), (first_column, end_column) = block_info[None]["array-location"]
    rows, columns = np.ogrid[first_row:end_row, first_column:end_column]
    return (rows * COLUMNS + columns).astype(np.float64)


def main():
    uri = f"{sys.argv[1]}/dask-example"
    with LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None) as cluster, Client(cluster):
        vfs = tiledb.VFS()
        if vfs.is_dir(uri):
            vfs.remove_dir(uri)

        # Each task writes the fragment of its chunk.
        chunks = ((CHUNK,) * (ROWS // CHUNK), (CHUNK,) * (COLUMNS // CHUNK))
        written = da.map_blocks(block, chunks=chunks, dtype=np.float64)
        written.to_tiledb(uri)

        read = da.from_tiledb(uri)
        cells = ROWS * COLUMNS
        expected = cells * (cells - 1) / 2
        total = float(read.sum().compute())
        assert total == expected, f"{total} instead of {expected}"
        part = read[123:321, 45:67].compute()
        rows, columns = np.ogrid[123:321, 45:67]
        assert np.array_equal(part, rows * COLUMNS + columns)
        print(f"{len(tiledb.FragmentInfoList(uri))} fragments, sum {total:.0f}")
        vfs.remove_dir(uri)


if __name__ == "__main__":
    main()
