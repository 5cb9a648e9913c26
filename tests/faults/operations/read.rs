//! Reads: a fault is an error, and never makes a part of the content invisible.

use super::{Operation, Part, Session, maintenance, nothing};
use crate::arrays::Done;
use crate::arrays::schema::{DENSE, ENUMERATED, LABELLED};
use crate::arrays::{state, text};
use crate::library::address;

pub(super) fn operations() -> Vec<Operation> {
    let read_array: fn(&Session) -> Done<String> = |s| state::array(&s.library, &s.uri("a"));
    let array = |name, prepare, read| Operation {
        read: Some(read),
        ..Operation::on_array(name, prepare, nothing)
    };
    vec![
        array("read_dense", |s| s.array(DENSE), read_array),
        array("read_sparse", maintenance::rich, read_array),
        array(
            "read_of_con_file",
            maintenance::consolidated_footers,
            read_array,
        ),
        array("read_enumerated", |s| s.array(ENUMERATED), read_array),
        array("read_labelled", |s| s.array(LABELLED), read_array),
        array(
            "read_fragment_info",
            maintenance::consolidated_footers,
            fragment_info,
        ),
        Operation {
            read: Some(|s| state::group(&s.library, &s.uri("g"))),
            ..Operation::new(
                "read_group",
                &[Part::Object("g")],
                super::groups::members,
                nothing,
            )
        },
        array(
            "read_sizes_of_files",
            |s| s.array(DENSE),
            |s| {
                let mut size = 0u64;
                let vfs = s.library.try_make("vfs_alloc", &[0])?;
                let read = s.library.attempt(
                    "vfs_dir_size",
                    &[vfs, text(&s.uri("a")), address(&mut size)],
                );
                s.library.free("vfs_free", vfs);
                read.map(|()| size.to_string())
            },
        ),
    ]
}

/// Returns the sizes of the fragments of an array.
fn fragment_info(session: &Session) -> Done<String> {
    let library = &session.library;
    let info = library.try_make("fragment_info_alloc", &[text(&session.uri("a"))])?;
    let mut seen = String::new();
    let mut read = || -> Done {
        library.attempt("fragment_info_load", &[info])?;
        let mut count = 0u32;
        library.attempt(
            "fragment_info_get_fragment_num",
            &[info, address(&mut count)],
        )?;
        for index in 0..count as usize {
            let mut size = 0u64;
            let out = [info, index, address(&mut size)];
            library.attempt("fragment_info_get_fragment_size", &out)?;
            seen += &format!("{size}\n");
        }
        Ok(())
    };
    let read = read();
    library.free("fragment_info_free", info);
    read.map(|()| seen)
}
