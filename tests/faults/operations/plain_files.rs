//! File stores, and files and folders of the virtual file system.

use std::ffi::CString;
use std::fs;

use super::{Operation, Part, Rule, Session};
use crate::arrays::{Done, c_path, text};

const VFS_WRITE: usize = 1;
const VFS_APPEND: usize = 2;

pub(super) fn operations() -> Vec<Operation> {
    let mut all = file_stores();
    all.extend(vfs());
    all
}

fn file_stores() -> Vec<Operation> {
    let store = Operation::on_array;
    vec![
        store("filestore_create", files, |s| create(s, "one.bin")),
        store("filestore_uri_import_first", new_store, |s| {
            import(s, "one.bin")
        }),
        store("filestore_uri_import_larger", full_store, |s| {
            import(s, "larger.bin")
        }),
        store("filestore_uri_import_smaller", full_store, |s| {
            import(s, "smaller.bin")
        }),
        store("filestore_buffer_import_first", new_store, |s| {
            import_buffer(s, 3000)
        }),
        store("filestore_buffer_import_larger", full_store, |s| {
            import_buffer(s, 9000)
        }),
        store("filestore_buffer_import_smaller", full_store, |s| {
            import_buffer(s, 70)
        }),
    ]
}

fn vfs() -> Vec<Operation> {
    let operation = |name, prepare, act| Operation::new(name, &[Part::Files("v")], prepare, act);
    let stream = |name, prepare, act| operation(name, prepare, act).rule(Rule::Stream);
    vec![
        operation("vfs_touch", folder, |s| call(s, "touch", &["v/new"])),
        operation("vfs_create_dir", folder, |s| {
            call(s, "create_dir", &["v/new"])
        }),
        stream("vfs_write", folder, |s| write(s, "v/new", VFS_WRITE)),
        stream("vfs_write_below_new_folders", folder, |s| {
            write(s, "v/x/y/new", VFS_WRITE)
        }),
        stream("vfs_write_over", folder, |s| write(s, "v/one", VFS_WRITE)),
        stream("vfs_append", folder, |s| write(s, "v/one", VFS_APPEND)),
        stream("vfs_copy_file", folder, |s| {
            call(s, "copy_file", &["v/one", "v/new"])
        }),
        stream("vfs_copy_dir", folder, |s| {
            call(s, "copy_dir", &["v/d", "v/new"])
        }),
        operation("vfs_move_file", folder, |s| {
            call(s, "move_file", &["v/one", "v/new"])
        }),
        operation("vfs_move_dir", folder, |s| {
            call(s, "move_dir", &["v/d", "v/new"])
        }),
        operation("vfs_remove_file", folder, |s| {
            call(s, "remove_file", &["v/one"])
        }),
        stream("vfs_remove_dir", folder, |s| {
            call(s, "remove_dir", &["v/d"])
        }),
    ]
}

/// Bytes that differ between positions and between sizes.
fn bytes(size: usize) -> Vec<u8> {
    (0..size)
        .map(|index| b'a' + ((7 * index + size / 10) % 26) as u8)
        .collect()
}

fn files(session: &Session) -> Done {
    for (name, size) in [
        ("one.bin", 3000),
        ("larger.bin", 5000),
        ("smaller.bin", 100),
    ] {
        fs::write(session.folder.join(name), bytes(size)).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn create(session: &Session, file: &str) -> Done {
    let library = &session.library;
    let file = session.uri(file);
    let schema = library.try_make("filestore_schema_create", &[text(&file)])?;
    library.attempt("array_create", &[text(&session.uri("a")), schema])
}

fn import(session: &Session, file: &str) -> Done {
    session.call_with("filestore_uri_import", &["a", file], &[0])
}

fn import_buffer(session: &Session, size: usize) -> Done {
    let bytes = bytes(size);
    let buffer = [bytes.as_ptr() as usize, size, 0];
    session.call_with("filestore_buffer_import", &["a"], &buffer)
}

fn new_store(session: &Session) -> Done {
    files(session)?;
    create(session, "one.bin")
}

fn full_store(session: &Session) -> Done {
    new_store(session)?;
    import(session, "one.bin")?;
    std::thread::sleep(std::time::Duration::from_millis(2));
    Ok(())
}

/// A folder with a file and a folder of files.
fn folder(session: &Session) -> Done {
    let make = || -> std::io::Result<()> {
        fs::create_dir_all(session.folder.join("v/d/e"))?;
        for (name, size) in [
            ("v/one", 300),
            ("v/d/two", 200),
            ("v/d/three", 100),
            ("v/d/e/four", 9),
        ] {
            fs::write(session.folder.join(name), bytes(size))?;
        }
        Ok(())
    };
    make().map_err(|error| error.to_string())
}

/// Calls a function of the virtual file system with names in the folder.
fn call(session: &Session, function: &str, names: &[&str]) -> Done {
    let library = &session.library;
    let vfs = library.try_make("vfs_alloc", &[0])?;
    let uris: Vec<CString> = names
        .iter()
        .map(|name| c_path(&session.folder.join(name)))
        .collect();
    let arguments: Vec<usize> = [vfs]
        .into_iter()
        .chain(uris.iter().map(|uri| text(uri)))
        .collect();
    let done = library.attempt(&format!("vfs_{function}"), &arguments);
    library.free("vfs_free", vfs);
    done
}

/// Writes two pieces to a file.
fn write(session: &Session, name: &str, mode: usize) -> Done {
    let library = &session.library;
    let vfs = library.try_make("vfs_alloc", &[0])?;
    let file = library.try_make("vfs_open", &[vfs, text(&session.uri(name)), mode])?;
    let bytes = bytes(600).to_ascii_uppercase();
    for piece in bytes.chunks(400) {
        let arguments = [file, piece.as_ptr() as usize, piece.len()];
        library.attempt("vfs_write", &arguments)?;
    }
    library.attempt("vfs_sync", &[file])?;
    library.attempt("vfs_close", &[file])
}
