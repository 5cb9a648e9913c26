//! The operations that use responses.

use std::ffi::CStr;

use super::Fixture;
use crate::arrays::write::UNORDERED;
use crate::arrays::{Done, OpenArray, OpenGroup, Query, READ, state, text};
use crate::library::{Library, address, bytes_of};

/// The value of bytes around the buffers of a read.
const GUARD: u8 = 0xa5;

/// An operation on the objects of the server.
pub(super) type Operation = fn(&Fixture) -> Done;

pub(super) const OPERATIONS: [(&str, Operation); 7] = [
    ("read", |fixture| read(fixture, 64)),
    ("parts", |fixture| read(fixture, 8)),
    ("aggregate", aggregate),
    ("schema", load_schema),
    ("fragments", fragments),
    ("group", group),
    ("sizes", sizes),
];

/// Memory between guards.
struct Guarded {
    words: Vec<u64>,
    size: Box<u64>,
    capacity: usize,
}

impl Guarded {
    fn new(capacity: usize) -> Self {
        let words = vec![u64::from_le_bytes([GUARD; 8]); capacity / 8 + 16];
        let size = Box::new(capacity as u64);
        Self {
            words,
            size,
            capacity,
        }
    }

    fn set(&mut self, library: &Library, query: &Query<'_>, kind: &str, name: &CStr) -> Done {
        let start = self.words[8..].as_mut_ptr() as usize;
        let arguments = [query.handle, text(name), start, address(&mut *self.size)];
        library.attempt(&format!("query_set_{kind}_buffer"), &arguments)
    }

    /// Returns the content, and checks what is around the buffer.
    fn content(&self) -> Vec<u8> {
        let bytes = bytes_of(self.words.as_ptr().cast(), 8 * self.words.len());
        let (before, rest) = bytes.split_at(64);
        let (content, after) = rest.split_at(self.capacity);
        let mut around = before.iter().chain(after);
        assert!(around.all(|byte| *byte == GUARD), "written outside");
        content[..usize::try_from(*self.size).expect("a size")].to_vec()
    }
}

/// Reads the cells of the array into buffers for some of them.
fn read(fixture: &Fixture, cells: usize) -> Done {
    let library = &fixture.library;
    let array = OpenArray::open(library, &fixture.array, READ, None)?;
    let query = Query::new(&array, READ)?;
    query.set_layout(UNORDERED)?;
    query.set_ranges(&array, &[[0, 60]])?;
    let fields = [
        (c"a", "data", 4 * cells),
        (c"v", "data", 8 * cells),
        (c"v", "offsets", 8 * cells),
        (c"n", "data", 8 * cells),
        (c"n", "validity", cells),
    ];
    let mut buffers = fields.map(|(.., size)| Guarded::new(size));
    let mut status = 3u32;
    for _ in 0..3 {
        for ((name, kind, size), buffer) in fields.iter().zip(&mut buffers) {
            *buffer.size = *size as u64;
            buffer.set(library, &query, kind, name)?;
        }
        let submitted = query.submit();
        let [_, values, offsets, ..] = &buffers;
        buffers.iter().for_each(|buffer| drop(buffer.content()));
        submitted?;
        let offsets = offsets.content();
        let starts = offsets.as_chunks().0.iter().copied();
        let starts: Vec<u64> = starts.map(u64::from_le_bytes).collect();
        assert!(starts.is_sorted(), "{starts:?}");
        assert!(
            starts
                .last()
                .is_none_or(|last| *last <= values.content().len() as u64)
        );
        library.attempt("query_get_status", &[query.handle, address(&mut status)])?;
        if status != 3 {
            break;
        }
    }
    drop(query);
    array.close()
}

/// Returns the sum of an attribute, the number of cells and the plan of the query.
fn aggregate(fixture: &Fixture) -> Done {
    let library = &fixture.library;
    let array = OpenArray::open(library, &fixture.array, READ, Some(2))?;
    let query = Query::new(&array, READ)?;
    query.set_layout(UNORDERED)?;
    let channel = library.try_make("query_get_default_channel", &[query.handle])?;
    let sum = library.try_make("channel_operator_sum_get", &[])?;
    let sum = library.try_make("create_unary_aggregate", &[query.handle, sum, text(c"a")])?;
    library.attempt("channel_apply_aggregate", &[channel, text(c"sum"), sum])?;
    let mut buffer = Guarded::new(8);
    buffer.set(library, &query, "data", c"sum")?;
    let submitted = query.submit();
    buffer.content();
    submitted?;
    let plan = library.try_make("query_get_plan", &[query.handle])?;
    state::string(library, plan);
    drop(query);
    array.close()
}

pub(super) fn load_schema(fixture: &Fixture) -> Done {
    let library = &fixture.library;
    let schema = library.try_make("array_schema_load", &[text(&fixture.array)])?;
    let checked = library.attempt("array_schema_check", &[schema]);
    library.free("array_schema_free", schema);
    checked
}

fn fragments(fixture: &Fixture) -> Done {
    let library = &fixture.library;
    let info = library.try_make("fragment_info_alloc", &[text(&fixture.array)])?;
    let load = || {
        library.attempt("fragment_info_load", &[info])?;
        let (mut count, mut value) = (0u32, [0u64; 2]);
        library.attempt(
            "fragment_info_get_fragment_num",
            &[info, address(&mut count)],
        )?;
        for index in 0..count.min(8) as usize {
            let arguments = [info, index, address(&mut value)];
            library.attempt("fragment_info_get_cell_num", &arguments)?;
            library.attempt("fragment_info_get_fragment_size", &arguments)?;
            let arguments = [info, index, 0, address(&mut value)];
            library.attempt("fragment_info_get_non_empty_domain_from_index", &arguments)?;
            let arguments = [info, index, 0, 0, address(&mut value)];
            library.attempt("fragment_info_get_mbr_from_index", &arguments)?;
        }
        Ok(())
    };
    let loaded = load();
    library.free("fragment_info_free", info);
    loaded
}

fn group(fixture: &Fixture) -> Done {
    let library = &fixture.library;
    let group = OpenGroup::open(library, &fixture.group, READ)?;
    let mut count = 0u64;
    library.attempt(
        "group_get_member_count",
        &[group.handle, address(&mut count)],
    )?;
    library.attempt(
        "group_get_metadata_num",
        &[group.handle, address(&mut count)],
    )?;
    group.close()
}

/// Returns the metadata and the estimated sizes of an array that is opened by its schema.
fn sizes(fixture: &Fixture) -> Done {
    let library = &fixture.library;
    let array = OpenArray::open(library, &fixture.array, READ, Some(3))?;
    let mut sizes = [0u64; 2];
    library.attempt(
        "array_get_metadata_num",
        &[array.handle, address(&mut sizes)],
    )?;
    let query = Query::new(&array, READ)?;
    let [offsets, data] = &mut sizes;
    let arguments = [query.handle, text(c"v"), address(offsets), address(data)];
    library.attempt("query_get_est_result_size_var", &arguments)?;
    drop(query);
    array.close()
}
