//! A check of an array while a vacuum removes files: nothing is damaged, so nothing is reported.

use std::fs;
use std::path::PathBuf;

use tiledb_engine::internal::config::Config;
use tiledb_engine::{
    Array, ArrayType, Context, Datatype, Finding, MaintenanceMode, Schema, Severity,
};

fn context() -> Context {
    let mut config = Config::new();
    config.set("sm.vacuum.min_age_ms", "0").expect("parameter");
    Context::with_config(config).expect("context")
}

/// Writes three fragments of several fields.
fn write(context: &Context, uri: &str) {
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("x", Datatype::Int32, 0..=99, 10)
        .attribute("number", Datatype::Int64)
        .attribute("text", Datatype::StringAscii)
        .build()
        .expect("schema");
    Array::create(context, uri, &schema).expect("create");
    for first in [0, 20, 40] {
        let array = Array::open(context, uri).expect("open");
        let cells = first..first + 20;
        let write = array.write().column("x", cells.clone());
        write
            .column("number", cells.clone().map(i64::from))
            .column("text", cells.map(|x| "t".repeat((x % 4) as usize)))
            .submit()
            .expect("write");
    }
}

/// Checks an array and calls `meanwhile` at the first finding.
fn check(context: &Context, uri: &str, mut meanwhile: impl FnMut()) -> Vec<Finding> {
    let mut found = Vec::new();
    let checked = context.check(uri, |finding| {
        if found.is_empty() {
            meanwhile();
        }
        found.push(finding.clone());
        Ok(())
    });
    checked.expect("checked");
    found
}

#[test]
fn files_that_a_vacuum_removes_during_a_check_are_not_reported() {
    use MaintenanceMode::{Commits, FragmentMetadata, Fragments};
    // With consolidated commits, vacuum of commits comes first: only a consolidated file commits
    // the fragments when they are removed.
    for modes in [
        &[Fragments, FragmentMetadata][..],
        &[Fragments, FragmentMetadata, Commits],
    ] {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("array");
        let uri = path.to_str().expect("text");
        let context = context();
        write(&context, uri);
        let array = Array::open(&context, uri).expect("open");
        for mode in modes {
            array.consolidate(*mode).expect("consolidate");
        }
        let entries = fs::read_dir(path.join("__fragments")).expect("folder");
        let entries = entries.map(|entry| entry.expect("entry").path());
        let mut fragments: Vec<PathBuf> = entries.collect();
        fragments.sort();
        // This note is reported when one fragment has been checked and the others are open. Vacuum
        // removes the last one.
        fs::write(fragments[0].join("note"), b"x").expect("write");
        let found = check(&context, uri, || {
            for mode in modes.iter().rev() {
                array.vacuum(*mode).expect("vacuum");
            }
        });
        let last = fragments.last().expect("a fragment");
        assert!(!last.exists(), "the vacuum removed no fragment");
        let is_note = |finding: &Finding| finding.severity == Severity::Note;
        assert!(found.iter().all(is_note), "{modes:?}: {found:#?}");
        assert_eq!(check(&context, uri, || ()), []);
    }
}

#[test]
fn a_missing_file_of_a_fragment_that_a_consolidated_file_commits_is_reported() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("array");
    let uri = path.to_str().expect("text");
    let context = context();
    write(&context, uri);
    let array = Array::open(&context, uri).expect("open");
    let mode = MaintenanceMode::Commits;
    array.consolidate(mode).expect("consolidate");
    array.vacuum(mode).expect("vacuum");
    let mut fragments = fs::read_dir(path.join("__fragments")).expect("folder");
    let fragment = fragments.next().expect("a fragment").expect("entry");
    fs::remove_file(fragment.path().join("a0.tdb")).expect("remove");
    let found = check(&context, uri, || ());
    let is_missing = |finding: &Finding| {
        finding.severity == Severity::Error
            && finding.uri.ends_with("a0.tdb")
            && finding.problem == "the file does not exist"
    };
    assert!(found.iter().any(is_missing), "{found:#?}");
}
