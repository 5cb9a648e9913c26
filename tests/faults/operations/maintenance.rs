//! Consolidation and vacuum.

use std::ffi::CString;

use super::{Operation, Session, fragment};
use crate::arrays::maintenance::{consolidate, vacuum};
use crate::arrays::metadata::change_array;
use crate::arrays::schema::{DENSE, DUPS, LABELLED, SPARSE, Shape, WIDE_DENSE, WIDE_SPARSE};
use crate::arrays::state::fragment_names;
use crate::arrays::write::{Cells, delete_below};
use crate::arrays::{Done, text};
use crate::library::Parameter;
use crate::server::in_child;
use crate::shim;

pub(super) fn operations() -> Vec<Operation> {
    let mut all = consolidations();
    all.extend(vacuums());
    all.extend(completions());
    all
}

fn consolidations() -> Vec<Operation> {
    let array = Operation::on_array;
    let small: fn(&Session) -> Done = |s| {
        let limit = (c"sm.consolidation.max_fragment_size", c"800");
        merge(s, "fragments", &[limit])
    };
    vec![
        array("consolidate_dense", |s| s.array(WIDE_DENSE), fragments),
        array("consolidate_sparse", |s| s.array(WIDE_SPARSE), fragments),
        array("consolidate_duplicates", |s| s.array(DUPS), fragments),
        array("consolidate_with_deletes", deletes, fragments),
        array("consolidate_labels", |s| s.array(LABELLED), fragments),
        array("consolidate_of_con_file", commits, fragments),
        array("consolidate_consolidated", consolidated_and_more, fragments),
        array("consolidate_in_parts", |s| s.array(WIDE_SPARSE), small),
        array(
            "consolidate_two_of_four",
            |s| s.array(DENSE),
            |s| {
                let steps = [(c"sm.consolidation.timestamp_end", c"2")];
                merge(s, "fragments", &steps)
            },
        ),
        array(
            "consolidate_list",
            |s| s.array(WIDE_SPARSE),
            consolidate_list,
        ),
        array(
            "consolidate_commits",
            |s| s.array(DENSE),
            |s| merge(s, "commits", &[]),
        ),
        array("consolidate_commits_with_deletes", deletes, |s| {
            merge(s, "commits", &[])
        }),
        array("consolidate_commits_again", commits_and_more, |s| {
            merge(s, "commits", &[])
        }),
        array(
            "consolidate_commits_of_consolidated",
            consolidated_and_more,
            |s| merge(s, "commits", &[]),
        ),
        array(
            "consolidate_commits_of_labels",
            |s| s.array(LABELLED),
            |s| merge(s, "commits", &[]),
        ),
        array(
            "consolidate_fragment_meta",
            |s| s.array(WIDE_SPARSE),
            |s| merge(s, "fragment_meta", &[]),
        ),
        array("consolidate_array_meta", metadata, |s| {
            merge(s, "array_meta", &[])
        }),
    ]
}

fn vacuums() -> Vec<Operation> {
    let array = Operation::on_array;
    vec![
        array(
            "vacuum_fragments_dense",
            |s| merged(s, WIDE_DENSE),
            |s| sweep(s, "fragments"),
        ),
        array(
            "vacuum_fragments_sparse",
            |s| merged(s, WIDE_SPARSE),
            |s| sweep(s, "fragments"),
        ),
        array(
            "vacuum_fragments_duplicates",
            |s| merged(s, DUPS),
            |s| sweep(s, "fragments"),
        ),
        array(
            "vacuum_fragments_labels",
            |s| merged(s, LABELLED),
            |s| sweep(s, "fragments"),
        ),
        array(
            "vacuum_fragments_of_con_file",
            consolidated_of_con_file,
            |s| sweep(s, "fragments"),
        ),
        array("vacuum_commits", commits, |s| sweep(s, "commits")),
        array("vacuum_commits_with_deletes", commits_and_deletes, |s| {
            sweep(s, "commits")
        }),
        array(
            "vacuum_commits_of_consolidated",
            consolidated_of_con_file,
            |s| sweep(s, "commits"),
        ),
        array("vacuum_fragment_meta", twice_fragment_meta, |s| {
            sweep(s, "fragment_meta")
        }),
        array("vacuum_array_meta", consolidated_metadata, |s| {
            sweep(s, "array_meta")
        }),
    ]
}

/// Operations on an array whose consolidation was killed before the replacement list got its final
/// name. They rename the list, so that libtiledb sees the same state as this library.
fn completions() -> Vec<Operation> {
    let adoption = |name, act| Operation::on_array(name, killed_consolidation, act);
    vec![
        adoption("adopt_by_write", |s| s.write(Cells::new(DUPS, 200..204, 9))),
        adoption("adopt_by_delete", |s| {
            delete_below(&s.library, &s.uri("a"), 2000, Some(9))
        }),
        adoption("adopt_by_consolidation", fragments),
        adoption("adopt_by_vacuum", |s| sweep(s, "fragments")),
    ]
}

/// Consolidates the fragments of an array with duplicates in a process that is killed after the
/// commit.
fn killed_consolidation(session: &Session) -> Done {
    session.array(DUPS)?;
    let (_, status) = in_child(|_| {
        shim::kill_at(&session.folder, c"rename", c".vac");
        let outcome = fragments(session);
        panic!("the consolidation ended: {outcome:?}");
    });
    if libc::WIFSIGNALED(status) {
        Ok(())
    } else {
        Err("the consolidation was not killed".to_owned())
    }
}

fn merge(session: &Session, mode: &str, parameters: &[Parameter<'_>]) -> Done {
    consolidate(&session.library, &session.uri("a"), mode, parameters)
}

fn fragments(session: &Session) -> Done {
    merge(session, "fragments", &[])
}

fn sweep(session: &Session, mode: &str) -> Done {
    vacuum(&session.library, &session.uri("a"), mode, &[])
}

/// Consolidates the fragments of the timestamps 2 and 3 that readers see.
fn consolidate_list(session: &Session) -> Done {
    let names: Vec<_> = fragment_names(&session.library, &session.folder.join("a"))?
        .into_iter()
        .filter(|name| name.starts_with("__2_2_") || name.starts_with("__3_3_"))
        .map(|name| CString::new(name).expect("a name without a zero"))
        .collect();
    if names.is_empty() {
        return Ok(());
    }
    let list: Vec<usize> = names.iter().map(|name| text(name)).collect();
    let arguments = [list.as_ptr() as usize, list.len(), 0];
    session.call_with("array_consolidate_fragments", &["a"], &arguments)
}

/// Sparse fragments with a delete in the middle and one at the end.
fn deletes(session: &Session) -> Done {
    session.create(SPARSE)?;
    for timestamp in 1..=4 {
        session.write(fragment(SPARSE, timestamp).at(10 * timestamp))?;
    }
    let uri = session.uri("a");
    delete_below(&session.library, &uri, 2000, Some(25))?;
    delete_below(&session.library, &uri, 3010, Some(45))
}

/// Fragments whose commits are in one file.
pub(super) fn commits(session: &Session) -> Done {
    session.array(WIDE_SPARSE)?;
    merge(session, "commits", &[])?;
    sweep(session, "commits")
}

/// Fragments whose commits and footers are in one file each.
pub(super) fn consolidated_footers(session: &Session) -> Done {
    commits(session)?;
    merge(session, "fragment_meta", &[])
}

/// Fragments and deletes with commits in a consolidated file and in single files.
fn commits_and_deletes(session: &Session) -> Done {
    deletes(session)?;
    merge(session, "commits", &[])
}

/// Fragments whose commits are in two files.
fn commits_and_more(session: &Session) -> Done {
    commits(session)?;
    for timestamp in 1..=2 {
        session.write(fragment(WIDE_SPARSE, timestamp).at(4 + timestamp))?;
    }
    Ok(())
}

/// A consolidated fragment, what it replaces, and newer fragments.
fn consolidated_and_more(session: &Session) -> Done {
    session.array(WIDE_SPARSE)?;
    fragments(session)?;
    for timestamp in 1..=2 {
        session.write(fragment(WIDE_SPARSE, timestamp).at(4 + timestamp))?;
    }
    Ok(())
}

fn merged(session: &Session, shape: Shape) -> Done {
    session.array(shape)?;
    fragments(session)
}

/// A consolidated fragment that replaces fragments whose commits are in one file.
fn consolidated_of_con_file(session: &Session) -> Done {
    commits(session)?;
    fragments(session)
}

/// Consolidated fragment metadata, and an older file that it replaces.
fn twice_fragment_meta(session: &Session) -> Done {
    session.array(WIDE_SPARSE)?;
    merge(session, "fragment_meta", &[])?;
    session.write(fragment(WIDE_SPARSE, 1).at(5))?;
    merge(session, "fragment_meta", &[])
}

fn metadata(session: &Session) -> Done {
    session.create(SPARSE)?;
    for timestamp in 1..=4 {
        let changes = [
            (c"one", Some(timestamp)),
            (c"two", (timestamp < 3).then_some(timestamp)),
        ];
        change_array(
            &session.library,
            &session.uri("a"),
            &changes,
            Some(timestamp as u64),
        )?;
    }
    Ok(())
}

fn consolidated_metadata(session: &Session) -> Done {
    metadata(session)?;
    merge(session, "array_meta", &[])
}

/// An array with consolidated and newer fragments, consolidated commits, deletes and metadata.
pub(super) fn rich(session: &Session) -> Done {
    consolidated_and_more(session)?;
    merge(session, "commits", &[])?;
    delete_below(&session.library, &session.uri("a"), 1010, Some(7))?;
    let changes = [(c"one", Some(1)), (c"two", Some(2))];
    change_array(&session.library, &session.uri("a"), &changes, Some(8))
}
