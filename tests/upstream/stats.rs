//! The names of statistics after typical operations on a dense array, a sparse array, and a sparse
//! array with duplicates.

use std::collections::BTreeSet;
use std::ffi::{CStr, c_char};
use std::path::Path;

use crate::condition::ConditionSpec;
use crate::library::{Library, address};
use crate::query::{DELETE, GLOBAL, Query, READ, ROW_MAJOR, UNORDERED, WRITE};
use crate::stored::{INT32, Stored, attributes, field};

/// Returns the names of a JSON text of statistics.
fn names_of(json: &str) -> BTreeSet<String> {
    let quoted = json.split('"').skip(1).step_by(2);
    quoted
        .filter(|name| name.contains('.'))
        .map(str::to_owned)
        .collect()
}

fn take_text(library: &Library, function: &str, arguments: &[usize]) -> String {
    let mut text = std::ptr::null_mut::<c_char>();
    let arguments = [arguments, &[address(&mut text)]].concat();
    library.ok(function, &arguments);
    // SAFETY: a text of the library, freed below.
    let copy = unsafe { CStr::from_ptr(text) }
        .to_str()
        .expect("UTF-8")
        .to_owned();
    library.call("stats_free_str", &[address(&mut text)]);
    copy
}

/// Reads cells of an array, and checks the statistics of the query.
fn read(
    stored: &Stored,
    library: &Library,
    layout: usize,
    range: Option<[i32; 2]>,
    capacity: usize,
    condition: Option<&ConditionSpec>,
) {
    let query = stored.query(library, READ, layout);
    if let Some([low, high]) = range {
        stored.set_range(&query, low, high);
    }
    if let Some(condition) = condition {
        query.set_condition(condition);
    }
    let dimension = field(c"x", INT32, 1, false);
    let attributes = attributes();
    let fields: Vec<_> = [&dimension].into_iter().chain(&attributes).collect();
    query
        .read(&fields, 100, |field| field.buffers(capacity))
        .expect("read");
    check_query(&query);
}

/// Reads the sum of an attribute.
fn aggregate(stored: &Stored, library: &Library, layout: usize) {
    let query = stored.query(library, READ, layout);
    stored.set_range(&query, 3, 27);
    let [attribute, ..] = attributes();
    let sum = crate::aggregate::Operator::Sum;
    crate::aggregate::run(query, &attribute, sum, None).expect("a sum");
}

/// Checks that the context of a query reports what the query reports.
fn check_query(query: &Query<'_>) {
    let library = query.library;
    let query_names = names_of(&take_text(library, "query_get_stats", &[query.handle]));
    let all = names_of(&take_text(library, "ctx_get_stats", &[]));
    assert!(
        !query_names.is_empty() && query_names.is_subset(&all),
        "{}: {query_names:?}",
        library.name
    );
}

fn write_metadata(library: &Library, stored: &Stored) {
    let array = Query::open(library, &stored.uri, WRITE);
    let value = 1i32;
    let arguments = [array.array, c"key".as_ptr() as usize, INT32 as usize, 1];
    let arguments = [&arguments[..], &[std::ptr::from_ref(&value) as usize]].concat();
    library.ok("array_put_metadata", &arguments);
    drop(array);
    let array = Query::open(library, &stored.uri, READ);
    let mut number = 0u64;
    library.ok(
        "array_get_metadata_num",
        &[array.array, address(&mut number)],
    );
    assert_eq!(number, 1);
}

fn operate(library: &Library, stored: &Stored) {
    let layout = if stored.dense { ROW_MAJOR } else { UNORDERED };
    let condition = ConditionSpec::less(c"a", 5);
    let some = Some([3, 27]);
    stored.write(library, layout, 1, 40);
    stored.write(library, GLOBAL, 41, 40);
    stored.write(library, layout, 6, 10);
    for layout in [layout, GLOBAL, ROW_MAJOR] {
        read(stored, library, layout, some, 1000, None);
    }
    read(stored, library, layout, Some([1, 80]), 20, None);
    read(stored, library, layout, some, 1000, Some(&condition));
    aggregate(stored, library, layout);
    write_metadata(library, stored);
    if !stored.dense {
        let query = stored.query(library, DELETE, layout);
        query.set_condition(&condition);
        query.submit().expect("deleted");
    }
    for mode in [c"fragment_meta", c"commits", c"array_meta", c"fragments"] {
        stored.maintain(library, "array_consolidate", mode);
    }
    stored.maintain(library, "array_vacuum", c"fragments");
}

/// Returns the names that a library reports.
pub(crate) fn names(library: &Library, folder: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    // The default, which other tests change, and which adds names.
    let library = library.with_context(&[(
        c"sm.query.sparse_global_order.preprocess_tile_merge",
        c"32768",
    )]);
    for (name, dense, dups) in [
        ("dense", true, false),
        ("sparse", false, false),
        ("dups", false, true),
    ] {
        let stored = Stored::create(&library, folder, name, dense, dups);
        operate(&library, &stored);
        names.extend(names_of(&take_text(&library, "ctx_get_stats", &[])));
    }
    library.free("ctx_free", library.ctx);
    names
}

/// Returns the patterns of names that the document lists as not reported.
pub(crate) fn documented() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/differences/statistics.md");
    let text = std::fs::read_to_string(path).expect("the document");
    // An item is names, a colon and the reason.
    let items = text.split("\n- `").skip(1);
    let names = items.filter_map(|item| item.split("`:").next());
    let names = names.flat_map(|names| names.split('`').step_by(2));
    names.map(str::to_owned).collect()
}

/// Returns whether a pattern, which may end in `*`, matches a name without its `.sum` or `.avg`.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let name = name.trim_end_matches(".sum").trim_end_matches(".avg");
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}
