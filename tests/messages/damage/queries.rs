//! Messages of queries: of clients, and what a server returns.

use std::ffi::CStr;

use super::readers::SHAPE;
use crate::arrays::write::{Cells, GLOBAL_ORDER, ROW_MAJOR, UNORDERED};
use crate::arrays::{DELETE, Done, OpenArray, Query, READ, WRITE, text};
use crate::library::{Library, address};
use crate::message::{CAPNP, take_buffer, with_buffer};

const LESS_THAN: usize = 0;
const IN: usize = 6;

/// The fields of the array, with their buffers: values, offsets, validity.
const FIELDS: [(&CStr, [bool; 3]); 5] = [
    (c"a", [true, false, false]),
    (c"x", [true, false, false]),
    (c"e", [true, false, false]),
    (c"v", [true, true, false]),
    (c"n", [true, false, true]),
];

/// The size in bytes of the largest buffer with which a damaged query is submitted.
const MAX_BUFFER: u64 = 1 << 20;

const KINDS: [&str; 3] = ["data", "offsets", "validity"];

/// Memory for all fields.
pub(super) struct Buffers {
    memory: Vec<Vec<u64>>,
    sizes: Vec<u64>,
}

impl Buffers {
    pub(super) fn new(cells: usize) -> Self {
        Self {
            memory: (0..15).map(|_| vec![1; 2 * cells]).collect(),
            sizes: vec![8 * cells as u64; 15],
        }
    }
}

/// Sets buffers of all fields; a delete has none.
pub(super) fn set_buffers(
    library: &Library,
    query: &Query<'_>,
    buffers: &mut Buffers,
    mode: usize,
) -> Done {
    if mode == DELETE {
        return Ok(());
    }
    let mut memory = buffers.memory.iter_mut().zip(&mut buffers.sizes);
    for (name, kinds) in FIELDS {
        for (kind, is_used) in KINDS.iter().zip(kinds) {
            let (memory, size) = memory.next().expect("15 buffers");
            if is_used {
                let start = memory.as_mut_ptr() as usize;
                let arguments = [query.handle, text(name), start, address(size)];
                library.attempt(&format!("query_set_{kind}_buffer"), &arguments)?;
            }
        }
    }
    Ok(())
}

/// Returns the message of a query and its content.
fn message_of(library: &Library, query: usize, side: usize) -> Done<Vec<u8>> {
    let list = library.try_make("serialize_query", &[query, CAPNP, side])?;
    let flat = library.try_make("buffer_list_flatten", &[list])?;
    library.free("buffer_list_free", list);
    Ok(take_buffer(library, flat))
}

/// Returns the response of a server to the message of a read or write.
fn served(library: &Library, message: &[u8], uri: &CStr) -> Done<Vec<u8>> {
    let (mut query, mut array) = (0usize, 0usize);
    with_buffer(library, message, |buffer| {
        let out = [address(&mut query), address(&mut array)];
        let arguments = [buffer, CAPNP, 0, text(uri), out[0], out[1]];
        library.attempt("deserialize_query_and_array", &arguments)
    })?;
    let mut memory = Vec::new();
    let submitted = submit(library, query, &mut memory);
    let response = submitted.and_then(|()| message_of(library, query, 0));
    library.free("query_free", query);
    library.free("array_free", array);
    response
}

/// Submits a read of a damaged message. Its result is not checked.
pub(super) fn submit_damaged(library: &Library, query: usize) {
    let (mut mode, mut memory) = (0u32, Vec::new());
    library.ok("query_get_type", &[query, address(&mut mode)]);
    // The cells of a write would remain.
    if mode as usize == READ && submit(library, query, &mut memory).is_ok() {
        let _ = message_of(library, query, 0);
    }
}

/// Submits a query that a server received, unless its buffers are large. Its buffers are in
/// `memory` and have the sizes that the message states.
fn submit(library: &Library, query: usize, memory: &mut Vec<Vec<u64>>) -> Done {
    for (name, _) in FIELDS {
        for kind in KINDS {
            let (mut start, mut size) = (0usize, 0usize);
            let out = [query, text(name), address(&mut start), address(&mut size)];
            let known = library.attempt(&format!("query_get_{kind}_buffer"), &out);
            if known.is_ok() && size != 0 && start == 0 {
                // SAFETY: the library returned the address of the size, which the query owns.
                let bytes = unsafe { *(size as *const u64) };
                if bytes > MAX_BUFFER {
                    return Ok(());
                }
                memory.push(vec![0; (bytes as usize).div_ceil(8).max(1)]);
                let start = memory.last_mut().expect("a buffer").as_mut_ptr() as usize;
                let set = [query, text(name), start, size];
                library.attempt(&format!("query_set_{kind}_buffer"), &set)?;
            }
        }
    }
    library.attempt("query_submit", &[query])
}

/// Sets a condition of several parts on a query.
fn set_condition(library: &Library, query: &Query<'_>) -> Done {
    let (value, values, starts) = (9000i32, [1i32, 2, 5], [0u64, 4, 8]);
    let less = library.try_make("query_condition_alloc", &[])?;
    let value = std::ptr::from_ref(&value) as usize;
    let arguments = [less, text(c"a"), value, 4, LESS_THAN];
    library.attempt("query_condition_init", &arguments)?;
    let data = [values.as_ptr() as usize, 12, starts.as_ptr() as usize, 24];
    let arguments = [&[text(c"a")][..], &data, &[IN]].concat();
    let one_of = library.try_make("query_condition_alloc_set_membership", &arguments)?;
    let either = library.try_make("query_condition_combine", &[less, one_of, 1])?;
    let both = library.try_make("query_condition_combine", &[either, less, 0])?;
    library.attempt("query_set_condition", &[query.handle, both])?;
    for condition in [less, one_of, either, both] {
        library.free("query_condition_free", condition);
    }
    Ok(())
}

/// Adds the sum of an attribute and the number of cells to a read.
pub(super) fn add_aggregates(library: &Library, query: &Query<'_>, result: &mut [u64; 4]) -> Done {
    let channel = library.try_make("query_get_default_channel", &[query.handle])?;
    let sum = library.try_make("channel_operator_sum_get", &[])?;
    let sum = library.try_make("create_unary_aggregate", &[query.handle, sum, text(c"a")])?;
    let count = library.try_make("aggregate_count_get", &[])?;
    let [sum_to, size, count_to, other_size] = result;
    (*size, *other_size) = (8, 8);
    for (name, operation, to, size) in [
        (c"sum", sum, sum_to, size),
        (c"count", count, count_to, other_size),
    ] {
        let arguments = [channel, text(name), operation];
        library.attempt("channel_apply_aggregate", &arguments)?;
        let arguments = [query.handle, text(name), address(to), address(size)];
        library.attempt("query_set_data_buffer", &arguments)?;
    }
    // The query keeps its aggregates; a channel keeps its query.
    let mut handles = [sum, channel];
    let [sum, channel] = &mut handles;
    library.attempt("aggregate_free", &[address(sum)])?;
    library.attempt("query_channel_free", &[address(channel)])
}

/// Returns the messages of clients and those of a server for queries of all kinds.
pub(super) fn messages(library: &Library, uri: &CStr) -> Done<[Vec<Vec<u8>>; 2]> {
    let (mut sent, mut returned) = (Vec::new(), Vec::new());
    for (layout, cells) in [(ROW_MAJOR, 64), (UNORDERED, 3), (GLOBAL_ORDER, 64)] {
        let array = OpenArray::open(library, uri, READ, None)?;
        let query = Query::new(&array, READ)?;
        query.set_layout(layout)?;
        query.set_ranges(&array, &[[1, 60]])?;
        let mut buffers = Buffers::new(cells);
        set_buffers(library, &query, &mut buffers, READ)?;
        if cells > 3 {
            set_condition(library, &query)?;
        }
        let message = message_of(library, query.handle, 1)?;
        returned.push(served(library, &message, uri)?);
        sent.push(message);
    }
    let array = OpenArray::open(library, uri, READ, None)?;
    let query = Query::new(&array, READ)?;
    query.set_layout(UNORDERED)?;
    let mut result = [0; 4];
    add_aggregates(library, &query, &mut result)?;
    let message = message_of(library, query.handle, 1)?;
    returned.push(served(library, &message, uri)?);
    sent.push(message);
    for layout in [UNORDERED, GLOBAL_ORDER] {
        let array = OpenArray::open(library, uri, WRITE, None)?;
        let query = Query::new(&array, WRITE)?;
        query.set_layout(layout)?;
        let cells = Cells::new(SHAPE, 1..9, 5);
        let mut fields = cells.fields(&cells.xs);
        for (name, field) in &mut fields {
            field.set(library, &query, name)?;
        }
        let message = message_of(library, query.handle, 1)?;
        returned.push(served(library, &message, uri)?);
        sent.push(message);
    }
    let array = OpenArray::open(library, uri, DELETE, None)?;
    let query = Query::new(&array, DELETE)?;
    set_condition(library, &query)?;
    sent.push(message_of(library, query.handle, 1)?);
    Ok([sent, returned])
}
