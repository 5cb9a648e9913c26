//! Describes the content of an object as text, without names that differ between runs.

use std::fmt::Write;
use std::ops::ControlFlow;
use std::sync::Arc;

use tiledb_engine::internal::array::{self, Array, WithMetadata};
use tiledb_engine::internal::buffers::FieldBuffers;
use tiledb_engine::internal::filestore;
use tiledb_engine::internal::group::Group;
use tiledb_engine::internal::object::object_type;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{Layout, ObjectType, QueryType};
use tiledb_engine::internal::vfs::{EntryKind, Uri, Vfs};

use crate::operations::{CELLS, uri};

/// Describes every object on the storage and every other file.
pub(crate) fn all(vfs: &Arc<Vfs>) -> String {
    let mut text = String::new();
    folder(vfs, &uri(""), &mut text);
    text
}

fn folder(vfs: &Arc<Vfs>, folder: &Uri, text: &mut String) {
    for entry in vfs.list(folder).expect("lists") {
        let uri = folder.join(&entry.name);
        if entry.kind == EntryKind::File {
            let _ = writeln!(text, "file {uri}");
            continue;
        }
        match object_type(&vfs.view(), &uri).expect("looks") {
            ObjectType::Array => describe_array(vfs, &uri, text),
            ObjectType::Group => {
                describe_group(vfs, &uri, text);
                others(vfs, &uri, text);
            }
            ObjectType::Invalid => others(vfs, &uri, text),
        }
    }
}

/// Describes what is in a folder but does not belong to its object.
fn others(vfs: &Arc<Vfs>, uri: &Uri, text: &mut String) {
    for entry in vfs.list(uri).expect("lists") {
        let inside = uri.join(&entry.name);
        match entry.kind {
            _ if entry.name.starts_with("__") => {}
            EntryKind::File => {
                let _ = writeln!(text, "file {inside}");
            }
            EntryKind::Directory => match object_type(&vfs.view(), &inside).expect("looks") {
                ObjectType::Array => describe_array(vfs, &inside, text),
                ObjectType::Group => describe_group(vfs, &inside, text),
                ObjectType::Invalid => {}
            },
        }
    }
}

fn describe_array(vfs: &Arc<Vfs>, uri: &Uri, text: &mut String) {
    let array = Arc::new(Array::new(vfs, uri.as_str()).expect("array"));
    array.open(QueryType::Read).expect("the array opens");
    let schema = array.schema().expect("schema");
    let attributes = schema.attributes.iter().map(|attribute| &attribute.name);
    let attributes: Vec<_> = attributes.collect();
    let _ = write!(text, "array {uri} {attributes:?}");
    for path in &schema.enumerations {
        let values = array.enumeration(&path.name).expect("enumeration");
        let _ = write!(text, " {}={:?}", path.name, values.data());
    }
    for label in &schema.labels {
        let label_uri = label.array_uri(uri).expect("place");
        let datatype = match array::load_schema(vfs, &label_uri, &vfs.context.config) {
            Ok(label_schema) => format!("{:?}", label_schema.attributes[0].datatype),
            // The array of the label is being removed.
            Err(_)
                if vfs
                    .list(&uri.join("__commits"))
                    .is_ok_and(|all| all.is_empty()) =>
            {
                "none".to_owned()
            }
            Err(error) => panic!("{error}"),
        };
        let _ = write!(text, " label {} {datatype}", label.name);
    }
    for index in 0..array.metadata_num().expect("metadata") {
        let described =
            array.metadata_at(index, |item| format!(" {}={:?}", item.key(), item.words));
        // The metadata of an imported file is written before its content is committed.
        let described = described.expect("metadata");
        if *attributes != ["contents"] {
            text.push_str(&described);
        }
    }
    if *attributes == ["contents"] {
        let copy = self::uri("copy");
        match filestore::export_file(vfs, uri, &copy) {
            Ok(()) => {
                let bytes = vfs.read_all(&copy).expect("reads");
                vfs.remove_file(&copy).expect("removes");
                let is_one_file = bytes.iter().all(|byte| *byte == bytes[0]);
                assert!(is_one_file, "parts of two files");
                let _ = write!(text, " {} times {}", bytes.len(), bytes[0]);
            }
            Err(error) => {
                assert!(error.to_string().contains("nothing was stored"), "{error}");
            }
        }
    } else {
        let _ = write!(text, " {:?}", cells(&array));
    }
    text.push('\n');
}

fn cells(array: &Arc<Array>) -> Vec<u8> {
    let mut query = Query::new(array, QueryType::Read).expect("query");
    query.set_layout(Layout::RowMajor).expect("layout");
    let mut subarray = Subarray::new(query.request().schema());
    subarray.add_range(0, &[0], &[CELLS - 1]).expect("range");
    query.set_subarray(&subarray).expect("subarray");
    let mut bytes = vec![0; CELLS as usize];
    query
        .read(&mut [FieldBuffers::fixed("a", &mut bytes)])
        .expect("the array reads");
    bytes
}

fn describe_group(vfs: &Arc<Vfs>, uri: &Uri, text: &mut String) {
    let group = Group::new(vfs, uri.as_str()).expect("group");
    group.open(QueryType::Read).expect("the group opens");
    let _ = write!(text, "group {uri}");
    for index in 0..group.member_count().expect("count") {
        let member = group.member_at(index).expect("member");
        let _ = write!(text, " {:?}={}", member.name, member.uri);
    }
    for index in 0..group.metadata_num().expect("metadata") {
        let described =
            group.metadata_at(index, |item| format!(" {}={:?}", item.key(), item.words));
        text.push_str(&described.expect("metadata"));
    }
    text.push('\n');
}

/// Returns the paths of all files and folders whose names are equal in all runs.
pub(crate) fn tree(vfs: &Arc<Vfs>) -> Vec<String> {
    let mut paths = Vec::new();
    let mut visit = |uri: &Uri, _: &_| {
        if !uri.as_str().contains("/__1") {
            paths.push(uri.to_string());
        }
        Ok(ControlFlow::Continue(()))
    };
    vfs.walk(&uri(""), &mut visit).expect("walks");
    paths
}
