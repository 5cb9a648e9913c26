//! The rules for a complete schema, and the tile extents that WebP filters of it contain.

use std::sync::Arc;

use crate::error::{FilterError, Result, SchemaCheckError, SchemaError};
use crate::filter::{Filter, FilterList, FilterType, Webp};
use crate::schema::dimension::unsigned_extent;
use crate::schema::{ArraySchema, Attribute, Dimension, Domain, MAX_HILBERT_DIMENSIONS};
use crate::types::{DataOrder, Datatype, Layout};

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
    let (attributes, labels) = (&schema.attributes, &schema.labels);
    let dimensions = &schema.domain.dimensions;
    let has_duplicates = attributes.has_duplicates()
        || dimensions.has_duplicates()
        || labels.has_duplicates()
        || dimensions.iter().any(|found| attributes.has(&found.name))
        || labels
            .iter()
            .any(|label| attributes.has(&label.name) || dimensions.has(&label.name));
    if has_duplicates {
        return Err(SchemaCheckError::DuplicateName.into());
    }
    Ok(())
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

/// Checks WebP filters against the tile extents and stores the extents in the filters.
pub(super) fn set_webp_extents(schema: &mut ArraySchema) -> Result<()> {
    let is_webp = |filter: &Filter| matches!(filter, Filter::Webp(_));
    let with_webp = |attribute: &Arc<Attribute>| attribute.filters.filters.iter().any(is_webp);
    let wrong_type =
        |attribute: &Arc<Attribute>| with_webp(attribute) && attribute.datatype != Datatype::Uint8;
    if schema.attributes.iter().any(wrong_type) {
        return Err(SchemaCheckError::WebpType.into());
    }
    if !schema.attributes.iter().any(with_webp) {
        return Ok(());
    }
    let (rows, columns) = webp_extents(schema)?;
    schema.attributes.update(|attributes| {
        for attribute in attributes.iter_mut().filter(|found| with_webp(found)) {
            let filters = Arc::make_mut(&mut Arc::make_mut(attribute).filters);
            for filter in &mut filters.filters {
                if let Filter::Webp(webp) = filter {
                    webp.extents = checked_extents(webp, rows, columns)?;
                }
            }
        }
        Ok(())
    })
}

/// Returns the tile extents of rows and columns.
fn webp_extents(schema: &ArraySchema) -> Result<(u64, u64)> {
    if !schema.is_dense() {
        return Err(SchemaCheckError::WebpSparse.into());
    }
    let [rows, columns] = &schema.domain.dimensions[..] else {
        return Err(SchemaCheckError::WebpDimensions {
            number: schema.dim_num(),
        }
        .into());
    };
    if rows.datatype != columns.datatype {
        return Err(SchemaCheckError::WebpMixed.into());
    }
    let extent =
        |dimension: &Dimension| unsigned_extent(dimension.extent.as_deref().unwrap_or_default());
    Ok((extent(rows), extent(columns)))
}

/// The maximum width and height of a WebP image in pixels.
const MAX_PIXELS: u64 = 16383;

fn checked_extents(webp: &Webp, rows: u64, columns: u64) -> Result<(u16, u16)> {
    let depth = webp.format.depth();
    if !columns.is_multiple_of(depth) {
        return Err(match depth {
            3 => FilterError::WebpDepth3.into(),
            _ => FilterError::WebpDepth4.into(),
        });
    }
    if rows > MAX_PIXELS || columns / depth > MAX_PIXELS {
        return Err(FilterError::WebpTooLarge.into());
    }
    match (u16::try_from(rows), u16::try_from(columns)) {
        (Ok(rows), Ok(columns)) => Ok((rows, columns)),
        _ => Err(FilterError::WebpTooLarge.into()),
    }
}
