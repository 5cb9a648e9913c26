"""Writes the golden arrays of earlier releases with their library. Usage: make_old.py LIBRARY FOLDER ARRAY"""
import ctypes
import struct
import sys

INT8, STRING_ASCII = 5, 11
ROW_MAJOR, GLOBAL_ORDER = 0, 2


class Library:
    """The C API of a release."""

    def __init__(self, path):
        self.functions = ctypes.CDLL(path)
        self.context = ctypes.c_void_p()
        self.functions.tiledb_ctx_alloc(None, ctypes.byref(self.context))

    def call(self, name, *arguments):
        if getattr(self.functions, "tiledb_" + name)(self.context, *arguments) != 0:
            raise RuntimeError(name)

    def handle(self, name, *arguments):
        made = ctypes.c_void_p()
        self.call(name + "_alloc", *arguments, ctypes.byref(made))
        return made


def write(library, uri, domain, extent, datatype, layout, box, values, validity):
    """Creates a dense array with one dimension and one nullable attribute, and writes a box of it."""
    schema = library.handle("array_schema", 0)
    dimensions = library.handle("domain")
    bounds, tile = struct.pack("<2b", *domain), struct.pack("<b", extent)
    dimension = library.handle("dimension", b"x", INT8, bounds, tile)
    library.call("domain_add_dimension", dimensions, dimension)
    library.call("array_schema_set_domain", schema, dimensions)
    attribute = library.handle("attribute", b"a", datatype)
    library.call("attribute_set_nullable", attribute, ctypes.c_uint8(1))
    library.call("array_schema_add_attribute", schema, attribute)
    library.call("array_create", uri, schema)

    array = library.handle("array", uri)
    library.call("array_open", array, 1)
    query = library.handle("query", array, 1)
    library.call("query_set_layout", query, layout)
    library.call("query_set_subarray", query, struct.pack("<2b", *box))
    sizes = [ctypes.c_uint64(len(values)), ctypes.c_uint64(len(validity))]
    if hasattr(library.functions, "tiledb_query_set_buffer_nullable"):
        buffers = values, ctypes.byref(sizes[0]), validity, ctypes.byref(sizes[1])
        library.call("query_set_buffer_nullable", query, b"a", *buffers)
    else:
        library.call("query_set_data_buffer", query, b"a", values, ctypes.byref(sizes[0]))
        library.call("query_set_validity_buffer", query, b"a", validity, ctypes.byref(sizes[1]))
    library.call("query_submit", query)
    library.call("query_finalize", query)
    library.call("array_close", array)


if __name__ == "__main__":
    library, uri = Library(sys.argv[1]), f"{sys.argv[2]}/{sys.argv[3]}".encode()
    if sys.argv[3] == "characters-2.14":
        write(library, uri, (1, 8), 4, STRING_ASCII, ROW_MAJOR, (2, 3), b"xy", bytes([0, 1]))
    else:
        write(library, uri, (1, 8), 4, INT8, GLOBAL_ORDER, (1, 8), bytes(range(8)), bytes([1, 0] * 4))
