//! The files of arrays.

use std::fs;
use std::path::{Path, PathBuf};

/// The file that is written last in a fragment.
pub(crate) const METADATA: &str = "__fragment_metadata.tdb";

/// Returns the files of an array's fragments, oldest first: name and bytes, with the random name of
/// the schema blanked.
fn files(array: &Path) -> Vec<(String, Vec<u8>)> {
    let folders = |path: &Path| -> Vec<PathBuf> {
        let mut found: Vec<_> = fs::read_dir(path)
            .expect("folder")
            .map(|entry| entry.expect("entry").path())
            .collect();
        found.sort();
        found
    };
    let mut files = Vec::new();
    let schema = folders(&array.join("__schema"))
        .into_iter()
        .find(|path| path.is_file())
        .expect("a schema");
    let schema = schema.file_name().expect("name").as_encoded_bytes();
    for fragment in folders(&array.join("__fragments")) {
        for file in folders(&fragment) {
            let name = file
                .file_name()
                .expect("name")
                .to_string_lossy()
                .into_owned();
            let mut bytes = fs::read(&file).expect("file");
            let named = bytes
                .windows(schema.len())
                .position(|window| window == schema);
            if let Some(start) = named.filter(|_| name == METADATA) {
                bytes[start..start + schema.len()].fill(b'_');
            }
            files.push((name, bytes));
        }
    }
    files
}

/// Checks that the fragments of two arrays have equal bytes, except for files that `counts`
/// excludes.
pub(crate) fn compare_files(ours: &Path, theirs: &Path, counts: impl Fn(&str) -> bool) {
    let (ours, theirs) = (files(ours), files(theirs));
    assert_eq!(ours.len(), theirs.len(), "the files differ in number");
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours.0, theirs.0);
        assert!(
            !counts(&ours.0) || ours.1 == theirs.1,
            "the bytes of {} differ: {} and {}",
            ours.0,
            ours.1.len(),
            theirs.1.len()
        );
    }
}
