//! Cells that are written and deleted, and metadata of arrays.

use super::{Operation, Rule, Session};
use crate::arrays::metadata::change_array;
use crate::arrays::schema::{
    DENSE, DUPS, ENUMERATED, LABELLED, SPARSE, Shape, WIDE_DENSE, WIDE_SPARSE,
};
use crate::arrays::state::fragment_names;
use crate::arrays::write::{COL_MAJOR, Cells, delete_below};
use crate::arrays::{Done, text};

pub(super) fn operations() -> Vec<Operation> {
    let array = Operation::on_array;
    vec![
        array(
            "write_first_dense",
            |s| s.create(DENSE),
            |s| s.write(cells(DENSE)),
        ),
        array(
            "write_first_sparse",
            |s| s.create(SPARSE),
            |s| s.write(cells(SPARSE)),
        ),
        array("write_dense", |s| s.array(DENSE), |s| s.write(cells(DENSE))),
        array(
            "write_dense_col_major",
            |s| s.array(WIDE_DENSE),
            |s| s.write(cells(WIDE_DENSE).in_layout(COL_MAJOR)),
        ),
        array(
            "write_dense_global_order",
            |s| s.array(WIDE_DENSE),
            |s| s.write(cells(WIDE_DENSE).in_submits(4)),
        ),
        array(
            "write_sparse_unordered",
            |s| s.array(WIDE_SPARSE),
            |s| s.write(cells(WIDE_SPARSE)),
        ),
        array(
            "write_sparse_global_order",
            |s| s.array(WIDE_SPARSE),
            |s| s.write(cells(WIDE_SPARSE).in_submits(4)),
        ),
        array(
            "write_duplicates",
            |s| s.array(DUPS),
            |s| s.write(cells(DUPS)),
        ),
        array(
            "write_enumerated",
            |s| s.array(ENUMERATED),
            |s| s.write(cells(ENUMERATED)),
        ),
        array(
            "write_encrypted",
            |s| s.array(WIDE_SPARSE),
            |s| s.write(cells(WIDE_SPARSE)),
        )
        .encrypted(),
        array(
            "write_first_labels",
            |s| s.create(LABELLED),
            |s| s.write(cells(LABELLED)),
        )
        .rule(Rule::Separate),
        array(
            "write_labels",
            |s| s.array(LABELLED),
            |s| s.write(cells(LABELLED)),
        )
        .rule(Rule::Separate),
        array("delete_by_condition", |s| s.array(WIDE_SPARSE), delete),
        array("delete_by_condition_again", prepare_deletes, |s| {
            delete_below(&s.library, &s.uri("a"), 4003, None)
        }),
        array("delete_by_condition_duplicates", |s| s.array(DUPS), delete),
        array("array_metadata_first", |s| s.create(DENSE), metadata),
        array("array_metadata_put", prepare_metadata, metadata),
        array("array_metadata_delete", prepare_metadata, |s| {
            change_array(
                &s.library,
                &s.uri("a"),
                &[(c"one", None), (c"two", None)],
                None,
            )
        }),
        array("delete_fragments", |s| s.array(WIDE_SPARSE), delete_range).between(DELETES),
        array("delete_fragments_dense", |s| s.array(DENSE), delete_range).between(DELETES),
        array(
            "delete_fragments_of_con_file",
            super::maintenance::commits,
            delete_range,
        )
        .between(DELETES),
        array("delete_fragments_list", |s| s.array(DENSE), delete_list).between(DELETES),
        array(
            "delete_fragments_list_of_con_file",
            super::maintenance::commits,
            delete_list,
        )
        .between(DELETES),
    ]
}

/// Returns the cells that an operation writes: some overlap those of earlier fragments, others do
/// not.
fn cells(shape: Shape) -> Cells {
    if shape.sparse {
        Cells::new(shape, (0..12).map(|x| 5 * x), 9)
    } else {
        Cells::new(shape, 8..24, 9)
    }
}

fn delete(session: &Session) -> Done {
    delete_below(&session.library, &session.uri("a"), 2000, None)
}

fn prepare_deletes(session: &Session) -> Done {
    session.array(SPARSE)?;
    delete_below(&session.library, &session.uri("a"), 2000, Some(5))
}

fn metadata(session: &Session) -> Done {
    let changes = [(c"one", Some(11)), (c"three", Some(3))];
    change_array(&session.library, &session.uri("a"), &changes, None)
}

fn prepare_metadata(session: &Session) -> Done {
    session.create(SPARSE)?;
    let changes = [(c"one", Some(1)), (c"two", Some(2))];
    change_array(&session.library, &session.uri("a"), &changes, Some(1))
}

/// Each fragment is deleted on its own.
const DELETES: [fn(&Session) -> Done; 2] = [
    |s| s.call_with("array_delete_fragments_v2", &["a"], &[2, 2]),
    |s| s.call_with("array_delete_fragments_v2", &["a"], &[3, 3]),
];

fn delete_range(session: &Session) -> Done {
    session.call_with("array_delete_fragments_v2", &["a"], &[2, 3])
}

/// Deletes the fragments of the timestamps 2 and 3 that readers see.
fn delete_list(session: &Session) -> Done {
    let names = fragment_names(&session.library, &session.folder.join("a"))?;
    let uris: Vec<_> = names
        .iter()
        .filter(|name| name.starts_with("__2_2_") || name.starts_with("__3_3_"))
        .map(|name| session.uri(&format!("a/__fragments/{name}")))
        .collect();
    if uris.is_empty() {
        return Ok(());
    }
    let list: Vec<usize> = uris.iter().map(|uri| text(uri)).collect();
    let arguments = [list.as_ptr() as usize, list.len()];
    session.call_with("array_delete_fragments_list", &["a"], &arguments)
}
