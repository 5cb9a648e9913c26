//! Checks of damaged arrays of old format versions, which `TILEDB_RS_COMPAT_DIR` contains.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tiledb_engine::{Context, Finding, Severity};

/// A copy of an array, or `None` if there are no arrays of old versions.
struct Copied {
    _folder: TempDir,
    path: PathBuf,
}

impl Copied {
    fn new(name: &str) -> Option<Self> {
        let root = std::env::var_os("TILEDB_RS_COMPAT_DIR")?;
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("array");
        copy(&Path::new(&root).join(name).join("array"), &path);
        Some(Self {
            _folder: folder,
            path,
        })
    }

    /// Returns the entries of the array that satisfy a condition, in order.
    fn entries(&self, is_wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.path).expect("folder").flatten();
        let paths = entries.map(|entry| entry.path());
        let mut paths: Vec<PathBuf> = paths.filter(|path| is_wanted(path)).collect();
        paths.sort();
        paths
    }

    fn findings(&self) -> Vec<Finding> {
        let context = Context::new().expect("context");
        let mut found = Vec::new();
        let uri = self.path.to_str().expect("text");
        let checked = context.check(uri, |finding| {
            found.push(finding.clone());
            Ok(())
        });
        checked.expect("checked");
        found
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).expect("folder");
    for entry in fs::read_dir(from).expect("folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("copy");
        }
    }
}

/// Inverts a byte of a file.
fn damage(file: &Path, position: usize) {
    let mut bytes = fs::read(file).expect("file");
    bytes[position] ^= 0xff;
    fs::write(file, bytes).expect("file");
}

fn severities(found: &[Finding]) -> Vec<Severity> {
    found.iter().map(|finding| finding.severity).collect()
}

/// Before format 12 these files are in the folder of the array.
#[test]
fn damaged_consolidated_footers_of_old_versions_are_found() {
    let Some(copied) = Copied::new("v05/fragment_metadata_consolidated") else {
        eprintln!("skipped: TILEDB_RS_COMPAT_DIR is not set");
        return;
    };
    assert_eq!(copied.findings(), []);
    let files = copied.entries(|path| path.extension().is_some_and(|end| end == "meta"));
    damage(&files[0], 31);
    let found = copied.findings();
    assert_eq!(severities(&found), [Severity::Error], "{found:?}");
    assert!(found[0].uri.ends_with(".meta"), "{found:?}");
}

/// In a sparse fragment of a dense array, such coordinates make reads fail.
#[test]
fn joint_coordinates_outside_of_their_rectangle_are_found() {
    let Some(copied) = Copied::new("v02/dense_sparsefrag") else {
        eprintln!("skipped: TILEDB_RS_COMPAT_DIR is not set");
        return;
    };
    assert_eq!(copied.findings(), []);
    let sparse = copied.entries(|path| path.join("__coords.tdb").exists());
    let coordinates = sparse[0].join("__coords.tdb");
    let size = fs::metadata(&coordinates).expect("file").len() as usize;
    let outside = (0..size).rev().find_map(|position| {
        damage(&coordinates, position);
        let found = copied.findings();
        damage(&coordinates, position);
        let is_outside = |finding: &Finding| finding.problem.contains("the MBR of tile");
        found.iter().any(is_outside).then_some(found)
    });
    let found = outside.expect("bytes of coordinates are stored without a change");
    assert_eq!(severities(&found), [Severity::Error], "{found:?}");
}

/// Before format 5 the metadata of a fragment is what commits it.
#[test]
fn fragments_of_old_versions_without_metadata_are_noted() {
    let Some(copied) = Copied::new("v02/dense_sparsefrag") else {
        eprintln!("skipped: TILEDB_RS_COMPAT_DIR is not set");
        return;
    };
    let metadata = |path: &Path| path.join("__fragment_metadata.tdb");
    let is_dense = |path: &Path| metadata(path).exists() && !path.join("__coords.tdb").exists();
    fs::remove_file(metadata(&copied.entries(is_dense)[0])).expect("remove");
    let found = copied.findings();
    assert_eq!(severities(&found), [Severity::Note], "{found:?}");
}
