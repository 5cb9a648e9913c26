//! Random sequences of calls on the handle of one array: opens of each type, reopens, closes, and
//! changes of the time range. Each call has the same result in both libraries.

use std::ffi::{CStr, CString};
use std::path::Path;

use crate::library::{Library, address};
use crate::random::Random;

/// The number of metadata items, one for each of the times 10, 20, ...
const ITEMS: u64 = 5;
/// The times in milliseconds that count as the current time: more than all others.
const LATE: u64 = 100_000;

/// A call on a handle.
#[derive(Clone, Copy, Debug)]
enum Call {
    Open(usize),
    Reopen,
    Close,
    /// Sets the start or the end of the time range to a time after that of the array; `None` to
    /// the least or the greatest one.
    SetStart(Option<u64>),
    SetEnd(Option<u64>),
    Start,
    End,
    IsOpen,
    QueryType,
    Metadata,
    Schema,
    Query(usize),
    DeleteMetadata,
}

impl Call {
    fn random(random: &mut Random) -> Self {
        let query_type = random.one_of(&[0, 0, 0, 1, 1, 2, 4]);
        let time = (random.below(6) > 0).then(|| 10 * random.below(ITEMS + 1) + 5);
        match random.below(20) {
            0..=3 => Self::Open(query_type),
            4..=6 => Self::Reopen,
            7..=8 => Self::Close,
            9 => Self::SetStart(time),
            10..=11 => Self::SetEnd(time),
            12 => Self::Start,
            13 => Self::End,
            14 => Self::IsOpen,
            15 => Self::QueryType,
            16 => Self::Schema,
            17 => Self::Query(query_type),
            18 => Self::DeleteMetadata,
            _ => Self::Metadata,
        }
    }
}

/// The array of a library and a handle of it.
struct Handle<'a> {
    library: &'a Library,
    array: usize,
    /// The time of the schema.
    base: u64,
}

impl Handle<'_> {
    /// Returns the value that a function stores.
    fn value(&self, function: &str) -> Result<u64, String> {
        let mut value = 0u64;
        self.library
            .attempt(function, &[self.array, address(&mut value)])?;
        Ok(value)
    }

    /// Returns a time relative to that of the schema. A write at the current time has the end 0; if
    /// the handle was reopened before, it has the time of the reopen in libtiledb.
    fn time(&self, function: &str) -> Result<u64, String> {
        let time = self.value(function)?;
        let later = time.wrapping_sub(self.base);
        Ok(if time == u64::MAX {
            time
        } else {
            later.min(LATE)
        })
    }

    /// Runs a call. Returns its result, or the error.
    fn run(&self, call: Call) -> Result<u64, String> {
        let (library, array) = (self.library, self.array);
        let done = |result: Result<(), String>| result.map(|()| 0);
        let set = |function: &str, time: Option<u64>, none: u64| {
            let time = time.map_or(none, |time| self.base + time);
            done(library.attempt(function, &[array, time as usize]))
        };
        match call {
            Call::Open(query_type) => done(library.attempt("array_open", &[array, query_type])),
            Call::Reopen => done(library.attempt("array_reopen", &[array])),
            Call::Close => done(library.attempt("array_close", &[array])),
            Call::SetStart(time) => set("array_set_open_timestamp_start", time, 0),
            Call::SetEnd(time) => set("array_set_open_timestamp_end", time, u64::MAX),
            Call::Start => self.time("array_get_open_timestamp_start"),
            Call::End => self.time("array_get_open_timestamp_end"),
            Call::IsOpen => self.value("array_is_open"),
            Call::QueryType => self.value("array_get_query_type"),
            Call::Metadata => self.value("array_get_metadata_num"),
            Call::DeleteMetadata => {
                let name = c"none".as_ptr() as usize;
                done(library.attempt("array_delete_metadata", &[array, name]))
            }
            Call::Schema => {
                let schema = library.try_make("array_get_schema", &[array])?;
                library.free("array_schema_free", schema);
                Ok(0)
            }
            Call::Query(query_type) => {
                let query = library.try_make("query_alloc", &[array, query_type])?;
                library.free("query_free", query);
                Ok(0)
            }
        }
    }
}

/// Creates an array at a time, and metadata at each of its times.
fn create(library: &Library, uri: &CStr, base: u64) {
    let domain = library.make("domain_alloc", &[]);
    let (mut ends, mut extent) = ([1i32, 10], 5i32);
    let dimension = [
        c"x".as_ptr() as usize,
        0,
        address(&mut ends),
        address(&mut extent),
    ];
    let dimension = library.make("dimension_alloc", &dimension);
    library.ok("domain_add_dimension", &[domain, dimension]);
    let schema = library.make("array_schema_alloc_at_timestamp", &[1, base as usize]);
    library.ok("array_schema_set_domain", &[schema, domain]);
    let attribute = library.make("attribute_alloc", &[c"a".as_ptr() as usize, 0]);
    library.ok("array_schema_add_attribute", &[schema, attribute]);
    library.ok("array_create", &[uri.as_ptr() as usize, schema]);
    for item in 1..=ITEMS {
        let array = library.make("array_alloc", &[uri.as_ptr() as usize]);
        let time = base + 10 * item;
        library.ok("array_set_open_timestamp_end", &[array, time as usize]);
        library.ok("array_open", &[array, 1]);
        let key = CString::new(format!("key {item}")).expect("key");
        let put = [
            array,
            key.as_ptr() as usize,
            0,
            1,
            (&raw const item) as usize,
        ];
        library.ok("array_put_metadata", &put);
        library.ok("array_close", &[array]);
        library.free("array_free", array);
    }
    for (function, handle) in [
        ("array_schema_free", schema),
        ("attribute_free", attribute),
        ("dimension_free", dimension),
        ("domain_free", domain),
    ] {
        library.free(function, handle);
    }
}

/// Tests one sequence of calls.
pub(crate) fn compare(ours: &Library, theirs: &Library, seed: u64, folder: &Path) -> bool {
    let now = std::time::UNIX_EPOCH.elapsed().expect("clock").as_millis() as u64;
    let base = now - 10 * LATE;
    let handles = [(ours, "ours"), (theirs, "theirs")].map(|(library, name)| {
        let path = folder.join(name);
        let uri = CString::new(path.to_str().expect("path")).expect("path");
        create(library, &uri, base);
        let array = library.make("array_alloc", &[uri.as_ptr() as usize]);
        Handle {
            library,
            array,
            base,
        }
    });
    let mut random = Random(seed ^ 0x4a4d);
    let mut calls = Vec::new();
    for _ in 0..40 {
        let call = Call::random(&mut random);
        calls.push(call);
        let [one, other] = handles.each_ref().map(|handle| handle.run(call));
        let is_alike = match (&one, &other) {
            // Our texts begin with theirs.
            (Err(one), Err(other)) => one.starts_with(other.trim_end_matches('.')),
            _ => one == other,
        };
        assert!(is_alike, "{calls:?}: {one:?}, not {other:?}");
    }
    for handle in handles {
        handle.library.free("array_free", handle.array);
    }
    true
}
