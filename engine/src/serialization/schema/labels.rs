//! Dimension labels in messages.

use std::sync::Arc;

use super::super::messages_capnp::{array_schema, dimension_label};
use super::super::texts::{length, named, short};
use crate::error::{Result, SerializationError};
use crate::schema::{DimensionLabel, Domain};
use crate::types::{DataOrder, Datatype, VAR_NUM};

/// Fills the labels of a schema.
pub(super) fn fill(
    to: array_schema::Builder<'_>,
    labels: &[DimensionLabel],
    client_side: bool,
) -> Result<()> {
    if labels.is_empty() {
        return Ok(());
    }
    let number = length("A list of dimension labels", labels.len())?;
    let mut list = to.init_dimension_labels(number);
    for (index, label) in (0..).zip(labels) {
        fill_label(list.reborrow().get(index), label, client_side)?;
    }
    Ok(())
}

fn fill_label(
    mut to: dimension_label::Builder<'_>,
    label: &DimensionLabel,
    client_side: bool,
) -> Result<()> {
    if !label.uri_is_relative {
        return Err(SerializationError::AbsoluteLabel.into());
    }
    to.set_dimension_id(label.dimension);
    to.set_name(short("The name of a dimension label", &label.name)?);
    to.set_attribute_name(short("The name of an attribute", &label.attribute)?);
    to.set_order(label.order.name());
    to.set_type(label.datatype.name());
    to.set_cell_val_num(label.cell_val_num);
    to.set_external(label.is_external);
    to.set_relative(label.uri_is_relative);
    to.set_uri(short("A URI", &label.uri)?);
    if let Some(schema) = &label.schema {
        let uri = client_side.then_some("");
        super::fill(to.init_schema(), schema, uri)?;
    }
    Ok(())
}

/// Reads the labels of a schema.
pub(super) fn parse(
    from: array_schema::Reader<'_>,
    domain: &Domain,
) -> Result<Vec<DimensionLabel>> {
    from.get_dimension_labels()?
        .iter()
        .map(|from| parse_label(from, domain))
        .collect()
}

/// Returns a text that must not be empty. `subject` is the noun of the error.
fn not_empty(
    from: capnp::Result<capnp::text::Reader<'_>>,
    subject: &'static str,
) -> Result<String> {
    named(from, subject, |text| {
        (!text.is_empty()).then(|| text.to_owned())
    })
}

/// Reads the number of values per label, of which the datatype permits one.
fn parse_cell_val_num(from: dimension_label::Reader<'_>, datatype: Datatype) -> Result<u32> {
    let expected = match datatype {
        Datatype::StringAscii => VAR_NUM,
        _ => 1,
    };
    let number = from.get_cell_val_num();
    if number == expected {
        return Ok(number);
    }
    Err(SerializationError::UnknownName {
        subject: "the number of values of a dimension label",
        name: number.to_string(),
    }
    .into())
}

fn parse_label(from: dimension_label::Reader<'_>, domain: &Domain) -> Result<DimensionLabel> {
    if !from.get_relative() {
        return Err(SerializationError::AbsoluteLabel.into());
    }
    let dimension = from.get_dimension_id();
    if dimension as usize >= domain.dimensions.len() {
        return Err(SerializationError::UnknownName {
            subject: "the index of a dimension",
            name: dimension.to_string(),
        }
        .into());
    }
    let schema = from
        .has_schema()
        .then(|| from.get_schema())
        .transpose()?
        .map(super::parse)
        .transpose()?;
    let order =
        |name: &str| DataOrder::from_name(name).filter(|order| *order != DataOrder::Unordered);
    let datatype = named(from.get_type(), "a datatype", Datatype::from_name)?;
    Ok(DimensionLabel {
        dimension,
        name: not_empty(from.get_name(), "the name of a dimension label")?,
        uri: not_empty(from.get_uri(), "the URI of a dimension label")?,
        uri_is_relative: true,
        attribute: not_empty(
            from.get_attribute_name(),
            "the attribute of a dimension label",
        )?,
        order: named(from.get_order(), "the order of a dimension label", order)?,
        datatype,
        cell_val_num: parse_cell_val_num(from, datatype)?,
        is_external: from.get_external(),
        schema: schema.map(Arc::new),
    })
}
