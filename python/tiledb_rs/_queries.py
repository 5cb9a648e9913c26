"""Reads of arrays as Arrow tables, and their explanations."""

import ctypes
import json

from ._functions import Error, _c_text, _Context
from ._redirect import has_library

_READ, _DENSE = 0, 0
_ROW_MAJOR, _UNORDERED = 0, 3
_TEXT, _JSON = 0, 1
_Pointer = ctypes.c_void_p


class _ArrowArray(ctypes.Structure):
    _fields_ = [
        ("numbers", ctypes.c_int64 * 5),
        ("buffers", _Pointer),
        ("children", _Pointer),
        ("dictionary", _Pointer),
        ("release", ctypes.CFUNCTYPE(None, _Pointer)),
        ("private_data", _Pointer),
    ]


class _ArrowStream(ctypes.Structure):
    _fields_ = [
        ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, _Pointer, _Pointer)),
        ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, _Pointer, _Pointer)),
        ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, _Pointer)),
        ("release", ctypes.CFUNCTYPE(None, _Pointer)),
        ("private_data", _Pointer),
    ]


class Explanation(dict):
    """The explanation of a read; as a string, in the form for people."""

    def __init__(self, values, text):
        super().__init__(values)
        self._text = text

    def __str__(self):
        return self._text


class _Read:
    """A read of the cells of an array that satisfy a condition."""

    def __init__(self, context, uri, where, columns):
        self.context = context
        if isinstance(columns, str):
            raise TypeError("columns is a list of names, not a string")
        self.columns = [_c_text(str(column)) for column in columns or ()]
        self.array, self.query = _Pointer(), _Pointer()
        self.has_cells = True
        try:
            self._open(_c_text(uri), where)
        except BaseException:
            self.free()
            raise

    def free(self):
        self.context.library.tiledb_query_free(ctypes.byref(self.query))
        self.context.library.tiledb_array_free(ctypes.byref(self.array))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.free()

    def _open(self, uri, where):
        call = self.context.call
        call("tiledb_array_alloc", uri, ctypes.byref(self.array))
        call("tiledb_array_open", self.array, _READ)
        call("tiledb_query_alloc", self.array, _READ, ctypes.byref(self.query))
        schema, kind = _Pointer(), ctypes.c_uint32()
        call("tiledb_array_get_schema", self.array, ctypes.byref(schema))
        try:
            call("tiledb_array_schema_get_array_type", schema, ctypes.byref(kind))
            is_dense = kind.value == _DENSE
            if is_dense:
                self._select_cells(schema)
        finally:
            self.context.library.tiledb_array_schema_free(ctypes.byref(schema))
        call("tiledb_query_set_layout", self.query, _ROW_MAJOR if is_dense else _UNORDERED)
        if where is not None:
            self._set_condition(where)

    def _select_cells(self, schema):
        """Selects the box of a dense array that contains all written cells."""
        call, library = self.context.call, self.context.library
        domain, subarray, number = _Pointer(), _Pointer(), ctypes.c_uint32()
        library.tiledb_datatype_size.restype = ctypes.c_uint64
        call("tiledb_array_schema_get_domain", schema, ctypes.byref(domain))
        call("tiledb_subarray_alloc", self.array, ctypes.byref(subarray))
        try:
            call("tiledb_domain_get_ndim", domain, ctypes.byref(number))
            for index in range(number.value):
                dimension, kind = _Pointer(), ctypes.c_uint32()
                index = ctypes.c_uint32(index)
                call("tiledb_domain_get_dimension_from_index", domain, index, ctypes.byref(dimension))
                call("tiledb_dimension_get_type", dimension, ctypes.byref(kind))
                size = library.tiledb_datatype_size(kind)
                first = _Pointer()
                call("tiledb_dimension_get_domain", dimension, ctypes.byref(first))
                # A dense read needs a box. Without cells it is the first one, which is not read.
                first = ctypes.string_at(first, size)
                library.tiledb_dimension_free(ctypes.byref(dimension))
                bounds, is_empty = ctypes.create_string_buffer(2 * size), ctypes.c_int32()
                call(
                    "tiledb_array_get_non_empty_domain_from_index",
                    self.array,
                    index,
                    bounds,
                    ctypes.byref(is_empty),
                )
                if is_empty.value:
                    self.has_cells = False
                    bounds.raw = first + first
                ends = ctypes.byref(bounds), ctypes.byref(bounds, size)
                call("tiledb_subarray_add_range", subarray, index, *ends, None)
            call("tiledb_query_set_subarray_t", self.query, subarray)
        finally:
            library.tiledb_subarray_free(ctypes.byref(subarray))
            library.tiledb_domain_free(ctypes.byref(domain))

    def _set_condition(self, where):
        condition, position = _Pointer(), ctypes.c_uint64()
        arguments = self.array, _c_text(str(where)), ctypes.byref(position)
        self.context.call("tiledb_rs_query_condition_parse", *arguments, ctypes.byref(condition))
        try:
            self.context.call("tiledb_query_set_condition", self.query, condition)
        finally:
            self.context.library.tiledb_query_condition_free(ctypes.byref(condition))

    def export(self, batch_bytes):
        """Returns the results as a stream of Arrow arrays, which stays valid without the query."""
        if not 0 <= batch_bytes < 2**64:
            raise ValueError("batch_bytes is not between 0 and 2**64")
        stream = _ArrowStream()
        names = (ctypes.c_char_p * len(self.columns))(*self.columns)
        number = ctypes.c_uint64(len(self.columns))
        size = ctypes.c_uint64(batch_bytes)
        self.context.call(
            "tiledb_rs_query_export_arrow", self.query, names, number, size, ctypes.byref(stream)
        )
        return stream

    def run(self):
        """Reads all cells and drops them."""
        stream = self.export(0)
        try:
            while True:
                batch = _ArrowArray()
                if stream.get_next(ctypes.addressof(stream), ctypes.addressof(batch)) != 0:
                    message = stream.get_last_error(ctypes.addressof(stream)) or b""
                    raise Error(message.decode(errors="replace"))
                if not batch.release:
                    return
                batch.release(ctypes.addressof(batch))
        finally:
            stream.release(ctypes.addressof(stream))

    def explain(self, form):
        text, data, length = _Pointer(), _Pointer(), ctypes.c_size_t()
        self.context.call("tiledb_rs_query_explain", self.query, form, ctypes.byref(text))
        library = self.context.library
        library.tiledb_string_view(text, ctypes.byref(data), ctypes.byref(length))
        content = ctypes.string_at(data, length.value).decode()
        library.tiledb_string_free(ctypes.byref(text))
        return content


def arrow(uri, where=None, columns=None, config=None, batch_bytes=0):
    """Reads cells of the array at ``uri``; returns a ``pyarrow.RecordBatchReader``.

    ``where`` is a condition as text, such as ``"temperature > 20.5 AND note IS NOT NULL"``.
    ``columns`` are names of attributes and dimensions; without them, all attributes and, of sparse
    arrays, the dimensions are read. ``config`` is a mapping of parameters. Batches have about
    ``batch_bytes`` bytes (0: 16 MiB), which bounds the memory; ``read_all()`` of the reader returns
    a table.

    Cells of sparse arrays are in any order. Of dense arrays the box that contains all written cells
    is read, in row-major order; cells that do not satisfy the condition have fill values, as in all
    reads of TileDB. Requires pyarrow.
    """
    if not has_library():
        from ._array import Array

        return Array(uri, config=config).query(where, columns=columns, batch_bytes=batch_bytes).batches()
    import pyarrow

    with _Context(config) as context, _Read(context, uri, where, columns) as read:
        stream = read.export(batch_bytes)
        reader = pyarrow.RecordBatchReader._import_from_c(ctypes.addressof(stream))
        if read.has_cells:
            return reader
        schema = reader.schema
        reader.close()
        return pyarrow.RecordBatchReader.from_batches(schema, [])


def explain(uri, where=None, columns=None, config=None, run=False):
    """Explains a read of the array at ``uri``: fragments and tiles, bytes, times, hints.

    The parameters are those of :func:`arrow`. Without ``run`` the result is the plan; with it, all
    cells are read and dropped first, and the result also has what happened. Returns a dictionary,
    whose string is the explanation for people. Does not need pyarrow.
    """
    if not has_library():
        from ._array import Array

        plan = Array(uri, config=config).explain(where, run, columns=columns)
        return Explanation(plan, str(plan))
    with _Context(config) as context, _Read(context, uri, where, columns) as read:
        if run and read.has_cells:
            read.run()
        elif read.columns:
            # The plan is that of the fields with buffers. Nothing is read into them.
            size = ctypes.c_uint64(8)
            buffer = ctypes.create_string_buffer(size.value)
            for column in read.columns:
                arguments = read.query, column, buffer, ctypes.byref(size)
                context.call("tiledb_query_set_data_buffer", *arguments)
        return Explanation(json.loads(read.explain(_JSON)), read.explain(_TEXT))
