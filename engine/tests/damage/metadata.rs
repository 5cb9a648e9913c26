//! The files that say what an array or a group is, each kind of them damaged: schemas, enumerations, fragment metadata and
//! many of it in one, commits and what takes them back, conditions of deletes, lists of what was replaced, metadata, details
//! of groups in both versions, profiles. Some of the places in each file; all of them, by more masks, with
//! `TILEDB_RS_EVERY_BYTE`. Where `TILEDB_RS_COMPAT_DIR` names arrays of historical releases, theirs too.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use tiledb_engine::array::{self, Array, HoldsMetadata};
use tiledb_engine::bytes::Sink;
use tiledb_engine::config::{Config, Profile};
use tiledb_engine::format::group::{GroupMember, GroupVersion, write_group};
use tiledb_engine::group::{self, Group};
use tiledb_engine::inspect::FragmentInfo;
use tiledb_engine::maintain;
use tiledb_engine::query::Query;
use tiledb_engine::query::buffers::FieldBuffers;
use tiledb_engine::query::condition::{Condition, Operator};
use tiledb_engine::query::subarray::Subarray;
use tiledb_engine::schema::{
    Attribute, Dimension, DomainDraft, Enumeration, EnumerationValues, SchemaDraft,
    SchemaEvolution, shared,
};
use tiledb_engine::tile::generic;
use tiledb_engine::types::{ArrayType, Datatype, Layout, ObjectType, QueryType, VAR_NUM};
use tiledb_engine::vfs::Uri;

use super::{ALONE, damages, field_cells, files, survive, vfs};

/// Says which files are damaged, by their paths.
type Picks = fn(&str) -> bool;

/// How thoroughly files are damaged.
struct Pains {
    masks: &'static [u8],
    every: usize,
}

impl Pains {
    fn asked() -> Self {
        match std::env::var_os("TILEDB_RS_EVERY_BYTE") {
            Some(_) => Self {
                masks: &[0x01, 0x40, 0x80, 0xff],
                every: 1,
            },
            None => Self {
                masks: &[0x81],
                every: 29,
            },
        }
    }

    /// Damages the files below a folder whose path in it `picks` picks; answers with their number.
    #[expect(clippy::print_stdout, reason = "what was tried")]
    fn take(
        &self,
        what: &str,
        folder: &Path,
        picks: impl Fn(&str) -> bool,
        read: impl Fn() -> tiledb_engine::Result<()>,
    ) -> usize {
        read().expect("as it was written");
        let (mut found, mut paths) = (Vec::new(), Vec::new());
        files(folder, &mut paths);
        let (mut tried, mut refused) = (0, 0);
        for path in paths {
            let name = path.strip_prefix(folder).expect("below").to_owned();
            let bytes = fs::read(&path).expect("file");
            if bytes.is_empty() || !picks(&name.to_string_lossy()) {
                continue;
            }
            for (damage, damaged) in damages(&bytes, self.masks, self.every) {
                fs::write(&path, &damaged).expect("damage");
                tried += 1;
                refused += usize::from(survive(&path, &damage, &read).is_err());
            }
            fs::write(&path, &bytes).expect("repair");
            found.push(name);
        }
        read().expect("as it was repaired");
        println!(
            "{what}: {tried} damages of {} files, {refused} refused",
            found.len()
        );
        found.len()
    }
}

fn numbers(values: impl IntoIterator<Item = i32>) -> Vec<u8> {
    values.into_iter().flat_map(i32::to_le_bytes).collect()
}

fn enumeration() -> Arc<Enumeration> {
    let starts: Vec<u8> = [0u64, 3].into_iter().flat_map(u64::to_le_bytes).collect();
    let values = EnumerationValues {
        data: Some(b"onetwo"),
        offsets: Some(&starts),
    };
    let made = Enumeration::new("words", Datatype::StringAscii, VAR_NUM, false, values);
    Arc::new(made.expect("enumeration"))
}

/// A sparse array with every kind of file.
struct Everything {
    path: PathBuf,
    uri: String,
}

impl Everything {
    fn write(path: PathBuf) -> Self {
        let uri = path.to_str().expect("path").to_owned();
        let made = Self { path, uri };
        made.create();
        for first in [1, 2, 3] {
            made.write_cells(first, &["a"]);
        }
        made.put_metadata("first", 1);
        made.put_metadata("second", 2);
        // One file of both, and the list of those that it replaces.
        made.upkeep("array_meta", false);
        made.delete(5);
        made.upkeep("commits", true);
        made.upkeep("fragments", false);
        made.evolve();
        made.write_cells(4, &["a", "b"]);
        made.write_cells(5, &["a", "b"]);
        made.upkeep("commits", false);
        made.upkeep("fragment_meta", false);
        made.delete(50);
        made.remove_fragment();
        made
    }

    fn create(&self) {
        let mut domain = DomainDraft::default();
        let dimension = Dimension::new(
            "d",
            Datatype::Int32,
            Some(&numbers([1, 99])),
            Some(&numbers([10])),
        );
        domain
            .dimensions
            .push(shared(dimension.expect("dimension")));
        let text = Dimension::new("t", Datatype::StringAscii, None, None);
        domain.dimensions.push(shared(text.expect("dimension")));
        let mut draft = SchemaDraft::new(ArrayType::Sparse, None);
        draft.set_domain(&shared(domain)).expect("domain");
        draft.set_capacity(2).expect("capacity");
        draft.add_enumeration(&enumeration()).expect("enumeration");
        let mut attribute = Attribute::new("a", Datatype::Int32);
        attribute.set_enumeration("words").expect("enumeration");
        draft.add_attribute(&shared(attribute)).expect("attribute");
        let schema = draft.finish().expect("schema");
        let vfs = vfs();
        let uri = Uri::parse(&self.uri).expect("uri");
        array::create(&vfs, &uri, &schema, None).expect("create");
    }

    /// A query of now; nothing else has its millisecond.
    fn query(&self, query_type: QueryType) -> Query {
        Query::new(&Arc::new(self.open(query_type)), query_type).expect("query")
    }

    fn open(&self, query_type: QueryType) -> Array {
        std::thread::sleep(std::time::Duration::from_millis(2));
        let array = Array::new(&vfs(), &self.uri).expect("array");
        array.open(query_type).expect("open");
        array
    }

    fn write_cells(&self, first: i32, attributes: &[&str]) {
        let places = numbers((0..6).map(|at| first + at * 7));
        let values = numbers((0..6).map(|at| at % 2));
        let offsets: Vec<u8> = (0..6u64).flat_map(u64::to_le_bytes).collect();
        let mut fields = vec![field_cells("d", &places), field_cells("t", b"abcdef")];
        fields[1].offsets = Some(&offsets);
        fields.extend(attributes.iter().map(|name| field_cells(name, &values)));
        let mut query = self.query(QueryType::Write);
        query.set_layout(Layout::Unordered).expect("layout");
        query.write(&fields).expect("write");
    }

    fn put_metadata(&self, key: &str, value: u8) {
        let array = self.open(QueryType::Write);
        let bytes = [value; 40];
        array
            .put_metadata(Some(key), Datatype::Uint8, &bytes)
            .expect("metadata");
        array.close().expect("close");
    }

    fn delete(&self, place: i32) {
        let condition = Condition::compare("d", Operator::Eq, Some(&place.to_le_bytes()));
        let mut query = self.query(QueryType::Delete);
        query
            .set_condition(&Arc::new(condition.expect("condition")))
            .expect("condition");
        query.delete().expect("delete");
    }

    fn upkeep(&self, mode: &str, vacuum: bool) {
        std::thread::sleep(std::time::Duration::from_millis(2));
        let mut config = Config::new();
        config.set("sm.consolidation.mode", mode).expect("mode");
        config.set("sm.vacuum.mode", mode).expect("mode");
        maintain::consolidate(&vfs(), &self.uri, &config).expect("consolidated");
        if vacuum {
            maintain::vacuum(&vfs(), &self.uri, &config).expect("vacuumed");
        }
    }

    fn evolve(&self) {
        std::thread::sleep(std::time::Duration::from_millis(2));
        let array = self.open(QueryType::Read);
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
        let uri = Uri::parse(&self.uri).expect("uri");
        array::evolve(&vfs(), &uri, &evolution).expect("evolve");
    }

    /// Removes the newest fragment: its commit lies with others, and is taken back.
    fn remove_fragment(&self) {
        let array = self.open(QueryType::Read);
        let snapshot = array.snapshot().expect("snapshot");
        let name = snapshot
            .fragments
            .last()
            .expect("a fragment")
            .name()
            .clone();
        let uri = Uri::parse(&self.uri).expect("uri");
        maintain::delete_named_fragments(&vfs(), &uri, &[name.as_str()], &Config::new())
            .expect("removed");
    }
}

/// Everything that can be asked of an array: schema, enumerations, metadata, fragments, cells.
fn read_array(uri: &str, key: Option<&str>) -> tiledb_engine::Result<()> {
    let mut config = Config::new();
    if let Some(key) = key {
        config.set("sm.encryption_type", "AES_256_GCM")?;
        config.set("sm.encryption_key", key)?;
    }
    let context = tiledb_engine::context::Context::new(config.clone())?;
    let vfs = tiledb_engine::vfs::Vfs::new(&context)?;
    let info = FragmentInfo::new(&vfs, uri)?;
    let told = info.load().and_then(|()| {
        for fragment in 0..info.fragment_num()? {
            info.mbr_num(fragment)?;
            info.size(fragment)?;
        }
        info.dump()
    });
    let array = Array::new(&vfs, uri)?;
    array.open(QueryType::Read)?;
    let enumerations = array.load_enumerations_of_all_schemas();
    for at in 0..array.metadata_num()? {
        array.metadata_at(at, |item| item.num)?;
    }
    array.non_empty_domain()?;
    read_cells(&Arc::new(array))?;
    enumerations?;
    told.map(|_| ())
}

fn read_cells(array: &Arc<Array>) -> tiledb_engine::Result<()> {
    const ROOM: usize = 1 << 15;
    let mut query = Query::new(array, QueryType::Read)?;
    query.set_layout(Layout::RowMajor)?;
    let schema = query.schema().clone();
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
    let dimensions = schema.domain.dimensions.iter();
    let names = dimensions
        .map(|dimension| (dimension.name.clone(), dimension.is_var(), false))
        .chain(schema.attributes.iter().map(|attribute| {
            let name = attribute.name.clone();
            (name, attribute.is_var(), attribute.nullable)
        }));
    let mut columns: Vec<_> = names
        .map(|field| (field, vec![0u8; ROOM], vec![0u8; ROOM], vec![0u8; ROOM]))
        .collect();
    let mut fields: Vec<_> = columns
        .iter_mut()
        .map(
            |((name, var, nullable), data, offsets, validity)| FieldBuffers {
                name,
                data: Some(data),
                offsets: var.then_some(&mut offsets[..]),
                validity: nullable.then_some(&mut validity[..]),
            },
        )
        .collect();
    query.read(&mut fields).map(|_| ())
}

fn read_group(uri: &str) -> tiledb_engine::Result<()> {
    let group = Group::new(&vfs(), uri)?;
    group.open(QueryType::Read)?;
    for at in 0..group.member_count()? {
        group.member_at(at)?;
    }
    for at in 0..group.metadata_num()? {
        group.metadata_at(at, |item| item.num)?;
    }
    group.dump(true).map(|_| ())
}

#[test]
fn damaged_metadata_of_an_array_is_an_error_or_does_no_harm() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().expect("folder");
    let array = Everything::write(folder.path().join("array"));
    let pains = Pains::asked();
    let kinds: [(&str, Picks); 8] = [
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
    ];
    let read = || read_array(&array.uri, None);
    for (what, picks) in kinds {
        let found = pains.take(what, &array.path, picks, read);
        assert!(found > 0, "no file of {what}");
    }
    let metadata = |name: &str| name.starts_with("__meta/") && !name.ends_with(".vac");
    assert_eq!(pains.take("metadata", &array.path, metadata, read), 3);
}

#[test]
fn damaged_files_of_a_group_are_an_error_or_do_no_harm() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("group");
    let uri = path.to_str().expect("path").to_owned();
    let vfs = vfs();
    group::create(&vfs, &uri).expect("group");
    for at in 0..3u8 {
        std::thread::sleep(std::time::Duration::from_millis(2));
        let member = path.join(format!("member{at}"));
        group::create(&vfs, member.to_str().expect("path")).expect("group");
        let group = Group::new(&vfs, &uri).expect("group");
        group.open(QueryType::Write).expect("open");
        let name = format!("name {at}");
        group
            .add_member(&format!("member{at}"), true, Some(&name), None)
            .expect("member");
        group
            .put_metadata(Some(&name), Datatype::Uint8, &[at; 30])
            .expect("metadata");
        group.close().expect("close");
    }
    group::consolidate_metadata(&vfs, &uri, &Config::new()).expect("merged");
    let pains = Pains::asked();
    let details = |name: &str| name.starts_with("__group/");
    assert_eq!(
        pains.take("details of groups", &path, details, || read_group(&uri)),
        3
    );
    let metadata = |name: &str| name.starts_with("__meta/");
    let found = pains.take("metadata of groups", &path, metadata, || read_group(&uri));
    assert_eq!(found, 5);
    // The first version has all members in each file.
    let members = [0, 1].map(|at| GroupMember {
        kind: ObjectType::Group,
        relative: true,
        uri: format!("member{at}"),
        name: None,
        removed: false,
    });
    let mut record = Sink::new();
    write_group(&mut record, GroupVersion::Whole, &members.each_ref());
    fs::remove_dir_all(path.join("__group")).expect("details");
    fs::create_dir(path.join("__group")).expect("details");
    let file =
        path.join("__group/__1700000000000_1700000000000_0123456789abcdef0123456789abcdef_1");
    let file = Uri::parse(file.to_str().expect("path")).expect("uri");
    generic::write(&vfs, &file, record.as_slice(), None).expect("details");
    let found = pains.take("details of groups as they were", &path, details, || {
        read_group(&uri)
    });
    assert_eq!(found, 1);
}

#[test]
fn damaged_profiles_are_an_error_or_do_no_harm() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().expect("folder");
    let place = folder.path().to_str().expect("path");
    for name in ["one", "other"] {
        let mut profile = Profile::new(Some(name), Some(place)).expect("profile");
        profile.set("rest.username", name).expect("set");
        profile.set("rest.password", "secret").expect("set");
        profile.save(false).expect("saved");
    }
    let read = || {
        let mut profile = Profile::new(Some("other"), Some(place))?;
        profile.load()?;
        profile.dump();
        Ok(())
    };
    assert_eq!(
        Pains::asked().take("profiles", folder.path(), |_| true, read),
        1
    );
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("folder");
    for entry in fs::read_dir(from).expect("folder").flatten() {
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to),
            false => fs::write(&to, fs::read(entry.path()).expect("file")).expect("copy"),
        }
    }
}

#[test]
fn damaged_metadata_of_historical_releases_is_an_error_or_does_no_harm() {
    let Some(root) = std::env::var_os("TILEDB_RS_COMPAT_DIR") else {
        eprintln!("skipped: TILEDB_RS_COMPAT_DIR is not set");
        return;
    };
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().expect("folder");
    let pains = Pains::asked();
    let mut versions = 0;
    for version in fs::read_dir(root).expect("folder").flatten() {
        for name in [
            "sparse2d",
            "dense2d",
            "metadata",
            "sparse_string_mixed",
            "group/group",
        ] {
            let from = version.path().join(name);
            let from = match name {
                "group/group" => from,
                _ => from.join("array"),
            };
            if !from.is_dir() {
                continue;
            }
            let to = folder.path().join("copy");
            copy(&from, &to);
            let uri = to.to_str().expect("path").to_owned();
            let what = format!("{} {name}", version.file_name().to_string_lossy());
            // The cells of members and fields are no metadata.
            let picks = |name: &str| {
                let data = name.ends_with(".tdb")
                    && !name.contains("/__fragment_metadata")
                    && !name.ends_with("__array_schema.tdb");
                !data && !name.starts_with("arr") && !name.starts_with("sub")
            };
            let read = || match name {
                "group/group" => read_group(&uri),
                _ => read_array(&uri, None),
            };
            let found = pains.take(&what, &to, picks, read);
            // The first groups are an empty file.
            assert!(found > 0 || name.starts_with("group"), "{what}");
            versions += usize::from(name == "sparse2d");
            fs::remove_dir_all(&to).expect("remove");
        }
    }
    assert!(versions > 0, "no array of any version");
}
