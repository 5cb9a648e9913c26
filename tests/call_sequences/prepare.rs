//! The initial state of a sequence: arrays and a group on storage, and handles in typical states.

use std::fs;
use std::path::Path;

use crate::arguments::Handles;
use crate::arrays::maintenance::consolidate;
use crate::arrays::metadata::change_array;
use crate::arrays::schema;
use crate::arrays::write::{Cells, delete_below};
use crate::arrays::{Done, OpenGroup, READ, WRITE, c_path, text};
use crate::library::Library;
use crate::memory::{Memory, REGION};
use crate::random::Random;

/// Writes the objects that each sequence gets a copy of.
pub(crate) fn write_templates(library: &Library, folder: &Path) {
    fs::create_dir_all(folder).expect("a folder");
    let arrays = [
        ("dense", schema::WIDE_DENSE),
        ("sparse", schema::WIDE_SPARSE),
        ("labels", schema::LABELLED),
        ("enumerations", schema::ENUMERATED),
        ("maintained", schema::SPARSE),
    ];
    let write = || -> Done {
        for (name, shape) in arrays {
            let uri = c_path(&folder.join(name));
            schema::create(library, &uri, shape)?;
            for salt in 0..2 {
                Cells::new(shape, 4 * salt..4 * salt + 8, salt).write(library, &uri)?;
            }
            change_array(library, &uri, &[(c"a", Some(1))], None)?;
        }
        let maintained = c_path(&folder.join("maintained"));
        delete_below(library, &maintained, 2, None)?;
        consolidate(library, &maintained, "fragments", &[])?;
        let group = c_path(&folder.join("group"));
        library.attempt("group_create", &[text(&group)])?;
        let member = c_path(&folder.join("group/arr1"));
        schema::create(library, &member, schema::SPARSE)?;
        let open = OpenGroup::open(library, &group, WRITE)?;
        let add = [open.handle, text(c"arr1"), 1, text(c"first")];
        library.attempt("group_add_member", &add)?;
        open.close()
    };
    write().expect("the objects of sequences");
    fs::write(folder.join("file"), [7u8; 100]).expect("a file");
}

/// Copies a folder.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("a copy");
        }
    }
}

/// Creates handles: contexts, open arrays and groups, queries with buffers, and parts of schemas.
pub(crate) fn handles(
    library: &Library,
    folder: &Path,
    memory: &mut Memory,
    handles: &mut Handles,
    random: &mut Random,
) {
    let own_library = library.with_context(&[
        (c"sm.compute_concurrency_level", c"2"),
        (c"sm.io_concurrency_level", c"2"),
    ]);
    handles
        .entry("tiledb_ctx_t".to_owned())
        .or_default()
        .push(own_library.ctx);
    let mut make = |function: &str, arguments: &[usize], handle_type: &str| {
        let made = own_library.try_make(function, arguments).unwrap_or(0);
        if made != 0 {
            handles
                .entry(format!("tiledb_{handle_type}_t"))
                .or_default()
                .push(made);
        }
        made
    };
    make("ctx_get_config", &[], "config");
    let vfs = make("vfs_alloc", &[0], "vfs");
    let file = memory.text(folder.join("file").to_string_lossy().as_bytes());
    make("vfs_open", &[vfs, file, 0], "vfs_fh");
    for name in ["dense", "sparse", "labels", "enumerations", "maintained"] {
        let uri = memory.text(folder.join(name).to_string_lossy().as_bytes());
        let array = make("array_alloc", &[uri], "array");
        let mode = random.one_of(&[READ, READ, WRITE]);
        if own_library.attempt("array_open", &[array, mode]).is_err() {
            continue;
        }
        let schema = make("array_get_schema", &[array], "array_schema");
        let domain = make("array_schema_get_domain", &[schema], "domain");
        make("domain_get_dimension_from_index", &[domain, 0], "dimension");
        make(
            "array_schema_get_attribute_from_index",
            &[schema, 0],
            "attribute",
        );
        let subarray = make("subarray_alloc", &[array], "subarray");
        let ends = memory.region([0, 7]);
        let query = make("query_alloc", &[array, mode], "query");
        let layout = random.below(4) as usize;
        let prepared = [
            own_library.attempt("subarray_set_subarray", &[subarray, ends]),
            own_library.attempt("query_set_layout", &[query, layout]),
            own_library.attempt("query_set_subarray_t", &[query, subarray]),
        ];
        // Some combinations are errors; the sequence starts with the handles that were created.
        let _ = prepared;
        for field in ["a", "x"] {
            let bytes = memory.region((0..64).map(|index| index << 32 | index));
            let size = memory.word(random.one_of(&[0, 4, 32, 64, REGION as u64]));
            let arguments = [query, memory.text(field.as_bytes()), bytes, size];
            let _ = own_library.attempt("query_set_data_buffer", &arguments);
        }
        let info = make("fragment_info_alloc", &[uri], "fragment_info");
        let _ = own_library.attempt("fragment_info_load", &[info]);
    }
    let group = memory.text(folder.join("group").to_string_lossy().as_bytes());
    let group = make("group_alloc", &[group], "group");
    let _ = own_library.attempt("group_open", &[group, random.one_of(&[READ, WRITE])]);
    make("filter_alloc", &[random.below(20) as usize], "filter");
    make("filter_list_alloc", &[], "filter_list");
    make(
        "array_schema_alloc",
        &[random.below(2) as usize],
        "array_schema",
    );
    make(
        "array_schema_evolution_alloc",
        &[],
        "array_schema_evolution",
    );
    make("query_condition_alloc", &[], "query_condition");
    make("buffer_alloc", &[], "buffer");
}
