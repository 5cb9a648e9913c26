//! Dense arrays between this library and libtiledb: what one writes, both read alike, cell by cell and attribute by
//! attribute, and the files have the same bytes.
//!
//! Runs where `TILEDB_UPSTREAM_LIB` names libtiledb's shared library and says so where it does not.
//! `TILEDB_RS_CASES` sets how many random schemas (default 300); a failure names its seed, `TILEDB_RS_SEED` runs it alone.

mod attribute;
mod filters;
mod library;
mod random;
mod read;
#[path = "../shared_library/mod.rs"]
mod shared_library;
mod spec;

use std::ffi::{CStr, CString};
use std::fs;
use std::path::{Path, PathBuf};

use attribute::Column;
use library::Library;
use random::Random;
use read::Read;
use spec::Spec;

/// The file that is the last of a fragment.
const METADATA: &str = "__fragment_metadata.tdb";

/// The files of an array's fragments, oldest first: name and bytes, those of the schema's random name blanked.
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
            let named = bytes.windows(schema.len()).position(|at| at == schema);
            if let Some(at) = named.filter(|_| name == METADATA) {
                bytes[at..at + schema.len()].fill(b'_');
            }
            files.push((name, bytes));
        }
    }
    files
}

/// Answers whether there was something to read: what one library refuses to write the other must refuse too.
fn compare(ours: &Library, theirs: &Library, seed: u64, folder: &Path) -> bool {
    let mut spec = Spec::random(seed);
    spec.settle(ours, theirs);
    let paths = [folder.join("ours"), folder.join("theirs")];
    let mut refusals = Vec::new();
    for (library, path) in [ours, theirs].into_iter().zip(&paths) {
        // Where a write fails, libtiledb may go on with its other attributes in memory that is gone.
        if refusals.iter().any(|refused: &Vec<_>| !refused.is_empty()) && spec.attributes.len() > 1
        {
            return false;
        }
        let mut refused = Vec::new();
        let uri = CString::new(path.to_str().expect("path")).expect("path");
        spec.create(library, &uri);
        for (at, write) in spec.writes.iter().enumerate() {
            assert!(write.cells > 0);
            let written = spec.write(library, &uri, write);
            if let Err(error) = &written {
                refused.push((at, error.clone()));
                break;
            }
            // Fragments of one millisecond have no order between them in libtiledb.
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        if refused.is_empty() {
            compare_reads(&spec, ours, theirs, &uri, seed);
        }
        refusals.push(refused);
    }
    let which = |at: usize| refusals[at].first().map(|(write, _)| *write);
    assert_eq!(
        which(0),
        which(1),
        "who refuses {refusals:?} of {:?}",
        spec.attributes
    );
    if which(0).is_some() {
        return false;
    }
    // The vectors of an encryption are random.
    if is_encrypted(seed) || !spec.is_repeatable() {
        return true;
    }
    let (ours, theirs) = (files(&paths[0]), files(&paths[1]));
    assert_eq!(ours.len(), theirs.len(), "the files differ in number");
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours.0, theirs.0);
        if ours.0 == METADATA && !spec.has_same_statistics() {
            continue;
        }
        assert!(
            ours.1 == theirs.1,
            "the bytes of {} differ: {} and {}",
            ours.0,
            ours.1.len(),
            theirs.1.len()
        );
    }
    true
}

/// Whether the array of a seed has a key.
fn is_encrypted(seed: u64) -> bool {
    seed.is_multiple_of(8)
}

const KEY: &CStr = c"0123456789abcdeF0123456789abcdeF";

/// Reads an array with both libraries: all of it in each layout, and random parts, which ours also gives in pieces.
fn compare_reads(spec: &Spec, ours: &Library, theirs: &Library, uri: &CStr, seed: u64) {
    let mut random = Random(!seed);
    for layout in [0, 1, 2] {
        let read = Read::whole(spec, layout);
        let whole = read.run(spec, ours, uri, read.cells());
        check(&read, &whole, &read.run(spec, theirs, uri, plenty(&read)));
    }
    let dimensions = read::dimensions(spec);
    for _ in 0..2 {
        let read = Read::random(spec, &dimensions, &mut random);
        let whole = read.run(spec, ours, uri, read.cells());
        check(&read, &whole, &read.run(spec, theirs, uri, plenty(&read)));
        let room = 1 + random.below(read.cells() as u64) as usize;
        check(&read, &whole, &read.run(spec, ours, uri, room));
    }
}

/// Room for more cells than a read has: where libtiledb thinks that buffers may be short, it gives several ranges in parts
/// that are not in order.
fn plenty(read: &Read) -> usize {
    4 * read.cells()
}

/// Two answers to a read are the same.
#[track_caller]
fn check(read: &Read, one: &[Column], other: &[Column]) {
    for (field, (one, other)) in one.iter().zip(other).enumerate() {
        let data = one.data.iter().zip(&other.data).position(|(a, b)| a != b);
        let offsets = one
            .offsets
            .iter()
            .zip(&other.offsets)
            .position(|(a, b)| a != b);
        let validity = one
            .validity
            .iter()
            .zip(&other.validity)
            .position(|(a, b)| a != b);
        assert!(
            one == other,
            "field {field} differs at byte {data:?}, offset {offsets:?}, validity {validity:?}: {} and {} bytes, {} and {} offsets of {read:?}",
            one.data.len(),
            other.data.len(),
            one.offsets.len(),
            other.offsets.len(),
        );
    }
}

#[test]
fn arrays_of_either_library_read_the_same_in_both() {
    let Some(upstream) = std::env::var_os("TILEDB_UPSTREAM_LIB").filter(|path| !path.is_empty())
    else {
        println!("skipped: TILEDB_UPSTREAM_LIB names no libtiledb");
        return;
    };
    let open = |key| {
        let ours = Library::open(&shared_library::path(), "tiledb_rs", key);
        (ours, Library::open(Path::new(&upstream), "libtiledb", key))
    };
    let (plain, encrypting) = (open(None), open(Some(KEY)));
    let mut read = 0;
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let (first, cases) = match number("TILEDB_RS_SEED") {
        Some(seed) => (seed, 1),
        None => (1, number("TILEDB_RS_CASES").unwrap_or(300)),
    };
    let root = std::env::temp_dir().join(format!("tiledb-rs-upstream-{}", std::process::id()));
    for seed in first..first + cases {
        let folder = root.join(seed.to_string());
        fs::create_dir_all(&folder).expect("folder");
        let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let (ours, theirs) = if is_encrypted(seed) {
                &encrypting
            } else {
                &plain
            };
            compare(ours, theirs, seed, &folder)
        }));
        read += u64::from(run.as_ref().is_ok_and(|read| *read));
        assert!(
            run.is_ok(),
            "the case of seed {seed} failed; see {}; attributes {:#?}",
            folder.display(),
            Spec::random(seed).attributes
        );
        fs::remove_dir_all(&folder).expect("remove");
    }
    fs::remove_dir_all(&root).expect("remove");
    assert!(cases < 10 || read > cases / 2, "most cases are refused");
    println!(
        "{cases} random dense arrays agree, {read} of them written and read, seeds from {first}"
    );
}
