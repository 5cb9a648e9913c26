//! Metadata written at different times, and compared with a map.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;

use super::{Metadata, MetadataChanges, write_metadata_file};
use crate::config::Config;
use crate::context::Context;
use crate::format::metadata::MetadataEntry;
use crate::format::names::folders;
use crate::format::version::FormatVersion;
use crate::fragment::OpenedObject;
use crate::types::{Datatype, TimeRange, Timestamp};
use crate::vfs::{Uri, Vfs};

struct TestObject {
    _folder: tempfile::TempDir,
    vfs: Arc<Vfs>,
    uri: Uri,
}

impl TestObject {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let uri = Uri::parse(folder.path().to_str().expect("text")).expect("uri");
        let vfs = Vfs::new(&Context::new(Config::new()).expect("context")).expect("vfs");
        Self {
            _folder: folder,
            vfs,
            uri,
        }
    }

    fn put(&self, timestamp: Timestamp, key: &str, value: &[u8]) {
        let changes = MetadataChanges::new(timestamp);
        changes.put(key, Datatype::Uint8, value);
        changes
            .write(
                &self.vfs,
                OpenedObject::unchecked(&self.uri),
                FormatVersion::WRITTEN,
                None,
            )
            .expect("written");
    }

    fn delete(&self, timestamp: Timestamp, key: &str) {
        let changes = MetadataChanges::new(timestamp);
        changes.delete(key);
        changes
            .write(
                &self.vfs,
                OpenedObject::unchecked(&self.uri),
                FormatVersion::WRITTEN,
                None,
            )
            .expect("written");
    }

    fn at(&self, start: Timestamp, end: Timestamp) -> Metadata {
        let range = TimeRange { start, end };
        Metadata::load(&self.vfs.view(), &self.uri, range, None).expect("metadata")
    }

    fn value(&self, end: Timestamp, key: &str) -> Option<Vec<u8>> {
        bytes(&self.at(0, end), key)
    }

    fn files(&self) -> usize {
        let folder = self.uri.join(folders::METADATA);
        self.vfs.list(&folder).expect("list").len()
    }
}

fn bytes(metadata: &Metadata, key: &str) -> Option<Vec<u8>> {
    let item = metadata.find(key)?;
    let memory = item.words.iter().flat_map(|word| word.to_le_bytes());
    Some(memory.take(item.num as usize).collect())
}

#[test]
fn values_depend_on_the_timestamp() {
    let object = TestObject::new();
    object.put(10, "a", b"one");
    object.put(20, "a", b"two");
    object.delete(30, "a");
    object.put(9, "b", b"");
    assert_eq!(object.value(9, "a"), None);
    assert_eq!(object.value(10, "a"), Some(b"one".to_vec()));
    assert_eq!(object.value(29, "a"), Some(b"two".to_vec()));
    assert_eq!(object.value(30, "a"), None);
    assert_eq!(object.value(30, "b"), Some(Vec::new()));
    assert_eq!(bytes(&object.at(11, 29), "b"), None);
    assert_eq!(object.at(0, 29).len(), 2);
}

#[test]
fn the_last_change_of_a_key_counts_and_no_changes_write_no_file() {
    let object = TestObject::new();
    let changes = MetadataChanges::new(5);
    changes
        .write(
            &object.vfs,
            OpenedObject::unchecked(&object.uri),
            FormatVersion::WRITTEN,
            None,
        )
        .expect("nothing");
    assert_eq!(object.files(), 0);
    changes.put("k", Datatype::Uint8, b"1");
    changes.delete("k");
    changes.put("k", Datatype::Uint8, b"2");
    changes
        .write(
            &object.vfs,
            OpenedObject::unchecked(&object.uri),
            FormatVersion::WRITTEN,
            None,
        )
        .expect("written");
    changes
        .write(
            &object.vfs,
            OpenedObject::unchecked(&object.uri),
            FormatVersion::WRITTEN,
            None,
        )
        .expect("nothing");
    assert_eq!(object.files(), 1);
    assert_eq!(object.value(5, "k"), Some(b"2".to_vec()));
}

#[test]
fn values_are_numbered_and_aligned_and_keys_end_with_a_zero() {
    let object = TestObject::new();
    let changes = MetadataChanges::new(1);
    changes.put("b", Datatype::Int32, &7i32.to_le_bytes());
    changes.put("a", Datatype::StringUtf8, b"abc");
    changes
        .write(
            &object.vfs,
            OpenedObject::unchecked(&object.uri),
            FormatVersion::WRITTEN,
            None,
        )
        .expect("written");
    let metadata = object.at(0, 1);
    let item = metadata.at(1).expect("the second key");
    assert_eq!((item.key(), item.key_with_zero()), ("b", &b"b\0"[..]));
    assert_eq!((item.datatype, item.num), (Datatype::Int32, 1));
    assert_eq!(item.words, [u64::from_le_bytes([7, 0, 0, 0, 0, 0, 0, 0])]);
    assert!(metadata.at(2).is_none() && metadata.at(u64::MAX).is_none());
}

#[test]
fn a_vacuum_file_hides_what_it_names_in_its_own_time() {
    let object = TestObject::new();
    object.put(1, "a", b"1");
    object.delete(2, "a");
    object.put(2, "b", b"2");
    let folder = object.uri.join(folders::METADATA);
    let names = object.vfs.list(&folder).expect("list");
    let listed: String = names
        .iter()
        .map(|entry| format!("{}\n", folder.join(&entry.name)))
        .collect();
    let entry = MetadataEntry {
        key: "c",
        value: None,
    };
    let range = TimeRange { start: 1, end: 2 };
    let merged = write_metadata_file(
        &object.vfs,
        OpenedObject::unchecked(&object.uri),
        range,
        [entry],
        FormatVersion::WRITTEN,
        None,
    );
    let merged = merged.expect("written");
    let [other, merged_name] = ["__1_2_01cf7b6741eec5a1a05eb52bb3fa0838", merged.name()];
    for (name, counts) in [(other, false), (merged_name, true)] {
        let vacuum = folder.join(&format!("{name}.vac"));
        let written = object.vfs.write_all(&vacuum, listed.as_bytes());
        written.expect("written");
        assert_eq!(object.value(1, "a"), Some(b"1".to_vec()));
        assert_eq!(object.at(0, 2).is_empty(), counts, "{name}");
    }
}

#[test]
fn incomplete_metadata_files_are_ignored() {
    let object = TestObject::new();
    object.put(1, "a", b"1");
    let folder = object.uri.join(folders::METADATA);
    for name in ["__2_2_01cf7b6741eec5a1a05eb52bb3fa0838.tmp", "junk"] {
        object
            .vfs
            .write_all(&folder.join(name), b"x")
            .expect("written");
    }
    assert_eq!(object.at(0, 9).len(), 1);
}

#[test]
fn changes_stay_if_writing_fails() {
    let object = TestObject::new();
    let blocked = object.uri.join(folders::METADATA);
    object.vfs.write_all(&blocked, b"").expect("a file");
    let changes = MetadataChanges::new(1);
    changes.put("a", Datatype::Uint8, b"1");
    assert!(
        changes
            .write(
                &object.vfs,
                OpenedObject::unchecked(&object.uri),
                FormatVersion::WRITTEN,
                None
            )
            .is_err()
    );
    object.vfs.remove_file(&blocked).expect("removed");
    changes
        .write(
            &object.vfs,
            OpenedObject::unchecked(&object.uri),
            FormatVersion::WRITTEN,
            None,
        )
        .expect("written");
    assert_eq!(object.value(1, "a"), Some(b"1".to_vec()));
}

#[test]
fn a_damaged_file_is_an_error_that_names_it() {
    let object = TestObject::new();
    let folder = object.uri.join(folders::METADATA);
    let file = folder.join("__2_2_01cf7b6741eec5a1a05eb52bb3fa0838");
    object.vfs.create_dir(&folder).expect("folder");
    object.vfs.write_all(&file, b"x").expect("written");
    let error = Metadata::load(&object.vfs.view(), &object.uri, TimeRange::ALL, None);
    let error = error.expect_err("damaged").to_string();
    assert!(error.contains(file.as_str()), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn metadata_equals_a_map(
        writes in proptest::collection::vec(("[a-d]{1,2}", proptest::option::of("[a-z]{0,12}")), 1..12),
        end in 1u64..14,
    ) {
        let object = TestObject::new();
        let mut model = BTreeMap::new();
        for (timestamp, (key, value)) in (1..).zip(&writes) {
            match value {
                Some(value) => object.put(timestamp, key, value.as_bytes()),
                None => object.delete(timestamp, key),
            }
            if timestamp <= end {
                match value {
                    Some(value) => drop(model.insert(key.clone(), value.as_bytes().to_vec())),
                    None => drop(model.remove(key)),
                }
            }
        }
        let metadata = object.at(0, end);
        let keys = (0..metadata.len() as u64).filter_map(|index| metadata.at(index));
        let found: BTreeMap<_, _> = keys
            .map(|item| (item.key().to_owned(), bytes(&metadata, item.key()).unwrap_or_default()))
            .collect();
        prop_assert_eq!(found, model);
    }
}
