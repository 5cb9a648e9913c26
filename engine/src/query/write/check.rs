//! The caller's buffers as columns of cells, checked.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::query::buffers::{FieldCells, OffsetsForm};
use crate::schema::{ArraySchema, Attribute, StoredField};
use crate::types::VAR_NUM;

/// The cells of one attribute.
#[derive(Debug)]
pub(super) struct Column<'a> {
    pub(super) field: StoredField,
    /// The bytes of a fixed-size cell.
    pub(super) cell_size: usize,
    pub(super) data: &'a [u8],
    /// Where each variable-length cell starts, and the end of the last.
    pub(super) ends: Option<Vec<u64>>,
    pub(super) validity: Option<&'a [u8]>,
    pub(super) cell_num: usize,
}

fn wrong(message: String) -> Error {
    Error::usage("WriterBase", message)
}

/// The columns of all attributes, in the schema's order.
pub(super) fn columns<'a>(
    schema: &ArraySchema,
    buffers: &[FieldCells<'a>],
    form: OffsetsForm,
) -> Result<Vec<Column<'a>>> {
    let column = |attribute: &Arc<Attribute>| {
        let found = buffers.iter().find(|field| field.name == attribute.name);
        let data = found.and_then(|field| field.data);
        let (Some(field), Some(data)) = (found, data) else {
            return Err(Error::usage(
                "[TileDB::Query] Error",
                "Writes expect all attributes (and coordinates in the sparse/unordered case) to be set",
            ));
        };
        let var = attribute.cell_val_num == VAR_NUM;
        let cell_size = if var {
            0
        } else {
            attribute.datatype.size() * attribute.cell_val_num as usize
        };
        let ends = match (var, field.offsets) {
            (true, Some(offsets)) => Some(ends_of(attribute, offsets, data.len() as u64, form)?),
            (true, None) => {
                return Err(wrong(format!(
                    "Offsets of attribute {} are not set",
                    attribute.name
                )));
            }
            _ => None,
        };
        let cell_num = ends
            .as_ref()
            .map_or_else(|| data.len() / cell_size.max(1), |ends| ends.len() - 1);
        let validity = if attribute.nullable {
            field.validity
        } else {
            None
        };
        Ok(Column {
            field: attribute.as_ref().into(),
            cell_size,
            data,
            ends,
            validity,
            cell_num,
        })
    };
    schema.attributes.iter().map(column).collect()
}

/// Every column must have `cell_num` cells.
pub(super) fn same_cell_num(columns: &[Column<'_>], cell_num: u64) -> Result<()> {
    for column in columns {
        let name = &column.field.name;
        if let Some(validity) = column.validity
            && validity.len() as u64 != cell_num
        {
            return Err(wrong(format!(
                "Buffer sizes check failed; Invalid number of validity cells given for attribute '{name}' ({} != {cell_num})",
                validity.len()
            )));
        }
        let exact =
            column.ends.is_some() || column.data.len() == column.cell_num * column.cell_size;
        if column.cell_num as u64 != cell_num || !exact {
            return Err(wrong(format!(
                "Buffer sizes check failed; Invalid number of cells given for attribute '{name}' ({} != {cell_num})",
                column.cell_num
            )));
        }
    }
    Ok(())
}

/// Offsets as the caller gave them, in bytes, with the end of the last cell.
fn ends_of(
    attribute: &Attribute,
    offsets: &[u8],
    size: u64,
    form: OffsetsForm,
) -> Result<Vec<u64>> {
    let name = &attribute.name;
    let value_size = attribute.datatype.size();
    let number = usize::try_from(form.capacity(offsets.len())).unwrap_or_default();
    if form.extra {
        check_extra(attribute, offsets, number, size, form)?;
    }
    let mut ends = Vec::new();
    ends.try_reserve_exact(number + 1)
        .map_err(|_| Error::OutOfMemory {
            what: "offsets",
            bytes: number as u64 * 8,
        })?;
    ends.extend((0..number).map(|cell| form.get(offsets, cell, value_size)));
    if let Some(at) = ends.windows(2).position(|pair| pair[1] < pair[0]) {
        let outside = ends[at] > size;
        return Err(wrong(if outside {
            format!(
                "Invalid offsets for attribute {name}; offset {} specified at index {at} for buffer of size {size}",
                ends[at]
            )
        } else {
            format!(
                "Invalid offsets for attribute {name}; offsets must be given in strictly ascending order."
            )
        }));
    }
    if let Some(at) = ends.iter().position(|offset| *offset > size) {
        return Err(wrong(match at {
            0 => format!(
                "Invalid offsets for attribute {name}; offset {} specified for buffer of size {size}",
                ends[0]
            ),
            _ => format!(
                "Invalid offsets for attribute {name}; offset {} specified at index {at} for buffer of size {size}",
                ends[at]
            ),
        }));
    }
    ends.push(size);
    Ok(ends)
}

/// The extra offset behind those of `number` cells must be the end of the data.
fn check_extra(
    attribute: &Attribute,
    offsets: &[u8],
    number: usize,
    size: u64,
    form: OffsetsForm,
) -> Result<()> {
    let value_size = attribute.datatype.size();
    let has_extra = offsets.len() / form.width > number;
    let last = has_extra.then(|| form.get(offsets, number, value_size));
    if last == Some(size) {
        return Ok(());
    }
    let unit = if form.elements { value_size as u64 } else { 1 };
    Err(wrong(format!(
        "Invalid offsets for attribute {}; the last offset: {} is not equal to the size of the data buffer: {}",
        attribute.name,
        last.unwrap_or_default() / unit,
        size / unit
    )))
}
