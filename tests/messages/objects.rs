//! Messages of stored arrays and groups, and of configurations and metadata.

use std::ffi::{CStr, CString};
use std::path::Path;

use crate::arrays::schema::{self, DENSE, ENUMERATED, SPARSE, Shape, WIDE_DENSE, WIDE_SPARSE};
use crate::arrays::write::{Cells, delete_below};
use crate::arrays::{Done, OpenArray, OpenGroup, READ, WRITE, c_path, maintenance, metadata, text};
use crate::library::{Library, address};
use crate::message::{CAPNP, JSON, assert_same, normal, take_buffer, with_buffer};
use crate::random::Random;
use crate::{random_arrays, requests, schemas};

/// Returns a configuration with random parameters.
pub(crate) fn config(library: &Library, random: &mut Random) -> usize {
    let (mut config, mut error) = (0usize, 0usize);
    library.call("config_alloc", &[address(&mut config), address(&mut error)]);
    for _ in 0..random.below(6) {
        let names = [
            c"sm.tile_cache_size",
            c"vfs.s3.region",
            c"my.own",
            c"sm.memory_budget",
        ];
        let name = random.one_of(&names);
        let value = CString::new(random.below(1 << 30).to_string()).expect("text");
        library.call(
            "config_set",
            &[config, text(name), text(&value), address(&mut error)],
        );
    }
    config
}

/// Creates an array with two fragments and metadata.
fn create(library: &Library, uri: &CStr, shape: Shape) -> Done {
    schema::create(library, uri, shape)?;
    Cells::new(shape, 3..9, 1).at(10).write(library, uri)?;
    Cells::new(shape, 6..14, 2).at(20).write(library, uri)?;
    metadata::change_array(library, uri, &[(c"a", Some(5)), (c"b", Some(6))], Some(30))?;
    if shape.sparse {
        delete_below(library, uri, 4, Some(25))?;
    }
    Ok(())
}

/// Calls a function that serializes an open object.
pub(crate) fn sent(library: &Library, noun: &str, arguments: &[usize]) -> Done<Vec<u8>> {
    let buffer = library.try_make(&format!("serialize_{noun}"), arguments)?;
    Ok(take_buffer(library, buffer))
}

/// The functions that serialize an open array, and whether they have a parameter for the side.
const OF_ARRAYS: [(&str, bool); 4] = [
    ("array", true),
    ("array_open", true),
    ("array_metadata", false),
    ("array_non_empty_domain_all_dimensions", true),
];

/// Returns everything that an array sends, in JSON.
fn all_of_array(library: &Library, array: usize) -> Done<Vec<serde_json::Value>> {
    let mut all = Vec::new();
    for (noun, sided) in OF_ARRAYS {
        for side in [1, 0].into_iter().take(if sided { 2 } else { 1 }) {
            let arguments = [array, JSON, side];
            let arguments = &arguments[..if sided { 3 } else { 2 }];
            all.push(normal(&sent(library, noun, arguments)?));
        }
    }
    Ok(all)
}

/// Compares the messages of stored arrays and groups, and what either library reads from them.
pub(crate) fn check(libraries: &[Library; 2], folder: &Path) -> Done {
    let shapes = [DENSE, SPARSE, WIDE_DENSE, WIDE_SPARSE, ENUMERATED];
    for (index, shape) in shapes.into_iter().enumerate() {
        let path = folder.join(format!("array{index}"));
        let uri = c_path(&path);
        create(&libraries[index % 2], &uri, shape)?;
        for mode in [READ, WRITE] {
            check_array(libraries, &uri, mode, 50)?;
        }
        check_fragment_info(libraries, &uri)?;
        check_requests(libraries, &uri, 50)?;
    }
    check_consolidated_deletes(libraries, folder)?;
    let metadata = [(c"k", Some(7)), (c"l", Some(8))];
    check_group(
        libraries,
        &c_path(&folder.join("group")),
        &[c"m", c"n"],
        &metadata,
    )
}

/// Both libraries with contexts that load different parts of arrays.
pub(crate) struct Loading(Vec<[Library; 2]>);

impl Loading {
    pub(crate) fn new(libraries: &[Library; 2]) -> Self {
        let contexts = (0..12).map(|seed| {
            let parameters = requests::loading(&mut Random(seed));
            libraries
                .each_ref()
                .map(|library| library.with_context(&parameters))
        });
        Self(contexts.collect())
    }
}

/// Compares the messages of a random array and a random group.
pub(crate) fn check_random(
    libraries: &[Library; 2],
    loading: &Loading,
    folder: &Path,
    seed: u64,
) -> Done {
    let random = &mut Random(seed);
    let loading = &loading.0[random.below(loading.0.len() as u64) as usize];
    let path = folder.join(format!("array{seed}"));
    let uri = c_path(&path);
    let time = create_random(libraries, &uri, random)?;
    for mode in [READ, WRITE] {
        check_array(loading, &uri, mode, time)?;
    }
    check_fragment_info(libraries, &uri)?;
    check_requests(libraries, &uri, time)?;
    std::fs::remove_dir_all(path).map_err(|error| error.to_string())?;
    check_random_group(libraries, folder, seed, random)
}

/// Creates an array of a random shape, of a random schema without cells, or of a random schema with
/// random cells. Returns a time after its last change.
fn create_random(libraries: &[Library; 2], uri: &CStr, random: &mut Random) -> Done<u64> {
    match random.below(3) {
        0 => create_random_shape(libraries, uri, random).map(|()| 50),
        1 => {
            let library = random_library(libraries, random);
            let schema = schemas::schema(library, random);
            let created = library.attempt("array_create", &[text(uri), schema]);
            library.free("array_schema_free", schema);
            created.map(|()| random_arrays::AFTER_ALL)
        }
        _ => {
            random_arrays::create(libraries, uri, random);
            Ok(random_arrays::AFTER_ALL)
        }
    }
}

/// Creates an array of a random shape with a few writes, metadata and perhaps a delete.
fn create_random_shape(libraries: &[Library; 2], uri: &CStr, random: &mut Random) -> Done {
    let sparse = random.below(2) == 0;
    let mut flag = || random.below(2) == 0;
    let shape = Shape {
        sparse,
        dups: sparse && flag(),
        wide: flag(),
        labelled: !sparse && flag(),
        enumerated: flag(),
        bounded: flag(),
    };
    schema::create(random_library(libraries, random), uri, shape)?;
    let fragments = 1 + random.below(4);
    for time in 1..=fragments {
        let (first, last) = random.range_below(16);
        let cells = Cells::new(shape, first as i64..=last as i64, time as i64);
        let writer = random_library(libraries, random);
        cells.at(10 * time).write(writer, uri)?;
    }
    let changes = random_metadata(random);
    metadata::change_array(&libraries[0], uri, &changes, Some(45))?;
    if shape.sparse && random.below(2) == 0 {
        delete_below(random_library(libraries, random), uri, 2005, Some(46))?;
    }
    Ok(())
}

const KEYS: [&CStr; 4] = [c"k", c"l", c"m", c"n"];

fn random_metadata(random: &mut Random) -> Vec<metadata::Change<'static>> {
    let keys = &KEYS[random.below(5) as usize..];
    let values = keys.iter().map(|key| (*key, Some(random.next() as i64)));
    values.collect()
}

/// Compares the messages of a random group.
fn check_random_group(
    libraries: &[Library; 2],
    folder: &Path,
    seed: u64,
    random: &mut Random,
) -> Done {
    let members = &KEYS[random.below(5) as usize..];
    let changes = random_metadata(random);
    let path = folder.join(format!("group{seed}"));
    check_group(libraries, &c_path(&path), members, &changes)?;
    std::fs::remove_dir_all(path).map_err(|error| error.to_string())
}

fn random_library<'a>(libraries: &'a [Library; 2], random: &mut Random) -> &'a Library {
    &libraries[random.below(2) as usize]
}

/// Compares the deletes and fragments of an array whose commits are in a consolidated file.
fn check_consolidated_deletes(libraries: &[Library; 2], folder: &Path) -> Done {
    let uri = c_path(&folder.join("consolidated"));
    create(&libraries[0], &uri, SPARSE)?;
    delete_below(&libraries[1], &uri, 5, Some(26))?;
    // libtiledb cannot consolidate commits again after a vacuum.
    maintenance::consolidate(&libraries[0], &uri, "commits", &[])?;
    maintenance::vacuum(&libraries[0], &uri, "commits", &[])?;
    let mut messages = Vec::new();
    for library in libraries {
        let array = OpenArray::open(library, &uri, READ, Some(50))?;
        messages.push(sent(library, "array", &[array.handle, JSON, 0])?);
    }
    let [ours, theirs] = [normal(&messages[0]), normal(&messages[1])];
    let parts = ["deleteAndUpdateTileLocation", "unfilteredFragmentUris"];
    for part in parts {
        let entries = |message: &serde_json::Value| message["arrayDirectory"][part].clone();
        let number = entries(&ours).as_array().map(Vec::len);
        assert_eq!(number, Some(2), "{part}");
        assert_same(&entries(&ours), &entries(&theirs), part);
    }
    let part = "fragmentMetadataAll";
    assert_same(&ours[part], &theirs[part], part);
    for (message, from) in messages.iter().zip(libraries) {
        for to in libraries {
            let received = with_buffer(to, message, |buffer| {
                to.try_make("deserialize_array", &[buffer, JSON, 1, text(&uri)])
            });
            let received = received.map_err(|error| format!("from {}: {error}", from.name))?;
            to.free("array_free", received);
        }
    }
    Ok(())
}

fn check_array(libraries: &[Library; 2], uri: &CStr, mode: usize, time: u64) -> Done {
    let time = (mode == READ).then_some(time);
    let mut all = Vec::new();
    for library in libraries {
        let array = OpenArray::open(library, uri, mode, time)?;
        all.push(all_of_array(library, array.handle)?);
    }
    for (left, right) in all[0].iter().zip(&all[1]) {
        assert_same(left, right, &format!("mode {mode}"));
    }
    if mode != READ {
        return Ok(());
    }
    for from in libraries {
        let array = OpenArray::open(from, uri, mode, time)?;
        for encoding in [JSON, CAPNP] {
            let message = sent(from, "array", &[array.handle, encoding, 0])?;
            let [ours, theirs] = libraries
                .each_ref()
                .map(|to| contents_of_received(to, uri, &message, encoding));
            let case = format!("{encoding} from {}", from.name);
            let ours = ours?;
            let theirs = match theirs {
                // libtiledb needs the names of files in a message in Cap'n Proto, but not in JSON.
                Err(error) if error.contains("array directory is not loaded") => ours.clone(),
                theirs => theirs?,
            };
            for (index, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
                assert_same(ours, theirs, &case);
                let part = ["arrayMetadata", "nonEmptyDomain"][index];
                if !all[0][0][part].is_null() {
                    assert_same(ours, &all[0][4 + index], &case);
                }
            }
        }
        check_domain(libraries, uri, (from, &array), &all[0][5])?;
    }
    Ok(())
}

/// Returns the metadata and the non-empty domain of the array of a message. The configuration of
/// the receiver is its own, and so is the time of the open.
fn contents_of_received(
    library: &Library,
    uri: &CStr,
    message: &[u8],
    encoding: usize,
) -> Done<[serde_json::Value; 2]> {
    let received = with_buffer(library, message, |buffer| {
        let arguments = [buffer, encoding, 1, text(uri)];
        library.try_make("deserialize_array", &arguments)
    })?;
    let metadata = sent(library, "array_metadata", &[received, JSON])?;
    let noun = "array_non_empty_domain_all_dimensions";
    let domain = sent(library, noun, &[received, JSON, 1])?;
    library.free("array_free", received);
    Ok([normal(&metadata), normal(&domain)])
}

/// Reads the non-empty domain of an open array of `from` into arrays without cells.
fn check_domain(
    libraries: &[Library; 2],
    uri: &CStr,
    (from, array): (&Library, &OpenArray<'_>),
    expected: &serde_json::Value,
) -> Done {
    let noun = "array_non_empty_domain_all_dimensions";
    for encoding in [JSON, CAPNP] {
        let message = sent(from, noun, &[array.handle, encoding, 0])?;
        for to in libraries {
            let empty = OpenArray::open(to, uri, READ, Some(1))?;
            with_buffer(to, &message, |buffer| {
                let arguments = [empty.handle, buffer, encoding, 1];
                to.attempt(&format!("deserialize_{noun}"), &arguments)
            })?;
            let again = normal(&sent(to, noun, &[empty.handle, JSON, 1])?);
            let case = format!("domain from {} in {}", from.name, to.name);
            assert_same(&again, expected, &case);
        }
    }
    Ok(())
}

/// Returns a fragment info.
fn fragment_info(library: &Library, uri: &CStr, load: bool) -> Done<usize> {
    let info = library.try_make("fragment_info_alloc", &[text(uri)])?;
    if load {
        library.attempt("fragment_info_load", &[info])?;
    }
    Ok(info)
}

fn check_fragment_info(libraries: &[Library; 2], uri: &CStr) -> Done {
    let mut messages = Vec::new();
    for library in libraries {
        let info = fragment_info(library, uri, true)?;
        let [json, capnp] =
            [JSON, CAPNP].map(|encoding| sent(library, "fragment_info", &[info, encoding, 1]));
        let request = sent(library, "fragment_info_request", &[info, JSON, 1])?;
        messages.push((json?, capnp?, request));
        library.free("fragment_info_free", info);
    }
    let expected = normal(&messages[0].0);
    assert_same(&expected, &normal(&messages[1].0), "fragment info");
    assert_eq!(messages[0].2, messages[1].2);
    for (json, capnp, _) in &messages {
        for (message, encoding) in [(json, JSON), (capnp, CAPNP)] {
            for to in libraries {
                let info = fragment_info(to, uri, false)?;
                with_buffer(to, message, |buffer| {
                    let arguments = [buffer, encoding, text(uri), 1, info];
                    to.attempt("deserialize_fragment_info", &arguments)
                })?;
                let again = sent(to, "fragment_info", &[info, JSON, 1])?;
                assert_same(&normal(&again), &expected, to.name);
                to.free("fragment_info_free", info);
            }
        }
    }
    Ok(())
}

fn check_requests(libraries: &[Library; 2], uri: &CStr, time: u64) -> Done {
    let loads = concat!(
        r#"{"config":{"entries":[{"key":"rest.load_enumerations_on_array_open","#,
        r#""value":"true"}]}}"#
    );
    for (name, request) in [
        ("load_array_schema", "{}"),
        ("load_array_schema", loads),
        ("load_enumerations", "{}"),
        ("load_enumerations", r#"{"enumerations":["none"]}"#),
        ("consolidation_plan", r#"{"fragmentSize":"1000000"}"#),
    ] {
        let responses = libraries.each_ref().map(|library| {
            let array = OpenArray::open(library, uri, READ, Some(time))?;
            let response = library.try_make("buffer_alloc", &[])?;
            let handle = format!("handle_{name}_request");
            with_buffer(library, request.as_bytes(), |buffer| {
                library.attempt(&handle, &[array.handle, JSON, buffer, response])
            })?;
            Ok::<_, String>(normal(&take_buffer(library, response)))
        });
        assert_eq!(responses[0], responses[1], "{name} {request}");
    }
    Ok(())
}

/// Creates a group, and compares its messages.
fn check_group(
    libraries: &[Library; 2],
    uri: &CStr,
    members: &[&CStr],
    changes: &[metadata::Change<'_>],
) -> Done {
    let [ours, theirs] = libraries;
    ours.attempt("group_create", &[text(uri)])?;
    metadata::change_group(ours, uri, changes)?;
    metadata::change_members(theirs, uri, members, &[])?;
    let group = |library| OpenGroup::open(library, uri, READ);
    let (mut messages, mut metadata) = (Vec::new(), Vec::new());
    for library in libraries {
        let group = group(library)?;
        let json = sent(library, "group", &[group.handle, JSON, 1])?;
        let capnp = sent(library, "group", &[group.handle, CAPNP, 1])?;
        messages.push((json, JSON));
        messages.push((capnp, CAPNP));
        let sent_metadata = sent(library, "group_metadata", &[group.handle, JSON])?;
        metadata.push(normal(&sent_metadata));
    }
    assert_same(&metadata[0], &metadata[1], "metadata");
    let entries = metadata[0]["entries"].as_array().map_or(0, Vec::len);
    assert_eq!(entries, changes.len());
    // A group that is open for writing sends what is stored.
    let mut stored = Vec::new();
    for library in libraries {
        let group = OpenGroup::open(library, uri, WRITE)?;
        stored.push(normal(&sent(library, "group", &[group.handle, JSON, 1])?));
    }
    assert_same(
        &stored[0]["group"]["metadata"],
        &stored[1]["group"]["metadata"],
        "stored metadata",
    );
    let expected = normal(&messages[0].0);
    let part = &stored[0]["group"]["metadata"];
    assert_same(part, &expected["group"]["metadata"], "metadata of a group");
    assert_same(&expected, &normal(&messages[2].0), "group");
    for (message, encoding) in &messages {
        for to in libraries {
            let group = group(to)?;
            with_buffer(to, message, |buffer| {
                to.attempt("deserialize_group", &[buffer, *encoding, 1, group.handle])
            })?;
            let again = sent(to, "group", &[group.handle, JSON, 1])?;
            assert_same(&normal(&again), &expected, to.name);
        }
    }
    Ok(())
}
