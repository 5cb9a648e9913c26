//! Random histories of groups compared with a model: members, metadata, and consolidation and
//! vacuum of the metadata.

use std::collections::BTreeMap;

use tiledb_engine::Result;
use tiledb_engine::internal::array::WithMetadata;
use tiledb_engine::internal::check;
use tiledb_engine::internal::group::{self, Group, MemberUri};
use tiledb_engine::internal::types::{Datatype, ObjectType, QueryType};
use tiledb_engine::internal::vfs::{Uri, Vfs};

use super::is_selected;
use super::random::{self, Random};
use super::servers;
use super::setup::config;
use super::storage::{Store, StoreKind};

/// What a group contains.
#[derive(Clone, Debug, Default, PartialEq)]
struct Content {
    /// The URIs of members by name.
    members: BTreeMap<String, String>,
    metadata: BTreeMap<String, u8>,
}

/// A change of a group.
#[derive(Clone, Debug)]
enum Change {
    Add(String, String),
    Remove(String),
    Put(String, u8),
    Delete(String),
}

fn opened(store: &Store, query_type: QueryType, timestamp: u64) -> Result<Group> {
    let group = Group::new(&store.vfs, &store.uri)?;
    let timestamp = timestamp.to_string();
    group.set_config(&config(&[("sm.group.timestamp_end", &timestamp)]))?;
    group.open(query_type)?;
    Ok(group)
}

fn read(store: &Store, timestamp: u64) -> Result<Content> {
    let group = opened(store, QueryType::Read, timestamp)?;
    let mut content = Content::default();
    for index in 0..group.member_count()? {
        let member = group.member_at(index)?;
        let name = member.name.clone().unwrap_or_default();
        let uri = Uri::parse(&member.uri.to_string())?;
        content.members.insert(name, uri.name().to_owned());
    }
    for index in 0..group.metadata_num()? {
        let read = group.metadata_at(index, |item| (item.key().to_owned(), item.words[0]));
        let (key, word) = read?;
        content.metadata.insert(key, word as u8);
    }
    Ok(content)
}

fn write(store: &Store, timestamp: u64, changes: &[Change]) -> Result<()> {
    let group = opened(store, QueryType::Write, timestamp)?;
    for change in changes {
        match change {
            Change::Add(name, path) => group.add_member(
                MemberUri::Relative(path),
                Some(name),
                Some(ObjectType::Group),
            )?,
            Change::Remove(name) => group.remove_member(name)?,
            Change::Put(key, value) => group.put_metadata(Some(key), Datatype::Uint8, &[*value])?,
            Change::Delete(key) => group.delete_metadata(Some(key))?,
        }
    }
    group.close()
}

fn apply(content: &Content, changes: &[Change]) -> Content {
    let mut content = content.clone();
    for change in changes {
        match change {
            Change::Add(name, uri) => drop(content.members.insert(name.clone(), uri.clone())),
            Change::Remove(name) => drop(content.members.remove(name)),
            Change::Put(key, value) => drop(content.metadata.insert(key.clone(), *value)),
            Change::Delete(key) => drop(content.metadata.remove(key)),
        }
    }
    content
}

/// Returns changes that a group with a content may have.
fn random_changes(random: &mut Random, content: &Content) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut touched = Vec::new();
    for _ in 0..1 + random.below(3) {
        let name = format!("n{}", random.below(4));
        match random.below(3) {
            0 if !touched.contains(&name) => {
                changes.push(if content.members.contains_key(&name) {
                    Change::Remove(name.clone())
                } else {
                    Change::Add(name.clone(), format!("m{}", &name[1..]))
                });
                touched.push(name);
            }
            1 => changes.push(Change::Delete(format!("key {}", random.below(4)))),
            _ => {
                let value = random.below(200) as u8;
                changes.push(Change::Put(format!("key {}", random.below(4)), value));
            }
        }
    }
    changes
}

/// Consolidates or vacuums metadata, in any of the ways that exist, or consolidates the metadata of
/// a time range.
fn maintain(store: &Store, choice: u64, (start, end): (u64, u64)) -> Result<()> {
    use tiledb_engine::internal::maintenance::{consolidate, vacuum};
    let mode = |name: &str| config(&[(name, "group_meta"), ("sm.vacuum.garbage_min_age_ms", "0")]);
    let range = config(&[
        ("sm.consolidation.mode", "group_meta"),
        ("sm.consolidation.timestamp_start", &start.to_string()),
        ("sm.consolidation.timestamp_end", &end.to_string()),
    ]);
    let (vfs, uri) = (&store.vfs, store.uri.as_str());
    match choice {
        0 => group::consolidate_metadata(vfs, uri, &config(&[])),
        1 => group::vacuum_metadata(vfs, uri, &config(&[])),
        2 => consolidate(vfs, uri, &mode("sm.consolidation.mode")),
        3 => vacuum(vfs, uri, &mode("sm.vacuum.mode")),
        4 => group::consolidate_metadata(vfs, uri, &range),
        _ => consolidate(vfs, uri, &range),
    }
}

fn run(seed: u64, kind: StoreKind) {
    let mut random = Random(seed ^ 0x9999);
    let mut store = Store::new(kind, &format!("group-{seed}"), &[], &mut random);
    prepare(&store.vfs, &store.uri);
    let first = std::time::UNIX_EPOCH.elapsed().expect("clock").as_millis() as u64 + 1000;
    let mut now = first;
    let mut history = vec![(0, Content::default())];
    // Metadata at earlier times is certain from here on.
    let mut metadata_from = 0;
    for step in 0..4 + random.below(12) {
        let content = history.last().expect("a content").1.clone();
        let choice = random.below(6);
        let (start, end) = random.range_below(now + 20 - first);
        let range = (first + start, first + end);
        let (new, description) = if random.below(2) == 0 {
            now += 10;
            let changes = random_changes(&mut random, &content);
            store.inject(&mut random);
            let done = write(&store, now, &changes);
            let has_failed = store.heal();
            let new = apply(&content, &changes);
            if let Err(error) = done {
                assert!(has_failed, "step {step}: {error}");
                let seen = read(&store, now).expect("reads");
                // Members and metadata are two files.
                let of_members = Content {
                    metadata: content.metadata.clone(),
                    ..new.clone()
                };
                let of_metadata = Content {
                    members: content.members.clone(),
                    ..new.clone()
                };
                let possible = [&content, &new, &of_members, &of_metadata];
                assert!(possible.contains(&&seen), "step {step}: {error}: {seen:?}");
                let missing: Vec<Change> = changes
                    .iter()
                    .filter(|change| match change {
                        Change::Add(..) | Change::Remove(_) => seen.members != new.members,
                        Change::Put(..) | Change::Delete(_) => true,
                    })
                    .cloned()
                    .collect();
                write(&store, now, &missing).expect("repeats");
            }
            (new, format!("{changes:?}"))
        } else {
            store.inject(&mut random);
            let done = maintain(&store, choice, range);
            let has_failed = store.heal();
            if let Err(error) = done {
                assert!(has_failed, "step {step}, {choice}: {error}");
                assert_eq!(read(&store, now).expect("reads"), content, "step {step}");
                maintain(&store, choice, range).expect("repeats");
            }
            if matches!(choice, 1 | 3) {
                metadata_from = now;
            }
            (content, format!("maintenance {choice}"))
        };
        history.push((now, new));
        let past = first + random.below(now + 5 - first);
        for time in [now + 5, past] {
            let before = history.iter().rev().find(|(when, _)| *when <= time);
            let expected = &before.expect("the beginning").1;
            let seen = read(&store, time).expect("reads");
            assert_eq!(seen.members, expected.members, "step {step}: {description}");
            if time >= metadata_from {
                assert_eq!(
                    seen.metadata, expected.metadata,
                    "step {step}: {description}"
                );
            }
        }
    }
    let findings = check::check(&store.vfs, &store.uri, &config(&[]), &mut |finding| {
        assert!(
            finding.severity <= tiledb_engine::Severity::Remains,
            "{finding:?}"
        );
        Ok(())
    });
    findings.expect("check");
    if matches!(kind, StoreKind::Service(_)) {
        let uri = Uri::parse(&store.uri).expect("URI");
        store.vfs.remove_dir(&uri).expect("removes");
    }
}

/// Creates a group and the groups that become its members.
fn prepare(vfs: &std::sync::Arc<Vfs>, uri: &str) {
    group::create(vfs, uri).expect("group");
    for number in 0..4 {
        group::create(vfs, &format!("{uri}/m{number}")).expect("group");
    }
}

#[test]
fn groups_equal_the_model_at_any_timestamp() {
    let kinds: Vec<StoreKind> = StoreKind::LOCAL
        .into_iter()
        .filter(|kind| is_selected(*kind))
        .collect();
    if !kinds.is_empty() {
        let seeds = random::for_each_seed(200, |seed| {
            run(seed, kinds[seed as usize % kinds.len()]);
        });
        println!("seeds {seeds:?}");
    }
}

#[test]
fn groups_equal_the_model_on_every_service() {
    for (index, server) in servers::all().iter().enumerate() {
        let kind = StoreKind::Service(server);
        if is_selected(kind) {
            let first = 1000 * index as u64;
            random::for_each_seed(1, |seed| run(first + seed, kind));
        }
    }
}
