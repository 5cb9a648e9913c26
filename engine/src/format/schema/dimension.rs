//! The domain of a schema and its dimensions.
//!
//! ```text
//! datatype of all  u8                  before v5
//! number           u32
//! for each dimension:
//!   name           text
//!   datatype       u8                  since v5
//!   values         u32, 2^32-1 for variable length    since v5
//!   filters        filter list         since v5
//!   domain's size  u64                 since v5; 0 for strings
//!   domain         lower and upper bound
//!   no extent      u8, 0 or 1
//!   extent         one value, if there is one
//! ```
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use std::sync::Arc;

use super::put_count;
use crate::bytes::{Cursor, Sink};
use crate::error::Result;
use crate::filter::FilterList;
use crate::format::filter_list::{self, datatype};
use crate::format::version::{FormatVersion, SPLIT_DIMENSIONS};
use crate::schema::{Dimension, Domain};
use crate::types::{ArrayType, Datatype, Range};

/// The size in bytes of a dimension with an empty name, in the oldest version.
const MIN_DIMENSION_LEN: usize = 4 + 2 + 1;

pub(super) fn read_domain(
    from: &mut Cursor<'_>,
    version: FormatVersion,
    array_type: ArrayType,
    coords_filters: &Arc<FilterList>,
) -> Result<Domain> {
    let common = if version < SPLIT_DIMENSIONS {
        Some(datatype(from, "datatype of the domain")?)
    } else {
        None
    };
    let start = from.clone();
    let number = from.count_u32("number of dimensions", MIN_DIMENSION_LEN)?;
    if number == 0 {
        return Err(start.corrupt("number of dimensions", "is 0"));
    }
    let dimensions = from.list(number, |from| {
        let mut dimension = match common {
            Some(datatype) => read_zipped(from, datatype)?,
            None => read_split(from, version)?,
        };
        if common.is_none() && dimension.filters.filters.is_empty() {
            dimension.filters = coords_filters.clone();
        }
        if array_type == ArrayType::Dense {
            dimension.fill_extent();
        }
        Ok(Arc::new(dimension))
    })?;
    Ok(Domain {
        dimensions: dimensions.into(),
    })
}

/// Reads a dimension whose coordinates are stored zipped with those of the others.
fn read_zipped(from: &mut Cursor<'_>, datatype: Datatype) -> Result<Dimension> {
    let name = from.text_u32("dimension name")?;
    read_bounds(from, name, datatype, Arc::default(), None)
}

fn read_split(from: &mut Cursor<'_>, version: FormatVersion) -> Result<Dimension> {
    let name = from.text_u32("dimension name")?;
    let datatype = datatype(from, "datatype of a dimension")?;
    let values = from.u32("values per coordinate")?;
    let filters = Arc::new(filter_list::read(from, version)?);
    let domain_size = from.u64("size of a domain")?;
    read_bounds(from, name, datatype, filters, Some((values, domain_size)))
}

/// Reads domain and extent. `stored` contains the number of values per coordinate and the size of
/// the domain, in versions that store them.
fn read_bounds(
    from: &mut Cursor<'_>,
    name: String,
    datatype: Datatype,
    filters: Arc<FilterList>,
    stored: Option<(u32, u64)>,
) -> Result<Dimension> {
    let before = from.clone();
    let size = datatype.size();
    let (values, domain_size) = stored.unwrap_or((1, 2 * size as u64));
    let domain = from.take_u64("domain", domain_size)?;
    let domain = match domain.split_at_checked(size) {
        _ if domain.is_empty() => None,
        Some((start, end)) if end.len() == size => Some(Range::fixed(start, end)),
        _ => return Err(before.corrupt("domain", format!("has {domain_size} bytes"))),
    };
    let extent = if from.flag("whether there is no tile extent")? {
        None
    } else {
        Some(from.take("tile extent", size)?.into())
    };
    let dimension = Dimension {
        name,
        datatype,
        cell_val_num: values,
        domain,
        extent,
        filters,
    };
    if !Dimension::supports(datatype) || !dimension.is_sound() {
        let problem = format!("of dimension '{}' is invalid", dimension.name);
        return Err(before.corrupt("datatype, domain or extent", problem));
    }
    Ok(dimension)
}

pub(super) fn write_domain(domain: &Domain, to: &mut Sink) {
    put_count(domain.dimensions.len(), to);
    for dimension in &domain.dimensions {
        to.text_u32(&dimension.name);
        to.u8(dimension.datatype.code());
        to.u32(dimension.cell_val_num);
        filter_list::write(&dimension.filters, to);
        let both = dimension
            .domain
            .as_ref()
            .and_then(Range::both)
            .unwrap_or_default();
        to.u64(both.len() as u64);
        to.put(both);
        to.flag(dimension.extent.is_none());
        to.put(dimension.extent.as_deref().unwrap_or_default());
    }
}
