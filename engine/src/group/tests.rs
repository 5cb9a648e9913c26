//! Compares members over many openings with a map, and tests files of both versions.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;

use super::{Group, MemberUri, create, details};
use crate::array::WithMetadata;
use crate::config::Config;
use crate::context::Context;
use crate::error::{Cause, GroupError, MetadataError};
use crate::format::group::{GroupMember, GroupVersion};
use crate::format::names::{FragmentName, folders};
use crate::types::{Datatype, ObjectType, QueryType, TimeRange};
use crate::vfs::{Uri, Vfs};

struct TestGroup {
    folder: tempfile::TempDir,
    vfs: Arc<Vfs>,
    uri: String,
}

impl TestGroup {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let uri = folder
            .path()
            .join("group")
            .to_str()
            .expect("text")
            .to_owned();
        let vfs = Vfs::new(&Context::new(Config::new()).expect("context")).expect("vfs");
        create(&vfs, &uri).expect("created");
        Self { folder, vfs, uri }
    }

    fn open(&self, query_type: QueryType) -> Group {
        let group = Group::new(&self.vfs, &self.uri).expect("group");
        group.open(query_type).expect("opened");
        group
    }

    /// Names and URIs without that of the group.
    fn members(&self) -> BTreeMap<String, String> {
        let group = self.open(QueryType::Read);
        let prefix = format!("{}/", &group.uri);
        let members = group.members().into_iter().map(|member| {
            let relative_uri = member.uri.strip_prefix(&prefix).expect("below").to_owned();
            (member.name.expect("name"), relative_uri)
        });
        let members: BTreeMap<_, _> = members.collect();
        assert_eq!(group.member_count().expect("count"), members.len() as u64);
        members
    }
}

fn member(name: &str, uri: &str, removed: bool) -> GroupMember {
    GroupMember {
        kind: ObjectType::Array,
        relative: true,
        uri: uri.into(),
        name: Some(name.into()),
        removed,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]
    #[test]
    fn members_equal_the_changes_of_all_openings(
        openings in proptest::collection::vec(
            proptest::collection::vec(("[a-d]", proptest::option::of("[x-z]")), 0..4), 1..6)
    ) {
        let setup = TestGroup::new();
        let mut expected = BTreeMap::new();
        for changes in openings {
            let group = setup.open(QueryType::Write);
            let before: BTreeMap<String, String> = expected.clone();
            let mut added = Vec::new();
            let mut removed = Vec::new();
            for (name, uri) in changes {
                match uri {
                    Some(uri) => {
                        let done = group.add_member(MemberUri::Relative(&uri), Some(&name), Some(ObjectType::Array));
                        prop_assert_eq!(done.is_ok(), !added.contains(&name));
                        if done.is_ok() {
                            expected.insert(name.clone(), uri);
                            added.push(name);
                        }
                    }
                    None => {
                        let done = group.remove_member(&name);
                        let may = before.contains_key(&name) && !added.contains(&name) && !removed.contains(&name);
                        prop_assert_eq!(done.is_ok(), may);
                        if done.is_ok() {
                            expected.remove(&name);
                            removed.push(name);
                        }
                    }
                }
            }
            group.close().expect("closed");
            prop_assert_eq!(&setup.members(), &expected);
        }
    }
}

#[test]
fn complete_member_files_replace_older_ones() {
    let setup = TestGroup::new();
    let uri = Uri::parse(&setup.uri).expect("uri");
    let write = |timestamp, version, entries: &[GroupMember]| {
        let entries: Vec<_> = entries.iter().collect();
        details::write(&setup.vfs, &uri, timestamp, version, &entries, None).expect("written");
    };
    write(1, GroupVersion::Changes, &[member("a", "x", false)]);
    write(
        2,
        GroupVersion::Whole,
        &[member("b", "y", false), member("c", "z", false)],
    );
    let names = |members: BTreeMap<String, String>| members.into_keys().collect::<String>();
    assert_eq!(names(setup.members()), "bc");
    let group = setup.open(QueryType::Write);
    group.remove_member("b").expect("removed");
    group
        .add_member(MemberUri::Relative("x"), Some("d"), Some(ObjectType::Array))
        .expect("added");
    group.close().expect("closed");
    assert_eq!(names(setup.members()), "cd");
    write(
        u64::MAX >> 1,
        GroupVersion::Changes,
        &[member("c", "z", true)],
    );
    assert_eq!(names(setup.members()), "cd", "not yet");
}

#[test]
fn recursive_removal_keeps_foreign_files_and_ends_in_cycles() {
    let setup = TestGroup::new();
    let inner = format!("{}/inner", setup.uri);
    create(&setup.vfs, &inner).expect("created");
    for (parent, to) in [(&setup.uri, &inner), (&inner, &setup.uri)] {
        let group = Group::new(&setup.vfs, parent).expect("group");
        group.open(QueryType::Write).expect("opened");
        group
            .add_member(MemberUri::Absolute(to), None, None)
            .expect("added");
        group.close().expect("closed");
    }
    let foreign_file = setup.folder.path().join("group/mine");
    std::fs::write(&foreign_file, "x").expect("file");
    let group = setup.open(QueryType::ModifyExclusive);
    group.delete(&setup.uri, true).expect("removed");
    assert!(!group.is_open());
    assert!(foreign_file.exists());
    assert!(!setup.folder.path().join("group/inner").exists());
    assert!(
        !setup
            .folder
            .path()
            .join("group")
            .join(folders::GROUP_FILE)
            .exists()
    );
}

#[test]
fn deleting_a_missing_group_removes_no_members() {
    let setup = TestGroup::new();
    let inner = format!("{}/inner", setup.uri);
    create(&setup.vfs, &inner).expect("created");
    let group = setup.open(QueryType::Write);
    group
        .add_member(MemberUri::Relative("inner"), None, None)
        .expect("added");
    group.close().expect("closed");
    let group = setup.open(QueryType::ModifyExclusive);
    let missing = format!("{}/missing", setup.uri);
    for recursive in [false, true] {
        group.delete(&missing, recursive).expect_err("no group");
        assert!(group.is_open());
        assert!(setup.folder.path().join("group/inner").exists());
    }
    group.delete(&setup.uri, true).expect("removed");
    assert!(!setup.folder.path().join("group").exists());
}

#[test]
fn damaged_details_are_errors_that_name_the_file() {
    let setup = TestGroup::new();
    let group = setup.open(QueryType::Write);
    group
        .add_member(MemberUri::Relative("x"), Some("a"), None)
        .expect("added");
    group.close().expect("closed");
    let folder = setup
        .folder
        .path()
        .join("group")
        .join(folders::GROUP_DETAILS);
    let file = std::fs::read_dir(folder).expect("folder").flatten().next();
    let file = file.expect("file").path();
    let whole = std::fs::read(&file).expect("bytes");
    for cut in 0..whole.len() {
        std::fs::write(&file, &whole[..cut]).expect("written");
        let group = Group::new(&setup.vfs, &setup.uri).expect("group");
        let error = group.open(QueryType::Read).expect_err("cut short");
        assert!(matches!(error.cause(), Cause::Corrupt { .. }), "{error}");
    }
    for offset in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[offset] ^= 0x55;
        std::fs::write(&file, &bytes).expect("written");
        // Must not panic; names and types may differ.
        let _ = Group::new(&setup.vfs, &setup.uri)
            .expect("group")
            .open(QueryType::Read);
    }
}

#[cfg(target_pointer_width = "64")]
#[test]
fn metadata_with_more_values_than_the_format_can_count_is_an_error() {
    let setup = TestGroup::new();
    let group = setup.open(QueryType::Write);
    // Zeros that are only allocated use no memory.
    let zeros = vec![0; 1 << 32];
    let error = group.put_metadata(Some("a"), Datatype::Uint8, &zeros);
    let error = error.expect_err("too many values");
    let Cause::Metadata(MetadataError::TooManyValues { number, .. }) = error.cause() else {
        panic!("{error}");
    };
    assert_eq!(*number, 1 << 32);
    assert!(group.put_metadata(Some("a"), Datatype::Uint8, &[1]).is_ok());
    group.close().expect("closed");
}

#[test]
fn cycles_of_relative_members_end() {
    let setup = TestGroup::new();
    let inner = format!("{}/inner", setup.uri);
    create(&setup.vfs, &inner).expect("created");
    for (uri, members) in [(&setup.uri, &[".", "inner"][..]), (&inner, &["..", "./"])] {
        let group = Group::new(&setup.vfs, uri).expect("group");
        group.open(QueryType::Write).expect("opened");
        for member in members {
            group
                .add_member(MemberUri::Relative(member), None, None)
                .expect("added");
        }
        group.close().expect("closed");
    }
    let text = setup.open(QueryType::Read).dump(true).expect("text");
    assert_eq!(text.lines().count(), 5, "{text}");
    let group = setup.open(QueryType::ModifyExclusive);
    group.delete(&setup.uri, true).expect("removed");
    assert!(!setup.folder.path().join("group").exists());
}

/// Creates groups of which each contains the next one twice, `levels` times.
fn create_doubling_groups(setup: &TestGroup, levels: usize) {
    let uri = |level| match level {
        0 => setup.uri.clone(),
        level => format!("{}{level}", setup.uri),
    };
    for level in 0..levels {
        create(&setup.vfs, &uri(level + 1)).expect("created");
        let group = Group::new(&setup.vfs, &uri(level)).expect("group");
        group.open(QueryType::Write).expect("opened");
        for name in ["a", "b"] {
            let kind = Some(ObjectType::Group);
            group
                .add_member(MemberUri::Absolute(&uri(level + 1)), Some(name), kind)
                .expect("added");
        }
        group.close().expect("closed");
    }
}

#[test]
fn groups_that_are_listed_again_have_their_members() {
    let setup = TestGroup::new();
    create_doubling_groups(&setup, 6);
    let text = setup.open(QueryType::Read).dump(true).expect("text");
    assert_eq!(text.lines().count(), (1 << 7) - 1);
}

#[test]
fn the_number_of_groups_that_are_listed_again_is_limited() {
    let setup = TestGroup::new();
    create_doubling_groups(&setup, 40);
    let text = setup.open(QueryType::Read).dump(true).expect("text");
    // Each group has at most two members.
    let most = 1 + 2 * (40 + super::dump::MAX_REPEATS);
    let lines = text.lines().count();
    assert!((10_000..=most).contains(&lines), "{lines}");
}

#[test]
fn dumps_that_exceed_the_memory_budget_are_errors() {
    const BUDGET: usize = 1 << 20;
    let setup = TestGroup::new();
    let inner = format!("{}/inner", setup.uri);
    create(&setup.vfs, &inner).expect("created");
    let group = Group::new(&setup.vfs, &inner).expect("group");
    group.open(QueryType::Write).expect("opened");
    let long_name = "a".repeat(BUDGET / 8);
    let kind = Some(ObjectType::Array);
    group
        .add_member(MemberUri::Relative("array"), Some(&long_name), kind)
        .expect("added");
    group.close().expect("closed");
    // Each membership lists the long name again.
    let group = setup.open(QueryType::Write);
    for name in ["b", "c", "d", "e", "f", "g", "h", "i"] {
        let kind = Some(ObjectType::Group);
        group
            .add_member(MemberUri::Absolute(&inner), Some(name), kind)
            .expect("added");
    }
    group.close().expect("closed");
    let dumped = |budget: usize, recursive| {
        let mut config = Config::new();
        let budget = budget.to_string();
        config.set("sm.mem.total_budget", &budget).expect("set");
        let group = Group::new(&setup.vfs, &setup.uri).expect("group");
        group.set_config(&config).expect("config");
        group.open(QueryType::Read).expect("opened");
        group.dump(recursive)
    };
    let result = dumped(BUDGET, true).map(|text| text.len());
    let error = result.expect_err("too long");
    let Cause::Group(GroupError::LongDump { limit, .. }) = error.cause() else {
        panic!("{error}");
    };
    assert_eq!(*limit, BUDGET as u64);
    dumped(BUDGET, false).expect("short without the members of members");
    assert_eq!(dumped(2 * BUDGET, true).expect("text").lines().count(), 17);
}

#[test]
fn deeply_nested_groups_do_not_overflow_the_stack() {
    const DEPTH: usize = 400;
    let setup = TestGroup::new();
    let uris: Vec<String> = std::iter::once(setup.uri.clone())
        .chain((1..DEPTH).map(|depth| format!("{}{depth}", setup.uri)))
        .collect();
    for pair in uris.windows(2) {
        create(&setup.vfs, &pair[1]).expect("created");
        let group = Group::new(&setup.vfs, &pair[0]).expect("group");
        group.open(QueryType::Write).expect("opened");
        let kind = Some(ObjectType::Group);
        group
            .add_member(MemberUri::Absolute(&pair[1]), Some("within"), kind)
            .expect("added");
        group.close().expect("closed");
    }
    let dumped_and_removed = || {
        let text = setup.open(QueryType::Read).dump(true).expect("text");
        assert_eq!(text.matches("- within GROUP\n").count(), DEPTH - 1);
        let group = setup.open(QueryType::ModifyExclusive);
        group.delete(&setup.uri, true).expect("removed");
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(256 << 10);
        let thread = thread.spawn_scoped(scope, dumped_and_removed);
        thread.expect("thread").join().expect("room enough");
    });
    let left = std::fs::read_dir(setup.folder.path()).expect("folder");
    assert_eq!(left.count(), 0);
}

impl TestGroup {
    fn add(&self, name: &str) {
        let group = self.open(QueryType::Write);
        group
            .add_member(
                MemberUri::Relative("x"),
                Some(name),
                Some(ObjectType::Array),
            )
            .expect("added");
        group.close().expect("closed");
    }

    /// Returns the files that list members, oldest first.
    fn files(&self) -> Vec<std::path::PathBuf> {
        let folder = self
            .folder
            .path()
            .join("group")
            .join(folders::GROUP_DETAILS);
        let entries = self
            .vfs
            .list(&Uri::parse(folder.to_str().expect("text")).expect("uri"));
        let names = details::names(&entries.expect("listing"), TimeRange::ALL);
        names
            .iter()
            .map(|name| folder.join(name.as_str()))
            .collect()
    }

    fn names(&self) -> Vec<String> {
        self.members().into_keys().collect()
    }
}

#[test]
fn only_the_newest_of_the_files_of_this_library_is_read() {
    let setup = TestGroup::new();
    let mut expected: Vec<String> = (0..30).map(|index| format!("m{index:02}")).collect();
    for name in &expected {
        setup.add(name);
    }
    let group = setup.open(QueryType::Write);
    group.remove_member("m07").expect("removed");
    group.close().expect("closed");
    expected.retain(|name| name != "m07");
    let files = setup.files();
    assert_eq!(files.len(), 31);
    let (newest, older) = files.split_last().expect("files");
    for file in older {
        std::fs::write(file, "damaged").expect("written");
    }
    assert_eq!(setup.names(), expected);
    setup.add("m30");
    expected.push("m30".into());
    assert_eq!(setup.names(), expected);
    // Without the newest files, the others count.
    std::fs::remove_file(setup.files().last().expect("a file")).expect("removed");
    std::fs::remove_file(newest).expect("removed");
    let group = Group::new(&setup.vfs, &setup.uri).expect("group");
    let error = group.open(QueryType::Read).expect_err("damaged");
    assert!(matches!(error.cause(), Cause::Corrupt { .. }), "{error}");
}

#[test]
fn files_that_other_writers_insert_among_those_of_this_library_are_read() {
    let setup = TestGroup::new();
    let uri = Uri::parse(&setup.uri).expect("uri");
    let write = |timestamp, entries: &[GroupMember]| {
        let (version, entries) = (GroupVersion::Changes, entries.iter().collect::<Vec<_>>());
        details::write(&setup.vfs, &uri, timestamp, version, &entries, None).expect("written");
    };
    setup.add("a");
    setup.add("b");
    // libtiledb may add a file with an earlier timestamp, and one with a later one.
    write(1, &[member("early", "x", false), member("a", "y", false)]);
    assert_eq!(setup.names(), ["a", "b", "early"]);
    assert_eq!(setup.members()["a"], "x", "the newest entry counts");
    let later = crate::types::now() + 1;
    write(later, &[member("b", "x", true), member("late", "x", false)]);
    while crate::types::now() <= later {}
    assert_eq!(setup.names(), ["a", "early", "late"]);
    setup.add("z");
    assert_eq!(setup.names(), ["a", "early", "late", "z"]);
    let files = setup.files();
    for file in &files[..files.len() - 1] {
        std::fs::write(file, "damaged").expect("written");
    }
    assert_eq!(setup.names(), ["a", "early", "late", "z"]);
    // An entry of a file that is inserted later counts, and all files are read again.
    write(2, &[member("earlier", "x", false)]);
    let group = Group::new(&setup.vfs, &setup.uri).expect("group");
    group.open(QueryType::Read).expect_err("damaged");
}

/// libtiledb reads files of one millisecond in any order.
#[test]
fn files_of_quick_changes_have_ascending_timestamps_that_are_not_ahead() {
    let setup = TestGroup::new();
    for number in 0..20 {
        setup.add(&number.to_string());
        let times: Vec<TimeRange> = setup
            .files()
            .iter()
            .filter_map(|file| FragmentName::parse(file.file_name()?.to_str()?))
            .map(|name| name.timestamps())
            .collect();
        assert_eq!(times.len(), number + 1);
        assert!(
            times.windows(2).all(|pair| pair[0].end < pair[1].start),
            "{times:?}"
        );
        assert!(
            times.iter().all(|time| time.end <= crate::types::now()),
            "{times:?}"
        );
    }
}

#[test]
fn members_at_earlier_times_are_those_of_the_files_until_then() {
    let setup = TestGroup::new();
    let open_at = |query_type, range: [u64; 2]| {
        let mut config = Config::new();
        for (name, time) in ["sm.group.timestamp_start", "sm.group.timestamp_end"]
            .into_iter()
            .zip(range)
        {
            config.set(name, &time.to_string()).expect("set");
        }
        let group = Group::new(&setup.vfs, &setup.uri).expect("group");
        group.set_config(&config).expect("config");
        group.open(query_type).expect("opened");
        group
    };
    for (name, time) in [("a", 10), ("b", 20), ("c", 20), ("d", 30)] {
        let group = open_at(QueryType::Write, [0, time]);
        group
            .add_member(
                MemberUri::Relative("x"),
                Some(name),
                Some(ObjectType::Array),
            )
            .expect("added");
        group.close().expect("closed");
    }
    let names = |range| -> String {
        let members = open_at(QueryType::Read, range).members();
        members
            .into_iter()
            .filter_map(|member| member.name)
            .collect()
    };
    assert_eq!(names([0, 9]), "");
    assert_eq!(names([0, 10]), "a");
    assert_eq!(names([0, 20]), "abc");
    assert_eq!(names([0, 30]), "abcd");
    // Each file lists the members that were known when it was written.
    assert_eq!(names([30, 40]), "abcd");
}
