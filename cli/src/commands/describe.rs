//! `info`, `schema`, `fragments`, `metadata` and `config`.

use serde_json::{Map, Value, json};
use tiledb_engine::{
    Array, Config, Context, Datatype, FilterList, Group, NonEmptyDomain, ObjectType, Scalar,
    Schema, TypedValues,
};

use crate::args::Time;
use crate::cell_text::json_of;
use crate::output::{Output, bytes_text, time_text};
use crate::problem::{Problem, Result};
use crate::selection::{existing, open};
use crate::table::{Table, plain};

/// Prints a summary of an array or group.
pub(super) fn info(context: &Context, uri: &str, time: Time, output: &mut Output) -> Result<()> {
    if existing(context, uri)? == ObjectType::Group {
        return group_info(context, uri, output);
    }
    let array = open(context, uri, time)?;
    let info = ArrayInfo::of(&array)?;
    output.print(&info.json(), || info.text())
}

/// Prints the reference of the parameters whose names contain `part`.
pub(super) fn config(part: Option<&str>, output: &mut Output) -> Result<()> {
    let mut parameters = Config::parameters();
    parameters.retain(|parameter| part.is_none_or(|part| parameter.name.contains(part)));
    if let (Some(part), true) = (part, parameters.is_empty()) {
        return Err(
            Problem::usage(format!("no parameter has '{part}' in its name"))
                .hint("`tiledb-rs config` lists all parameters"),
        );
    }
    let json = parameters.iter().map(|parameter| {
        json!({
            "name": parameter.name,
            "default": parameter.default,
            "values": parameter.values,
            "effect": parameter.effect,
            "origin": parameter.origin,
        })
    });
    output.print(&json.collect(), || {
        let items = parameters.iter().map(|parameter| {
            let default = match parameter.default {
                None => "none".to_owned(),
                Some("") => "empty".to_owned(),
                Some(default) => default.to_owned(),
            };
            format!(
                "{}\n    {}\n    values: {}; default: {default}; {}\n",
                parameter.name,
                parameter.effect.replace('`', ""),
                parameter.values.replace('`', ""),
                parameter.origin,
            )
        });
        items.collect()
    })
}

/// The summary of an array.
struct ArrayInfo<'a> {
    array: &'a Array,
    schema: Schema,
    fragments: usize,
    cells: u64,
    bytes: u64,
    domain: NonEmptyDomain,
    metadata: usize,
}

impl<'a> ArrayInfo<'a> {
    fn of(array: &'a Array) -> Result<Self> {
        let fragments = array.fragments()?;
        let sizes = fragments.iter().map(|fragment| fragment.size());
        Ok(Self {
            array,
            schema: array.schema()?,
            fragments: fragments.len(),
            cells: fragments.iter().map(|fragment| fragment.cell_num()).sum(),
            bytes: sizes.sum::<tiledb_engine::Result<u64>>()?,
            domain: array.non_empty_domain()?.unwrap_or_default(),
            metadata: array.metadata()?.len(),
        })
    }

    fn dimensions(&self) -> Vec<&str> {
        let dimensions = self.schema.dimensions().iter();
        dimensions
            .map(|dimension| dimension.name.as_str())
            .collect()
    }

    fn attributes(&self) -> Vec<&str> {
        let attributes = self.schema.attributes().iter();
        attributes
            .map(|attribute| attribute.name.as_str())
            .collect()
    }

    fn json(&self) -> Value {
        json!({
            "uri": self.array.uri(),
            "type": "array",
            "array_type": self.schema.array_type().name(),
            "dimensions": self.dimensions(),
            "attributes": self.attributes(),
            "fragments": self.fragments,
            "stored_cells": self.cells,
            "stored_bytes": self.bytes,
            "non_empty_domain": domain_json(&self.schema, &self.domain),
            "metadata": self.metadata,
            "timestamp": self.array.timestamp(),
            "format_version": self.schema.version(),
        })
    }

    fn text(&self) -> String {
        let (kind, version) = (self.schema.array_type().name(), self.schema.version());
        lines_text(&[
            ("uri", self.array.uri().to_owned()),
            ("type", format!("{kind} array, format version {version}")),
            ("dimensions", self.dimensions().join(", ")),
            ("attributes", self.attributes().join(", ")),
            ("fragments", self.fragments.to_string()),
            ("stored cells", self.cells.to_string()),
            ("stored size", bytes_text(self.bytes)),
            ("non-empty domain", domain_text(&self.schema, &self.domain)),
            ("metadata", format!("{} keys", self.metadata)),
        ])
    }
}

fn group_info(context: &Context, uri: &str, output: &mut Output) -> Result<()> {
    let group = Group::open(context, uri)?;
    let (members, metadata) = (group.members()?, group.metadata()?.len());
    let json = json!({
        "uri": group.uri(),
        "type": "group",
        "members": members.len(),
        "metadata": metadata,
    });
    output.print(&json, || {
        lines_text(&[
            ("uri", group.uri().to_owned()),
            ("type", "group".to_owned()),
            ("members", members.len().to_string()),
            ("metadata", format!("{metadata} keys")),
        ])
    })
}

/// Returns aligned lines of names and values.
pub(super) fn lines_text(lines: &[(&str, String)]) -> String {
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0) + 1;
    let lines = lines.iter();
    lines
        .map(|(name, value)| format!("{:<width$} {}\n", format!("{name}:"), plain(value)))
        .collect()
}

fn domain_json(schema: &Schema, domain: &NonEmptyDomain) -> Value {
    let dimensions = schema.dimensions().iter().zip(domain);
    let ranges = dimensions.map(|(dimension, range)| {
        let [low, high] =
            [range.start(), range.end()].map(|bound| json_of(bound, dimension.datatype));
        (dimension.name.clone(), json!([low, high]))
    });
    Value::Object(ranges.collect::<Map<_, _>>())
}

/// Returns ranges of dimensions as text.
pub(crate) fn domain_text(schema: &Schema, domain: &NonEmptyDomain) -> String {
    let dimensions = schema.dimensions().iter().zip(domain);
    let ranges = dimensions.map(|(dimension, range)| {
        let [low, high] = [range.start(), range.end()].map(|bound| bound.text(dimension.datatype));
        format!("{} [{low}, {high}]", dimension.name)
    });
    let text = ranges.collect::<Vec<_>>().join(", ");
    if text.is_empty() { "none".into() } else { text }
}

fn filters_text(filters: &FilterList) -> String {
    let filters = filters.filters.iter().map(|filter| filter.kind().name());
    filters.collect::<Vec<_>>().join(", ")
}

/// Prints the schema of an array.
pub(super) fn schema(context: &Context, uri: &str, time: Time, output: &mut Output) -> Result<()> {
    let array = open(context, uri, time)?;
    let schema = array.schema()?;
    output.print(&schema_json(&schema), || {
        let tables = (dimensions(&schema).0, attributes(&schema).0);
        format!(
            "{}\n{}\n{}",
            lines_text(&properties(&schema)),
            tables.0.text(),
            tables.1.text()
        )
    })
}

/// Returns a schema as JSON.
pub(crate) fn schema_json(schema: &Schema) -> Value {
    json!({
        "array_type": schema.array_type().name(),
        "cell_order": schema.cell_order().name(),
        "tile_order": schema.tile_order().name(),
        "capacity": schema.capacity(),
        "allows_duplicates": schema.allows_duplicates(),
        "dimensions": dimensions(schema).1,
        "attributes": attributes(schema).1,
        "enumerations": schema.enumeration_names().collect::<Vec<_>>(),
        "labels": schema.labels().map(|(label, dimension)| {
            json!({"name": label, "dimension": dimension})
        }).collect::<Vec<_>>(),
        "current_domain": schema.current_domain().map(|domain| domain_json(schema, &domain)),
    })
}

/// Returns the properties of a schema that are not those of a field, by their names.
fn properties(schema: &Schema) -> Vec<(&'static str, String)> {
    let mut lines = vec![
        ("array type", schema.array_type().name().to_owned()),
        ("cell order", schema.cell_order().name().to_owned()),
        ("tile order", schema.tile_order().name().to_owned()),
    ];
    if !schema.is_dense() {
        lines.push(("capacity", schema.capacity().to_string()));
        lines.push(("duplicates", schema.allows_duplicates().to_string()));
    }
    if let Some(domain) = schema.current_domain() {
        lines.push(("current domain", domain_text(schema, &domain)));
    }
    let labels = schema.labels();
    let labels = labels.map(|(label, dimension)| format!("{label} of {dimension}"));
    let labels: Vec<String> = labels.collect();
    if !labels.is_empty() {
        lines.push(("labels", labels.join(", ")));
    }
    lines
}

/// Returns the dimensions of a schema as a table and as JSON.
fn dimensions(schema: &Schema) -> (Table, Vec<Value>) {
    let header = ["dimension", "datatype", "domain", "extent", "filters"];
    let mut table = Table::new(header).whole();
    let mut json = Vec::new();
    for dimension in schema.dimensions() {
        let bounds = dimension.bounds();
        let text = bounds.as_ref().map_or_else(String::new, |(low, high)| {
            let [low, high] = [low, high].map(|bound| bound.text(dimension.datatype));
            format!("[{low}, {high}]")
        });
        let extent = dimension.tile_extent();
        // The extent of a datetime is a number of its units.
        let extent_text = extent.as_ref().map(ToString::to_string).unwrap_or_default();
        let filters = filters_text(&dimension.filters);
        json.push(json!({
            "name": dimension.name,
            "datatype": dimension.datatype.name(),
            "domain": bounds.map(|(low, high)| {
                [low, high].map(|bound| json_of(&bound, dimension.datatype))
            }),
            "extent": extent.map(|extent| json_of(&extent, Datatype::Int64)),
            "filters": filters,
        }));
        let datatype = dimension.datatype.name().to_owned();
        table.push(vec![
            dimension.name.clone(),
            datatype,
            text,
            extent_text,
            filters,
        ]);
    }
    (table, json)
}

/// Returns the attributes of a schema as a table and as JSON.
fn attributes(schema: &Schema) -> (Table, Vec<Value>) {
    let header = [
        "attribute",
        "datatype",
        "values",
        "nullable",
        "enumeration",
        "filters",
    ];
    let (mut table, mut json) = (Table::new(header).whole(), Vec::new());
    for attribute in schema.attributes() {
        let values = if attribute.is_var() {
            "any".to_owned()
        } else {
            attribute.cell_val_num.to_string()
        };
        let filters = filters_text(&attribute.filters);
        json.push(json!({
            "name": attribute.name,
            "datatype": attribute.datatype.name(),
            "values_per_cell": values,
            "nullable": attribute.nullable,
            "enumeration": attribute.enumeration,
            "filters": filters,
        }));
        table.push(vec![
            attribute.name.clone(),
            attribute.datatype.name().to_owned(),
            values,
            if attribute.nullable { "yes" } else { "no" }.to_owned(),
            attribute.enumeration.clone().unwrap_or_default(),
            filters,
        ]);
    }
    (table, json)
}

/// Lists the fragments of an array, or with `tiles` the bounds of their tiles in global order.
pub(super) fn fragments(
    context: &Context,
    uri: &str,
    time: Time,
    tiles: bool,
    output: &mut Output,
) -> Result<()> {
    let array = open(context, uri, time)?;
    let (table, json) = if tiles {
        tile_table(&array)?
    } else {
        fragment_table(&array)?
    };
    output.print(&json, || table.text())
}

/// Returns the first and the last cell of each tile as a table and as JSON.
fn tile_table(array: &Array) -> Result<(Table, Value)> {
    let schema = array.schema()?;
    let mut table = Table::new(["written", "tile", "first cell", "last cell"]).right([1]);
    let mut json = Vec::new();
    for fragment in array.fragments()? {
        let bounds = fragment.order_bounds()?;
        for (tile, ends) in bounds.iter().flatten().enumerate() {
            let [first, last] = ends.each_ref().map(|cell| {
                let dimensions = schema.dimensions().iter().zip(cell);
                let values =
                    dimensions.map(|(dimension, value)| value.text(dimension.datatype).to_string());
                format!("({})", values.collect::<Vec<_>>().join(", "))
            });
            table.push(vec![
                time_text(fragment.timestamps().start),
                tile.to_string(),
                first,
                last,
            ]);
        }
        let ends_json = |cell: &Vec<Scalar>| {
            let dimensions = schema.dimensions().iter().zip(cell);
            let values = dimensions.map(|(dimension, value)| json_of(value, dimension.datatype));
            Value::Array(values.collect())
        };
        let tiles = bounds.map(|bounds| {
            let tiles = bounds.iter().map(|ends| ends.each_ref().map(ends_json));
            tiles.collect::<Vec<_>>()
        });
        json.push(json!({ "name": fragment.name(), "order_bounds": tiles }));
    }
    Ok((table, Value::Array(json)))
}

/// Returns the fragments of an array as a table and as JSON.
pub(super) fn fragment_table(array: &Array) -> Result<(Table, Value)> {
    let schema = array.schema()?;
    let header = ["written", "cells", "tiles", "size", "domain"];
    let mut table = Table::new(header).right([1, 2, 3]).whole();
    let mut json = Vec::new();
    for fragment in array.fragments()? {
        let (times, size) = (fragment.timestamps(), fragment.size()?);
        let domain = fragment.non_empty_domain();
        json.push(json!({
            "name": fragment.name(),
            "timestamps": [times.start, times.end],
            "cells": fragment.cell_num(),
            "tiles": fragment.tile_num(),
            "bytes": size,
            "dense": fragment.is_dense(),
            "format_version": fragment.version(),
            "non_empty_domain": domain_json(&schema, &domain),
        }));
        let mut written = time_text(times.start);
        if times.end != times.start {
            written = format!("{written} .. {}", time_text(times.end));
        }
        table.push(vec![
            written,
            fragment.cell_num().to_string(),
            fragment.tile_num().to_string(),
            bytes_text(size),
            domain_text(&schema, &domain),
        ]);
    }
    Ok((table, Value::Array(json)))
}

/// A change of metadata.
pub(super) enum Change {
    None,
    Set(String),
    Delete,
}

impl Change {
    /// Returns the change that the options `--set` and `--delete` request.
    pub(super) fn new(set: Option<String>, delete: bool) -> Self {
        match (set, delete) {
            (Some(text), _) => Self::Set(text),
            (None, true) => Self::Delete,
            (None, false) => Self::None,
        }
    }
}

/// Prints or changes the metadata of an array or group.
pub(super) fn metadata(
    context: &Context,
    uri: &str,
    key: Option<&str>,
    change: &Change,
    output: &mut Output,
) -> Result<()> {
    let object = MetadataObject::open(context, uri)?;
    let mut found = object.metadata()?;
    if let (Some(key), Change::Set(_) | Change::Delete) = (key, change) {
        if matches!(change, Change::Delete) && !found.iter().any(|(name, _)| name == key) {
            return Err(no_key(uri, key));
        }
        object.change(key, change)?;
        return output.print(&json!({ "changed": key }), String::new);
    }
    if let Some(key) = key {
        found.retain(|(name, _)| name == key);
        if found.is_empty() {
            return Err(no_key(uri, key));
        }
    }
    let json = found
        .iter()
        .map(|(name, values)| (name.clone(), values_json(values)));
    let json = Value::Object(json.collect::<Map<_, _>>());
    output.print(&json, || {
        let mut table = Table::new(["key", "datatype", "value"]);
        for (name, values) in &found {
            let datatype = values.datatype().name().to_owned();
            table.push(vec![name.clone(), datatype, values.text()]);
        }
        match (key, found.first()) {
            (Some(_), Some((_, values))) => format!("{}\n", values.text()),
            _ => table.text(),
        }
    })
}

/// An array or group whose metadata is printed or changed.
enum MetadataObject {
    Array(Array),
    Group(Box<Group>),
}

impl MetadataObject {
    fn open(context: &Context, uri: &str) -> Result<Self> {
        Ok(match existing(context, uri)? {
            ObjectType::Group => Self::Group(Box::new(Group::open(context, uri)?)),
            _ => Self::Array(Array::open(context, uri)?),
        })
    }

    fn metadata(&self) -> Result<Vec<(String, TypedValues)>> {
        Ok(match self {
            Self::Array(array) => array.metadata()?,
            Self::Group(group) => group.metadata()?,
        })
    }

    fn change(&self, key: &str, change: &Change) -> Result<()> {
        match (self, change) {
            (_, Change::None) => {}
            (Self::Array(array), Change::Set(text)) => array.put_metadata(key, &**text)?,
            (Self::Array(array), Change::Delete) => array.remove_metadata(key)?,
            (Self::Group(group), Change::Set(text)) => group.put_metadata(key, &**text)?,
            (Self::Group(group), Change::Delete) => group.remove_metadata(key)?,
        }
        Ok(())
    }
}

fn no_key(uri: &str, key: &str) -> Problem {
    Problem::missing(format!("there is no metadata with key '{key}'"))
        .hint(format!("`tiledb-rs metadata {uri}` lists the keys"))
}

fn values_json(values: &TypedValues) -> Value {
    let scalars = values.scalars();
    let mut values = scalars
        .iter()
        .map(|value| json_of(value, values.datatype()));
    if scalars.len() == 1 {
        values.next().unwrap_or_default()
    } else {
        Value::Array(values.collect())
    }
}
