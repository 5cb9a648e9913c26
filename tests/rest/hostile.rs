//! Responses of a hostile server: operations end with an error or with a result, within the times
//! and the memory of the configuration, and nothing is written outside the caller's buffers.

use std::ffi::{CStr, CString};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::arrays::schema::{self, WIDE_SPARSE};
use crate::arrays::write::{Cells, UNORDERED};
use crate::arrays::{
    Done, OpenArray, OpenGroup, Query, READ, TestFolder, c_path, metadata, state, text,
};
use crate::library::{Library, address, bytes_of};
use crate::replay::{Key, Replay, Reply};
use crate::server::{Protocol, Server, borrowed};
use crate::shared_library;

/// The limit of messages in bytes, which is the lowest one.
const LIMIT: u64 = 64 << 20;
/// The memory that all operations may need, in bytes: messages are copied to align them.
const MEMORY: u64 = 8 * LIMIT;
/// The number of changed responses.
const CHANGES: u64 = 2000;
/// The longest time of an operation: several times that without a byte.
const TIME: Duration = Duration::from_secs(20);
/// The value of bytes around the buffers of a read.
const GUARD: u8 = 0xa5;

/// A sequence of numbers that is the same in each run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// An array and a group on a server whose responses are recorded.
struct Fixture {
    library: Library,
    replay: Replay,
    array: CString,
    group: CString,
    recorded: Vec<(Key, Reply)>,
    _server: Server,
    _folder: TestFolder,
}

type Operation = fn(&Fixture) -> Done;

const OPERATIONS: [(&str, Operation); 7] = [
    ("read", |fixture| read(fixture, 64)),
    ("parts", |fixture| read(fixture, 8)),
    ("aggregate", aggregate),
    ("schema", load_schema),
    ("fragments", fragments),
    ("group", group),
    ("sizes", sizes),
];

impl Fixture {
    /// Records the responses of all operations. Returns `None` without Python.
    fn new(name: &str) -> Option<Self> {
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
        let library = library.with_context(&borrowed(&parameters));
        let root = Path::new(server.root());
        let mut fixture = Self {
            library,
            replay,
            array: c_path(&root.join("array")),
            group: c_path(&root.join("group")),
            recorded: Vec::new(),
            _server: server,
            _folder: folder,
        };
        let library = &fixture.library;
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
    fn run(&self, what: &str) -> usize {
        let mut succeeded = 0;
        for (name, operation) in OPERATIONS {
            let start = Instant::now();
            succeeded += usize::from(self.operate(name, operation).is_ok());
            assert!(start.elapsed() < TIME, "{name} with {what} takes too long");
        }
        succeeded
    }
}

/// Runs `body` with recorded responses, or reports that Python is not available.
fn with_records(name: &str, body: impl FnOnce(&Fixture)) {
    match Fixture::new(name) {
        Some(fixture) => body(&fixture),
        None => println!("skipped: Python is not available"),
    }
}

/// Memory between guards.
struct Guarded {
    words: Vec<u64>,
    size: Box<u64>,
    capacity: usize,
}

impl Guarded {
    fn new(capacity: usize) -> Self {
        let words = vec![u64::from_le_bytes([GUARD; 8]); capacity / 8 + 16];
        let size = Box::new(capacity as u64);
        Self {
            words,
            size,
            capacity,
        }
    }

    fn set(&mut self, library: &Library, query: &Query<'_>, kind: &str, name: &CStr) -> Done {
        let start = self.words[8..].as_mut_ptr() as usize;
        let arguments = [query.handle, text(name), start, address(&mut *self.size)];
        library.attempt(&format!("query_set_{kind}_buffer"), &arguments)
    }

    /// Returns the content, and checks what is around the buffer.
    fn content(&self) -> Vec<u8> {
        let bytes = bytes_of(self.words.as_ptr().cast(), 8 * self.words.len());
        let (before, rest) = bytes.split_at(64);
        let (content, after) = rest.split_at(self.capacity);
        let mut around = before.iter().chain(after);
        assert!(around.all(|byte| *byte == GUARD), "written outside");
        content[..usize::try_from(*self.size).expect("a size")].to_vec()
    }
}

/// Reads the cells of the array into buffers for some of them.
fn read(fixture: &Fixture, cells: usize) -> Done {
    let library = &fixture.library;
    let array = OpenArray::open(library, &fixture.array, READ, None)?;
    let query = Query::new(&array, READ)?;
    query.set_layout(UNORDERED)?;
    query.set_ranges(&array, &[[0, 60]])?;
    let fields = [
        (c"a", "data", 4 * cells),
        (c"v", "data", 8 * cells),
        (c"v", "offsets", 8 * cells),
        (c"n", "data", 8 * cells),
        (c"n", "validity", cells),
    ];
    let mut buffers = fields.map(|(.., size)| Guarded::new(size));
    let mut status = 3u32;
    for _ in 0..3 {
        for ((name, kind, size), buffer) in fields.iter().zip(&mut buffers) {
            *buffer.size = *size as u64;
            buffer.set(library, &query, kind, name)?;
        }
        let submitted = query.submit();
        let [_, values, offsets, ..] = &buffers;
        buffers.iter().for_each(|buffer| drop(buffer.content()));
        submitted?;
        let offsets = offsets.content();
        let starts = offsets.as_chunks().0.iter().copied();
        let starts: Vec<u64> = starts.map(u64::from_le_bytes).collect();
        assert!(starts.is_sorted(), "{starts:?}");
        assert!(
            starts
                .last()
                .is_none_or(|last| *last <= values.content().len() as u64)
        );
        library.attempt("query_get_status", &[query.handle, address(&mut status)])?;
        if status != 3 {
            break;
        }
    }
    drop(query);
    array.close()
}

/// Returns the sum of an attribute, the number of cells and the plan of the query.
fn aggregate(fixture: &Fixture) -> Done {
    let library = &fixture.library;
    let array = OpenArray::open(library, &fixture.array, READ, Some(2))?;
    let query = Query::new(&array, READ)?;
    query.set_layout(UNORDERED)?;
    let channel = library.try_make("query_get_default_channel", &[query.handle])?;
    let sum = library.try_make("channel_operator_sum_get", &[])?;
    let sum = library.try_make("create_unary_aggregate", &[query.handle, sum, text(c"a")])?;
    library.attempt("channel_apply_aggregate", &[channel, text(c"sum"), sum])?;
    let mut buffer = Guarded::new(8);
    buffer.set(library, &query, "data", c"sum")?;
    let submitted = query.submit();
    buffer.content();
    submitted?;
    let plan = library.try_make("query_get_plan", &[query.handle])?;
    state::string(library, plan);
    drop(query);
    array.close()
}

fn load_schema(fixture: &Fixture) -> Done {
    let library = &fixture.library;
    let schema = library.try_make("array_schema_load", &[text(&fixture.array)])?;
    let checked = library.attempt("array_schema_check", &[schema]);
    library.free("array_schema_free", schema);
    checked
}

fn fragments(fixture: &Fixture) -> Done {
    let library = &fixture.library;
    let info = library.try_make("fragment_info_alloc", &[text(&fixture.array)])?;
    let load = || {
        library.attempt("fragment_info_load", &[info])?;
        let (mut count, mut value) = (0u32, [0u64; 2]);
        library.attempt(
            "fragment_info_get_fragment_num",
            &[info, address(&mut count)],
        )?;
        for index in 0..count.min(8) as usize {
            let arguments = [info, index, address(&mut value)];
            library.attempt("fragment_info_get_cell_num", &arguments)?;
            library.attempt("fragment_info_get_fragment_size", &arguments)?;
            let arguments = [info, index, 0, address(&mut value)];
            library.attempt("fragment_info_get_non_empty_domain_from_index", &arguments)?;
            let arguments = [info, index, 0, 0, address(&mut value)];
            library.attempt("fragment_info_get_mbr_from_index", &arguments)?;
        }
        Ok(())
    };
    let loaded = load();
    library.free("fragment_info_free", info);
    loaded
}

fn group(fixture: &Fixture) -> Done {
    let library = &fixture.library;
    let group = OpenGroup::open(library, &fixture.group, READ)?;
    let mut count = 0u64;
    library.attempt(
        "group_get_member_count",
        &[group.handle, address(&mut count)],
    )?;
    library.attempt(
        "group_get_metadata_num",
        &[group.handle, address(&mut count)],
    )?;
    group.close()
}

/// Returns the metadata and the estimated sizes of an array that is opened by its schema.
fn sizes(fixture: &Fixture) -> Done {
    let library = &fixture.library;
    let array = OpenArray::open(library, &fixture.array, READ, Some(3))?;
    let mut sizes = [0u64; 2];
    library.attempt(
        "array_get_metadata_num",
        &[array.handle, address(&mut sizes)],
    )?;
    let query = Query::new(&array, READ)?;
    let [offsets, data] = &mut sizes;
    let arguments = [query.handle, text(c"v"), address(offsets), address(data)];
    library.attempt("query_get_est_result_size_var", &arguments)?;
    drop(query);
    array.close()
}

/// Changes a response.
fn changed(reply: &Reply, others: &[(Key, Reply)], numbers: &mut Numbers) -> Reply {
    let mut body = reply.body.clone();
    let size = body.len();
    match numbers.below(14) {
        0..=2 => {
            for _ in 0..1 + numbers.below(4) {
                let bit = numbers.below(8 * size);
                if let Some(byte) = body.get_mut(bit / 8) {
                    *byte ^= 1 << (bit % 8);
                }
            }
        }
        3..=5 => {
            let values = [
                0,
                1,
                u64::MAX,
                1 << 63,
                0xffff_ffff,
                1 << 40,
                numbers.next(),
            ];
            for _ in 0..1 + numbers.below(3) {
                let start = 8 * numbers.below(size / 8);
                let value = values[numbers.below(values.len())];
                if let Some(word) = body.get_mut(start..start + 8) {
                    word.copy_from_slice(&value.to_le_bytes());
                }
            }
        }
        6 => body.truncate(numbers.below(size)),
        7 => body.resize(size + 1 + numbers.below(64), numbers.next() as u8),
        8 => {
            let start = numbers.below(size);
            let end = start + numbers.below(size - start);
            body.drain(start..end);
        }
        9 => {
            let (from, to) = (8 * numbers.below(size / 8), 8 * numbers.below(size / 8));
            let piece = body[from..size.min(from + 64)].to_vec();
            body.splice(to..to, piece);
        }
        10 => body = others[numbers.below(others.len())].1.body.clone(),
        11 => body = body.repeat(2 + numbers.below(4)),
        12 => return damaged(reply, numbers),
        _ => {
            body = (0..numbers.below(300))
                .map(|_| numbers.next() as u8)
                .collect()
        }
    }
    Reply::of("200 OK", body)
}

/// Changes the head of a response, or where it ends.
fn damaged(reply: &Reply, numbers: &mut Numbers) -> Reply {
    let mut reply = reply.clone();
    let more = reply.body.len() + 1 + numbers.below(1000);
    match numbers.below(9) {
        0 => reply.end = Some(numbers.below(reply.body.len())),
        1 => {
            reply.set("content-length", &more.to_string());
            reply.end = Some(reply.body.len());
        }
        2 => reply.set("content-length", &(reply.body.len() / 2).to_string()),
        3 => reply.set("content-type", "text/html"),
        4 => reply.set(
            "content-encoding",
            ["gzip", "deflate", "zstd", "br"][numbers.below(4)],
        ),
        5 => {
            reply.headers = vec![("transfer-encoding".to_owned(), "chunked".to_owned())];
            reply.end = Some(reply.body.len());
        }
        6 => {
            reply.status = ["204 None", "206 Part", "404 No", "500 Error", "999 ?"]
                [numbers.below(5)]
            .to_owned()
        }
        7 => reply.status = "two hundred".to_owned(),
        _ => reply.headers = vec![("content-length".to_owned(), "-1".to_owned())],
    }
    reply
}

/// Returns the most memory that the process had so far in bytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    1024 * number.expect("a number")
}

#[test]
fn changed_responses_are_errors_or_results_and_never_more() {
    with_records("changes", |fixture| {
        let mut numbers = Numbers(0x5eed);
        let before = peak();
        let start = Instant::now();
        let mut succeeded = 0;
        for number in 0..CHANGES {
            let index = numbers.below(fixture.recorded.len());
            let (key, reply) = &fixture.recorded[index];
            let reply = changed(reply, &fixture.recorded, &mut numbers);
            fixture.replay.change([(key.clone(), reply)]);
            let mut used = OPERATIONS.iter().filter(|(name, _)| key.starts_with(name));
            let (name, operation) = used.next_back().expect("an operation");
            let start = Instant::now();
            succeeded += usize::from(fixture.operate(name, *operation).is_ok());
            let time = start.elapsed();
            assert!(time < TIME, "{number}: {name} with {key} takes {time:?}");
        }
        let (time, memory) = (start.elapsed(), peak() - before);
        println!("{CHANGES} changes in {time:?}: {succeeded} results, {memory} bytes");
        assert!(memory < MEMORY, "{memory} bytes");
        fixture.replay.change([]);
        assert_eq!(fixture.run("no change"), OPERATIONS.len());
    });
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
