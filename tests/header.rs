//! The committed header is up to date and complete, and its declarations match libtiledb's header.
#![expect(clippy::print_stdout, reason = "a test that skips says so")]

mod prototypes;

use prototypes::{functions, header, types_of};
use std::path::PathBuf;

#[test]
fn the_committed_header_is_up_to_date() {
    let made = std::fs::read_to_string(env!("TILEDB_RS_HEADER")).expect("build.rs made it");
    assert!(
        made == header("tiledb_rs.h"),
        "include/tiledb_rs.h is stale: build once and commit it"
    );
}

#[test]
fn the_header_has_all_functions_and_objects() {
    assert_eq!(functions(&header("tiledb_rs.h")).len(), 566);
    assert_eq!(prototypes::variables(&header("tiledb_rs_enums.h")).len(), 6);
}

#[test]
fn the_version_header_has_the_version_of_the_constants_as_text() {
    // Build systems match the lines of `tiledb/tiledb_version.h` and do not follow includes.
    let definitions = |name: &str| -> Vec<String> {
        let text = header(name);
        let lines = text.lines();
        let lines = lines.filter(|line| line.starts_with("#define TILEDB_VERSION_"));
        lines.map(str::to_owned).collect()
    };
    let version = definitions("tiledb/tiledb_version.h");
    assert_eq!(version, definitions("tiledb_rs_enums.h"));
    let names = ["MAJOR", "MINOR", "PATCH"].map(|part| format!("#define TILEDB_VERSION_{part} "));
    assert_eq!(version.len(), names.len());
    for (line, name) in version.iter().zip(&names) {
        let number = line
            .strip_prefix(name.as_str())
            .expect("the parts in order");
        assert!(number.parse::<u32>().is_ok(), "{line}");
    }
}

/// Returns a table of the interface, if the environment names its folder.
fn table(name: &str) -> Option<Vec<Vec<String>>> {
    let Some(folder) = std::env::var_os("TILEDB_RS_ABI_DIR") else {
        println!("skipped: TILEDB_RS_ABI_DIR is not set");
        return None;
    };
    let text = std::fs::read_to_string(PathBuf::from(folder).join(name)).expect("a table");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    Some(
        rows.map(|row| row.split('\t').map(str::to_owned).collect())
            .collect(),
    )
}

#[test]
fn every_prototype_has_the_types_of_libtiledb() {
    let Some(rows) = table("functions.tsv") else {
        return;
    };
    let ours = functions(&header("tiledb_rs.h"));
    let mut wrong = Vec::new();
    for row in &rows {
        let theirs = types_of(&row[5]);
        match ours.get(&row[0]).map(|prototype| types_of(prototype)) {
            Some(found) if found == theirs => {}
            found => wrong.push(format!("{}: {theirs}\n  but {found:?}", row[0])),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_constant_and_macro_has_the_value_of_libtiledb() {
    let text = header("tiledb_rs_enums.h");
    if let Some(rows) = table("enums.tsv") {
        let expected = rows.iter().map(|row| format!("  {} = {}", row[0], row[2]));
        let lines: Vec<&str> = text
            .lines()
            .map(|line| line.trim_end_matches(','))
            .collect();
        let absent: Vec<_> = expected
            .filter(|line| !lines.contains(&line.as_str()))
            .collect();
        assert!(absent.is_empty(), "{absent:#?}");
    }
    if let Some(rows) = table("constants.tsv") {
        let defined = |row: &Vec<String>| {
            [row[1].clone(), format!("({})", row[1])]
                .iter()
                .any(|value| text.contains(&format!("#define {} {value}\n", row[0])))
        };
        let absent: Vec<_> = rows.iter().filter(|row| !defined(row)).collect();
        assert!(absent.is_empty(), "{absent:#?}");
    }
}

#[test]
fn every_type_has_the_tag_of_libtiledb() {
    let Some(rows) = table("types.tsv") else {
        return;
    };
    let both = header("tiledb_rs.h") + &header("tiledb_rs_enums.h");
    let declared = prototypes::declarations(&both);
    let has = |name: &str, tag: &str| {
        let is_its_own = format!("typedef {tag} {name}");
        declared.contains(&is_its_own)
            || both.contains(&format!("typedef {tag} {{")) && both.contains(&format!("}} {name};"))
    };
    let is_callback = |row: &&Vec<String>| row[1].contains('(');
    let absent: Vec<_> = rows
        .iter()
        .filter(|row| !is_callback(row) && !has(&row[0], &row[1]))
        .collect();
    assert!(absent.is_empty(), "{absent:#?}");
}

#[test]
fn deprecated_members_of_the_cpp_api_have_the_attribute() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("include/tiledb");
    let files = std::fs::read_dir(folder).expect("a folder").flatten();
    let texts: Vec<String> = files
        .filter_map(|file| std::fs::read_to_string(file.path()).ok())
        .collect();
    let attribute = "#define TILEDB_CPP_DEPRECATED(replacement) [[deprecated(replacement)]]";
    assert!(texts.iter().any(|text| text.contains(attribute)));
    let count = |start: &str| {
        let lines = texts.iter().flat_map(|text| text.lines());
        lines
            .filter(|line| line.trim_start().starts_with(start))
            .count()
    };
    assert_eq!(count("TILEDB_CPP_DEPRECATED("), 3);
    assert_eq!(count("* @deprecated"), 3);
}
