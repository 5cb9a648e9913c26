//! Operations that a callback cancels at each of its calls: the array has the state from before or
//! after the operation, and no file is damaged.

mod setup;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use setup::TestArray;
use setup::column::{Cell, CellType, Column, read, write};
use tiledb_engine::internal::check::{self, Severity};
use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::context::Progress;
use tiledb_engine::internal::error::Result;
use tiledb_engine::internal::filestore;
use tiledb_engine::internal::filter::FilterType;
use tiledb_engine::internal::maintenance;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{
    ArrayType, Datatype, Layout, MimeType, QueryStatus, QueryType,
};
use tiledb_engine::internal::vfs::Uri;

const TILES: i32 = 3;
const PER_TILE: i32 = 4;
const CELLS: i32 = TILES * PER_TILE;

fn create(test_array: &TestArray, kind: ArrayType) {
    let zstd = [FilterType::Zstd];
    let line = setup::dimension("d", Datatype::Int32, [1, CELLS], PER_TILE);
    let attributes = [
        setup::attribute("a", Datatype::Int32, &zstd),
        setup::text("t", &[]),
    ];
    let mut schema = setup::schema(kind, [line], attributes);
    schema.set_capacity(PER_TILE as u64).expect("capacity");
    test_array.create(&schema);
}

fn query(test_array: &TestArray, query_type: QueryType) -> Query {
    let mut query = test_array.query(query_type);
    if query.request().schema().is_dense() {
        let mut subarray = Subarray::new(query.request().schema());
        let ends = [1i32, CELLS].map(i32::to_le_bytes);
        subarray.add_range(0, &ends[0], &ends[1]).expect("range");
        query.set_subarray(&subarray).expect("subarray");
    } else if query_type == QueryType::Read {
        query.set_layout(Layout::RowMajor).expect("layout");
    }
    query
}

fn write_all(test_array: &TestArray, first: i32) -> Result<()> {
    let mut query = query(test_array, QueryType::Write);
    let mut columns = vec![
        Column::numbers("a", first..first + CELLS),
        Column::texts("t", (0..CELLS).map(|cell| format!("text {cell}"))),
    ];
    if !query.request().schema().is_dense() {
        columns.push(Column::numbers("d", 1..=CELLS));
    }
    write(&mut query, &columns)
}

/// Writes in two submits, the first of which ends inside of a tile.
fn write_in_global_order(test_array: &TestArray, first: i32) -> Result<()> {
    let mut query = query(test_array, QueryType::Write);
    query.set_layout(Layout::GlobalOrder).expect("layout");
    let cut = PER_TILE + 1;
    for part in [0..cut, cut..CELLS] {
        let mut columns = vec![
            Column::numbers("a", part.clone().map(|cell| first + cell)),
            Column::texts("t", part.clone().map(|cell| format!("text {cell}"))),
        ];
        if !query.request().schema().is_dense() {
            columns.push(Column::numbers("d", part.map(|cell| cell + 1)));
        }
        write(&mut query, &columns)?;
    }
    query.finalize()
}

fn read_all(test_array: &TestArray) -> Result<Vec<Vec<Cell>>> {
    let fields = [CellType::fixed("a", 4), CellType::var("t")];
    let columns = fields.map(|field| Column::with_capacity(field, CELLS as usize, 2000));
    read(
        &mut query(test_array, QueryType::Read),
        &mut columns.into_iter().collect::<Vec<_>>(),
    )
}

fn maintain(
    test_array: &TestArray,
    operation: fn(&Arc<tiledb_engine::internal::vfs::Vfs>, &str, &Config) -> Result<()>,
) -> Result<()> {
    operation(&test_array.vfs, test_array.uri.as_str(), &Config::new())
}

/// An operation, and the number of writes before it; whether fragments are consolidated before.
struct Case {
    subject: &'static str,
    writes: i32,
    is_consolidated: bool,
    run: fn(&TestArray) -> Result<()>,
}

const CASES: [Case; 5] = [
    Case {
        subject: "write",
        writes: 1,
        is_consolidated: false,
        run: |test_array| write_all(test_array, 1000),
    },
    Case {
        subject: "write",
        writes: 1,
        is_consolidated: false,
        run: |test_array| write_in_global_order(test_array, 1000),
    },
    Case {
        subject: "read",
        writes: 2,
        is_consolidated: false,
        run: |test_array| read_all(test_array).map(drop),
    },
    Case {
        subject: "consolidate",
        writes: 3,
        is_consolidated: false,
        run: |test_array| maintain(test_array, maintenance::consolidate),
    },
    Case {
        subject: "vacuum",
        writes: 3,
        is_consolidated: true,
        run: |test_array| maintain(test_array, maintenance::vacuum),
    },
];

impl Case {
    fn prepare(&self, kind: ArrayType) -> TestArray {
        let test_array = TestArray::in_memory();
        create(&test_array, kind);
        for number in 0..self.writes {
            write_all(&test_array, number).expect("write");
            setup::next_millisecond();
        }
        if self.is_consolidated {
            test_array.consolidate("fragments");
        }
        test_array
    }

    /// Cancels the operation at the call `cancel_at`. Returns whether there was that call.
    fn cancel(&self, kind: ArrayType, cancel_at: usize) -> bool {
        let test_array = self.prepare(kind);
        let before = read_all(&test_array).expect("read");
        let calls = Arc::new(AtomicUsize::new(0));
        let (seen, operation) = (calls.clone(), self.subject);
        let context = &test_array.vfs.context;
        context.set_every_progress(Arc::new(move |progress| {
            assert_eq!(progress.operation, operation);
            assert!(
                progress.total == 0 || progress.done <= progress.total,
                "{progress:?}"
            );
            if seen.fetch_add(1, Ordering::Relaxed) == cancel_at {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        }));
        let done = (self.run)(&test_array);
        context.set_progress(None);
        let after = read_all(&test_array).expect("read");
        let subject = format!("{operation} of {kind:?}, call {cancel_at}");
        match &done {
            Ok(()) if operation == "write" => assert!(after != before, "{subject}"),
            Err(error) => {
                assert!(error.is_cancelled(), "{subject}: {error}");
                assert!(after == before, "{subject}");
                assert_eq!(calls.load(Ordering::Relaxed), cancel_at + 1, "{subject}");
            }
            Ok(()) => assert!(after == before, "{subject}"),
        }
        let config = Config::new();
        let summary = check::check(
            &test_array.vfs,
            test_array.uri.as_str(),
            &config,
            &mut |_| Ok(()),
        );
        let summary = summary.expect("check");
        assert_eq!(summary.count(Severity::Error), 0, "{subject}");
        assert_eq!(summary.count(Severity::Warning), 0, "{subject}");
        // The remains of a cancelled operation do not prevent a repetition.
        (self.run)(&test_array).expect("repeated");
        calls.load(Ordering::Relaxed) > cancel_at
    }
}

#[test]
fn operations_are_cancelled_at_each_call_without_harm() {
    for kind in [ArrayType::Dense, ArrayType::Sparse] {
        for case in &CASES {
            let mut number = 0;
            while case.cancel(kind, number) {
                number += 1;
                assert!(number < 1000, "{} does not end", case.subject);
            }
            assert!(number > 1, "{} of {kind:?}: {number} calls", case.subject);
        }
    }
}

/// Reads everything into small buffers with one query, which is submitted again after a
/// cancellation.
fn read_repeatedly(test_array: &TestArray) -> Vec<Vec<Cell>> {
    let fields = [CellType::fixed("a", 4), CellType::var("t")];
    let columns = fields.map(|field| Column::with_capacity(field, CELLS as usize / 2, 2000));
    let mut columns: Vec<_> = columns.into_iter().collect();
    let mut query = query(test_array, QueryType::Read);
    let mut cells = vec![Vec::new(); columns.len()];
    for _ in 0..10 {
        match read(&mut query, &mut columns) {
            Ok(delivered) => {
                let pairs = cells.iter_mut().zip(delivered);
                pairs.for_each(|(cells, more)| cells.extend(more));
            }
            Err(error) => assert!(error.is_cancelled(), "{error}"),
        }
        if query.status() == QueryStatus::Completed {
            return cells;
        }
    }
    panic!("the read does not end");
}

#[test]
fn a_read_that_a_callback_cancelled_continues_when_it_is_submitted_again() {
    for kind in [ArrayType::Dense, ArrayType::Sparse] {
        let test_array = CASES[2].prepare(kind);
        let expected = read_all(&test_array).expect("read");
        let context = &test_array.vfs.context;
        for cancel_at in 0..100 {
            let calls = Arc::new(AtomicUsize::new(0));
            let seen = calls.clone();
            context.set_every_progress(Arc::new(move |_| {
                if seen.fetch_add(1, Ordering::Relaxed) == cancel_at {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            }));
            let cells = read_repeatedly(&test_array);
            context.set_progress(None);
            assert!(cells == expected, "{kind:?}, call {cancel_at}");
            if calls.load(Ordering::Relaxed) <= cancel_at {
                break;
            }
            assert!(cancel_at < 99, "{kind:?} does not end");
        }
    }
}

#[test]
fn checks_are_cancelled() {
    let test_array = CASES[0].prepare(ArrayType::Sparse);
    let context = &test_array.vfs.context;
    context.set_every_progress(Arc::new(|progress| {
        assert_eq!((progress.operation, progress.unit), ("check", "tiles"));
        ControlFlow::Break(())
    }));
    let config = Config::new();
    let checked = check::check(
        &test_array.vfs,
        test_array.uri.as_str(),
        &config,
        &mut |_| Ok(()),
    );
    assert!(checked.is_err_and(|error| error.is_cancelled()));
}

/// Returns the last progress of an operation.
fn last_progress(test_array: &TestArray, run: impl FnOnce(&TestArray)) -> Progress {
    let context = &test_array.vfs.context;
    let last = Arc::new(Mutex::new(None));
    let seen = last.clone();
    context.set_every_progress(Arc::new(move |progress| {
        *seen.lock().expect("not poisoned") = Some(*progress);
        ControlFlow::Continue(())
    }));
    run(test_array);
    context.set_progress(None);
    let last = last.lock().expect("not poisoned");
    last.expect("the operation was reported")
}

#[test]
fn checks_and_writes_in_global_order_reach_their_totals() {
    let tiles = |progress: Progress| (progress.operation, progress.done, progress.total);
    for (kind, fields) in [(ArrayType::Dense, 2), (ArrayType::Sparse, 3)] {
        let test_array = CASES[0].prepare(kind);
        let written = last_progress(&test_array, |test_array| {
            write_in_global_order(test_array, 1).expect("written");
        });
        // The second submit completes the second tile and the third one.
        assert_eq!(
            tiles(written),
            ("write", 2 * fields, 2 * fields),
            "{kind:?}"
        );
        let checked = last_progress(&test_array, |test_array| {
            let (config, uri) = (Config::new(), test_array.uri.as_str());
            check::check(&test_array.vfs, uri, &config, &mut |_| Ok(())).expect("checked");
        });
        // The coordinates of sparse arrays are read once more, to check their order.
        let passes = fields + u64::from(kind == ArrayType::Sparse);
        let all = 2 * TILES as u64 * passes;
        assert_eq!(tiles(checked), ("check", all, all), "{kind:?}");
    }
}

#[test]
fn imports_of_files_report_their_bytes() {
    let test_array = TestArray::in_memory();
    let file = Uri::parse("mem://imported").expect("a URI");
    let size = 3000;
    let mut target = test_array.vfs.create(&file).expect("a file");
    target.write(&vec![7; size]).expect("written");
    target.close().expect("closed");
    let schema = filestore::schema(&test_array.vfs, Some(&file)).expect("schema");
    test_array.create(&schema);
    let all = Progress {
        operation: "import",
        done: size as u64,
        total: size as u64,
        unit: "bytes",
    };
    let (vfs, uri) = (&test_array.vfs, &test_array.uri);
    let kind = MimeType::Autodetect;
    let imported = last_progress(&test_array, |_| {
        filestore::import_file(vfs, uri, &file, kind).expect("imported");
    });
    assert_eq!(imported, all);
    let imported = last_progress(&test_array, |_| {
        filestore::import_bytes(vfs, uri, &vec![8; size], kind).expect("imported");
    });
    assert_eq!(imported, all);
    vfs.context
        .set_every_progress(Arc::new(|_| ControlFlow::Break(())));
    let cancelled = filestore::import_file(vfs, uri, &file, kind);
    vfs.context.set_progress(None);
    assert!(cancelled.is_err_and(|error| error.is_cancelled()));
    let mut stored = vec![0; size];
    filestore::export_bytes(vfs, uri, 0, &mut stored).expect("exported");
    assert!(stored.iter().all(|byte| *byte == 8));
}
