//! Everything a reader can see of an array, a group or a file, as text.

use std::ffi::{CStr, CString, c_char};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::buffers::FieldBuffers;
use super::schema::{FLOAT64, INT32, INT64, VAR_NUM};
use super::write::{ROW_MAJOR, UNORDERED};
use super::{Done, OpenArray, OpenGroup, Query, READ, c_path, text};
use crate::library::{Library, address, bytes_of};

/// The maximum number of cells that a read of a test array may deliver.
const CELLS: usize = 4096;

/// A part of a state: its name, and what a reader sees.
pub(crate) type Section = (String, String);

/// Returns what a reader sees of the object at a path, and of the arrays of its labels. Errors are
/// part of the text.
pub(crate) fn object(library: &Library, folder: &Path, name: &str) -> Vec<Section> {
    let path = folder.join(name);
    let uri = c_path(&path);
    let mut kind = 0u32;
    let asked = library.attempt("object_type", &[text(&uri), address(&mut kind)]);
    let seen = asked.and_then(|()| match kind {
        1 => group(library, &uri),
        2 => array(library, &uri),
        _ => Ok("nothing\n".to_owned()),
    });
    let seen = seen.unwrap_or_else(|error| format!("error: {error}\n"));
    // Errors name paths, and each case has a folder of its own.
    let seen = seen.replace(folder.to_str().expect("a path in UTF-8"), "@");
    let mut sections = vec![(name.to_owned(), seen)];
    // The names of label folders differ between creations.
    for (index, label) in labels(library, &uri).unwrap_or_default().iter().enumerate() {
        let seen = object(library, folder, &format!("{name}/__labels/{label}"));
        let renamed = |(_, text)| (format!("{name}/__labels/{index}"), text);
        sections.extend(seen.into_iter().map(renamed));
    }
    sections
}

/// Returns the names of the folders of the arrays of an array's labels.
fn labels(library: &Library, uri: &CStr) -> Done<Vec<String>> {
    let schema = library.try_make("array_schema_load", &[text(uri)])?;
    let mut count = 0u64;
    let arguments = [schema, address(&mut count)];
    library.attempt("array_schema_get_dimension_label_num", &arguments)?;
    let name = |index: usize| {
        let get = "array_schema_get_dimension_label_from_index";
        let label = library.try_make(get, &[schema, index])?;
        let mut uri = std::ptr::null::<c_char>();
        library.attempt("dimension_label_get_uri", &[label, address(&mut uri)])?;
        // SAFETY: the URI is a C string that is valid until the label is freed.
        let uri = unsafe { CStr::from_ptr(uri) }
            .to_string_lossy()
            .into_owned();
        library.free("dimension_label_free", label);
        Ok(uri.rsplit('/').next().unwrap_or_default().to_owned())
    };
    let names = (0..count as usize).map(name).collect();
    library.free("array_schema_free", schema);
    names
}

/// Returns the number of fragments of an array that readers see and those that were replaced, or ""
/// for other objects.
pub(crate) fn fragments(library: &Library, path: &Path) -> String {
    let uri = c_path(path);
    let count = || -> Done<[u32; 2]> {
        let info = library.try_make("fragment_info_alloc", &[text(&uri)])?;
        let loaded = library.attempt("fragment_info_load", &[info]);
        let mut counts = [0u32; 2];
        let names = ["get_fragment_num", "get_to_vacuum_num"];
        let counted = loaded.and_then(|()| {
            names.iter().zip(&mut counts).try_for_each(|(name, count)| {
                library.attempt(&format!("fragment_info_{name}"), &[info, address(count)])
            })
        });
        library.free("fragment_info_free", info);
        counted.map(|()| counts)
    };
    match count() {
        Ok([visible, replaced]) => format!("{visible} fragments, {replaced} replaced"),
        Err(_) => String::new(),
    }
}

/// Returns the names of the fragments of an array that readers see.
pub(crate) fn fragment_names(library: &Library, path: &Path) -> Done<Vec<String>> {
    let info = library.try_make("fragment_info_alloc", &[text(&c_path(path))])?;
    library.attempt("fragment_info_load", &[info])?;
    let mut count = 0u32;
    let arguments = [info, address(&mut count)];
    library.attempt("fragment_info_get_fragment_num", &arguments)?;
    let names = (0..count as usize).map(|index| {
        let name = library.try_make("fragment_info_get_fragment_name_v2", &[info, index])?;
        Ok(string(library, name))
    });
    let names = names.collect();
    library.free("fragment_info_free", info);
    names
}

/// Returns the names and contents of the files below a path.
pub(crate) fn files(folder: &Path, name: &str) -> Section {
    let mut lines = Vec::new();
    list(&folder.join(name), "", &mut lines);
    lines.sort();
    (name.to_owned(), lines.concat())
}

fn list(path: &Path, name: &str, lines: &mut Vec<String>) {
    if path.is_file() {
        let bytes = fs::read(path).unwrap_or_default();
        lines.push(format!("file {name}: {}\n", bytes.escape_ascii()));
    } else if path.is_dir() {
        lines.push(format!("folder {name}:\n"));
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            let below = entry.file_name().to_string_lossy().into_owned();
            list(&entry.path(), &format!("{name}/{below}"), lines);
        }
    }
}

/// Returns what a reader sees of a group.
pub(crate) fn group(library: &Library, uri: &CStr) -> Done<String> {
    let group = OpenGroup::open(library, uri, READ)?;
    let mut seen = "group\n".to_owned();
    metadata(library, "group", group.handle, &mut seen)?;
    let members = members(library, &group)?.into_iter();
    let mut members: Vec<String> = members
        .map(|Member { uri, kind, name }| {
            let folder = uri.rsplit('/').next().unwrap_or_default();
            format!("member {name}: {kind} {folder}\n")
        })
        .collect();
    members.sort();
    group.close()?;
    Ok(seen + &members.concat())
}

/// A member of a group.
pub(crate) struct Member {
    pub(crate) uri: String,
    pub(crate) kind: u32,
    pub(crate) name: String,
}

/// Returns the members of an open group.
pub(crate) fn members(library: &Library, group: &OpenGroup<'_>) -> Done<Vec<Member>> {
    let mut count = 0u64;
    library.attempt(
        "group_get_member_count",
        &[group.handle, address(&mut count)],
    )?;
    let member = |index: usize| {
        let (mut uri, mut kind, mut name) = (0usize, 0u32, 0usize);
        let outputs = [address(&mut uri), address(&mut kind), address(&mut name)];
        let arguments = [&[group.handle, index][..], &outputs].concat();
        library.attempt("group_get_member_by_index_v2", &arguments)?;
        let [uri, name] = [uri, name].map(|handle| string(library, handle));
        Ok(Member { uri, kind, name })
    };
    (0..count as usize).map(member).collect()
}

/// Returns the text of a `tiledb_string_t` and frees it; 0 is "".
pub(crate) fn string(library: &Library, handle: usize) -> String {
    let (mut data, mut length) = (std::ptr::null::<u8>(), 0usize);
    if handle == 0 {
        return String::new();
    }
    library.call(
        "string_view",
        &[handle, address(&mut data), address(&mut length)],
    );
    let bytes = bytes_of(data, length);
    library.free("string_free", handle);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns what a reader sees of an array.
pub(crate) fn array(library: &Library, uri: &CStr) -> Done<String> {
    let array = OpenArray::open(library, uri, READ, None)?;
    let mut seen = "array\n".to_owned();
    let schema = library.try_make("array_get_schema", &[array.handle])?;
    let fields = fields(library, &array, schema)?;
    if fields.iter().any(|field| field.name == *c"contents") {
        return Ok(filestore(library, uri));
    }
    metadata(library, "array", array.handle, &mut seen)?;
    for field in &fields {
        let _ = writeln!(seen, "{field:?}");
    }
    current_domain(library, schema, &mut seen)?;
    cells(library, &array, schema, &fields, &mut seen)?;
    library.free("array_schema_free", schema);
    array.close()?;
    Ok(seen)
}

fn metadata(library: &Library, family: &str, handle: usize, seen: &mut String) -> Done {
    let mut count = 0u64;
    let arguments = [handle, address(&mut count)];
    library.attempt(&format!("{family}_get_metadata_num"), &arguments)?;
    for index in 0..count as usize {
        let (mut key, mut value) = (std::ptr::null::<u8>(), std::ptr::null::<u8>());
        let (mut length, mut datatype, mut values) = (0u32, 0u32, 0u32);
        let key_at = [address(&mut key), address(&mut length)];
        let value_at = [
            address(&mut datatype),
            address(&mut values),
            address(&mut value),
        ];
        let arguments = [&[handle, index][..], &key_at, &value_at].concat();
        library.attempt(&format!("{family}_get_metadata_from_index"), &arguments)?;
        let size = if datatype as usize == INT64 { 8 } else { 1 };
        let key = bytes_of(key, length as usize);
        let value = bytes_of(value, values as usize * size);
        let key = String::from_utf8_lossy(&key);
        let value = value.escape_ascii();
        let _ = writeln!(seen, "metadata {key:?}: type {datatype}, {value}");
    }
    Ok(())
}

/// Returns the bytes of a file in a file store.
fn filestore(library: &Library, uri: &CStr) -> String {
    let mut size = 0usize;
    let asked = library.attempt("filestore_size", &[text(uri), address(&mut size)]);
    if asked.is_err() {
        return "file store without a file\n".to_owned();
    }
    let mut bytes = vec![0u8; size.min(1 << 20)];
    let export = [text(uri), 0, bytes.as_mut_ptr() as usize, bytes.len()];
    match library.attempt("filestore_buffer_export", &export) {
        Ok(()) => format!("file of {size} bytes: {}\n", bytes.escape_ascii()),
        Err(error) => format!("error: {error}\n"),
    }
}

/// A dimension or an attribute.
#[derive(Debug)]
struct Field {
    name: CString,
    datatype: usize,
    var: bool,
    nullable: bool,
    enumeration: Option<String>,
    /// The first and the last coordinate of a dimension.
    domain: Option<[i64; 2]>,
}

fn fields(library: &Library, array: &OpenArray<'_>, schema: usize) -> Done<Vec<Field>> {
    let mut fields = Vec::new();
    let mut count = 0u32;
    let domain = library.try_make("array_schema_get_domain", &[schema])?;
    library.attempt("domain_get_ndim", &[domain, address(&mut count)])?;
    for index in 0..count as usize {
        let dimension = library.try_make("domain_get_dimension_from_index", &[domain, index])?;
        let mut ends = std::ptr::null::<u8>();
        library.attempt("dimension_get_domain", &[dimension, address(&mut ends)])?;
        let ends = bytes_of(ends, 16);
        let (low, high) = ends.split_at(8);
        let end = |bytes: &[u8]| bytes.try_into().map(i64::from_le_bytes).unwrap_or_default();
        fields.push(Field {
            domain: Some([end(low), end(high)]),
            ..field(library, "dimension", dimension)?
        });
        library.free("dimension_free", dimension);
    }
    library.attempt(
        "array_schema_get_attribute_num",
        &[schema, address(&mut count)],
    )?;
    for index in 0..count as usize {
        let attribute =
            library.try_make("array_schema_get_attribute_from_index", &[schema, index])?;
        let mut nullable = 0u8;
        library.attempt(
            "attribute_get_nullable",
            &[attribute, address(&mut nullable)],
        )?;
        fields.push(Field {
            nullable: nullable != 0,
            enumeration: enumeration(library, array, attribute)?,
            ..field(library, "attribute", attribute)?
        });
        library.free("attribute_free", attribute);
    }
    library.free("domain_free", domain);
    Ok(fields)
}

fn field(library: &Library, family: &str, handle: usize) -> Done<Field> {
    let (mut name, mut datatype, mut values) = (std::ptr::null::<c_char>(), 0u32, 0u32);
    let get = |getter: &str, index: usize| {
        library.attempt(&format!("{family}_get_{getter}"), &[handle, index])
    };
    get("name", address(&mut name))?;
    get("type", address(&mut datatype))?;
    get("cell_val_num", address(&mut values))?;
    // SAFETY: the name is a C string that is valid until the handle is freed.
    let name = unsafe { CStr::from_ptr(name) };
    Ok(Field {
        name: name.to_owned(),
        datatype: datatype as usize,
        var: values as usize == VAR_NUM,
        nullable: false,
        enumeration: None,
        domain: None,
    })
}

/// Returns the values of an attribute's enumeration.
fn enumeration(library: &Library, array: &OpenArray<'_>, attribute: usize) -> Done<Option<String>> {
    let mut name = 0usize;
    let arguments = [attribute, address(&mut name)];
    library.attempt("attribute_get_enumeration_name", &arguments)?;
    let name = string(library, name);
    if name.is_empty() {
        return Ok(None);
    }
    let name = CString::new(name).expect("a name without a zero");
    let found = library.try_make("array_get_enumeration", &[array.handle, text(&name)])?;
    let mut seen = name.to_string_lossy().into_owned();
    for getter in ["enumeration_get_data", "enumeration_get_offsets"] {
        let (mut bytes, mut size) = (std::ptr::null::<u8>(), 0u64);
        library.attempt(getter, &[found, address(&mut bytes), address(&mut size)])?;
        let _ = write!(seen, " {}", bytes_of(bytes, size as usize).escape_ascii());
    }
    library.free("enumeration_free", found);
    Ok(Some(seen))
}

/// Appends the range of the current domain, if the array has one.
fn current_domain(library: &Library, schema: usize, seen: &mut String) -> Done {
    let bounds = library.try_make("array_schema_get_current_domain", &[schema])?;
    let mut empty = 1u32;
    library.attempt(
        "current_domain_get_is_empty",
        &[bounds, address(&mut empty)],
    )?;
    if empty == 0 {
        let rectangle = library.try_make("current_domain_get_ndrectangle", &[bounds])?;
        // A tiledb_range_t: the two ends, each with its size.
        let mut range = [0usize; 4];
        library.attempt(
            "ndrectangle_get_range",
            &[rectangle, 0, address(&mut range)],
        )?;
        let ends = [0, 2].map(|index| bytes_of(range[index] as *const u8, range[index + 1]));
        let _ = writeln!(seen, "current domain {ends:?}");
    }
    Ok(())
}

/// Returns the cells, one per line: in row-major order of dense arrays, sorted otherwise.
fn cells(
    library: &Library,
    array: &OpenArray<'_>,
    schema: usize,
    fields: &[Field],
    seen: &mut String,
) -> Done {
    let mut sparse = 0u32;
    library.attempt(
        "array_schema_get_array_type",
        &[schema, address(&mut sparse)],
    )?;
    let query = Query::new(array, READ)?;
    query.set_layout(if sparse == 1 { UNORDERED } else { ROW_MAJOR })?;
    if sparse == 0 {
        let ranges: Vec<_> = fields.iter().filter_map(|field| field.domain).collect();
        query.set_ranges(array, &ranges)?;
    }
    let mut columns: Vec<_> = fields
        .iter()
        .map(|field| FieldBuffers::with_capacity(CELLS, field.var, field.nullable))
        .collect();
    for (field, column) in fields.iter().zip(&mut columns) {
        column.set(library, &query, &field.name)?;
    }
    query.submit()?;
    query.check_completed()?;
    let mut rows: Vec<String> = Vec::new();
    for (field, column) in fields.iter().zip(&columns) {
        let size = if matches!(field.datatype, INT64 | FLOAT64) {
            8
        } else {
            4
        };
        for (index, value) in column.values(size).into_iter().enumerate() {
            if rows.len() <= index {
                rows.resize(index + 1, "cell".to_owned());
            }
            let _ = write!(rows[index], " {}", shown(field.datatype, value));
        }
    }
    if sparse == 1 {
        rows.sort();
    }
    seen.extend(rows.iter().flat_map(|row| [row.as_str(), "\n"]));
    Ok(())
}

fn shown(datatype: usize, value: Option<&[u8]>) -> String {
    let Some(value) = value else {
        return "null".to_owned();
    };
    match (datatype, value.try_into(), value.try_into()) {
        (INT32, Ok(bytes), _) => i32::from_le_bytes(bytes).to_string(),
        (INT64, _, Ok(bytes)) => i64::from_le_bytes(bytes).to_string(),
        (FLOAT64, _, Ok(bytes)) => f64::from_le_bytes(bytes).to_string(),
        _ => format!("\"{}\"", value.escape_ascii()),
    }
}
