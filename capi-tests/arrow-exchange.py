"""Exchanges results and buffers with pyarrow, and with polars if it is installed, through the C
data interface. Counts the calls of the callbacks that release arrays.

    arrow-exchange.py LIBTILEDB.so

Exits with 77 if pyarrow is not installed.
"""
import ctypes
import datetime
import gc
import struct
import sys
import tempfile

try:
    import numpy
    import pyarrow
except ImportError as missing:
    print("skipped: %s" % missing)
    sys.exit(77)
try:
    import polars
except ImportError:
    polars = None

lib = ctypes.CDLL(sys.argv[1])
P, U64 = ctypes.c_void_p, ctypes.c_uint64


class Stream(ctypes.Structure):
    _fields_ = [(name, P) for name in ("schema", "next", "error", "release", "data")]


class Schema(ctypes.Structure):
    _fields_ = [("words", U64 * 9)]


class Array(ctypes.Structure):
    _fields_ = [("words", U64 * 10)]

    #: The index of the callback `release`.
    RELEASE = 8


Release = ctypes.CFUNCTYPE(None, P)
GetNext = ctypes.CFUNCTYPE(ctypes.c_int, P, P)
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [P, ctypes.c_char_p, P]
capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
capsule_pointer.restype, capsule_pointer.argtypes = P, [ctypes.py_object, ctypes.c_char_p]
STREAM = b"arrow_array_stream"


class Releases:
    """Counts the arrays of a stream, or of batches, that were not released yet."""

    def __init__(self):
        self.total, self.alive, self.callbacks = 0, 0, []

    def follow(self, array):
        """Replaces the callback of an array by one that counts the call and then does the same."""
        original = Release(array.words[Array.RELEASE])

        def release(address):
            self.alive -= 1
            # The callback reads its own structure, in which it sets `release` to null.
            original(address)
            assert Array.from_address(address).words[Array.RELEASE] == 0

        self.total, self.alive = self.total + 1, self.alive + 1
        callback = Release(release)
        self.callbacks.append((original, callback))
        array.words[Array.RELEASE] = ctypes.cast(callback, P).value


class FollowedStream:
    """A stream of this library, for consumers that take objects with streams, such as polars."""

    def __init__(self, stream):
        self.stream, self.releases = stream, Releases()
        original = GetNext(stream.next)

        def get_next(address, to):
            code = original(address, to)
            array = Array.from_address(to)
            if code == 0 and array.words[Array.RELEASE] != 0:
                self.releases.follow(array)
            return code

        self.callback = GetNext(get_next), original
        stream.next = ctypes.cast(self.callback[0], P)

    def __arrow_c_stream__(self, requested_schema=None):
        return new_capsule(ctypes.addressof(self.stream), STREAM, None)


def error_of(ctx):
    error, text = P(), ctypes.c_char_p()
    lib.tiledb_ctx_get_last_error(ctx, ctypes.byref(error))
    lib.tiledb_error_message(error, ctypes.byref(text))
    message = text.value.decode()
    lib.tiledb_error_free(ctypes.byref(error))
    return message


def check(ctx, code):
    if code != 0:
        raise RuntimeError(error_of(ctx))


class Handle:
    """A query with its context and array, which can be freed at any time."""

    def __init__(self, uri, query_type, layout, batch=0):
        self.ctx, self.array, self.query = P(), P(), P()
        assert lib.tiledb_ctx_alloc(None, ctypes.byref(self.ctx)) == 0
        check(self.ctx, lib.tiledb_array_alloc(self.ctx, uri.encode(), ctypes.byref(self.array)))
        check(self.ctx, lib.tiledb_array_open(self.ctx, self.array, query_type))
        check(self.ctx, lib.tiledb_query_alloc(self.ctx, self.array, query_type, ctypes.byref(self.query)))
        check(self.ctx, lib.tiledb_query_set_layout(self.ctx, self.query, layout))

    def free(self):
        lib.tiledb_query_free(ctypes.byref(self.query))
        lib.tiledb_array_free(ctypes.byref(self.array))
        lib.tiledb_ctx_free(ctypes.byref(self.ctx))


READ, WRITE, ROW_MAJOR, UNORDERED = 0, 1, 0, 3


def create(uri, schema):
    """Creates a sparse array with the dimension d and attributes of an Arrow schema."""
    ctx, dim, domain, array_schema = P(), P(), P(), P()
    lib.tiledb_ctx_alloc(None, ctypes.byref(ctx))
    bounds, extent = (ctypes.c_int64 * 2)(0, 999_999), ctypes.c_int64(1000)
    check(ctx, lib.tiledb_dimension_alloc(ctx, b"d", 1, bounds, ctypes.byref(extent), ctypes.byref(dim)))
    check(ctx, lib.tiledb_domain_alloc(ctx, ctypes.byref(domain)))
    check(ctx, lib.tiledb_domain_add_dimension(ctx, domain, dim))
    check(ctx, lib.tiledb_array_schema_alloc(ctx, 1, ctypes.byref(array_schema)))
    check(ctx, lib.tiledb_array_schema_set_domain(ctx, array_schema, domain))
    exported = Schema()
    schema._export_to_c(ctypes.addressof(exported))
    check(ctx, lib.tiledb_rs_array_schema_add_arrow(ctx, array_schema, ctypes.byref(exported)))
    pyarrow.Schema._import_from_c(ctypes.addressof(exported))
    check(ctx, lib.tiledb_array_create(ctx, uri.encode(), array_schema))
    described = Schema()
    check(ctx, lib.tiledb_rs_array_schema_to_arrow(ctx, array_schema, ctypes.byref(described)))
    return pyarrow.Schema._import_from_c(ctypes.addressof(described))


def write(uri, batch):
    handle = Handle(uri, WRITE, UNORDERED)
    array, schema = Array(), Schema()
    batch._export_to_c(ctypes.addressof(array), ctypes.addressof(schema))
    check(handle.ctx, lib.tiledb_rs_query_import_arrow(handle.ctx, handle.query, ctypes.byref(array), ctypes.byref(schema)))
    assert array.words[8] == 0, "the array was not moved"
    pyarrow.Schema._import_from_c(ctypes.addressof(schema))
    check(handle.ctx, lib.tiledb_query_submit(handle.ctx, handle.query))
    handle.free()


def exported(handle, batch_bytes=0):
    stream = Stream()
    check(handle.ctx, lib.tiledb_rs_query_export_arrow(handle.ctx, handle.query, None, U64(0), U64(batch_bytes), ctypes.byref(stream)))
    return stream


def stream_of(handle, batch_bytes=0):
    stream = exported(handle, batch_bytes)
    return pyarrow.RecordBatchReader._import_from_c(ctypes.addressof(stream))


def table(uri, batch_bytes=0):
    handle = Handle(uri, READ, ROW_MAJOR)
    reader = stream_of(handle, batch_bytes)
    handle.free()
    return reader.read_all()


def columns(rows):
    numbers = numpy.arange(rows)
    texts = [None if n % 7 == 0 else "text %d" % n * (n % 3) for n in range(rows)]
    return {
        "d": pyarrow.array(numbers, pyarrow.int64()),
        "i8": pyarrow.array((numbers % 100).astype("int8")),
        "u32": pyarrow.array(numbers.astype("uint32")),
        "f64": pyarrow.array(numbers / 3),
        "maybe": pyarrow.array([None if n % 3 == 0 else n for n in range(rows)], pyarrow.int32()),
        "flag": pyarrow.array([n % 5 == 0 for n in range(rows)]),
        "text": pyarrow.array(texts, pyarrow.large_utf8()),
        "bytes": pyarrow.array([b"x" * (n % 4) for n in range(rows)], pyarrow.large_binary()),
        "day": pyarrow.array(numbers.astype("int32"), pyarrow.date32()),
        "us": pyarrow.array(numbers, pyarrow.timestamp("us")),
        "at": pyarrow.array(numbers.astype("int32"), pyarrow.time32("ms")),
        "list": pyarrow.array([list(range(n % 4)) for n in range(rows)], pyarrow.large_list(pyarrow.int16())),
        "pair": pyarrow.array([[n, -n] for n in range(rows)], pyarrow.list_(pyarrow.float32(), 2)),
    }


def enumerated(folder):
    """Dictionaries are looked up in the enumeration of the attribute, and exported from it."""
    uri = folder + "/enumerated"
    ctx, dim, domain, schema, names, color = P(), P(), P(), P(), P(), P()
    lib.tiledb_ctx_alloc(None, ctypes.byref(ctx))
    bounds, extent = (ctypes.c_int64 * 2)(0, 99), ctypes.c_int64(10)
    check(ctx, lib.tiledb_dimension_alloc(ctx, b"d", 1, bounds, ctypes.byref(extent), ctypes.byref(dim)))
    check(ctx, lib.tiledb_domain_alloc(ctx, ctypes.byref(domain)))
    check(ctx, lib.tiledb_domain_add_dimension(ctx, domain, dim))
    check(ctx, lib.tiledb_array_schema_alloc(ctx, 1, ctypes.byref(schema)))
    check(ctx, lib.tiledb_array_schema_set_domain(ctx, schema, domain))
    offsets = (U64 * 3)(0, 3, 8)
    check(ctx, lib.tiledb_enumeration_alloc(
        ctx, b"colors", 12, ctypes.c_uint32(0xFFFFFFFF), 0, b"redgreenblue", U64(12), offsets, U64(24), ctypes.byref(names)))
    check(ctx, lib.tiledb_array_schema_add_enumeration(ctx, schema, names))
    check(ctx, lib.tiledb_attribute_alloc(ctx, b"color", 6, ctypes.byref(color)))
    check(ctx, lib.tiledb_attribute_set_enumeration_name(ctx, color, b"colors"))
    check(ctx, lib.tiledb_array_schema_add_attribute(ctx, schema, color))
    check(ctx, lib.tiledb_array_create(ctx, uri.encode(), schema))
    colors = pyarrow.array(["blue", "red", "blue", "green"]).dictionary_encode()
    assert colors.dictionary.to_pylist() != ["red", "green", "blue"]
    numbers = pyarrow.array([1, 2, 3, 4], pyarrow.int64())
    write(uri, pyarrow.record_batch([numbers, colors], names=["d", "color"]))
    found = table(uri)
    found.validate(full=True)
    chunk = found.column("color").chunk(0)
    assert chunk.dictionary.to_pylist() == ["red", "green", "blue"], chunk.dictionary
    assert chunk.indices.to_pylist() == [2, 0, 2, 1]
    assert found.column("color").to_pylist() == ["blue", "red", "blue", "green"]
    # Indexes without a value are null.
    wrong = pyarrow.record_batch([numbers, pyarrow.array([0, 200, 1, 255], pyarrow.uint8())], names=["d", "color"])
    write(uri, wrong)
    assert table(uri).column("color").to_pylist() == ["red", None, "green", None]
    unknown = pyarrow.record_batch([numbers, pyarrow.array(["x"] * 4).dictionary_encode()], names=["d", "color"])
    try:
        write(uri, unknown)
    except RuntimeError as error:
        assert "not in the enumeration 'colors'" in str(error), error
    else:
        raise AssertionError("a value that the enumeration lacks was written")
    # The second value of this dictionary has the bytes of "blue", but is null.
    offsets, data, valid = (pyarrow.py_buffer(bytes(part)) for part in (struct.pack("3i", 0, 3, 7), b"redblue", b"\x01"))
    values = pyarrow.StringArray.from_buffers(2, offsets, data, valid)
    null = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 1, 0, 1], pyarrow.int8()), values)
    try:
        write(uri, pyarrow.record_batch([numbers, null], names=["d", "color"]))
    except RuntimeError as error:
        assert "not in the enumeration 'colors'" in str(error), error
    else:
        raise AssertionError("a null of a dictionary was written as a value")


def nullable(field, name):
    return pyarrow.field(name, field.type, nullable=name in ("maybe", "text"))


def release_callbacks(uri, expected):
    """Each array is released once: when its last column is dropped, and not before."""
    handle = Handle(uri, READ, ROW_MAJOR)
    followed = FollowedStream(exported(handle, 2000))
    handle.free()
    reader = pyarrow.RecordBatchReader.from_stream(followed)
    column = reader.read_next_batch().column("text")
    rest = reader.read_all()
    releases = followed.releases
    assert releases.total > 3 and releases.alive == releases.total, vars(releases)
    assert followed.stream.release is None, "the stream was not moved"
    assert len(column) + rest.num_rows == expected.num_rows
    del reader, rest
    assert releases.alive == 1, vars(releases)
    assert column.to_pylist() == expected.column("text").to_pylist()[: len(column)]
    del column
    assert releases.alive == 0, vars(releases)
    # Imported arrays are released with the query, or when it gets another array.
    handle, releases = Handle(uri, WRITE, UNORDERED), Releases()
    batch = expected.slice(0, 10).combine_chunks().to_batches()[0]
    for number in range(3):
        array, schema = Array(), Schema()
        batch._export_to_c(ctypes.addressof(array), ctypes.addressof(schema))
        releases.follow(array)
        check(handle.ctx, lib.tiledb_rs_query_import_arrow(handle.ctx, handle.query, ctypes.byref(array), ctypes.byref(schema)))
        pyarrow.Schema._import_from_c(ctypes.addressof(schema))
        assert array.words[Array.RELEASE] == 0 and releases.alive == 1, (number, vars(releases))
    check(handle.ctx, lib.tiledb_query_submit(handle.ctx, handle.query))
    assert releases.alive == 1, vars(releases)
    handle.free()
    assert releases.alive == 0, vars(releases)


def to_polars(uri, batch_bytes=0):
    """Returns the cells of an array as a frame of polars, after the query was freed, and the followed stream."""
    handle = Handle(uri, READ, ROW_MAJOR)
    followed = FollowedStream(exported(handle, batch_bytes))
    handle.free()
    return polars.DataFrame(followed), followed


def from_polars(uri, frame):
    """Writes a frame of polars, whose batches are passed on without pyarrow."""
    capsule = frame.__arrow_c_stream__()
    stream = Stream.from_address(capsule_pointer(capsule, STREAM))
    address = ctypes.addressof(stream)
    schema = Schema()
    assert GetNext(stream.schema)(address, ctypes.addressof(schema)) == 0
    releases = Releases()
    while True:
        array = Array()
        assert GetNext(stream.next)(address, ctypes.addressof(array)) == 0
        if array.words[Array.RELEASE] == 0:
            break
        releases.follow(array)
        handle = Handle(uri, WRITE, UNORDERED)
        check(handle.ctx, lib.tiledb_rs_query_import_arrow(handle.ctx, handle.query, ctypes.byref(array), ctypes.byref(schema)))
        check(handle.ctx, lib.tiledb_query_submit(handle.ctx, handle.query))
        handle.free()
    pyarrow.Schema._import_from_c(ctypes.addressof(schema))
    assert releases.total >= 1 and releases.alive == 0, vars(releases)


def exchange_with_polars(folder, uri, expected):
    """Frames of polars have the cells of arrays, and arrays those of frames: strings are views there."""
    rows = expected.num_rows
    frame, followed = to_polars(uri)
    assert frame.equals(polars.from_arrow(expected)), frame
    assert frame["text"].null_count() == expected.column("text").null_count > 0
    assert frame["maybe"].to_list() == expected.column("maybe").to_pylist()
    assert frame["day"].to_list() == expected.column("day").to_pylist()
    # Columns that are not converted share the memory of the batch.
    assert followed.releases.alive == followed.releases.total == 1
    total = frame["d"].sum()
    del frame
    gc.collect()
    assert followed.releases.alive == 0, vars(followed.releases)
    parts, followed = to_polars(uri, 5000)
    assert followed.releases.total > 3 and len(parts) == rows and parts["d"].sum() == total
    del parts
    gc.collect()
    assert followed.releases.alive == 0, vars(followed.releases)

    # The same cells again, in several chunks, as views and as slices of them. Times of polars are in
    # nanoseconds.
    expected = expected.drop(["at"])
    create(folder + "/from-polars", pyarrow.schema([nullable(field, field.name) for field in expected.schema]))
    frame = polars.from_arrow(expected)
    for part in (frame[:300], polars.concat([frame[300:301], frame[301:]], rechunk=False)):
        from_polars(folder + "/from-polars", part)
    assert table(folder + "/from-polars").combine_chunks().equals(expected.combine_chunks()), "from polars"

    # Types as polars has them, with short and long strings, empty ones and nulls.
    texts = [None, "", "exactly 12 b", "exactly 13 by", "a long text " * 1000, "ä€😀"]
    start = datetime.datetime(1969, 12, 31, 23, 59, 59, 999999)
    frame = polars.DataFrame({
        "d": polars.Series(range(len(texts)), dtype=polars.Int64),
        "text": texts,
        "bytes": [text.encode() if text else b"" for text in texts],
        "flag": [True, None, False, True, None, False],
        "at": [start + datetime.timedelta(days=n) for n in range(6)],
        "time": [datetime.time(n, 1, 2, 3) for n in range(6)],
        "list": [[1, 2], [], None, [3], [], [4, 5, 6]],
        "pair": polars.Series([[n, -n] for n in range(6)], dtype=polars.Array(polars.Int16, 2)),
    })
    uri = folder + "/types-of-polars"
    described = pyarrow.RecordBatchReader.from_stream(frame).schema
    assert described.field("text").type == pyarrow.string_view(), described
    create(uri, described)
    from_polars(uri, frame)
    found, _ = to_polars(uri)
    assert found.equals(frame), found
    colors = polars.Series(["blue", None, "red", "green"], dtype=polars.Enum(["green", "blue", "red"]))
    frame = polars.DataFrame({"d": [1, 2, 3, 4], "color": colors.drop_nulls().extend(colors[:1])})
    from_polars(folder + "/enumerated", frame)
    found, _ = to_polars(folder + "/enumerated")
    assert found["color"].cast(str).to_list() == ["blue", "red", "green", "blue"], found
    print("exchanged %d columns with polars %s" % (len(expected.column_names), polars.__version__))


def main():
    with tempfile.TemporaryDirectory() as folder:
        exchange(folder)


def exchange(folder):
    uri = folder + "/array"
    data = columns(1000)
    fields = [nullable(pyarrow.field(name, array.type), name) for name, array in data.items()]
    schema = pyarrow.schema(fields)
    described = create(uri, schema)
    assert described.names == schema.names, described
    for field in schema:
        assert described.field(field.name).type == field.type, (described.field(field.name), field)
        assert described.field(field.name).nullable == field.nullable, field
    batch = pyarrow.record_batch(list(data.values()), schema=schema)
    write(uri, batch)
    found = table(uri)
    found.validate(full=True)
    assert found.equals(pyarrow.Table.from_batches([batch])), "whole"
    for size in (1, 200, 5000):
        parts = table(uri, size)
        parts.validate(full=True)
        assert parts.num_rows == 1000 and parts.column("text").num_chunks > 1
        assert parts.combine_chunks().equals(found.combine_chunks()), size
    # Slices, 32-bit offsets, and other arrays of the same values.
    uri = folder + "/slices"
    create(uri, schema)
    short = {"text": pyarrow.utf8(), "bytes": pyarrow.binary(), "list": pyarrow.list_(pyarrow.int16())}
    casted = [array.cast(short[name]) if name in short else array for name, array in data.items()]
    batch = pyarrow.record_batch(casted, names=list(data))
    for start, length in ((0, 3), (3, 14), (17, 900), (917, 83)):
        write(uri, batch.slice(start, length))
    assert table(uri).combine_chunks().equals(found.combine_chunks()), "slices"
    # Batches outlive the stream and the query.
    handle = Handle(uri, READ, ROW_MAJOR)
    reader = stream_of(handle, 2000)
    first, second = reader.read_next_batch(), reader.read_next_batch()
    handle.free()
    del reader
    first.validate(full=True)
    assert first.column("d")[0].as_py() == 0
    assert second.column("d")[0].as_py() == len(first)
    # A stream that is dropped before its first batch.
    handle = Handle(uri, READ, ROW_MAJOR)
    stream_of(handle)
    handle.free()
    enumerated(folder)
    # Errors.
    handle = Handle(uri, WRITE, UNORDERED)
    wrong = pyarrow.record_batch([pyarrow.array([1.5])], names=["i8"])
    array, exported = Array(), Schema()
    wrong._export_to_c(ctypes.addressof(array), ctypes.addressof(exported))
    code = lib.tiledb_rs_query_import_arrow(handle.ctx, handle.query, ctypes.byref(array), ctypes.byref(exported))
    assert code == -1 and "does not fit the field 'i8'" in error_of(handle.ctx), error_of(handle.ctx)
    assert array.words[8] != 0, "the array of a failed call was released"
    pyarrow.RecordBatch._import_from_c(ctypes.addressof(array), ctypes.addressof(exported))
    handle.free()
    release_callbacks(uri, found)
    if polars is None:
        print("skipped: polars is not installed")
    else:
        exchange_with_polars(folder, uri, found)
    print("exchanged %d columns with pyarrow %s" % (len(data), pyarrow.__version__))


main()
