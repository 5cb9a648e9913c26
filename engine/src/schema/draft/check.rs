//! The rules for a complete schema.

use std::collections::HashSet;

use crate::error::{Result, SchemaCheckError, SchemaError};
use crate::filter::{FilterList, FilterType};
use crate::schema::{ArraySchema, Domain, MAX_HILBERT_DIMENSIONS};
use crate::types::{DataOrder, Layout};

/// Checks all rules.
pub(super) fn check(schema: &ArraySchema) -> Result<()> {
    let Some(first) = schema.domain.dimensions.first() else {
        return Err(SchemaCheckError::NoDimensions.into());
    };
    if schema.cell_order == Layout::Hilbert && schema.dim_num() > MAX_HILBERT_DIMENSIONS {
        return Err(SchemaCheckError::HilbertDimensions {
            number: schema.dim_num(),
            most: MAX_HILBERT_DIMENSIONS,
        }
        .into());
    }
    if schema.is_dense() {
        if first.datatype.is_real() {
            return Err(SchemaCheckError::RealDense.into());
        }
        if schema.attributes.is_empty() {
            return Err(SchemaCheckError::NoAttributes.into());
        }
        // A dimension may have been added to the domain after the domain was set.
        if schema.domain.datatype().is_none() || !schema.domain.is_fixed() {
            return Err(SchemaCheckError::MixedTypes.into());
        }
        if schema
            .domain
            .dimensions
            .iter()
            .any(|dimension| dimension.extent.is_none())
        {
            return Err(SchemaCheckError::NoExtent.into());
        }
    } else if schema.capacity == 0 {
        return Err(SchemaCheckError::NoCapacity.into());
    }
    check_coords_filters(&schema.coords_filters, &schema.domain)?;
    check_names(schema)?;
    let ordered = schema
        .attributes
        .iter()
        .any(|attribute| attribute.order != DataOrder::Unordered);
    if ordered && (!schema.is_dense() || schema.dim_num() != 1) {
        return Err(SchemaCheckError::OrderedAttributes.into());
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
    Err(SchemaCheckError::DuplicateName.into())
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
        return Err(SchemaError::RealDoubleDelta.into());
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
                return Err(SchemaError::FilterNotFirst { filter: name }.into());
            }
        }
    }
    Ok(())
}
