//! Pictures of unusual arrays: empty ones, single cells, very large and very small domains, slices
//! of several dimensions, cells without numbers, and thousands of fragments.

mod program;

use program::Folder;
use serde_json::{Value, json};
use tiledb_engine::{Array, ArrayType, Context, Datatype, Scalar, Schema, SchemaBuilder, ToCell};

const PICTURES: [&str; 4] = ["array", "fragments", "tiles", "timeline"];

/// Creates the array `name` in the folder.
fn create(folder: &Folder, name: &str, schema: SchemaBuilder) -> Array {
    let context = Context::new().expect("context");
    let uri = folder.path(name);
    let uri = uri.to_str().expect("text");
    let schema = schema.build().expect("schema");
    Array::create(&context, uri, &schema).expect("created");
    Array::open(&context, uri).expect("opened")
}

/// Creates the sparse array `name` with one dimension and cells at these coordinates.
fn line<T: ToCell + Copy + Into<Scalar>>(
    folder: &Folder,
    name: &str,
    datatype: Datatype,
    [low, high]: [T; 2],
    cells: &[T],
) {
    let extent: Scalar = if datatype.is_real() {
        1.0.into()
    } else {
        1.into()
    };
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("x", datatype, low..=high, extent)
        .attribute("v", Datatype::Int32);
    let array = create(folder, name, schema);
    let write = array.write().column("x", cells.iter().copied());
    let write = write.column("v", 0..cells.len() as i32);
    write.submit().expect("written");
}

fn picture(folder: &Folder, arguments: &[&str]) -> Value {
    let output = folder.output(&[&["draw"], arguments, &["--json"]].concat());
    serde_json::from_str(&output).expect("JSON")
}

/// Returns the values of the areas of a picture with their lower left corners.
fn areas(picture: &Value) -> Vec<(f64, f64, f64)> {
    let number = |value: &Value| value.as_f64().expect("a number");
    let areas = picture["areas"].as_array().expect("areas").iter();
    let areas = areas.map(|area| {
        let bounds = &area["bounds"];
        (
            number(&bounds[0]),
            number(&bounds[2]),
            number(&area["value"]),
        )
    });
    areas.collect()
}

/// Draws all pictures of an array in the terminal, as SVG and as PNG.
fn draw_all(folder: &Folder, name: &str) {
    for kind in PICTURES {
        let text = folder.output(&["draw", kind, name, "--width", "60"]);
        assert!(text.lines().count() > 3, "{kind} of {name}: {text}");
        for file in ["picture.svg", "picture.png"] {
            folder.output(&["draw", kind, name, "--output", file]);
        }
        let svg = folder.read("picture.svg");
        assert!(svg.matches("<rect ").count() > 1, "{kind} of {name}");
        assert!(
            !svg.contains("NaN") && !svg.contains("inf"),
            "{kind} of {name}"
        );
    }
}

#[test]
fn arrays_without_cells_are_an_error() {
    let folder = Folder::new();
    let dimension = |schema: SchemaBuilder| schema.dimension("x", Datatype::Int64, 0..=99, 10);
    for (name, kind) in [("sparse", ArrayType::Sparse), ("dense", ArrayType::Dense)] {
        let schema = dimension(Schema::builder(kind)).attribute("v", Datatype::Int32);
        create(&folder, name, schema);
        for picture in PICTURES {
            let error = folder.error(&["draw", picture, name], 2);
            assert!(error.contains("to draw"), "{picture} of {name}: {error}");
        }
    }
}

#[test]
fn single_cells_and_ends_of_domains_are_drawn() {
    let folder = Folder::new();
    line(&folder, "one", Datatype::Int32, [0, 9], &[5]);
    line(&folder, "one-real", Datatype::Float64, [0.0, 9.0], &[5.5]);
    line(&folder, "zero", Datatype::Float32, [-1.0f32, 1.0], &[0.0]);
    let (least, greatest) = (i64::MIN + 1, i64::MAX - 1);
    line(
        &folder,
        "far",
        Datatype::Int64,
        [least, greatest],
        &[1 << 60],
    );
    line(
        &folder,
        "ends",
        Datatype::Int64,
        [least, greatest],
        &[least, 0, greatest],
    );
    line(
        &folder,
        "unsigned",
        Datatype::Uint64,
        [0, u64::MAX - 1],
        &[0, u64::MAX - 1],
    );
    line(
        &folder,
        "bytes",
        Datatype::Int8,
        [-127i8, 127],
        &[-127, 127],
    );
    let reals = [-f64::MAX, f64::MAX];
    line(&folder, "reals", Datatype::Float64, reals, &[-1e308, 1e308]);
    line(&folder, "all-reals", Datatype::Float64, reals, &reals);
    line(
        &folder,
        "tiny",
        Datatype::Float64,
        [0.0, 1.0],
        &[f64::MIN_POSITIVE, 5e-324],
    );
    let names = [
        "one",
        "one-real",
        "zero",
        "far",
        "ends",
        "unsigned",
        "bytes",
        "reals",
        "all-reals",
        "tiny",
    ];
    for name in names {
        draw_all(&folder, name);
    }
    for name in ["reals", "all-reals"] {
        let drawn = areas(&picture(&folder, &["array", name]));
        let values: Vec<f64> = drawn.iter().map(|area| area.2).collect();
        assert_eq!(values, [0.0, 1.0], "{name}");
    }
    let drawn = areas(&picture(&folder, &["array", "ends"]));
    assert_eq!(drawn.len(), 3, "{drawn:?}");
    assert_eq!(drawn[1].2, 1.0);
}

#[test]
fn datetimes_beyond_all_calendars_are_drawn() {
    let folder = Folder::new();
    for datatype in [
        Datatype::DatetimeYear,
        Datatype::DatetimeDay,
        Datatype::DatetimeAs,
    ] {
        let domain = [i64::MIN + 1, i64::MAX - 1];
        line(&folder, datatype.name(), datatype, domain, &domain);
        draw_all(&folder, datatype.name());
    }
    let days = [0i64, 20_000];
    line(&folder, "days", Datatype::DatetimeDay, days, &[0, 19_000]);
    let text = folder.output(&["draw", "array", "days"]);
    assert!(
        text.contains("1970-01-01") && text.contains("2022-01-08"),
        "{text}"
    );
    let part = picture(&folder, &["array", "days", "--range", "x=2000-01-01.."]);
    assert_eq!(areas(&part).len(), 1);
    folder.error(&["draw", "array", "days", "--range", "x=yesterday"], 2);
}

/// Creates the dense array `cube` with the value 100 z + 10 y + x.
fn cube(folder: &Folder) {
    let schema = Schema::builder(ArrayType::Dense)
        .dimension("z", Datatype::Int32, 0..=2, 1)
        .dimension("y", Datatype::Int32, 0..=3, 2)
        .dimension("x", Datatype::Int32, 0..=4, 5)
        .attribute("v", Datatype::Int32);
    let array = create(folder, "cube", schema);
    let values = (0..60).map(|cell| cell / 20 * 100 + cell / 5 % 4 * 10 + cell % 5);
    array.write().column("v", values).submit().expect("written");
}

#[test]
fn slices_and_other_dimensions_are_drawn() {
    let folder = Folder::new();
    cube(&folder);
    let drawn = picture(
        &folder,
        &[
            "array", "cube", "--axes", "x,y", "--range", "z=2", "--range", "x=1..2",
        ],
    );
    assert_eq!(drawn["x"], json!({"name": "x", "low": 1.0, "high": 3.0}));
    assert_eq!(drawn["y"], json!({"name": "y", "low": 0.0, "high": 4.0}));
    let expected: Vec<_> = (0..8)
        .map(|cell| (f64::from(1 + cell % 2), f64::from(cell / 2)))
        .map(|(x, y)| (x, y, 200.0 + 10.0 * y + x))
        .collect();
    assert_eq!(areas(&drawn), expected);
    // One axis shows the mean over the others.
    let drawn = areas(&picture(&folder, &["array", "cube", "--axes", "z"]));
    let means: Vec<f64> = drawn.iter().map(|(_, _, mean)| *mean).collect();
    assert_eq!(means, [17.0, 117.0, 217.0]);
    let conditioned = ["array", "cube", "--axes", "z", "--where", "v >= 230"];
    let drawn = areas(&picture(&folder, &conditioned));
    assert_eq!(drawn, [(2.0, 0.0, 232.0)]);
    let drawn = areas(&picture(&folder, &["tiles", "cube", "--axes", "y,z"]));
    assert_eq!(drawn.len(), 6);
    for (axes, reason) in [
        ("x,w", "there is no dimension 'w'"),
        ("x,x", "the two axes are the same dimension"),
        ("x,y,z", "a picture has at most two axes"),
        ("", "there is no dimension ''"),
    ] {
        let error = folder.error(&["draw", "array", "cube", "--axes", axes], 2);
        assert!(error.contains(reason), "{axes}: {error}");
    }
    for range in ["z=7", "z=2..1", "y=a..b", "w=1", "z"] {
        folder.error(&["draw", "array", "cube", "--range", range], 2);
    }
}

#[test]
fn cells_that_were_not_written_are_left_out() {
    let folder = Folder::new();
    for (name, datatype) in [("wide", Datatype::Int32), ("byte", Datatype::Uint8)] {
        let schema = Schema::builder(ArrayType::Dense)
            .dimension("y", Datatype::Int32, 0..=99, 10)
            .dimension("x", Datatype::Int32, 0..=99, 10)
            .attribute("v", datatype);
        let array = create(&folder, name, schema);
        for corner in [0, 8] {
            let part = corner..=corner + 1;
            let write = array.write().range("y", part.clone()).range("x", part);
            let written = match datatype {
                Datatype::Int32 => write.column("v", [1i32, 2, 3, 255]).submit(),
                _ => write.column("v", [1u8, 2, 3, 255]).submit(),
            };
            written.expect("written");
        }
        let drawn = areas(&picture(&folder, &["array", name]));
        let values: Vec<f64> = drawn.iter().map(|area| area.2).collect();
        assert_eq!(
            values,
            [1.0, 2.0, 3.0, 255.0, 1.0, 2.0, 3.0, 255.0],
            "{name}"
        );
    }
}

#[test]
fn cells_without_numbers_are_left_out() {
    let folder = Folder::new();
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("x", Datatype::Int32, 0..=9, 10)
        .attribute("real", Datatype::Float64)
        .nullable_attribute("maybe", Datatype::Int32)
        .attribute("day", Datatype::DatetimeDay)
        .attribute("text", Datatype::StringUtf8);
    let array = create(&folder, "mixed", schema);
    let write = array.write().column("x", 0..4);
    let write = write.column("day", [i64::MIN, 20, i64::MIN, 30]);
    let write = write.column("real", [f64::NAN, f64::INFINITY, 2.5, f64::NEG_INFINITY]);
    let write = write.column("maybe", [None, Some(7), None, None]);
    write
        .column("text", ["a", "b", "", "d"])
        .submit()
        .expect("written");
    let values = |name: &str| areas(&picture(&folder, &["array", "mixed", "--attribute", name]));
    assert_eq!(values("real"), [(2.0, 0.0, 2.5)]);
    assert_eq!(values("maybe"), [(1.0, 0.0, 7.0)]);
    assert_eq!(values("day"), [(1.0, 0.0, 20.0), (3.0, 0.0, 30.0)]);
    let error = folder.error(&["draw", "array", "mixed", "--attribute", "text"], 2);
    assert!(
        error.starts_with("error: attribute 'text' has no numbers to draw"),
        "{error}"
    );
}

#[test]
fn strings_are_drawn_if_they_are_not_an_axis() {
    let folder = Folder::new();
    let schema = Schema::builder(ArrayType::Sparse)
        .string_dimension("name")
        .dimension("x", Datatype::Int32, 0..=9, 10)
        .attribute("v", Datatype::Int32);
    let array = create(&folder, "names", schema);
    let write = array.write().column("name", ["a", "b"]).column("x", [3, 5]);
    write.column("v", [10, 20]).submit().expect("written");
    let drawn = areas(&picture(&folder, &["array", "names", "--axes", "x"]));
    assert_eq!(drawn, [(3.0, 0.0, 10.0), (5.0, 0.0, 20.0)]);
    for picture in ["array", "fragments", "tiles"] {
        let error = folder.error(&["draw", picture, "names"], 2);
        assert!(error.contains("dimension 'name' has strings"), "{error}");
        folder.output(&["draw", picture, "names", "--axes", "x"]);
    }
    folder.output(&["draw", "timeline", "names"]);
}

#[test]
fn thousands_of_fragments_are_drawn() {
    let folder = Folder::new();
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("x", Datatype::Int32, 0..=9_999, 100)
        .attribute("v", Datatype::Int32);
    let array = create(&folder, "many", schema);
    for x in 0..2_000 {
        let write = array.write().column("x", [x]).column("v", [x]);
        write.submit().expect("written");
    }
    draw_all(&folder, "many");
    let drawn = picture(&folder, &["fragments", "many"]);
    assert_eq!(areas(&drawn).len(), 2_000);
}
