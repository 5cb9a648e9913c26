//! Reads of the values of dimension labels that do not fit into the buffers.

use std::ffi::CString;

use crate::arrays::schema::{self, LABELLED};
use crate::arrays::write::{Cells, ROW_MAJOR};
use crate::arrays::{Done, OpenArray, Query, READ, c_path, text};
use crate::library::{Library, address};
use crate::operations::Target;
use crate::server::Protocol;
use crate::{Side, compare};

const CELL_NUM: usize = 32;
/// The number of cells of a tile; parts of a result end with a tile.
const TILE: usize = 4;
const INCOMPLETE: u32 = 3;

/// The results of a submit.
#[derive(Debug, PartialEq)]
struct Part {
    cells: Vec<i32>,
    label_values: Vec<i64>,
}

/// Creates an array at the server and writes its cells and label values.
fn create(target: &Target<'_>) -> CString {
    let uri = c_path(&target.remote.join("labelled"));
    schema::create(target.library, &uri, LABELLED).expect("creates");
    let cells = Cells::new(LABELLED, 0..CELL_NUM as i64, 1).at(1);
    cells.write(target.library, &uri).expect("writes");
    uri
}

/// Reads all cells and label values with buffers for `cell_num` cells and `value_num` values; 0 is
/// for no buffer. Passes each part to `take` and returns the error of the submit that fails.
fn read(
    library: &Library,
    uri: &CString,
    [cell_num, value_num]: [usize; 2],
    mut take: impl FnMut(Part),
) -> Done {
    let array = OpenArray::open(library, uri, READ, None)?;
    let query = Query::new(&array, READ)?;
    query.set_layout(ROW_MAJOR)?;
    query.set_ranges(&array, &[[0, CELL_NUM as i64 - 1]])?;
    for _ in 0..2 * CELL_NUM {
        let (mut cells, mut label_values) = (vec![0i32; cell_num], vec![0i64; value_num]);
        let (mut cells_size, mut values_size) = (4 * cell_num as u64, 8 * value_num as u64);
        let cells_start = cells.as_mut_ptr() as usize;
        let values_start = label_values.as_mut_ptr() as usize;
        let buffers = [
            (c"a", cells_start, &mut cells_size),
            (c"l", values_start, &mut values_size),
        ];
        for (name, start, size) in buffers.into_iter().filter(|(_, _, size)| **size > 0) {
            let set = [query.handle, text(name), start, address(size)];
            library.attempt("query_set_data_buffer", &set)?;
        }
        query.submit()?;
        cells.truncate(cells_size as usize / 4);
        label_values.truncate(values_size as usize / 8);
        take(Part {
            cells,
            label_values,
        });
        let mut status = 0u32;
        library.attempt("query_get_status", &[query.handle, address(&mut status)])?;
        if status != INCOMPLETE {
            return Ok(());
        }
    }
    panic!("the read makes no progress");
}

/// Returns the values of cells or of the label in parts of at most `part_len`.
fn parts<T: Copy>(values: &[T], part_len: usize) -> Vec<Vec<T>> {
    values.chunks(part_len).map(<[T]>::to_vec).collect()
}

#[test]
fn label_reads_of_both_clients_continue_at_our_server() {
    for (name, client) in [
        ("labels", Side::Ours),
        ("labels-from-upstream", Side::Upstream),
    ] {
        compare(name, client, Side::Ours, Protocol::Workspaces, |target| {
            let uri = create(target);
            let found = |buffers| {
                let mut found = Vec::new();
                read(target.library, &uri, buffers, |part| found.push(part)).expect("reads");
                let (cells, values): (Vec<_>, Vec<_>) = found
                    .into_iter()
                    .map(|part| (part.cells, part.label_values))
                    .unzip();
                (cells, values)
            };
            let (all_cells, all_values) = found([CELL_NUM, CELL_NUM]);
            let (all_cells, all_values) = (all_cells.concat(), all_values.concat());
            assert_eq!(all_values, (0..32).map(|x| 10 * x).collect::<Vec<_>>());
            assert_eq!(all_cells.len(), CELL_NUM);
            let (_, values) = found([0, 2 * TILE]);
            assert_eq!(values, parts(&all_values, 2 * TILE), "values alone");
            // Complete values are delivered with each part of the cells, and the reverse.
            let (cells, values) = found([2 * TILE, CELL_NUM]);
            assert_eq!(cells, parts(&all_cells, 2 * TILE));
            assert_eq!(values, vec![all_values.clone(); 4]);
            let (cells, values) = found([CELL_NUM, 4 * TILE]);
            assert_eq!(cells, vec![all_cells.clone(); 2]);
            assert_eq!(values, parts(&all_values, 4 * TILE));
        });
    }
}

#[test]
fn an_incomplete_label_read_at_a_server_of_libtiledb_is_an_error() {
    let (client, server) = (Side::Ours, Side::Upstream);
    compare(
        "labels-to-upstream",
        client,
        server,
        Protocol::Workspaces,
        |target| {
            let uri = create(target);
            for buffers in [[0, 10], [7, CELL_NUM], [CELL_NUM, 9]] {
                let mut parts = 0;
                let submitted = read(target.library, &uri, buffers, |part| {
                    let values: Vec<i64> = (0..part.label_values.len() as i64)
                        .map(|x| 10 * x)
                        .collect();
                    assert_eq!(part.label_values, values);
                    parts += 1;
                });
                let error = submitted.expect_err("the server would send zeros");
                assert!(error.contains("does not continue"), "{error}");
                assert_eq!(parts, 1);
            }
        },
    );
}
