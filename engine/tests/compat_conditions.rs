//! Conditions on dimensions of arrays that historical releases wrote.
//!
//! Before version 5, fragments have the coordinates of all dimensions in one file.
//! `TILEDB_RS_COMPAT_DIR` names the folder of the arrays, `<format version>/<name>/array/`; without
//! it the test is skipped.

use std::fs;
use std::path::Path;

use tiledb_engine::{Array, Context, FieldValues, Scalar, field};

/// Returns the coordinates of cells as numbers; `None` for strings.
fn numbers(coordinates: &FieldValues) -> Option<Vec<(f64, Scalar)>> {
    let cells = 0..coordinates.len();
    let numbers = cells.map(|cell| {
        let scalar = coordinates.scalar(cell)?;
        Some((scalar.to_f64()?, scalar))
    });
    numbers.collect()
}

/// Compares a read with a condition on the first dimension with a read without one. Returns `false`
/// for arrays that are not compared: dense ones, and those without cells or without numbers as
/// coordinates.
fn check(context: &Context, uri: &str) -> bool {
    // There are encrypted arrays, and one that libtiledb cannot open either.
    let Ok(array) = Array::open(context, uri) else {
        return false;
    };
    let schema = array.schema().expect("schema");
    let dimension = schema.dimensions()[0].name.clone();
    if schema.is_dense() {
        return false;
    }
    let all = array.query().fields([&dimension[..]]).collect();
    let all = numbers(all.expect("cells").field(&dimension).expect("coordinates"));
    let Some(mut all) = all.filter(|all| !all.is_empty()) else {
        return false;
    };
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (middle, bound) = all[all.len() / 2].clone();
    let below = all.iter().filter(|(number, _)| *number < middle).count();
    let query = array.query().fields([&dimension[..]]);
    let selected = query.condition(field(&dimension[..]).lt(bound)).collect();
    assert_eq!(selected.expect("cells").len(), below, "{uri}");
    true
}

#[test]
fn conditions_on_dimensions_select_cells_of_every_version() {
    let Some(root) = std::env::var_os("TILEDB_RS_COMPAT_DIR") else {
        eprintln!("skipped: TILEDB_RS_COMPAT_DIR is not set");
        return;
    };
    let context = Context::new().expect("context");
    let mut checked = 0;
    for version in ["v01", "v02", "v03", "v04", "v05", "v10", "v22"] {
        let folder = fs::read_dir(Path::new(&root).join(version));
        for array in folder.into_iter().flatten().flatten() {
            let path = array.path().join("array");
            if path.is_dir() && check(&context, path.to_str().expect("text")) {
                checked += 1;
            }
        }
    }
    assert!(checked > 20, "{checked} arrays");
}
