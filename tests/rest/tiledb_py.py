#!/usr/bin/env python3
"""Uses TileDB-Py at a base URI and prints results, which are compared between libraries: tiledb_py.py URI

The same program runs on this library and on libtiledb, in a folder and at tiledb:// URIs. A section that fails prints
its error, so that the sections after it run.
"""
import sys
import warnings

import numpy as np
import tiledb

warnings.simplefilter("ignore")
ROOT = sys.argv[1].rstrip("/")
SECTIONS = []
# The default waits for minutes for a server that has ended.
FEW_RETRIES = {"rest.retry_count": "3", "rest.retry_initial_delay_ms": "200"}
tiledb.default_ctx(FEW_RETRIES)


def section(body):
    """Registers a section, which gets the URI of its objects."""
    SECTIONS.append(body)
    return body


def show(*values):
    """Prints values in a form that does not depend on the URI."""
    print("   ", *(text(value).replace(ROOT, "@") for value in values))


def text(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {text(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.tolist()}"
    if isinstance(value, tiledb.Array):
        return "an array"
    return str(value)


def create(uri, dims, attrs, **options):
    schema = tiledb.ArraySchema(tiledb.Domain(*dims), attrs, **options)
    tiledb.Array.create(uri, schema)


def dimension(name="x", last=99, tile=10, dtype=np.int64):
    return tiledb.Dim(name, domain=(0, last), tile=tile, dtype=dtype)


@section
def dense(uri):
    create(uri, [dimension(), dimension("y", 4, 5)], [tiledb.Attr("a", dtype=np.int32), tiledb.Attr("b", dtype=float)])
    values = np.arange(500, dtype=np.int32).reshape(100, 5)
    with tiledb.open(uri, "w") as array:
        array[:] = {"a": values, "b": values / 4}
    with tiledb.open(uri, "w") as array:
        array[10:12, 1:3] = {"a": np.full((2, 2), -1, np.int32), "b": np.zeros((2, 2))}
    with tiledb.open(uri) as array:
        show(array.schema.domain, array.nonempty_domain())
        show(array[9:13], array.multi_index[[3, slice(50, 51)], 2])
        show(array.query(attrs=["b"])[0:2], array.query(order="F")[0:2]["a"])
        show(array[99, 4], int(array[:]["a"].sum()))


@section
def sparse(uri):
    dims = [dimension(), tiledb.Dim("s", domain=(None, None), dtype="ascii")]
    create(uri, dims, [tiledb.Attr("a", dtype=np.uint8)], sparse=True, capacity=4)
    with tiledb.open(uri, "w") as array:
        array[[5, 5, 70, 1], ["b", "a", "ccc", ""]] = np.array([1, 2, 3, 4], np.uint8)
    with tiledb.open(uri) as array:
        show(array[:], array[5, :], array.multi_index[:, "b":"d"])
        show(array.nonempty_domain(), array.schema.sparse, array.schema.capacity)
        show(array.query(dims=["s"], attrs=["a"])[0:50])


@section
def strings(uri):
    attrs = [tiledb.Attr("t", dtype=str, var=True), tiledb.Attr("v", dtype=np.int16, var=True)]
    create(uri, [dimension(last=5, tile=2)], attrs)
    texts = np.array(["", "a", "ü", "long text", "x" * 50, "end"], dtype=object)
    lists = np.array([np.arange(n, dtype=np.int16) for n in (1, 2, 0, 3, 1, 4)], dtype=object)
    with tiledb.open(uri, "w") as array:
        array[:] = {"t": texts, "v": lists}
    with tiledb.open(uri) as array:
        read = array[:]
        show(read["t"].tolist(), [item.tolist() for item in read["v"]])
        show(array[3]["t"], array.query(attrs=["t"])[1:4]["t"].tolist())


@section
def nullable(uri):
    attrs = [tiledb.Attr("n", dtype=np.float32, nullable=True), tiledb.Attr("t", dtype=str, var=True, nullable=True)]
    create(uri, [dimension()], attrs, sparse=True)
    numbers = np.ma.MaskedArray(np.array([1, 2, 3, 4], np.float32), mask=[0, 1, 0, 1])
    with tiledb.open(uri, "w") as array:
        array[[1, 2, 3, 4]] = {"n": numbers, "t": np.array(["a", None, "", "d"], dtype=object)}
    with tiledb.open(uri) as array:
        read = array.query(use_arrow=False)[:]
        show({name: column.tolist() for name, column in read.items()})


@section
def enumerations(uri):
    enumeration = tiledb.Enumeration("colors", False, ["red", "green", "blue"])
    attrs = [tiledb.Attr("c", dtype=np.int32, enum_label="colors"), tiledb.Attr("a", dtype=np.int32)]
    schema = tiledb.ArraySchema(tiledb.Domain(dimension(last=4, tile=5)), attrs, enums=[enumeration])
    tiledb.Array.create(uri, schema)
    with tiledb.open(uri, "w") as array:
        array[:] = {"c": np.array([0, 1, 2, 1, 0], np.int32), "a": np.arange(5, dtype=np.int32)}
    with tiledb.open(uri) as array:
        show(array.enum("colors").values(), array[:]["a"])
        show(array.query(cond="c == 'green'", attrs=["a"])[:])
    evolution = tiledb.ArraySchemaEvolution()
    with tiledb.open(uri) as array:
        evolution.extend_enumeration(array.enum("colors").extend(["black"]))
    evolution.array_evolve(uri)
    with tiledb.open(uri) as array:
        show(array.enum("colors").values())


@section
def time_travel(uri):
    create(uri, [dimension(last=9)], [tiledb.Attr("a", dtype=np.int64)])
    for time in (10, 20, 30):
        with tiledb.open(uri, "w", timestamp=time) as array:
            array[:] = np.full(10, time, np.int64)
            array.meta["time"] = time
    for time in (5, 10, 25, (15, 25), (11, 19), 40):
        with tiledb.open(uri, timestamp=time) as array:
            show(time, array[0:2], dict(array.meta))
    info = tiledb.array_fragments(uri)
    show(len(info), info.timestamp_range, info.nonempty_domain)


@section
def metadata(uri):
    create(uri, [dimension()], [tiledb.Attr("a", dtype=np.int32)])
    with tiledb.open(uri, "w") as array:
        array.meta["number"] = 7
        array.meta["text"] = "ü text"
        array.meta["bytes"] = b"\x00\x01"
        array.meta["tuple"] = (1, 2, 3)
        array.meta["array"] = np.array([1.5, 2.5])
        array.meta["empty"] = ""
    with tiledb.open(uri, "w") as array:
        del array.meta["number"]
        array.meta["text"] = "other"
    with tiledb.open(uri) as array:
        show(len(array.meta), dict(array.meta.items()), "number" in array.meta)


@section
def groups(uri):
    tiledb.group_create(uri)
    for name in ("one", "two"):
        create(f"{uri}_{name}", [dimension()], [tiledb.Attr("a", dtype=np.int32)])
    with tiledb.Group(uri, "w") as group:
        group.add(f"{uri}_one", name="first")
        group.add(f"{uri}_two", name="second")
        group.meta["key"] = "value"
    with tiledb.Group(uri) as group:
        show(len(group), sorted(member.name for member in group), dict(group.meta))
        show(group["first"].type.__name__, "third" in group)
    with tiledb.Group(uri, "w") as group:
        group.remove("first")
    with tiledb.Group(uri) as group:
        show(len(group), [member.name for member in group])
    show(tiledb.object_type(uri), tiledb.object_type(f"{uri}_one"), tiledb.object_type(f"{uri}_none"))


@section
def conditions(uri):
    attrs = [tiledb.Attr("a", dtype=np.int32), tiledb.Attr("t", dtype="ascii", var=True)]
    create(uri, [dimension()], attrs, sparse=True, capacity=10)
    with tiledb.open(uri, "w") as array:
        x = np.arange(50)
        array[x] = {"a": (x * 7 % 50).astype(np.int32), "t": np.array([f"t{n % 5}" for n in x], dtype=object)}
    with tiledb.open(uri) as array:
        for condition in ("a < 5", "a >= 45 and t == 't3'", "t in ['t1', 't2'] and a > 40", "not (a > 2)", "x == 9"):
            show(condition, array.query(cond=condition, attrs=["a"])[:])
        show(array.query(cond="a < 10", attrs=["a"]).multi_index[20:40])
    with tiledb.open(uri, "d") as array:
        array.query(cond="a < 25").submit()
    with tiledb.open(uri) as array:
        show(array[:]["a"])


@section
def ranges(uri):
    for duplicates in (False, True):
        name = f"{uri}_{duplicates}"
        create(name, [dimension()], [tiledb.Attr("a", dtype=np.int32)], sparse=True, allows_duplicates=duplicates)
        with tiledb.open(name, "w") as array:
            array[[1, 10, 20, 40, 50, 60]] = np.arange(6, dtype=np.int32)
        for merge in ("true", "false"):
            with tiledb.open(name, ctx=tiledb.Ctx({**FEW_RETRIES, "sm.merge_overlapping_ranges_experimental": merge})) as array:
                show(array.query(order="U").multi_index[[slice(2, 60), slice(1, 50), slice(40, 40)]])


@section
def aggregates(uri):
    attrs = [tiledb.Attr("a", dtype=np.int32), tiledb.Attr("n", dtype=np.float64, nullable=True)]
    create(uri, [dimension(last=19)], attrs)
    numbers = np.ma.MaskedArray(np.arange(20.0), mask=[n % 4 == 0 for n in range(20)])
    with tiledb.open(uri, "w") as array:
        array[:] = {"a": np.arange(20, dtype=np.int32), "n": numbers}
    with tiledb.open(uri) as array:
        query = array.query(attrs=["a", "n"])
        for operation in ("sum", "min", "max", "mean", "count"):
            show(operation, query.agg({"a": operation})[:], query.agg({"a": operation})[3:7])
        show(query.agg({"n": ["sum", "null_count", "mean"], "a": ["max"]})[:])
        show(array.query(cond="a > 10", attrs=["a"]).agg({"a": "sum"})[:])


@section
def incomplete(uri):
    create(uri, [dimension(last=9999, tile=100)], [tiledb.Attr("t", dtype="ascii", var=True)], sparse=True, capacity=64)
    with tiledb.open(uri, "w") as array:
        x = np.arange(2000)
        array[x] = np.array(["v" * (n % 13) for n in x], dtype=object)
    small = tiledb.Ctx({**FEW_RETRIES, "py.init_buffer_bytes": "4096", "sm.memory_budget": "100000000"})
    with tiledb.open(uri, ctx=small) as array:
        read = array[:]
        show(len(read["x"]), int(read["x"].sum()), sum(len(item) for item in read["t"]))
        parts = list(array.query(return_incomplete=True).multi_index[0:1999])
        show(sum(len(part["x"]) for part in parts), len(parts) > 1)
        show([int(part["x"][0]) for part in parts][0])


@section
def evolution(uri):
    create(uri, [dimension(last=3, tile=2)], [tiledb.Attr("a", dtype=np.int32), tiledb.Attr("b", dtype=np.int32)])
    with tiledb.open(uri, "w") as array:
        array[:] = {"a": np.arange(4, dtype=np.int32), "b": np.arange(4, dtype=np.int32)}
    change = tiledb.ArraySchemaEvolution()
    change.add_attribute(tiledb.Attr("c", dtype=np.float32, fill=1.5))
    change.drop_attribute("b")
    change.array_evolve(uri)
    with tiledb.open(uri) as array:
        show([array.attr(n).name for n in range(array.nattr)], array[:])
    with tiledb.open(uri, "w") as array:
        array[2:4] = {"a": np.full(2, 9, np.int32), "c": np.full(2, 2.5, np.float32)}
    with tiledb.open(uri) as array:
        show(array[:])


@section
def consolidation(uri):
    create(uri, [dimension()], [tiledb.Attr("a", dtype=np.int32)], sparse=True)
    for time in range(1, 6):
        with tiledb.open(uri, "w", timestamp=time) as array:
            array[[time, time + 1]] = np.array([time, -time], np.int32)
    with tiledb.open(uri) as array:
        before = array[:]
    show(len(tiledb.array_fragments(uri)), before)
    tiledb.consolidate(uri)
    show(len(tiledb.array_fragments(uri)))
    tiledb.vacuum(uri)
    show(len(tiledb.array_fragments(uri)))
    with tiledb.open(uri) as array:
        show(array[:])
    tiledb.Array.delete_fragments(uri, 1, 5)
    with tiledb.open(uri) as array:
        show(array.nonempty_domain())


@section
def labels(uri):
    schema = tiledb.ArraySchema(
        tiledb.Domain(dimension(last=9, tile=5), dimension("y", 4, 5)),
        [tiledb.Attr("a", dtype=np.int32)],
        dim_labels={
            0: {
                "up": tiledb.DimLabelSchema("increasing", np.float64, np.int64, 5),
                "text": tiledb.DimLabelSchema("increasing", "ascii", np.int64, 5),
            },
            1: {"down": tiledb.DimLabelSchema("decreasing", np.int16, np.int64, 5)},
        },
    )
    tiledb.Array.create(uri, schema)
    with tiledb.open(uri, "w") as array:
        array[:] = {
            "a": np.arange(50, dtype=np.int32).reshape(10, 5),
            "up": np.arange(10) / 2,
            "text": np.array([f"t{n}" + "." * (n % 3) for n in range(10)], dtype=object),
            "down": np.arange(5, 0, -1, dtype=np.int16),
        }
    with tiledb.open(uri) as array:
        show(array.schema.has_dim_label("up"), array.schema.dim_label("down").label_attr_name)
        show(array.label_index(["up"])[1.0:2.5])
        show(array.label_index(["up", "down"])[1.0:2.5, 2:4])
        show(array.label_index(["text"])["t2":"t4", 1:3])


@section
def removal(uri):
    create(uri, [dimension()], [tiledb.Attr("a", dtype=np.int32)])
    show(tiledb.object_type(uri), tiledb.array_exists(uri))
    tiledb.Array.delete_array(uri)
    show(tiledb.object_type(uri), tiledb.array_exists(uri))


def main():
    for body in SECTIONS:
        print(body.__name__)
        try:
            body(f"{ROOT}/{body.__name__}")
        except Exception as error:  # The sections after it run nevertheless.
            show("failed:", type(error).__name__, error)


if __name__ == "__main__":
    main()
