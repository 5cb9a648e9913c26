//! Schemas as messages.

mod current_domain;
mod dimensions;
mod evolution;
mod fields;
mod filters;
mod labels;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::message::{self, DEFAULT_LIMIT, MessageEncoding};
use super::messages_capnp::{array_create_request, array_schema, map};
use super::texts::{length, named, short, text};
use crate::error::{Error, MessageKind, Result, SchemaCheckError, SerializationError};
use crate::format::names::{is_without_path, unversioned_name};
use crate::format::version::FormatVersion;
use crate::schema::{ArraySchema, Enumeration, EnumerationPath, check_names};
use crate::types::{ArrayType, Layout, TimeRange};

pub use evolution::{read_schema_evolution, write_schema_evolution};
use fields::{file_or_new, fill_enumeration};
pub(super) use fields::{fill_enumerations, parse_enumeration};

/// Writes a schema, which need not be complete. `uri` is the URI of its array, which clients send;
/// `None` on servers.
pub fn write_schema(
    schema: &ArraySchema,
    uri: Option<&str>,
    encoding: MessageEncoding,
) -> Result<Vec<u8>> {
    message::write::<array_schema::Owned>(MessageKind::ArraySchema, encoding, |to| {
        fill(to, schema, uri)
    })
}

/// Reads a schema and the URI of its array; the URI is empty if the message has none. The schema
/// is not checked as a whole.
pub fn read_schema(bytes: &[u8], encoding: MessageEncoding) -> Result<(ArraySchema, String)> {
    let (kind, limit) = (MessageKind::ArraySchema, DEFAULT_LIMIT);
    message::read::<array_schema::Owned, _>(kind, encoding, bytes, limit, parse_with_uri)
}

/// A request to create an array.
#[derive(Debug)]
pub struct CreationMessage {
    /// The URI of its storage; empty if the server chooses.
    pub storage: String,
    /// The schema, which is not checked as a whole.
    pub schema: ArraySchema,
    /// The URI in the schema; empty if the message has none.
    pub uri: String,
}

/// Reads a request to create an array.
pub fn read_array_create(bytes: &[u8], encoding: MessageEncoding) -> Result<CreationMessage> {
    let (kind, limit) = (MessageKind::ArrayCreate, DEFAULT_LIMIT);
    message::read::<array_create_request::Owned, _>(kind, encoding, bytes, limit, |from| {
        let storage = text(from.get_uri())?.to_owned();
        let (schema, uri) = parse_with_uri(from.get_schema()?)?;
        Ok(CreationMessage {
            storage,
            schema,
            uri,
        })
    })
}

fn parse_with_uri(from: array_schema::Reader<'_>) -> Result<(ArraySchema, String)> {
    Ok((parse(from)?, text(from.get_uri())?.to_owned()))
}

/// Fills the message of a schema. `uri` is the URI of its array, which clients send.
pub(super) fn fill(
    mut to: array_schema::Builder<'_>,
    schema: &ArraySchema,
    uri: Option<&str>,
) -> Result<()> {
    if let Some(uri) = uri {
        to.set_uri(short("A URI", uri)?);
    }
    if schema.name.is_empty() {
        to.set_name(&unversioned_name(schema.timestamps)[..]);
    } else {
        to.set_name(short("The name of a schema", &schema.name)?);
    }
    let version = i32::try_from(schema.version).unwrap_or(i32::MAX);
    to.reborrow().init_version(1).set(0, version);
    to.set_array_type(schema.array_type.name());
    to.set_tile_order(schema.tile_order.name());
    to.set_cell_order(schema.cell_order.name());
    to.set_capacity(schema.capacity);
    to.set_allows_duplicates(schema.allows_dups);
    let coords = to.reborrow().init_coords_filter_pipeline();
    filters::fill(coords, &schema.coords_filters)?;
    let offsets = to.reborrow().init_offset_filter_pipeline();
    filters::fill(offsets, &schema.offsets_filters)?;
    let validity = to.reborrow().init_validity_filter_pipeline();
    filters::fill(validity, &schema.validity_filters)?;
    dimensions::fill(to.reborrow().init_domain(), schema)?;
    let number = length("A list of attributes", schema.attributes.len())?;
    let mut list = to.reborrow().init_attributes(number);
    for (index, attribute) in (0..).zip(&schema.attributes) {
        fields::fill_attribute(list.reborrow().get(index), attribute)?;
    }
    let mut times = to.reborrow().init_timestamp_range(2);
    times.set(0, schema.timestamps.start);
    times.set(1, schema.timestamps.end);
    labels::fill(to.reborrow(), &schema.labels, uri.is_some())?;
    fill_enumeration_paths(to.reborrow(), &schema.enumerations)?;
    let current = to.init_current_domain();
    current_domain::fill(current, &schema.domain, schema.current_domain.as_ref())
}

/// The message of all schemas of an array by name.
type SchemaMap = map::Owned<capnp::text::Owned, array_schema::Owned>;

/// Fills the message of schemas. `uri` is the URI of their array, which clients send.
pub(super) fn fill_all(
    to: <SchemaMap as capnp::traits::Owned>::Builder<'_>,
    schemas: &[Arc<ArraySchema>],
    uri: Option<&str>,
) -> Result<()> {
    let number = length("A list of schemas", schemas.len())?;
    let mut entries = to.init_entries(number);
    for (index, schema) in (0..).zip(schemas) {
        let mut entry = entries.reborrow().get(index);
        entry.set_key(short("The name of a schema", &schema.name)?)?;
        fill(entry.init_value(), schema, uri)?;
    }
    Ok(())
}

/// Reads the message of schemas, which get the names of the map.
pub(super) fn parse_all(
    from: <SchemaMap as capnp::traits::Owned>::Reader<'_>,
) -> Result<Vec<ArraySchema>> {
    from.get_entries()?
        .iter()
        .map(|entry| {
            let name = text(entry.get_key())?.to_owned();
            let schema = parse(entry.get_value()?)?;
            Ok(ArraySchema { name, ..schema })
        })
        .collect()
}

/// Fills the loaded enumerations, and the file of each. Those that are not stored get a name here.
fn fill_enumeration_paths(
    mut to: array_schema::Builder<'_>,
    enumerations: &[EnumerationPath],
) -> Result<()> {
    if enumerations.is_empty() {
        return Ok(());
    }
    let files: Vec<String> = enumerations
        .iter()
        .map(|path| file_or_new(&path.file))
        .collect();
    let loaded: Vec<_> = enumerations
        .iter()
        .zip(&files)
        .filter_map(|(path, file)| Some((path.loaded()?, file)))
        .collect();
    if !loaded.is_empty() {
        let number = length("A list of enumerations", loaded.len())?;
        let mut list = to.reborrow().init_enumerations(number);
        for (index, (enumeration, file)) in (0..).zip(loaded) {
            fill_enumeration(list.reborrow().get(index), enumeration, file)?;
        }
    }
    let number = length("A list of enumerations", enumerations.len())?;
    let mut to = to.init_enumeration_path_map(number);
    for (index, (path, file)) in (0..).zip(enumerations.iter().zip(&files)) {
        let mut to = to.reborrow().get(index);
        to.set_key(short("The name of an enumeration", &path.name)?);
        to.set_value(short("The file of an enumeration", file)?);
    }
    Ok(())
}

/// Reads the message of a schema.
pub(super) fn parse(from: array_schema::Reader<'_>) -> Result<ArraySchema> {
    let array_type = named(from.get_array_type(), "an array type", ArrayType::from_name)?;
    let order = "an order of tiles";
    let tile_order = named(from.get_tile_order(), order, |name| {
        Layout::from_name(name).filter(|order| matches!(order, Layout::RowMajor | Layout::ColMajor))
    })?;
    let cell_order = named(from.get_cell_order(), "an order of cells", |name| {
        Layout::from_name(name).filter(|order| !matches!(order, Layout::GlobalOrder))
    })?;
    let domain = dimensions::parse(from.get_domain()?)?;
    let attributes = from.get_attributes()?.iter();
    let current_domain = current_domain::parse(from.get_current_domain()?, &domain)?;
    let schema = ArraySchema {
        version: parse_version(from)?,
        array_type,
        tile_order,
        cell_order,
        capacity: from.get_capacity(),
        allows_dups: from.get_allows_duplicates(),
        attributes: attributes
            .map(|from| Ok(Arc::new(fields::parse_attribute(from)?)))
            .collect::<Result<_>>()?,
        labels: labels::parse(from, &domain)?.into(),
        enumerations: parse_enumerations(from)?.into(),
        current_domain,
        coords_filters: Arc::new(filters::parse(from.get_coords_filter_pipeline()?)?),
        offsets_filters: Arc::new(filters::parse(from.get_offset_filter_pipeline()?)?),
        validity_filters: Arc::new(filters::parse(from.get_validity_filter_pipeline()?)?),
        name: text(from.get_name())?.trim_start_matches('/').to_owned(),
        timestamps: parse_times(from)?,
        domain,
    };
    check_names(&schema)?;
    Ok(schema)
}

/// Reads the format version. Clients before 1.8 send the three numbers of their release instead.
fn parse_version(from: array_schema::Reader<'_>) -> Result<u32> {
    let versions = from.get_version()?;
    if versions.len() != 1 {
        return Ok(FormatVersion::WRITTEN.0);
    }
    let version = u32::try_from(versions.get(0)).unwrap_or(u32::MAX);
    if FormatVersion(version) > FormatVersion::NEWEST || !FormatVersion(version).is_readable() {
        let newest = FormatVersion::NEWEST.0;
        return Err(SchemaCheckError::TooNew { version, newest }.into());
    }
    Ok(version)
}

fn parse_times(from: array_schema::Reader<'_>) -> Result<TimeRange> {
    let times = from.get_timestamp_range()?;
    Ok(match times.len() {
        0 | 1 => TimeRange { start: 0, end: 0 },
        _ => TimeRange {
            start: times.get(0),
            end: times.get(1),
        },
    })
}

/// Reads the names and files of enumerations, and the values of those that the message contains.
fn parse_enumerations(from: array_schema::Reader<'_>) -> Result<Vec<EnumerationPath>> {
    let unknown = |subject, name: &str| {
        let name = name.to_owned();
        Error::from(SerializationError::UnknownName { subject, name })
    };
    let mut loaded: HashMap<String, Enumeration> = HashMap::new();
    for from in from.get_enumerations()? {
        let enumeration = parse_enumeration(from)?;
        if let Some(other) = loaded.insert(enumeration.name().to_owned(), enumeration) {
            return Err(unknown("an enumeration of another name", other.name()));
        }
    }
    let (mut paths, mut names) = (Vec::new(), HashSet::new());
    for entry in from.get_enumeration_path_map()? {
        let (name, file) = (text(entry.get_key())?, text(entry.get_value())?);
        // Entries without a size in the message have no names.
        if name.is_empty() || !names.insert(name) {
            return Err(unknown("the name of another enumeration", name));
        }
        if !is_without_path(file) {
            return Err(unknown("the name of a file of an enumeration", file));
        }
        paths.push(match loaded.remove(name) {
            Some(found) => EnumerationPath::of(Arc::new(found.stored_in(file))),
            None => EnumerationPath::new(name.to_owned(), file.to_owned()),
        });
    }
    match loaded.keys().next() {
        None => Ok(paths),
        Some(other) => Err(unknown("an enumeration with a file", other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::names::enumeration_name;
    use crate::schema::{Dimension, DomainDraft, SchemaDraft, shared};
    use crate::types::Datatype;

    /// Returns a schema with an enumeration, whose values are not loaded, in a file.
    fn schema(file: &str) -> ArraySchema {
        let bounds: Vec<u8> = [1i32, 9].iter().flat_map(|end| end.to_le_bytes()).collect();
        let dimension = Dimension::new("x", Datatype::Int32, Some(&bounds), None);
        let dimensions = vec![shared(dimension.expect("a dimension"))];
        let mut draft = SchemaDraft::new(ArrayType::Sparse, None);
        draft
            .set_domain(&shared(DomainDraft { dimensions }))
            .expect("a domain");
        ArraySchema {
            enumerations: vec![EnumerationPath::new("letters".into(), file.into())].into(),
            ..draft.snapshot()
        }
    }

    fn sent_in(file: &str) -> Result<ArraySchema> {
        let message = write_schema(&schema(file), None, MessageEncoding::Json).expect("a message");
        read_schema(&message, MessageEncoding::Json).map(|(schema, _)| schema)
    }

    #[test]
    fn files_of_enumerations_are_in_the_folder_of_enumerations() {
        let name = enumeration_name();
        let received = sent_in(&name).expect("a schema");
        assert_eq!(received.enumerations[0].file, name);
        for outside in ["../../../x", "/x", "a/x", ".", "..", "a\\x"] {
            let error = sent_in(outside).err().map(|error| error.to_string());
            let expected = format!("'{outside}' is not the name of a file of an enumeration");
            assert!(
                error
                    .as_ref()
                    .is_some_and(|error| error.ends_with(&expected)),
                "{outside}: {error:?}"
            );
        }
    }
}
