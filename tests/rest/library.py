"""Calls of the C API of this library or libtiledb, as far as the test server needs them."""
import ctypes
from ctypes import POINTER, byref, c_char_p, c_int32, c_uint32, c_uint64, c_void_p

JSON, CAPNP = 0, 1
READ, WRITE, MODIFY_EXCLUSIVE = 0, 1, 4
GROUP, ARRAY = 1, 2
GLOBAL_ORDER = 2
INCOMPLETE = 3

# Parameters of each context. libtiledb prepares the merge of sparse reads in threads that may
# outlive the query and then use freed memory; 0 disables this.
PARAMETERS = {"sm.query.sparse_global_order.preprocess_tile_merge": "0"}


class TileDBError(Exception):
    """An error of the library, with its text."""


class Library:
    """The functions of a shared library, called with a context whose errors become exceptions."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def context(self, parameters=None):
        """Creates a context."""
        return Context(self, parameters or {})


class Context:
    """A context, and the calls with it. Objects are freed with `close`."""

    def __init__(self, library, parameters):
        self.library = library.library
        self.owned = []
        self.kept = []
        # The sizes of the buffers of queries, and what they are before a submit.
        self.lengths = []
        config, error = c_void_p(), c_void_p()
        self.library.tiledb_config_alloc(byref(config), byref(error))
        for name, value in (PARAMETERS | parameters).items():
            self.library.tiledb_config_set(config, name.encode(), value.encode(), byref(error))
        self.pointer = c_void_p()
        self.library.tiledb_ctx_alloc(config, byref(self.pointer))
        self.library.tiledb_config_free(byref(config))

    def close(self):
        """Frees the objects, those created last first, and the context."""
        for kind, pointer in reversed(self.owned):
            getattr(self.library, f"tiledb_{kind}_free")(byref(pointer))
        self.library.tiledb_ctx_free(byref(self.pointer))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def call(self, name, *arguments):
        """Calls a function that has the context as its first argument."""
        function = getattr(self.library, f"tiledb_{name}")
        if function(self.pointer, *arguments) == 0:
            return
        error, text = c_void_p(), c_char_p()
        self.library.tiledb_ctx_get_last_error(self.pointer, byref(error))
        if error:
            self.library.tiledb_error_message(error, byref(text))
        message = (text.value or b"unknown error").decode(errors="replace")
        if error:
            self.library.tiledb_error_free(byref(error))
        raise TileDBError(message)

    def make(self, kind, name, *arguments):
        """Calls a function whose last argument is an object that it creates."""
        pointer = c_void_p()
        self.call(name, *arguments, byref(pointer))
        return self.own(kind, pointer)

    def own(self, kind, pointer):
        """Frees an object when the context is closed."""
        self.owned.append((kind, pointer))
        return pointer

    def number(self, name, *arguments, kind=c_uint32):
        """Calls a function whose last argument is a number that it sets."""
        value = kind()
        self.call(name, *arguments, byref(value))
        return value.value

    def buffer(self, content=None):
        """Creates a buffer, of a copy of bytes aligned to 8 if there are any."""
        pointer = self.make("buffer", "buffer_alloc")
        if content is not None:
            words = (c_uint64 * (len(content) // 8 + 1))()
            ctypes.memmove(words, content, len(content))
            self.kept.append(words)
            self.call("buffer_set_data", pointer, words, c_uint64(len(content)))
        return pointer

    def content(self, buffer):
        """Returns the bytes of a buffer."""
        data, size = c_void_p(), c_uint64()
        self.call("buffer_get_data", buffer, byref(data), byref(size))
        return ctypes.string_at(data, size.value) if data else b""

    def text(self, string):
        """Returns the bytes of a string object as text."""
        data, size = c_void_p(), ctypes.c_size_t()
        self.library.tiledb_string_view(string, byref(data), byref(size))
        return ctypes.string_at(data, size.value).decode() if data else ""

    def array(self, uri, query_type=None, times=None, config=None):
        """Creates an array handle, open if there is a type of queries."""
        array = self.make("array", "array_alloc", uri.encode())
        if config is not None:
            self.call("array_set_config", array, config)
        if times is not None:
            self.call("array_set_open_timestamp_start", array, c_uint64(times[0]))
            self.call("array_set_open_timestamp_end", array, c_uint64(times[1]))
        if query_type is not None:
            self.call("array_open", array, c_uint32(query_type))
        return array

    def group(self, uri, query_type):
        """Opens a group."""
        group = self.make("group", "group_alloc", uri.encode())
        self.call("group_open", group, c_uint32(query_type))
        return group

    def config(self, entries):
        """Creates a configuration of the parameters of a message."""
        config, error = c_void_p(), c_void_p()
        self.library.tiledb_config_alloc(byref(config), byref(error))
        self.own("config", config)
        for name, value in entries:
            self.library.tiledb_config_set(config, name.encode(), value.encode(), byref(error))
            if error:
                self.library.tiledb_error_free(byref(error))
        return config

    def field_names(self, array):
        """Returns the names of the attributes, dimensions and labels of an array."""
        schema = self.make("array_schema", "array_get_schema", array)
        domain = self.make("domain", "array_schema_get_domain", schema)
        names = ["__coords"]
        for index in range(self.number("array_schema_get_attribute_num", schema)):
            attribute = self.make("attribute", "array_schema_get_attribute_from_index", schema, c_uint32(index))
            names.append(self.name("attribute_get_name", attribute))
        for index in range(self.number("domain_get_ndim", domain)):
            dimension = self.make("dimension", "domain_get_dimension_from_index", domain, c_uint32(index))
            names.append(self.name("dimension_get_name", dimension))
        for index in range(self.number("array_schema_get_dimension_label_num", schema, kind=c_uint64)):
            label = self.make("dimension_label", "array_schema_get_dimension_label_from_index", schema, c_uint64(index))
            names.append(self.name("dimension_label_get_name", label))
        return names

    def name(self, function, pointer):
        """Returns a text of a getter."""
        text = c_char_p()
        self.call(function, pointer, byref(text))
        return text.value.decode()

    def allocate_buffers(self, query, names, share=1):
        """Sets buffers where the message of a client had sizes only. They have a part of these sizes."""
        for name in names:
            for kind in ("data", "offsets", "validity"):
                buffer, size = c_void_p(), POINTER(c_uint64)()
                try:
                    self.call(f"query_get_{kind}_buffer", query, name.encode(), byref(buffer), byref(size))
                except TileDBError:
                    continue
                if not size or buffer or size.contents.value == 0:
                    continue
                memory = (c_uint64 * (size.contents.value // 8 + 1))()
                length = c_uint64(size.contents.value // share)
                self.kept.append(memory)
                self.lengths.append((length, length.value))
                self.call(f"query_set_{kind}_buffer", query, name.encode(), memory, byref(length))

    def submit(self, query):
        """Submits a query and returns whether a read is incomplete."""
        for length, capacity in self.lengths:
            length.value = capacity
        self.call("query_submit", query)
        return self.number("query_get_status", query) == INCOMPLETE

    def flat_query(self, query):
        """Returns the message of a query and the content of its buffers."""
        parts = self.make("buffer_list", "serialize_query", query, c_uint32(CAPNP), c_int32(0))
        return self.content(self.make("buffer", "buffer_list_flatten", parts))
