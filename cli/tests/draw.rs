//! The data behind pictures, and the files with pictures.

mod program;

use program::Folder;
use serde_json::{Value, json};
use tiledb_engine::{Array, ArrayType, Context, Datatype, Schema};

/// Returns a folder with the array `grid`: values in two columns and three rows.
fn grid() -> Folder {
    let folder = Folder::new();
    folder.write(
        "grid.csv",
        "y,x,v\n1,1,10\n1,2,20\n2,1,30\n2,2,\n3,1,50\n3,2,60\n",
    );
    folder.output(&["import", "grid.csv", "grid", "--dimensions", "x,y"]);
    folder
}

fn picture(folder: &Folder, arguments: &[&str]) -> Value {
    let output = folder.output(&[&["draw"], arguments, &["--json"]].concat());
    serde_json::from_str(&output).expect("JSON")
}

/// Returns the bounds and values of the areas of a picture.
fn areas(picture: &Value) -> Vec<(Value, f64)> {
    let areas = picture["areas"].as_array().expect("areas").iter();
    let areas = areas.map(|area| {
        (
            area["bounds"].clone(),
            area["value"].as_f64().expect("a value"),
        )
    });
    areas.collect()
}

#[test]
fn the_picture_of_an_array_has_the_mean_of_each_bin() {
    let folder = grid();
    let picture = picture(&folder, &["array", "grid"]);
    assert_eq!(picture["x"], json!({"name": "x", "low": 1.0, "high": 3.0}));
    assert_eq!(picture["y"], json!({"name": "y", "low": 1.0, "high": 4.0}));
    let expected = [
        (json!([1.0, 2.0, 1.0, 2.0]), 10.0),
        (json!([2.0, 3.0, 1.0, 2.0]), 20.0),
        (json!([1.0, 2.0, 2.0, 3.0]), 30.0),
        (json!([1.0, 2.0, 3.0, 4.0]), 50.0),
        (json!([2.0, 3.0, 3.0, 4.0]), 60.0),
    ];
    assert_eq!(areas(&picture), expected);
}

#[test]
fn pictures_of_fragments_and_tiles_have_their_bounds() {
    let folder = grid();
    for name in ["fragments", "tiles"] {
        let areas = areas(&picture(&folder, &[name, "grid"]));
        let bounds: Vec<_> = areas.into_iter().map(|(bounds, _)| bounds).collect();
        assert_eq!(bounds, [json!([1.0, 3.0, 1.0, 4.0])], "{name}");
    }
    let timeline = areas(&picture(&folder, &["timeline", "grid"]));
    assert_eq!((timeline.len(), timeline[0].1), (1, 0.0));
}

/// Returns a folder with the sparse array `line`, of 10 tiles with 4 cells each: in tile t the
/// attribute `v` has values from 10 t to 10 t + 9.
fn line() -> Folder {
    let folder = Folder::new();
    let context = Context::new().expect("context");
    let schema = Schema::builder(ArrayType::Sparse)
        .capacity(4)
        .dimension("x", Datatype::Int64, 0..=99, 100)
        .attribute("v", Datatype::Int64)
        .build()
        .expect("schema");
    let uri = folder.path("line");
    let uri = uri.to_str().expect("text");
    Array::create(&context, uri, &schema).expect("created");
    let array = Array::open(&context, uri).expect("opened");
    let write = array.write().column("x", 0..40i64);
    let write = write.column("v", (0..40).map(|x: i64| x / 4 * 10 + x % 4 * 3));
    write.submit().expect("written");
    folder
}

/// Returns the numbers of tiles of the categories.
fn categories(picture: &Value) -> Vec<(String, u64)> {
    let categories = picture["categories"].as_array().expect("categories").iter();
    let categories = categories.map(|category| {
        let name = category["name"].as_str().expect("a name").to_owned();
        (name, category["areas"].as_u64().expect("a number"))
    });
    categories.filter(|(_, number)| *number > 0).collect()
}

#[test]
fn tiles_are_colored_by_what_a_read_does_with_them() {
    let folder = line();
    let category = |number, name: &str| (name.to_owned(), number);
    // The value 1 is in no cell, but between the minimum and the maximum of the first tile.
    let arguments = [
        "tiles",
        "line",
        "--range",
        "x=2..25",
        "--where",
        "v = 1 OR v >= 41",
    ];
    let drawn = picture(&folder, &arguments);
    let expected = [
        category(3, "outside of the ranges"),
        category(3, "excluded by statistics"),
        category(1, "read without results"),
        category(3, "read"),
    ];
    assert_eq!(categories(&drawn), expected);
    let mut tiles = areas(&drawn);
    tiles.sort_by(|a, b| {
        a.0[0]
            .as_f64()
            .partial_cmp(&b.0[0].as_f64())
            .expect("numbers")
    });
    let values: Vec<f64> = tiles.iter().map(|(_, value)| *value).collect();
    assert_eq!(values, [3.0, 2.0, 2.0, 2.0, 4.0, 4.0, 4.0, 0.0, 0.0, 0.0]);
    let all = picture(&folder, &["tiles", "line", "--explain"]);
    assert_eq!(categories(&all), [category(10, "read")]);
    let explained = folder.output(&[
        "explain",
        "line",
        "--range",
        "x=2..25",
        "--where",
        "v = 1 OR v >= 41",
    ]);
    assert!(
        explained.contains("tiles      4 of 10 are read"),
        "{explained}"
    );
}

#[test]
fn tiles_of_dense_arrays_are_hidden_by_newer_ones() {
    let folder = Folder::new();
    let context = Context::new().expect("context");
    let schema = Schema::builder(ArrayType::Dense)
        .dimension("y", Datatype::Int64, 1..=12, 4)
        .dimension("x", Datatype::Int64, 1..=8, 4)
        .attribute("v", Datatype::Int64)
        .build()
        .expect("schema");
    let uri = folder.path("dense");
    let uri = uri.to_str().expect("text");
    Array::create(&context, uri, &schema).expect("created");
    let array = Array::open(&context, uri).expect("opened");
    array
        .write()
        .column("v", 0..96i64)
        .submit()
        .expect("written");
    let part = array.write().range("y", 1..=4).range("x", 1..=4);
    part.column("v", 0..16i64).submit().expect("written");
    let drawn = picture(&folder, &["tiles", "dense", "--range", "y=1..4"]);
    let category = |number, name: &str| (name.to_owned(), number);
    let expected = [
        category(4, "outside of the ranges"),
        category(1, "hidden by newer tiles"),
        category(2, "read"),
    ];
    assert_eq!(categories(&drawn), expected);
    let error = folder.error(&["draw", "fragments", "dense", "--range", "y=1..4"], 2);
    assert!(error.contains("apply to `draw tiles` and `draw array` only"));
}

#[test]
fn the_legend_of_tiles_has_their_numbers() {
    let folder = line();
    let text = folder.output(&[
        "draw", "tiles", "line", "--range", "x=0..7", "--width", "50",
    ]);
    let legend = "tiles of the read:\n  · 8 outside of the ranges\n  - 0 hidden by newer tiles\n  \
                  ░ 0 excluded by statistics\n  ▒ 0 read without results\n  █ 2 read\n";
    assert!(text.ends_with(legend), "{text}");
    folder.output(&[
        "draw",
        "tiles",
        "line",
        "--range",
        "x=0..7",
        "--output",
        "tiles.svg",
    ]);
    let svg = folder.read("tiles.svg");
    for words in ["outside of the", "excluded by", "read without"] {
        assert!(svg.contains(words), "{words}");
    }
}

#[test]
fn pictures_in_the_terminal_use_blocks() {
    let folder = grid();
    // A value has four characters in each direction.
    let line = |label: &str, blocks: &str| format!("{label} │{blocks}\n");
    let row = |label: &str, blocks: &str| line(" ", blocks).repeat(3) + &line(label, blocks);
    let top = line("3", "████████") + &line(" ", "████████").repeat(3);
    let rows = top + &row(" ", "▒▒▒▒") + &row("1", "····░░░░");
    let axis = "  └────────\n   1      2\nx: x, y: y; v: · 10 to █ 60\n";
    let expected = format!("v of grid\n{rows}{axis}");
    assert_eq!(folder.output(&["draw", "array", "grid"]), expected);
}

#[test]
fn pictures_are_written_as_svg_and_png() {
    let folder = grid();
    for name in ["array", "fragments", "tiles", "timeline"] {
        folder.output(&["draw", name, "grid", "--output", "picture.svg"]);
        let svg = folder.read("picture.svg");
        assert!(
            svg.starts_with("<svg ") && svg.matches("<rect ").count() > 1,
            "{name}"
        );
        folder.output(&["draw", name, "grid", "--output", "picture.png"]);
        let png = folder.read_bytes("picture.png");
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"), "{name}");
        // The width and the height are in the first chunk.
        assert_eq!(&png[16..24], [0, 0, 3, 132, 0, 0, 2, 48], "{name}");
    }
}

#[test]
fn what_cannot_be_drawn_is_an_error() {
    let folder = grid();
    let error = folder.error(&["draw", "array", "grid", "--output", "picture.gif"], 2);
    assert!(error.starts_with("error: 'picture.gif' is neither an SVG nor a PNG file\nhint: "));
    folder.error(&["draw", "array", "grid", "--attribute", "none"], 2);
    folder.write("names.csv", "name,n\na,1\n");
    folder.output(&["import", "names.csv", "names", "--dimensions", "name"]);
    let error = folder.error(&["draw", "fragments", "names"], 2);
    assert!(
        error.starts_with("error: dimension 'name' has strings"),
        "{error}"
    );
    assert_eq!(folder.names(), ["grid", "grid.csv", "names", "names.csv"]);
}
