//! Changes of schemas in messages.

use std::sync::Arc;

use super::super::message::{self, MessageEncoding, traversal_limit};
use super::super::messages_capnp::{array_schema_evolution, current_domain};
use super::super::texts::{fill_texts, length, named, text};
use super::current_domain as boxes;
use super::fields::{fill_attribute, fill_enumerations, parse_attribute, parse_enumeration};
use crate::config::Config;
use crate::error::{CurrentDomainError, MessageKind, Result};
use crate::schema::{Dimension, Domain, NdRectangle, SchemaEvolution, shared};
use crate::types::{Datatype, NdRange, VAR_NUM};

/// Writes changes of a schema.
pub fn write_schema_evolution(
    evolution: &SchemaEvolution,
    encoding: MessageEncoding,
) -> Result<Vec<u8>> {
    let kind = MessageKind::ArraySchemaEvolution;
    message::write::<array_schema_evolution::Owned>(kind, encoding, |to| fill(to, evolution))
}

/// Reads changes of a schema. The configuration limits the size of the message.
pub fn read_schema_evolution(
    bytes: &[u8],
    encoding: MessageEncoding,
    config: &Config,
) -> Result<SchemaEvolution> {
    let (kind, limit) = (MessageKind::ArraySchemaEvolution, traversal_limit(config)?);
    message::read::<array_schema_evolution::Owned, _>(kind, encoding, bytes, limit, parse)
}

fn fill(mut to: array_schema_evolution::Builder<'_>, evolution: &SchemaEvolution) -> Result<()> {
    fill_texts("A list of attributes", "A name", &evolution.dropped, |n| {
        to.reborrow().init_attributes_to_drop(n)
    })?;
    let number = length("A list of attributes", evolution.added.len())?;
    let mut list = to.reborrow().init_attributes_to_add(number);
    for (index, attribute) in (0..).zip(&evolution.added) {
        fill_attribute(list.reborrow().get(index), attribute)?;
    }
    let enumerations = &evolution.new_enumerations;
    if !enumerations.is_empty() {
        let number = length("A list of enumerations", enumerations.len())?;
        let list = to.reborrow().init_enumerations_to_add(number);
        fill_enumerations(list, enumerations)?;
    }
    let enumerations = &evolution.extended_enumerations;
    if !enumerations.is_empty() {
        let number = length("A list of enumerations", enumerations.len())?;
        let list = to.reborrow().init_enumerations_to_extend(number);
        fill_enumerations(list, enumerations)?;
    }
    let names = &evolution.dropped_enumerations;
    if !names.is_empty() {
        fill_texts("A list of enumerations", "A name", names, |n| {
            to.reborrow().init_enumerations_to_drop(n)
        })?;
    }
    let mut times = to.reborrow().init_timestamp_range(2);
    let time = evolution.timestamp.unwrap_or(0);
    times.set(0, time);
    times.set(1, time);
    if let Some(expanded) = &evolution.expanded_domain {
        fill_expanded(to.init_current_domain_to_expand(), &expanded.read())?;
    }
    Ok(())
}

fn fill_expanded(to: current_domain::Builder<'_>, expanded: &NdRectangle) -> Result<()> {
    let mut ranges = NdRange::new();
    let mut domain = Domain::default();
    for index in 0..expanded.dim_num() {
        let missing = CurrentDomainError::RangeMissing {
            index: index as usize,
        };
        ranges.push(expanded.range(index)?.cloned().ok_or(missing)?);
        domain.dimensions.push(untitled(expanded.datatype(index)?));
    }
    boxes::fill(to, &domain, Some(&ranges))
}

fn parse(from: array_schema_evolution::Reader<'_>) -> Result<SchemaEvolution> {
    let mut evolution = SchemaEvolution::default();
    for attribute in from.get_attributes_to_add()? {
        evolution.add_attribute(parse_attribute(attribute)?)?;
    }
    for name in from.get_attributes_to_drop()? {
        evolution.drop_attribute(text(name)?);
    }
    for enumeration in from.get_enumerations_to_add()? {
        evolution.add_enumeration(&Arc::new(parse_enumeration(enumeration)?))?;
    }
    for enumeration in from.get_enumerations_to_extend()? {
        evolution.extend_enumeration(&Arc::new(parse_enumeration(enumeration)?))?;
    }
    for name in from.get_enumerations_to_drop()? {
        evolution.drop_enumeration(text(name)?);
    }
    let times = from.get_timestamp_range()?;
    if times.len() >= 2 {
        evolution.set_timestamp_range(times.get(0), times.get(1))?;
    }
    if from.has_current_domain_to_expand() {
        let expanded = parse_expanded(from.get_current_domain_to_expand()?)?;
        evolution.expand_current_domain(expanded.map(shared))?;
    }
    Ok(evolution)
}

/// Reads a current domain without the schema: its dimensions have only datatypes.
fn parse_expanded(from: current_domain::Reader<'_>) -> Result<Option<NdRectangle>> {
    let mut domain = Domain::default();
    if let current_domain::NdRectangle(rectangle) = from.which().map_err(capnp::Error::from)? {
        for range in rectangle?.get_ndranges()? {
            let datatype = named(range.get_type(), "a datatype", Datatype::from_name)?;
            domain.dimensions.push(untitled(datatype));
        }
    }
    let ranges = boxes::parse(from, &domain)?;
    Ok(ranges.map(|ranges| NdRectangle::of(domain, ranges)))
}

/// Returns a dimension of which only the datatype is known.
fn untitled(datatype: Datatype) -> Arc<Dimension> {
    let is_text = datatype == Datatype::StringAscii;
    Arc::new(Dimension {
        name: String::new(),
        datatype,
        cell_val_num: if is_text { VAR_NUM } else { 1 },
        domain: None,
        extent: None,
        filters: Arc::default(),
    })
}
