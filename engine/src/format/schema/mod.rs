//! The record of an array schema, the content of the generic tile of a schema file.
//!
//! ```text
//! version              u32
//! allows duplicates    u8                                   since v5
//! array type           u8
//! tile order           u8
//! cell order           u8
//! capacity             u64
//! coordinate filters   filter list
//! offsets filters      filter list
//! validity filters     filter list                          since v7
//! domain               datatype u8 (before v5), number of dimensions u32, dimensions
//! attributes           number u32, attributes
//! labels               number u32, labels                   since v18
//! enumerations         number u32; for each, name and file  since v20
//! current domain       see `current_domain`                 since v22
//! ```
//!
//! All versions can be read; the newest is written. Strings are preceded by a 32-bit length.
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

mod attribute;
mod current_domain;
mod dimension;
mod label;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::bytes::{Cursor, Sink};
use crate::error::{Result, SchemaCheckError};
use crate::filter::FilterList;
use crate::format::filter_list;
use crate::format::names::{FragmentName, is_without_path};
use crate::format::version::{
    ALLOWS_DUPS, CURRENT_DOMAIN, DIMENSION_LABELS, ENUMERATIONS, FormatVersion, NULLABLE,
};
use crate::schema::{ArraySchema, EnumerationPath, check_names};
use crate::types::{ArrayType, Layout, TimeRange};

/// Reads a schema; `name` is the name of its file, which contains its timestamps.
pub fn read(record: &[u8], name: &str) -> Result<ArraySchema> {
    let mut from = Cursor::new("array schema", record);
    let version = read_version(&mut from)?;
    let allows_dups = version >= ALLOWS_DUPS && from.flag("allows duplicates")?;
    let array_type = code(&mut from, "array type", ArrayType::from_code)?;
    let tile_order = code(&mut from, "tile order", |code| {
        Layout::from_code(code).filter(|order| matches!(order, Layout::RowMajor | Layout::ColMajor))
    })?;
    let cell_order = code(&mut from, "cell order", Layout::from_code)?;
    let capacity = from.u64("capacity")?;
    let coords_filters = Arc::new(filter_list::read(&mut from, version)?);
    let offsets_filters = Arc::new(filter_list::read(&mut from, version)?);
    let validity_filters = if version >= NULLABLE {
        filter_list::read(&mut from, version)?
    } else {
        // Older versions have no nullable attributes.
        FilterList::default()
    };
    let domain = dimension::read_domain(&mut from, version, array_type, &coords_filters)?;
    let attributes = attribute::read_all(&mut from, version)?;
    let labels = if version >= DIMENSION_LABELS {
        label::read_all(&mut from, &domain)?
    } else {
        Vec::new()
    };
    let enumerations = if version >= ENUMERATIONS {
        read_enumerations(&mut from)?
    } else {
        Vec::new()
    };
    let current_domain = if version >= CURRENT_DOMAIN {
        current_domain::read(&mut from, &domain)?
    } else {
        None
    };
    from.end()?;
    let schema = ArraySchema {
        version: version.0,
        array_type,
        tile_order,
        cell_order,
        capacity,
        allows_dups,
        domain,
        attributes: attributes.into(),
        labels: labels.into(),
        enumerations: enumerations.into(),
        current_domain,
        coords_filters,
        offsets_filters,
        validity_filters: Arc::new(validity_filters),
        name: name.to_owned(),
        timestamps: timestamps_of(name),
    };
    check(&schema)?;
    Ok(schema)
}

/// Returns the record of a schema, in the layout that all versions from [`FormatVersion::WRITTEN`]
/// on have.
pub fn write(schema: &ArraySchema) -> Vec<u8> {
    let mut to = Sink::new();
    to.u32(FormatVersion(schema.version).of_records().0);
    to.flag(schema.allows_dups);
    to.u8(schema.array_type.code());
    to.u8(schema.tile_order.code());
    to.u8(schema.cell_order.code());
    to.u64(schema.capacity);
    filter_list::write(&schema.coords_filters, &mut to);
    filter_list::write(&schema.offsets_filters, &mut to);
    filter_list::write(&schema.validity_filters, &mut to);
    dimension::write_domain(&schema.domain, &mut to);
    attribute::write_all(&schema.attributes, &mut to);
    label::write_all(&schema.labels, &mut to);
    write_enumerations(&schema.enumerations, &mut to);
    current_domain::write(schema.current_domain.as_ref(), &mut to);
    to.into_bytes()
}

fn read_version(from: &mut Cursor<'_>) -> Result<FormatVersion> {
    let start = from.clone();
    let version = FormatVersion(from.u32("version")?);
    if version > FormatVersion::NEWEST {
        return Err(SchemaCheckError::TooNew {
            version: version.0,
            newest: FormatVersion::NEWEST.0,
        }
        .into());
    }
    if !version.is_readable() {
        return Err(start.corrupt("version", format!("is {version}")));
    }
    Ok(version)
}

/// Reads the code of an enumeration type.
fn code<T>(
    from: &mut Cursor<'_>,
    field: &'static str,
    known: impl FnOnce(u32) -> Option<T>,
) -> Result<T> {
    let start = from.clone();
    let code = from.u8(field)?;
    known(u32::from(code))
        .ok_or_else(|| start.corrupt(field, format!("is {code}, which is unknown")))
}

/// Returns the timestamps in the name of a schema file; zeros for the fixed name of old arrays.
fn timestamps_of(name: &str) -> TimeRange {
    FragmentName::parse(name).map_or(TimeRange { start: 0, end: 0 }, |name| name.timestamps())
}

/// The size in bytes of an enumeration with empty strings.
const MIN_ENUMERATION_LEN: usize = 8;

fn read_enumerations(from: &mut Cursor<'_>) -> Result<Vec<EnumerationPath>> {
    let number = from.count_u32("number of enumerations", MIN_ENUMERATION_LEN)?;
    from.list(number, |from| {
        let name = from.text_u32("enumeration name")?;
        let start = from.clone();
        let file = from.text_u32("enumeration file")?;
        if !is_without_path(&file) {
            let problem = format!("is '{file}', which is not the name of a file");
            return Err(start.corrupt("enumeration file", problem));
        }
        Ok(EnumerationPath::new(name, file))
    })
}

fn write_enumerations(enumerations: &[EnumerationPath], to: &mut Sink) {
    put_count(enumerations.len(), to);
    for enumeration in enumerations {
        to.text_u32(&enumeration.name);
        to.text_u32(&enumeration.file);
    }
}

/// Writes the number of the following records.
fn put_count(number: usize, to: &mut Sink) {
    to.u32(u32::try_from(number).unwrap_or(u32::MAX));
}

/// Checks the properties on which other modules rely, since files are not trusted.
fn check(schema: &ArraySchema) -> Result<()> {
    check_names(schema)?;
    if !schema.is_dense() {
        return match schema.capacity {
            0 => Err(SchemaCheckError::NoCapacity.into()),
            _ => Ok(()),
        };
    }
    if schema.attributes.is_empty() {
        return Err(SchemaCheckError::NoAttributes.into());
    }
    match schema.domain.datatype() {
        Some(datatype) if datatype.is_real() => Err(SchemaCheckError::RealDense.into()),
        Some(_) if schema.domain.is_fixed() => Ok(()),
        _ => Err(SchemaCheckError::MixedTypes.into()),
    }
}
