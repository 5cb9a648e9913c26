//! Arrays of format version 23, whose sparse fragments store the first and the last cell of each
//! tile.

use tiledb_engine::internal::config::Config;
use tiledb_engine::{
    Array, ArrayType, Attribute, Context, Datatype, Layout, MaintenanceMode, Scalar, Schema,
    SchemaBuilder, SchemaEvolution,
};

fn context() -> Context {
    let mut config = Config::new();
    config
        .set("tiledb_rs.format_version", "23")
        .expect("parameter");
    Context::with_config(config).expect("context")
}

/// The first and the last cell of each tile of a fragment, as text.
fn bounds(array: &Array, fragment: usize) -> Vec<String> {
    let fragments = array.fragments().expect("fragments");
    let tiles = fragments[fragment].order_bounds().expect("bounds");
    let text = |cell: &Vec<Scalar>| {
        let values = cell.iter().map(|value| match value {
            Scalar::Bytes(text) => String::from_utf8_lossy(text).into_owned(),
            value => value.text(Datatype::Int32).to_string(),
        });
        values.collect::<Vec<_>>().join(",")
    };
    let tiles = tiles.expect("version 23");
    let tiles = tiles
        .iter()
        .map(|[first, last]| format!("{} to {}", text(first), text(last)));
    tiles.collect()
}

fn grid() -> SchemaBuilder {
    Schema::builder(ArrayType::Sparse)
        .dimension("x", Datatype::Int32, 1..=8, 4)
        .dimension("y", Datatype::Int32, 1..=8, 4)
        .attribute("a", Datatype::Int32)
        .capacity(3)
}

/// Creates an array in `folder`.
fn created(context: &Context, folder: &tempfile::TempDir, schema: SchemaBuilder) -> Array {
    let uri = folder.path().join("array");
    let uri = uri.to_str().expect("text");
    Array::create(context, uri, &schema.build().expect("schema")).expect("created");
    Array::open(context, uri).expect("opened")
}

fn write(array: &mut Array, cells: &[(i32, i32)], layout: Layout) {
    let write = array
        .write()
        .layout(layout)
        .column("x", cells.iter().map(|cell| cell.0))
        .column("y", cells.iter().map(|cell| cell.1))
        .column("a", 0..cells.len() as i32);
    write.submit().expect("written");
    array.reopen().expect("reopened");
}

fn check(context: &Context, array: &Array) {
    let mut findings = Vec::new();
    context
        .check(array.uri(), |finding| {
            findings.push(format!("{finding:?}"));
            Ok(())
        })
        .expect("checked");
    assert!(findings.is_empty(), "{findings:?}");
}

const CELLS: [(i32, i32); 9] = [
    (1, 1),
    (1, 4),
    (2, 2),
    (4, 1),
    (4, 5),
    (5, 5),
    (8, 1),
    (1, 8),
    (8, 8),
];

#[test]
fn bounds_are_those_that_libtiledb_writes() {
    for (order, expected) in [
        (Layout::RowMajor, ["1,1 to 2,2", "4,1 to 4,5", "8,1 to 8,8"]),
        (Layout::ColMajor, ["1,1 to 2,2", "1,4 to 1,8", "8,1 to 8,8"]),
        (Layout::Hilbert, ["1,1 to 4,1", "1,4 to 4,5", "5,5 to 8,1"]),
    ] {
        let (context, folder) = (context(), tempfile::tempdir().expect("folder"));
        let mut array = created(&context, &folder, grid().cell_order(order));
        write(&mut array, &CELLS, Layout::Unordered);
        assert_eq!(bounds(&array, 0), expected, "{order:?}");
        check(&context, &array);
    }
}

#[test]
fn consolidated_fragments_have_bounds() {
    let (context, folder) = (context(), tempfile::tempdir().expect("folder"));
    let mut array = created(&context, &folder, grid());
    write(&mut array, &CELLS, Layout::Unordered);
    write(&mut array, &[(3, 3), (7, 7)], Layout::Unordered);
    array
        .consolidate(MaintenanceMode::Fragments)
        .expect("consolidated");
    array.reopen().expect("reopened");
    let expected = ["1,1 to 2,2", "3,3 to 1,8", "4,5 to 5,5", "7,7 to 8,8"];
    assert_eq!(bounds(&array, 0), expected);
    check(&context, &array);
    array
        .consolidate(MaintenanceMode::FragmentMetadata)
        .expect("consolidated");
    array.reopen().expect("reopened");
    assert_eq!(bounds(&array, 0), expected);
}

#[test]
fn bounds_of_duplicates_are_the_cells_as_they_lie() {
    let (context, folder) = (context(), tempfile::tempdir().expect("folder"));
    let mut array = created(&context, &folder, grid().allow_duplicates(true));
    let cells = [(2, 2), (2, 2), (1, 1), (2, 2), (2, 2)];
    write(&mut array, &cells, Layout::Unordered);
    assert_eq!(bounds(&array, 0), ["1,1 to 2,2", "2,2 to 2,2"]);
    check(&context, &array);
}

#[test]
fn bounds_of_texts_are_stored() {
    let (context, folder) = (context(), tempfile::tempdir().expect("folder"));
    let schema = Schema::builder(ArrayType::Sparse)
        .string_dimension("s")
        .dimension("x", Datatype::Int32, 1..=8, 4)
        .attribute("a", Datatype::Int32)
        .capacity(3);
    let mut array = created(&context, &folder, schema);
    let texts = ["banana", "apple", "", "a", "a", "carrot", "date"];
    let write = array
        .write()
        .column("s", texts)
        .column("x", [1, 2, 3, 4, 8, 6, 7])
        .column("a", 0..7);
    write.submit().expect("written");
    array.reopen().expect("reopened");
    let expected = [",3 to apple,2", "banana,1 to carrot,6", "date,7 to date,7"];
    assert_eq!(bounds(&array, 0), expected);
    check(&context, &array);
}

#[test]
fn cells_in_global_order_have_bounds() {
    let (context, folder) = (context(), tempfile::tempdir().expect("folder"));
    let mut array = created(&context, &folder, grid());
    let mut cells: Vec<_> = (1..=4).flat_map(|x| (1..=4).map(move |y| (x, y))).collect();
    cells.truncate(11);
    write(&mut array, &cells, Layout::GlobalOrder);
    let expected = ["1,1 to 1,3", "1,4 to 2,2", "2,3 to 3,1", "3,2 to 3,3"];
    assert_eq!(bounds(&array, 0), expected);
    check(&context, &array);
}

#[test]
fn a_newer_version_is_kept_by_evolution_and_maintenance() {
    let (newer, folder) = (context(), tempfile::tempdir().expect("folder"));
    let mut array = created(&newer, &folder, grid());
    let uri = array.uri().to_owned();
    write(&mut array, &CELLS, Layout::Unordered);
    // A context with the default version.
    let context = Context::new().expect("context");
    let mut array = Array::open(&context, &uri).expect("opened");
    let mut changes = SchemaEvolution::new();
    let more = Attribute::new("more", Datatype::Int8);
    changes.add_attribute(more).expect("added");
    array.evolve(&changes).expect("evolved");
    array.put_metadata("unit", "kelvin").expect("metadata");
    array.reopen().expect("reopened");
    assert_eq!(array.schema().expect("schema").version(), 23);
    let write = array
        .write()
        .column("x", [3])
        .column("y", [3])
        .column("a", [3])
        .column("more", [3i8]);
    write.submit().expect("written");
    array
        .consolidate(MaintenanceMode::Fragments)
        .expect("consolidated");
    array.reopen().expect("reopened");
    let fragments = array.fragments().expect("fragments");
    assert!(fragments.iter().all(|fragment| fragment.version() == 23));
    assert_eq!(bounds(&array, 0)[1], "3,3 to 1,8");
    let copy = folder.path().join("copy");
    let copy = copy.to_str().expect("text");
    context.copy_array(&uri, copy, |_| true).expect("copied");
    let copied = Array::open(&context, copy).expect("opened");
    assert_eq!(copied.schema().expect("schema").version(), 23);
}

#[test]
fn arrays_are_created_in_version_22_by_default() {
    let context = Context::new().expect("context");
    let folder = tempfile::tempdir().expect("folder");
    let mut array = created(&context, &folder, grid());
    write(&mut array, &CELLS, Layout::Unordered);
    assert_eq!(array.schema().expect("schema").version(), 22);
    let fragments = array.fragments().expect("fragments");
    assert!(fragments[0].order_bounds().expect("bounds").is_none());
}
