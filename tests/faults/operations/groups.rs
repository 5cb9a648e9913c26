//! Groups, and objects that are moved and removed.

use super::{Operation, Part, Rule, Session, fragment, nothing};
use crate::arrays::maintenance::{consolidate_group, vacuum_group};
use crate::arrays::metadata::{change_group, change_members};
use crate::arrays::schema::{self, DENSE, LABELLED, SPARSE};
use crate::arrays::{Done, MODIFY_EXCLUSIVE, OpenGroup, text};

/// A group, its members, and a member of its member.
const TREE: &[Part] = &[
    Part::Object("g"),
    Part::Object("g/a"),
    Part::Object("g/b"),
    Part::Object("g/h"),
    Part::Object("g/h/c"),
];

pub(super) fn operations() -> Vec<Operation> {
    let mut all = changes();
    all.extend(removals());
    all.extend(moves());
    all
}

fn changes() -> Vec<Operation> {
    let group = |name, prepare, act| Operation::new(name, &[Part::Object("g")], prepare, act);
    vec![
        group("group_create", nothing, |s| s.call("group_create", &["g"])),
        Operation::new(
            "group_create_below_new_folders",
            &[Part::Object("f/g")],
            nothing,
            |s| s.call("group_create", &["f/g"]),
        ),
        group("group_metadata_first", empty, put),
        group("group_metadata_put", metadata, put),
        group("group_metadata_delete", metadata, |s| {
            change_group(&s.library, &s.uri("g"), &[(c"one", None)])
        }),
        group("group_consolidate_metadata", metadata, |s| {
            consolidate_group(&s.library, &s.uri("g"))
        }),
        group("group_vacuum_metadata", consolidated, |s| {
            vacuum_group(&s.library, &s.uri("g"), &[])
        }),
        group("group_add_first_members", arrays, |s| {
            change_members(&s.library, &s.uri("g"), &[c"a", c"b"], &[])
        }),
        group("group_add_member", members, |s| {
            change_members(&s.library, &s.uri("g"), &[c"d"], &[])
        }),
        group("group_remove_member", members, |s| {
            change_members(&s.library, &s.uri("g"), &[], &[c"b"])
        }),
        group("group_add_and_remove_members", members, |s| {
            change_members(&s.library, &s.uri("g"), &[c"d"], &[c"a"])
        }),
    ]
}

fn removals() -> Vec<Operation> {
    let removal = |name, parts: &[Part], prepare, act| {
        Operation::new(name, parts, prepare, act).rule(Rule::Removal)
    };
    let array = [Part::Object("a")];
    vec![
        removal(
            "array_delete_dense",
            &array,
            |s| s.array(DENSE),
            |s| s.call("array_delete", &["a"]),
        ),
        removal("array_delete_sparse", &array, rich, |s| {
            s.call("array_delete", &["a"])
        }),
        removal(
            "array_delete_labels",
            &array,
            |s| s.array(LABELLED),
            |s| s.call("array_delete", &["a"]),
        ),
        removal("object_remove_array", &array, rich, |s| {
            s.call("object_remove", &["a"])
        }),
        removal(
            "object_remove_labels",
            &array,
            |s| s.array(LABELLED),
            |s| s.call("object_remove", &["a"]),
        ),
        removal("object_remove_group", TREE, tree, |s| {
            s.call("object_remove", &["g"])
        }),
        removal("group_delete", TREE, tree, |s| delete(s, 0)),
        removal("group_delete_recursive", TREE, tree, |s| delete(s, 1)),
    ]
}

fn moves() -> Vec<Operation> {
    let arrays = [Part::Object("a"), Part::Object("b")];
    let groups = [
        Part::Object("g"),
        Part::Object("h"),
        Part::Object("g/a"),
        Part::Object("h/a"),
    ];
    vec![
        Operation::new(
            "object_move_array",
            &arrays,
            |s| s.array(LABELLED),
            |s| s.call("object_move", &["a", "b"]),
        ),
        Operation::new("object_move_group", &groups, members, |s| {
            s.call("object_move", &["g", "h"])
        }),
    ]
}

fn empty(session: &Session) -> Done {
    session.call("group_create", &["g"])
}

fn put(session: &Session) -> Done {
    let changes = [(c"one", Some(11)), (c"three", Some(3))];
    change_group(&session.library, &session.uri("g"), &changes)
}

/// A group with two commits of metadata.
fn metadata(session: &Session) -> Done {
    empty(session)?;
    for value in 1..=2 {
        let changes = [(c"one", Some(value)), (c"two", Some(2))];
        change_group(&session.library, &session.uri("g"), &changes)?;
        pause();
    }
    Ok(())
}

/// Lets the next commit have a later timestamp.
fn pause() {
    std::thread::sleep(std::time::Duration::from_millis(2));
}

fn consolidated(session: &Session) -> Done {
    metadata(session)?;
    consolidate_group(&session.library, &session.uri("g"))
}

/// A group without members, and arrays in its folder.
fn arrays(session: &Session) -> Done {
    empty(session)?;
    ["g/a", "g/b", "g/d"]
        .iter()
        .try_for_each(|name| schema::create(&session.library, &session.uri(name), SPARSE))
}

/// A group with members and metadata.
pub(super) fn members(session: &Session) -> Done {
    arrays(session)?;
    change_members(&session.library, &session.uri("g"), &[c"a", c"b"], &[])?;
    pause();
    put(session)
}

/// A group with arrays and a group that has an array, each with content.
fn tree(session: &Session) -> Done {
    empty(session)?;
    let library = &session.library;
    session.call("group_create", &["g/h"])?;
    for name in ["g/a", "g/b", "g/h/c"] {
        let uri = session.uri(name);
        schema::create(library, &uri, SPARSE)?;
        fragment(SPARSE, 1).write(library, &uri)?;
    }
    change_members(library, &session.uri("g/h"), &[c"c"], &[])?;
    change_members(library, &session.uri("g"), &[c"a", c"b", c"h"], &[])
}

/// An array with fragments, some of them replaced, consolidated commits, deletes and metadata.
fn rich(session: &Session) -> Done {
    super::maintenance::rich(session)
}

fn delete(session: &Session, recursive: usize) -> Done {
    let uri = session.uri("g");
    let group = OpenGroup::open(&session.library, &uri, MODIFY_EXCLUSIVE)?;
    let arguments = [group.handle, text(&uri), recursive];
    session.library.attempt("group_delete_group", &arguments)
}
