//! The arrays and groups that the test writes itself, in the current format.

use std::ffi::CStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::arrays::buffers::FieldBuffers;
use crate::arrays::maintenance::{consolidate, vacuum};
use crate::arrays::metadata::{change_array, change_group};
use crate::arrays::schema::{self, INT32, INT64, SPARSE, Shape, UTF8, VAR_NUM, packed};
use crate::arrays::write::{COL_MAJOR, Cells, ROW_MAJOR, UNORDERED, delete_below};
use crate::arrays::{Done, OpenArray, OpenGroup, Query, WRITE, c_path, text};
use crate::cells::Handle;
use crate::library::Library;

const GZIP: usize = 1;
const ZSTD: usize = 2;
const RLE: usize = 4;
const ASCII: usize = 11;
const MD5: usize = 12;
const SHA256: usize = 13;
const DICTIONARY: usize = 14;

/// Makes vacuum remove recently replaced files.
const AT_ONCE: (&CStr, &CStr) = (c"sm.vacuum.min_age_ms", c"0");

/// Writes all arrays and groups below a folder.
pub(crate) fn write_all(library: &Path, folder: &Path) {
    let library = Library::open(library, "the library under test", None);
    let make = |name: &str, kind: &str, write: &dyn Fn(&CStr) -> Done| {
        let parent = folder.join(name);
        fs::create_dir_all(&parent).expect("a folder");
        let path = parent.join(kind);
        write(&c_path(&path)).unwrap_or_else(|error| panic!("{name}: {error}"));
    };
    for (name, shape) in [
        ("dense", schema::WIDE_DENSE),
        ("sparse", schema::WIDE_SPARSE),
        ("duplicates", schema::DUPS),
        ("labels", schema::LABELLED),
        ("enumerations", schema::ENUMERATED),
        ("current_domain", schema::BOUNDED),
    ] {
        make(name, "array", &|uri| {
            schema::create(&library, uri, shape)?;
            write_cells(&library, uri, shape)
        });
    }
    make("maintained", "array", &|uri| maintained(&library, uri));
    make("deletes", "array", &|uri| deletes(&library, uri));
    for sparse in [false, true] {
        let name = if sparse {
            "checked_sparse"
        } else {
            "checked_dense"
        };
        make(name, "array", &|uri| checked(&library, uri, sparse));
    }
    make("encoded_texts", "array", &|uri| {
        encoded_texts(&library, uri)
    });
    make("group", "group", &|uri| {
        group(&library, uri, &folder.join("group/group"))
    });
    // Workers may run as another user.
    drop(fs::set_permissions(
        folder,
        fs::Permissions::from_mode(0o755),
    ));
    library.free("ctx_free", library.ctx);
}

/// Three overlapping fragments.
fn write_cells(library: &Library, uri: &CStr, shape: Shape) -> Done {
    for salt in 0..3 {
        let (start, step) = (4 * salt, if shape.sparse { 1 + salt } else { 1 });
        let xs = (0..12).map(|index| start + index * step);
        let layout = if salt == 1 && !shape.sparse {
            COL_MAJOR
        } else {
            ROW_MAJOR
        };
        let layout = if shape.sparse { UNORDERED } else { layout };
        Cells::new(shape, xs, salt)
            .in_layout(layout)
            .write(library, uri)?;
    }
    change_array(library, uri, &[(c"one", Some(1)), (c"two", Some(2))], None)?;
    change_array(library, uri, &[(c"one", None), (c"three", Some(3))], None)
}

/// Every kind of file that maintenance writes.
fn maintained(library: &Library, uri: &CStr) -> Done {
    let shape = schema::WIDE_SPARSE;
    schema::create(library, uri, shape)?;
    write_cells(library, uri, shape)?;
    consolidate(library, uri, "commits", &[])?;
    vacuum(library, uri, "commits", &[AT_ONCE])?;
    consolidate(library, uri, "fragments", &[])?;
    delete_below(library, uri, 3, None)?;
    write_cells(library, uri, shape)?;
    consolidate(library, uri, "commits", &[])?;
    consolidate(library, uri, "fragment_meta", &[])?;
    consolidate(library, uri, "array_meta", &[])?;
    // Revokes commits of the consolidated file.
    vacuum(library, uri, "fragments", &[AT_ONCE])
}

/// Deletes before and after a consolidation that keeps them.
fn deletes(library: &Library, uri: &CStr) -> Done {
    schema::create(library, uri, SPARSE)?;
    write_cells(library, uri, SPARSE)?;
    delete_below(library, uri, 5, None)?;
    consolidate(library, uri, "fragments", &[])?;
    vacuum(library, uri, "fragments", &[AT_ONCE])?;
    delete_below(library, uri, 1004, None)
}

/// Returns a list of filters.
fn filters<'a>(library: &'a Library, kinds: &[usize]) -> Done<Handle<'a>> {
    let list = Handle::make(library, "filter_list_alloc", &[], "filter_list_free")?;
    for kind in kinds {
        let filter = Handle::make(library, "filter_alloc", &[*kind], "filter_free")?;
        library.attempt("filter_list_add_filter", &[list.raw, filter.raw])?;
    }
    Ok(list)
}

/// Adds an attribute of one value or, for texts, of any number.
fn add_attribute(
    library: &Library,
    schema: usize,
    name: &CStr,
    datatype: usize,
    kinds: &[usize],
) -> Done {
    let arguments = [text(name), datatype];
    let attribute = Handle::make(library, "attribute_alloc", &arguments, "attribute_free")?;
    if matches!(datatype, ASCII | UTF8) {
        library.attempt("attribute_set_cell_val_num", &[attribute.raw, VAR_NUM])?;
        let is_plain = kinds.contains(&MD5);
        library.attempt(
            "attribute_set_nullable",
            &[attribute.raw, usize::from(is_plain)],
        )?;
    }
    let list = filters(library, kinds)?;
    library.attempt("attribute_set_filter_list", &[attribute.raw, list.raw])?;
    library.attempt("array_schema_add_attribute", &[schema, attribute.raw])
}

/// Returns a schema with one dimension `x` from 0 to 31 with a checksum.
fn schema_of_x(library: &Library, sparse: bool) -> Done<Handle<'_>> {
    let (ends, extent) = ([0i64, 31], 4i64);
    let ends = ends.as_ptr() as usize;
    let extent = std::ptr::from_ref(&extent) as usize;
    let arguments = [text(c"x"), INT64, ends, extent];
    let dimension = Handle::make(library, "dimension_alloc", &arguments, "dimension_free")?;
    let checked = filters(library, &[ZSTD, SHA256])?;
    library.attempt("dimension_set_filter_list", &[dimension.raw, checked.raw])?;
    let domain = Handle::make(library, "domain_alloc", &[], "domain_free")?;
    library.attempt("domain_add_dimension", &[domain.raw, dimension.raw])?;
    let kind = usize::from(sparse);
    let schema = Handle::make(library, "array_schema_alloc", &[kind], "array_schema_free")?;
    library.attempt("array_schema_set_domain", &[schema.raw, domain.raw])?;
    library.attempt("array_schema_set_capacity", &[schema.raw, 4])?;
    for lists in ["offsets", "validity"] {
        let set = format!("array_schema_set_{lists}_filter_list");
        library.attempt(&set, &[schema.raw, checked.raw])?;
    }
    Ok(schema)
}

/// Attributes with checksums, and one without.
fn checked(library: &Library, uri: &CStr, sparse: bool) -> Done {
    let schema = schema_of_x(library, sparse)?;
    add_attribute(library, schema.raw, c"plain", INT32, &[])?;
    add_attribute(library, schema.raw, c"numbers", INT64, &[ZSTD, SHA256])?;
    add_attribute(library, schema.raw, c"texts", UTF8, &[GZIP, MD5])?;
    library.attempt("array_create", &[text(uri), schema.raw])?;
    for salt in 0..2i64 {
        let xs: Vec<i64> = (0..20).map(|index| 6 * salt + index).collect();
        let texts: Vec<String> = xs.iter().map(|x| "t".repeat((x % 7) as usize)).collect();
        let (data, offsets) = packed(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let validity = xs.iter().map(|x| u8::from(x % 3 > 0)).collect();
        let numbers = |number: &dyn Fn(i64) -> Vec<u8>| {
            FieldBuffers::of(xs.iter().flat_map(|x| number(*x)).collect(), None, None)
        };
        let mut fields = vec![
            (c"plain", numbers(&|x| (x as i32).to_le_bytes().to_vec())),
            (
                c"numbers",
                numbers(&|x| (x * 1_000_003 + salt).to_le_bytes().to_vec()),
            ),
            (
                c"texts",
                FieldBuffers::of(data, Some(offsets), Some(validity)),
            ),
        ];
        if sparse {
            fields.push((c"x", numbers(&|x| x.to_le_bytes().to_vec())));
        }
        write(
            library,
            uri,
            &mut fields,
            (!sparse).then_some([6 * salt, 6 * salt + 19]),
        )?;
    }
    Ok(())
}

/// Writes strings with filters that encode the offsets as well.
fn encoded_texts(library: &Library, uri: &CStr) -> Done {
    let schema = schema_of_x(library, true)?;
    add_attribute(library, schema.raw, c"runs", ASCII, &[RLE])?;
    add_attribute(library, schema.raw, c"words", ASCII, &[DICTIONARY, SHA256])?;
    library.attempt("array_create", &[text(uri), schema.raw])?;
    let xs: Vec<u8> = (0..16i64).flat_map(i64::to_le_bytes).collect();
    let texts: Vec<&str> = (0..16)
        .map(|index| ["one", "two", "", "one"][index / 4])
        .collect();
    let texts = || {
        let (data, offsets) = packed(&texts);
        FieldBuffers::of(data, Some(offsets), None)
    };
    let mut fields = vec![
        (c"x", FieldBuffers::of(xs, None, None)),
        (c"runs", texts()),
        (c"words", texts()),
    ];
    write(library, uri, &mut fields, None)
}

/// Writes cells, to a range of `x` in dense arrays.
fn write(
    library: &Library,
    uri: &CStr,
    fields: &mut [(&'static CStr, FieldBuffers)],
    range: Option<[i64; 2]>,
) -> Done {
    let array = OpenArray::open(library, uri, WRITE, None)?;
    let query = Query::new(&array, WRITE)?;
    query.set_layout(if range.is_some() {
        ROW_MAJOR
    } else {
        UNORDERED
    })?;
    if let Some(range) = range {
        query.set_ranges(&array, &[range])?;
    }
    for (name, field) in fields {
        field.set(library, &query, name)?;
    }
    query.submit()?;
    query.finalize()?;
    drop(query);
    array.close()
}

/// A group with two arrays and a group as members.
fn group(library: &Library, uri: &CStr, path: &Path) -> Done {
    library.attempt("group_create", &[text(uri)])?;
    library.attempt("group_create", &[text(&c_path(&path.join("sub")))])?;
    for member in ["arr1", "arr2"] {
        let uri = c_path(&path.join(member));
        schema::create(library, &uri, SPARSE)?;
        Cells::new(SPARSE, 0..8, 1).write(library, &uri)?;
    }
    for (member, name) in [
        (c"arr1", c"first"),
        (c"arr2", c"second"),
        (c"sub", c"subgroup"),
    ] {
        let group = OpenGroup::open(library, uri, WRITE)?;
        let add = [group.handle, text(member), 1, text(name)];
        library.attempt("group_add_member", &add)?;
        group.close()?;
    }
    change_group(library, uri, &[(c"one", Some(1))])?;
    change_group(library, uri, &[(c"one", Some(2)), (c"two", None)])
}
