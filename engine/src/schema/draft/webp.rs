//! The requirements of the WebP filter on schemas.

use std::sync::Arc;

use crate::error::{FilterError, Result, SchemaCheckError};
use crate::filter::{Filter, Webp};
use crate::schema::dimension::unsigned_extent;
use crate::schema::{ArraySchema, Attribute, Dimension};
use crate::types::Datatype;

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
    for attribute in schema
        .attributes
        .make_mut()
        .iter_mut()
        .filter(|attribute| with_webp(attribute))
    {
        let filters = Arc::make_mut(&mut Arc::make_mut(attribute).filters);
        for filter in &mut filters.filters {
            if let Filter::Webp(webp) = filter {
                webp.extents = checked_extents(webp, rows, columns)?;
            }
        }
    }
    Ok(())
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
