//! The list of unimplemented functions matches the sources. With `TILEDB_RS_BLESS` set it is
//! rewritten.

mod sources;

use sources::Entry;
use tiledb_rs::unimplemented::NAMES;

/// Returns whether an entry ignores its arguments or reports that it is not implemented.
fn is_missing(entry: &Entry) -> bool {
    let body = &entry.text;
    [
        "entry::not_implemented",
        "let _ = (",
        "unsafe { 0 }",
        "unsafe { std::ptr::null() }",
    ]
    .iter()
    .any(|sign| body.contains(sign))
}

#[test]
fn the_list_of_unimplemented_functions_matches_the_sources() {
    let mut missing: Vec<String> = sources::entries()
        .iter()
        .filter(|entry| is_missing(entry))
        .map(|entry| entry.name.clone())
        .collect();
    missing.sort();
    println!("{} functions are not implemented yet:", missing.len());
    for name in &missing {
        println!("  {name}");
    }
    if std::env::var_os("TILEDB_RS_BLESS").is_some() {
        return rewrite(&missing);
    }
    let works: Vec<_> = NAMES
        .iter()
        .filter(|name| !missing.iter().any(|it| it == *name))
        .collect();
    let absent: Vec<_> = missing
        .iter()
        .filter(|name| !NAMES.contains(&name.as_str()))
        .collect();
    assert!(
        works.is_empty() && absent.is_empty(),
        "src/unimplemented.rs: delete {works:#?}\nand add {absent:#?}"
    );
}

/// Writes `names` into the list in src/unimplemented.rs.
fn rewrite(names: &[String]) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/unimplemented.rs");
    let text = std::fs::read_to_string(path).expect("a readable source");
    let (head, _) = text.split_once("pub const").expect("the list");
    let rows: String = names
        .iter()
        .map(|name| format!("    \"{name}\",\n"))
        .collect();
    let text = format!("{head}pub const NAMES: &[&str] = &[\n{rows}];\n");
    std::fs::write(path, text).expect("a writable source");
}

#[test]
fn the_list_is_sorted_and_has_no_duplicates() {
    assert!(NAMES.windows(2).all(|pair| pair[0] < pair[1]));
}
