//! Memory of reads into the buffers of the caller and of Arrow: cells are copied once, into memory
//! of exactly their size, and a repeated read allocates nothing for cells.
//!
//! The test counts the bytes that all threads request from the allocator: a second copy of cells
//! would need as many again.

mod setup;

use std::alloc::{GlobalAlloc, Layout as MemoryLayout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tiledb_engine::internal::buffers::FieldBuffers;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::types::{QueryStatus, QueryType};
use tiledb_engine::{
    Array, ArrayType, Attribute, Config, Context, Datatype, FilterList, Layout, Schema,
};

/// Forwards to the allocator of the system and counts bytes.
struct Counting;

static ALL: AtomicUsize = AtomicUsize::new(0);
static NUMBER: AtomicUsize = AtomicUsize::new(0);
static LARGEST: AtomicUsize = AtomicUsize::new(0);

fn count(bytes: usize) {
    ALL.fetch_add(bytes, Ordering::Relaxed);
    NUMBER.fetch_add(1, Ordering::Relaxed);
    LARGEST.fetch_max(bytes, Ordering::Relaxed);
}

// SAFETY: all calls are forwarded unchanged to the allocator of the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: MemoryLayout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller ensures what `alloc` requires.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: MemoryLayout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller ensures what `alloc_zeroed` requires.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, address: *mut u8, layout: MemoryLayout, len: usize) -> *mut u8 {
        count(len);
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

/// Runs one test at a time: the counters belong to the process.
fn run_alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The allocations of a call.
#[derive(Clone, Copy, Debug)]
struct Allocations {
    number: usize,
    bytes: usize,
    largest: usize,
}

fn counted<T>(body: impl FnOnce() -> T) -> (T, Allocations) {
    let before = (NUMBER.load(Ordering::Relaxed), ALL.load(Ordering::Relaxed));
    LARGEST.store(0, Ordering::Relaxed);
    let result = body();
    let allocations = Allocations {
        number: NUMBER.load(Ordering::Relaxed) - before.0,
        bytes: ALL.load(Ordering::Relaxed) - before.1,
        largest: LARGEST.load(Ordering::Relaxed),
    };
    (result, allocations)
}

/// The side of the dense array.
const SIDE: usize = 1024;

/// Creates a dense array without filters, which reads copy from the files of tiles.
fn grid(context: &Context, uri: &str) -> Array {
    let plain = FilterList::default;
    let attribute = |name: &str, datatype| Attribute::of(name, datatype).with_filters(plain());
    let schema = Schema::builder(ArrayType::Dense)
        .dimension("row", Datatype::Int32, 0..=SIDE as i32 - 1, 64)
        .dimension("column", Datatype::Int32, 0..=SIDE as i32 - 1, 64)
        .with_attribute(attribute("a", Datatype::Int64).expect("filters"))
        .with_attribute(attribute("b", Datatype::Float64).expect("filters"))
        .with_attribute(attribute("text", Datatype::StringUtf8).expect("filters"))
        .build()
        .expect("schema");
    Array::create(context, uri, &schema).expect("create");
    let mut array = Array::open(context, uri).expect("open");
    let cells = SIDE * SIDE;
    let texts = (0..cells).map(|cell| ["", "a", "four", "eight888"][cell % 4]);
    array
        .write()
        .column("a", (0..cells).map(|cell| cell as i64))
        .column("b", (0..cells).map(|cell| cell as f64))
        .column("text", texts)
        .submit()
        .expect("write");
    array.reopen().expect("reopen");
    array
}

/// Returns a context with one thread, so that workspaces are the same in each read.
fn context() -> Context {
    let mut config = Config::new();
    config
        .set("sm.compute_concurrency_level", "1")
        .expect("set");
    config.set("sm.io_concurrency_level", "1").expect("set");
    Context::with_config(config).expect("context")
}

#[test]
fn a_repeated_read_of_a_box_allocates_nothing_for_its_cells() {
    let _alone = run_alone();
    let array = grid(&context(), "mem://boxes");
    let mut buffer = vec![0_i64; 512 * 512];
    let mut read = |side: i32| {
        let query = array
            .query()
            .range("row", 64..=63 + side)
            .range("column", 64..=63 + side);
        let cells = (side * side) as usize;
        let read = query.read_into("a", &mut buffer[..cells]).expect("read");
        assert_eq!(read, cells);
        assert_eq!(
            buffer[cells - 1],
            i64::from((63 + side) * SIDE as i32 + 63 + side)
        );
    };
    for side in [32, 512] {
        (0..5).for_each(|_| read(side));
        let (_, allocations) = counted(|| read(side));
        eprintln!("a box of {side} x {side}: {allocations:?}");
        // The query, its subarray and its plan, and a task for each of the tiles with 32 KiB.
        let tiles = (side / 64 + 1).pow(2) as usize;
        assert!(allocations.number <= 160 + 30 * tiles, "{allocations:?}");
        assert!(
            allocations.bytes <= (16 << 10) + (6 << 10) * tiles,
            "{allocations:?}"
        );
        assert!(allocations.largest <= 8 << 10, "{allocations:?}");
    }
}

#[test]
fn arrays_have_the_shape_of_the_ranges() {
    let _alone = run_alone();
    let array = grid(&context(), "mem://shapes");
    let query = array
        .query()
        .range("row", 1..=2)
        .range("row", 10..=10)
        .range("column", 3..=5);
    let (values, shape) = query.read_array::<i64>("a").expect("read");
    assert_eq!(shape, [3, 3]);
    assert_eq!(values[..4], [1027, 1028, 1029, 2051]);
    let columns = query
        .clone()
        .layout(Layout::ColMajor)
        .read_array::<i64>("a")
        .expect("read")
        .0;
    assert_eq!(columns[..4], [1027, 2051, 10243, 1028]);
    let mut small = [0_i64; 8];
    let error = query
        .read_into("a", &mut small)
        .expect_err("too small")
        .to_string();
    assert!(
        error.contains("'a'") && error.contains("buffer of 8"),
        "{error}"
    );
    for error in [
        query.read_array::<i32>("a").expect_err("another type"),
        query.read_array::<u8>("text").expect_err("texts"),
        query
            .clone()
            .layout(Layout::GlobalOrder)
            .read_array::<i64>("a")
            .expect_err("order"),
    ] {
        let text = error.to_string();
        assert!(text.contains("'a'") || text.contains("'text'"), "{text}");
    }
}

#[cfg(feature = "ndarray")]
#[test]
fn arrays_of_ndarray_have_both_orders() {
    let _alone = run_alone();
    let array = grid(&context(), "mem://ndarray");
    let query = array.query().range("row", 1..=2).range("column", 3..=5);
    let rows = query.read_ndarray::<i64>("a").expect("read");
    let columns = query
        .clone()
        .layout(Layout::ColMajor)
        .read_ndarray::<i64>("a")
        .expect("read");
    assert_eq!(rows, columns);
    assert_eq!(rows[[1, 2]], 2 * SIDE as i64 + 5);
    assert!(rows.is_standard_layout() && !columns.is_standard_layout());
    // Into each second column of a larger array, and into memory in the order of the layout.
    let mut large = ndarray::Array2::<i64>::zeros((2, 6)).into_dyn();
    let part = large.slice_each_axis_mut(|axis| match axis.axis.index() {
        1 => ndarray::Slice::new(0, None, 2),
        _ => ndarray::Slice::new(0, None, 1),
    });
    query.read_into_ndarray("a", part).expect("read");
    assert_eq!((large[[1, 4]], large[[1, 5]]), (rows[[1, 2]], 0));
    let mut same = columns.clone();
    same.fill(0);
    let by_columns = query.clone().layout(Layout::ColMajor);
    by_columns
        .read_into_ndarray("a", same.view_mut())
        .expect("read");
    assert_eq!(same, rows);
    let mut other = ndarray::Array1::<i64>::zeros(6).into_dyn();
    let error = query
        .read_into_ndarray("a", other.view_mut())
        .expect_err("another shape");
    assert!(error.to_string().contains("[2, 3]"), "{error}");
}

#[cfg(feature = "arrow")]
#[test]
fn record_batches_are_filled_without_another_copy() {
    let _alone = run_alone();
    let folder = tempfile::tempdir().expect("a folder");
    let uri = folder.path().join("grid");
    let uri = uri.to_str().expect("a path");
    let array = grid(&context(), uri);
    let cells = SIDE * SIDE;
    // Two numbers, an offset, and the texts.
    let result = cells * 24 + cells / 4 * 13;
    // What a read into buffers that exist already allocates, for tiles.
    let opened = setup::vfs(&[
        ("sm.compute_concurrency_level", "1"),
        ("sm.io_concurrency_level", "1"),
    ]);
    let opened = tiledb_engine::internal::array::Array::new(&opened, uri).expect("an array");
    opened.open(QueryType::Read).expect("open");
    let opened = Arc::new(opened);
    let mut buffers: Vec<Vec<u8>> = (0..4).map(|_| vec![0; 8 * cells]).collect();
    let mut plain = || {
        let mut query = Query::new(&opened, QueryType::Read).expect("a query");
        let mut all = query.request().subarray.clone();
        for dimension in 0..2 {
            let ends = [0, SIDE as i32 - 1].map(i32::to_le_bytes);
            all.add_range(dimension, &ends[0], &ends[1])
                .expect("a range");
        }
        query.set_subarray(&all).expect("set");
        let [a, b, text, offsets] = &mut buffers[..] else {
            panic!("four buffers");
        };
        let text = FieldBuffers {
            offsets: Some(offsets),
            ..FieldBuffers::fixed("text", text)
        };
        let mut fields = [
            FieldBuffers::fixed("a", a),
            FieldBuffers::fixed("b", b),
            text,
        ];
        query.read(&mut fields).expect("read");
        assert_eq!(query.status(), QueryStatus::Completed);
    };
    plain();
    let ((), plain) = counted(plain);
    eprintln!("{result} bytes into buffers: {plain:?}");
    let read = || array.query().collect_record_batch().expect("a batch");
    let warm = read();
    assert_eq!(warm.num_rows(), cells);
    let (batch, allocations) = counted(read);
    eprintln!("{result} bytes as one batch: {allocations:?}");
    assert_eq!(batch, warm);
    assert!(allocations.bytes >= result, "{allocations:?}");
    let more = allocations.bytes - plain.bytes.min(allocations.bytes);
    assert!(
        more <= result + result / 16,
        "{allocations:?} instead of {plain:?}"
    );

    // The memory of batches that were dropped is used again.
    let batches = array
        .query()
        .batch_bytes(1 << 20)
        .record_batches()
        .expect("batches");
    let mut addresses = std::collections::BTreeSet::new();
    let mut rows = 0;
    for batch in batches {
        let batch = batch.expect("a batch");
        rows += batch.num_rows();
        addresses.insert(batch.column(0).to_data().buffers()[0].as_ptr().addr());
    }
    assert_eq!(rows, cells);
    assert!(addresses.len() <= 3, "{addresses:?}");
}
