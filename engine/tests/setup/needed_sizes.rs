//! Checks of the sizes of buffers that reads report.

use tiledb_engine::internal::buffers::{FieldSizes, NeededSizes};
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::types::QueryStatus;

use super::column::{CellType, Column};

/// The complete remaining result.
const ALL: u64 = u64::MAX;

/// The number of submits after which a read is continued with the rest at once.
const MAX_SUBMITS: usize = 40;

/// Reads with buffers of exactly the reported sizes: first the complete result in one submit, then
/// one cell and a few cells at a time, and the rest in one submit. Returns whether the sizes of the
/// complete result were exact.
pub(crate) fn check(create: &dyn Fn() -> Query, fields: &[CellType]) -> bool {
    let exact = read_rest(&mut create(), fields);
    for step in [1, 3] {
        let mut query = create();
        for _ in 0..MAX_SUBMITS {
            if query.status() == QueryStatus::Completed {
                break;
            }
            read_some(&mut query, fields, step);
        }
        read_rest(&mut query, fields);
    }
    exact
}

fn needed(query: &Query, fields: &[CellType], cells: u64) -> Vec<NeededSizes> {
    let names: Vec<&str> = fields.iter().map(|field| &field.name[..]).collect();
    query.needed_sizes(&names, cells).expect("sizes")
}

/// Reads in one submit with buffers of these sizes, and returns the sizes that were written.
fn read(query: &mut Query, fields: &[CellType], needed: &[NeededSizes]) -> Vec<FieldSizes> {
    let columns = fields.iter().zip(needed);
    let columns = columns.map(|(field, needed)| Column::with_sizes(field.clone(), &needed.sizes));
    let mut columns: Vec<Column> = columns.collect();
    let mut buffers: Vec<_> = columns.iter_mut().map(Column::buffers).collect();
    query.read(&mut buffers).expect("read")
}

fn is_within(written: &FieldSizes, needed: &FieldSizes) -> bool {
    written.data <= needed.data
        && written.offsets <= needed.offsets
        && written.validity <= needed.validity
}

/// Reads the remaining result in one submit. Returns whether the sizes were exact.
fn read_rest(query: &mut Query, fields: &[CellType]) -> bool {
    let was_completed = query.status() == QueryStatus::Completed;
    let needed = needed(query, fields, ALL);
    let written = read(query, fields, &needed);
    assert_eq!(query.status(), QueryStatus::Completed, "{needed:?}");
    for (written, needed) in written.iter().zip(&needed) {
        assert!(is_within(written, &needed.sizes), "{written:?} {needed:?}");
        if needed.is_exact {
            assert_eq!(*written, needed.sizes);
        }
    }
    if was_completed {
        assert!(
            needed
                .iter()
                .all(|needed_size| needed_size.is_exact && needed_size.cells == 0)
        );
    }
    needed.iter().all(|needed| needed.is_exact)
}

/// Reads with buffers for a few cells, which must make progress.
fn read_some(query: &mut Query, fields: &[CellType], cells: u64) {
    let needed = needed(query, fields, cells);
    let written = read(query, fields, &needed);
    let is_done = query.status() == QueryStatus::Completed;
    assert!(is_done || query.has_results(), "no progress: {needed:?}");
    for (written, needed) in written.iter().zip(&needed) {
        assert!(is_within(written, &needed.sizes), "{written:?} {needed:?}");
        assert!(needed.cells <= cells);
        // A submit may end before these cells, at the boundary of a tile.
        let is_complete = |written: &FieldSizes| written.validity == needed.sizes.validity;
        if needed.is_exact && cells == 1 && !is_done && is_complete(written) {
            assert_eq!(*written, needed.sizes);
        }
    }
}
