//! Open arrays as messages, with their fragments and deletes, so that the receiver need not list
//! files.

use std::collections::HashMap;
use std::sync::Arc;

use super::fragments;
use super::message::{self, MessageEncoding, traversal_limit};
use super::messages_capnp::{array, array_directory};
use super::schema;
use super::texts::{length, named, short, text};
use super::{metadata, ranges};
use crate::array::{Array, ArrayMessage, Delete, MetadataNames, WithMetadata};
use crate::error::{MessageKind, Result};
use crate::format::names::{FragmentName, folders, is_without_path};
use crate::fragment::Fragment;
use crate::schema::ArraySchema;
use crate::types::{QueryType, TimeRange};
use crate::vfs::{Uri, Vfs};

/// Writes an open array. The configuration of the array selects what the message contains. If
/// `client_side`, the schemas have the URI of the array.
pub fn write_array(array: &Array, client_side: bool, encoding: MessageEncoding) -> Result<Vec<u8>> {
    message::write::<array::Owned>(MessageKind::Array, encoding, |to| {
        fill(to, array, client_side)
    })
}

/// Reads a message as an array at `uri`, which is open and has what the message contains.
pub fn read_array(
    bytes: &[u8],
    encoding: MessageEncoding,
    vfs: &Arc<Vfs>,
    uri: &str,
) -> Result<Array> {
    let array = Array::new(vfs, uri)?;
    let limit = traversal_limit(&vfs.context.config)?;
    let kind = MessageKind::Array;
    message::read::<array::Owned, _>(kind, encoding, bytes, limit, |from| parse(from, &array))?;
    Ok(array)
}

/// Reads the message of a server about the array at `uri`; `None` if it has no schema.
pub fn read_served_array(
    bytes: &[u8],
    encoding: MessageEncoding,
    vfs: &Arc<Vfs>,
    uri: &Uri,
) -> Result<Option<ArrayMessage>> {
    let limit = traversal_limit(&vfs.context.config)?;
    let kind = MessageKind::Array;
    message::read::<array::Owned, _>(kind, encoding, bytes, limit, |from| {
        parse_received(from, vfs, uri)
    })
}

/// Fills the message of an open array.
pub(super) fn fill(mut to: array::Builder<'_>, array: &Array, client_side: bool) -> Result<()> {
    let config = array.config();
    let has_fragments = config.flag("rest.use_refactored_array_open_and_query_submit")?;
    let has_all = has_fragments || config.flag("rest.use_refactored_array_open")?;
    let has = |parameter| -> Result<bool> { Ok(has_all && config.flag(parameter)?) };
    if has("rest.load_enumerations_on_array_open")?
        || has("rest.load_enumerations_on_array_open_all_schemas")?
    {
        array.load_enumerations()?;
    }
    let open = array.snapshot()?;
    to.set_uri(short("A URI", array.uri.as_str())?);
    to.set_start_timestamp(open.session.timestamps.start);
    to.set_end_timestamp(open.session.timestamps.end);
    to.set_opened_at_end_timestamp(array.open_timestamp_end());
    to.set_query_type(open.session.query_type.name());
    let folder = folder_uri(&array.uri);
    let uri = client_side.then_some(folder.as_str());
    schema::fill(to.reborrow().init_array_schema_latest(), &open.schema, uri)?;
    let all = array.all_schemas()?;
    schema::fill_all(to.reborrow().init_array_schemas_all(), &all, uri)?;
    if has_fragments {
        fill_directory(to.reborrow().init_array_directory(), array, &all)?;
        if !open.fragments.is_empty() {
            let number = length("A list of fragments", open.fragments.len())?;
            let mut list = to.reborrow().init_fragment_metadata_all(number);
            for (index, fragment) in (0..).zip(&open.fragments) {
                fragments::fill(list.reborrow().get(index), fragment)?;
            }
        }
    }
    if has("rest.load_non_empty_domain_on_array_open")? {
        let domain = to.reborrow().init_non_empty_domain();
        ranges::fill_non_empty_domain(domain, open.non_empty_domain())?;
    }
    if has("rest.load_metadata_on_array_open")? {
        metadata::fill(to.init_array_metadata(), &array.metadata_entries()?)?;
    }
    Ok(())
}

/// Returns the URI of an array in its schemas, which ends with a slash.
pub(super) fn folder_uri(array: &Uri) -> String {
    format!("{}/", array.as_str().trim_end_matches('/'))
}

/// Fills the names of the files of an array.
fn fill_directory(
    mut to: array_directory::Builder<'_>,
    array: &Array,
    schemas: &[Arc<ArraySchema>],
) -> Result<()> {
    let open = array.snapshot()?;
    if !open.fragments.is_empty() {
        let number = length("A list of fragments", open.fragments.len())?;
        let mut uris = to.reborrow().init_unfiltered_fragment_uris(number);
        for (index, fragment) in (0..).zip(&open.fragments) {
            uris.set(index, &fragments::relative_uri(fragment)[..]);
        }
    }
    let number = length("A list of schemas", schemas.len())?;
    let mut uris = to.reborrow().init_array_schema_uris(number);
    for (index, schema) in (0..).zip(schemas) {
        uris.set(index, &schema_uri(schema)[..]);
    }
    to.set_latest_array_schema_uri(&schema_uri(&open.schema)[..]);
    let files = open.metadata_files(&array.vfs)?;
    if !files.is_empty() {
        let number = length("A list of files", files.len())?;
        let mut list = to.reborrow().init_array_meta_uris(number);
        for (index, name) in (0..).zip(&files) {
            let mut to = list.reborrow().get(index);
            to.set_uri(&format!("{}/{}", folders::METADATA, name.as_str())[..]);
            to.set_timestamp_start(name.timestamps().start);
            to.set_timestamp_end(name.timestamps().end);
        }
    }
    if !open.deletes.is_empty() {
        let number = length("A list of deletes", open.deletes.len())?;
        let mut list = to.reborrow().init_delete_and_update_tile_location(number);
        for (index, delete) in (0..).zip(&open.deletes) {
            let mut to = list.reborrow().get(index);
            let (file, position) = delete.location();
            to.set_uri(&file[..]);
            to.set_condition_marker(&delete.marker()[..]);
            to.set_offset(position);
        }
    }
    to.set_timestamp_start(open.session.timestamps.start);
    to.set_timestamp_end(open.session.timestamps.end);
    Ok(())
}

/// Returns the URI of a schema relative to the array's folder.
fn schema_uri(schema: &ArraySchema) -> String {
    if schema.name == folders::ROOT_SCHEMA {
        schema.name.clone()
    } else {
        format!("{}/{}", folders::SCHEMAS, schema.name)
    }
}

/// Reads the message of an array into `array`, which is open afterwards. A message without a schema
/// only sets the time range.
pub(super) fn parse(from: array::Reader<'_>, array: &Array) -> Result<()> {
    match parse_received(from, &array.vfs, &array.uri)? {
        Some(received) => array.receive(received),
        None => {
            array.set_open_timestamp_start(from.get_start_timestamp());
            array.set_open_timestamp_end(from.get_end_timestamp());
        }
    }
    Ok(())
}

/// Reads the message of the array at `uri`; `None` if it has no schema.
fn parse_received(
    from: array::Reader<'_>,
    vfs: &Arc<Vfs>,
    uri: &Uri,
) -> Result<Option<ArrayMessage>> {
    let query_type = if from.has_query_type() {
        named(from.get_query_type(), "a query type", QueryType::from_name)?
    } else {
        QueryType::Read
    };
    let schemas: Vec<Arc<ArraySchema>> = schema::parse_all(from.get_array_schemas_all()?)?
        .into_iter()
        .map(Arc::new)
        .collect();
    let timestamps = TimeRange {
        start: from.get_start_timestamp(),
        end: from.get_end_timestamp(),
    };
    if !from.has_array_schema_latest() {
        return Ok(None);
    }
    let latest = Arc::new(schema::parse(from.get_array_schema_latest()?)?);
    // In reverse, so that the first of several schemas with one name is kept.
    let by_name = schemas.iter().rev();
    let by_name: HashMap<&str, &Arc<ArraySchema>> = by_name
        .map(|schema| (schema.name.as_str(), schema))
        .collect();
    let mut fragments = Vec::new();
    for fragment in from.get_fragment_metadata_all()? {
        let schema_name = text(fragment.get_array_schema_name())?;
        let schema = by_name.get(schema_name).copied();
        let received = fragments::parse(fragment, uri, schema.unwrap_or(&latest))?;
        fragments.push(Arc::new(Fragment::of_message(vfs, None, received)?));
    }
    let non_empty_domain = if from.has_non_empty_domain() {
        let domain = from.get_non_empty_domain()?;
        Some(ranges::parse_non_empty_domain(domain, &latest.domain)?)
    } else {
        None
    };
    let metadata = if from.has_array_metadata() {
        Some(metadata::parse(from.get_array_metadata()?)?)
    } else {
        None
    };
    Ok(Some(ArrayMessage {
        query_type,
        timestamps,
        schema: latest,
        schemas,
        fragments,
        deletes: parse_deletes(from.get_array_directory()?, uri)?,
        non_empty_domain,
        metadata,
        metadata_names: parse_metadata_names(from.get_array_directory()?)?,
        server: None,
    }))
}

/// Reads the names of metadata files from their URIs relative to the array.
fn parse_metadata_names(from: array_directory::Reader<'_>) -> Result<MetadataNames> {
    Ok(MetadataNames::of_message(
        from.get_array_meta_uris()?
            .iter()
            .map(|from| {
                named(from.get_uri(), "the URI of a metadata file", |uri| {
                    let name = uri.strip_prefix(folders::METADATA)?.strip_prefix('/')?;
                    FragmentName::with_suffix(name, "")
                        .filter(|name| is_without_path(name.as_str()))
                })
            })
            .collect::<Result<_>>()?,
    ))
}

/// Reads the deletes of the array at `array`. Their conditions are read from storage when they are
/// needed.
fn parse_deletes(from: array_directory::Reader<'_>, array: &Uri) -> Result<Vec<Arc<Delete>>> {
    from.get_delete_and_update_tile_location()?
        .iter()
        .map(|from| {
            let marker = text(from.get_condition_marker())?;
            Delete::of_message(array, marker).map(Arc::new)
        })
        .collect()
}
