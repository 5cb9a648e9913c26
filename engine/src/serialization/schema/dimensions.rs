//! Domains and dimensions in messages.

use std::sync::Arc;

use super::super::messages_capnp::{dimension, domain};
use super::super::texts::{length, named, short, text};
use super::super::values;
use super::filters;
use crate::error::{Result, SerializationError};
use crate::schema::{ArraySchema, Dimension, Domain};
use crate::types::{Datatype, Layout, Range, VAR_NUM};

/// Fills the message of the domain of a schema.
pub(super) fn fill(mut to: domain::Builder<'_>, schema: &ArraySchema) -> Result<()> {
    let dimensions = &schema.domain.dimensions;
    // Clients before 2.10 need the datatype of the first dimension.
    if let Some(first) = dimensions.first() {
        to.set_type(first.datatype.name());
    }
    to.set_tile_order(schema.tile_order.name());
    to.set_cell_order(schema.cell_order.name());
    let number = length("A list of dimensions", dimensions.len())?;
    let mut list = to.init_dimensions(number);
    for (index, dimension) in (0..).zip(dimensions) {
        fill_dimension(list.reborrow().get(index), dimension)?;
    }
    Ok(())
}

fn fill_dimension(mut to: dimension::Builder<'_>, dimension: &Dimension) -> Result<()> {
    to.set_name(short("The name of a dimension", &dimension.name)?);
    to.set_type(dimension.datatype.name());
    to.set_null_tile_extent(dimension.extent.is_none());
    if let Some(domain) = dimension.domain.as_ref().and_then(Range::both) {
        values::fill(to.reborrow().init_domain(), dimension.datatype, domain)?;
    }
    if let Some(extent) = &dimension.extent {
        let to = to.reborrow().init_tile_extent();
        values::fill_extent(to, dimension.datatype, extent);
    }
    filters::fill(to.init_filter_pipeline(), &dimension.filters)
}

/// Reads the message of a domain.
pub(super) fn parse(from: domain::Reader<'_>) -> Result<Domain> {
    named(
        from.get_cell_order(),
        "an order of cells",
        Layout::from_name,
    )?;
    named(
        from.get_tile_order(),
        "an order of tiles",
        Layout::from_name,
    )?;
    let dimensions = from
        .get_dimensions()?
        .iter()
        .map(|from| parse_dimension(from).map(Arc::new));
    Ok(Domain {
        dimensions: dimensions.collect::<Result<_>>()?,
    })
}

fn parse_dimension(from: dimension::Reader<'_>) -> Result<Dimension> {
    let datatype = named(from.get_type(), "a datatype", Datatype::from_name)?;
    let unsupported = |part| SerializationError::DatatypeOf {
        datatype: datatype.name(),
        part,
    };
    if !Dimension::supports(datatype) {
        return Err(unsupported("a dimension").into());
    }
    let is_text = datatype == Datatype::StringAscii;
    let domain = if from.has_domain() {
        let both = values::parse(from.get_domain()?, datatype)?;
        let bounds = both.split_at_checked(datatype.size());
        let (start, end) = bounds
            .filter(|(start, end)| start.len() == end.len())
            .ok_or_else(|| unsupported("a domain of this size"))?;
        Some(Range::fixed(start, end))
    } else {
        None
    };
    let has_extent = !from.get_null_tile_extent() && !is_text;
    let extent = has_extent.then(|| values::parse_extent(from.get_tile_extent(), datatype));
    let dimension = Dimension {
        name: text(from.get_name())?.to_owned(),
        datatype,
        cell_val_num: if is_text { VAR_NUM } else { 1 },
        domain,
        extent: extent.transpose()?,
        filters: Arc::new(filters::parse(from.get_filter_pipeline()?)?),
    };
    if !dimension.is_sound() {
        return Err(unsupported("a dimension with this domain and extent").into());
    }
    Ok(dimension)
}
