//! Work that another thread cancels at each of its accesses to storage: it ends with an error before it goes to another
//! tile, the query has failed, and the array is what it was before. Where it is too late to cancel, all is done.

mod setup;

use std::io::{IoSlice, IoSliceMut};
use std::sync::{Arc, Mutex, PoisonError};

use setup::Place;
use setup::column::{Cell, Column, Looks, read, write};
use tiledb_engine::context::Context;
use tiledb_engine::error::{Error, Result};
use tiledb_engine::filter::FilterType;
use tiledb_engine::maintain;
use tiledb_engine::query::Query;
use tiledb_engine::query::aggregate::Operator;
use tiledb_engine::query::subarray::Subarray;
use tiledb_engine::types::{ArrayType, DataOrder, Datatype, Layout, QueryStatus, QueryType};
use tiledb_engine::vfs::faulty::Faulty;
use tiledb_engine::vfs::{Backend, Entry, Opening, Sink, Source, Uri, Vfs};

const TILES: i32 = 20;
const PER_TILE: i32 = 10;
const CELLS: i32 = TILES * PER_TILE;

/// Files in memory. At one of the accesses to them, another thread cancels what a context does.
#[derive(Clone, Debug)]
struct Watched {
    files: Faulty,
    watch: Arc<Mutex<Watch>>,
}

#[derive(Debug, Default)]
struct Watch {
    context: Option<Arc<Context>>,
    /// How many accesses there were.
    seen: u64,
    /// The one at which to cancel, counted from 0.
    at: Option<u64>,
    /// How many of the accesses to cells came after that.
    later: u64,
}

impl Watched {
    fn new() -> (Self, Place) {
        // One thread: what it does after it was cancelled can be counted.
        let config = setup::config(&[
            ("sm.compute_concurrency_level", "1"),
            ("sm.io_concurrency_level", "1"),
            ("vfs.min_batch_size", "0"),
            ("vfs.min_batch_gap", "0"),
        ]);
        let context = Context::new(config).expect("context");
        let watched = Self {
            files: Faulty::new(),
            watch: Arc::default(),
        };
        watched.with(|watch| watch.context = Some(context.clone()));
        let vfs = Vfs::with_backend(&context, Arc::new(watched.clone())).expect("vfs");
        (watched, Place::new(&vfs, "mem://array"))
    }

    fn with<T>(&self, body: impl FnOnce(&mut Watch) -> T) -> T {
        body(&mut self.watch.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn access(&self, uri: &Uri) {
        self.with(|watch| {
            let number = watch.seen;
            watch.seen += 1;
            let is_cells = uri.name().ends_with(".tdb") && !uri.name().starts_with("__");
            match (watch.at, &watch.context) {
                (Some(at), Some(context)) if at == number => {
                    std::thread::scope(|scope| drop(scope.spawn(|| context.cancel()).join()));
                }
                (Some(at), _) if at < number => watch.later += u64::from(is_cells),
                _ => {}
            }
        });
    }
}

impl Backend for Watched {
    fn open(&self, uri: &Uri) -> Result<Box<dyn Source>> {
        Ok(Box::new(WatchedSource {
            source: self.files.open(uri)?,
            watched: self.clone(),
            uri: uri.clone(),
        }))
    }

    fn create(&self, uri: &Uri, opening: Opening) -> Result<Box<dyn Sink>> {
        self.access(uri);
        Ok(Box::new(WatchedSink {
            sink: self.files.create(uri, opening)?,
            watched: self.clone(),
            uri: uri.clone(),
        }))
    }

    fn file_size(&self, uri: &Uri) -> Result<u64> {
        self.files.file_size(uri)
    }

    fn is_file(&self, uri: &Uri) -> Result<bool> {
        self.files.is_file(uri)
    }

    fn is_dir(&self, uri: &Uri) -> Result<bool> {
        self.files.is_dir(uri)
    }

    fn list(&self, uri: &Uri, sizes: bool) -> Result<Vec<Entry>> {
        self.files.list(uri, sizes)
    }

    fn create_dir(&self, uri: &Uri) -> Result<()> {
        self.access(uri);
        self.files.create_dir(uri)
    }

    fn remove_file(&self, uri: &Uri) -> Result<()> {
        self.files.remove_file(uri)
    }

    fn remove_dir(&self, uri: &Uri) -> Result<()> {
        self.files.remove_dir(uri)
    }

    fn touch(&self, uri: &Uri) -> Result<()> {
        self.access(uri);
        self.files.touch(uri)
    }

    fn rename(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.access(from);
        self.files.rename(from, to)
    }

    fn sync(&self, uri: &Uri) -> Result<()> {
        self.files.sync(uri)
    }
}

#[derive(Debug)]
struct WatchedSource {
    source: Box<dyn Source>,
    watched: Watched,
    uri: Uri,
}

impl Source for WatchedSource {
    fn read_at(&self, offset: u64, to: &mut [u8]) -> Result<()> {
        self.watched.access(&self.uri);
        self.source.read_at(offset, to)
    }

    fn read_vectored_at(&self, offset: u64, to: &mut [IoSliceMut<'_>]) -> Result<()> {
        self.watched.access(&self.uri);
        self.source.read_vectored_at(offset, to)
    }

    fn size(&self) -> Result<u64> {
        self.source.size()
    }
}

#[derive(Debug)]
struct WatchedSink {
    sink: Box<dyn Sink>,
    watched: Watched,
    uri: Uri,
}

impl Sink for WatchedSink {
    fn write_vectored(&mut self, parts: &mut [IoSlice<'_>]) -> Result<()> {
        self.watched.access(&self.uri);
        self.sink.write_vectored(parts)
    }

    fn sync(&mut self) -> Result<()> {
        self.sink.sync()
    }

    fn close(self: Box<Self>) -> Result<()> {
        self.sink.close()
    }
}

/// Numbers and texts in many tiles; of a dense array also the values of a label.
fn create(place: &Place, kind: ArrayType) {
    let zstd = [FilterType::Zstd];
    let dimension = setup::dimension("d", Datatype::Int32, [1, CELLS], PER_TILE);
    let attributes = [
        setup::attribute("a", Datatype::Int32, &zstd),
        setup::text("t", &zstd),
    ];
    let mut schema = setup::schema(kind, [dimension], attributes);
    schema.set_capacity(PER_TILE as u64).expect("capacity");
    if kind == ArrayType::Dense {
        let label = schema.add_label(0, "label", DataOrder::Increasing, Datatype::Int32);
        label.expect("label");
    }
    place.create(&schema);
}

/// The numbers and texts that a write brings.
fn written(first: i32) -> Vec<Column> {
    let numbers = (0..CELLS).map(move |at| first + at);
    vec![
        Column::numbers("a", numbers.clone()),
        Column::texts("t", numbers.map(|number| format!("text {number}"))),
    ]
}

/// The same with what places it in a sparse array.
fn written_sparse(first: i32) -> Vec<Column> {
    let mut columns = written(first);
    columns.push(Column::numbers("d", 1..=CELLS));
    columns
}

/// A query of all of the array.
fn query(place: &Place, query_type: QueryType, layout: Layout) -> Query {
    let mut query = place.query(query_type);
    query.set_layout(layout).expect("layout");
    if query.schema().is_dense() {
        let mut subarray = Subarray::new(query.schema());
        let added = subarray.add_range(0, &1i32.to_le_bytes(), &CELLS.to_le_bytes());
        added.expect("range");
        query.set_subarray(&subarray).expect("subarray");
    }
    query
}

/// What somebody asked for came to: the error, or what was read, and the status of the query.
struct Done {
    answer: Result<Vec<Vec<Cell>>>,
    status: QueryStatus,
}

impl Done {
    fn of(query: &Query, answer: Result<Vec<Vec<Cell>>>) -> Self {
        let status = query.status();
        Self { answer, status }
    }
}

fn room(names: &[&str]) -> Vec<Column> {
    let looks = names.iter().map(|name| match *name {
        "t" => Looks::var(name),
        _ => Looks::fixed(name, 4),
    });
    looks
        .map(|looks| Column::room(looks, CELLS as usize, 20 * CELLS as usize))
        .collect()
}

fn read_layout(place: &Place, layout: Layout) -> Done {
    let mut query = query(place, QueryType::Read, layout);
    let answer = read(&mut query, &mut room(&["a", "t"]));
    Done::of(&query, answer)
}

fn write_layout(place: &Place, layout: Layout, columns: &[Column]) -> Done {
    let mut query = query(place, QueryType::Write, layout);
    let answer = write(&mut query, columns).and_then(|()| query.finalize());
    Done::of(&query, answer.map(|()| Vec::new()))
}

/// All cells as somebody finds them who comes later.
fn found(place: &Place) -> Vec<Vec<Cell>> {
    let done = read_layout(place, Layout::RowMajor);
    assert_eq!(done.status, QueryStatus::Completed);
    done.answer.expect("the array reads")
}

/// What is to be cancelled.
struct Way {
    what: &'static str,
    prepare: fn(&Place),
    act: fn(&Place) -> Done,
    /// The most accesses to cells after the end was called for: those to the tile in hand.
    later: u64,
}

impl Way {
    fn begin(&self) -> (Watched, Place) {
        let (watched, place) = Watched::new();
        (self.prepare)(&place);
        (watched, place)
    }

    /// Cancels at each access.
    #[expect(clippy::print_stdout, reason = "what was tried")]
    fn check(&self) {
        let what = self.what;
        let (watched, place) = self.begin();
        let before = found(&place);
        let start = watched.with(|watch| watch.seen);
        let whole = (self.act)(&place);
        assert_eq!(whole.status, QueryStatus::Completed, "{what}");
        let whole = whole.answer.expect("nobody cancels");
        let accesses = watched.with(|watch| watch.seen) - start;
        let after = found(&place);
        let (mut cancelled, mut most) = (0, 0);
        for at in 0..accesses {
            let (watched, place) = self.begin();
            watched.with(|watch| watch.at = Some(watch.seen + at));
            let done = (self.act)(&place);
            let later = watched.with(|watch| {
                watch.at = None;
                watch.later
            });
            match done.answer {
                Ok(answer) => {
                    assert!(answer == whole, "{what}, access {at}");
                    assert!(found(&place) == after, "{what}, access {at}");
                }
                Err(error) => {
                    assert!(matches!(error, Error::Cancelled), "{what}, {at}: {error}");
                    assert_eq!(error.to_string(), "Query: Query was cancelled");
                    assert_eq!(done.status, QueryStatus::Failed, "{what}, access {at}");
                    assert!(found(&place) == before, "{what}, access {at}");
                    (cancelled, most) = (cancelled + 1, most.max(later));
                }
            }
            // Who asks again gets it.
            let again = (self.act)(&place).answer.expect("nobody cancels");
            assert!(again == whole, "{what}, access {at}");
            assert!(found(&place) == after, "{what}, access {at}");
        }
        println!("{what}: {cancelled} of {accesses} cancelled, at most {most} accesses later");
        assert!(cancelled > 0, "{what}: nothing was cancelled");
        assert!(most <= self.later, "{what}: {most} accesses later");
    }
}

fn dense(place: &Place) {
    create(place, ArrayType::Dense);
    let mut columns = written(0);
    columns.push(Column::numbers("label", (0..CELLS).map(|at| 3 * at)));
    let done = write_layout(place, Layout::RowMajor, &columns);
    done.answer.expect("write");
}

/// Two fragments, each with every cell.
fn sparse(place: &Place) {
    create(place, ArrayType::Sparse);
    for first in [0, 1000] {
        let done = write_layout(place, Layout::Unordered, &written_sparse(first));
        done.answer.expect("write");
    }
}

#[test]
fn dense_reads_are_cancelled() {
    Way {
        what: "a dense read",
        prepare: dense,
        act: |place| read_layout(place, Layout::RowMajor),
        later: 3,
    }
    .check();
}

#[test]
fn sparse_reads_are_cancelled() {
    let ways: [fn(&Place) -> Done; 3] = [
        |place| read_layout(place, Layout::Unordered),
        |place| read_layout(place, Layout::GlobalOrder),
        |place| read_layout(place, Layout::ColMajor),
    ];
    for act in ways {
        Way {
            what: "a sparse read",
            prepare: sparse,
            act,
            later: 4,
        }
        .check();
    }
}

#[test]
fn aggregates_are_cancelled() {
    fn greatest(place: &Place) -> Done {
        let mut query = query(place, QueryType::Read, Layout::Unordered);
        let most = query.make_aggregate(Operator::Max, "t");
        query
            .add_aggregate("most", &most.expect("aggregate"))
            .expect("aggregate");
        let mut columns = [Column::room(Looks::var("most"), 1, 50)];
        let answer = read(&mut query, &mut columns);
        Done::of(&query, answer)
    }
    for (what, prepare) in [
        ("an aggregate of a dense array", dense as fn(&Place)),
        ("an aggregate of a sparse array", sparse),
    ] {
        Way {
            what,
            prepare,
            act: greatest,
            later: 4,
        }
        .check();
    }
}

#[test]
fn reads_by_labels_are_cancelled() {
    Way {
        what: "a read by labels",
        prepare: dense,
        act: |place| {
            let mut query = place.query(QueryType::Read);
            let mut subarray = Subarray::new(query.schema());
            let (low, high) = (7i32.to_le_bytes(), 500i32.to_le_bytes());
            let added = subarray.add_label_range("label", &low, &high);
            added.expect("range");
            query.set_subarray(&subarray).expect("subarray");
            let answer = read(&mut query, &mut room(&["a", "t", "label"]));
            Done::of(&query, answer)
        },
        later: 3,
    }
    .check();
}

#[test]
fn writes_are_cancelled() {
    let dense_ways: [fn(&Place) -> Done; 2] = [
        |place| write_layout(place, Layout::ColMajor, &written(5)),
        |place| write_layout(place, Layout::GlobalOrder, &written(5)),
    ];
    let sparse_ways: [fn(&Place) -> Done; 2] = [
        |place| write_layout(place, Layout::Unordered, &written_sparse(5)),
        |place| write_layout(place, Layout::GlobalOrder, &written_sparse(5)),
    ];
    for (what, prepare, ways) in [
        ("a dense write", dense as fn(&Place), dense_ways),
        ("a sparse write", sparse, sparse_ways),
    ] {
        for act in ways {
            Way {
                what,
                prepare,
                act,
                later: 4,
            }
            .check();
        }
    }
}

#[test]
fn writes_of_labels_are_cancelled() {
    Way {
        what: "a write with a label",
        prepare: dense,
        act: |place| {
            let mut columns = written(7);
            columns.push(Column::numbers("label", (0..CELLS).map(|at| 2 * at)));
            write_layout(place, Layout::RowMajor, &columns)
        },
        later: 4,
    }
    .check();
}

#[test]
fn consolidation_is_cancelled() {
    fn two_dense(place: &Place) {
        dense(place);
        let done = write_layout(place, Layout::RowMajor, &written(9));
        done.answer.expect("write");
    }
    fn merge(place: &Place) -> Done {
        let config = setup::config(&[("sm.consolidation.mode", "fragments")]);
        let merged = maintain::consolidate(&place.vfs, place.uri.as_str(), &config);
        let status = match merged {
            Ok(()) => QueryStatus::Completed,
            Err(_) => QueryStatus::Failed,
        };
        let answer = merged.map(|()| Vec::new());
        Done { answer, status }
    }
    for (what, prepare) in [
        ("dense consolidation", two_dense as fn(&Place)),
        ("sparse consolidation", sparse),
    ] {
        Way {
            what,
            prepare,
            act: merge,
            later: 4,
        }
        .check();
    }
}
