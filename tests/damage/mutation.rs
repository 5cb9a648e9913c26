//! Mutations of the files of an object: contents, names, and files exchanged with one another.

use tiledb_engine::internal::bytes::Sink;
use tiledb_engine::internal::format::group::{GroupMember, GroupVersion, write_group};
use tiledb_engine::internal::format::version::FormatVersion;
use tiledb_engine::internal::tile::generic;
use tiledb_engine::internal::types::{EncryptionKey, ObjectType};

use crate::numbers;
use crate::random::Random;
use crate::records;
use crate::source::Files;
use crate::special::{self, Special};

/// The mutations of an object.
#[derive(Debug, Default)]
pub(crate) struct Mutations {
    /// One line for each mutation.
    pub(crate) log: Vec<String>,
    /// The files whose bytes changed, if that was the only kind of mutation: without renamed or
    /// exchanged files and replaced records.
    pub(crate) changed_bytes: Option<Vec<String>>,
    /// The replacements of files and folders, by path.
    pub(crate) specials: Vec<(String, Special)>,
}

/// The input of mutations.
pub(crate) struct Material<'a> {
    /// The files of another object.
    pub(crate) other: &'a Files,
    pub(crate) key: Option<&'a EncryptionKey>,
    pub(crate) is_group: bool,
}

/// Mutates the files of an object once or several times.
pub(crate) fn mutate(files: &mut Files, material: &Material<'_>, random: &mut Random) -> Mutations {
    let count = match random.below(10) {
        0..=6 => 1,
        7 | 8 => 2,
        _ => 3 + random.below(4),
    };
    let mut done = Mutations {
        changed_bytes: Some(Vec::new()),
        ..Mutations::default()
    };
    for _ in 0..count {
        mutate_once(files, material, random, &mut done);
    }
    done
}

fn mutate_once(
    files: &mut Files,
    material: &Material<'_>,
    random: &mut Random,
    done: &mut Mutations,
) {
    let path = pick_file(files, random);
    let choice = random.below(22);
    let group = material.is_group && random.below(3) == 0;
    let structure = match (group, path) {
        (true, _) => Some(group_members(files, material.key, random)),
        (_, None) => Some(extra_file(files, random)),
        (_, Some(path)) => match choice {
            0..=11 => {
                done.log
                    .push(mutate_content(files, &path, material, random));
                if let Some(changed) = &mut done.changed_bytes {
                    changed.push(path);
                }
                None
            }
            12..=14 => Some(exchange(files, &path, material.other, random)),
            15 => Some(remove(files, &path)),
            16 | 17 => Some(rename(files, &path, random)),
            18 => Some(mutate_names_in(files, random)),
            19 => Some(extra_file(files, random)),
            _ => {
                let (path, special) = special::replace(files, &path, random);
                let replaced = format!("{path}: replaced by {special:?}");
                done.specials.push((path, special));
                Some(replaced)
            }
        },
    };
    if let Some(structure) = structure {
        done.log.push(structure);
        done.changed_bytes = None;
    }
}

/// Returns the kind of a file. All kinds are picked equally often, regardless of the number of
/// their files.
fn kind(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    let folder = path.split('/').next().unwrap_or_default();
    match (name.rsplit_once('.'), folder) {
        (_, "__labels") => "label",
        (Some((name, "tdb")), _) if name.starts_with("__fragment_metadata") => "footer",
        (Some((name, "tdb")), _) if name.starts_with("__array_schema") => "schema",
        (Some((name, "tdb")), _) if name.ends_with("_var") => "var",
        (Some((name, "tdb")), _) if name.ends_with("_validity") => "validity",
        (Some((name, "tdb")), _) if name.starts_with('d') => "coordinates",
        (Some((_, "tdb")), _) => "data",
        (Some((_, extension)), _) => extension,
        (None, _) if path.contains("__enumerations") => "enumeration",
        (None, folder) => folder,
    }
}

fn pick_file(files: &Files, random: &mut Random) -> Option<String> {
    let paths: Vec<&String> = paths(files).collect();
    let mut kinds: Vec<&str> = paths.iter().map(|path| kind(path)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    if kinds.is_empty() {
        return None;
    }
    let picked = random.one_of(&kinds);
    let paths: Vec<&String> = paths
        .into_iter()
        .filter(|path| kind(path) == picked)
        .collect();
    Some(random.one_of(&paths).clone())
}

fn paths(files: &Files) -> impl Iterator<Item = &String> {
    let contents = files.iter().filter(|(_, content)| content.is_some());
    contents.map(|(path, _)| path)
}

fn mutate_content(
    files: &mut Files,
    path: &str,
    material: &Material<'_>,
    random: &mut Random,
) -> String {
    let Some(Some(bytes)) = files.get_mut(path) else {
        return String::new();
    };
    let is_text = [".vac", ".ign"].iter().any(|end| path.ends_with(end));
    if is_text && random.below(2) == 0 {
        return format!("{path}: {}", mutate_lines(bytes, random));
    }
    if random.below(10) < 7
        && let Some(done) = records::mutate_record(bytes, material.key, random)
    {
        return format!("{path}: {done}");
    }
    let known = match records::header_fields(bytes) {
        none if none.is_empty() => records::tile_fields(bytes),
        fields => fields,
    };
    format!("{path}: {}", numbers::mutate(bytes, &known, random))
}

/// Changes a list of names: lines are removed, repeated or replaced.
fn mutate_lines(bytes: &mut Vec<u8>, random: &mut Random) -> String {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let mut lines: Vec<&str> = text.lines().collect();
    let line = random.below(lines.len().max(1) as u64) as usize;
    let new = random.one_of(&[
        "",
        "..",
        "../canary",
        "__fragments/../../canary",
        "__fragments/..",
        "__fragments",
        "__commits/__1_1_00000000000000000000000000000000_22.wrt",
        "__meta/../../canary",
        "file:///dev/null",
        "s3://bucket/x",
        "\u{fffd}\0",
    ]);
    let done = match (random.below(4), lines.is_empty()) {
        (0, false) => {
            lines.remove(line);
            format!("line {line} removed")
        }
        (1, false) => {
            lines.insert(line, lines[line]);
            format!("line {line} repeated")
        }
        (2, false) => {
            lines[line] = new;
            format!("line {line} replaced by {new:?}")
        }
        _ => {
            lines.push(new);
            format!("line {new:?} appended")
        }
    };
    *bytes = lines.join("\n").into_bytes();
    if random.below(4) > 0 {
        bytes.push(b'\n');
    }
    done
}

/// Changes names in the files of consolidated commits or fragment metadata, or any text in a file,
/// by one digit.
fn mutate_names_in(files: &mut Files, random: &mut Random) -> String {
    let paths: Vec<String> = paths(files).cloned().collect();
    let path = random.one_of(&paths.iter().collect::<Vec<_>>()).clone();
    let Some(Some(bytes)) = files.get_mut(&path) else {
        return String::new();
    };
    let starts = bytes
        .windows(2)
        .enumerate()
        .filter(|(_, two)| *two == b"__");
    let starts: Vec<usize> = starts.map(|(index, _)| index).collect();
    if starts.is_empty() {
        return format!("{path}: no names");
    }
    let position = random.one_of(&starts) + random.below(64) as usize;
    let position = position.min(bytes.len() - 1);
    bytes[position] = random.one_of(b"0_a/.9-");
    format!("{path}: a name changed at {position}")
}

/// Exchanges the content with that of a file of the same kind, in another fragment or in another
/// object.
fn exchange(files: &mut Files, path: &str, other: &Files, random: &mut Random) -> String {
    let inside = random.below(2) == 0;
    let from = if inside { &*files } else { other };
    let is_possible = |candidate: &&String| match random.0 % 4 {
        0 => true,
        _ => kind(candidate) == kind(path),
    };
    let candidates: Vec<&String> = paths(from)
        .filter(is_possible)
        .filter(|candidate| *candidate != path)
        .collect();
    if candidates.is_empty() {
        return remove(files, path);
    }
    let picked = random.one_of(&candidates).clone();
    let (new, old) = (from[&picked].clone(), files[path].clone());
    files.insert(path.to_owned(), new);
    if inside {
        files.insert(picked.clone(), old);
    }
    let object = if inside { "the same" } else { "another" };
    format!("{path}: content exchanged with {picked} of {object} object")
}

fn remove(files: &mut Files, path: &str) -> String {
    files.remove(path);
    format!("{path}: removed")
}

/// Changes, repeats or corrupts a name in the path of a file. A folder is renamed with its content.
fn rename(files: &mut Files, path: &str, random: &mut Random) -> String {
    let parts: Vec<&str> = path.split('/').collect();
    let depth = random.below(parts.len() as u64) as usize;
    let old = parts[..=depth].join("/");
    let name = rename_part(parts[depth], random);
    let new = [&parts[..depth], &[name.as_str()]].concat().join("/");
    let copies = random.below(2) == 0;
    let below = format!("{old}/");
    let found = files
        .iter()
        .filter(|(path, _)| **path == old || path.starts_with(&below));
    let found: Vec<_> = found
        .map(|(path, content)| (path.clone(), content.clone()))
        .collect();
    for (path, content) in found {
        if !copies {
            files.remove(&path);
        }
        files.insert(format!("{new}{}", &path[old.len()..]), content);
    }
    let done = if copies { "repeated as" } else { "renamed to" };
    format!("{old}: {done} {name:?}")
}

fn rename_part(name: &str, random: &mut Random) -> String {
    let mut bytes: Vec<u8> = name.bytes().collect();
    let fields: Vec<&str> = name.split('_').collect();
    match random.below(8) {
        0 => format!("{name}.bak"),
        1 => name.to_uppercase(),
        // __<start>_<end>_<identifier>[_<version>][.<suffix>]
        2..=4 if fields.len() > 4 => {
            let mut fields: Vec<String> = fields.into_iter().map(str::to_owned).collect();
            let field = 2 + random.below(fields.len() as u64 - 2) as usize;
            fields[field] = match random.below(6) {
                0 => "0".to_owned(),
                1 => u64::MAX.to_string(),
                2 => "99999999999999999999999".to_owned(),
                3 => String::new(),
                4 => "-1".to_owned(),
                _ => random
                    .one_of(&["1", "4", "7", "12", "22", "23", "1000"])
                    .to_owned(),
            };
            fields.join("_")
        }
        _ => {
            let position = random.below(bytes.len() as u64) as usize;
            bytes[position] = random.one_of(b"0123456789abcdef_.x");
            String::from_utf8_lossy(&bytes).into_owned()
        }
    }
}

/// Adds a file or folder in a location that readers list.
fn extra_file(files: &mut Files, random: &mut Random) -> String {
    let folder = random.one_of(&[
        "",
        "__commits/",
        "__fragments/",
        "__meta/",
        "__schema/",
        "__schema/__enumerations/",
        "__fragment_meta/",
        "__group/",
        "__labels/",
        "__commits/__pending/",
    ]);
    let identifier = "0123456789abcdef0123456789abcdef";
    let end = random.one_of(&[
        "", "_22", "_3", "_22.wrt", "_22.del", "_22.vac", "_22.con", "_22.ign", "_5.ok", ".meta",
    ]);
    let time = random.one_of(&["1", "1700000000000", "18446744073709551615"]);
    let path = match random.below(4) {
        0 => format!(
            "{folder}{}",
            random.one_of(&[
                "__array_schema.tdb",
                "__tiledb_group.tdb",
                "__lock.tdb",
                "x"
            ])
        ),
        _ => format!("{folder}__{time}_{time}_{identifier}{end}"),
    };
    let content = match random.below(3) {
        0 => None,
        1 => Some(Vec::new()),
        _ => Some(
            (0..random.below(200))
                .map(|_| random.next() as u8)
                .collect(),
        ),
    };
    let done = format!("{path}: added, {:?} bytes", content.as_ref().map(Vec::len));
    files.insert(path, content);
    done
}

/// Writes a list of members that is valid by itself: cycles, members listed twice, removed members,
/// odd URIs.
fn group_members(files: &mut Files, key: Option<&EncryptionKey>, random: &mut Random) -> String {
    let uris = [
        ".",
        "..",
        "",
        "sub",
        "sub/..",
        "arr1",
        "arr1/",
        "missing",
        "../group",
        "a/../b",
        "mem://x",
        "s3://b/x",
        "sub/sub",
        "arr1/__schema",
        "%00",
        "\u{0}",
    ];
    let count = 1 + random.below(6);
    let members: Vec<GroupMember> = (0..count)
        .map(|_| GroupMember {
            kind: random.one_of(&[ObjectType::Group, ObjectType::Array]),
            relative: random.below(4) > 0,
            uri: random.one_of(&uris).to_owned(),
            name: Some("first".to_owned()).filter(|_| random.below(3) == 0),
            removed: random.below(6) == 0,
        })
        .collect();
    let version = random.one_of(&[GroupVersion::Whole, GroupVersion::Changes]);
    let end = if matches!(version, GroupVersion::Whole) {
        1
    } else {
        2
    };
    let mut record = Sink::new();
    let borrowed: Vec<&GroupMember> = members.iter().collect();
    write_group(&mut record, version, &borrowed);
    let mut bytes = Vec::new();
    drop(generic::encode(
        record.as_slice(),
        FormatVersion::WRITTEN,
        key,
        &mut bytes,
    ));
    let folder = random.one_of(&["", "", "sub/"]);
    // Later than the files of the group, but not in the future.
    let details = format!("{folder}__group/__");
    let times = paths(files)
        .filter_map(|path| path.strip_prefix(&details)?.split('_').next()?.parse().ok());
    let time: u64 = times.max().unwrap_or(0) + 1;
    let path = format!("{details}{time}_{time}_0123456789abcdef0123456789abcdef_{end}");
    files.insert(path.clone(), Some(bytes));
    let uris: Vec<&str> = members.iter().map(|member| member.uri.as_str()).collect();
    format!("{path}: members {uris:?}")
}
