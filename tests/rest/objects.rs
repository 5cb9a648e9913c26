//! Functions for objects and files at `tiledb://` URIs: types come from the server, and files from
//! its service with the protocol of S3.

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::Path;

use crate::arrays::schema::{self, SPARSE};
use crate::arrays::{Done, TestFolder, c_path, text};
use crate::library::{Library, address};
use crate::server::{Protocol, Server, borrowed};
use crate::{shared_library, upstream};

/// A callback that collects types and URIs.
extern "C" fn collect(uri: *const c_char, kind: u32, found: *mut c_void) -> i32 {
    // SAFETY: the library passes a C string and the pointer to the list that it was given.
    let (uri, found) = unsafe { (CStr::from_ptr(uri), &mut *found.cast::<Vec<String>>()) };
    found.push(format!("{kind} {}", uri.to_string_lossy()));
    1
}

/// Calls a function with a callback, and returns what it was called with, sorted.
fn listing(library: &Library, function: &str, uri: &CStr, order: Option<usize>) -> Done<String> {
    let mut found: Vec<String> = Vec::new();
    let callback = collect as extern "C" fn(*const c_char, u32, *mut c_void) -> i32 as usize;
    let mut arguments = vec![text(uri)];
    arguments.extend(order);
    arguments.extend([callback, address(&mut found)]);
    library.attempt(function, &arguments)?;
    Ok(found.join(", "))
}

fn number(library: &Library, function: &str, arguments: &[usize]) -> Done<String> {
    let mut value = 0u64;
    let all: Vec<usize> = arguments
        .iter()
        .copied()
        .chain([address(&mut value)])
        .collect();
    library.attempt(function, &all)?;
    Ok(value.to_string())
}

/// Creates objects and returns what the functions do with them, errors without their texts.
fn outcomes(library: &Library, server: &Server, local: &Path) -> Vec<String> {
    let root = server.root();
    let uri = |name: &str| c_path(&Path::new(root).join(name));
    for name in ["array", "group/inner", "folder/deep"] {
        schema::create(library, &uri(name), SPARSE).expect("creates");
    }
    library.ok("group_create", &[text(&uri("group"))]);
    let mut seen = Vec::new();
    let mut note = |case: &str, name: &str, done: Done<String>| {
        let outcome = done.map_or_else(|_| "error".to_owned(), |found| found.replace(root, "@"));
        seen.push(format!("{case} {name}: {outcome}"));
    };
    for name in ["array", "group", "folder", "none", "", "group/inner"] {
        let uri = if name.is_empty() {
            CString::new(root).expect("a text")
        } else {
            uri(name)
        };
        note("type", name, number(library, "object_type", &[text(&uri)]));
        note("list", name, listing(library, "object_ls", &uri, None));
        for order in [0, 1] {
            note(
                "walk",
                name,
                listing(library, "object_walk", &uri, Some(order)),
            );
        }
    }
    let done = |done: Done| done.map(|()| "done".to_owned());
    let moves = [
        ("none", "to"),
        ("array", "moved"),
        ("array", "again"),
        ("group", "other"),
    ];
    for (from, to) in moves {
        let (from, to) = (uri(from), uri(to));
        let moved = library.attempt("object_move", &[text(&from), text(&to)]);
        note(
            "move",
            &format!("{from:?} {to:?}").replace(root, "@"),
            done(moved),
        );
    }
    let outside = c_path(&local.join("outside"));
    let moved = library.attempt("object_move", &[text(&uri("moved")), text(&outside)]);
    note("move", "to a folder", done(moved));
    for name in ["none", "folder", "moved", "moved", "other"] {
        let removed = library.attempt("object_remove", &[text(&uri(name))]);
        note("remove", name, done(removed));
    }
    note(
        "list",
        "the rest",
        listing(library, "object_ls", &uri("folder"), None),
    );
    files(library, &uri, &mut note);
    seen
}

/// Writes, reads and removes a file.
fn files(
    library: &Library,
    uri: &dyn Fn(&str) -> CString,
    note: &mut dyn FnMut(&str, &str, Done<String>),
) {
    let vfs = library.make("vfs_alloc", &[0]);
    let (file, folder) = (uri("files/one"), uri("files"));
    let written = || {
        let handle = library.try_make("vfs_open", &[vfs, text(&file), 1])?;
        library.attempt("vfs_write", &[handle, text(c"content"), 7])?;
        library.attempt("vfs_close", &[handle])?;
        library.free("vfs_fh_free", handle);
        Ok(String::new())
    };
    note("write", "a file", written());
    let read = || {
        let handle = library.try_make("vfs_open", &[vfs, text(&file), 0])?;
        let mut content = [0u8; 4];
        library.attempt("vfs_read", &[handle, 3, address(&mut content), 4])?;
        library.attempt("vfs_close", &[handle])?;
        library.free("vfs_fh_free", handle);
        Ok(String::from_utf8_lossy(&content).into_owned())
    };
    note("read", "a file", read());
    for (function, target) in [
        ("vfs_file_size", &file),
        ("vfs_dir_size", &folder),
        ("vfs_is_file", &file),
        ("vfs_is_dir", &folder),
        ("vfs_is_dir", &file),
    ] {
        note(
            function,
            "",
            number(library, function, &[vfs, text(target)]),
        );
    }
    for (function, target) in [("vfs_remove_file", &file), ("vfs_remove_dir", &folder)] {
        let done = library.attempt(function, &[vfs, text(target)]);
        note(function, "", done.map(|()| "done".to_owned()));
    }
    note(
        "vfs_is_file",
        "",
        number(library, "vfs_is_file", &[vfs, text(&file)]),
    );
    library.free("vfs_free", vfs);
}

/// Returns the outcomes of a client at a server of this library; `None` without Python.
fn of_client(client: &Path, protocol: Protocol) -> Option<Vec<String>> {
    let folder = TestFolder::new("rest-objects");
    let served = folder.path().join("served");
    let server = Server::start(&shared_library::path(), &served, protocol)?;
    let library = Library::load(client, "the client");
    let parameters = server.parameters(&[]);
    let library = library.with_context(&borrowed(&parameters));
    Some(outcomes(&library, &server, folder.path()))
}

#[test]
fn clients_of_both_libraries_find_move_and_remove_the_same_objects() {
    for protocol in [Protocol::Workspaces, Protocol::Namespaces] {
        let Some(ours) = of_client(&shared_library::path(), protocol) else {
            println!("skipped: Python is not available");
            return;
        };
        for expected in [
            "type array: 2",
            "type group: 1",
            "type none: 0",
            "type : error",
            "list : 2 @/array, 1 @/group",
            "walk group: 2 @/group/inner",
            "list none: ",
            "move to a folder: error",
            "remove none: error",
            "remove moved: done",
            "read a file: tent",
        ] {
            assert!(
                ours.iter().any(|line| line == expected),
                "{expected}: {ours:#?}"
            );
        }
        match upstream() {
            Some(theirs) => assert_eq!(Some(ours), of_client(&theirs, protocol)),
            None => println!("skipped: TILEDB_UPSTREAM_LIB names no libtiledb"),
        }
    }
}

#[test]
fn a_client_without_a_server_reports_that_it_has_no_address() {
    let library = Library::load(&shared_library::path(), "the client");
    let library = library.with_context(&[(c"rest.server_address", c""), (c"rest.token", c"token")]);
    let error = listing(&library, "object_ls", c"tiledb://workspace/teamspace", None);
    let error = error.expect_err("no address");
    assert!(error.contains("server address is empty"), "{error}");
}
