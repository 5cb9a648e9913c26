//! Random queries whose messages go from a client to a server and back, each of either library. The
//! client receives what the server's library reads without messages, and a server writes what the
//! client has in its buffers.

mod changes;
mod conditions;
mod reads;
mod server;

use std::ffi::{CStr, CString};
use std::path::Path;

use crate::arrays::schema::{self, Shape, WIDE_DENSE, WIDE_SPARSE};
use crate::arrays::write::{Cells, delete_below};
use crate::arrays::{Done, Query, c_path, text};
use crate::library::{Library, address};
use crate::message::{CAPNP, take_buffer, with_buffer};

pub(crate) use changes::check_change;
pub(crate) use reads::check_read;
pub(crate) use server::{Client, check_estimates, check_plan};

/// The sides of an exchange, as functions of messages have them.
const CLIENT: usize = 1;
const SERVER: usize = 0;

/// The shapes of the arrays that queries read.
const SHAPES: [Shape; 4] = [
    WIDE_DENSE,
    WIDE_SPARSE,
    Shape {
        enumerated: true,
        ..WIDE_DENSE
    },
    Shape {
        dups: true,
        enumerated: true,
        ..WIDE_SPARSE
    },
];

/// The arrays that queries read, one of each shape.
pub(crate) struct Stored(Vec<CString>);

impl Stored {
    /// Creates the arrays: two overlapping writes and, where cells can be deleted, a delete.
    pub(crate) fn create(libraries: &[Library; 2], folder: &Path) -> Done<Self> {
        let mut uris = Vec::new();
        for (index, shape) in SHAPES.into_iter().enumerate() {
            let library = &libraries[index % 2];
            let uri = c_path(&folder.join(format!("shape{index}")));
            schema::create(library, &uri, shape)?;
            Cells::new(shape, 1..19, 1).at(10).write(library, &uri)?;
            Cells::new(shape, 9..30, 2).at(20).write(library, &uri)?;
            if shape.sparse {
                delete_below(library, &uri, 1005, Some(22))?;
            }
            uris.push(uri);
        }
        Ok(Self(uris))
    }
}

/// Submits a query through a server, and reads the response into it. `names` are the fields with
/// buffers.
fn exchange(
    client: &Library,
    server: &Library,
    query: &Query<'_>,
    uri: &CStr,
    names: &[CString],
) -> Done {
    let message = serialized(client, query.handle, CLIENT)?;
    let response = respond(server, &message, uri, names)?;
    with_buffer(client, &response, |buffer| {
        let arguments = [buffer, CAPNP, CLIENT, query.handle];
        client.attempt("deserialize_query", &arguments)
    })
}

/// Returns the message of a query with the content of its buffers.
fn serialized(library: &Library, query: usize, side: usize) -> Done<Vec<u8>> {
    let list = library.try_make("serialize_query", &[query, CAPNP, side])?;
    let flat = library.try_make("buffer_list_flatten", &[list]);
    library.free("buffer_list_free", list);
    Ok(take_buffer(library, flat?))
}

/// Runs the query of a message as a server does, and returns the response.
fn respond(library: &Library, message: &[u8], uri: &CStr, names: &[CString]) -> Done<Vec<u8>> {
    let (mut query, mut array) = (0usize, 0usize);
    with_buffer(library, message, |buffer| {
        let out = [address(&mut query), address(&mut array)];
        let arguments = [buffer, CAPNP, SERVER, text(uri), out[0], out[1]];
        library.attempt("deserialize_query_and_array", &arguments)?;
        let response = submit_received(library, query, names);
        library.free("query_free", query);
        library.free("array_free", array);
        response
    })
}

/// Submits a query that was received, with buffers of the sizes that the client has.
fn submit_received(library: &Library, query: usize, names: &[CString]) -> Done<Vec<u8>> {
    let mut memory: Vec<Vec<u64>> = Vec::new();
    for name in names {
        for kind in ["data", "offsets", "validity"] {
            let (mut start, mut size) = (0usize, 0usize);
            let get = [query, text(name), address(&mut start), address(&mut size)];
            let known = library.attempt(&format!("query_get_{kind}_buffer"), &get);
            if known.is_err() || size == 0 || start != 0 {
                continue;
            }
            // SAFETY: the library returned the address of the size, which the query owns.
            let bytes = unsafe { *(size as *const u64) };
            memory.push(vec![0; (bytes as usize).div_ceil(8)]);
            let start = memory
                .last_mut()
                .map_or(0, |memory| memory.as_mut_ptr() as usize);
            let set = [query, text(name), start, size];
            library.attempt(&format!("query_set_{kind}_buffer"), &set)?;
        }
    }
    library.attempt("query_submit", &[query])?;
    serialized(library, query, SERVER)
}
