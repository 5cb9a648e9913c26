//! Encrypted arrays: schema, enumeration, metadata, cells and fragment info that one library wrote
//! are read by the other with the key. With a wrong key, or without one, both libraries fail with
//! equal messages.

use std::ffi::{CStr, CString};
use std::path::Path;

use crate::library::{Library, address, bytes_of};
use crate::query::{READ, ROW_MAJOR, UNORDERED, WRITE};

/// The key of encrypted arrays.
pub(crate) const KEY: &CStr = c"0123456789abcdeF0123456789abcdeF";
const OTHER_KEY: &CStr = c"0123456789abcdeF0123456789abcdeX";
const CELLS: u64 = 40;

const DENSE: usize = 0;
const INT32: usize = 0;
const UINT64: usize = 10;
const STRING_ASCII: usize = 11;
const VAR_NUM: usize = u32::MAX as usize;
const GZIP: usize = 1;

const WORDS: &[u8] = b"redgreenblue";
const STARTS: [u64; 3] = [0, 3, 8];

fn pointer(text: &CStr) -> usize {
    text.as_ptr() as usize
}

fn create(library: &Library, uri: &CStr, kind: usize) {
    let mut domain = [1, CELLS];
    let mut extent = 16u64;
    let ends = [address(&mut domain), address(&mut extent)];
    let dimension = library.make(
        "dimension_alloc",
        &[pointer(c"d"), UINT64, ends[0], ends[1]],
    );
    let dims = library.make("domain_alloc", &[]);
    library.ok("domain_add_dimension", &[dims, dimension]);
    let schema = library.make("array_schema_alloc", &[kind]);
    library.ok("array_schema_set_domain", &[schema, dims]);
    let (mut messages, mut starts) = (WORDS.to_vec(), STARTS);
    let enumeration = library.make(
        "enumeration_alloc",
        &[
            pointer(c"colours"),
            STRING_ASCII,
            VAR_NUM,
            0,
            messages.as_mut_ptr() as usize,
            messages.len(),
            address(&mut starts),
            size_of_val(&STARTS),
        ],
    );
    library.ok("array_schema_add_enumeration", &[schema, enumeration]);
    let colour = library.make("attribute_alloc", &[pointer(c"colour"), INT32]);
    library.ok(
        "attribute_set_enumeration_name",
        &[colour, pointer(c"colours")],
    );
    let number = library.make("attribute_alloc", &[pointer(c"number"), INT32]);
    let filter = library.make("filter_alloc", &[GZIP]);
    let filters = library.make("filter_list_alloc", &[]);
    library.ok("filter_list_add_filter", &[filters, filter]);
    library.ok("attribute_set_filter_list", &[number, filters]);
    for attribute in [colour, number] {
        library.ok("array_schema_add_attribute", &[schema, attribute]);
    }
    library.ok("array_create", &[pointer(uri), schema]);
}

/// Opens an array with the context's key.
fn open(library: &Library, uri: &CStr, mode: usize) -> Result<usize, String> {
    let array = library.make("array_alloc", &[pointer(uri)]);
    library
        .attempt("array_open", &[array, mode])
        .map(|()| array)
}

/// Returns the values of an attribute. The values of both fragments differ.
fn values(attribute: &CStr, fragment: i32) -> Vec<i32> {
    let value = |cell: i32| match attribute.to_bytes() {
        b"colour" => (cell + fragment) % 3,
        _ => cell * 7 - 100 * fragment,
    };
    (0..CELLS as i32).map(value).collect()
}

fn write(library: &Library, uri: &CStr, kind: usize, fragment: i32) {
    let array = open(library, uri, WRITE).expect("open");
    let mut owner = *b"me and you";
    let put = [
        pointer(c"owner"),
        STRING_ASCII,
        owner.len(),
        address(&mut owner),
    ];
    library.ok("array_put_metadata", &[&[array][..], &put].concat());
    let query = library.make("query_alloc", &[array, WRITE]);
    let layout = if kind == DENSE { ROW_MAJOR } else { UNORDERED };
    library.ok("query_set_layout", &[query, layout]);
    let mut columns = vec![
        (c"colour", values(c"colour", fragment), Vec::new()),
        (c"number", values(c"number", fragment), Vec::new()),
    ];
    if kind != DENSE {
        columns.push((c"d", Vec::new(), (1..=CELLS).collect()));
    }
    let mut sizes: Vec<u64> = columns
        .iter()
        .map(|(_, small, large)| (4 * small.len() + 8 * large.len()) as u64)
        .collect();
    for ((name, small, large), size) in columns.iter_mut().zip(&mut sizes) {
        let data = if small.is_empty() {
            large.as_mut_ptr() as usize
        } else {
            small.as_mut_ptr() as usize
        };
        library.ok(
            "query_set_data_buffer",
            &[query, pointer(name), data, address(size)],
        );
    }
    library.ok("query_submit", &[query]);
    library.ok("query_finalize", &[query]);
    library.ok("array_close", &[array]);
}

/// Returns everything that a library reads of an array: metadata, enumeration, cells, non-empty
/// domains.
fn text(library: &Library, uri: &CStr) -> Vec<Vec<u8>> {
    let array = open(library, uri, READ).expect("open");
    let mut results = Vec::new();
    let (mut datatype, mut number, mut value) = (0u32, 0u32, 0usize);
    let out = [
        address(&mut datatype),
        address(&mut number),
        address(&mut value),
    ];
    library.ok(
        "array_get_metadata",
        &[&[array, pointer(c"owner")][..], &out].concat(),
    );
    results.push(bytes_of(value as *const u8, number as usize));
    let enumeration = library.make("array_get_enumeration", &[array, pointer(c"colours")]);
    for part in ["enumeration_get_data", "enumeration_get_offsets"] {
        let (mut data, mut len) = (0usize, 0u64);
        library.ok(part, &[enumeration, address(&mut data), address(&mut len)]);
        results.push(bytes_of(data as *const u8, len as usize));
    }
    let subarray = library.make("subarray_alloc", &[array]);
    let (mut low, mut high) = (1u64, CELLS);
    let ends = [address(&mut low), address(&mut high)];
    library.ok("subarray_add_range", &[subarray, 0, ends[0], ends[1], 0]);
    let query = library.make("query_alloc", &[array, READ]);
    library.ok("query_set_subarray_t", &[query, subarray]);
    library.ok("query_set_layout", &[query, ROW_MAJOR]);
    let mut columns = [(c"colour", vec![0u8; 1000]), (c"number", vec![0u8; 1000])];
    let mut sizes = [1000u64; 2];
    for ((name, data), size) in columns.iter_mut().zip(&mut sizes) {
        let buffer = [pointer(name), data.as_mut_ptr() as usize, address(size)];
        library.ok("query_set_data_buffer", &[&[query][..], &buffer].concat());
    }
    library.ok("query_submit", &[query]);
    for ((_, data), size) in columns.into_iter().zip(sizes) {
        results.push(data[..size as usize].to_vec());
    }
    let info = library.make("fragment_info_alloc", &[pointer(uri)]);
    library.ok("fragment_info_load", &[info]);
    let mut fragments = 0u32;
    library.ok(
        "fragment_info_get_fragment_num",
        &[info, address(&mut fragments)],
    );
    for fragment in 0..fragments as usize {
        let (mut domain, mut cells) = ([0u64; 2], 0u64);
        library.ok(
            "fragment_info_get_non_empty_domain_from_index",
            &[info, fragment, 0, address(&mut domain)],
        );
        library.ok(
            "fragment_info_get_cell_num",
            &[info, fragment, address(&mut cells)],
        );
        results.push([domain[0], domain[1], cells].map(u64::to_le_bytes).concat());
    }
    library.ok("array_close", &[array]);
    results
}

/// Returns the errors of opening an array and of loading its schema.
fn refusals(library: &Library, uri: &CStr) -> [String; 3] {
    let mut schema = 0usize;
    [
        open(library, uri, READ).expect_err("the key is wrong"),
        open(library, uri, WRITE).expect_err("the key is wrong"),
        library
            .attempt("array_schema_load", &[pointer(uri), address(&mut schema)])
            .expect_err("the key is wrong"),
    ]
}

/// Returns an error without the URI.
fn messages(text: &str, uri: &CStr) -> String {
    text.replace(&*uri.to_string_lossy(), "ARRAY")
}

/// Returns whether a file in the folder contains these bytes.
fn holds(folder: &Path, bytes: &[u8]) -> bool {
    let entries = std::fs::read_dir(folder).expect("folder");
    entries.flatten().map(|entry| entry.path()).any(|path| {
        if path.is_dir() {
            return holds(&path, bytes);
        }
        let file = std::fs::read(&path).expect("file");
        file.windows(bytes.len()).any(|window| window == bytes)
    })
}

/// Runs the test with a library of each kind and key, which `open` creates.
pub(crate) fn check(open: impl Fn(Option<&CStr>) -> [Library; 2], folder: &Path) -> usize {
    let right = open(Some(KEY));
    let wrong = [open(Some(OTHER_KEY)), open(None)];
    let mut checked = 0;
    for kind in [0, 1] {
        for (index, writer) in right.iter().enumerate() {
            let path = folder.join(format!("{kind}-{index}"));
            let uri = CString::new(path.to_str().expect("path")).expect("path");
            create(writer, &uri, kind);
            for fragment in 0..2 {
                // The other library writes the second fragment, with a schema that this one wrote.
                write(
                    &right[(index + fragment as usize) % 2],
                    &uri,
                    kind,
                    fragment,
                );
                std::thread::sleep(std::time::Duration::from_millis(2));
            }
            let [ours, theirs] = right.each_ref().map(|library| text(library, &uri));
            assert_eq!(ours, theirs, "{kind} {index}");
            assert_eq!(ours[0], b"me and you");
            assert_eq!(ours[1], WORDS);
            let newest = values(c"number", 1).into_iter().flat_map(i32::to_le_bytes);
            assert!(newest.eq(ours[4].iter().copied()), "{kind} {index}");
            for [ours, theirs] in &wrong {
                let (ours, theirs) = (refusals(ours, &uri), refusals(theirs, &uri));
                for (ours, theirs) in ours.iter().zip(&theirs) {
                    let (ours, theirs) = (messages(ours, &uri), messages(theirs, &uri));
                    assert!(agree(&ours, &theirs), "{ours:?}, but {theirs:?}");
                    assert!(!ours.contains("0123456789abcdeF"), "{ours}");
                    checked += 1;
                }
            }
            for secret in [&b"colours"[..], b"green", b"me and you"] {
                assert!(!holds(&path, secret), "{secret:?} is in the clear");
            }
        }
    }
    checked
}

/// Checks that both libraries read the metadata of an encrypted group that either wrote and one
/// consolidated and vacuumed.
pub(crate) fn check_groups(right: &[Library; 2], folder: &Path) -> usize {
    let mut checked = 0;
    for (index, merger) in right.iter().enumerate() {
        let path = folder.join(format!("group-{index}"));
        let uri = CString::new(path.to_str().expect("path")).expect("path");
        right[1 - index].ok("group_create", &[pointer(&uri)]);
        for value in 0..4i32 {
            let library = &right[value as usize % 2];
            let key = CString::new(format!("key {}", value % 3)).expect("key");
            let group = open_group(library, &uri, WRITE);
            let mut value = value;
            let put = [group, pointer(&key), INT32, 1, address(&mut value)];
            library.ok("group_put_metadata", &put);
            if value == 2 {
                library.ok("group_delete_metadata", &[group, pointer(c"key 1")]);
            }
            close_group(library, group);
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        let expected = [("key 0", 3), ("key 2", 2)];
        for step in ["group_consolidate_metadata", "group_vacuum_metadata"] {
            let config = merger.make("ctx_get_config", &[]);
            merger.ok(step, &[pointer(&uri), config]);
            merger.free("config_free", config);
            for reader in right {
                let found = group_metadata(reader, &uri);
                let expected = expected.map(|(key, value)| (key.to_owned(), value));
                assert_eq!(found, expected, "{} after {step}", reader.name);
                checked += 1;
            }
        }
        let left = std::fs::read_dir(path.join("__meta")).expect("folder");
        assert_eq!(left.count(), 1, "one file is left");
        assert!(!holds(&path, b"key 0"), "keys are in the clear");
    }
    checked
}

fn open_group(library: &Library, uri: &CStr, mode: usize) -> usize {
    let group = library.make("group_alloc", &[pointer(uri)]);
    library.ok("group_open", &[group, mode]);
    group
}

fn close_group(library: &Library, group: usize) {
    library.ok("group_close", &[group]);
    library.free("group_free", group);
}

fn group_metadata(library: &Library, uri: &CStr) -> Vec<(String, i32)> {
    let group = open_group(library, uri, READ);
    let mut number = 0u64;
    library.ok("group_get_metadata_num", &[group, address(&mut number)]);
    let found = (0..number as usize).map(|index| {
        let (mut key, mut value) = (0usize, 0usize);
        let (mut key_len, mut datatype, mut values) = (0u32, 0u32, 0u32);
        let arguments = [
            group,
            index,
            address(&mut key),
            address(&mut key_len),
            address(&mut datatype),
            address(&mut values),
            address(&mut value),
        ];
        library.ok("group_get_metadata_from_index", &arguments);
        let key = String::from_utf8(bytes_of(key as *const u8, key_len as usize)).expect("text");
        let value = bytes_of(value as *const u8, 4).try_into().expect("4 bytes");
        (key, i32::from_le_bytes(value))
    });
    let found = found.collect();
    close_group(library, group);
    found
}

/// Returns whether two errors agree: ours starts with the beginning of libtiledb's.
fn agree(ours: &str, theirs: &str) -> bool {
    ours.starts_with(theirs) || theirs.starts_with(ours)
}

/// Returns whether the array of a seed is encrypted.
pub(crate) fn is_encrypted(seed: u64) -> bool {
    seed.is_multiple_of(8)
}
