//! Faults of a server and of the connection: requests are repeated as the parameters say, and
//! nothing is lost without an error.

use std::ffi::CString;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::arrays::buffers::FieldBuffers;
use crate::arrays::schema::{self, WIDE_SPARSE};
use crate::arrays::write::{Cells, UNORDERED};
use crate::arrays::{Done, OpenArray, Query, READ, TestFolder, c_path, state};
use crate::library::Library;
use crate::server::{Protocol, Server, borrowed};
use crate::shared_library;

/// An array on a server, and its state.
struct Fixture {
    server: Server,
    library: Library,
    uri: CString,
    state: String,
    _folder: TestFolder,
}

impl Fixture {
    /// Creates an array with cells. Returns `None` without Python.
    fn new(name: &str) -> Option<Self> {
        let folder = TestFolder::new(&format!("rest-faults-{name}"));
        let ours = shared_library::path();
        let server = Server::start(&ours, folder.path(), Protocol::Workspaces)?;
        let library = Library::load(&ours, "the client");
        let parameters = server.parameters(&[
            ("rest.request_timeout_ms", "1500"),
            ("rest.retry_http_codes", "429,502,503"),
        ]);
        let library = library.with_context(&borrowed(&parameters));
        let uri = c_path(&Path::new(server.root()).join("array"));
        schema::create(&library, &uri, WIDE_SPARSE).expect("creates");
        let mut fixture = Self {
            server,
            library,
            uri,
            state: String::new(),
            _folder: folder,
        };
        fixture.write(0, 1).expect("writes");
        fixture.state = fixture.read();
        assert!(!fixture.state.contains("error"), "{}", fixture.state);
        fixture.server.requests();
        Some(fixture)
    }

    fn write(&self, first: i64, salt: i64) -> Done {
        let cells = Cells::new(WIDE_SPARSE, first..first + 20, salt);
        cells.at(salt as u64).write(&self.library, &self.uri)
    }

    fn read(&self) -> String {
        let sections = state::object(&self.library, Path::new(self.server.root()), "array");
        sections.into_iter().map(|(_, text)| text).collect()
    }

    fn fail(&self, faults: Value) {
        self.server.set_faults(&faults);
    }
}

/// Runs `body` with an array on a server.
fn with_array(name: &str, body: impl FnOnce(&Fixture)) {
    match Fixture::new(name) {
        Some(fixture) => body(&fixture),
        None => println!("skipped: Python is not available"),
    }
}

/// The parts of paths of requests of a read.
const READS: [&str; 3] = ["/v1/arrays", "/v2/arrays", "/query/submit"];

#[test]
fn listed_statuses_are_repeated() {
    with_array("listed", |array| {
        for status in [429, 502, 503] {
            for path in READS {
                array.fail(json!([{"path": path, "times": 3, "status": status}]));
                assert_eq!(array.read(), array.state, "{status} {path}");
            }
        }
        let count = array.server.requests().len();
        assert!(count >= 27, "{count} requests");
    });
}

#[test]
fn other_statuses_and_too_many_failures_are_errors_with_the_text_of_the_server() {
    with_array("errors", |array| {
        for (status, times) in [(500, 1), (404, 1), (503, 4)] {
            let fault = json!([{
                "path": "/query/submit", "times": times, "status": status, "body": "no such luck",
            }]);
            array.fail(fault);
            let seen = array.read();
            assert!(seen.contains("error"), "{seen}");
            assert!(seen.contains(&status.to_string()), "{seen}");
            assert!(seen.contains("no such luck"), "{seen}");
        }
        assert_eq!(array.read(), array.state);
    });
}

#[test]
fn reset_connections_are_repeated() {
    with_array("reset", |array| {
        for path in READS {
            for after in [false, true] {
                array.fail(json!([{"path": path, "times": 2, "reset": true, "after": after}]));
                assert_eq!(array.read(), array.state, "{path}");
            }
        }
    });
}

#[test]
fn truncated_responses_are_repeated() {
    with_array("truncated", |array| {
        for path in READS {
            for size in [0, 1, 7, 8, 9, 100] {
                array.fail(json!([{"path": path, "times": 2, "truncate": size}]));
                assert_eq!(array.read(), array.state, "{path} after {size} bytes");
            }
        }
        array.fail(json!([{"path": "/query/submit", "times": 9, "truncate": 100}]));
        assert!(array.read().contains("error"));
        array.fail(json!([]));
        assert_eq!(array.read(), array.state);
    });
}

#[test]
fn slow_responses_are_read_and_silent_servers_time_out() {
    with_array("slow", |array| {
        array.fail(json!([{"path": "/query/submit", "times": 1, "slow": 0.2}]));
        assert_eq!(array.read(), array.state);
        let start = Instant::now();
        array.fail(json!([{"path": "/query/submit", "times": 9, "delay": 5}]));
        let seen = array.read();
        assert!(seen.contains("error"), "{seen}");
        assert!(start.elapsed() < Duration::from_secs(60));
    });
}

#[test]
fn a_write_that_fails_before_it_reaches_the_server_is_repeated() {
    with_array("writes", |array| {
        array.fail(json!([
            {"path": "/query/submit", "times": 1, "status": 503},
            {"path": "/query/submit", "times": 1, "reset": true},
        ]));
        array.write(100, 2).expect("writes");
        let seen = array.read();
        assert_ne!(seen, array.state);
        assert!(!seen.contains("error"), "{seen}");
    });
}

#[test]
fn a_write_that_the_server_rejects_is_an_error() {
    with_array("rejected", |array| {
        array.fail(json!([{"path": "/query/submit", "times": 1, "status": 500}]));
        array.write(100, 2).expect_err("the server fails");
        array.fail(json!([]));
        assert_eq!(array.read(), array.state);
    });
}

/// Reads all coordinates in submits of a few cells. Before each submit, `fails` may make it fail,
/// after which it is repeated.
fn coordinates(array: &Fixture, fails: bool) -> Done<Vec<i64>> {
    let library = &array.library;
    let open = OpenArray::open(library, &array.uri, READ, None)?;
    let query = Query::new(&open, READ)?;
    query.set_layout(UNORDERED)?;
    let mut all = Vec::new();
    for _ in 0..20 {
        let mut field = FieldBuffers::with_capacity(6, false, false);
        field.set(library, &query, c"x")?;
        if fails {
            // The results of the query and a part of others.
            array.fail(json!([{"path": "/query/submit", "times": 99, "append": 4}]));
            query.submit().expect_err("a part of a record");
            array.fail(json!([]));
        }
        query.submit()?;
        let values = field.values(8).into_iter().flatten();
        all.extend(values.map(|value| i64::from_le_bytes(value.try_into().expect("8 bytes"))));
        if query.check_completed().is_ok() {
            return Ok(all);
        }
    }
    Err("the read does not end".to_owned())
}

#[test]
fn a_submit_after_a_failed_one_delivers_the_same_cells() {
    with_array("resumed", |array| {
        let expected = coordinates(array, false).expect("reads");
        assert_eq!(expected.len(), 20);
        assert_eq!(coordinates(array, true).expect("reads"), expected);
    });
}

#[test]
fn redirected_requests_go_to_the_other_server() {
    with_array("redirect", |array| {
        let address = array.server.address();
        array.fail(json!([{"path": "/query/submit", "times": 1, "redirect": address}]));
        assert_eq!(array.read(), array.state);
    });
}
