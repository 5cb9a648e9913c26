"""The operations of the server, each from the body of a request to the body of the response."""
import ctypes
import json
import os
import struct
from ctypes import byref, c_int32, c_uint32, c_uint64, c_void_p

import capnp
from library import ARRAY, CAPNP, GROUP, JSON, MODIFY_EXCLUSIVE, READ, WRITE

TYPES = {"READ": 0, "WRITE": 1, "DELETE": 2, "UPDATE": 3, "MODIFY_EXCLUSIVE": 4}
SERVER = c_int32(0)


class NotFound(Exception):
    """No object exists at a URI."""


class Operations:
    """The operations of the server, each from the body of a request to the body of the response.

    Bodies that consist of several messages, and those of changes of groups and of maintenance, are in Cap'n Proto.
    """

    def __init__(self, library, folder, encoding=CAPNP):
        self.library = library
        self.folder = folder
        self.encoding = c_uint32(encoding)

    def path(self, namespace, name):
        """Returns the folder of an object."""
        name = name.rstrip("/")
        if "://" in name:
            name = name.rsplit("/", 1)[-1]
        path = os.path.normpath(os.path.join(self.folder, namespace, name))
        if not path.startswith(self.folder):
            raise NotFound(name)
        return path

    def object_type(self, path):
        """Returns the type of the object in a folder."""
        with self.library.context() as ctx:
            return ctx.number("object_type", path.encode())

    def need(self, path, kind):
        """Raises an error unless an object of this type exists."""
        if self.object_type(path) != kind:
            raise NotFound(path)

    # Arrays

    def schema(self, path, _body, _query):
        self.need(path, ARRAY)
        with self.library.context() as ctx:
            schema = ctx.make("array_schema", "array_schema_load", path.encode())
            return ctx.content(ctx.make("buffer", "serialize_array_schema", schema, self.encoding, SERVER))

    def create_array(self, path, body, legacy):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with self.library.context() as ctx:
            message = ctx.buffer(body)
            if legacy:
                schema = ctx.make("array_schema", "deserialize_array_schema", message, self.encoding, SERVER)
            else:
                storage = c_void_p()
                schema = ctx.make("array_schema", "deserialize_array_create", message, self.encoding, SERVER, byref(storage))
                ctx.library.tiledb_string_free(byref(storage))
            ctx.call("array_create", path.encode(), schema)
        return b""

    def load_schema(self, path, body, query):
        return self.handle("handle_load_array_schema_request", path, body, query)

    def enumerations(self, path, body, query):
        return self.handle("handle_load_enumerations_request", path, body, query)

    def consolidation_plan(self, path, body, query):
        return self.handle("handle_consolidation_plan_request", path, body, query)

    def query_plan(self, path, body, query):
        return self.handle("handle_query_plan_request", path, body, query)

    def handle(self, function, path, body, query):
        """Handles a request on an open array that has a response."""
        self.need(path, ARRAY)
        with self.library.context() as ctx:
            array = ctx.array(path, TYPES[query.get("type", "READ")], times(query))
            response = ctx.buffer()
            ctx.call(function, array, self.encoding, ctx.buffer(body), response)
            return ctx.content(response)

    def open(self, path, body, query):
        self.need(path, ARRAY)
        with self.library.context() as ctx:
            request = ctx.make("array", "deserialize_array_open", ctx.buffer(body), self.encoding, SERVER)
            query_type = ctx.number("array_get_query_type", request)
            config = ctx.make("config", "array_get_config", request)
            array = ctx.array(path, query_type, times(query), config)
            return ctx.content(ctx.make("buffer", "serialize_array", array, self.encoding, SERVER))

    def delete_array(self, path, _body, _query):
        self.need(path, ARRAY)
        with self.library.context() as ctx:
            ctx.call("array_delete", path.encode())
        return b""

    def delete_fragments(self, path, body, _query):
        return self.delete("handle_array_delete_fragments_timestamps_request", path, body)

    def delete_fragments_list(self, path, body, _query):
        return self.delete("handle_array_delete_fragments_list_request", path, body)

    def delete(self, function, path, body):
        """Handles a request to delete fragments."""
        self.need(path, ARRAY)
        with self.library.context() as ctx:
            array = ctx.array(path, MODIFY_EXCLUSIVE)
            ctx.call(function, array, self.encoding, ctx.buffer(body))
        return b""

    def non_empty_domain(self, path, _body, query):
        self.need(path, ARRAY)
        with self.library.context() as ctx:
            array = ctx.array(path, READ, times(query))
            name = "serialize_array_non_empty_domain_all_dimensions"
            return ctx.content(ctx.make("buffer", name, array, self.encoding, SERVER))

    def metadata(self, path, _body, query):
        self.need(path, ARRAY)
        with self.library.context() as ctx:
            array = ctx.array(path, READ, times(query))
            return ctx.content(ctx.make("buffer", "serialize_array_metadata", array, self.encoding))

    def put_metadata(self, path, body, query):
        self.need(path, ARRAY)
        with self.library.context() as ctx:
            array = ctx.array(path, WRITE, times(query))
            ctx.call("deserialize_array_metadata", array, self.encoding, ctx.buffer(body))
            ctx.call("array_close", array)
        return b""

    def evolve(self, path, body, _query):
        self.need(path, ARRAY)
        with self.library.context() as ctx:
            name = "deserialize_array_schema_evolution"
            evolution = ctx.make("array_schema_evolution", name, ctx.buffer(body), self.encoding, SERVER)
            ctx.call("array_evolve", path.encode(), evolution)
        return b""

    def fragment_info(self, path, body, _query):
        self.need(path, ARRAY)
        with self.library.context() as ctx:
            info = ctx.make("fragment_info", "fragment_info_alloc", path.encode())
            ctx.call("deserialize_fragment_info_request", ctx.buffer(body), self.encoding, SERVER, info)
            ctx.call("fragment_info_load", info)
            return ctx.content(ctx.make("buffer", "serialize_fragment_info", info, self.encoding, SERVER))

    def consolidate(self, path, body, _query):
        self.need(path, ARRAY)
        request = capnp.read(body)
        fragments = [name[:-1] for name in request.pointer(1) or []]
        with self.library.context() as ctx:
            config = ctx.config(entries_of(request.pointer(0)))
            if fragments:
                names = (ctypes.c_char_p * len(fragments))(*fragments)
                count = c_uint64(len(fragments))
                ctx.call("array_consolidate_fragments", path.encode(), names, count, config)
            else:
                ctx.call("array_consolidate", path.encode(), config)
        return b""

    def vacuum(self, path, body, _query):
        self.need(path, ARRAY)
        with self.library.context() as ctx:
            ctx.call("array_vacuum", path.encode(), ctx.config(entries_of(capnp.read(body).pointer(0))))
        return b""

    # Queries

    def query(self, ctx, path, body, query, refactored):
        """Creates the query of a message, with buffers."""
        self.need(path, ARRAY)
        message = ctx.buffer(body)
        if refactored:
            array, made = c_void_p(), c_void_p()
            name = "deserialize_query_and_array"
            ctx.call(name, message, self.encoding, SERVER, path.encode(), byref(made), byref(array))
            ctx.own("array", array)
            ctx.own("query", made)
        else:
            query_type = TYPES[query["type"]]
            array = ctx.array(path, query_type, times(query))
            made = ctx.make("query", "query_alloc", array, c_uint32(query_type))
            ctx.call("deserialize_query", message, self.encoding, SERVER, made)
        if query["type"] == "READ":
            # Results of several submits come in parts that are smaller than the buffers of the client.
            share = 3 if query.get("read_all") == "true" else 1
            ctx.allocate_buffers(made, ctx.field_names(array), share)
        return made

    def submit(self, path, body, query, refactored):
        with self.library.context() as ctx:
            made = self.query(ctx, path, body, query, refactored)
            more = ctx.submit(made)
            records = [record(ctx.flat_query(made))]
            while more and query.get("read_all") == "true":
                more = ctx.submit(made)
                records.append(record(ctx.flat_query(made)))
            return b"".join(records)

    def finalize(self, path, body, query, refactored):
        with self.library.context() as ctx:
            made = self.query(ctx, path, body, query, refactored)
            ctx.call("query_finalize", made)
            return ctx.flat_query(made)

    def submit_and_finalize(self, path, body, query, refactored):
        with self.library.context() as ctx:
            made = self.query(ctx, path, body, query, refactored)
            ctx.call("query_submit_and_finalize", made)
            return record(ctx.flat_query(made))

    def est_result_sizes(self, path, body, query):
        self.need(path, ARRAY)
        with self.library.context() as ctx:
            array = ctx.array(path, READ, times(query))
            made = ctx.make("query", "query_alloc", array, c_uint32(READ))
            ctx.call("deserialize_query", ctx.buffer(body), self.encoding, SERVER, made)
            name = "serialize_query_est_result_sizes"
            return ctx.content(ctx.make("buffer", name, made, self.encoding, SERVER))

    # Groups

    def create_group(self, path, _body):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with self.library.context() as ctx:
            ctx.call("group_create", path.encode())
        return b""

    def group_contents(self, path, _body, _query):
        self.need(path, GROUP)
        with self.library.context() as ctx:
            group = ctx.group(path, READ)
            content = ctx.content(ctx.make("buffer", "serialize_group", group, self.encoding, SERVER))
            if self.encoding.value == JSON:
                return json.dumps(json.loads(content)["group"]).encode()
            return part(content, 1)

    def change_group(self, path, body, _query):
        self.need(path, GROUP)
        changes = capnp.read(body).pointer(1)
        with self.library.context() as ctx:
            group = ctx.group(path, WRITE)
            for name in changes.pointer(0) or []:
                ctx.call("group_remove_member", group, name)
            for member in changes.pointer(1) or []:
                uri, name = member.text(0), member.text(2)
                if uri.startswith("tiledb://"):
                    uri = os.path.join(self.folder, uri[len("tiledb://"):])
                name = name.encode() if name else None
                ctx.call("group_add_member", group, uri.encode(), ctypes.c_uint8(member.flag(0)), name)
            ctx.call("group_close", group)
        return b""

    def group_metadata(self, path, _body, _query):
        self.need(path, GROUP)
        with self.library.context() as ctx:
            group = ctx.group(path, READ)
            return ctx.content(ctx.make("buffer", "serialize_group_metadata", group, self.encoding))

    def put_group_metadata(self, path, body, _query):
        self.need(path, GROUP)
        with self.library.context() as ctx:
            group = ctx.group(path, WRITE)
            ctx.call("deserialize_group_metadata", group, self.encoding, ctx.buffer(part(body, 1)))
            ctx.call("group_close", group)
        return b""

    def delete_group(self, path, _body, query):
        self.need(path, GROUP)
        with self.library.context() as ctx:
            group = ctx.group(path, MODIFY_EXCLUSIVE)
            recursive = ctypes.c_uint8(query.get("recursive") == "true")
            ctx.call("group_delete_group", group, path.encode(), recursive)
        return b""


def part(message, index):
    """Returns the object that a pointer of the root refers to as a message of its own."""
    root = capnp.read(message)
    position = root.data + root.data_words + index
    pointer = root.segments[root.segment][position]
    if pointer & 3 != 2:
        # A far pointer whose landing pad is the pointer of the root.
        pointer = 2 | position << 3 | root.segment << 32
    start = (4 + 4 * len(root.segments) + 7) // 8 * 8
    return message[:start] + struct.pack("<Q", pointer) + message[start + 8:]


def entries_of(config):
    """Returns the parameters of the message of a configuration."""
    return [(entry.text(0), entry.text(1)) for entry in (config.pointer(0) or [])] if config else []


def times(query):
    """Returns the time range of a request, None without one."""
    if "start_timestamp" not in query:
        return None
    return int(query["start_timestamp"]), int(query["end_timestamp"])


def record(message):
    """Returns a message of a query preceded by its size."""
    return struct.pack("<Q", len(message)) + message
