//! Subarrays as messages.

use std::sync::Arc;

use crate::error::{QueryMessageError, Result};
use crate::query::QueryRequest;
use crate::schema::ArraySchema;
use crate::serialization::messages_capnp::subarray;
use crate::serialization::ranges;
use crate::serialization::texts::{length, short, text};
use crate::subarray::{Subarray, merged_ranges};
use crate::types::Layout;

/// Fills the message of a subarray.
pub(super) fn fill(mut to: subarray::Builder<'_>, request: &QueryRequest) -> Result<()> {
    let subarray = &request.subarray;
    to.set_layout(request.layout.name());
    to.set_coalesce_ranges(subarray.coalesces);
    let dimensions = &subarray.schema.domain.dimensions;
    // As in libtiledb: its servers return a cell once for each of the ranges that they receive.
    let is_merged = subarray.merges
        && !subarray.schema.is_dense()
        && matches!(request.layout, Layout::Unordered | Layout::GlobalOrder);
    let number = length("A list of dimensions", dimensions.len())?;
    let mut list = to.reborrow().init_ranges(number);
    for (dim, dimension) in (0u32..).zip(dimensions) {
        let mut to = list.reborrow().get(dim);
        to.set_type(dimension.datatype.name());
        to.set_has_default_range(subarray.is_whole(dim as usize));
        if is_merged {
            ranges::fill(
                &mut to,
                &merged_ranges(dimension, subarray.ranges(dim as usize)),
            )?;
        } else {
            ranges::fill(&mut to, subarray.ranges(dim as usize))?;
        }
    }
    let labels: Vec<_> = subarray.label_ranges().collect();
    if !labels.is_empty() {
        let number = length("A list of labels", labels.len())?;
        let mut list = to.reborrow().init_label_ranges(number);
        for (index, (dim, requested)) in (0..).zip(&labels) {
            let mut to = list.reborrow().get(index);
            to.set_dimension_id(u32::try_from(*dim).unwrap_or(u32::MAX));
            to.set_name(short("The name of a label", &requested.name)?);
            let mut to = to.init_ranges();
            // As in libtiledb: the datatype of the dimension.
            let datatype = dimensions.get(*dim).map(|dimension| dimension.datatype);
            to.set_type(datatype.map_or("", |datatype| datatype.name()));
            ranges::fill(&mut to, &requested.ranges)?;
        }
    }
    to.init_stats();
    Ok(())
}

/// Reads the message of a subarray of an array with this schema.
pub(super) fn parse(from: subarray::Reader<'_>, schema: &Arc<ArraySchema>) -> Result<Subarray> {
    let mut subarray = Subarray::new(schema);
    subarray.set_coalesce(from.get_coalesce_ranges())?;
    if from.has_attribute_ranges() {
        return Err(QueryMessageError::AttributeRanges.into());
    }
    let list = from.get_ranges()?;
    let dimensions = &schema.domain.dimensions;
    if list.len() as usize != dimensions.len() {
        let expected = dimensions.len() as u64;
        let size = list.len() as usize;
        return Err(ranges::wrong_size("A subarray", size, expected));
    }
    for from in from.get_label_ranges()? {
        let name = text(from.get_name())?;
        let Some(label) = schema.label(name) else {
            return Err(QueryMessageError::UnknownField { name: name.into() }.into());
        };
        let size = (!label.is_var()).then(|| label.datatype.size());
        for range in ranges::parse_sized(from.get_ranges()?, size)? {
            if label.is_var() {
                subarray.add_label_range_var(name, range.start(), range.end())?;
            } else {
                subarray.add_label_range(name, range.start(), range.end())?;
            }
        }
    }
    for ((dim, from), dimension) in (0u32..).zip(list).zip(dimensions) {
        if from.get_has_default_range() {
            continue;
        }
        let ranges = ranges::parse(from, dimension)?;
        if subarray.has_label_ranges(dim) {
            subarray.resolve_label(dim as usize, &ranges)?;
            continue;
        }
        for range in ranges {
            if dimension.is_var() {
                subarray.add_range_var(dim, range.start(), range.end())?;
            } else {
                subarray.add_range(dim, range.start(), range.end())?;
            }
        }
    }
    Ok(subarray)
}
