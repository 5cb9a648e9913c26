//! Damages each kind of metadata file: schemas, enumerations, fragment metadata and its
//! consolidated form, commits and ignore files, conditions of deletes, vacuum files, array
//! metadata, group details in both versions, profiles. Files of arrays are also damaged with their
//! records stored uncompressed. If `TILEDB_RS_COMPAT_DIR` names arrays of historical releases,
//! their files are damaged as well.

use std::fs;
use std::sync::Arc;

use tiledb_engine::Result;
use tiledb_engine::internal::array::{self, Array, WithMetadata};
use tiledb_engine::internal::bytes::Sink;
use tiledb_engine::internal::condition::{Condition, Operator};
use tiledb_engine::internal::config::{Config, Profile};
use tiledb_engine::internal::format::group::{GroupMember, GroupVersion, write_group};
use tiledb_engine::internal::group::{self, Group, MemberUri};
use tiledb_engine::internal::inspect::FragmentInfo;
use tiledb_engine::internal::maintenance;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::{
    Attribute, Enumeration, EnumerationValues, SchemaEvolution, shared,
};
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::tile::generic;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, ObjectType, QueryType, VAR_NUM};

use super::setup::column::{Column, fields, read, write};
use super::setup::{TestArray, dimension, next_millisecond, schema, texts};
use super::{Files, survive};

/// A sparse array with every kind of file.
struct Everything(TestArray);

impl Everything {
    fn write(test_array: &TestArray) {
        let made = Self(test_array.clone());
        made.create();
        for first in [1, 2] {
            made.write_cells(first, &["a"]);
        }
        made.put_metadata("first", 1);
        made.put_metadata("second", 2);
        // One file with both, and the list of the files that it replaces.
        made.merge("array_meta");
        made.delete(5);
        made.merge("commits");
        test_array.vacuum("commits");
        made.merge("fragments");
        made.evolve();
        made.write_cells(4, &["a", "b"]);
        made.write_cells(5, &["a", "b"]);
        made.merge("commits");
        made.merge("fragment_meta");
        made.delete(50);
        made.remove_fragment();
    }

    fn create(&self) {
        let starts: Vec<u8> = [0u64, 3].into_iter().flat_map(u64::to_le_bytes).collect();
        let values = EnumerationValues {
            data: Some(b"onetwo"),
            offsets: Some(&starts),
        };
        let words = Enumeration::new("words", Datatype::StringAscii, VAR_NUM, false, values);
        let dimensions = [dimension("d", Datatype::Int32, [1i32, 99], 10), texts("t")];
        let mut schema = schema(ArrayType::Sparse, dimensions, []);
        schema.set_capacity(2).expect("capacity");
        let words = Arc::new(words.expect("enumeration"));
        schema.add_enumeration(&words).expect("enumeration");
        let mut attribute = Attribute::new("a", Datatype::Int32);
        attribute.set_enumeration("words").expect("enumeration");
        schema.add_attribute(&shared(attribute)).expect("attribute");
        self.0.create(&schema);
    }

    fn write_cells(&self, first: i32, attributes: &[&str]) {
        next_millisecond();
        let mut columns = vec![
            Column::numbers("d", (0..6).map(|index| first + index * 7)),
            Column::texts("t", ["a", "b", "c", "d", "e", "f"]),
        ];
        let values = |name: &&str| Column::numbers(name, (0..6).map(|index| index % 2));
        columns.extend(attributes.iter().map(values));
        let mut query = self.0.query(QueryType::Write);
        write(&mut query, &columns).expect("write");
    }

    fn put_metadata(&self, key: &str, value: u8) {
        next_millisecond();
        let array = self.0.open(QueryType::Write);
        let put = array.put_metadata(Some(key), Datatype::Uint8, &[value; 40]);
        put.expect("metadata");
        array.close().expect("close");
    }

    fn delete(&self, test_array: i32) {
        next_millisecond();
        let condition = Condition::compare("d", Operator::Eq, Some(&test_array.to_le_bytes()));
        self.0.delete(condition.expect("condition"));
    }

    fn merge(&self, mode: &str) {
        next_millisecond();
        self.0.consolidate(mode);
    }

    fn evolve(&self) {
        next_millisecond();
        let array = self.0.open(QueryType::Read);
        let loaded = array.enumeration("words").expect("enumeration");
        let longer = loaded.extend(EnumerationValues {
            data: Some(b"three"),
            offsets: Some(&0u64.to_le_bytes()),
        });
        let mut evolution = SchemaEvolution::default();
        evolution
            .extend_enumeration(&Arc::new(longer.expect("longer")))
            .expect("extended");
        let attribute = Attribute::new("b", Datatype::Int32);
        evolution.add_attribute(attribute).expect("attribute");
        array::evolve(&self.0.vfs, &self.0.uri, &evolution).expect("evolve");
    }

    /// Removes the newest fragment, whose commit is in a consolidated file, so that an ignore file
    /// is written.
    fn remove_fragment(&self) {
        next_millisecond();
        let array = self.0.open(QueryType::Read);
        let snapshot = array.snapshot().expect("snapshot");
        let newest = snapshot.fragments.last().expect("a fragment").name();
        let (vfs, uri) = (&self.0.vfs, &self.0.uri);
        maintenance::delete_named_fragments(vfs, uri, &[newest.as_str()], &Config::new())
            .expect("removed");
    }
}

/// Reads everything of an array: schema, enumerations, metadata, fragments, cells.
fn read_array(test_array: &TestArray) -> Result<()> {
    let info = FragmentInfo::new(&test_array.vfs, test_array.uri.as_str())?;
    let inspected = info.load().and_then(|()| {
        for fragment in 0..info.fragment_num()? {
            info.mbr_num(fragment)?;
            info.fragment(fragment, FragmentInfo::URI)?.stored_size()?;
        }
        info.dump()
    });
    let array = Array::new(&test_array.vfs, test_array.uri.as_str())?;
    array.open(QueryType::Read)?;
    let enumerations = array.load_enumerations_of_all_schemas();
    for index in 0..array.metadata_num()? {
        array.metadata_at(index, |item| item.num)?;
    }
    array.non_empty_domain()?;
    read_cells(&Arc::new(array))?;
    enumerations?;
    inspected.map(|_| ())
}

fn read_cells(array: &Arc<Array>) -> Result<()> {
    const CELLS: usize = 1 << 9;
    const BYTES: usize = 1 << 12;
    let mut query = Query::new(array, QueryType::Read)?;
    query.set_layout(Layout::RowMajor)?;
    let schema = query.request().schema().clone();
    let mut subarray = Subarray::new(&schema);
    if schema.is_dense() {
        let Some(domain) = array.non_empty_domain()? else {
            return Ok(());
        };
        for (dim, range) in domain.iter().enumerate() {
            subarray.add_range(dim as u32, range.start(), range.end())?;
        }
    }
    query.set_subarray(&subarray)?;
    // A damaged schema may state cells that are larger than these buffers.
    let columns =
        fields(&schema).filter(|cell_type| cell_type.size.is_none_or(|size| size <= BYTES));
    let columns = columns.map(|cell_type| Column::with_capacity(cell_type, CELLS, BYTES));
    read(&mut query, &mut columns.collect::<Vec<_>>()).map(|_| ())
}

fn read_group(test_array: &TestArray) -> Result<()> {
    let group = Group::new(&test_array.vfs, test_array.uri.as_str())?;
    group.open(QueryType::Read)?;
    for index in 0..group.member_count()? {
        group.member_at(index)?;
    }
    for index in 0..group.metadata_num()? {
        group.metadata_at(index, |item| item.num)?;
    }
    group.dump(true).map(|_| ())
}

/// Damages the files that `selects` selects. Returns the number of files.
fn damage(
    files: &Files,
    case: &str,
    selects: impl Fn(&str) -> bool,
    read: fn(&TestArray) -> Result<()>,
) -> usize {
    files.damage(case, selects, || read(&files.test_array), |_, ()| {})
}

/// Selects the files to damage by their paths.
type FileSelector = fn(&str) -> bool;

#[test]
fn damaged_metadata_of_an_array_never_panics() {
    let files = Files::new();
    Everything::write(&files.test_array);
    let kinds: [(&str, FileSelector); 9] = [
        ("schemas", |name| {
            name.starts_with("__schema/") && !name.contains("__enumerations")
        }),
        ("enumerations", |name| name.contains("__enumerations")),
        ("fragment metadata", |name| {
            name.ends_with("__fragment_metadata.tdb")
        }),
        ("merged fragment metadata", |name| name.ends_with(".meta")),
        ("merged commits", |name| name.ends_with(".con")),
        ("commits taken back", |name| name.ends_with(".ign")),
        ("conditions", |name| name.ends_with(".del")),
        ("what was replaced", |name| name.ends_with(".vac")),
        ("metadata", |name| {
            name.starts_with("__meta/") && !name.ends_with(".vac")
        }),
    ];
    for (case, selects) in kinds {
        let found = damage(&files, case, selects, read_array);
        assert!(found > 0, "no file of {case}");
    }
}

#[test]
fn damaged_records_of_an_array_never_panic() {
    let files = Files::new();
    Everything::write(&files.test_array);
    files.uncompress();
    let records = |name: &str| {
        let folders = ["__schema/", "__meta/", "__fragment_meta/", "__commits/"];
        let in_folder = folders.iter().any(|folder| name.starts_with(folder));
        name.ends_with("__fragment_metadata.tdb") || in_folder && !name.ends_with(".vac")
    };
    damage(&files, "records", records, read_array);
}

#[test]
fn damaged_files_of_a_group_never_panic() {
    let files = Files::new();
    let TestArray { vfs, uri } = &files.test_array;
    group::create(vfs, uri.as_str()).expect("group");
    for index in 0..3u8 {
        next_millisecond();
        let name = format!("member{index}");
        group::create(vfs, uri.join(&name).as_str()).expect("group");
        let group = Group::new(vfs, uri.as_str()).expect("group");
        group.open(QueryType::Write).expect("open");
        let known = format!("name {index}");
        group
            .add_member(MemberUri::Relative(&name), Some(&known), None)
            .expect("member");
        group
            .put_metadata(Some(&known), Datatype::Uint8, &[index; 30])
            .expect("metadata");
        group.close().expect("close");
    }
    group::consolidate_metadata(vfs, uri.as_str(), &Config::new()).expect("merged");
    let details: FileSelector = |name| name.starts_with("__group/");
    let metadata: FileSelector = |name| name.starts_with("__meta/");
    for (case, selects, number) in [
        ("details of groups", details, 3),
        ("metadata of groups", metadata, 5),
    ] {
        assert_eq!(damage(&files, case, selects, read_group), number, "{case}");
    }
    // The first version has all members in each file.
    let members = [0, 1].map(|index| GroupMember {
        kind: ObjectType::Group,
        relative: true,
        uri: format!("member{index}"),
        name: None,
        removed: false,
    });
    let mut record = Sink::new();
    write_group(&mut record, GroupVersion::Whole, &members.each_ref());
    let folder = uri.join("__group");
    vfs.remove_dir(&folder).expect("details");
    vfs.create_dir(&folder).expect("details");
    let file = folder.join("__1700000000000_1700000000000_0123456789abcdef0123456789abcdef_1");
    generic::write(vfs, &file, record.as_slice(), None).expect("details");
    let case = "details of groups as they were";
    assert_eq!(damage(&files, case, details, read_group), 1);
}

#[test]
fn damaged_profiles_never_panic() {
    let folder = tempfile::tempdir().expect("folder");
    let profile_folder = folder.path().to_str().expect("path");
    for name in ["one", "other"] {
        let mut profile = Profile::new(Some(name), Some(profile_folder)).expect("profile");
        profile.set("rest.username", name).expect("set");
        profile.set("rest.password", "secret").expect("set");
        profile.save(false).expect("saved");
    }
    let mut entries = fs::read_dir(folder.path()).expect("folder").flatten();
    let path = entries.next().expect("a file").path();
    let bytes = fs::read(&path).expect("file");
    let (mut damaged, mut rejected) = (Vec::new(), 0);
    for index in 0..bytes.len() {
        for damage in super::damages() {
            if !damage.apply(&bytes, index, &mut damaged) {
                continue;
            }
            fs::write(&path, &damaged).expect("damage");
            let description = || format!("profiles, {damage:?} at {index}");
            let loaded = survive(description, || {
                let mut profile = Profile::new(Some("other"), Some(profile_folder))?;
                profile.load()?;
                profile.dump();
                Ok(())
            });
            rejected += usize::from(loaded.is_err());
        }
    }
    assert!(rejected > bytes.len(), "{rejected} rejected");
}

#[test]
fn damaged_metadata_of_historical_releases_never_panics() {
    let Some(root) = std::env::var_os("TILEDB_RS_COMPAT_DIR") else {
        eprintln!("skipped: TILEDB_RS_COMPAT_DIR is not set");
        return;
    };
    // One release in six, unless every byte is to be damaged.
    let step = match std::env::var_os("TILEDB_RS_EVERY_BYTE") {
        Some(_) => 1,
        None => 6,
    };
    let mut releases: Vec<_> = fs::read_dir(root).expect("folder").flatten().collect();
    releases.sort_by_key(|release| release.file_name());
    let mut versions = 0;
    for version in releases.iter().step_by(step) {
        for name in [
            "sparse2d",
            "dense2d",
            "metadata",
            "sparse_string_mixed",
            "group/group",
        ] {
            let from = version.path().join(name);
            let (from, read): (_, fn(&TestArray) -> Result<()>) = match name {
                "group/group" => (from, read_group),
                _ => (from.join("array"), read_array),
            };
            if !from.is_dir() {
                continue;
            }
            let files = Files::copy(&from);
            let case = format!("{} {name}", version.file_name().to_string_lossy());
            // The cells of group members and fields are not metadata.
            let selects = |name: &str| {
                let data = name.ends_with(".tdb")
                    && !name.contains("/__fragment_metadata")
                    && !name.ends_with("__array_schema.tdb");
                !data && !name.starts_with("arr") && !name.starts_with("sub")
            };
            let found = damage(&files, &case, selects, read);
            // The first groups are an empty file.
            assert!(found > 0 || name.starts_with("group"), "{case}");
            versions += usize::from(name == "sparse2d");
        }
    }
    assert!(versions > 0, "no array of any version");
}
