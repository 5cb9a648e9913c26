//! Checks of the order of cells: cells that a program wrote out of order or twice, with the checks
//! of writes disabled, are found. Cells that may repeat are not.

use tempfile::TempDir;
use tiledb_engine::internal::config::Config;
use tiledb_engine::{
    Array, ArrayType, Context, Datatype, Layout, MaintenanceMode, Schema, Severity,
};

/// A sparse array with tiles of four cells, of a context without the checks of writes.
struct Stored {
    _folder: TempDir,
    uri: String,
    context: Context,
}

impl Stored {
    fn new(order: Layout, allows_duplicates: bool) -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let uri = folder.path().join("array");
        let uri = uri.to_str().expect("text").to_owned();
        let mut config = Config::new();
        for name in ["sm.check_global_order", "sm.check_coord_dups"] {
            config.set(name, "false").expect("parameter");
        }
        config
            .set("sm.consolidation.with_timestamps", "true")
            .expect("parameter");
        let context = Context::with_config(config).expect("context");
        let schema = Schema::builder(ArrayType::Sparse)
            .dimension("x", Datatype::Int32, 0..=99, 10)
            .string_dimension("name")
            .attribute("a", Datatype::Uint8)
            .cell_order(order)
            .capacity(4)
            .allow_duplicates(allows_duplicates)
            .build()
            .expect("schema");
        Array::create(&context, &uri, &schema).expect("create");
        Self {
            _folder: folder,
            uri,
            context,
        }
    }

    fn write(&self, layout: Layout, cells: &[(i32, &str)]) {
        let array = Array::open(&self.context, &self.uri).expect("open");
        array
            .write()
            .layout(layout)
            .column("x", cells.iter().map(|(x, _)| *x))
            .column("name", cells.iter().map(|(_, name)| *name))
            .column("a", (0..cells.len()).map(|cell| cell as u8))
            .submit()
            .expect("write");
    }

    /// Returns the problems that a check finds. All of them must be errors of a fragment.
    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let checked = self.context.check(&self.uri, |finding| {
            assert_eq!(finding.severity, Severity::Error);
            assert!(finding.uri.contains("/__fragments/__"), "{finding:?}");
            problems.push(finding.problem.clone());
            Ok(())
        });
        checked.expect("checked");
        problems
    }
}

fn sorts_before(cell: usize, tile: u64) -> String {
    format!("cell {cell} of tile {tile} sorts before the previous cell")
}

fn repeats(cell: usize, tile: u64) -> String {
    format!(
        "cell {cell} of tile {tile} has the coordinates of the previous cell, which the schema \
         does not allow"
    )
}

#[test]
fn cells_out_of_order_are_found_within_tiles_and_between_them() {
    let ordered = [(1, "a"), (1, "b"), (1, "ba"), (2, "")];
    let stored = Stored::new(Layout::RowMajor, false);
    stored.write(Layout::GlobalOrder, &ordered);
    assert_eq!(stored.problems(), [""; 0]);

    let swapped = [(1, "a"), (1, "ba"), (1, "b"), (2, ""), (30, "c")];
    let stored = Stored::new(Layout::RowMajor, false);
    stored.write(Layout::GlobalOrder, &swapped);
    assert_eq!(stored.problems(), [sorts_before(2, 0)]);

    // The first cell of the second tile is less than the last one of the first tile.
    let tiles = [(5, "a"), (5, "b"), (6, "a"), (6, "b"), (4, "z"), (7, "a")];
    let stored = Stored::new(Layout::RowMajor, false);
    stored.write(Layout::GlobalOrder, &tiles);
    assert_eq!(stored.problems(), [sorts_before(0, 1)]);
}

#[test]
fn cells_out_of_hilbert_order_are_found() {
    let cells: Vec<(i32, &str)> = (0..40)
        .map(|x| (x * 2, ["a", "q"][x as usize % 2]))
        .collect();
    let stored = Stored::new(Layout::Hilbert, false);
    stored.write(Layout::Unordered, &cells);
    assert_eq!(stored.problems(), [""; 0]);
    stored.write(Layout::GlobalOrder, &cells);
    let found = stored.problems();
    assert!(found.iter().any(|problem| problem.contains("sorts before")));
}

#[test]
fn duplicates_are_found_unless_they_are_allowed() {
    let cells = [(1, "a"), (3, "b"), (3, "b"), (4, "c"), (4, "c"), (4, "c")];
    let stored = Stored::new(Layout::RowMajor, false);
    stored.write(Layout::Unordered, &cells);
    assert_eq!(stored.problems(), [repeats(2, 0), repeats(0, 1)]);

    let stored = Stored::new(Layout::RowMajor, true);
    stored.write(Layout::Unordered, &cells);
    assert_eq!(stored.problems(), [""; 0]);
}

#[test]
fn cells_with_timestamps_may_repeat() {
    let stored = Stored::new(Layout::RowMajor, false);
    for _ in 0..3 {
        stored.write(Layout::Unordered, &[(1, "a"), (2, "b"), (3, "c")]);
    }
    let mut array = Array::open(&stored.context, &stored.uri).expect("open");
    array
        .consolidate(MaintenanceMode::Fragments)
        .expect("consolidate");
    array.reopen().expect("reopen");
    assert!(
        array
            .fragments()
            .expect("fragments")
            .iter()
            .any(|fragment| { fragment.cell_num() == 9 })
    );
    assert_eq!(stored.problems(), [""; 0]);
}
