//! Responses of a hostile server: operations end with an error or with a result, within the times
//! and the memory of the configuration, and nothing is written outside the caller's buffers.

mod changes;
mod operations;

use std::ffi::CString;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::arrays::schema::{self, WIDE_SPARSE};
use crate::arrays::write::Cells;
use crate::arrays::{Done, TestFolder, c_path, metadata, text};
use crate::library::Library;
use crate::random::{self, Random};
use crate::replay::{Key, Replay, Reply};
use crate::server::{Protocol, Server, borrowed};
use crate::shared_library;
use changes::changed;
use operations::OPERATIONS;

/// The limit of messages in bytes, which is the lowest one.
const LIMIT: u64 = 64 << 20;
/// The memory that all operations may need, in bytes: messages are copied to align them.
const MEMORY: u64 = 8 * LIMIT;
/// The number of changed responses, unless `TILEDB_RS_CASES` is set.
const CHANGES: u64 = 2000;
/// The longest time of an operation: several times that without a byte.
const TIME: Duration = Duration::from_secs(20);

/// An array and a group on a server whose responses are recorded.
struct Fixture {
    library: Library,
    replay: Replay,
    array: CString,
    group: CString,
    recorded: Vec<(Key, Reply)>,
    is_json: bool,
    _server: Server,
    _folder: TestFolder,
}

type Operation = fn(&Fixture) -> Done;

impl Fixture {
    /// Records the responses of all operations, in JSON except for those of queries or in Cap'n
    /// Proto. Returns `None` without Python.
    fn new(name: &str, is_json: bool) -> Option<Self> {
        let folder = TestFolder::new(&format!("rest-hostile-{name}"));
        let ours = shared_library::path();
        let server = Server::start(&ours, folder.path(), Protocol::Workspaces)?;
        let replay = Replay::start(server.address());
        let library = Library::load(&ours, "the client");
        let limit = LIMIT.to_string();
        let mut parameters = server.parameters(&[
            ("rest.request_timeout_ms", "1000"),
            ("rest.retry_count", "0"),
            ("rest.http_compressor", "any"),
            ("rest.capnp_traversal_limit", &limit),
            ("rest.load_enumerations_on_array_open", "true"),
        ]);
        let address = CString::new(replay.address()).expect("a text");
        parameters.push((c"rest.server_address".to_owned(), address));
        let plain = library.with_context(&borrowed(&parameters));
        let format = if is_json { c"JSON" } else { c"CAPNP" };
        let name = c"rest.server_serialization_format".to_owned();
        parameters.push((name, format.to_owned()));
        let library = library.with_context(&borrowed(&parameters));
        let root = Path::new(server.root());
        let mut fixture = Self {
            library,
            replay,
            array: c_path(&root.join("array")),
            group: c_path(&root.join("group")),
            recorded: Vec::new(),
            is_json,
            _server: server,
            _folder: folder,
        };
        let library = &plain;
        schema::create(library, &fixture.array, WIDE_SPARSE).expect("creates");
        for salt in 1..3 {
            let cells = Cells::new(WIDE_SPARSE, 0..20 * salt, salt).at(salt as u64);
            cells.write(library, &fixture.array).expect("writes");
        }
        library.ok("group_create", &[text(&fixture.group)]);
        let changes = [(c"one", Some(7)), (c"two", Some(8))];
        metadata::change_array(library, &fixture.array, &changes, Some(3)).expect("metadata");
        metadata::change_group(library, &fixture.group, &changes).expect("metadata");
        metadata::change_members(library, &fixture.group, &[c"array"], &[]).expect("members");
        fixture.replay.begin("preparation");
        // A context loads the version of the server once.
        operations::load_schema(&fixture).expect("a schema");
        for (name, operation) in OPERATIONS {
            let done = fixture.operate(name, operation);
            done.unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        fixture.recorded = fixture.replay.recorded();
        let is_used = |key: &Key| OPERATIONS.iter().any(|(name, _)| key.starts_with(name));
        fixture.recorded.retain(|(key, _)| is_used(key));
        assert_eq!(fixture.run("no change"), OPERATIONS.len());
        Some(fixture)
    }

    fn operate(&self, name: &'static str, operation: Operation) -> Done {
        self.replay.begin(name);
        // The library catches panics at its border and returns them as errors.
        operation(self).inspect_err(|error| {
            assert!(!error.contains("uncaught exception"), "{name}: {error}");
        })
    }

    /// Runs all operations that use a response. Returns how many succeed.
    fn run(&self, case: &str) -> usize {
        let mut succeeded = 0;
        for (name, operation) in OPERATIONS {
            let start = Instant::now();
            succeeded += usize::from(self.operate(name, operation).is_ok());
            assert!(start.elapsed() < TIME, "{name} with {case} takes too long");
        }
        succeeded
    }
}

/// Runs `body` with recorded responses, or reports that Python is not available.
fn with_records(name: &str, body: impl FnOnce(&Fixture)) {
    with_records_in(name, false, body);
}

/// Runs `body` with recorded responses in JSON or in Cap'n Proto.
fn with_records_in(name: &str, is_json: bool, body: impl FnOnce(&Fixture)) {
    match Fixture::new(name, is_json) {
        Some(fixture) => body(&fixture),
        None => println!("skipped: Python is not available"),
    }
}

/// Returns the most memory that the process had so far in bytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    1024 * number.expect("a number")
}

/// Runs operations with changed responses.
fn change_responses(fixture: &Fixture) {
    let before = peak();
    let start = Instant::now();
    let mut succeeded = 0;
    let seeds = random::for_each_seed(CHANGES, |seed| {
        let mut random = Random(seed);
        let index = random.below(fixture.recorded.len() as u64) as usize;
        let (key, reply) = &fixture.recorded[index];
        let reply = changed(reply, &fixture.recorded, fixture.is_json, &mut random);
        fixture.replay.change([(key.clone(), reply)]);
        let mut used = OPERATIONS.iter().filter(|(name, _)| key.starts_with(name));
        let (name, operation) = used.next_back().expect("an operation");
        let start = Instant::now();
        succeeded += usize::from(fixture.operate(name, *operation).is_ok());
        let time = start.elapsed();
        assert!(time < TIME, "{seed}: {name} with {key} takes {time:?}");
    });
    let (time, memory) = (start.elapsed(), peak() - before);
    let changes = seeds.count();
    println!("{changes} changes in {time:?}: {succeeded} results, {memory} bytes");
    assert!(memory < MEMORY, "{memory} bytes");
    fixture.replay.change([]);
    assert_eq!(fixture.run("no change"), OPERATIONS.len());
}

#[test]
fn changed_responses_are_errors_or_results_and_never_more() {
    with_records_in("changes", false, change_responses);
}

#[test]
fn changed_responses_in_json_are_errors_or_results_and_never_more() {
    with_records_in("json", true, change_responses);
}

#[test]
fn endless_responses_end_with_an_error() {
    with_records("endless", |fixture| {
        let before = peak();
        for (key, reply) in &fixture.recorded {
            let mut reply = reply.clone();
            reply.is_endless = true;
            reply.headers.clear();
            fixture.replay.change([(key.clone(), reply.clone())]);
            fixture.run("an endless response");
            reply.set("content-length", &u64::MAX.to_string());
            fixture.replay.change([(key.clone(), reply)]);
            fixture.run("an endless response of a known size");
        }
        let memory = peak() - before;
        assert!(memory < MEMORY, "{memory} bytes");
    });
}

#[test]
fn redirections_in_circles_are_errors() {
    with_records("circles", |fixture| {
        for status in ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"] {
            for to in [
                fixture.replay.address(),
                "http://127.0.0.1:1",
                "/v1",
                "http://",
            ] {
                let changes = fixture
                    .recorded
                    .iter()
                    .filter(|(key, _)| !key.contains("capabilities"));
                let changes = changes.map(|(key, _)| {
                    let mut reply = Reply::of(status, Vec::new());
                    reply.set("location", to);
                    (key.clone(), reply)
                });
                fixture.replay.change(changes.collect::<Vec<_>>());
                assert_eq!(fixture.run("redirections"), 0);
            }
        }
    });
}

#[test]
fn records_of_huge_sizes_are_errors() {
    with_records("huge", |fixture| {
        let before = peak();
        let submit = fixture
            .recorded
            .iter()
            .find(|(key, _)| key.starts_with("read 1 "));
        let (key, reply) = submit.expect("a submit");
        for size in [u64::MAX, 1 << 63, 1 << 40, LIMIT + 100_000, 0, 7] {
            let mut body = reply.body.clone();
            body[..8].copy_from_slice(&size.to_le_bytes());
            fixture
                .replay
                .change([(key.clone(), Reply::of("200 OK", body))]);
            let (name, operation) = OPERATIONS[0];
            fixture
                .operate(name, operation)
                .expect_err("the size is wrong");
        }
        assert!(peak() - before < MEMORY);
    });
}
