//! The tree of objects, and what an array or a group is: schema, sizes, metadata.

use serde_json::{Value, json};
use tiledb_engine::{Array, FragmentDetails, Group, ObjectType, Scalar, Schema, TypedValues};

use super::http::Request;
use super::session::{Session, for_fragments};
use crate::commands::{contents, domain_text, kind_text, schema_json};
use crate::problem::Result;

/// The most members, keys or attributes of a response.
const MAX_ITEMS: usize = 500;
/// The most bytes of a value of metadata that are shown.
const MAX_VALUE: usize = 4096;

/// Returns the part of a list that a request asks for, with the length of the list.
fn part<T>(request: &Request, items: Vec<T>, to_json: impl Fn(&T) -> Value) -> Value {
    let first = request.number("from", (0, usize::MAX), 0);
    let total = items.len();
    let shown = items.iter().skip(first).take(MAX_ITEMS).map(to_json);
    json!({"items": shown.collect::<Vec<_>>(), "from": first, "total": total})
}

/// Returns the members of a group or a folder; for an array, none.
pub(super) fn members(session: &Session, request: &Request) -> Result<Value> {
    let uri = session.uri(request)?;
    let kind = if session.has_array(uri)? {
        ObjectType::Array
    } else {
        session.context().object_type(uri)?
    };
    let found = if kind == ObjectType::Array {
        Vec::new()
    } else {
        contents(session.context(), uri)?
    };
    for object in &found {
        session.add_known(&object.uri);
    }
    let mut members = part(
        request,
        found,
        |object| json!({"name": object.name, "uri": object.uri, "type": kind_text(object.kind)}),
    );
    members["type"] = match kind {
        ObjectType::Invalid => "folder".into(),
        kind => kind_text(kind).into(),
    };
    Ok(members)
}

/// Returns what is known of an array before its fragments are opened: its schema and the names of
/// its fragments. `{}` if nothing is known earlier, because its files are not in an object store.
pub(super) fn outline(session: &Session, request: &Request) -> Result<Value> {
    let Some(outline) = session.outline(request)? else {
        return Ok(json!({}));
    };
    let array = session.schema_array(request, &outline)?;
    let mut json = described(request, &array.schema()?, None, |_| Value::Null);
    json["uri"] = array.uri().into();
    json["outline"] = outline.json();
    Ok(json)
}

/// Returns the names of the fragments of an array in an object store, `{}` of others.
pub(super) fn names(session: &Session, request: &Request) -> Result<Value> {
    let outline = session.outline(request)?;
    Ok(outline.map_or_else(|| json!({}), |outline| outline.json()))
}

/// Returns the sum of the sizes of fragments.
fn stored_bytes(array: &Array, fragments: &[FragmentDetails]) -> Result<u64> {
    let sizes = for_fragments(array, fragments, FragmentDetails::size)?;
    Ok(sizes.into_iter().fold(0, u64::saturating_add))
}

/// Returns the size of an array, for the tree.
pub(super) fn size(session: &Session, request: &Request) -> Result<Value> {
    if request.parameter("renew").is_some() {
        session.close(session.uri(request)?);
    }
    if let Some(outline) = session.outline(request)? {
        let bytes = match outline.listing().bytes() {
            Some(bytes) => bytes,
            None => session.context().vfs().folder_size(session.uri(request)?)?,
        };
        return Ok(json!({"fragments": outline.fragments().count(), "bytes": bytes}));
    }
    let array = session.array(request)?;
    let fragments = array.fragments()?;
    Ok(json!({
        "dense": array.schema()?.is_dense(),
        "fragments": fragments.len(),
        "cells": cell_num(&fragments),
        "bytes": stored_bytes(&array, &fragments)?,
    }))
}

fn cell_num(fragments: &[FragmentDetails]) -> u64 {
    let cells = fragments.iter().map(FragmentDetails::cell_num);
    cells.fold(0, u64::saturating_add)
}

/// Returns the schema of an array, its size, and the size of each field.
pub(super) fn schema(session: &Session, request: &Request) -> Result<Value> {
    let array = session.array(request)?;
    let schema = array.schema()?;
    let fragments = array.fragments()?;
    let domain = array.non_empty_domain()?;
    let cost = |name: &str| {
        let sizes = fragments.iter().map(|fragment| fragment.field_size(name));
        sizes.fold(0, u64::saturating_add)
    };
    let mut json = described(request, &schema, domain.as_deref(), |name| {
        cost(name).into()
    });
    json["uri"] = array.uri().into();
    json["timestamp"] = array.timestamp().into();
    json["fragments"] = fragments.len().into();
    json["cells"] = cell_num(&fragments).into();
    json["bytes"] = stored_bytes(&array, &fragments)?.into();
    json["non_empty_domain"] = domain.map(|domain| domain_text(&schema, &domain)).into();
    Ok(json)
}

/// Returns a schema with the axes of dimensions and the bytes of fields. Attributes are listed in
/// parts, or those whose names contain the parameter `match`.
fn described(
    request: &Request,
    schema: &Schema,
    domain: Option<&[std::ops::RangeInclusive<Scalar>]>,
    bytes_of: impl Fn(&str) -> Value,
) -> Value {
    let mut json = schema_json(schema);
    if let Value::Array(dimensions) = &mut json["dimensions"] {
        for (index, dimension) in dimensions.iter_mut().enumerate() {
            let name = schema.dimensions()[index].name.as_str();
            dimension["bytes"] = bytes_of(name);
            dimension["axis"] = axis(schema, index, domain);
        }
    }
    let text = request.parameter("match").unwrap_or_default();
    if let Value::Array(attributes) = json["attributes"].take() {
        let mut attributes = attributes;
        attributes.retain(|attribute| {
            text.is_empty()
                || attribute["name"]
                    .as_str()
                    .is_some_and(|name| name.contains(text))
        });
        json["attributes"] = part(request, attributes, |attribute| {
            let mut attribute = attribute.clone();
            attribute["bytes"] = bytes_of(attribute["name"].as_str().unwrap_or_default());
            attribute
        });
    }
    json["format_version"] = schema.version().into();
    json
}

/// Returns the numbers of a dimension that pictures need: the bounds of the cells (of the domain,
/// if the array is empty), and the extent. Strings have positions between 0 and 1 on the map.
fn axis(
    schema: &Schema,
    index: usize,
    domain: Option<&[std::ops::RangeInclusive<Scalar>]>,
) -> Value {
    let dimension = &schema.dimensions()[index];
    let Some((first, last)) = dimension.bounds() else {
        return json!({"low": 0.0, "high": 1.0, "first": 0.0, "last": 1.0, "extent": null, "real": true, "ranked": true});
    };
    let cells = domain.and_then(|domain| domain.get(index));
    let (low, high) = match cells {
        Some(range) => (range.start().clone(), range.end().clone()),
        None => (first.clone(), last.clone()),
    };
    let number = |scalar: &Scalar| scalar.to_f64();
    let stored = |scalar: &Scalar| match scalar {
        Scalar::Integer(value) => value.to_string(),
        other => other.text(dimension.datatype),
    };
    json!({
        "ends": [stored(&first), stored(&last)],
        "low": number(&low),
        "high": number(&high),
        "first": number(&first),
        "last": number(&last),
        "extent": dimension.tile_extent().as_ref().and_then(number),
        "real": dimension.datatype.is_real(),
    })
}

/// Returns the metadata of an array or group, in parts; of long values the beginning.
pub(super) fn metadata(session: &Session, request: &Request) -> Result<Value> {
    let uri = session.uri(request)?;
    let items = if session.has_array(uri)? {
        match session.outline(request)? {
            Some(outline) => outline.listing().metadata_at(..=outline.timestamp)?,
            None => session.array(request)?.metadata()?,
        }
    } else if session.context().object_type(uri)? == ObjectType::Group {
        Group::open(session.context(), uri)?.metadata()?
    } else {
        // A folder.
        Vec::new()
    };
    Ok(part(request, items, |(key, values)| {
        let (datatype, bytes) = (values.datatype(), values.bytes());
        let whole = bytes.len() <= MAX_VALUE;
        let shown = &bytes[..bytes.len().min(MAX_VALUE)];
        let text = TypedValues::from_bytes(datatype, shown).map(|shown| shown.text());
        let is_long = key.len() > MAX_VALUE;
        let key: String = key
            .chars()
            .take(if is_long { 200 } else { MAX_VALUE })
            .collect();
        json!({
            "key": key,
            "datatype": datatype.name(),
            "number": values.len(),
            "bytes": bytes.len(),
            "text": text.unwrap_or_default(),
            "whole": whole && !is_long,
        })
    }))
}
