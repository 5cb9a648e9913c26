//! The arrays that the page shows: which may be opened, which are open, and the limits of a
//! request.

use std::cell::RefCell;
use std::collections::HashSet;
use std::net::TcpStream;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tiledb_engine::{Array, Context, FragmentDetails, ObjectType, ReadQuery, Scalar, Schema};

use super::http::{Request, Response};
use super::outline::{Listing, Outline, has_outline};
use super::{catalog, change, history, map, raster, rows, snippets, summary};
use crate::args::{Cells, Time};
use crate::problem::{Problem, Result};
use crate::selection::{existing, open, selected_bounds};

/// The most bytes in storage that a view reads at a time.
pub(super) const MAX_STORED_BYTES: u64 = 64 << 20;
/// The most bytes of decoded tiles that a view reads at a time.
pub(super) const MAX_DECODED_BYTES: u64 = 256 << 20;
/// The most cells in the tiles that a view reads at a time.
pub(super) const MAX_CELLS: u64 = 4 << 20;
/// The most tiles that a view reads at a time from an object store, where each field of a tile is a
/// request.
const MAX_REMOTE_TILES: u64 = 512;
/// The most bytes of responses that are being sent. Others wait, so that clients that receive
/// slowly do not fill the memory.
const MAX_UNSENT: usize = 128 << 20;
/// The most requests for metadata of fragments to an object store at a time.
const MAX_REQUESTS: usize = 64;
/// The time after which a request ends.
const MAX_TIME: Duration = Duration::from_secs(60);
/// The time after which a scan returns what it has found.
const SCAN_TIME: Duration = Duration::from_millis(500);
/// The least time between two looks at a connection.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);
/// The time within which the next view asks for what a cancelled request opens.
const HANDOVER: Duration = Duration::from_millis(300);
/// The name of the operation of a request.
const OPERATION: &str = "view";
/// The most reads at a time; others wait.
pub(super) const MAX_READS: usize = 4;
/// The most states of arrays that are kept open.
const MAX_OPEN: usize = 8;
/// The most objects whose URIs are remembered.
const MAX_KNOWN: usize = 100_000;

/// The path of requests that change an array.
pub(super) const CHANGE: &str = "/api/change";

thread_local! {
    static WATCHED: RefCell<Option<Arc<Watch>>> = const { RefCell::new(None) };
}

/// Watches the connection of a request: a browser closes it when the view has moved on.
#[derive(Debug)]
pub(super) struct Watch {
    stream: Option<TcpStream>,
    begin: Instant,
    /// The time after which the request ends; changes have no such limit.
    limit: Option<Duration>,
    look: Mutex<Look>,
    /// The requests that wait for what this one opens.
    waiting: Mutex<Option<Arc<AtomicUsize>>>,
}

/// The last look at a connection. The threads of a request look one after another, because the mode
/// of the connection is shared.
#[derive(Debug, Default)]
struct Look {
    last: Option<Instant>,
    closed: Option<Instant>,
}

impl Watch {
    /// Watches a connection, on which nothing more is received.
    pub(super) fn new(stream: &TcpStream, is_change: bool) -> Self {
        Self {
            stream: stream.try_clone().ok(),
            begin: Instant::now(),
            limit: (!is_change).then_some(MAX_TIME),
            look: Mutex::default(),
            waiting: Mutex::default(),
        }
    }

    /// Returns whether the client closed the connection.
    pub(super) fn is_closed(&self) -> bool {
        self.closed().is_some()
    }

    /// Returns the time at which a look saw that the client closed the connection.
    fn closed(&self) -> Option<Instant> {
        let stream = self.stream.as_ref()?;
        let mut look = lock(&self.look);
        let now = Instant::now();
        let is_recent = look
            .last
            .is_some_and(|last| now.saturating_duration_since(last) < LOOK_INTERVAL);
        if look.closed.is_some() || is_recent {
            return look.closed;
        }
        look.last = Some(now);
        // The mode is that of the connection: it is restored for the response.
        let _ = stream.set_nonblocking(true);
        let is_closed = match stream.peek(&mut [0]) {
            Ok(read) => read == 0,
            Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
        };
        let _ = stream.set_nonblocking(false);
        look.closed = is_closed.then_some(now);
        look.closed
    }

    /// Returns why the request ends early, if it does.
    fn ends(&self) -> Option<&'static str> {
        if self.limit.is_some_and(|limit| self.begin.elapsed() > limit) {
            return Some("the request took too long");
        }
        let closed = self.closed()?;
        // The next view may need what this request opens.
        let is_needed = lock(&self.waiting).as_ref().is_some_and(|waiting| {
            waiting.load(Ordering::Relaxed) > 0 || closed.elapsed() < HANDOVER
        });
        (!is_needed).then_some("the request was cancelled")
    }

    /// Runs a function, during which [`check`] looks at the connection; `None` if the client closed
    /// it.
    pub(super) fn run(self, function: impl FnOnce() -> Response) -> Option<Response> {
        let watch = Arc::new(self);
        WATCHED.set(Some(Arc::clone(&watch)));
        let response = function();
        WATCHED.take();
        lock(&watch.look).last = None;
        (!watch.is_closed()).then_some(response)
    }
}

/// The work of another thread for a request.
pub(super) struct RequestPart<'a> {
    context: &'a Context,
    watch: Option<Arc<Watch>>,
}

impl<'a> RequestPart<'a> {
    /// Returns a part of this thread's request, if it runs one.
    pub(super) fn new(context: &'a Context) -> Self {
        let watch = WATCHED.with_borrow(Clone::clone);
        Self { context, watch }
    }

    /// Runs a function on another thread, where it ends with the request.
    pub(super) fn run<T>(&self, function: impl FnOnce() -> T) -> T {
        WATCHED.set(self.watch.clone());
        let value = self.context.operation(OPERATION, function);
        WATCHED.take();
        value
    }
}

/// Returns an error if the client of this thread's request has gone, or it takes too long.
pub(super) fn check() -> Result<()> {
    let reason = WATCHED.with_borrow(|watch| watch.as_ref()?.ends());
    match reason {
        None => Ok(()),
        Some(reason) => Err(Problem::damage(reason).hint("select fewer cells")),
    }
}

/// Returns whether a scan for this thread's request may go on: otherwise it returns what it has
/// found, and where another one continues.
pub(super) fn has_time() -> bool {
    WATCHED.with_borrow(|watch| {
        let watch = watch.as_ref();
        watch.is_none_or(|watch| watch.begin.elapsed() < SCAN_TIME)
    })
}

/// A state of an array: its URI, and the first and the last timestamp. Without the last one, it is
/// the latest state.
type State = (String, u64, Option<u64>);

/// A value that the first of several requests opens for all.
struct SharedValue<T> {
    value: Mutex<OpenValue<T>>,
    changed: Condvar,
    /// The requests that wait until another one has opened it.
    waiting: Arc<AtomicUsize>,
}

enum OpenValue<T> {
    Closed,
    /// A request opens it.
    Opening,
    Open(T),
}

impl<T> Default for SharedValue<T> {
    fn default() -> Self {
        Self {
            value: Mutex::new(OpenValue::Closed),
            changed: Condvar::new(),
            waiting: Arc::default(),
        }
    }
}

impl<T: Clone> SharedValue<T> {
    /// Returns the value. The first request opens it, and others wait until then, or open it if the
    /// first one failed.
    fn get(&self, open: impl FnOnce() -> Result<T>) -> Result<T> {
        let mut value = lock(&self.value);
        loop {
            match &*value {
                OpenValue::Open(value) => return Ok(value.clone()),
                OpenValue::Closed => break,
                OpenValue::Opening => {}
            }
            self.waiting.fetch_add(1, Ordering::Relaxed);
            let waited = self.changed.wait_timeout(value, LOOK_INTERVAL);
            value = waited.unwrap_or_else(PoisonError::into_inner).0;
            let checked = check();
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            checked?;
        }
        *value = OpenValue::Opening;
        drop(value);
        let watch = WATCHED.with_borrow(Clone::clone);
        let set_waiting = |waiting: Option<Arc<AtomicUsize>>| match &watch {
            Some(watch) => std::mem::replace(&mut *lock(&watch.waiting), waiting),
            None => None,
        };
        let outer = set_waiting(Some(Arc::clone(&self.waiting)));
        let mut guard = OpenGuard(self, OpenValue::Closed);
        let opened = open();
        set_waiting(outer);
        if let Ok(value) = &opened {
            guard.1 = OpenValue::Open(value.clone());
        }
        opened
    }
}

/// Sets the value when it is dropped, also after a panic.
struct OpenGuard<'a, T>(&'a SharedValue<T>, OpenValue<T>);

impl<T> Drop for OpenGuard<'_, T> {
    fn drop(&mut self) {
        let value = std::mem::replace(&mut self.1, OpenValue::Closed);
        *lock(&self.0.value) = value;
        self.0.changed.notify_all();
    }
}

/// Values that take long to open, by the states that they are of. The oldest is dropped if there
/// are too many.
struct OpenStates<T>(Mutex<Vec<(State, Arc<SharedValue<T>>)>>);

impl<T> Default for OpenStates<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> OpenStates<T> {
    /// Returns the value of a state, which is opened once: other requests for it wait.
    fn get(&self, state: &State, open: impl FnOnce() -> Result<T>) -> Result<T> {
        let opening = {
            let mut states = lock(&self.0);
            let found = match states.iter().position(|(other, _)| other == state) {
                Some(index) => states.remove(index),
                None => (state.clone(), Arc::default()),
            };
            if states.len() >= MAX_OPEN {
                states.remove(0);
            }
            let value = found.1.clone();
            states.push(found);
            value
        };
        opening.get(open)
    }

    fn contains(&self, uri: &str) -> bool {
        lock(&self.0).iter().any(|((other, ..), _)| other == uri)
    }

    fn close(&self, uri: &str) {
        lock(&self.0).retain(|((other, ..), _)| other != uri);
    }
}

/// The reads from storage that a request waits for.
#[derive(Default)]
struct ExpectedReads {
    /// The number of reads before them.
    before: AtomicU64,
    number: AtomicU64,
}

/// The state of the server.
pub(super) struct Session {
    context: Context,
    root: String,
    /// Whether the object of the command is an array.
    is_array: bool,
    /// Whether arrays may be changed.
    allows_changes: bool,
    known: Mutex<HashSet<String>>,
    open: OpenStates<Array>,
    listings: OpenStates<Arc<Listing>>,
    /// The thread that lists the object of the command.
    listed: Mutex<Option<JoinHandle<Result<Arc<Listing>>>>>,
    outlines: OpenStates<Arc<Outline>>,
    expected: ExpectedReads,
    load: Mutex<Load>,
    load_changed: Condvar,
}

/// The reads that run, and the responses that are being sent.
#[derive(Default)]
struct Load {
    reads: usize,
    /// The bytes of responses that are being sent.
    unsent: usize,
}

/// A part of the load, which ends when this value is dropped.
pub(super) struct LoadGuard<'a>(&'a Session, Load);

impl Drop for LoadGuard<'_> {
    fn drop(&mut self) {
        let mut load = lock(&self.0.load);
        load.reads -= self.1.reads;
        load.unsent -= self.1.unsent;
        drop(load);
        self.0.load_changed.notify_one();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Session {
    /// Starts a session that shows an array, a group, or a folder with some.
    pub(super) fn new(context: Context, uri: &str, allows_changes: bool) -> Result<Self> {
        // An array in an object store is listed meanwhile.
        let listed = has_outline(uri).then(|| {
            let (context, uri) = (context.clone(), uri.to_owned());
            thread::spawn(move || Listing::new(&context, &uri).map(Arc::new))
        });
        let found = existing(&context, uri);
        let is_array = matches!(found, Ok(ObjectType::Array));
        let root = match found {
            Err(problem) if !context.exists(&format!("{}/", uri.trim_end_matches('/')))? => {
                return Err(problem);
            }
            _ => uri.to_owned(),
        };
        context.set_progress(|_| match check() {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        });
        Ok(Self {
            context,
            known: Mutex::new([root.clone()].into()),
            root,
            is_array,
            allows_changes,
            open: OpenStates::default(),
            listings: OpenStates::default(),
            listed: Mutex::new(listed),
            outlines: OpenStates::default(),
            expected: ExpectedReads::default(),
            load: Mutex::default(),
            load_changed: Condvar::new(),
        })
    }

    pub(super) fn context(&self) -> &Context {
        &self.context
    }

    /// Responds to a request for data.
    pub(super) fn respond(&self, request: &Request) -> Response {
        if request.path == "/api/progress" {
            return json_response(self.progress());
        }
        self.expect_reads(0);
        let respond = |_permit: LoadGuard<'_>| -> Result<Response> {
            Ok(match request.path.as_str() {
                "/api/session" => json_response(self.description()),
                "/api/members" => json_response(catalog::members(self, request)?),
                "/api/size" => json_response(catalog::size(self, request)?),
                "/api/outline" => json_response(catalog::outline(self, request)?),
                "/api/names" => json_response(catalog::names(self, request)?),
                "/api/schema" => json_response(catalog::schema(self, request)?),
                "/api/metadata" => json_response(catalog::metadata(self, request)?),
                "/api/map" => json_response(map::map(self, request)?),
                "/api/cells" => json_response(rows::rows(self, request)?),
                "/api/picture" => {
                    Response::new("application/octet-stream", raster::picture(self, request)?)
                }
                "/api/history" => json_response(history::history(self, request)?),
                "/api/explain" => json_response(summary::explain(self, request)?),
                "/api/statistics" => json_response(summary::statistics(self, request)?),
                "/api/program" => json_response(snippets::programs(self, request)?),
                "/api/export" => snippets::export(self, request)?,
                CHANGE if !self.allows_changes => Response::refusal(
                    403,
                    "the arrays may not be changed: start `tiledb-rs view` with `--write`",
                ),
                CHANGE => json_response(change::change(self, request)?),
                #[cfg(feature = "sql")]
                "/api/sql" => json_response(super::queries::run(self, request)?),
                _ => Response::refusal(404, "there is nothing at this path"),
            })
        };
        // Everything that storage is asked for ends with the request, also opening an array.
        let run = |permit| self.context.operation(OPERATION, || respond(permit));
        let response = self.permit().and_then(run);
        response.unwrap_or_else(|problem| Response::json(problem.status(), &problem.json()))
    }

    /// Waits until fewer than the most reads run, and few bytes are being sent.
    fn permit(&self) -> Result<LoadGuard<'_>> {
        let mut load = lock(&self.load);
        while load.reads >= MAX_READS || load.unsent > MAX_UNSENT {
            let step = Duration::from_millis(100);
            let waited = self.load_changed.wait_timeout(load, step);
            load = waited.unwrap_or_else(PoisonError::into_inner).0;
            check()?;
        }
        load.reads += 1;
        Ok(LoadGuard(
            self,
            Load {
                reads: 1,
                unsent: 0,
            },
        ))
    }

    /// Counts the bytes of a response until the returned value is dropped.
    pub(super) fn sending(&self, bytes: usize) -> LoadGuard<'_> {
        lock(&self.load).unsent += bytes;
        let unsent = bytes;
        LoadGuard(self, Load { reads: 0, unsent })
    }

    fn description(&self) -> Value {
        let memory = self.context.config().get(super::MEMORY_PARAMETER);
        json!({
            "root": self.root,
            "version": env!("CARGO_PKG_VERSION"),
            "type": if self.is_array { "array" } else { "other" },
            "remote": is_remote(&self.root),
            "changes": self.allows_changes,
            "sql": cfg!(feature = "sql"),
            "limits": {
                "stored_bytes": MAX_STORED_BYTES,
                "decoded_bytes": MAX_DECODED_BYTES,
                "cells": MAX_CELLS,
                "requests": summary::MAX_PART_REQUESTS,
                "memory": memory,
            },
        })
    }

    /// Adds an object that may be shown.
    pub(super) fn add_known(&self, uri: &str) {
        let mut known = lock(&self.known);
        if known.len() < MAX_KNOWN {
            known.insert(uri.trim_end_matches('/').to_owned());
        }
    }

    /// Returns the URI of a request: that of the command, of something below it, or of something
    /// that was listed.
    pub(super) fn uri<'a>(&self, request: &'a Request) -> Result<&'a str> {
        let uri = request.parameter("uri").unwrap_or_default();
        let root = self.root.trim_end_matches('/');
        let below = uri
            .strip_prefix(root)
            .and_then(|rest| rest.strip_prefix('/'));
        let is_below =
            below.is_some_and(|below| !below.split(['/', '\\']).any(|part| part == ".."));
        if uri == self.root || is_below || lock(&self.known).contains(uri.trim_end_matches('/')) {
            return Ok(uri);
        }
        Err(Problem::usage(format!("'{uri}' is not in '{}'", self.root))
            .hint("start `tiledb-rs view` with this URI"))
    }

    /// Returns whether there is an array at a URI. That of the command and open ones are known.
    pub(super) fn has_array(&self, uri: &str) -> Result<bool> {
        let is_known = self.is_array && uri == self.root || self.open.contains(uri);
        Ok(is_known || self.context.object_type(uri)? == ObjectType::Array)
    }

    /// Returns the number of reads that requests wait for, and how many are done. Requests at the
    /// same time are not distinguished.
    fn progress(&self) -> Value {
        let before = self.expected.before.load(Ordering::Relaxed);
        json!({
            "done": self.context.read_num().saturating_sub(before),
            "expected": self.expected.number.load(Ordering::Relaxed),
        })
    }

    /// States the reads of a plan that follow: about one of each tile and field. Sparse arrays are
    /// read with all coordinates.
    pub(super) fn expect(&self, plan: &Plan, schema: &Schema, fields: &[String]) {
        let dimensions = schema.dimensions().iter();
        let more = dimensions
            .filter(|dimension| !schema.is_dense() && !fields.contains(&dimension.name))
            .count();
        self.expect_reads(plan.tiles.saturating_mul((fields.len() + more) as u64));
    }

    /// States the number of reads that follow.
    fn expect_reads(&self, number: u64) {
        let before = self.context.read_num();
        self.expected.before.store(before, Ordering::Relaxed);
        self.expected.number.store(number, Ordering::Relaxed);
    }

    /// Returns the array of a request at its timestamp; with the parameter `newest`, only with its
    /// newest fragments. It stays as it was opened until a request asks for the latest state.
    pub(super) fn array(&self, request: &Request) -> Result<Array> {
        let uri = self.uri(request)?;
        let timestamp = timestamp(request)?;
        if request.parameter("renew").is_some() {
            self.close(uri);
        }
        let start = match request.parameter("newest") {
            Some(_) => self.newest_start(uri, timestamp)?,
            None => None,
        };
        self.opened(uri, start.unwrap_or(0), timestamp)
    }

    /// Returns the outline of the array of a request; `None` if its files are not in an object
    /// store.
    pub(super) fn outline(&self, request: &Request) -> Result<Option<Arc<Outline>>> {
        let uri = self.uri(request)?;
        if !has_outline(uri) {
            return Ok(None);
        }
        self.outlined(uri, timestamp(request)?).map(Some)
    }

    fn outlined(&self, uri: &str, timestamp: Option<u64>) -> Result<Arc<Outline>> {
        let state = (uri.to_owned(), 0, timestamp);
        self.outlines.get(&state, || {
            // All states of an array are those of one listing.
            let listed = (uri.to_owned(), 0, None);
            let listing = self.listings.get(&listed, || {
                let begun = (uri == self.root).then(|| lock(&self.listed).take());
                let listed = begun.flatten().and_then(|begun| begun.join().ok());
                let list = || Listing::new(&self.context, uri).map(Arc::new);
                listed.and_then(Result::ok).map_or_else(list, Ok)
            })?;
            Ok(Arc::new(Outline::new(listing, timestamp)))
        })
    }

    /// Returns the array of a request with few fragments, for its schema.
    pub(super) fn schema_array(&self, request: &Request, outline: &Outline) -> Result<Array> {
        let uri = self.uri(request)?;
        self.opened(uri, outline.schema_start(), timestamp(request)?)
    }

    fn newest_start(&self, uri: &str, timestamp: Option<u64>) -> Result<Option<u64>> {
        if !has_outline(uri) {
            return Ok(None);
        }
        Ok(self.outlined(uri, timestamp)?.newest_start())
    }

    /// Returns an array in a range of timestamps, which is opened once. From an object store, the
    /// bounds of tiles are loaded as well, which most views need.
    fn opened(&self, uri: &str, start: u64, timestamp: Option<u64>) -> Result<Array> {
        let state = (uri.to_owned(), start, timestamp);
        self.open.get(&state, || {
            if has_outline(uri) {
                // The footer of each fragment is read.
                let outline = self.outlined(uri, timestamp)?;
                let fragments = outline.fragments();
                let inside = fragments.filter(|fragment| fragment.start >= start);
                self.expect_reads(inside.count() as u64);
                let end = timestamp.unwrap_or(u64::MAX);
                let array = outline.listing().open_at(start..=end);
                let array = array.or_else(|_| self.open(uri, start, timestamp))?;
                // Views report errors.
                let _ = map::load_all_bounds(&array, &array.fragments()?);
                return Ok(array);
            }
            let array = self.open(uri, start, timestamp)?;
            if is_remote(uri) {
                // Views report errors.
                let _ = map::load_all_bounds(&array, &array.fragments()?);
            }
            Ok(array)
        })
    }

    /// Opens an array. Its existence is checked only after an error, to explain the error.
    fn open(&self, uri: &str, start: u64, timestamp: Option<u64>) -> Result<Array> {
        check()?;
        let end = timestamp.unwrap_or(u64::MAX);
        let array = Array::open_at(&self.context, uri, start..=end);
        array.or_else(|_| {
            check()?;
            open(&self.context, uri, Time { at: timestamp })
        })
    }

    /// Opens the array of the command before the page asks for it: in an object store, what the
    /// page shows first.
    pub(super) fn open_root(&self) {
        if !self.is_array {
            return;
        }
        // The request of the page for the array reports an error.
        let start = if has_outline(&self.root) {
            let outline = self.outlined(&self.root, None);
            outline.map(|outline| outline.schema_start())
        } else {
            Ok(0)
        };
        let _ = start.and_then(|start| self.opened(&self.root, start, None));
    }

    /// Closes an array, so that the next request sees its latest state.
    pub(super) fn close(&self, uri: &str) {
        self.open.close(uri);
        self.outlines.close(uri);
        self.listings.close(uri);
    }
}

fn json_response(value: Value) -> Response {
    Response::json(200, &value)
}

/// Returns the selection of a request.
pub(super) fn selection(request: &Request, columns: Vec<String>) -> Cells {
    Cells {
        columns,
        range: request.all("range").map(str::to_owned).collect(),
        condition: request.parameter("where").map(str::to_owned),
        time: Time { at: None },
    }
}

/// Returns the timestamp of a request; without one, it is for the latest state.
fn timestamp(request: &Request) -> Result<Option<u64>> {
    let text = request.parameter("at");
    let parsed = text.map(|text| {
        let parsed = text.parse();
        parsed.map_err(|_| Problem::usage(format!("'{text}' is not a timestamp in milliseconds")))
    });
    parsed.transpose()
}

/// Returns whether an array is in an object store or on a server.
pub(super) fn is_remote(uri: &str) -> bool {
    let scheme = uri.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| !matches!(scheme, "file" | "mem"))
}

/// Calls a function with each fragment of an array and returns the results in order. Requests to an
/// object store, which wait for each other otherwise, are sent from several threads.
pub(super) fn for_fragments<T: Send>(
    array: &Array,
    fragments: &[FragmentDetails],
    function: impl Fn(&FragmentDetails) -> tiledb_engine::Result<T> + Sync,
) -> Result<Vec<T>> {
    let threads = if is_remote(array.uri()) {
        MAX_REQUESTS
    } else {
        1
    };
    let part = fragments.len().div_ceil(threads).max(1);
    if threads == 1 {
        let results = fragments.iter().map(|fragment| {
            check()?;
            Ok(function(fragment)?)
        });
        return results.collect();
    }
    let function = &function;
    let request = &RequestPart::new(array.context());
    let results: Vec<Result<Vec<T>>> = thread::scope(|scope| {
        let each = move |fragment| {
            check()?;
            Ok(function(fragment)?)
        };
        let parts = fragments.chunks(part);
        let running: Vec<_> = parts
            .map(|part| scope.spawn(move || request.run(|| part.iter().map(each).collect())))
            .collect();
        let ended = running.into_iter().filter_map(|part| part.join().ok());
        ended.collect()
    });
    let mut all = Vec::with_capacity(fragments.len());
    for part in results {
        all.extend(part?);
    }
    check()?;
    Ok(all)
}

/// The most space tiles in the box of a dense read. Its plan considers each of them, also where
/// nothing was written.
pub(super) const MAX_BOX_TILES: u128 = 1 << 20;

/// Returns the numbers of cells and of space tiles in the box of the selected cells of a dense
/// array, of which each dimension is divided into some parts; 0 of a sparse one.
pub(super) fn box_size(
    array: &Array,
    schema: &Schema,
    cells: &Cells,
    part_num: impl Fn(&str) -> u64,
) -> Result<(u128, u128)> {
    if !schema.is_dense() {
        return Ok((0, 0));
    }
    let domain = array.non_empty_domain()?.unwrap_or_default();
    let selected = selected_bounds(schema, cells)?;
    let dimensions = schema.dimensions().iter().zip(domain).zip(selected);
    let mut size = (1_u128, 1_u128);
    for ((dimension, domain), selected) in dimensions {
        let (Scalar::Integer(low), Scalar::Integer(high)) = selected.unwrap_or(domain).into_inner()
        else {
            continue;
        };
        let len = u128::try_from(high - low + 1).unwrap_or(0);
        let len = len.div_ceil(part_num(&dimension.name).max(1).into());
        let extent = match dimension.tile_extent() {
            Some(Scalar::Integer(extent)) => u128::try_from(extent).unwrap_or(1).max(1),
            _ => 1,
        };
        let tiles = if len > 1 {
            len.div_ceil(extent) + 1
        } else {
            len
        };
        size = (size.0.saturating_mul(len), size.1.saturating_mul(tiles));
    }
    Ok(size)
}

/// Returns an error if the box of the selected cells of a dense array has very many tiles.
pub(super) fn check_box(array: &Array, schema: &Schema, cells: &Cells) -> Result<()> {
    let (_, tiles) = box_size(array, schema, cells, |_| 1)?;
    if tiles <= MAX_BOX_TILES {
        return Ok(());
    }
    let message = format!(
        "the box of these cells has about {tiles} tiles, which exceeds the limit of a view"
    );
    Err(Problem::usage(message).hint("select a smaller range"))
}

/// The work of a read according to metadata.
pub(super) struct Plan {
    pub(super) cells: u64,
    pub(super) stored: u64,
    pub(super) decoded: u64,
    pub(super) tiles: u64,
    is_remote: bool,
}

impl Plan {
    /// Returns the plan of a read of an array.
    pub(super) fn of(array: &Array, query: &ReadQuery) -> Result<Self> {
        let survey = query.clone().batch_bytes(1 << 10).explain()?.survey;
        Ok(Self {
            // A dense read delivers cells that were never written, too.
            cells: survey.read_cells.max(survey.requested_cells.unwrap_or(0)),
            stored: survey.stored_bytes,
            decoded: survey.decoded_bytes,
            tiles: survey.read_tiles,
            is_remote: is_remote(array.uri()),
        })
    }

    /// Returns the plan of a read of a number of cells that exceeds the limits.
    pub(super) fn of_cells(cells: u128) -> Self {
        let cells = u64::try_from(cells).unwrap_or(u64::MAX);
        Self {
            cells: cells.max(MAX_CELLS + 1),
            ..Self::nothing()
        }
    }

    /// Returns the plan of a read without cells.
    pub(super) fn nothing() -> Self {
        Self {
            cells: 0,
            stored: 0,
            decoded: 0,
            tiles: 0,
            is_remote: false,
        }
    }

    /// Returns whether the read is within the limits of a view.
    pub(super) fn is_within_limits(&self) -> bool {
        self.stored <= MAX_STORED_BYTES
            && self.decoded <= MAX_DECODED_BYTES
            && self.cells <= MAX_CELLS
            && (!self.is_remote || self.tiles <= MAX_REMOTE_TILES)
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "cells": self.cells,
            "stored_bytes": self.stored,
            "decoded_bytes": self.decoded,
            "tiles": self.tiles,
        })
    }
}
