//! The attributes of a schema.
//!
//! ```text
//! number           u32
//! for each attribute:
//!   name           text
//!   datatype       u8
//!   values         u32, 2^32-1 for variable length
//!   filters        filter list
//!   fill value     u64 length, bytes   since v6
//!   nullable       u8, 0 or 1          since v7
//!   fill validity  u8                  since v7
//!   order          u8                  since v17
//!   enumeration    text, empty for none  since v20
//! ```
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use std::sync::Arc;

use super::{code, put_count};
use crate::bytes::{Cursor, Sink};
use crate::error::Result;
use crate::format::filter_list::{self, datatype};
use crate::format::version::{ATTRIBUTE_ORDER, ENUMERATIONS, FILL_VALUE, FormatVersion, NULLABLE};
use crate::schema::Attribute;
use crate::types::{DataOrder, Datatype, VAR_NUM};

/// The size in bytes of an attribute with an empty name, in the oldest version.
const MIN_ATTRIBUTE_LEN: usize = 4 + 1 + 4 + 8;
/// The maximum size in bytes of a cell for which a default fill value is made if the file has none.
const MAX_DEFAULT_LEN: u64 = 1 << 20;

pub(super) fn read_all(
    from: &mut Cursor<'_>,
    version: FormatVersion,
) -> Result<Vec<Arc<Attribute>>> {
    let number = from.count_u32("number of attributes", MIN_ATTRIBUTE_LEN)?;
    from.list(number, |from| read(from, version).map(Arc::new))
}

pub(super) fn write_all(attributes: &[Arc<Attribute>], to: &mut Sink) {
    put_count(attributes.len(), to);
    for attribute in attributes {
        write(attribute, to);
    }
}

fn read(from: &mut Cursor<'_>, version: FormatVersion) -> Result<Attribute> {
    let name = from.text_u32("attribute name")?;
    let datatype = datatype(from, "datatype of an attribute")?;
    let cell_val_num = read_values(from, datatype)?;
    let filters = Arc::new(filter_list::read(from, version)?);
    let fill_value = if version >= FILL_VALUE {
        read_fill_value(from, datatype, cell_val_num)?
    } else {
        default_fill_value(from, datatype, cell_val_num)?
    };
    let has_validity = version >= NULLABLE;
    let nullable = has_validity && from.flag("nullable")?;
    let fill_validity = if has_validity {
        from.u8("fill validity")?
    } else {
        0
    };
    let order = if version >= ATTRIBUTE_ORDER {
        code(from, "order of an attribute", DataOrder::from_code)?
    } else {
        DataOrder::Unordered
    };
    let enumeration = if version >= ENUMERATIONS {
        Some(from.text_u32("enumeration of an attribute")?)
    } else {
        None
    };
    Ok(Attribute {
        name,
        datatype,
        cell_val_num,
        nullable,
        fill_value,
        fill_validity,
        filters,
        order,
        enumeration: enumeration.filter(|name| !name.is_empty()),
    })
}

fn write(attribute: &Attribute, to: &mut Sink) {
    to.text_u32(&attribute.name);
    to.u8(attribute.datatype.code());
    to.u32(attribute.cell_val_num);
    filter_list::write(&attribute.filters, to);
    to.u64(attribute.fill_value.len() as u64);
    to.put(&attribute.fill_value);
    to.flag(attribute.nullable);
    to.u8(attribute.fill_validity);
    to.u8(attribute.order.code());
    to.text_u32(attribute.enumeration.as_deref().unwrap_or_default());
}

fn read_values(from: &mut Cursor<'_>, datatype: Datatype) -> Result<u32> {
    let start = from.clone();
    let values = from.u32("values per cell")?;
    if values == 0 || datatype == Datatype::Any && values != VAR_NUM {
        return Err(start.corrupt(
            "values per cell",
            format!("is {values} for {}", datatype.name()),
        ));
    }
    Ok(values)
}

/// Returns the size of a cell in bytes; `None` for variable length.
fn fixed_size(datatype: Datatype, cell_val_num: u32) -> Option<u64> {
    (cell_val_num != VAR_NUM).then(|| u64::from(cell_val_num) * datatype.size() as u64)
}

fn read_fill_value(
    from: &mut Cursor<'_>,
    datatype: Datatype,
    cell_val_num: u32,
) -> Result<Vec<u8>> {
    let start = from.clone();
    let size = from.u64("size of a fill value")?;
    if size == 0 || fixed_size(datatype, cell_val_num).is_some_and(|cell| cell != size) {
        return Err(start.corrupt(
            "size of a fill value",
            format!("is {size}, not that of a cell"),
        ));
    }
    Ok(from.take_u64("fill value", size)?.to_vec())
}

fn default_fill_value(from: &Cursor<'_>, datatype: Datatype, cell_val_num: u32) -> Result<Vec<u8>> {
    if fixed_size(datatype, cell_val_num).is_some_and(|size| size > MAX_DEFAULT_LEN) {
        return Err(from.corrupt(
            "values per cell",
            format!("is {cell_val_num}, more than is supported"),
        ));
    }
    Attribute::default_fill_value(datatype, cell_val_num)
}
