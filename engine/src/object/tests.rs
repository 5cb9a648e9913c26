//! Tests listings, moving and removal of objects.

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use super::{list, move_object, object_type, remove, remove_array, walk};
use crate::array;
use crate::config::Config;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::schema::{Attribute, Dimension, DomainDraft, SchemaDraft, shared};
use crate::types::{ArrayType, Datatype, ObjectType, WalkOrder};
use crate::vfs::{LockMode, Uri, Vfs, temporary_name};

struct TestFolder {
    folder: tempfile::TempDir,
    vfs: Arc<Vfs>,
}

impl TestFolder {
    /// Creates an array `a`; a group `g` with the array `x` and the group `h`, which has an old
    /// array `y`; a folder `plain` with an array that no walk finds.
    fn new() -> Self {
        let made = Self {
            folder: tempfile::tempdir().expect("folder"),
            vfs: Vfs::new(&Context::new(Config::new()).expect("context")).expect("vfs"),
        };
        for folder in [
            "a/__schema",
            "g/__group",
            "g/x/__schema",
            "g/h/y",
            "plain/z/__schema",
        ] {
            fs::create_dir_all(made.path(folder)).expect("folder");
        }
        for file in ["g/h/__tiledb_group.tdb", "g/h/y/__array_schema.tdb", "file"] {
            fs::write(made.path(file), "").expect("file");
        }
        made
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().expect("text").to_owned()
    }

    fn kind(&self, name: &str) -> ObjectType {
        let uri = Uri::parse(&self.text(name)).expect("uri");
        object_type(&self.vfs.view(), &uri).expect("type")
    }

    /// Returns the names that a walk or a listing finds, until one ends with `last`.
    fn found(&self, last: &str, order: Option<WalkOrder>) -> Vec<String> {
        let root = Uri::parse(&self.text("")).expect("uri");
        let mut names = Vec::new();
        let mut visit = |uri: &Uri, kind: ObjectType| -> Result<ControlFlow<()>> {
            assert_ne!(kind, ObjectType::Invalid);
            let name = uri.as_str().strip_prefix(root.as_str()).expect("below");
            names.push(name.to_owned());
            Ok(if name.ends_with(last) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        };
        match order {
            Some(order) => walk(&self.vfs, root.as_str(), order, &mut visit),
            None => list(&self.vfs, root.as_str(), &mut visit),
        }
        .expect("walked");
        names
    }
}

const NEVER: &str = "nothing ends so";

#[test]
fn object_types_are_determined_by_folder_contents() {
    let setup = TestFolder::new();
    assert_eq!(setup.kind("a"), ObjectType::Array);
    assert_eq!(setup.kind("g"), ObjectType::Group);
    assert_eq!(setup.kind("g/h"), ObjectType::Group);
    assert_eq!(setup.kind("g/h/y"), ObjectType::Array);
    for other in ["plain", "file", "missing", "a/__schema"] {
        assert_eq!(setup.kind(other), ObjectType::Invalid, "{other}");
    }
}

#[test]
fn walks_descend_into_objects_only() {
    let setup = TestFolder::new();
    assert_eq!(setup.found(NEVER, None), ["a", "g"]);
    let before = setup.found(NEVER, Some(WalkOrder::Preorder));
    assert_eq!(before, ["a", "g", "g/h", "g/h/y", "g/x"]);
    let after = setup.found(NEVER, Some(WalkOrder::Postorder));
    assert_eq!(after, ["a", "g/h/y", "g/h", "g/x", "g"]);
}

#[test]
fn a_failing_visitor_ends_a_walk() {
    let setup = TestFolder::new();
    assert_eq!(setup.found("a", None), ["a"]);
    let before = setup.found("h", Some(WalkOrder::Preorder));
    assert_eq!(before, ["a", "g", "g/h"]);
    let after = setup.found("h", Some(WalkOrder::Postorder));
    assert_eq!(after, ["a", "g/h/y", "g/h"]);
    let fail = &mut |_: &Uri, _| Err(Error::cancelled());
    let ended = walk(&setup.vfs, &setup.text(""), WalkOrder::Preorder, fail);
    assert!(ended.is_err_and(|error| error.is_cancelled()));
}

#[cfg(unix)]
#[test]
fn walks_with_link_cycles_end() {
    let setup = TestFolder::new();
    for link in ["g/l", "g/m"] {
        std::os::unix::fs::symlink(setup.path("g"), setup.path(link)).expect("link");
    }
    let found = setup.found(NEVER, Some(WalkOrder::Preorder));
    assert_eq!(found.iter().filter(|name| name.ends_with("/x")).count(), 3);
}

#[test]
fn missing_folders_have_no_objects_and_invalid_uris_are_errors() {
    let setup = TestFolder::new();
    let never = &mut |_: &Uri, _| Err(Error::cancelled());
    assert!(list(&setup.vfs, &setup.text("missing"), never).is_ok());
    let error = list(&setup.vfs, "foo://x", never).expect_err("no uri");
    assert_eq!(
        error.to_string(),
        "The objects of 'foo://x' cannot be listed, because it is no URI"
    );
}

#[test]
fn only_objects_can_be_moved() {
    let setup = TestFolder::new();
    let (from, to) = (setup.text("g"), setup.text("deep/down/g2"));
    move_object(&setup.vfs, &from, &to).expect("moved");
    assert_eq!(setup.kind("g"), ObjectType::Invalid);
    assert_eq!(setup.kind("deep/down/g2/h/y"), ObjectType::Array);
    let error = move_object(&setup.vfs, &setup.text("plain"), &to).expect_err("no object");
    let words = format!(
        "Cannot move '{}', which is neither an array nor a group",
        setup.text("plain")
    );
    assert_eq!(error.to_string(), words);
    let error = move_object(&setup.vfs, &to, "foo://x").expect_err("no uri");
    assert_eq!(
        error.to_string(),
        "Cannot move the object to 'foo://x', which is no URI"
    );
    assert!(
        move_object(&setup.vfs, &setup.text("a"), &to).is_err(),
        "the place is taken"
    );
    assert_eq!(setup.kind("a"), ObjectType::Array);
}

#[test]
fn only_objects_can_be_removed() {
    let setup = TestFolder::new();
    remove(&setup.vfs, &setup.text("g")).expect("removed");
    assert!(!setup.path("g").exists());
    let error = remove(&setup.vfs, &setup.text("plain")).expect_err("no object");
    assert!(error.to_string().starts_with("Cannot remove '"));
    assert!(setup.path("plain/z").exists());
}

fn create_array(vfs: &Arc<Vfs>, uri: &Uri) {
    let (ends, extent) = ([0u8, 9], [5u8]);
    let x = Dimension::new("x", Datatype::Uint8, Some(&ends), Some(&extent)).expect("dimension");
    let domain = DomainDraft {
        dimensions: vec![shared(x)],
    };
    let mut draft = SchemaDraft::new(ArrayType::Dense, None);
    draft.set_domain(&shared(domain)).expect("domain");
    let a = shared(Attribute::new("a", Datatype::Uint8));
    draft.add_attribute(&a).expect("attribute");
    array::create(vfs, uri, &draft.finish().expect("schema"), None).expect("creates");
}

#[test]
fn removed_arrays_leave_only_foreign_files() {
    let setup = TestFolder::new();
    let uri = Uri::parse(&setup.text("new")).expect("uri");
    let missing = "The array does not exist";
    create_array(&setup.vfs, &uri);
    fs::write(setup.path("new/mine"), "x").expect("write");
    remove_array(&setup.vfs, uri.as_str()).expect("removes");
    assert_eq!(fs::read_dir(setup.path("new")).expect("folder").count(), 1);
    let again = remove_array(&setup.vfs, uri.as_str()).expect_err("is gone");
    assert_eq!(again.to_string(), missing);
    fs::remove_file(setup.path("new/mine")).expect("remove");
    create_array(&setup.vfs, &uri);
    remove_array(&setup.vfs, uri.as_str()).expect("removes");
    assert!(!setup.path("new").exists());
    let again = remove_array(&setup.vfs, uri.as_str()).expect_err("is gone");
    assert_eq!(again.to_string(), missing);
}

#[test]
fn remains_of_an_interrupted_removal_are_removed_by_the_same_call() {
    let setup = TestFolder::new();
    let remains = |inside: &[&str]| {
        for folder in inside {
            fs::create_dir_all(setup.path("rest").join(folder)).expect("folder");
        }
    };
    let [one, other] = [temporary_name(), temporary_name()];
    for inside in [&[""][..], &[&format!("{one}/x"), &other]] {
        remains(inside);
        remove(&setup.vfs, &setup.text("rest")).expect("removes");
        assert!(!setup.path("rest").exists());
        remains(inside);
        remove_array(&setup.vfs, &setup.text("rest")).expect("removes");
        assert!(!setup.path("rest").exists());
    }
    remains(&[&one]);
    let locked_uri = Uri::parse(&setup.text(&format!("rest/{one}"))).expect("uri");
    let lock = setup
        .vfs
        .lock(&locked_uri, LockMode::Exclusive)
        .expect("locks");
    remove(&setup.vfs, &setup.text("rest")).expect("leaves it");
    assert!(
        setup.path("rest").join(&one).exists(),
        "a creation works in it"
    );
    drop(lock);
    assert!(
        setup
            .found(NEVER, Some(WalkOrder::Preorder))
            .iter()
            .all(|name| !name.contains("tmp"))
    );
}

#[test]
fn foreign_files_with_similar_names_are_kept() {
    let setup = TestFolder::new();
    let notes = setup.path("plain/__tmp_notes");
    fs::create_dir_all(setup.path("plain")).expect("folder");
    fs::write(&notes, b"notes").expect("file");
    assert!(remove(&setup.vfs, &setup.text("plain")).is_err());
    assert!(remove_array(&setup.vfs, &setup.text("plain")).is_err());
    assert_eq!(fs::read(&notes).expect("file"), b"notes");
}
