//! Costs of a repeated small query that do not depend on the speed of the machine: once its
//! workspaces exist, each repetition allocates as often as the one before and touches no new page
//! of memory, and no thread is started.
//!
//! The tests count the calls of the calling thread to the allocator, and the page faults that the
//! system attributes to the thread.
#![cfg(target_os = "linux")]
#![expect(clippy::print_stderr, reason = "the costs are printed")]

mod setup;

use std::alloc::{GlobalAlloc, Layout as MemoryLayout, System};
use std::cell::Cell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use setup::column::{Column, write};
use setup::{TestArray, attribute, dimension, filters, schema, text};
use tiledb_engine::internal::array::Array;
use tiledb_engine::internal::buffers::FieldBuffers;
use tiledb_engine::internal::filter::FilterType;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::SchemaDraft;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryStatus, QueryType};

/// Forwards to the allocator of the system, and counts the allocations of each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: all calls are forwarded unchanged to the allocator of the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: MemoryLayout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller ensures what `alloc` requires.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: MemoryLayout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller ensures what `alloc_zeroed` requires.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, address: *mut u8, layout: MemoryLayout, len: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller ensures what `realloc` requires.
        unsafe { System.realloc(address, layout, len) }
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: MemoryLayout) {
        // SAFETY: the caller ensures what `dealloc` requires.
        unsafe { System.dealloc(address, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The number of repetitions of a query.
const ROUNDS: usize = 100;
/// The number of repetitions that create workspaces and fill caches. The first write returns two
/// workspaces for tiles to the pool, and the second takes them in the other order.
const FIRST: usize = 2;
/// Rows and columns of the dense array, and the domain of each dimension of the sparse one.
const SIDE: u64 = 200;
/// The number of cells of the sparse array.
const CELLS: u64 = 4000;

/// Runs one test at a time: idle memory belongs to the process, and a test must not take what
/// another has returned.
fn run_alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the number of page faults of this thread that read nothing from disk.
fn page_faults() -> usize {
    // SAFETY: all fields of `rusage` may be zero.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is a valid output parameter.
    let code = unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
    assert_eq!(code, 0);
    usage.ru_minflt as usize
}

/// Returns the number of threads of the engine's pools.
fn pool_threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").expect("threads");
    let names =
        tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.filter(|name| name.starts_with("tiledb-")).count()
}

/// The costs of one repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Costs {
    allocations: usize,
    page_faults: usize,
}

/// Returns the costs of each of `ROUNDS` calls.
fn costs(mut body: impl FnMut()) -> Vec<Costs> {
    let mut costs = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let before = (ALLOCATIONS.get(), page_faults());
        body();
        costs.push(Costs {
            allocations: ALLOCATIONS.get() - before.0,
            page_faults: page_faults() - before.1,
        });
    }
    costs
}

/// Checks that repetitions after the first ones cost the same, at most `allocations`, and that most
/// of them have no page fault: the system may take away pages that were not used for some time.
fn assert_constant(name: &str, allocations: usize, body: impl FnMut()) {
    let costs = costs(body);
    let repeated = &costs[FIRST..];
    let range = |cost: fn(&Costs) -> usize| {
        let least = repeated.iter().map(cost).min().unwrap_or(0);
        (least, repeated.iter().map(cost).max().unwrap_or(0))
    };
    eprintln!(
        "{name}: {:?}, then allocations {:?}, page faults {:?}",
        costs[0],
        range(|costs| costs.allocations),
        range(|costs| costs.page_faults),
    );
    let each = repeated[0].allocations;
    assert!(
        repeated.iter().all(|costs| costs.allocations == each) && each <= allocations,
        "{name}: {costs:?}"
    );
    let without_fault = repeated.iter().filter(|costs| costs.page_faults == 0);
    assert!(
        without_fault.count() > repeated.len() / 2,
        "{name}: {costs:?}"
    );
    assert_eq!(pool_threads(), 0, "{name} started threads");
}

/// A schema with an array in a folder of its own.
struct Stored {
    folder: tempfile::TempDir,
}

impl Stored {
    fn new(schema: &SchemaDraft) -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let stored = Self { folder };
        stored.array("1").create(schema);
        stored
    }

    /// Returns the array in a context with this number of threads. Nothing is synced, since other
    /// threads wait for the syncs of a round.
    fn array(&self, threads: &str) -> TestArray {
        let uri = self.folder.path().join("array");
        let parameters = [
            ("sm.compute_concurrency_level", threads),
            ("sm.io_concurrency_level", "1"),
            ("vfs.file.sync", "none"),
        ];
        TestArray::new(&setup::vfs(&parameters), uri.to_str().expect("path"))
    }
}

fn dimensions(extent: i64) -> [tiledb_engine::internal::schema::Dimension; 2] {
    let ends = [0, SIDE as i64 - 1];
    ["r", "c"].map(|name| dimension(name, Datatype::Int64, ends, extent))
}

/// Creates a dense array with a number and a text per cell.
fn dense() -> Stored {
    let attributes = [
        attribute("a", Datatype::Int32, &[FilterType::Zstd]),
        text("s", &[FilterType::Zstd]),
    ];
    let mut schema = schema(ArrayType::Dense, dimensions(50), attributes);
    schema.set_offsets_filters(filters(&[FilterType::Zstd]));
    Stored::new(&schema)
}

/// Creates a sparse array with a number and a text per cell.
fn sparse() -> Stored {
    let attributes = [
        attribute("a", Datatype::Int32, &[FilterType::Zstd]),
        text("s", &[FilterType::Zstd]),
    ];
    let mut schema = schema(ArrayType::Sparse, dimensions(20), attributes);
    schema.set_capacity(200).expect("capacity");
    let zstd = filters(&[FilterType::Zstd]);
    schema.set_coords_filters(zstd).expect("filters");
    Stored::new(&schema)
}

fn text_of(number: u64) -> Vec<u8> {
    vec![b'a' + (number % 20) as u8; (number % 7) as usize]
}

fn select(query: &mut Query, ranges: [(u64, u64); 2]) {
    let mut subarray = Subarray::new(query.request().schema());
    for (dim, (low, high)) in (0u32..).zip(ranges) {
        let added = subarray.add_range(dim, &low.to_le_bytes(), &high.to_le_bytes());
        added.expect("a range");
    }
    query.set_subarray(&subarray).expect("subarray");
}

/// Returns the cells of a square of the dense array.
fn square(side: u64) -> [Column; 2] {
    let numbers = 0..side * side;
    [
        Column::numbers("a", numbers.clone().map(|number| number as u32)),
        Column::texts("s", numbers.map(text_of)),
    ]
}

/// Writes a square of the dense array.
fn write_square(array: &Arc<Array>, side: u64, columns: &[Column]) {
    let mut query = Query::new(array, QueryType::Write).expect("query");
    query.set_layout(Layout::RowMajor).expect("layout");
    select(&mut query, [(0, side - 1); 2]);
    write(&mut query, columns).expect("write");
}

/// Returns cells of the sparse array in a scattered order.
fn scattered(number: u64) -> [Column; 4] {
    let positions = (0..number).map(|cell| cell * 7919 % (SIDE * SIDE));
    [
        Column::numbers("r", positions.clone().map(|position| position / SIDE)),
        Column::numbers("c", positions.map(|position| position % SIDE)),
        Column::numbers("a", 0..number as u32),
        Column::texts("s", (0..number).map(text_of)),
    ]
}

/// Writes cells of the sparse array.
fn write_cells(array: &Arc<Array>, columns: &[Column]) {
    let mut query = Query::new(array, QueryType::Write).expect("query");
    query.set_layout(Layout::Unordered).expect("layout");
    write(&mut query, columns).expect("write");
    query.finalize().expect("finalize");
}

/// The buffers of a small read.
struct Buffers {
    numbers: Vec<u8>,
    texts: Vec<u8>,
    offsets: Vec<u8>,
}

impl Buffers {
    fn new() -> Self {
        Self {
            numbers: vec![0; 4 * 1000],
            texts: vec![0; 10 * 1000],
            offsets: vec![0; 8 * 1000],
        }
    }

    /// Reads a box of 20 x 20 cells. Returns the number of cells.
    fn read(&mut self, array: &Arc<Array>, layout: Layout) -> usize {
        let mut query = Query::new(array, QueryType::Read).expect("query");
        query.set_layout(layout).expect("layout");
        select(&mut query, [(40, 59); 2]);
        let texts = FieldBuffers {
            offsets: Some(&mut self.offsets),
            ..FieldBuffers::fixed("s", &mut self.texts)
        };
        let mut fields = [FieldBuffers::fixed("a", &mut self.numbers), texts];
        let sizes = query.read(&mut fields).expect("read");
        assert_eq!(query.status(), QueryStatus::Completed);
        sizes.first().map_or(0, |sizes| sizes.data as usize / 4)
    }
}

#[test]
fn a_repeated_dense_read_costs_the_same() {
    let _alone = run_alone();
    let stored = dense();
    write_square(
        &stored.array("1").open(QueryType::Write),
        SIDE,
        &square(SIDE),
    );
    let array = stored.array("4").open(QueryType::Read);
    for layout in [Layout::RowMajor, Layout::ColMajor, Layout::GlobalOrder] {
        let mut buffers = Buffers::new();
        let name = format!("dense read, {layout:?}");
        assert_constant(&name, 600, || assert_eq!(buffers.read(&array, layout), 400));
    }
}

#[test]
fn a_repeated_sparse_read_costs_the_same() {
    let _alone = run_alone();
    let stored = sparse();
    write_cells(&stored.array("1").open(QueryType::Write), &scattered(CELLS));
    let array = stored.array("4").open(QueryType::Read);
    for layout in [Layout::Unordered, Layout::RowMajor, Layout::GlobalOrder] {
        let mut buffers = Buffers::new();
        let name = format!("sparse read, {layout:?}");
        assert_constant(&name, 250, || assert!(buffers.read(&array, layout) > 0));
    }
}

#[test]
fn a_repeated_dense_write_costs_the_same() {
    let _alone = run_alone();
    let stored = dense();
    let array = stored.array("4").open(QueryType::Write);
    let columns = square(20);
    assert_constant("dense write", 600, || write_square(&array, 20, &columns));
}

#[test]
fn a_repeated_sparse_write_costs_the_same() {
    let _alone = run_alone();
    let stored = sparse();
    let array = stored.array("4").open(QueryType::Write);
    let columns = scattered(400);
    assert_constant("sparse write", 800, || write_cells(&array, &columns));
}

#[test]
fn a_repeated_open_costs_the_same() {
    let _alone = run_alone();
    for (kind, stored) in [("dense", dense()), ("sparse", sparse())] {
        let test_array = stored.array("4");
        let written = test_array.open(QueryType::Write);
        for _ in 0..5 {
            match kind {
                "dense" => write_square(&written, 20, &square(20)),
                _ => write_cells(&written, &scattered(400)),
            }
        }
        // Until then, an open lists folders twice, since their times of change are not exact.
        std::thread::sleep(Duration::from_millis(200));
        for query_type in [QueryType::Read, QueryType::Write] {
            let name = format!("open for {query_type:?}, {kind}");
            assert_constant(&name, 250, || drop(test_array.open(query_type)));
        }
    }
}

#[test]
fn a_copy_of_a_schema_costs_the_same_with_many_attributes() {
    let copy = |attributes: usize| {
        let names: Vec<_> = (0..attributes).map(|number| number.to_string()).collect();
        let attributes = names
            .iter()
            .map(|name| attribute(name, Datatype::Int8, &[]));
        let draft = schema(ArrayType::Sparse, dimensions(20), attributes);
        let complete = Arc::new(draft.finish().expect("complete"));
        let before = ALLOCATIONS.get();
        let copied = SchemaDraft::of(&complete);
        assert!(copied.attribute_at(1).expect("exists").is_some());
        ALLOCATIONS.get() - before
    };
    let allocations = copy(2);
    assert_eq!(copy(500), allocations);
    assert!(allocations < 40, "{allocations}");
}
