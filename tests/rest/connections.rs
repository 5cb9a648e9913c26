//! Parameters of connections: encodings of responses, probes, and the trace of requests.

use std::fs;
use std::io::{Read, Seek};
use std::os::fd::AsRawFd;
use std::path::Path;

use serde_json::json;

use crate::arrays::schema::{self, WIDE_SPARSE};
use crate::arrays::write::Cells;
use crate::arrays::{TestFolder, c_path, state, text};
use crate::library::{Library, address};
use crate::server::{Protocol, Server, borrowed};
use crate::shared_library;

/// Runs `body` with a server, or reports that Python is not available.
fn with_server(name: &str, body: impl FnOnce(&Server)) {
    let folder = TestFolder::new(&format!("rest-connections-{name}"));
    match Server::start(&shared_library::path(), folder.path(), Protocol::Workspaces) {
        Some(server) => body(&server),
        None => println!("skipped: Python is not available"),
    }
}

/// Returns a client with parameters.
fn client(server: &Server, parameters: &[(&str, &str)]) -> Library {
    let library = Library::load(&shared_library::path(), "the client");
    let parameters = server.parameters(parameters);
    library.with_context(&borrowed(&parameters))
}

/// Requests the type of an object that does not exist.
fn send(server: &Server, library: &Library) {
    let uri = c_path(&Path::new(server.root()).join("none"));
    let mut kind = 7u32;
    library.ok("object_type", &[text(&uri), address(&mut kind)]);
    assert_eq!(kind, 0);
}

#[test]
fn compressed_responses_are_read() {
    with_server("encodings", |server| {
        let root = Path::new(server.root());
        let library = client(server, &[("rest.http_compressor", "none")]);
        let uri = c_path(&root.join("array"));
        schema::create(&library, &uri, WIDE_SPARSE).expect("creates");
        let cells = Cells::new(WIDE_SPARSE, 0..200, 1).at(1);
        cells.write(&library, &uri).expect("writes");
        let read = |library: &Library| {
            let sections = state::object(library, root, "array").into_iter();
            sections.map(|(_, text)| text).collect::<String>()
        };
        let expected = read(&library);
        assert!(!expected.contains("error"), "{expected}");
        for encoding in ["gzip", "deflate", "zstd"] {
            for parameter in [encoding, "any"] {
                let library = client(server, &[("rest.http_compressor", parameter)]);
                server.requests();
                server.set_faults(&json!([{"path": "/v", "times": 1000, "encode": encoding}]));
                assert_eq!(read(&library), expected, "{encoding}");
                let sent = server.requests();
                assert!(sent.len() > 3, "{sent:?}");
                for request in sent {
                    let sent = request["headers"].to_string();
                    assert!(sent.contains(encoding), "{sent}");
                }
            }
        }
        let library = client(server, &[("rest.http_compressor", "br")]);
        server.set_faults(&json!([{"path": "/v1", "times": 1000, "encode": "br"}]));
        assert!(read(&library).contains("error"));
        server.set_faults(&json!([]));
        assert_eq!(read(&library), expected);
    });
}

/// Returns whether the connection of this process to a port has a timer for probes.
fn has_probes(port: u16) -> bool {
    const ESTABLISHED: &str = "01";
    const PROBES: &str = "02";
    let table = fs::read_to_string("/proc/self/net/tcp").expect("the connections");
    let mut found = None;
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        if fields[2].ends_with(&format!(":{port:04X}")) && fields[3] == ESTABLISHED {
            let probes = fields[5].starts_with(PROBES);
            found = Some(found.unwrap_or(false) | probes);
        }
    }
    found.expect("an idle connection")
}

#[test]
fn idle_connections_have_probes_unless_the_parameter_is_false() {
    for (value, expected) in [("true", true), ("false", false)] {
        with_server(&format!("probes-{value}"), |server| {
            let library = client(server, &[("rest.curl.tcp_keepalive", value)]);
            send(server, &library);
            let port = server.address().rsplit(':').next().expect("a port");
            assert_eq!(has_probes(port.parse().expect("a number")), expected);
        });
    }
}

#[test]
fn buffers_of_connections_have_any_size() {
    for size in ["1", "524288", "1000000000000"] {
        with_server(&format!("buffers-{size}"), |server| {
            let library = client(server, &[("rest.curl.buffer_size", size)]);
            let uri = c_path(&Path::new(server.root()).join("array"));
            schema::create(&library, &uri, WIDE_SPARSE).expect("creates");
            let cells = Cells::new(WIDE_SPARSE, 0..900, 1).at(1);
            cells.write(&library, &uri).expect("writes");
            let sections = state::object(&library, Path::new(server.root()), "array");
            assert!(!sections[0].1.contains("error"), "{}", sections[0].1);
            assert!(sections[0].1.contains("899"), "{}", sections[0].1);
        });
    }
}

/// Returns what is written to the standard error stream meanwhile.
fn stderr_of(body: impl FnOnce()) -> String {
    let folder = TestFolder::new("rest-stderr");
    let path = folder.path().join("stderr");
    let mut options = fs::File::options();
    options.read(true).write(true).create(true).truncate(true);
    let mut file = options.open(path).expect("a file");
    // SAFETY: both descriptors are open.
    let saved = unsafe { libc::dup(2) };
    // SAFETY: both descriptors are open.
    unsafe { libc::dup2(file.as_raw_fd(), 2) };
    body();
    // SAFETY: both descriptors are open.
    unsafe {
        libc::dup2(saved, 2);
        libc::close(saved);
    }
    let mut written = String::new();
    file.rewind().expect("rewinds");
    file.read_to_string(&mut written).expect("reads");
    written
}

#[test]
fn a_verbose_client_shows_requests_and_responses_without_secrets() {
    with_server("verbose", |server| {
        let library = client(
            server,
            &[("rest.curl.verbose", "true"), ("rest.token", "my-secret")],
        );
        let shown = stderr_of(|| send(server, &library));
        for line in [
            "> GET /v1/arrays/workspace/teamspace/none HTTP/1.1",
            "> x-tiledb-rest-api-key: [redacted]",
            "< HTTP/1.1 404 Not Found",
            "< content-type: application/capnp",
        ] {
            assert!(shown.lines().any(|shown| shown == line), "{line}: {shown}");
        }
        assert!(!shown.contains("my-secret"), "{shown}");
        let library = client(server, &[]);
        let shown = stderr_of(|| send(server, &library));
        assert!(!shown.contains("teamspace/none"), "{shown}");
    });
}
