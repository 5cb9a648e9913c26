//! Whole arrays: small arrays of every kind are written once to memory. An input damages their
//! files; everything is read afterwards, in several layouts, with conditions and aggregates.

mod damage;
mod definitions;
#[path = "../../engine/tests/damage/plain.rs"]
mod plain;
mod reading;
#[path = "../../engine/tests/setup/mod.rs"]
mod setup;

use std::sync::{Arc, OnceLock};

use tiledb_engine::internal::vfs::{EntryKind, Uri, Vfs};

use setup::TestArray;

pub use damage::{array_files, array_patches};

/// Files in memory that contain an array.
struct Files {
    test_array: TestArray,
}

/// The files of an array: paths relative to its folder, with their contents. Folders have none.
type Content = Vec<(String, Option<Vec<u8>>)>;

impl Files {
    /// Creates an empty folder in a new storage. The budget bounds the tiles of a read; one thread
    /// makes runs repeatable.
    fn new() -> Self {
        let vfs = setup::vfs(&[
            ("sm.compute_concurrency_level", "1"),
            ("sm.io_concurrency_level", "1"),
            ("sm.mem.total_budget", "134217728"),
        ]);
        let test_array = TestArray::new(&vfs, "mem://fuzzed");
        Self { test_array }
    }

    /// Returns the path and URI of each file.
    fn list(&self) -> Vec<(String, Uri)> {
        let files = self.entries().into_iter();
        let files = files.filter(|(_, _, kind)| *kind != EntryKind::Directory);
        files.map(|(path, uri, _)| (path, uri)).collect()
    }

    /// Returns the path, URI and kind of everything below the folder, parents first.
    fn entries(&self) -> Vec<(String, Uri, EntryKind)> {
        fn walk(vfs: &Vfs, folder: &Uri, path: &str, found: &mut Vec<(String, Uri, EntryKind)>) {
            for entry in vfs.list(folder).expect("listing") {
                let (path, uri) = (format!("{path}{}", entry.name), folder.join(&entry.name));
                found.push((path.clone(), uri.clone(), entry.kind));
                if entry.kind == EntryKind::Directory {
                    walk(vfs, &uri, &format!("{path}/"), found);
                }
            }
        }
        let mut found = Vec::new();
        walk(&self.test_array.vfs, &self.test_array.uri, "", &mut found);
        found
    }

    fn content(&self) -> Content {
        let entries = self.entries().into_iter();
        let content = entries.map(|(path, uri, kind)| {
            let bytes = (kind != EntryKind::Directory)
                .then(|| self.test_array.vfs.read_all(&uri).expect("a file"));
            (path, bytes)
        });
        content.collect()
    }

    /// Stores files in a new storage. `None` leaves out a file.
    fn of<'a>(content: impl Iterator<Item = (&'a str, Option<&'a [u8]>)>) -> Self {
        let files = Self::new();
        let TestArray { vfs, uri } = &files.test_array;
        vfs.create_dir(uri).expect("a folder");
        for (path, bytes) in content {
            match bytes {
                Some(bytes) => vfs.write_all(&uri.join(path), bytes).expect("a file"),
                None => vfs.create_dir(&uri.join(path)).expect("a folder"),
            }
        }
        files
    }
}

/// Returns the arrays, each as written and with uncompressed records.
pub fn originals() -> &'static [Arc<Content>] {
    static ORIGINALS: OnceLock<Vec<Arc<Content>>> = OnceLock::new();
    ORIGINALS.get_or_init(|| {
        let mut originals = Vec::new();
        for write in definitions::WRITERS {
            let files = Files::new();
            write(&files.test_array);
            originals.push(Arc::new(files.content()));
            files.uncompress();
            originals.push(Arc::new(files.content()));
        }
        originals
    })
}
