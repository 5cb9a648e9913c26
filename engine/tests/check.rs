//! Checks of stored files: valid arrays have no findings, each damaged file has one, and remains of
//! killed processes are found and removed.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::context::Context as EngineContext;
use tiledb_engine::internal::group::{Group as EngineGroup, MemberUri};
use tiledb_engine::internal::types::QueryType;
use tiledb_engine::internal::vfs::Vfs;
use tiledb_engine::{
    Array, ArrayType, Context, Datatype, Finding, Group, MaintenanceMode, ObjectType, Schema,
    Severity, field,
};

fn context(parameters: &[(&str, &str)]) -> Context {
    let mut config = Config::new();
    for (name, value) in parameters {
        config.set(name, value).expect("parameter");
    }
    Context::with_config(config).expect("context")
}

/// An array in a folder of its own, with fragments of several fields, metadata and a delete.
struct Stored {
    folder: TempDir,
    context: Context,
}

impl Stored {
    fn new(array_type: ArrayType) -> Self {
        let stored = Self {
            folder: tempfile::tempdir().expect("folder"),
            context: context(&[("sm.vacuum.garbage_min_age_ms", "0")]),
        };
        let mut builder = Schema::builder(array_type)
            .dimension("x", Datatype::Int32, 0..=99, 10)
            .attribute("number", Datatype::Int64)
            .attribute("real", Datatype::Float64)
            .attribute("text", Datatype::StringAscii)
            .nullable_attribute("maybe", Datatype::Int16);
        if array_type == ArrayType::Sparse {
            builder = builder.capacity(7);
        }
        let schema = builder.build().expect("schema");
        Array::create(&stored.context, &stored.uri(), &schema).expect("create");
        for first in [0, 20] {
            stored.write(array_type, first);
        }
        let array = Array::open(&stored.context, &stored.uri()).expect("open");
        array.put_metadata("unit", "kelvin").expect("metadata");
        stored
    }

    fn write(&self, array_type: ArrayType, first: i32) {
        let array = Array::open(&self.context, &self.uri()).expect("open");
        let cells = first..first + 20;
        let mut write = array.write();
        if array_type == ArrayType::Sparse {
            write = write.column("x", cells.clone());
        } else {
            write = write.range("x", first..=first + 19);
        }
        write
            .column("number", cells.clone().map(|x| i64::from(x) * 3 - 20))
            .column("real", cells.clone().map(|x| f64::from(x) / 7.0))
            .column("text", cells.clone().map(|x| "t".repeat((x % 4) as usize)))
            .column("maybe", cells.map(|x| (x % 3 > 0).then_some(x as i16)))
            .submit()
            .expect("write");
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("array")
    }

    fn uri(&self) -> String {
        self.path().to_str().expect("text").to_owned()
    }

    fn findings(&self) -> Vec<Finding> {
        findings(&self.context, &self.uri())
    }

    fn sum(&self) -> i64 {
        let array = Array::open(&self.context, &self.uri()).expect("open");
        let numbers = array.read::<i64>("number").expect("read");
        // Cells that were never written have the least number.
        numbers.into_iter().fold(0, i64::wrapping_add)
    }
}

fn findings(context: &Context, uri: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    let summary = context.check(uri, |finding| {
        found.push(finding.clone());
        Ok(())
    });
    let summary = summary.expect("checked");
    assert!(summary.files > 0, "no file was read");
    assert_eq!(summary.findings.iter().sum::<u64>(), found.len() as u64);
    found
}

/// Returns all files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("folder").flatten() {
        if entry.path().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.push(entry.path());
        }
    }
    found.sort();
    found
}

#[test]
fn valid_arrays_have_no_findings() {
    for array_type in [ArrayType::Dense, ArrayType::Sparse] {
        let stored = Stored::new(array_type);
        assert_eq!(stored.findings(), []);
        let mut array = Array::open(&stored.context, &stored.uri()).expect("open");
        if array_type == ArrayType::Sparse {
            array.delete(&field("number").lt(0)).expect("delete");
        }
        for mode in [
            MaintenanceMode::FragmentMetadata,
            MaintenanceMode::Commits,
            MaintenanceMode::ArrayMetadata,
            MaintenanceMode::Fragments,
        ] {
            array.consolidate(mode).expect("consolidate");
            array.reopen().expect("reopen");
            assert_eq!(stored.findings(), [], "{mode:?}");
            array.vacuum(mode).expect("vacuum");
            assert_eq!(stored.findings(), [], "{mode:?} after vacuum");
        }
    }
}

#[test]
fn every_truncated_file_is_found() {
    for array_type in [ArrayType::Dense, ArrayType::Sparse] {
        let stored = Stored::new(array_type);
        let mut array = Array::open(&stored.context, &stored.uri()).expect("open");
        array
            .consolidate(MaintenanceMode::FragmentMetadata)
            .expect("consolidate");
        array.reopen().expect("reopen");
        let expected = stored.sum();
        let mut damaged = 0;
        for file in files(&stored.path()) {
            let bytes = fs::read(&file).expect("read");
            if bytes.is_empty() {
                continue;
            }
            fs::write(&file, &bytes[..bytes.len() / 2]).expect("write");
            // A schema that cannot be read ends the check with an error instead.
            let mut found = Vec::new();
            let checked = stored.context.check(&stored.uri(), |finding| {
                found.push(finding.clone());
                Ok(())
            });
            let is_found = checked.is_err()
                || found
                    .iter()
                    .any(|finding| finding.severity == Severity::Error);
            assert!(is_found, "{} was truncated: {found:?}", file.display());
            damaged += 1;
            fs::write(&file, &bytes).expect("write");
        }
        assert!(damaged > 10, "only {damaged} files were damaged");
        assert_eq!(stored.findings(), []);
        assert_eq!(stored.sum(), expected);
    }
}

/// Reads all cells, and aggregates that are computed from statistics. Returns the first error.
fn read_all(stored: &Stored) -> tiledb_engine::Result<()> {
    use tiledb_engine::AggregateOperator::{Max, Min, NullCount, Sum};
    let array = Array::open(&stored.context, &stored.uri())?;
    let query = array.query();
    query.aggregate(&[(Min, "number"), (Max, "number"), (Sum, "number")])?;
    query.aggregate(&[(Sum, "real"), (NullCount, "maybe"), (Max, "maybe")])?;
    query.batches()?.try_for_each(|batch| batch.map(drop))
}

/// Replaces bytes of the metadata of a fragment one after the other: whatever a read cannot read, a
/// check reports, and it continues with the other files.
#[test]
fn damaged_metadata_that_makes_reads_fail_is_found() {
    for array_type in [ArrayType::Dense, ArrayType::Sparse] {
        let stored = Stored::new(array_type);
        // Tiles at the edge of a dense fragment have statistics that cannot be compared.
        if array_type == ArrayType::Dense {
            let array = Array::open(&stored.context, &stored.uri()).expect("open");
            let write = array.write().range("x", 41..=43).column("number", 0..3i64);
            let write = write.column("real", [0.5f64; 3]).column("text", ["a"; 3]);
            let write = write.column("maybe", [Some(1i16), None, Some(3)]);
            write.submit().expect("write");
        }
        let all = files(&stored.path()).into_iter();
        let mut metadata = all.filter(|file| file.ends_with("__fragment_metadata.tdb"));
        let metadata = metadata.next_back().expect("a fragment");
        let bytes = fs::read(&metadata).expect("read");
        let mut failed = 0;
        for position in (0..bytes.len()).step_by(97) {
            let mut damaged = bytes.clone();
            damaged[position] ^= 0x10;
            fs::write(&metadata, &damaged).expect("write");
            let found = stored.findings();
            if let Err(error) = read_all(&stored) {
                failed += 1;
                let is_error = |finding: &Finding| finding.severity == Severity::Error;
                assert!(
                    found.iter().any(is_error),
                    "{array_type:?}, byte {position}: {error}"
                );
            }
        }
        assert!(failed > 3, "only {failed} reads failed");
        fs::write(&metadata, &bytes).expect("write");
        assert_eq!(stored.findings(), []);
    }
}

#[test]
fn a_damaged_vacuum_list_is_found() {
    let stored = Stored::new(ArrayType::Sparse);
    let array = Array::open(&stored.context, &stored.uri()).expect("open");
    array
        .consolidate(MaintenanceMode::Fragments)
        .expect("consolidate");
    let list = files(&stored.path()).into_iter();
    let mut list = list.filter(|file| file.extension().is_some_and(|extension| extension == "vac"));
    let list = list.next_back().expect("a list");
    fs::write(&list, b"\xff\xfe\n").expect("write");
    let found = stored.findings();
    let name = list
        .file_name()
        .and_then(|name| name.to_str())
        .expect("a name");
    let is_expected =
        |finding: &Finding| finding.severity == Severity::Error && finding.uri.ends_with(name);
    assert!(found.iter().any(is_expected), "{found:?}");
}

#[test]
fn data_that_contradicts_its_metadata_is_found() {
    for array_type in [ArrayType::Dense, ArrayType::Sparse] {
        let stored = Stored::new(array_type);
        let fragments = stored.path().join("__fragments");
        let mut names: Vec<PathBuf> = fs::read_dir(&fragments)
            .expect("folder")
            .flatten()
            .map(|entry| entry.path())
            .collect();
        names.sort();
        // The files of the two fragments have the same sizes and other values.
        let file = if array_type == ArrayType::Sparse {
            "d0.tdb"
        } else {
            "a0.tdb"
        };
        let (changed, other) = (names[0].join(file), names[1].join(file));
        let (bytes, others) = (
            fs::read(&changed).expect("read"),
            fs::read(&other).expect("read"),
        );
        assert!(bytes.len() == others.len() && bytes != others);
        fs::write(&changed, &others).expect("write");
        let found = stored.findings();
        let expected = if array_type == ArrayType::Sparse {
            "the MBR of tile 0 does not contain all coordinates of 'x'"
        } else {
            "the minimum or maximum of tile 0 of 'number' differs from its cells"
        };
        let is_expected =
            |finding: &Finding| finding.severity == Severity::Error && finding.problem == expected;
        assert!(found.iter().any(is_expected), "{found:?}");
    }
}

#[test]
fn missing_and_unknown_files_are_found() {
    let stored = Stored::new(ArrayType::Sparse);
    let array = stored.path();
    fs::write(array.join("notes.txt"), b"x").expect("write");
    let found = stored.findings();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].severity, Severity::Note);
    assert!(found[0].uri.ends_with("notes.txt"), "{found:?}");
    let data = files(&array);
    let data = data
        .iter()
        .find(|file| file.ends_with("a0.tdb"))
        .expect("a file");
    let mut bytes = fs::read(data).expect("read");
    bytes.push(0);
    fs::write(data, &bytes).expect("write");
    let found = stored.findings();
    assert!(
        found
            .iter()
            .any(|finding| finding.severity == Severity::Warning),
        "{found:?}"
    );
    fs::remove_file(data).expect("remove");
    let found = stored.findings();
    let missing = |finding: &&Finding| finding.problem == "the file does not exist";
    assert!(found.iter().any(|finding| missing(&finding)), "{found:?}");
}

#[test]
fn remains_are_found_and_removed_and_nothing_else() {
    for array_type in [ArrayType::Dense, ArrayType::Sparse] {
        let stored = Stored::new(array_type);
        let (array, expected) = (stored.path(), stored.sum());
        let before = files(&array);
        let temporary = array.join("__tmp_0123456789abcdef0123456789abcdef");
        fs::create_dir(&temporary).expect("folder");
        fs::write(temporary.join("part"), b"x").expect("write");
        let name = "__1_1_0123456789abcdef0123456789abcdef_22";
        let fragment = array.join("__fragments").join(name);
        fs::create_dir(&fragment).expect("folder");
        fs::write(fragment.join("a0.tdb"), b"x").expect("write");
        let left = files(&array);
        let found = stored.findings();
        let severities: Vec<Severity> = found.iter().map(|finding| finding.severity).collect();
        assert_eq!(severities, [Severity::Remains; 2], "{found:?}");
        let uri = stored.uri();
        assert_eq!(stored.context.clean(&uri, true).expect("clean").len(), 2);
        assert_eq!(files(&array), left, "a dry run removes nothing");
        assert_eq!(stored.context.clean(&uri, false).expect("clean").len(), 2);
        assert_eq!(files(&array), before);
        assert_eq!(stored.findings(), []);
        assert_eq!(stored.sum(), expected);
        assert_eq!(stored.context.clean(&uri, false).expect("clean").len(), 0);
    }
}

#[test]
fn fragments_without_a_commit_are_noted_until_they_are_remains() {
    let stored = Stored::new(ArrayType::Dense);
    let commits = stored.path().join("__commits");
    let commit = fs::read_dir(commits).expect("folder").flatten().next();
    fs::remove_file(commit.expect("a commit").path()).expect("remove");
    let context = context(&[]);
    let found = findings(&context, &stored.uri());
    let [note] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!(note.severity, Severity::Note);
    assert!(note.uri.contains("/__fragments/__"), "{note:?}");
    assert_eq!(context.clean(&stored.uri(), false).expect("clean").len(), 0);
    assert_eq!(stored.findings()[0].severity, Severity::Remains);
}

#[test]
fn members_of_groups_are_checked() {
    let stored = Stored::new(ArrayType::Sparse);
    let group_uri = stored.folder.path().join("group");
    let group_uri = group_uri.to_str().expect("text");
    Group::create(&stored.context, group_uri).expect("create");
    let group = Group::open(&stored.context, group_uri).expect("open");
    group.add(&stored.uri(), Some("member")).expect("add");
    assert_eq!(findings(&stored.context, group_uri), []);
    let data = files(&stored.path());
    let data = data
        .iter()
        .find(|file| file.ends_with("a0.tdb"))
        .expect("a file");
    fs::write(data, b"x").expect("write");
    let found = findings(&stored.context, group_uri);
    assert!(
        found
            .iter()
            .any(|finding| finding.severity == Severity::Error),
        "{found:?}"
    );
    fs::remove_dir_all(stored.path()).expect("remove");
    let found = findings(&stored.context, group_uri);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].problem.ends_with("does not exist"), "{found:?}");
}

/// One member is on a server that is not configured. Those after it are checked.
#[test]
fn members_that_cannot_be_reached_are_found() {
    let stored = Stored::new(ArrayType::Sparse);
    let group_uri = stored.folder.path().join("group");
    let group_uri = group_uri.to_str().expect("text");
    Group::create(&stored.context, group_uri).expect("create");
    let context = EngineContext::new(Config::new()).expect("context");
    let vfs = Vfs::new(&context).expect("vfs");
    let group = EngineGroup::new(&vfs, group_uri).expect("group");
    group.open(QueryType::Write).expect("open");
    let own = stored.uri();
    let members = [
        ("tiledb://server/array", "b"),
        (&own[..], "a"),
        ("mem://none", "c"),
    ];
    for (uri, name) in members {
        let kind = Some(ObjectType::Array);
        group
            .add_member(MemberUri::Absolute(uri), Some(name), kind)
            .expect("member");
    }
    group.close().expect("close");
    let found = findings(&stored.context, group_uri);
    let uris: Vec<&str> = found.iter().map(|finding| &finding.uri[..]).collect();
    assert_eq!(uris, ["tiledb://server/array", "mem://none"], "{found:?}");
    assert_eq!(found[0].severity, Severity::Error);
}

#[test]
fn objects_that_do_not_exist_are_an_error() {
    let context = Context::new().expect("context");
    assert!(context.check("mem://none", |_| Ok(())).is_err());
    assert!(context.clean("mem://none", true).is_err());
}

/// Arrays written by earlier releases of libtiledb in all format versions.
#[test]
fn arrays_of_every_format_version_have_no_errors() {
    let Some(root) = std::env::var_os("TILEDB_RS_COMPAT_DIR") else {
        eprintln!("skipped: TILEDB_RS_COMPAT_DIR is not set");
        return;
    };
    let contexts = [
        context(&[]),
        context(&[
            ("sm.encryption_key", "0123456789abcdeF0123456789abcdeF"),
            ("sm.encryption_type", "AES_256_GCM"),
        ]),
    ];
    let (mut checked, mut wrong) = (0, Vec::new());
    for version in fs::read_dir(root).expect("folder").flatten() {
        for array in fs::read_dir(version.path()).into_iter().flatten().flatten() {
            let path = array.path().join("array");
            // libtiledb cannot read the schemas of these either.
            let unreadable = [
                "upstream_dense_array_v1_3_0/array",
                "upstream_experimental_array_vUINT32_MAX/array",
            ];
            if !path.is_dir() || unreadable.iter().any(|name| path.ends_with(name)) {
                continue;
            }
            let uri = path.to_str().expect("text");
            let mut found = Vec::new();
            let checks = contexts.iter().map(|context| {
                found.clear();
                context.check(uri, |finding| {
                    found.extend((finding.severity > Severity::Remains).then(|| finding.clone()));
                    Ok(())
                })
            });
            let ended = checks.into_iter().find_map(Result::ok);
            checked += u32::from(ended.is_some());
            if ended.is_none() || !found.is_empty() {
                wrong.push(format!("{uri}: {ended:?} {found:?}"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} arrays:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(checked > 400, "only {checked} arrays were checked");
}
