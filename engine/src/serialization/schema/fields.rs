//! Attributes and enumerations in messages.

use std::sync::Arc;

use capnp::struct_list;

use super::super::messages_capnp::{attribute, enumeration};
use super::super::texts::{bytes, named, short, text};
use super::filters;
use crate::error::{Result, SerializationError};
use crate::format::names::enumeration_name;
use crate::schema::{Attribute, Enumeration, EnumerationValues};
use crate::types::{DataOrder, Datatype};

/// Fills the message of an attribute.
pub(super) fn fill_attribute(mut to: attribute::Builder<'_>, attribute: &Attribute) -> Result<()> {
    to.set_name(short("The name of an attribute", &attribute.name)?);
    to.set_type(attribute.datatype.name());
    to.set_cell_val_num(attribute.cell_val_num);
    to.set_nullable(attribute.nullable);
    to.set_order(attribute.order.name());
    to.set_fill_value(bytes("A fill value", &attribute.fill_value)?);
    to.set_fill_value_validity(!attribute.nullable || attribute.fill_validity != 0);
    filters::fill(to.reborrow().init_filter_pipeline(), &attribute.filters)?;
    if let Some(name) = &attribute.enumeration {
        to.set_enumeration_name(short("The name of an enumeration", name)?);
    }
    Ok(())
}

/// Reads the message of an attribute.
pub(super) fn parse_attribute(from: attribute::Reader<'_>) -> Result<Attribute> {
    let datatype = named(from.get_type(), "a datatype", Datatype::from_name)?;
    let name = text(from.get_name())?;
    let mut attribute = Attribute::new(name, datatype);
    attribute.cell_val_num = from.get_cell_val_num();
    attribute.nullable = from.get_nullable();
    attribute.filters = Arc::new(filters::parse(from.get_filter_pipeline()?)?);
    if from.has_order() {
        attribute.order = named(from.get_order(), "an order of values", DataOrder::from_name)?;
    }
    if attribute.cell_val_num == 0 || (datatype == Datatype::Any && !attribute.is_var()) {
        return Err(SerializationError::ValueSize {
            subject: "A cell of an attribute",
            size: u64::from(attribute.cell_val_num),
            expected: 1,
        }
        .into());
    }
    parse_fill_value(from, &mut attribute)?;
    if from.has_enumeration_name() {
        let name = text(from.get_enumeration_name())?.to_owned();
        attribute.enumeration = Some(name).filter(|name| !name.is_empty());
    }
    Ok(attribute)
}

/// The greatest size of a default fill value for a message without one. Cells can be larger, but
/// then their fill value would be larger than the message.
const MAX_DEFAULT_LEN: u64 = 1 << 20;

fn parse_fill_value(from: attribute::Reader<'_>, attribute: &mut Attribute) -> Result<()> {
    let fixed = Some(attribute.cell_size()).filter(|_| !attribute.is_var());
    if !from.has_fill_value() {
        if let Some(expected) = fixed.filter(|size| *size > MAX_DEFAULT_LEN) {
            return Err(fill_size(0, expected));
        }
        let (datatype, values) = (attribute.datatype, attribute.cell_val_num);
        attribute.fill_value = Attribute::default_fill_value(datatype, values)?;
        return Ok(());
    }
    let value = from.get_fill_value()?;
    let size = value.len() as u64;
    let expected = fixed.unwrap_or(size.max(1));
    if size != expected {
        return Err(fill_size(size, expected));
    }
    attribute.fill_value = value.to_vec();
    if attribute.nullable {
        attribute.fill_validity = u8::from(from.get_fill_value_validity());
    }
    Ok(())
}

fn fill_size(size: u64, expected: u64) -> crate::error::Error {
    SerializationError::ValueSize {
        subject: "A fill value",
        size,
        expected,
    }
    .into()
}

/// Returns the file of an enumeration, or a new name if it is not stored.
pub(super) fn file_or_new(file: &str) -> String {
    if file.is_empty() {
        enumeration_name()
    } else {
        file.to_owned()
    }
}

/// Fills a list of enumerations. Those that are not stored get the name of a file here.
pub(in super::super) fn fill_enumerations(
    mut to: struct_list::Builder<'_, enumeration::Owned>,
    enumerations: &[Arc<Enumeration>],
) -> Result<()> {
    for (index, enumeration) in (0..).zip(enumerations) {
        let file = file_or_new(enumeration.file());
        fill_enumeration(to.reborrow().get(index), enumeration, &file)?;
    }
    Ok(())
}

/// Fills the message of an enumeration, which is or will be in `file`.
pub(super) fn fill_enumeration(
    mut to: enumeration::Builder<'_>,
    enumeration: &Enumeration,
    file: &str,
) -> Result<()> {
    to.set_name(short("The name of an enumeration", enumeration.name())?);
    to.set_path_name(short("The file of an enumeration", file)?);
    to.set_type(enumeration.datatype().name());
    to.set_cell_val_num(enumeration.cell_val_num());
    to.set_ordered(enumeration.ordered());
    if !enumeration.data().is_empty() {
        to.set_data(bytes("An enumeration", enumeration.data())?);
    }
    if !enumeration.offsets().is_empty() {
        let starts: Vec<u8> = enumeration
            .offsets()
            .iter()
            .flat_map(|start| start.to_le_bytes())
            .collect();
        to.set_offsets(bytes("An enumeration", &starts)?);
    }
    Ok(())
}

/// Reads the message of an enumeration.
pub(in super::super) fn parse_enumeration(from: enumeration::Reader<'_>) -> Result<Enumeration> {
    let datatype = named(from.get_type(), "a datatype", Datatype::from_name)?;
    let data = from.has_data().then(|| from.get_data()).transpose()?;
    let offsets = from.has_offsets().then(|| from.get_offsets()).transpose()?;
    let values = EnumerationValues { data, offsets };
    let name = text(from.get_name())?;
    let (values_per_cell, ordered) = (from.get_cell_val_num(), from.get_ordered());
    let enumeration = Enumeration::new(name, datatype, values_per_cell, ordered, values)?;
    Ok(enumeration.stored_in(text(from.get_path_name())?))
}
