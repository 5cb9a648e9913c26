//! Operations that another thread cancels at each storage access: the operation fails before it
//! starts another tile, the query has the status failed, and the array is unchanged. If it is too
//! late to cancel, the operation succeeds.

mod cancelling_storage;
#[path = "../setup/mod.rs"]
mod setup;

use cancelling_storage::Watched;
use setup::TestArray;
use setup::column::{Cell, CellType, Column, read, write};
use tiledb_engine::internal::aggregate::AggregateOperator;
use tiledb_engine::internal::error::Result;
use tiledb_engine::internal::filter::FilterType;
use tiledb_engine::internal::maintenance;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{
    ArrayType, DataOrder, Datatype, Layout, QueryStatus, QueryType,
};

const TILES: i32 = 20;
const PER_TILE: i32 = 10;
const CELLS: i32 = TILES * PER_TILE;

/// Creates an array with numbers and texts in several tiles; a dense array also has a dimension
/// label.
fn create(test_array: &TestArray, kind: ArrayType) {
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
    test_array.create(&schema);
}

/// Returns the numbers and texts of a write.
fn written(first: i32) -> Vec<Column> {
    let numbers = (0..CELLS).map(move |index| first + index);
    vec![
        Column::numbers("a", numbers.clone()),
        Column::texts("t", numbers.map(|number| format!("text {number}"))),
    ]
}

/// Returns the columns of a sparse write: values and coordinates.
fn written_sparse(first: i32) -> Vec<Column> {
    let mut columns = written(first);
    columns.push(Column::numbers("d", 1..=CELLS));
    columns
}

/// Returns a query of the complete array.
fn query(test_array: &TestArray, query_type: QueryType, layout: Layout) -> Query {
    let mut query = test_array.query(query_type);
    query.set_layout(layout).expect("layout");
    if query.request().schema().is_dense() {
        let mut subarray = Subarray::new(query.request().schema());
        let added = subarray.add_range(0, &1i32.to_le_bytes(), &CELLS.to_le_bytes());
        added.expect("range");
        query.set_subarray(&subarray).expect("subarray");
    }
    query
}

/// The outcome of an operation: the error or the cells read, and the status of the query.
struct Outcome {
    result: Result<Vec<Vec<Cell>>>,
    status: QueryStatus,
}

impl Outcome {
    fn of(query: &Query, result: Result<Vec<Vec<Cell>>>) -> Self {
        let status = query.status();
        Self { result, status }
    }
}

fn output_column(names: &[&str]) -> Vec<Column> {
    let cell_type = names.iter().map(|name| match *name {
        "t" => CellType::var(name),
        _ => CellType::fixed(name, 4),
    });
    cell_type
        .map(|cell_type| Column::with_capacity(cell_type, CELLS as usize, 20 * CELLS as usize))
        .collect()
}

fn read_layout(test_array: &TestArray, layout: Layout) -> Outcome {
    let mut query = query(test_array, QueryType::Read, layout);
    let result = read(&mut query, &mut output_column(&["a", "t"]));
    Outcome::of(&query, result)
}

fn write_layout(test_array: &TestArray, layout: Layout, columns: &[Column]) -> Outcome {
    let mut query = query(test_array, QueryType::Write, layout);
    let result = write(&mut query, columns).and_then(|()| query.finalize());
    Outcome::of(&query, result.map(|()| Vec::new()))
}

/// Returns all cells as a later read sees them.
fn found(test_array: &TestArray) -> Vec<Vec<Cell>> {
    let done = read_layout(test_array, Layout::RowMajor);
    assert_eq!(done.status, QueryStatus::Completed);
    done.result.expect("the array reads")
}

/// An operation to cancel.
struct Case {
    case: &'static str,
    prepare: fn(&TestArray),
    run: fn(&TestArray) -> Outcome,
    /// The maximum number of storage accesses after the cancellation: those of the current tile.
    later: u64,
}

impl Case {
    fn begin(&self) -> (Watched, TestArray) {
        let (watched, test_array) = Watched::new();
        (self.prepare)(&test_array);
        (watched, test_array)
    }

    /// Cancels the operation at each of its storage accesses.
    #[expect(clippy::print_stdout, reason = "what was tried")]
    fn check(&self) {
        let case = self.case;
        let (watched, test_array) = self.begin();
        let before = found(&test_array);
        let start = watched.accesses();
        let complete = (self.run)(&test_array);
        assert_eq!(complete.status, QueryStatus::Completed, "{case}");
        let complete = complete.result.expect("not cancelled");
        let accesses = watched.accesses() - start;
        let after = found(&test_array);
        let (mut cancelled, mut most) = (0, 0);
        for index in 0..accesses {
            let (watched, test_array) = self.begin();
            watched.cancel_at(index);
            let done = (self.run)(&test_array);
            let later = watched.stop();
            match done.result {
                Ok(result) => {
                    assert!(result == complete, "{case}, access {index}");
                    assert!(found(&test_array) == after, "{case}, access {index}");
                }
                Err(error) => {
                    assert!(error.is_cancelled(), "{case}, {index}: {error}");
                    assert_eq!(error.to_string(), "The operation was cancelled");
                    assert_eq!(done.status, QueryStatus::Failed, "{case}, access {index}");
                    assert!(found(&test_array) == before, "{case}, access {index}");
                    (cancelled, most) = (cancelled + 1, most.max(later));
                }
            }
            // The same query succeeds when it is submitted again.
            let again = (self.run)(&test_array).result.expect("not cancelled");
            assert!(again == complete, "{case}, access {index}");
            assert!(found(&test_array) == after, "{case}, access {index}");
        }
        println!("{case}: {cancelled} of {accesses} cancelled, at most {most} accesses later");
        assert!(cancelled > 0, "{case}: nothing was cancelled");
        assert!(most <= self.later, "{case}: {most} accesses later");
    }
}

fn dense(test_array: &TestArray) {
    create(test_array, ArrayType::Dense);
    let mut columns = written(0);
    columns.push(Column::numbers("label", (0..CELLS).map(|index| 3 * index)));
    let done = write_layout(test_array, Layout::RowMajor, &columns);
    done.result.expect("write");
}

/// Writes two fragments that each contain all cells.
fn sparse(test_array: &TestArray) {
    create(test_array, ArrayType::Sparse);
    for first in [0, 1000] {
        let done = write_layout(test_array, Layout::Unordered, &written_sparse(first));
        done.result.expect("write");
    }
}

#[test]
fn dense_reads_are_cancelled() {
    Case {
        case: "a dense read",
        prepare: dense,
        run: |test_array| read_layout(test_array, Layout::RowMajor),
        later: 3,
    }
    .check();
}

#[test]
fn sparse_reads_are_cancelled() {
    let cases: [fn(&TestArray) -> Outcome; 3] = [
        |test_array| read_layout(test_array, Layout::Unordered),
        |test_array| read_layout(test_array, Layout::GlobalOrder),
        |test_array| read_layout(test_array, Layout::ColMajor),
    ];
    for run in cases {
        Case {
            case: "a sparse read",
            prepare: sparse,
            run,
            later: 4,
        }
        .check();
    }
}

#[test]
fn aggregates_are_cancelled() {
    fn greatest(test_array: &TestArray) -> Outcome {
        let mut query = query(test_array, QueryType::Read, Layout::Unordered);
        let most = query.make_aggregate(AggregateOperator::Max, "t");
        query
            .add_aggregate("most", &most.expect("aggregate"))
            .expect("aggregate");
        let mut columns = [Column::with_capacity(CellType::var("most"), 1, 50)];
        let result = read(&mut query, &mut columns);
        Outcome::of(&query, result)
    }
    for (case, prepare) in [
        ("an aggregate of a dense array", dense as fn(&TestArray)),
        ("an aggregate of a sparse array", sparse),
    ] {
        Case {
            case,
            prepare,
            run: greatest,
            later: 4,
        }
        .check();
    }
}

#[test]
fn reads_by_labels_are_cancelled() {
    Case {
        case: "a read by labels",
        prepare: dense,
        run: |test_array| {
            let mut query = test_array.query(QueryType::Read);
            let mut subarray = Subarray::new(query.request().schema());
            let (low, high) = (7i32.to_le_bytes(), 500i32.to_le_bytes());
            let added = subarray.add_label_range("label", &low, &high);
            added.expect("range");
            query.set_subarray(&subarray).expect("subarray");
            let result = read(&mut query, &mut output_column(&["a", "t", "label"]));
            Outcome::of(&query, result)
        },
        later: 3,
    }
    .check();
}

/// Reads everything into buffers for a part of the cells with one query, which is submitted again
/// after a cancellation. Returns the cells, and whether a submit was cancelled.
fn read_repeatedly(query: &mut Query, names: &[&str]) -> (Vec<Vec<Cell>>, bool) {
    let capacity = CELLS as usize / 3;
    let cell_types = names.iter().map(|name| match *name {
        "t" => CellType::var(name),
        _ => CellType::fixed(name, 4),
    });
    let columns =
        cell_types.map(|cell_type| Column::with_capacity(cell_type, capacity, 20 * capacity));
    let mut columns: Vec<Column> = columns.collect();
    let (mut cells, mut was_cancelled) = (vec![Vec::new(); names.len()], false);
    for _ in 0..10 {
        match read(query, &mut columns) {
            Ok(delivered) => {
                let pairs = cells.iter_mut().zip(delivered);
                pairs.for_each(|(cells, more)| cells.extend(more));
            }
            Err(error) => {
                assert!(error.is_cancelled(), "{error}");
                was_cancelled = true;
            }
        }
        if query.status() == QueryStatus::Completed {
            return (cells, was_cancelled);
        }
    }
    panic!("the read does not end");
}

/// Cancels a read at each of its storage accesses and submits the query again: each cell is
/// delivered once.
fn check_continues(case: &str, prepare: fn(&TestArray), names: &[&str], start: fn(&mut Query)) {
    let read_all = |test_array: &TestArray| {
        let mut query = test_array.query(QueryType::Read);
        start(&mut query);
        read_repeatedly(&mut query, names)
    };
    let (watched, test_array) = Watched::new();
    prepare(&test_array);
    let first = watched.accesses();
    let (expected, _) = read_all(&test_array);
    assert_eq!(expected[0].len(), CELLS as usize, "{case}");
    let mut cancelled = 0;
    for index in 0..watched.accesses() - first {
        let (watched, test_array) = Watched::new();
        prepare(&test_array);
        watched.cancel_at(index);
        let (cells, was_cancelled) = read_all(&test_array);
        watched.stop();
        assert!(cells == expected, "{case}, access {index}");
        cancelled += usize::from(was_cancelled);
    }
    assert!(cancelled > 0, "{case}: nothing was cancelled");
}

fn select_all(query: &mut Query) {
    let mut subarray = Subarray::new(query.request().schema());
    let added = subarray.add_range(0, &1i32.to_le_bytes(), &CELLS.to_le_bytes());
    added.expect("range");
    query.set_subarray(&subarray).expect("subarray");
}

#[test]
fn cancelled_reads_continue_when_they_are_submitted_again() {
    check_continues("a dense read", dense, &["a", "t"], select_all);
    check_continues("a read of labels", dense, &["a", "t", "label"], select_all);
    let layouts: [fn(&mut Query); 3] = [
        |query| query.set_layout(Layout::Unordered).expect("layout"),
        |query| query.set_layout(Layout::GlobalOrder).expect("layout"),
        |query| query.set_layout(Layout::ColMajor).expect("layout"),
    ];
    for start in layouts {
        check_continues("a sparse read", sparse, &["a", "t"], start);
    }
}

#[test]
fn writes_are_cancelled() {
    let dense_ways: [fn(&TestArray) -> Outcome; 2] = [
        |test_array| write_layout(test_array, Layout::ColMajor, &written(5)),
        |test_array| write_layout(test_array, Layout::GlobalOrder, &written(5)),
    ];
    let sparse_ways: [fn(&TestArray) -> Outcome; 2] = [
        |test_array| write_layout(test_array, Layout::Unordered, &written_sparse(5)),
        |test_array| write_layout(test_array, Layout::GlobalOrder, &written_sparse(5)),
    ];
    for (case, prepare, cases) in [
        ("a dense write", dense as fn(&TestArray), dense_ways),
        ("a sparse write", sparse, sparse_ways),
    ] {
        for run in cases {
            Case {
                case,
                prepare,
                run,
                later: 4,
            }
            .check();
        }
    }
}

#[test]
fn writes_of_labels_are_cancelled() {
    Case {
        case: "a write with a label",
        prepare: dense,
        run: |test_array| {
            let mut columns = written(7);
            columns.push(Column::numbers("label", (0..CELLS).map(|index| 2 * index)));
            write_layout(test_array, Layout::RowMajor, &columns)
        },
        later: 4,
    }
    .check();
}

#[test]
fn consolidation_is_cancelled() {
    fn two_dense(test_array: &TestArray) {
        dense(test_array);
        let done = write_layout(test_array, Layout::RowMajor, &written(9));
        done.result.expect("write");
    }
    fn merge(test_array: &TestArray) -> Outcome {
        let config = setup::config(&[("sm.consolidation.mode", "fragments")]);
        let merged = maintenance::consolidate(&test_array.vfs, test_array.uri.as_str(), &config);
        let status = match merged {
            Ok(()) => QueryStatus::Completed,
            Err(_) => QueryStatus::Failed,
        };
        let result = merged.map(|()| Vec::new());
        Outcome { result, status }
    }
    for (case, prepare) in [
        ("dense consolidation", two_dense as fn(&TestArray)),
        ("sparse consolidation", sparse),
    ] {
        Case {
            case,
            prepare,
            run: merge,
            later: 4,
        }
        .check();
    }
}
