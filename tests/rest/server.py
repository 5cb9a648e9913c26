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
"truncate" (sends that many bytes of the response), "append" (sends that many zeros after it),
"delay" (waits that many seconds), "slow" (sends the body in pieces
with pauses of that many seconds), "redirect" (an address), "encode" (compresses the body: gzip, deflate,
zstd, or only says so). "after" is true if the request is processed before.
"""
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
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import capnp
from files import Files
from library import CAPNP, GROUP, JSON, Library, TileDBError
from server_operations import NotFound, Operations

ENCODINGS = {"application/json": JSON, "application/capnp": CAPNP}



def capabilities(deployed, minimum, encoding):
    """Returns the message of the versions that a server has and accepts."""
    if encoding == CAPNP:
        return capnp.capabilities(deployed, minimum)
    versions = [dict(zip(("major", "minor", "patch"), version)) for version in (deployed, minimum)]
    names = "deployedTileDBVersion", "minimumSupportedTileDBClientVersion"
    return json.dumps(dict(zip(names, versions))).encode()


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
        body += bytes(fault.get("append", 0))
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
