//! The dimension labels of a schema.
//!
//! ```text
//! number            u32
//! for each label:
//!   dimension       u32, its index
//!   name            text
//!   URI is relative u8, 0 or 1
//!   URI             u64 length, bytes
//!   attribute       text
//!   order           u8
//!   datatype        u8
//!   values          u32, 2^32-1 for variable length
//!   is external     u8, 0 or 1
//! ```
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use super::{code, put_count};
use crate::bytes::{Cursor, Sink};
use crate::error::Result;
use crate::format::filter_list::datatype;
use crate::schema::{DimensionLabel, Domain};
use crate::types::DataOrder;

/// The size in bytes of a label with empty strings.
const MIN_LABEL_LEN: usize = 4 + 4 + 1 + 8 + 4 + 1 + 1 + 4 + 1;

pub(super) fn read_all(from: &mut Cursor<'_>, domain: &Domain) -> Result<Vec<DimensionLabel>> {
    let number = from.count_u32("number of labels", MIN_LABEL_LEN)?;
    from.list(number, |from| read(from, domain))
}

pub(super) fn write_all(labels: &[DimensionLabel], to: &mut Sink) {
    put_count(labels.len(), to);
    for label in labels {
        write(label, to);
    }
}

fn read(from: &mut Cursor<'_>, domain: &Domain) -> Result<DimensionLabel> {
    let start = from.clone();
    let dimension = from.u32("dimension of a label")?;
    if dimension as usize >= domain.dimensions.len() {
        return Err(start.corrupt(
            "dimension of a label",
            format!("is {dimension}, of {}", domain.dimensions.len()),
        ));
    }
    Ok(DimensionLabel {
        dimension,
        name: from.text_u32("label name")?,
        uri_is_relative: from.flag("whether a label's URI is relative")?,
        uri: from.text("URI of a label")?,
        attribute: from.text_u32("attribute of a label")?,
        order: code(from, "order of a label", DataOrder::from_code)?,
        datatype: datatype(from, "datatype of a label")?,
        cell_val_num: from.u32("values per label")?,
        is_external: from.flag("whether a label is external")?,
        schema: None,
    })
}

fn write(label: &DimensionLabel, to: &mut Sink) {
    to.u32(label.dimension);
    to.text_u32(&label.name);
    to.flag(label.uri_is_relative);
    to.text(&label.uri);
    to.text_u32(&label.attribute);
    to.u8(label.order.code());
    to.u8(label.datatype.code());
    to.u32(label.cell_val_num);
    to.flag(label.is_external);
}
