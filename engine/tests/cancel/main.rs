//! Work that another thread cancels at each of its accesses to storage: it ends with an error before it goes to another
//! tile, the query has failed, and the array is what it was before. Where it is too late to cancel, all is done.

#[path = "../setup/mod.rs"]
mod setup;
mod watched;

use setup::Place;
use setup::column::{Cell, Column, Looks, read, write};
use tiledb_engine::aggregate::AggregateOperator;
use tiledb_engine::error::Result;
use tiledb_engine::filter::FilterType;
use tiledb_engine::maintenance;
use tiledb_engine::query::Query;
use tiledb_engine::subarray::Subarray;
use tiledb_engine::types::{ArrayType, DataOrder, Datatype, Layout, QueryStatus, QueryType};
use watched::Watched;

const TILES: i32 = 20;
const PER_TILE: i32 = 10;
const CELLS: i32 = TILES * PER_TILE;

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
        let start = watched.accesses();
        let whole = (self.act)(&place);
        assert_eq!(whole.status, QueryStatus::Completed, "{what}");
        let whole = whole.answer.expect("nobody cancels");
        let accesses = watched.accesses() - start;
        let after = found(&place);
        let (mut cancelled, mut most) = (0, 0);
        for at in 0..accesses {
            let (watched, place) = self.begin();
            watched.cancel_at(at);
            let done = (self.act)(&place);
            let later = watched.stop();
            match done.answer {
                Ok(answer) => {
                    assert!(answer == whole, "{what}, access {at}");
                    assert!(found(&place) == after, "{what}, access {at}");
                }
                Err(error) => {
                    assert!(error.is_cancelled(), "{what}, {at}: {error}");
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
        let most = query.make_aggregate(AggregateOperator::Max, "t");
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
        let merged = maintenance::consolidate(&place.vfs, place.uri.as_str(), &config);
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
