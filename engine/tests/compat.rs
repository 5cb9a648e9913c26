//! Arrays written by historical releases: schema, fragments, timestamps and non-empty domain must
//! be reported as libtiledb 2.30 does.
//!
//! The arrays are not part of the repository. `TILEDB_RS_COMPAT_DIR` names their folder, which has
//! `<format version>/<name>/` with `array/` and `expect.json`; without it the test is skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use tiledb_engine::internal::array::{Array, Snapshot};
use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::fragment::Fragment;
use tiledb_engine::internal::schema::ArraySchema;
use tiledb_engine::internal::types::{Physical, QueryType, Range, Value as _};
use tiledb_engine::internal::vfs::Vfs;

fn arrays(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for version in fs::read_dir(root).expect("folder").flatten() {
        for array in fs::read_dir(version.path()).into_iter().flatten().flatten() {
            if array.path().join("expect.json").is_file() {
                found.push(array.path());
            }
        }
    }
    found.sort();
    found
}

fn open(vfs: &Arc<Vfs>, folder: &Path, end: u64) -> tiledb_engine::Result<Arc<Snapshot>> {
    let array = Array::new(vfs, folder.to_str().expect("text"))?;
    array.set_open_timestamp_end(end);
    array.open(QueryType::Read)?;
    array.snapshot()
}

/// Returns one end of a range in the notation of the expectations.
fn end_of(bytes: &[u8], physical: Physical, expected: &Value) -> Value {
    match (expected, physical) {
        (Value::String(_), _) => String::from_utf8_lossy(bytes).into_owned().into(),
        (_, Physical::F32) => f64::from(f32::read(bytes)).into(),
        (_, Physical::F64) => f64::read(bytes).into(),
        (_, Physical::I8) => i8::read(bytes).into(),
        (_, Physical::I16) => i16::read(bytes).into(),
        (_, Physical::I32) => i32::read(bytes).into(),
        (_, Physical::I64) => i64::read(bytes).into(),
        (_, Physical::U8) => u8::read(bytes).into(),
        (_, Physical::U16) => u16::read(bytes).into(),
        (_, Physical::U32) => u32::read(bytes).into(),
        (_, Physical::U64) => u64::read(bytes).into(),
    }
}

fn same_number(a: &Value, b: &Value) -> bool {
    a == b || a.as_f64().is_some_and(|a| Some(a) == b.as_f64())
}

fn check_domain(
    schema: &ArraySchema,
    domain: Option<&Vec<Range>>,
    expected: &Value,
    problems: &mut Vec<String>,
) {
    let (Some(domain), Some(expected)) = (domain, expected.as_array()) else {
        if domain.is_some() != expected.is_array() {
            problems.push(format!("domain {domain:?}, not {expected}"));
        }
        return;
    };
    let dimensions = schema.domain.dimensions.iter();
    for ((dimension, range), expected) in dimensions.zip(domain).zip(expected) {
        let physical = dimension.datatype.physical();
        for (end, expected) in [(range.start(), &expected[0]), (range.end(), &expected[1])] {
            let end = end_of(end, physical, expected);
            if !same_number(&end, expected) {
                problems.push(format!(
                    "domain of '{}': {end}, not {expected}",
                    dimension.name
                ));
            }
        }
    }
}

fn check_fragment(fragment: &Fragment, expected: &Value, problems: &mut Vec<String>) {
    let times = fragment.timestamps();
    let rtree = fragment.rtree().map(|rtree| rtree.leaf_num() as u64);
    let found = [
        ("version", Value::from(fragment.footer.head.version.0)),
        ("sparse", Value::from(!fragment.footer.dense)),
        ("cell_num", Value::from(fragment.cell_num())),
        (
            "has_consolidated_metadata",
            Value::from(fragment.has_consolidated_footer),
        ),
        ("timestamp_range", Value::from(vec![times.start, times.end])),
    ];
    for (case, found) in found {
        if let Some(expected) = expected.get(case)
            && found != *expected
        {
            problems.push(format!(
                "{}: {case} {found}, not {expected}",
                fragment.uri()
            ));
        }
    }
    match rtree {
        Ok(mbr_num) if !fragment.footer.dense && Some(mbr_num) != expected["mbr_num"].as_u64() => {
            problems.push(format!("{mbr_num} MBRs, not {}", expected["mbr_num"]));
        }
        Err(error) => problems.push(error.to_string()),
        _ => {}
    }
    check_domain(
        &fragment.schema,
        fragment.footer.non_empty_domain.as_ref(),
        &expected["non_empty_domain"],
        problems,
    );
}

fn check(vfs: &Arc<Vfs>, folder: &Path, expected: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    let opened = open(vfs, &folder.join("array"), u64::MAX - 1);
    let snapshot = match (opened, expected["readable"].as_bool()) {
        (Err(_), Some(false)) => return problems,
        (Err(error), _) => return vec![error.to_string()],
        (Ok(snapshot), _) => snapshot,
    };
    check_domain(
        &snapshot.schema,
        snapshot.non_empty_domain(),
        &expected["non_empty_domain"],
        &mut problems,
    );
    let list = expected["fragments"]["list"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let mut names: Vec<&str> = list.iter().filter_map(|f| f["name"].as_str()).collect();
    names.sort_unstable();
    let mut found: Vec<&str> = snapshot
        .fragments
        .iter()
        .map(|f| f.name().as_str())
        .collect();
    found.sort_unstable();
    if found != names {
        problems.push(format!("fragments {found:?}, not {names:?}"));
    }
    for fragment in &snapshot.fragments {
        let name = fragment.name().as_str();
        if let Some(expected) = list.iter().find(|entry| entry["name"] == name) {
            check_fragment(fragment, expected, &mut problems);
        }
    }
    let dimensions = expected["schema"]["dimensions"].as_array();
    if dimensions.map(Vec::len) != Some(snapshot.schema.dim_num()) {
        problems.push(format!("{} dimensions", snapshot.schema.dim_num()));
    }
    problems
}

#[test]
fn historical_arrays_open_as_expected() {
    let Some(root) = std::env::var_os("TILEDB_RS_COMPAT_DIR") else {
        eprintln!("skipped: TILEDB_RS_COMPAT_DIR is not set");
        return;
    };
    let context = Context::new(Config::new()).expect("context");
    let vfs = Vfs::new(&context).expect("vfs");
    let (mut opened, mut wrong) = (0, Vec::new());
    for folder in arrays(Path::new(&root)) {
        let text = fs::read_to_string(folder.join("expect.json")).expect("expectations");
        let expected: Value = serde_json::from_str(&text).expect("JSON");
        if expected["kind"] != "array" || !expected["encryption"].is_null() {
            continue;
        }
        opened += 1;
        let problems = check(&vfs, &folder, &expected);
        wrong.extend(
            problems
                .iter()
                .map(|problem| format!("{}: {problem}", folder.display())),
        );
    }
    eprintln!("{opened} arrays opened");
    assert!(opened > 0, "no array in {}", root.display());
    assert!(
        wrong.is_empty(),
        "{} problems:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
