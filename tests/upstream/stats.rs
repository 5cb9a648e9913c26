//! The names of statistics after typical operations on a dense array, a sparse array, and a sparse array with duplicates.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_char};
use std::path::Path;

use crate::attribute::{AttributeSpec, Column, VAR};
use crate::condition::ConditionSpec;
use crate::library::{Library, address};
use crate::query::{DELETE, GLOBAL, Query, READ, ROW_MAJOR, UNORDERED, WRITE};

const INT32: u32 = 0;
const STRING_ASCII: u32 = 11;
/// The tile extent of the dimension.
const EXTENT: i32 = 10;

/// An array of one dimension with a fixed, a variable-length and a nullable attribute.
struct Stored {
    uri: CString,
    dense: bool,
}

fn field(name: &CStr, datatype: u32, cell_val_num: u32, nullable: bool) -> AttributeSpec {
    AttributeSpec {
        name: name.to_owned(),
        datatype,
        size: if datatype == INT32 { 4 } else { 1 },
        cell_val_num,
        nullable,
        filters: Default::default(),
        fill: None,
        coordinates: None,
    }
}

fn attributes() -> [AttributeSpec; 3] {
    [
        field(c"a", INT32, 1, false),
        field(c"v", STRING_ASCII, VAR, false),
        field(c"n", INT32, 1, true),
    ]
}

fn numbers(values: impl Iterator<Item = i32>) -> Column {
    Column {
        data: values.flat_map(i32::to_le_bytes).collect(),
        ..Column::default()
    }
}

/// The cells `first..first + count` of the dimension and the three attributes.
fn cells(first: i32, count: i32) -> [Column; 4] {
    let texts: Vec<String> = (0..count)
        .map(|at| "x".repeat(1 + at as usize % 3))
        .collect();
    let offsets = texts.iter().scan(0, |end, text| {
        let start = *end;
        *end += text.len() as u64;
        Some(start)
    });
    let text = Column {
        offsets: offsets.collect(),
        data: texts.concat().into_bytes(),
        ..Column::default()
    };
    let nullable = Column {
        validity: (0..count).map(|at| (at % 2) as u8).collect(),
        ..numbers(0..count)
    };
    [
        numbers(first..first + count),
        numbers(0..count),
        text,
        nullable,
    ]
}

/// Returns the names of a JSON text of statistics.
fn names_of(json: &str) -> BTreeSet<String> {
    let quoted = json.split('"').skip(1).step_by(2);
    quoted
        .filter(|name| name.contains('.'))
        .map(str::to_owned)
        .collect()
}

fn take_text(library: &Library, function: &str, of: &[usize]) -> String {
    let mut text = std::ptr::null_mut::<c_char>();
    let arguments = [of, &[address(&mut text)]].concat();
    library.ok(function, &arguments);
    // SAFETY: a text of the library, freed below.
    let copy = unsafe { CStr::from_ptr(text) }
        .to_str()
        .expect("UTF-8")
        .to_owned();
    library.call("stats_free_str", &[address(&mut text)]);
    copy
}

impl Stored {
    fn create(library: &Library, folder: &Path, name: &str, dense: bool, dups: bool) -> Self {
        let uri = folder.join(format!("{}-{name}", library.name));
        let uri = CString::new(uri.to_str().expect("path")).expect("path");
        let (ends, extent) = ([1i32, 1000], EXTENT);
        let (domain, name) = (library.make("domain_alloc", &[]), c"x");
        let of = [
            name.as_ptr() as usize,
            INT32 as usize,
            ends.as_ptr() as usize,
        ];
        let of = [&of[..], &[std::ptr::from_ref(&extent) as usize]].concat();
        let dimension = library.make("dimension_alloc", &of);
        library.ok("domain_add_dimension", &[domain, dimension]);
        let schema = library.make("array_schema_alloc", &[usize::from(!dense)]);
        library.ok("array_schema_set_domain", &[schema, domain]);
        if !dense {
            library.ok("array_schema_set_capacity", &[schema, EXTENT as usize]);
            library.ok("array_schema_set_allows_dups", &[schema, usize::from(dups)]);
        }
        for attribute in attributes() {
            let attribute = attribute.make(library);
            library.ok("array_schema_add_attribute", &[schema, attribute]);
        }
        library.ok("array_create", &[uri.as_ptr() as usize, schema]);
        Self { uri, dense }
    }

    fn query<'a>(&self, library: &'a Library, mode: usize, layout: usize) -> Query<'a> {
        let query = Query::open(library, &self.uri, mode);
        if mode != DELETE {
            query.set_layout(layout);
        }
        query
    }

    fn set_range(&self, query: &Query<'_>, low: i32, high: i32) {
        query.set_ranges([(0, false, low.to_le_bytes(), high.to_le_bytes())]);
    }

    fn write(&self, library: &Library, layout: usize, first: i32, count: i32) {
        let query = self.query(library, WRITE, layout);
        if self.dense {
            self.set_range(&query, first, first + count - 1);
        }
        let dimension = field(c"x", INT32, 1, false);
        let attributes = attributes();
        let fields: Vec<_> = [&dimension].into_iter().chain(&attributes).collect();
        let skipped = usize::from(self.dense);
        let columns = cells(first, count)[skipped..].to_vec();
        query
            .write(&fields[skipped..], &[columns])
            .expect("written");
        check_query(&query);
    }

    fn read(
        &self,
        library: &Library,
        layout: usize,
        range: Option<[i32; 2]>,
        room: usize,
        condition: Option<&ConditionSpec>,
    ) {
        let query = self.query(library, READ, layout);
        if let Some([low, high]) = range {
            self.set_range(&query, low, high);
        }
        if let Some(condition) = condition {
            query.set_condition(condition);
        }
        let dimension = field(c"x", INT32, 1, false);
        let attributes = attributes();
        let fields: Vec<_> = [&dimension].into_iter().chain(&attributes).collect();
        query
            .read(&fields, 100, |field| field.room(room))
            .expect("read");
        check_query(&query);
    }

    /// Reads the sum of an attribute.
    fn aggregate(&self, library: &Library, layout: usize) {
        let query = self.query(library, READ, layout);
        self.set_range(&query, 3, 27);
        let [attribute, ..] = attributes();
        let sum = crate::aggregate::Operator::Sum;
        crate::aggregate::run(query, &attribute, sum, None).expect("a sum");
    }

    fn maintain(&self, library: &Library, function: &str, mode: &CStr) {
        let key = match function {
            "array_vacuum" => c"sm.vacuum.mode",
            _ => c"sm.consolidation.mode",
        };
        let config = library.context_config(&[(key, mode)]);
        library.ok(function, &[self.uri.as_ptr() as usize, config]);
        library.free("config_free", config);
    }
}

/// Checks that the context of a query reports what the query reports.
fn check_query(query: &Query<'_>) {
    let library = query.library;
    let own = names_of(&take_text(library, "query_get_stats", &[query.handle]));
    let all = names_of(&take_text(library, "ctx_get_stats", &[]));
    assert!(
        !own.is_empty() && own.is_subset(&all),
        "{}: {own:?}",
        library.name
    );
}

fn write_metadata(library: &Library, stored: &Stored) {
    let array = Query::open(library, &stored.uri, WRITE);
    let value = 1i32;
    let of = [array.array, c"key".as_ptr() as usize, INT32 as usize, 1];
    let of = [&of[..], &[std::ptr::from_ref(&value) as usize]].concat();
    library.ok("array_put_metadata", &of);
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
        stored.read(library, layout, some, 1000, None);
    }
    stored.read(library, layout, Some([1, 80]), 20, None);
    stored.read(library, layout, some, 1000, Some(&condition));
    stored.aggregate(library, layout);
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
    let library = library.with_context(&[]);
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

/// Returns the patterns of names that DIFFERENCES.md lists as not reported.
pub(crate) fn documented() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("DIFFERENCES.md");
    let text = std::fs::read_to_string(path).expect("DIFFERENCES.md");
    let section = text.split_once("\n## Statistics\n").expect("a section").1;
    let section = section.split("\n## ").next().expect("text");
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    let quoted = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    quoted.map(str::to_owned).collect()
}

/// Returns whether a pattern, which may end in `*`, matches a name without its `.sum` or `.avg`.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let name = name.trim_end_matches(".sum").trim_end_matches(".avg");
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}
