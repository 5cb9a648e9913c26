//! The functions that read messages, each with objects to read them into.

use std::ffi::{CStr, CString};
use std::path::Path;

use crate::arrays::schema::{self, ENUMERATED, SPARSE, Shape, WIDE_SPARSE};
use crate::arrays::write::Cells;
use crate::arrays::{
    DELETE, Done, MODIFY_EXCLUSIVE, OpenArray, OpenGroup, Query, READ, WRITE, c_path, metadata,
    text,
};
use crate::library::{Library, address};
use crate::message::with_buffer;

use super::queries::{Buffers, add_aggregates, set_buffers, submit_damaged};

/// A function that reads a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Reader {
    /// A function that creates an object, and the one that frees it.
    Makes(&'static str, &'static str),
    ArrayCreate,
    Array,
    /// A function with an open array, the encoding and the message.
    ArrayMetadata,
    AllDomains,
    Domain,
    FragmentInfo,
    FragmentInfoRequest,
    Group,
    GroupMetadata,
    /// A query of a client, which has sent the message or receives the response.
    QueryOfClient,
    /// A query of a server.
    QueryOfServer,
    QueryAndArray,
    ResultSizes,
    /// A request on an array with a response.
    Request(&'static str),
    /// A request on an array to delete fragments.
    Deletion(&'static str),
}

/// The shape of the array that messages are about.
pub(super) const SHAPE: Shape = Shape {
    enumerated: true,
    ..WIDE_SPARSE
};

/// The URIs of stored objects that messages are about.
pub(super) struct Stored {
    pub(super) array: CString,
    pub(super) dense: CString,
    pub(super) group: CString,
}

impl Stored {
    /// Creates the objects in a folder.
    pub(super) fn create(library: &Library, folder: &Path) -> Done<Self> {
        let stored = Self {
            array: c_path(&folder.join("array")),
            dense: c_path(&folder.join("dense")),
            group: c_path(&folder.join("group")),
        };
        for (uri, shape) in [(&stored.array, SHAPE), (&stored.dense, ENUMERATED)] {
            schema::create(library, uri, shape)?;
            for time in [10, 20] {
                let cells = Cells::new(shape, 3..9, time as i64).at(time);
                cells.write(library, uri)?;
            }
            metadata::change_array(library, uri, &[(c"a", Some(5)), (c"b", None)], Some(30))?;
        }
        library.attempt("group_create", &[text(&stored.group)])?;
        schema::create(library, &c_path(&folder.join("member")), SPARSE)?;
        metadata::change_members(library, &stored.group, &[c"../member", c"../array"], &[])?;
        metadata::change_group(library, &stored.group, &[(c"k", Some(7))])?;
        Ok(stored)
    }
}

/// The objects that messages are read into.
pub(super) struct Targets<'a> {
    library: &'a Library,
    uri: &'a CStr,
    /// The array, open for exclusive modification if fragments are deleted, otherwise for reading.
    array: OpenArray<'a>,
    /// The array in the modes of other queries, unless fragments are deleted.
    others: Option<QueryArrays<'a>>,
    group: OpenGroup<'a>,
}

/// An array, open for queries that do not read.
struct QueryArrays<'a> {
    writable: OpenArray<'a>,
    deletable: OpenArray<'a>,
}

impl<'a> Targets<'a> {
    pub(super) fn open(library: &'a Library, stored: &'a Stored, reader: Reader) -> Done<Self> {
        let uri = &stored.array;
        let (mode, others) = if let Reader::Deletion(_) = reader {
            (MODIFY_EXCLUSIVE, None)
        } else {
            let others = QueryArrays {
                writable: OpenArray::open(library, uri, WRITE, None)?,
                deletable: OpenArray::open(library, uri, DELETE, None)?,
            };
            (READ, Some(others))
        };
        Ok(Self {
            library,
            uri,
            array: OpenArray::open(library, uri, mode, None)?,
            others,
            group: OpenGroup::open(library, &stored.group, READ)?,
        })
    }

    /// Returns an error if the message is not read. `side` is 1 for a client.
    pub(super) fn read(
        &self,
        reader: Reader,
        encoding: usize,
        side: usize,
        message: &[u8],
    ) -> Done {
        let library = self.library;
        let array = self.array.handle;
        let freed = |name, made: Done<usize>| made.map(|made| library.free(name, made));
        with_buffer(library, message, |buffer| match reader {
            Reader::Makes(name, free) => {
                freed(free, library.try_make(name, &[buffer, encoding, side]))
            }
            Reader::ArrayCreate => {
                let mut uri = 0usize;
                let arguments = [buffer, encoding, side, address(&mut uri)];
                let made = library.try_make("deserialize_array_create", &arguments);
                made.map(|made| {
                    library.free("array_schema_free", made);
                    library.free("string_free", uri);
                })
            }
            Reader::Array => {
                let arguments = [buffer, encoding, side, text(self.uri)];
                freed(
                    "array_free",
                    library.try_make("deserialize_array", &arguments),
                )
            }
            Reader::ArrayMetadata => {
                let arguments = [array, encoding, buffer];
                library.attempt("deserialize_array_metadata", &arguments)
            }
            Reader::AllDomains => {
                let name = "deserialize_array_non_empty_domain_all_dimensions";
                library.attempt(name, &[array, buffer, encoding, side])
            }
            Reader::Domain => {
                let (mut domain, mut is_empty) = ([0u64; 2], 0i32);
                let out = [address(&mut domain), address(&mut is_empty)];
                let arguments = [array, buffer, encoding, side, out[0], out[1]];
                library.attempt("deserialize_array_nonempty_domain", &arguments)
            }
            Reader::FragmentInfo | Reader::FragmentInfoRequest => {
                self.read_fragment_info(reader, encoding, side, buffer)
            }
            Reader::Group => {
                let arguments = [buffer, encoding, side, self.group.handle];
                library.attempt("deserialize_group", &arguments)
            }
            Reader::GroupMetadata => {
                let arguments = [self.group.handle, encoding, buffer];
                library.attempt("deserialize_group_metadata", &arguments)
            }
            Reader::QueryOfClient => self.read_query(encoding, 1, buffer),
            Reader::QueryOfServer => self.read_query(encoding, 0, buffer),
            Reader::QueryAndArray => {
                let mut query = 0usize;
                let out = address(&mut query);
                let arguments = [buffer, encoding, 0, text(self.uri), out];
                let made = library.try_make("deserialize_query_and_array", &arguments);
                made.map(|made| {
                    submit_damaged(library, query);
                    library.free("query_free", query);
                    library.free("array_free", made);
                })
            }
            Reader::ResultSizes => {
                let query = Query::new(&self.array, READ)?;
                let arguments = [query.handle, encoding, side, buffer];
                library.attempt("deserialize_query_est_result_sizes", &arguments)
            }
            Reader::Request(name) => {
                let response = library.make("buffer_alloc", &[]);
                let read = library.attempt(name, &[array, encoding, buffer, response]);
                library.free("buffer_free", response);
                read
            }
            Reader::Deletion(name) => library.attempt(name, &[array, encoding, buffer]),
        })
    }

    fn read_fragment_info(
        &self,
        reader: Reader,
        encoding: usize,
        side: usize,
        buffer: usize,
    ) -> Done {
        let library = self.library;
        let info = library.try_make("fragment_info_alloc", &[text(self.uri)])?;
        let read = match reader {
            Reader::FragmentInfo => {
                let arguments = [buffer, encoding, text(self.uri), side, info];
                library.attempt("deserialize_fragment_info", &arguments)
            }
            _ => {
                let arguments = [buffer, encoding, side, info];
                library.attempt("deserialize_fragment_info_request", &arguments)
            }
        };
        library.free("fragment_info_free", info);
        read
    }

    /// Reads the message of a query into a read, and into a write or delete if that is an error.
    fn read_query(&self, encoding: usize, side: usize, buffer: usize) -> Done {
        let library = self.library;
        let read = |mode| {
            let others = self.others.as_ref().expect("arrays for queries");
            let array = match mode {
                READ => &self.array,
                WRITE => &others.writable,
                _ => &others.deletable,
            };
            let query = Query::new(array, mode)?;
            let (mut buffers, mut result) = (Buffers::new(64), [0; 4]);
            if side == 1 {
                set_buffers(library, &query, &mut buffers, mode)?;
            }
            if side == 1 && mode == READ {
                add_aggregates(library, &query, &mut result)?;
            }
            let arguments = [buffer, encoding, side, query.handle];
            library.attempt("deserialize_query", &arguments)?;
            if side == 0 {
                submit_damaged(library, query.handle);
            }
            Ok(())
        };
        let modes = [WRITE, DELETE].into_iter();
        modes.fold(read(READ), |done, mode| done.or_else(|_| read(mode)))
    }
}
