//! Writes in global order of several submits whose buffers end within tiles: the client sends whole
//! tiles, and keeps the other cells for the next request.

use std::ffi::CString;
use std::path::Path;

use crate::arrays::buffers::FieldBuffers;
use crate::arrays::schema::{self, DENSE, DUPS, Shape, WIDE_DENSE, WIDE_SPARSE};
use crate::arrays::write::{Cells, GLOBAL_ORDER};
use crate::arrays::{Done, OpenArray, Query, TestFolder, WRITE, c_path};
use crate::library::Library;
use crate::operations::Target;
use crate::server::{Protocol, Server, borrowed};
use crate::{Side, compare, requests, shared_library, upstream};

/// A sequence of numbers that is the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    /// Divides a number of cells into submits.
    fn chunks(&mut self, mut cells: usize) -> Vec<usize> {
        let mut chunks = Vec::new();
        while cells > 0 {
            let chunk = (1 + self.below(11)).min(cells);
            chunks.push(chunk);
            cells -= chunk;
        }
        chunks
    }
}

/// The format of offsets.
#[derive(Clone, Copy)]
enum Offsets {
    Of64Bits,
    Of32Bits,
}

/// Writes cells in submits with these numbers of cells; the last one finalizes the write.
fn write(
    library: &Library,
    uri: &CString,
    cells: &Cells,
    chunks: &[usize],
    offsets: Offsets,
) -> Done {
    let array = OpenArray::open(library, uri, WRITE, cells.timestamp)?;
    let query = Query::new(&array, WRITE)?;
    query.set_layout(GLOBAL_ORDER)?;
    if !cells.shape.sparse {
        query.set_ranges(&array, &[[0, schema::LAST[0]]])?;
    }
    let mut buffers: Vec<FieldBuffers> = Vec::new();
    let mut rest = &cells.xs[..];
    for (index, chunk) in chunks.iter().enumerate() {
        let (xs, after) = rest.split_at(*chunk);
        rest = after;
        for (name, mut field) in cells.fields(xs) {
            if let Offsets::Of32Bits = offsets {
                field.pack_offsets();
            }
            field.set(library, &query, name)?;
            buffers.push(field);
        }
        if index + 1 < chunks.len() {
            query.submit()?;
        } else {
            library.attempt("query_submit_and_finalize", &[query.handle])?;
        }
        // Cells that are kept are copies.
        buffers.iter_mut().for_each(FieldBuffers::overwrite);
        buffers.clear();
    }
    drop(query);
    array.close()
}

const SHAPES: [(&str, Shape, usize); 4] = [
    ("dense", DENSE, 32),
    ("dups", DUPS, 41),
    ("wide-dense", WIDE_DENSE, 32),
    ("wide-sparse", WIDE_SPARSE, 43),
];

fn random_chunks(target: &Target<'_>, offsets: Offsets) {
    let library = target.library;
    let mut numbers = Numbers(7);
    for (name, shape, cells) in SHAPES {
        for round in 0..4 {
            let name = format!("{name}-{round}");
            let chunks = numbers.chunks(cells);
            target.ok(&name, "create", |uri| schema::create(library, uri, shape));
            target.ok(&name, &format!("write {chunks:?}"), |uri| {
                let cells = Cells::new(shape, 0..cells as i64, round + 1).at(5);
                write(library, uri, &cells, &chunks, offsets)
            });
            let found = target.check(&name, &format!("submits of {chunks:?}"));
            assert!(found.len() > 100, "{found}");
        }
    }
}

#[test]
fn submits_that_end_within_tiles_write_what_they_write_in_a_folder() {
    for (name, client, server) in [
        ("chunks", Side::Ours, Side::Ours),
        ("chunks-to-upstream", Side::Ours, Side::Upstream),
        ("chunks-from-upstream", Side::Upstream, Side::Ours),
        ("chunks-of-upstream", Side::Upstream, Side::Upstream),
    ] {
        compare(name, client, server, Protocol::Workspaces, |target| {
            random_chunks(target, Offsets::Of64Bits);
        });
    }
}

#[test]
fn offsets_of_kept_cells_have_the_format_of_the_configuration() {
    compare(
        "chunks-32",
        Side::Ours,
        Side::Ours,
        Protocol::Workspaces,
        |target| {
            let short = [("sm.var_offsets.bitsize", "32")];
            let parameters = target.server.parameters(&short);
            let library = target.library.with_context(&borrowed(&parameters));
            let writer = Target {
                library: &library,
                ..*target
            };
            let mut numbers = Numbers(9);
            for (name, shape, cells) in &SHAPES[2..] {
                let chunks = numbers.chunks(*cells);
                target.ok(name, "create", |uri| schema::create(&library, uri, *shape));
                writer.ok(name, "write", |uri| {
                    let cells = Cells::new(*shape, 0..*cells as i64, 1).at(5);
                    write(&library, uri, &cells, &chunks, Offsets::Of32Bits)
                });
                assert!(target.check(name, "a write").contains("1-yy"));
            }
        },
    );
}

#[test]
fn clients_of_both_libraries_send_the_same_requests_for_incomplete_tiles() {
    let Some(theirs) = upstream() else {
        println!("skipped: TILEDB_UPSTREAM_LIB names no libtiledb");
        return;
    };
    let ours = shared_library::path();
    // A tile has 4 cells: less, as many, one more; whole tiles; nothing left for the last submit.
    for chunks in [
        &[3, 1, 1, 8, 4, 15][..],
        &[4, 4, 4, 20],
        &[32],
        &[8, 8, 1, 1, 1, 1, 12],
        &[31, 1],
    ] {
        let logs = [&ours, &theirs].map(|client| {
            let folder = TestFolder::new("rest-tiles");
            let server = Server::start(&ours, folder.path(), Protocol::Workspaces)?;
            let library = Library::load(client, "the client");
            let parameters = server.parameters(&[]);
            let library = library.with_context(&borrowed(&parameters));
            let uri = c_path(&Path::new(server.root()).join("array"));
            schema::create(&library, &uri, DENSE).expect("creates");
            server.requests();
            let cells = Cells::new(DENSE, 0..32, 1).at(1);
            write(&library, &uri, &cells, chunks, Offsets::Of64Bits).expect("writes");
            Some(requests::lines(&server))
        });
        let [Some(ours), Some(theirs)] = logs else {
            println!("skipped: Python is not available");
            return;
        };
        assert_eq!(ours, theirs, "{chunks:?}");
    }
}

#[test]
fn a_write_whose_last_cells_are_not_sent_cannot_be_finalized_alone() {
    compare(
        "alone",
        Side::Ours,
        Side::Ours,
        Protocol::Workspaces,
        |target| {
            let library = target.library;
            let uri = c_path(&target.remote.join("array"));
            schema::create(library, &uri, WIDE_SPARSE).expect("creates");
            for cells in [3, 9] {
                let array = OpenArray::open(library, &uri, WRITE, Some(1)).expect("opens");
                let query = Query::new(&array, WRITE).expect("a query");
                query.set_layout(GLOBAL_ORDER).expect("a layout");
                let cells = Cells::new(WIDE_SPARSE, 0..cells, 1);
                let mut fields = cells.fields(&cells.xs);
                for (name, field) in &mut fields {
                    field.set(library, &query, name).expect("sets");
                }
                let size = |fields: &[(_, FieldBuffers)]| {
                    fields
                        .iter()
                        .map(|(_, field)| field.data().len())
                        .sum::<usize>()
                };
                let before = size(&fields);
                query.submit().expect("submits");
                assert_eq!(size(&fields), before);
                let error = query.finalize().expect_err("cells are not sent");
                assert!(error.contains("submit_and_finalize"), "{error}");
            }
        },
    );
}
