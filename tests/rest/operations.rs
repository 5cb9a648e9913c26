//! Operations at a `tiledb://` URI, whose outcome is compared with that of the same operations in a
//! folder.

use std::ffi::CString;
use std::path::Path;

use crate::arrays::buffers::FieldBuffers;
use crate::arrays::maintenance::{consolidate, vacuum};
use crate::arrays::metadata::{change_array, change_group, change_members};
use crate::arrays::schema::{self, SPARSE, Shape, WIDE_SPARSE};
use crate::arrays::write::{Cells, GLOBAL_ORDER, ROW_MAJOR, UNORDERED, delete_below};
use crate::arrays::{
    Done, MODIFY_EXCLUSIVE, OpenArray, OpenGroup, Query, READ, WRITE, c_path, state, text,
};
use crate::library::{Library, address};
use crate::server::Server;

/// The library, the folders and the server of a test.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) library: &'a Library,
    /// The URI of the server's objects.
    pub(crate) remote: &'a Path,
    /// A folder for the same objects.
    pub(crate) local: &'a Path,
    pub(crate) server: &'a Server,
}

impl Target<'_> {
    /// Runs an operation at the URI and in the folder, with the same result. Returns whether it
    /// succeeded.
    fn both(&self, name: &str, case: &str, operation: impl Fn(&CString) -> Done) -> bool {
        let [remote, local] = [self.remote, self.local].map(|folder| {
            let done = operation(&c_path(&folder.join(name)));
            done.map_err(|error| error.replace(folder.to_str().expect("a path"), "@"))
        });
        assert_eq!(
            remote.is_ok(),
            local.is_ok(),
            "{case}: {remote:?} {local:?}"
        );
        remote.is_ok()
    }

    /// Runs an operation that has to succeed.
    pub(crate) fn ok(&self, name: &str, case: &str, operation: impl Fn(&CString) -> Done) {
        let report = |uri: &CString| operation(uri).map_err(|error| format!("{case}: {error}"));
        let remote = c_path(&self.remote.join(name));
        report(&remote).unwrap_or_else(|error| panic!("{remote:?}: {error}"));
        report(&c_path(&self.local.join(name))).expect("the same in a folder");
    }

    /// Checks that the object looks the same at the URI and in the folder. Returns what it looks
    /// like.
    pub(crate) fn check(&self, name: &str, step: &str) -> String {
        let [remote, local] = [self.remote, self.local].map(|folder| {
            let sections = state::object(self.library, folder, name);
            let texts = sections.into_iter().map(|(_, text)| text);
            texts.collect::<String>()
        });
        assert!(!remote.contains("error"), "{name} after {step}: {remote}");
        assert_eq!(remote, local, "{name} after {step}");
        remote
    }
}

/// Creates an array and writes cells and metadata, at fixed times.
pub(crate) fn array(target: &Target<'_>, name: &str, shape: Shape) {
    let library = target.library;
    assert_eq!(target.check(name, "nothing"), "nothing\n");
    target.ok(name, "create", |uri| schema::create(library, uri, shape));
    let created = target.check(name, "its creation");
    for (first, salt) in [(0, 1), (8, 2)] {
        target.ok(name, "write", |uri| {
            let cells = Cells::new(shape, first..first + 12, salt);
            cells.at(salt as u64).write(library, uri)
        });
    }
    let written = target.check(name, "two writes");
    assert_ne!(created, written);
    let changes = [(c"one", Some(7)), (c"both", Some(8))];
    target.ok(name, "metadata", |uri| {
        change_array(library, uri, &changes, Some(3))
    });
    target.ok(name, "metadata", |uri| {
        change_array(library, uri, &[(c"both", None)], Some(4))
    });
    assert!(target.check(name, "metadata").contains("one"));
    if shape.sparse {
        target.ok(name, "delete", |uri| {
            delete_below(library, uri, 1005, Some(5))
        });
        assert_ne!(target.check(name, "a delete"), written);
    }
    target.ok(name, "write in global order", |uri| {
        global(library, uri, shape, 6)
    });
    target.check(name, "a write in global order");
    target.ok(name, "evolve", |uri| evolve(library, uri));
    assert!(target.check(name, "an evolution").contains("added"));
}

/// Writes whole tiles in global order with one submit that also finalizes the write.
fn global(library: &Library, uri: &CString, shape: Shape, time: u64) -> Done {
    if shape.wide || shape.enumerated {
        return Ok(());
    }
    let array = OpenArray::open(library, uri, WRITE, Some(time))?;
    let query = Query::new(&array, crate::arrays::WRITE)?;
    query.set_layout(GLOBAL_ORDER)?;
    let xs: Vec<i64> = (16..24).collect();
    if !shape.sparse {
        query.set_ranges(&array, &[[16, 23]])?;
    }
    let bytes = |values: Vec<[u8; 8]>| FieldBuffers::of(values.concat(), None, None);
    let mut x = bytes(xs.iter().map(|x| x.to_le_bytes()).collect());
    let a = xs.iter().flat_map(|x| (*x as i32).to_le_bytes()).collect();
    let mut a = FieldBuffers::of(a, None, None);
    a.set(library, &query, c"a")?;
    if shape.sparse {
        x.set(library, &query, c"x")?;
    }
    library.attempt("query_submit_and_finalize", &[query.handle])?;
    drop(query);
    array.close()
}

/// Adds an attribute to an array.
fn evolve(library: &Library, uri: &CString) -> Done {
    let evolution = library.try_make("array_schema_evolution_alloc", &[])?;
    let attribute = library.try_make("attribute_alloc", &[text(c"added"), schema::INT32])?;
    let add = "array_schema_evolution_add_attribute";
    library.attempt(add, &[evolution, attribute])?;
    library.attempt("array_evolve", &[text(uri), evolution])?;
    library.free("attribute_free", attribute);
    library.free("array_schema_evolution_free", evolution);
    Ok(())
}

/// Creates a group and changes its members and metadata.
pub(crate) fn group(target: &Target<'_>) {
    let library = target.library;
    let name = "group";
    target.ok(name, "create", |uri| {
        library.attempt("group_create", &[text(uri)])
    });
    assert!(!target.both(name, "create again", |uri| {
        library.attempt("group_create", &[text(uri)])
    }));
    target.check(name, "its creation");
    target.ok("group/m1", "create a member", |uri| {
        schema::create(library, uri, SPARSE)
    });
    target.ok(name, "metadata", |uri| {
        change_group(library, uri, &[(c"key", Some(1)), (c"other", Some(2))])
    });
    target.ok(name, "metadata", |uri| {
        change_group(library, uri, &[(c"other", None)])
    });
    assert!(target.check(name, "metadata").contains("key"));
    target.ok(name, "add a member", |uri| {
        change_members(library, uri, &[c"m1"], &[])
    });
    assert!(target.check(name, "a member").contains("m1"));
    target.ok(name, "remove a member", |uri| {
        change_members(library, uri, &[], &[c"m1"])
    });
    assert!(!target.check(name, "a removal").contains("m1"));
    target.ok(name, "add a named member", |uri| {
        let group = OpenGroup::open(library, uri, WRITE)?;
        let member = [group.handle, text(c"m1"), 1, text(c"named")];
        library.attempt("group_add_member", &member)?;
        group.close()
    });
    assert!(target.check(name, "a named member").contains("named"));
    target.ok(name, "remove it", |uri| {
        let group = OpenGroup::open(library, uri, WRITE)?;
        library.attempt("group_remove_member", &[group.handle, text(c"named")])?;
        group.close()
    });
    assert!(!target.check(name, "the removal").contains("named"));
    target.ok(name, "delete", |uri| {
        let group = OpenGroup::open(library, uri, MODIFY_EXCLUSIVE)?;
        library.attempt("group_delete_group", &[group.handle, text(uri), 0])?;
        group.close()
    });
}

/// Reads an array with buffers that are too small for all cells.
pub(crate) fn incomplete(target: &Target<'_>, name: &str, shape: Shape) {
    let library = target.library;
    target.ok(name, "create", |uri| schema::create(library, uri, shape));
    target.ok(name, "write", |uri| {
        Cells::new(shape, 0..32, 1).at(1).write(library, uri)
    });
    let layouts = if shape.sparse {
        vec![UNORDERED, GLOBAL_ORDER]
    } else {
        vec![ROW_MAJOR, GLOBAL_ORDER]
    };
    for layout in layouts {
        let [remote, local] = [target.remote, target.local].map(|folder| {
            let parts = in_parts(library, &c_path(&folder.join(name)), layout);
            parts.unwrap_or_else(|error| panic!("{folder:?}: {error}"))
        });
        assert_eq!(remote.cells, local.cells, "{layout}");
        assert_eq!(remote.cells.len(), 32);
        assert!(remote.submits > 2, "{} submits", remote.submits);
    }
}

/// The cells of a read, and the number of its submits.
struct Parts {
    cells: Vec<(i32, String)>,
    submits: usize,
}

fn in_parts(library: &Library, uri: &CString, layout: usize) -> Done<Parts> {
    const INCOMPLETE: u32 = 3;
    let array = OpenArray::open(library, uri, READ, None)?;
    let query = Query::new(&array, READ)?;
    query.set_layout(layout)?;
    query.set_ranges(&array, &[[0, 31]])?;
    let mut parts = Parts {
        cells: Vec::new(),
        submits: 0,
    };
    let (mut a, mut v, mut offsets) = ([0i32; 10], [0u8; 60], [0u64; 10]);
    loop {
        let mut sizes = [40u64, 60, 80];
        let set = |kind: &str, name, data: usize, size: &mut u64| {
            let arguments = [query.handle, text(name), data, address(size)];
            library.attempt(&format!("query_set_{kind}_buffer"), &arguments)
        };
        let [a_size, v_size, o_size] = &mut sizes;
        set("data", c"a", address(&mut a), a_size)?;
        set("data", c"v", address(&mut v), v_size)?;
        set("offsets", c"v", address(&mut offsets), o_size)?;
        query.submit()?;
        parts.submits += 1;
        let count = (sizes[2] / 8) as usize;
        assert_eq!(sizes[0] / 4, count as u64, "cells of both fields");
        for cell in 0..count {
            let end = offsets[..count].get(cell + 1).copied().unwrap_or(sizes[1]);
            let value = &v[offsets[cell] as usize..end as usize];
            let value = String::from_utf8(value.to_vec()).expect("UTF-8");
            parts.cells.push((a[cell], value));
        }
        let mut status = 0u32;
        library.attempt("query_get_status", &[query.handle, address(&mut status)])?;
        if status != INCOMPLETE {
            return Ok(parts);
        }
        assert!(parts.submits < 100, "the read makes no progress");
    }
}

/// Consolidates and vacuums an array, and requests fragment information and a plan.
pub(crate) fn maintenance(target: &Target<'_>, name: &str) {
    let library = target.library;
    target.ok(name, "create", |uri| {
        schema::create(library, uri, WIDE_SPARSE)
    });
    for salt in 1..4 {
        target.ok(name, "write", |uri| {
            let cells = Cells::new(WIDE_SPARSE, 0..10 * salt, salt);
            cells.at(salt as u64).write(library, uri)
        });
    }
    let before = target.check(name, "writes");
    let counts = |expected: &str| {
        for folder in [target.remote, target.local] {
            assert_eq!(state::fragments(library, &folder.join(name)), expected);
        }
    };
    counts("3 fragments, 0 replaced");
    target.ok(name, "plan", |uri| plan(library, uri));
    target.ok(name, "consolidate", |uri| {
        consolidate(library, uri, "fragments", &[])
    });
    counts("1 fragments, 3 replaced");
    target.ok(name, "vacuum", |uri| vacuum(library, uri, "fragments", &[]));
    counts("1 fragments, 0 replaced");
    assert_eq!(target.check(name, "maintenance"), before);
}

fn plan(library: &Library, uri: &CString) -> Done {
    let array = OpenArray::open(library, uri, READ, None)?;
    let create = "consolidation_plan_create_with_mbr";
    let plan = library.try_make(create, &[array.handle, 1 << 20])?;
    let mut nodes = 0u64;
    let count = "consolidation_plan_get_num_nodes";
    library.attempt(count, &[plan, address(&mut nodes)])?;
    library.free("consolidation_plan_free", plan);
    assert_eq!(nodes, 1, "the fragments overlap");
    array.close()
}

/// Removes fragments by time and by name, and then the array.
pub(crate) fn deletion(target: &Target<'_>, name: &str) {
    let library = target.library;
    target.ok(name, "create", |uri| schema::create(library, uri, SPARSE));
    for salt in 1..5 {
        target.ok(name, "write", |uri| {
            let cells = Cells::new(SPARSE, 0..4, salt);
            cells.at(10 * salt as u64).write(library, uri)
        });
    }
    target.ok(name, "delete by time", |uri| {
        library.attempt("array_delete_fragments_v2", &[text(uri), 15, 25])
    });
    target.check(name, "a deletion by time");
    for folder in [target.remote, target.local] {
        let path = folder.join(name);
        let names = state::fragment_names(library, &path).expect("names");
        assert_eq!(names.len(), 3);
        let last = names.last().expect("a name").rsplit('/').next();
        let fragment = path.join("__fragments").join(last.expect("a name"));
        let fragment = c_path(&fragment);
        let list = [fragment.as_ptr()];
        let array = c_path(&path);
        let arguments = [text(&array), list.as_ptr() as usize, 1];
        let deleted = library.attempt("array_delete_fragments_list", &arguments);
        deleted.unwrap_or_else(|error| panic!("{path:?}: {error}"));
    }
    target.check(name, "a deletion by name");
    target.ok(name, "delete", |uri| {
        library.attempt("array_delete", &[text(uri)])
    });
    assert_eq!(target.check(name, "its deletion"), "nothing\n");
    assert!(!target.both(name, "open", |uri| {
        OpenArray::open(library, uri, READ, None)?.close()
    }));
}
