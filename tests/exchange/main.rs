//! Arrays and groups on object stores that this library and libtiledb write in turn and both read.
//!
//! `TILEDB_UPSTREAM_LIB` names libtiledb's shared library; without it the tests are skipped, as
//! they are for services whose server cannot be installed. `TILEDB_RS_LIBRARY` selects another
//! library to test.
#![cfg(target_os = "linux")]
#![expect(clippy::print_stdout, reason = "a test that skips says so")]

#[path = "../arrays/mod.rs"]
mod arrays;
#[path = "../upstream/library.rs"]
mod library;
#[path = "../shared_library/mod.rs"]
mod shared_library;

use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use arrays::maintenance::{MODES, consolidate, consolidate_group, vacuum};
use arrays::metadata::{change_array, change_group, change_members};
use arrays::schema::{self, Shape, WIDE_DENSE, WIDE_SPARSE};
use arrays::write::{Cells, delete_below};
use arrays::{c_path, state, text};
use library::Library;

/// The exit code of `tests/object-stores/serve` if the server cannot be installed.
const SKIPPED: i32 = 77;

#[test]
fn both_libraries_read_what_either_writes_to_s3() {
    exchange_on("s3");
}

#[test]
fn both_libraries_read_what_either_writes_to_azure() {
    exchange_on("azure");
}

#[test]
fn both_libraries_read_what_either_writes_to_azure_with_directories() {
    exchange_on("data-lake");
}

#[test]
fn both_libraries_read_what_either_writes_to_gcs() {
    exchange_on("gcs");
}

/// Runs this program again with a server.
fn exchange_on(kind: &str) {
    if upstream().is_none() {
        println!("skipped: TILEDB_UPSTREAM_LIB names no libtiledb");
        return;
    }
    let serve = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/object-stores/serve");
    let ran = Command::new(serve)
        .arg(kind)
        .arg(std::env::current_exe().expect("this program"))
        .args(["--exact", "exchanges_on_an_object_store", "--nocapture"])
        // The emulator cannot compose objects from those that libtiledb uploads.
        .env("TILEDB_VFS_GCS_USE_MULTI_PART_UPLOAD", "false")
        .stdin(Stdio::null())
        .status();
    match ran.expect("a program").code() {
        Some(SKIPPED) => println!("skipped: the server is not available"),
        code => assert_eq!(code, Some(0)),
    }
}

#[test]
fn exchanges_on_an_object_store() {
    let (Ok(bucket), Some(theirs)) = (std::env::var("OBJECT_STORE_URI"), upstream()) else {
        return;
    };
    let ours = std::env::var_os("TILEDB_RS_LIBRARY");
    let ours = ours.map_or_else(shared_library::path, PathBuf::from);
    let ours = Library::open(&ours, "this library", None);
    let theirs = Library::open(&theirs, "libtiledb", None);
    for (name, [one, other]) in [("ours", [&ours, &theirs]), ("theirs", [&theirs, &ours])] {
        let exchange = Exchange {
            folder: Path::new(&bucket).join(format!("exchange-{name}")),
            one,
            other,
        };
        exchange.exchange_array("dense", WIDE_DENSE);
        exchange.exchange_array("sparse", WIDE_SPARSE);
        exchange.exchange_group("group");
    }
}

fn upstream() -> Option<PathBuf> {
    let path = std::env::var_os("TILEDB_UPSTREAM_LIB").filter(|path| !path.is_empty());
    path.map(PathBuf::from)
}

/// A folder of a bucket, and the libraries in the order in which they write.
struct Exchange<'a> {
    folder: PathBuf,
    one: &'a Library,
    other: &'a Library,
}

impl Exchange<'_> {
    fn uri(&self, name: &str) -> CString {
        c_path(&self.folder.join(name))
    }

    /// Checks that both libraries read the same. Returns what they read.
    fn check(&self, name: &str, step: &str) -> String {
        let [one, other] = [self.one, self.other].map(|library| {
            let sections = state::object(library, &self.folder, name);
            sections
                .into_iter()
                .map(|(_, text)| text)
                .collect::<String>()
        });
        assert!(!one.contains("error"), "{name} after {step}: {one}");
        assert_eq!(one, other, "{name} after {step}");
        one
    }

    /// Creates an array with one library, and writes, consolidates and vacuums it with both.
    fn exchange_array(&self, name: &str, shape: Shape) {
        let uri = self.uri(name);
        schema::create(self.one, &uri, shape).expect("creates");
        let write = |library: &Library, first: i64, salt: i64| {
            let cells = Cells::new(shape, first..first + 12, salt).at(salt as u64);
            cells.write(library, &uri).expect("writes");
        };
        write(self.one, 0, 1);
        write(self.one, 8, 2);
        let changes = [(c"of-one", Some(7)), (c"of-both", Some(8))];
        change_array(self.one, &uri, &changes, Some(3)).expect("metadata");
        let written = self.check(name, "the writes of one library");
        write(self.other, 4, 4);
        change_array(self.other, &uri, &[(c"of-both", Some(9))], Some(5)).expect("metadata");
        let both = self.check(name, "a write of the other library");
        assert_ne!(both, written);
        for (mode, library) in MODES.iter().zip([self.other, self.one].iter().cycle()) {
            consolidate(library, &uri, mode, &[]).expect("consolidates");
            assert_eq!(self.check(name, &format!("consolidation of {mode}")), both);
            vacuum(library, &uri, mode, &[]).expect("vacuums");
            assert_eq!(self.check(name, &format!("vacuum of {mode}")), both);
        }
        write(self.one, 16, 6);
        let more = self.check(name, "a write after the vacuum");
        assert_ne!(more, both);
        if shape.sparse {
            delete_below(self.other, &uri, 4010, Some(7)).expect("deletes");
            assert_ne!(self.check(name, "a delete"), more);
        }
        consolidate(self.one, &uri, "fragments", &[]).expect("consolidates");
        self.check(name, "a second consolidation");
    }

    /// Creates a group with one library, and changes it with both.
    fn exchange_group(&self, name: &str) {
        let uri = self.uri(name);
        self.one
            .attempt("group_create", &[text(&uri)])
            .expect("creates");
        for member in [c"m1", c"m2"] {
            let path = self.folder.join(name).join(member.to_str().expect("UTF-8"));
            schema::create(self.one, &c_path(&path), WIDE_DENSE).expect("creates");
        }
        change_members(self.one, &uri, &[c"m1"], &[]).expect("adds a member");
        change_group(self.one, &uri, &[(c"key", Some(1))]).expect("metadata");
        assert!(self.check(name, "the creation").contains("m1"));
        change_members(self.other, &uri, &[c"m2"], &[]).expect("adds a member");
        change_group(self.other, &uri, &[(c"key", Some(2))]).expect("metadata");
        let both = self.check(name, "changes of the other library");
        assert!(both.contains("m1") && both.contains("m2"), "{both}");
        consolidate_group(self.other, &uri).expect("consolidates");
        assert_eq!(self.check(name, "a consolidation"), both);
        change_members(self.one, &uri, &[], &[c"m2"]).expect("removes a member");
        assert!(!self.check(name, "a removal").contains("m2"));
    }
}
