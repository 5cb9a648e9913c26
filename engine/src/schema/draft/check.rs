//! The rules for a complete schema.

use std::collections::HashSet;

use super::{check_failed, usage_error};
use crate::error::Result;
use crate::filter::{FilterList, FilterType};
use crate::schema::{ArraySchema, Domain};
use crate::types::{DataOrder, Layout};

/// The maximum number of dimensions of Hilbert order.
const HILBERT_DIMENSIONS: usize = 16;

/// Checks all rules.
pub(super) fn check(schema: &ArraySchema) -> Result<()> {
    let Some(first) = schema.domain.dimensions.first() else {
        return Err(check_failed("No dimensions provided"));
    };
    if schema.cell_order == Layout::Hilbert && schema.dim_num() > HILBERT_DIMENSIONS {
        return Err(check_failed(
            "Maximum dimensions supported by Hilbert order exceeded",
        ));
    }
    if schema.is_dense() {
        if first.datatype.is_real() {
            return Err(check_failed(
                "Dense arrays cannot have floating point domains",
            ));
        }
        if schema.attributes.is_empty() {
            return Err(check_failed("No attributes provided"));
        }
        // A dimension may have been added to the domain after the domain was set.
        if schema.domain.datatype().is_none() || !schema.domain.is_fixed() {
            return Err(check_failed(
                "In dense arrays, all dimensions must have the same datatype",
            ));
        }
        if schema
            .domain
            .dimensions
            .iter()
            .any(|dimension| dimension.extent.is_none())
        {
            return Err(check_failed(
                "Dense arrays must have a tile extent for each dimension",
            ));
        }
    } else if schema.capacity == 0 {
        return Err(check_failed(
            "Sparse arrays cannot have their capacity equal to zero.",
        ));
    }
    check_coords_filters(&schema.coords_filters, &schema.domain)?;
    check_names(schema)?;
    let ordered = schema
        .attributes
        .iter()
        .any(|attribute| attribute.order != DataOrder::Unordered);
    if ordered && (!schema.is_dense() || schema.dim_num() != 1) {
        return Err(check_failed(
            "Ordered attributes are only supported on dense arrays with 1 dimension.",
        ));
    }
    Ok(())
}

/// Returns an error if two fields have the same name.
pub(crate) fn check_names(schema: &ArraySchema) -> Result<()> {
    let attributes = schema.attributes.iter().map(|field| &field.name);
    let dimensions = schema.domain.dimensions.iter().map(|field| &field.name);
    let labels = schema.labels.iter().map(|field| &field.name);
    let mut names = attributes.chain(dimensions).chain(labels);
    let mut seen = HashSet::new();
    if names.all(|name| seen.insert(name)) {
        return Ok(());
    }
    Err(check_failed(
        "Attributes, dimensions and dimension labels must have unique names",
    ))
}

/// Checks coordinate filters against the dimensions that inherit them.
pub(super) fn check_coords_filters(filters: &FilterList, domain: &Domain) -> Result<()> {
    let inheriting = || {
        domain
            .dimensions
            .iter()
            .filter(|dimension| dimension.filters.filters.is_empty())
    };
    if filters.has(FilterType::DoubleDelta)
        && inheriting().any(|dimension| dimension.datatype.is_real())
    {
        return Err(usage_error(
            "Real dimension cannot inherit coordinate filters with DOUBLE DELTA compression",
        ));
    }
    if inheriting().any(|dimension| dimension.is_var()) {
        for (kind, name) in [
            (FilterType::Rle, "RLE"),
            (FilterType::Dictionary, "Dictionary"),
        ] {
            if filters.has(kind)
                && filters
                    .filters
                    .first()
                    .is_some_and(|first| first.kind() != kind)
            {
                return Err(usage_error(format!(
                    "{name} filter must be the first filter to apply when used on variable length string dimensions"
                )));
            }
        }
    }
    Ok(())
}
