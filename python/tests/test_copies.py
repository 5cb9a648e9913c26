"""Pickles and copies of objects, and imports in sub-interpreters."""

import copy
import pickle
import subprocess
import sys
import time

import numpy as np
import pytest
import tiledb_rs
from tiledb_rs import Attr, Dim, Label, Schema


def pickled(value):
    return pickle.loads(pickle.dumps(value))


COPIES = [pickled, copy.copy, copy.deepcopy]


def schemas():
    day = np.datetime64("2024-01-01"), np.datetime64("2024-12-31")
    yield Schema([Dim("x", (0, 99), 10)], [Attr("a", "float32")], current_domain=[(0, 4)])
    yield Schema(
        [Dim("day", day, 31, "datetime64[D]", filters=["delta"]), Dim("name", dtype=str)],
        [
            Attr("text", str, nullable=True, filters=[("zstd", 7)]),
            Attr("tree", enumeration=["oak", "ash"], fill=1),
            Attr("many", "int16", var=True),
            Attr("three", "uint8", values_per_cell=3, fill=[1, 2, 3]),
            Attr("wave", "complex64"),
            Attr("time", "timedelta64[s]"),
        ],
        sparse=True,
        cell_order="col-major",
        tile_order="col-major",
        capacity=77,
        allow_duplicates=True,
        offsets_filters=["double_delta", ("gzip", 3)],
    )
    yield Schema([Dim("row", (-3, 3), 2)], [Attr("")], labels=[Label("depth", "row", "float64", "decreasing")])


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("schema", list(schemas()), ids=["dense", "sparse", "labels"])
def test_schemas_and_their_parts_are_copied(uri, schema, copied):
    other = copied(schema)
    assert other == schema and str(other) == str(schema) and other is not schema
    for part in (*schema.dims, *schema.attrs):
        # As texts, because fill values are NaN.
        assert repr(copied(part)) == repr(part)
    assert copied(Label("depth", "row")) == Label("depth", "row")
    tiledb_rs.create(uri, other)
    with tiledb_rs.open(uri) as array:
        stored = copied(array.schema)
        assert stored == array.schema
        assert repr(stored.attrs) == repr(array.schema.attrs)
    if schema.labels:
        # The arrays of labels have schemas of their own.
        return
    # The values of enumerations are a part of the schema.
    again = uri + "a"
    tiledb_rs.create(again, stored)
    with tiledb_rs.open(again) as array:
        if schema.sparse:
            assert array.enumeration("tree") == ["oak", "ash"]


def test_damaged_schemas_are_errors():
    for json in "", "{}", "[]", '{"arrayType": "x"}':
        with pytest.raises(ValueError):
            tiledb_rs._schema._schema_of_json(json)


@pytest.fixture
def trees(uri):
    schema = Schema([Dim("id", (0, 999), 100)], [Attr("height"), Attr("tree", str)], sparse=True)
    tiledb_rs.create(uri, schema)
    with tiledb_rs.open(uri, "w") as array:
        array.write({"id": np.arange(100), "height": np.arange(100.0), "tree": ["oak", "ash"] * 50})
    return uri


@pytest.mark.parametrize("copied", COPIES)
def test_queries_are_copied(trees, copied):
    array = tiledb_rs.open(trees)
    queries = (
        array.query(),
        array.query("height > 20 AND tree = 'oak'", columns=["height"], ranges={"id": slice(10, 50)}, batch_bytes=1000),
        array.query(columns=iter(["id"]), ranges={"id": [1, (5, 7)]}, order="row-major"),
    )
    for query in queries:
        other = copied(query)
        assert type(other) is type(query) and other is not query
        expected = query.numpy()
        found = other.numpy()
        assert list(found) == list(expected)
        for name, cells in expected.items():
            np.testing.assert_array_equal(np.sort(found[name]), np.sort(cells))
    # Later changes of the mapping do not affect the query.
    ranges = {"id": slice(0, 5)}
    query = array.query(ranges=ranges)
    ranges["id"] = slice(0, 9)
    assert copied(query).count() == query.count() == 5


def test_pickled_queries_have_the_state_of_their_array(trees):
    with tiledb_rs.open(trees) as array:
        pickles = pickle.dumps(array.query("height < 50"))
    # Writes in the same millisecond have the timestamp of the array.
    time.sleep(0.01)
    with tiledb_rs.open(trees, "w") as array:
        array.write({"id": [500], "height": [1.0], "tree": ["elm"]})
    assert pickle.loads(pickles).count() == 50
    program = f"import sys; sys.path[:0] = {sys.path!r}; import pickle; print(pickle.loads({pickles!r}).count())"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == "50\n"


@pytest.mark.parametrize("copied", COPIES)
def test_other_objects_are_copied(trees, uri, copied):
    array = tiledb_rs.open(trees)
    other = copied(array)
    assert other.uri.endswith(trees) and other.mode == "r" and other.query().count() == 100
    assert copied(array["height"]).name == "height"
    assert copied(array.fragments) == array.fragments and copied(array.fragments).names == ("id",)
    assert dict(copied(array.metadata)) == {}
    plan = array.explain()
    assert copied(plan) == plan and str(copied(plan)) == str(plan)
    group = uri + "g"
    tiledb_rs.create_group(group)
    assert copied(tiledb_rs.open(group)).members == []
    problem = tiledb_rs.ReadOnlyError("text")
    assert str(copied(problem)) == "text" and type(copied(problem)) is type(problem)


@pytest.mark.parametrize("copied", COPIES)
def test_objects_that_cannot_be_copied_say_so(copied):
    from tiledb_rs._sql import Rows

    with pytest.raises(TypeError, match="rows of SQL cannot be pickled or copied"):
        copied(Rows(None))


SUB_INTERPRETER = """
import sys
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
code = '''
import sys
sys.path[:0] = PATH
import tiledb_rs
try:
    tiledb_rs.open("none")
except ImportError as problem:
    print(problem, file=sys.stderr, flush=True)
'''.replace("PATH", repr(sys.path))
if sys.argv[1] == "later":
    import tiledb_rs
    tiledb_rs.object_type("none")
interpreter = interpreters.create()
problem = interpreters.run_string(interpreter, code)
interpreters.destroy(interpreter)
sys.exit(problem)
"""


@pytest.mark.parametrize("order", ["first", "later"])
def test_sub_interpreters_get_an_import_error(order):
    try:
        import _interpreters  # noqa: F401
    except ImportError:
        pytest.importorskip("_xxsubinterpreters")
    program = f"import sys; sys.path[:0] = {sys.path!r}\n{SUB_INTERPRETER}"
    found = subprocess.run([sys.executable, "-c", program, order], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert found.stderr.strip() == (
        "tiledb_rs cannot be imported in a sub-interpreter, only in the main interpreter of a process"
    )
