//! The states of an array, what an opening sees of arrays on disk, and how an array is made and
//! removed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Array, DimensionKey, RangeRequest, create, encryption_type, load_schema};
use crate::config::Config;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::fragment::FragmentWriter;
use crate::schema::ArraySchema;
use crate::types::{EncryptionType, QueryType, Range};
use crate::vfs::{Uri, Vfs};

const ANY_UUID: &str = "00000000000000000000000000000000";

fn vfs() -> Arc<Vfs> {
    Vfs::new(&Context::new(Config::new()).expect("context")).expect("vfs")
}

pub(super) fn text<T>(answer: Result<T>) -> String {
    answer
        .err()
        .map(|error| error.to_string())
        .unwrap_or_default()
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("folder");
    for entry in fs::read_dir(from).expect("folder").flatten() {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &to)
        } else {
            fs::copy(entry.path(), to).expect("copy");
        }
    }
}

/// A copy of a golden array that a test may change.
pub(super) struct Copy {
    folder: tempfile::TempDir,
    pub(super) vfs: Arc<Vfs>,
}

impl Copy {
    pub(super) fn of(array: &str) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = tempfile::tempdir().expect("folder");
        copy_folder(&root.join("tests/golden").join(array), folder.path());
        Self { folder, vfs: vfs() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn uri(&self) -> Uri {
        Uri::parse(self.folder.path().to_str().expect("text")).expect("uri")
    }

    fn array(&self) -> Array {
        Array::new(&self.vfs, self.uri().as_str()).expect("array")
    }

    fn opened(&self, end: u64) -> Array {
        let array = self.array();
        array.set_open_timestamp_end(end);
        array.open(QueryType::Read).expect("open");
        array
    }

    fn fragment_num(&self) -> usize {
        self.opened(u64::MAX - 1)
            .snapshot()
            .expect("snapshot")
            .fragments
            .len()
    }

    /// Returns the only name in a folder that has an entry.
    fn name_in(&self, folder: &str) -> String {
        let mut entries = fs::read_dir(self.path(folder)).expect("folder").flatten();
        let name = entries.next().expect("entry").file_name();
        name.into_string().expect("text")
    }

    fn commit(&self) -> String {
        self.name_in("__commits")
    }
}

#[test]
fn state_errors_have_the_wording_of_libtiledb() {
    let copy = Copy::of("dense");
    let array = copy.array();
    assert!(!array.is_open());
    assert_eq!(array.open_timestamp_end(), u64::MAX);
    assert_eq!(text(array.schema()), "A closed array has no schema");
    assert_eq!(text(array.reopen()), "A closed array cannot be reopened");
    assert_eq!(
        text(array.non_empty_domain()),
        "The array is not open, so it has no non-empty domain"
    );
    array.close().expect("closing a closed array");
    array.open(QueryType::Read).expect("open");
    assert_eq!(
        text(array.open(QueryType::Read)),
        "The array is open already"
    );
    assert_eq!(
        text(array.set_config(&Config::new())),
        "The configuration of an open array cannot change"
    );
    array.close().expect("close");
    assert_eq!(
        text(array.open_listed(None, None)),
        "The array cannot be opened for this type of query"
    );
    assert_eq!(
        text(array.open(QueryType::Update)),
        "Updates are experimental; 'sm.allow_updates_experimental' is not set"
    );
    array.open(QueryType::Write).expect("open for writing");
    assert_eq!(array.query_type(), QueryType::Write);
    assert_eq!(array.open_timestamp_end(), 0);
    assert_eq!(
        text(array.reopen()),
        "An array that is not open for reading cannot be reopened"
    );
    assert_eq!(
        text(array.non_empty_domain()),
        "The array is not open for reading"
    );
}

#[test]
fn the_non_empty_domain_is_available_by_dimension() {
    let copy = Copy::of("sparse");
    let array = copy.opened(u64::MAX - 1);
    let range = |key, form| array.non_empty_range(key, form);
    let (index, name) = (DimensionKey::Index, DimensionKey::Name);
    assert_eq!(
        range(index(0), RangeRequest::Fixed).expect("range"),
        Some(Range::of(-20i32, 29))
    );
    assert_eq!(
        range(name("s"), RangeRequest::Var).expect("range"),
        Some(Range::var(b"a", b"ggg"))
    );
    let error = |key, form| text(range(key, form));
    assert_eq!(
        error(index(3), RangeRequest::Fixed),
        "There is no dimension 3"
    );
    assert_eq!(
        error(index(2), RangeRequest::Fixed),
        "The dimension 's' has values of variable size"
    );
    assert_eq!(
        error(name("s"), RangeRequest::Fixed),
        "The dimension of the name 's' has values of variable size"
    );
    assert_eq!(
        error(name("r"), RangeRequest::Var),
        "The dimension 'r' has values of a fixed size"
    );
    assert_eq!(
        error(name("t"), RangeRequest::Var),
        "There is no dimension 't'"
    );
    assert_eq!(
        text(array.non_empty_bounds()),
        "The dimensions have different datatypes, so the bounds need one range for each"
    );
    let dense = Copy::of("dense");
    let bounds = dense
        .opened(u64::MAX - 1)
        .non_empty_bounds()
        .expect("bounds");
    assert_eq!(bounds, Some(vec![255, 255, 2, 0, 255, 255, 2, 0]));
}

#[test]
fn an_end_before_all_fragments_shows_an_empty_array() {
    let copy = Copy::of("dense");
    let array = copy.opened(5);
    assert_eq!(array.open_timestamp_end(), 5);
    assert_eq!(array.non_empty_domain().expect("domain"), None);
    array.reopen().expect("reopen");
    assert!(
        array.open_timestamp_end() > 5,
        "reopening without a new end is now"
    );
    array.set_open_timestamp_end(6);
    array.reopen().expect("reopen");
    assert_eq!(array.open_timestamp_end(), 6);
}

#[test]
fn a_missing_array_is_an_error() {
    let vfs = vfs();
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().to_str().expect("text");
    let uri = Uri::parse(path).expect("uri");
    let array = Array::new(&vfs, path).expect("array");
    let missing = "The array does not exist";
    assert_eq!(text(array.open(QueryType::Read)), missing);
    assert_eq!(text(load_schema(&vfs, &uri, &Config::new())), missing);
    assert_eq!(text(encryption_type(&vfs, &uri)), missing);
    fs::create_dir_all(folder.path().join("__schema/__enumerations")).expect("folder");
    assert_eq!(text(array.open(QueryType::Write)), missing);
    assert_eq!(text(Array::new(&vfs, "")), "'' is not the URI of an array");
}

#[test]
fn keys_must_match_the_array() {
    let copy = Copy::of("dense");
    assert_eq!(
        encryption_type(&copy.vfs, &copy.uri()).expect("type"),
        EncryptionType::NoEncryption
    );
    let open = |kind: &str, key: &str| {
        let array = copy.array();
        let mut config = Config::new();
        config.set("sm.encryption_type", kind).expect("type");
        config.set("sm.encryption_key", key).expect("key");
        array.set_config(&config).expect("config");
        text(array.open(QueryType::Read))
    };
    let key = "0123456789abcdef0123456789abcdef";
    assert_eq!(
        open("AES_256_GCM", "short"),
        "The encryption key does not have the length that its type needs"
    );
    assert_eq!(open("BOGUS", key), "'BOGUS' is not a type of encryption");
    assert_eq!(
        open("AES_256_GCM", key),
        "The record is encrypted with NO_ENCRYPTION, but the key is for AES_256_GCM"
    );
    assert_eq!(open("NO_ENCRYPTION", key), "");
    assert_eq!(open("AES_256_GCM", ""), "");
}

#[test]
fn a_fragment_without_its_commit_is_invisible() {
    let copy = Copy::of("dense");
    assert_eq!(copy.fragment_num(), 1);
    fs::remove_file(copy.path("__commits").join(copy.commit())).expect("remove");
    assert_eq!(copy.fragment_num(), 0);
}

#[test]
fn consolidated_commits_count_unless_they_are_revoked() {
    let copy = Copy::of("dense");
    let commit = copy.commit();
    let line = format!("__commits/{commit}\n");
    let around = format!("__1_{}_{ANY_UUID}_22", u64::MAX - 1);
    fs::write(copy.path("__commits").join(format!("{around}.con")), &line).expect("write");
    assert_eq!(copy.fragment_num(), 1, "told twice, it is there once");
    fs::remove_file(copy.path("__commits").join(&commit)).expect("remove");
    assert_eq!(copy.fragment_num(), 1);
    fs::write(copy.path("__commits").join(format!("{around}.ign")), &line).expect("write");
    assert_eq!(copy.fragment_num(), 0);
}

#[test]
fn a_pending_vacuum_file_hides_replaced_fragments_after_the_commit() {
    let copy = Copy::of("dense");
    let fragment = copy.name_in("__fragments");
    let consolidated = format!("__1_{}_{ANY_UUID}_22", u64::MAX - 1);
    let (from, to) = (&fragment, &consolidated);
    let folder = |name: &str| copy.path("__fragments").join(name);
    fs::create_dir(folder(to)).expect("folder");
    for file in fs::read_dir(folder(from)).expect("folder").flatten() {
        fs::copy(file.path(), folder(to).join(file.file_name())).expect("copied");
    }
    fs::create_dir(copy.path("__commits/__pending")).expect("folder");
    // Without the commit, the consolidated fragment of a list with its final name was deleted.
    for (subfolder, uncommitted) in [("__commits", 0), ("__commits/__pending", 1)] {
        let vacuum = copy.path(subfolder).join(format!("{consolidated}.vac"));
        let commit = copy.path("__commits").join(format!("{consolidated}.wrt"));
        fs::write(&vacuum, format!("__fragments/{fragment}\n")).expect("write");
        assert_eq!(copy.fragment_num(), uncommitted, "{subfolder}");
        fs::write(&commit, "").expect("write");
        assert_eq!(copy.fragment_num(), 1);
        fs::write(&vacuum, "").expect("write");
        assert_eq!(copy.fragment_num(), 2, "an empty file hides nothing");
        fs::remove_file(&commit).expect("removed");
        fs::remove_file(&vacuum).expect("removed");
    }
    // A name that is not complete is not read.
    let unfinished = format!("__commits/{consolidated}.vac.tmp");
    let names = format!("__fragments/{fragment}\n");
    fs::write(copy.path(&unfinished), names).expect("write");
    let commit = copy.path("__commits").join(format!("{consolidated}.wrt"));
    fs::write(commit, "").expect("write");
    assert_eq!(copy.fragment_num(), 2);
}

#[test]
fn unknown_files_are_ignored() {
    let copy = Copy::of("dense");
    for name in [
        "notes",
        "__schema/junk",
        "__commits/junk.wrt",
        "__commits/.hidden",
    ] {
        fs::write(copy.path(name), "x").expect("write");
    }
    fs::create_dir(copy.path("__1_2_mine")).expect("folder");
    assert_eq!(copy.fragment_num(), 1);
}

#[test]
fn schema_timestamps_are_compared_as_numbers() {
    let copy = Copy::of("dense");
    let first = copy.name_in("__schema");
    let source = copy.path("__schema").join(&first);
    for time in [9, 10] {
        let name = format!("__{time}_{time}_{ANY_UUID}");
        fs::copy(&source, copy.path("__schema").join(name)).expect("copy");
    }
    fs::remove_file(&source).expect("remove");
    let latest = load_schema(&copy.vfs, &copy.uri(), &Config::new()).expect("schema");
    assert_eq!(latest.timestamps.end, 10);
    let array = copy.array();
    for (end, expected) in [(9, 9), (3, 9), (10, 10)] {
        array.set_open_timestamp_end(end);
        array.open(QueryType::Read).expect("open");
        assert_eq!(
            array.schema().expect("schema").timestamps.end,
            expected,
            "at {end}"
        );
        array.close().expect("close");
    }
}

#[test]
fn created_arrays_have_all_folders_and_the_given_schema() {
    let copy = Copy::of("dense");
    let schema = load_schema(&copy.vfs, &copy.uri(), &Config::new()).expect("schema");
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("a/b");
    let uri = Uri::parse(path.to_str().expect("text")).expect("uri");
    create(&copy.vfs, &uri, &schema, None).expect("create");
    let again = text(create(&copy.vfs, &uri, &schema, None));
    assert_eq!(again, format!("The array '{uri}' exists already"));
    let made = load_schema(&copy.vfs, &uri, &Config::new()).expect("schema");
    let unnamed = |schema: &ArraySchema| ArraySchema {
        name: String::new(),
        ..schema.clone()
    };
    assert_eq!(unnamed(&made), unnamed(&schema));
    let mut folders: Vec<_> = fs::read_dir(&path).expect("folder").flatten().collect();
    folders.sort_by_key(fs::DirEntry::file_name);
    let folders: Vec<_> = folders.iter().map(fs::DirEntry::file_name).collect();
    assert_eq!(
        folders,
        [
            "__commits",
            "__fragment_meta",
            "__fragments",
            "__labels",
            "__meta",
            "__schema"
        ]
    );
}

#[test]
fn a_failed_creation_removes_no_existing_files() {
    let copy = Copy::of("dense");
    let schema = load_schema(&copy.vfs, &copy.uri(), &Config::new()).expect("schema");
    // The schemas are elsewhere for now, and a file stands where their folder should be.
    fs::remove_dir_all(copy.path("__schema")).expect("remove");
    fs::write(copy.path("__schema"), "").expect("write");
    let there = [copy.commit(), copy.name_in("__fragments")];
    assert!(create(&copy.vfs, &copy.uri(), &schema, None).is_err());
    assert!(!copy.path("__labels").exists(), "what was made is gone");
    let found = [copy.commit(), copy.name_in("__fragments")];
    assert_eq!(found, there);
}

#[test]
fn many_fragments_open_in_their_order() {
    let copy = Copy::of("dense");
    let source = copy.name_in("__fragments");
    let mut expected: Vec<u64> = (1..=100).rev().collect();
    for time in &expected {
        let name = format!("__{time}_{time}_{ANY_UUID}_22");
        copy_folder(
            &copy.path("__fragments").join(&source),
            &copy.path("__fragments").join(&name),
        );
        fs::write(copy.path("__commits").join(format!("{name}.wrt")), "").expect("write");
    }
    let snapshot = copy.opened(200).snapshot().expect("snapshot");
    let times: Vec<u64> = snapshot
        .fragments
        .iter()
        .map(|f| f.timestamps().start)
        .collect();
    expected.reverse();
    assert_eq!(times, expected);
}

#[test]
fn a_damaged_schema_is_an_error_that_names_it() {
    let copy = Copy::of("dense");
    let schema = copy.path("__schema").join(copy.name_in("__schema"));
    let whole = fs::read(&schema).expect("file");
    for cut in 0..whole.len() {
        fs::write(&schema, &whole[..cut]).expect("write");
        let error = copy.array().open(QueryType::Read).expect_err("cut");
        assert!(
            error.to_string().contains("__schema"),
            "cut at {cut}: {error}"
        );
    }
    for index in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[index] ^= 1 << (index % 8);
        fs::write(&schema, &bytes).expect("write");
        // Names and fill values may be damaged unnoticed; whatever comes back, it must not panic.
        let _ = copy.array().open(QueryType::Read);
    }
}

#[test]
fn writers_of_one_millisecond_are_read_in_their_order() {
    let copy = Copy::of("sparse");
    let schema = load_schema(&copy.vfs, &copy.uri(), &Config::new()).expect("schema");
    let names: Vec<_> = (0..50)
        .map(|_| FragmentWriter::create(&copy.vfs, &copy.uri(), &schema, false, None, None))
        .map(|writer| {
            let writer = writer.expect("fragment");
            writer.finish().map(|uri| uri.name().to_owned())
        })
        .collect::<std::result::Result<_, Error>>()
        .expect("finished");
    let snapshot = copy.opened(u64::MAX - 1).snapshot().expect("snapshot");
    let read: Vec<_> = snapshot
        .fragments
        .iter()
        .map(|f| f.name().as_str().to_owned())
        .collect();
    assert_eq!(read[read.len() - 50..], names);
}

#[test]
#[cfg(feature = "remote")]
fn an_open_array_keeps_no_listing_but_knows_the_sizes_of_its_files() {
    use crate::fragment::FilePart;
    use std::ops::ControlFlow;

    use crate::vfs::{EntryKind, FaultyStore, StoreLimits};

    let copy = Copy::of("dense");
    let store = FaultyStore::new(StoreLimits::default());
    let context = Context::new(Config::new()).expect("context");
    let vfs = Vfs::with_backend(&context, store.backend(&context)).expect("vfs");
    let uri = Uri::parse("s3://bucket/array").expect("uri");
    let local = copy.uri();
    let copied = copy.vfs.walk(&local, &mut |file, entry| {
        if entry.kind == EntryKind::File {
            let name = &file.as_str()[local.as_str().len()..];
            vfs.write_all(&uri.join(name), &copy.vfs.read_all(file)?)?;
        }
        Ok(ControlFlow::Continue(()))
    });
    copied.expect("copies");
    let requests_of_size = || {
        let array = Array::new(&vfs, uri.as_str()).expect("array");
        array.open(QueryType::Read).expect("opens");
        let snapshot = array.snapshot().expect("open");
        let fragment = &snapshot.fragments[0];
        let attribute = &fragment.schema.attributes[0].name;
        let slot = fragment.slot(attribute).expect("a stored field");
        let before = store.requests();
        let file = fragment.file(slot, FilePart::Fixed).expect("opens");
        let size = file.size().expect("the size");
        assert_eq!(size, fragment.file_size(slot, FilePart::Fixed));
        (fragment.uri().clone(), store.requests() - before)
    };
    let (fragment, requests) = requests_of_size();
    assert_eq!(requests, 0);
    // The sizes in the footer are not used if they are not those of all files.
    vfs.write_all(&fragment.join("other"), b"x")
        .expect("writes");
    assert_eq!(requests_of_size().1, 1);
}
