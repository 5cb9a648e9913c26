//! The data behind pictures, and the files with pictures.

mod program;

use program::Folder;
use serde_json::{Value, json};

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
    let areas = areas.map(|of| (of["bounds"].clone(), of["value"].as_f64().expect("a value")));
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
