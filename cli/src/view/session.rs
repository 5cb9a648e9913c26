//! The arrays that the page shows: which may be opened, which are open, and the limits of a
//! request.

use std::cell::RefCell;
use std::collections::HashSet;
use std::net::TcpStream;
use std::ops::ControlFlow;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tiledb_engine::{Array, Context, FragmentDetails, ObjectType, ReadQuery};

use super::http::{Request, Response};
use super::{catalog, change, history, map, raster, rows, snippets, summary};
use crate::args::{Cells, Time};
use crate::problem::{Problem, Result};
use crate::selection::{existing, open};

/// The most bytes in storage that a view reads at a time.
pub(super) const MAX_STORED_BYTES: u64 = 64 << 20;
/// The most bytes of decoded tiles that a view reads at a time.
pub(super) const MAX_DECODED_BYTES: u64 = 256 << 20;
/// The most cells in the tiles that a view reads at a time.
pub(super) const MAX_CELLS: u64 = 4 << 20;
/// The most tiles that a view reads at a time from an object store, where each field of a tile is a
/// request.
const MAX_REMOTE_TILES: u64 = 512;
/// The most requests for metadata of fragments to an object store at a time.
const MAX_REQUESTS: usize = 64;
/// The time after which a request ends.
const MAX_TIME: Duration = Duration::from_secs(60);
/// The time after which a scan returns what it has found.
const SCAN_TIME: Duration = Duration::from_millis(500);
/// The most reads at a time; others wait.
const MAX_READS: usize = 4;
/// The most arrays that are kept open.
const MAX_OPEN: usize = 8;
/// The most objects whose URIs are remembered.
const MAX_KNOWN: usize = 100_000;

/// The path of requests that change an array.
pub(super) const CHANGE: &str = "/api/change";

thread_local! {
    static WATCHED: RefCell<Option<Watch>> = const { RefCell::new(None) };
}

/// Watches the connection of a request: a browser closes it when the view has moved on.
#[derive(Debug)]
pub(super) struct Watch {
    stream: Option<TcpStream>,
    begin: Instant,
    /// The time after which the request ends; changes have no such limit.
    limit: Option<Duration>,
}

impl Watch {
    /// Watches a connection, on which nothing more is received.
    pub(super) fn new(stream: &TcpStream, is_change: bool) -> Self {
        Self {
            stream: stream.try_clone().ok(),
            begin: Instant::now(),
            limit: (!is_change).then_some(MAX_TIME),
        }
    }

    /// Returns whether the client closed the connection.
    pub(super) fn is_closed(&self) -> bool {
        let Some(stream) = &self.stream else {
            return false;
        };
        // The mode is that of the connection: it is restored for the response.
        let _ = stream.set_nonblocking(true);
        let closed = match stream.peek(&mut [0]) {
            Ok(read) => read == 0,
            Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
        };
        let _ = stream.set_nonblocking(false);
        closed
    }

    /// Runs a function, during which [`check`] looks at the connection; `None` if the client closed
    /// it.
    pub(super) fn run(self, function: impl FnOnce() -> Response) -> Option<Response> {
        WATCHED.set(Some(self));
        let response = function();
        let watch = WATCHED.take();
        watch
            .is_some_and(|watch| !watch.is_closed())
            .then_some(response)
    }
}

/// Returns an error if the client of this thread's request has gone, or it takes too long.
pub(super) fn check() -> Result<()> {
    let reason = WATCHED.with_borrow(|watch| {
        let watch = watch.as_ref()?;
        if watch
            .limit
            .is_some_and(|limit| watch.begin.elapsed() > limit)
        {
            return Some("the request took too long");
        }
        watch.is_closed().then_some("the request was cancelled")
    });
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

/// An array that is kept open.
struct OpenArray {
    uri: String,
    timestamp: Option<u64>,
    /// The array, once it is open. The request that opens it holds the lock, so that others wait
    /// for it instead of opening it again.
    array: Arc<Mutex<Option<Array>>>,
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
    open: Mutex<Vec<OpenArray>>,
    reads: Mutex<usize>,
    read_ended: Condvar,
    #[cfg(feature = "sql")]
    pub(super) runtime: std::sync::OnceLock<tokio::runtime::Runtime>,
}

/// A read that is counted until it is dropped.
struct Permit<'a>(&'a Session);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        *lock(&self.0.reads) -= 1;
        self.0.read_ended.notify_one();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Session {
    /// Starts a session that shows an array, a group, or a folder with some.
    pub(super) fn new(context: Context, uri: &str, allows_changes: bool) -> Result<Self> {
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
            open: Mutex::default(),
            reads: Mutex::new(0),
            read_ended: Condvar::new(),
            #[cfg(feature = "sql")]
            runtime: std::sync::OnceLock::new(),
        })
    }

    pub(super) fn context(&self) -> &Context {
        &self.context
    }

    /// Responds to a request for data.
    pub(super) fn respond(&self, request: &Request) -> Response {
        let response = self.permit().and_then(|_permit| {
            Ok(match request.path.as_str() {
                "/api/session" => json_response(self.description()),
                "/api/members" => json_response(catalog::members(self, request)?),
                "/api/size" => json_response(catalog::size(self, request)?),
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
        });
        response.unwrap_or_else(|problem| Response::json(problem.status(), &problem.json()))
    }

    /// Waits until fewer than the most reads run.
    fn permit(&self) -> Result<Permit<'_>> {
        let mut reads = lock(&self.reads);
        while *reads >= MAX_READS {
            let step = Duration::from_millis(100);
            let waited = self.read_ended.wait_timeout(reads, step);
            reads = waited.unwrap_or_else(PoisonError::into_inner).0;
            check()?;
        }
        *reads += 1;
        Ok(Permit(self))
    }

    fn description(&self) -> Value {
        let memory = self.context.config().get(super::MEMORY_PARAMETER);
        json!({
            "root": self.root,
            "version": env!("CARGO_PKG_VERSION"),
            "type": if self.is_array { "array" } else { "other" },
            "changes": self.allows_changes,
            "sql": cfg!(feature = "sql"),
            "limits": {
                "stored_bytes": MAX_STORED_BYTES,
                "decoded_bytes": MAX_DECODED_BYTES,
                "cells": MAX_CELLS,
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

    /// Returns the array of a request at its timestamp. It stays as it was opened until a request
    /// asks for the latest state.
    pub(super) fn array(&self, request: &Request) -> Result<Array> {
        let uri = self.uri(request)?;
        let timestamp = match request.parameter("at") {
            None => None,
            Some(text) => Some(text.parse().map_err(|_| {
                Problem::usage(format!("'{text}' is not a timestamp in milliseconds"))
            })?),
        };
        if request.parameter("renew").is_some() {
            self.close(uri);
        }
        self.opened(uri, timestamp)
    }

    /// Returns an array at a timestamp, which is opened once.
    fn opened(&self, uri: &str, timestamp: Option<u64>) -> Result<Array> {
        let is_same = |other: &OpenArray| other.uri == uri && other.timestamp == timestamp;
        let opening = {
            let mut kept = lock(&self.open);
            let found = match kept.iter().position(is_same) {
                Some(index) => kept.remove(index),
                None => OpenArray {
                    uri: uri.to_owned(),
                    timestamp,
                    array: Arc::default(),
                },
            };
            if kept.len() >= MAX_OPEN {
                kept.remove(0);
            }
            let array = found.array.clone();
            kept.push(found);
            array
        };
        let mut opened = lock(&opening);
        if let Some(array) = &*opened {
            return Ok(array.clone());
        }
        let array = self.open(uri, timestamp)?;
        *opened = Some(array.clone());
        Ok(array)
    }

    /// Opens an array. Its existence is checked only after an error, to explain the error.
    fn open(&self, uri: &str, timestamp: Option<u64>) -> Result<Array> {
        let array = match timestamp {
            Some(timestamp) => Array::open_at(&self.context, uri, ..=timestamp),
            None => Array::open(&self.context, uri),
        };
        array.or_else(|_| open(&self.context, uri, Time { at: timestamp }))
    }

    /// Opens the array of the command before the page asks for it. From an object store, the bounds
    /// of tiles are loaded as well, which most views need.
    pub(super) fn open_root(&self) {
        // The request of the page for the array reports an error.
        if self.is_array
            && let Ok(array) = self.opened(&self.root, None)
            && is_remote(&array)
            && let Ok(fragments) = array.fragments()
        {
            let _ = map::load_all_bounds(&array, &fragments);
        }
    }

    /// Closes an array, so that the next request sees its latest state.
    pub(super) fn close(&self, uri: &str) {
        lock(&self.open).retain(|other| other.uri != uri);
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

/// Returns whether an array is in an object store or on a server.
pub(super) fn is_remote(array: &Array) -> bool {
    let scheme = array.uri().split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| !matches!(scheme, "file" | "mem"))
}

/// Calls a function with each fragment of an array and returns the results in order. Requests to an
/// object store, which wait for each other otherwise, are sent from several threads.
pub(super) fn for_fragments<T: Send>(
    array: &Array,
    fragments: &[FragmentDetails],
    function: impl Fn(&FragmentDetails) -> tiledb_engine::Result<T> + Sync,
) -> Result<Vec<T>> {
    let threads = if is_remote(array) { MAX_REQUESTS } else { 1 };
    let part = fragments.len().div_ceil(threads).max(1);
    if threads == 1 {
        let results = fragments.iter().map(|fragment| {
            check()?;
            Ok(function(fragment)?)
        });
        return results.collect();
    }
    let function = &function;
    let results: Vec<tiledb_engine::Result<Vec<T>>> = thread::scope(|scope| {
        let parts = fragments.chunks(part);
        let running: Vec<_> = parts
            .map(|part| scope.spawn(move || part.iter().map(function).collect()))
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
            cells: survey.read_cells,
            stored: survey.stored_bytes,
            decoded: survey.decoded_bytes,
            tiles: survey.read_tiles,
            is_remote: is_remote(array),
        })
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
