#!/usr/bin/env python3
"""Serves arrays and groups of a local folder at tiledb:// URIs, for tests: server.py LIBRARY FOLDER [--legacy] [COMMAND...]

The library, this one or libtiledb, does the work with its functions for messages. Prints the address when the server
is ready. Ends when the standard input is closed, so that no server outlives a test that is killed. With a command,
runs it instead, and exits with its status: it finds the URI of objects in OBJECT_STORE_URI, and the parameters of a
client in the environment variables from which contexts read them. If FOLDER is "-", it is a new one that is removed.

The files of the folder are at /v4/files, as files.py describes.

URIs are tiledb://WORKSPACE/TEAMSPACE/NAME, and with --legacy tiledb://NAMESPACE/NAME. The object is in the folder
FOLDER/WORKSPACE/TEAMSPACE/NAME; a storage location in a URI is ignored except for its last part.

GET /control/log returns the requests so far as JSON, and clears them. POST /control/faults sets a list of faults, each
with a part of the path in "path", "times", and one of: "status" with "body", "reset" (closes the connection),
"truncate" (sends that many bytes of the response), "delay" (waits that many seconds), "slow" (sends the body in pieces
with pauses of that many seconds), "redirect" (an address), "encode" (compresses the body: gzip, deflate,
zstd, or only says so). "after" is true if the request is processed before.
"""
import ctypes
import gzip
import json
import os
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import zlib
from ctypes import byref, c_int32, c_uint32, c_uint64, c_void_p
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import capnp
from files import Files
from library import ARRAY, CAPNP, GROUP, JSON, MODIFY_EXCLUSIVE, READ, WRITE, Library, TileDBError

TYPES = {"READ": 0, "WRITE": 1, "DELETE": 2, "UPDATE": 3, "MODIFY_EXCLUSIVE": 4}
ENCODINGS = {"application/json": JSON, "application/capnp": CAPNP}
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


def capabilities(deployed, minimum, encoding):
    """Returns the message of the versions that a server has and accepts."""
    if encoding == CAPNP:
        return capnp.capabilities(deployed, minimum)
    versions = [dict(zip(("major", "minor", "patch"), version)) for version in (deployed, minimum)]
    names = "deployedTileDBVersion", "minimumSupportedTileDBClientVersion"
    return json.dumps(dict(zip(names, versions))).encode()


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


def encoded(body, encoding):
    """Returns a compressed body."""
    if encoding == "gzip":
        return gzip.compress(body)
    if encoding == "deflate":
        return zlib.compress(body)
    if encoding != "zstd":
        return body
    # A frame of Zstandard whose blocks are not compressed.
    frame = struct.pack("<IBI", 0xFD2FB528, 0xA0, len(body))
    size = 100000
    for start in range(0, len(body) or 1, size):
        block = body[start:start + size]
        last = start + size >= len(body)
        frame += struct.pack("<I", len(block) << 3 | last)[:3] + block
    return frame


class Handler(BaseHTTPRequestHandler):
    """Handles the requests of one connection."""

    protocol_version = "HTTP/1.1"
    # The head and the body of a response are sent separately; the second would wait for the first.
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def respond(self, status, body, headers=None, fault=None):
        """Sends a response, damaged as a fault says."""
        fault = fault or {}
        if self.command in ("HEAD", "OPTIONS"):
            body = b""
        if "encode" in fault:
            headers = {**(headers or {}), "Content-Encoding": fault["encode"]}
            body = encoded(body, fault["encode"])
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/capnp")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if "truncate" in fault:
            self.wfile.write(body[:fault["truncate"]])
            self.wfile.flush()
            self.close_connection = True
            self.connection.shutdown(2)
        elif "slow" in fault:
            for start in range(0, len(body), max(1, len(body) // 8)):
                self.wfile.write(body[start:start + max(1, len(body) // 8)])
                self.wfile.flush()
                time.sleep(fault["slow"])
        else:
            self.wfile.write(body)

    def respond_with(self, status, headers, body):
        """Sends a response about files."""
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def handle_request(self):
        """Handles a request of any method."""
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True))
        length = int(self.headers.get("Content-Length") or 0)
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            body = self.read_chunks()
        else:
            body = self.rfile.read(length)
        server = self.server
        if url.path.startswith("/control/"):
            return self.control(url.path, body)
        with server.lock:
            server.requests.append({
                "method": self.command, "path": self.path, "headers": dict(self.headers), "body": len(body),
            })
        if url.path.startswith("/v4/files/"):
            headers = {name.lower(): value for name, value in self.headers.items()}
            return self.respond_with(*server.files.handle(
                self.command, url.path.removeprefix("/v4/files/"), query, headers, body))
        fault = server.fault_for(url.path)
        if fault and not fault.get("after"):
            if self.fail(fault):
                return None
        try:
            status, response = 200, self.dispatch(url.path, query, body)
        except NotFound as error:
            status, response = 404, json.dumps({"code": 1, "message": f"not found: {error}"}).encode()
        except TileDBError as error:
            status, response = 500, json.dumps({"code": 2, "message": str(error)}).encode()
        if os.environ.get("REST_SERVER_TRACE"):
            print(self.command, self.path, len(body), "->", status, len(response),
                  response[:300] if status != 200 else "", file=sys.stderr, flush=True)
        if fault and fault.get("after"):
            if self.fail(fault):
                return None
        return self.respond(status, response, fault=fault)

    def read_chunks(self):
        """Reads a body in chunks."""
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def fail(self, fault):
        """Fails a request as a fault says. Returns whether there is no other response."""
        if "delay" in fault:
            time.sleep(fault["delay"])
        if "status" in fault:
            self.respond(fault["status"], fault.get("body", "").encode())
            return True
        if "redirect" in fault:
            self.respond(307, b"", {"Location": fault["redirect"] + self.path})
            return True
        if fault.get("reset"):
            self.close_connection = True
            self.connection.setsockopt(1, 13, struct.pack("ii", 1, 0))
            self.connection.close()
            return True
        return False

    def control(self, path, body):
        """Handles a request of a test."""
        server = self.server
        with server.lock:
            if path == "/control/faults":
                server.faults = json.loads(body)
                return self.respond(200, b"")
            log, server.requests = server.requests, []
        return self.respond(200, json.dumps(log).encode())

    def operations(self):
        """Returns the operations with the encoding of the request."""
        operations = self.server.operations
        encoding = ENCODINGS.get(self.headers.get("Content-Type"), CAPNP)
        return Operations(operations.library, operations.folder, encoding)

    def dispatch(self, path, query, body):
        """Returns the response of a request."""
        server, operations = self.server, self.operations()
        parts = [urllib.parse.unquote(part) for part in path.strip("/").split("/")]
        if parts == ["v4", "capabilities"]:
            if server.legacy:
                raise NotFound("capabilities")
            return capabilities((2, 30, 0), (2, 28, 0), operations.encoding.value)
        version, kind, rest = parts[0], parts[1], parts[2:]
        names = 1 if server.legacy else 2
        namespace = "/".join(rest[:names])
        rest = rest[names:]
        if kind == "groups" and not rest and self.command == "POST":
            uri = capnp.read(body).pointer(1).text(0)
            return operations.create_group(operations.path(namespace, uri or ""), body)
        if not rest:
            raise NotFound(path)
        folder, action = operations.path(namespace, rest[0]), "/".join(rest[1:])
        if kind == "groups":
            return self.dispatch_group(folder, action, query, body)
        return self.dispatch_array(version, folder, action, query, body)

    def dispatch_group(self, folder, action, query, body):
        """Returns the response of a request on a group."""
        operations, method = self.operations(), self.command
        contents = "" if self.server.legacy else "contents"
        if method == "OPTIONS" and action == "":
            operations.need(folder, GROUP)
            return b""
        routes = {
            ("POST", contents): operations.group_contents,
            ("PATCH", contents): operations.change_group,
            ("POST", "metadata"): operations.group_metadata,
            ("PUT", "metadata"): operations.put_group_metadata,
            ("DELETE", "delete"): operations.delete_group,
        }
        if (method, action) == ("POST", "") and not self.server.legacy:
            return operations.create_group(folder, body)
        if (method, action) not in routes:
            raise NotFound(self.path)
        return routes[(method, action)](folder, body, query)

    def dispatch_array(self, version, folder, action, query, body):
        """Returns the response of a request on an array."""
        operations, method = self.operations(), self.command
        if (version, method, action) == ("v1", "POST", ""):
            return operations.create_array(folder, body, self.server.legacy)
        refactored = version == "v3"
        queries = {
            "query/submit": operations.submit,
            "query/finalize": operations.finalize,
            "query/submit_and_finalize": operations.submit_and_finalize,
        }
        if method == "POST" and action in queries:
            return queries[action](folder, body, query, refactored)
        routes = {
            ("v1", "GET", ""): operations.schema,
            ("v1", "DELETE", ""): operations.delete_array,
            ("v2", "POST", ""): operations.open,
            ("v1", "POST", "schema"): operations.load_schema,
            ("v1", "POST", "enumerations"): operations.enumerations,
            ("v1", "POST", "consolidate"): operations.consolidate,
            ("v1", "POST", "vacuum"): operations.vacuum,
            ("v1", "POST", "consolidate/plan"): operations.consolidation_plan,
            (version, "POST", "query/plan"): operations.query_plan,
            ("v1", "POST", "query/est_result_sizes"): operations.est_result_sizes,
            ("v1", "POST", "delete_fragments"): operations.delete_fragments,
            ("v1", "POST", "delete_fragments_list"): operations.delete_fragments_list,
            ("v2", "GET", "non_empty_domain"): operations.non_empty_domain,
            ("v1", "GET", "array_metadata"): operations.metadata,
            ("v1", "POST", "array_metadata"): operations.put_metadata,
            ("v1", "POST", "evolve"): operations.evolve,
            ("v1", "POST", "fragment_info"): operations.fragment_info,
        }
        if (version, method, action) not in routes:
            raise NotFound(self.path)
        return routes[(version, method, action)](folder, body, query)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_HEAD = handle_request


class Server(ThreadingHTTPServer):
    """The server, its log and its faults."""

    daemon_threads = True

    def __init__(self, operations, legacy):
        super().__init__(("127.0.0.1", 0), Handler)
        self.operations = operations
        self.files = Files(operations.folder)
        self.legacy = legacy
        self.lock = threading.Lock()
        self.requests = []
        self.faults = []

    def handle_error(self, request, client_address):
        """Reports errors, but not connections that a client ended."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    def fault_for(self, path):
        """Returns the next fault for a path, None if there is none."""
        with self.lock:
            for fault in self.faults:
                if fault["path"] in path and fault.get("times", 1) > 0:
                    fault["times"] = fault.get("times", 1) - 1
                    return fault
        return None


def main():
    legacy = "--legacy" in sys.argv[:4]
    arguments = [argument for argument in sys.argv[1:4] if argument != "--legacy"] + sys.argv[4:]
    if arguments[1] == "-":
        with tempfile.TemporaryDirectory() as folder:
            sys.exit(serve(arguments[0], folder, legacy, arguments[2:]))
    sys.exit(serve(*arguments[:2], legacy, arguments[2:]))


def serve(library, folder, legacy, command):
    """Runs a server until the command ends, or the standard input without one. Returns a status."""
    operations = Operations(Library(library), os.path.realpath(folder))
    server = Server(operations, legacy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    if command:
        root = "tiledb://space" if legacy else "tiledb://workspace/teamspace"
        os.makedirs(os.path.join(folder, root[len("tiledb://"):]), exist_ok=True)
        parameters = {"OBJECT_STORE_URI": root, "TILEDB_REST_SERVER_ADDRESS": address, "TILEDB_REST_TOKEN": "token"}
        return subprocess.run(command, env={**os.environ, **parameters}).returncode
    print(address, flush=True)
    sys.stdin.read()
    return 0


if __name__ == "__main__":
    main()
