//! The sizes of the buffers of a query, and the positions of their content after the message.

use std::ops::Range;

use super::estimates::MessageSizes;
use crate::buffers::{FieldSizes, OffsetsForm, PerBuffer};
use crate::error::{QueryMessageError, Result};
use crate::query::{NamedAggregate, Query};
use crate::serialization::messages_capnp::query;
use crate::serialization::texts::{length, short, text};

/// The size of a buffer in bytes.
#[derive(Clone, Copy, Debug)]
pub struct BufferSize {
    /// The size of the content.
    pub size: u64,
    /// The size when the buffer was set.
    pub original: u64,
}

/// The buffers of a field that a message describes; `None` for buffers that are not set.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct FieldHeader<'a> {
    pub name: &'a str,
    pub data: Option<BufferSize>,
    pub offsets: Option<BufferSize>,
    pub validity: Option<BufferSize>,
}

/// The buffers of a field in a received message.
#[derive(Clone, Debug)]
pub struct MessageField {
    /// The field.
    pub name: String,
    /// Whether cells have a variable length.
    pub is_var: bool,
    /// Whether cells may be null.
    pub is_nullable: bool,
    /// Whether the field is the result of an aggregate.
    pub is_aggregate: bool,
    /// The sizes of the content.
    pub sizes: FieldSizes,
    /// The sizes of the buffers of the client.
    pub originals: FieldSizes,
    /// The size of a value in bytes.
    value_size: u64,
    /// The first byte of the content, after the message.
    start: u64,
}

impl MessageField {
    /// Returns whether the field has content.
    pub(super) fn has_cells(&self) -> bool {
        self.sizes.data > 0 || self.sizes.offsets > 0
    }

    /// Returns whether nothing follows the message whose first field this is.
    pub fn has_no_content(&self, bytes: &[u8]) -> bool {
        self.start == bytes.len() as u64
    }

    /// Returns the number of bytes that an offset counts as 1.
    pub fn offset_unit(&self, form: OffsetsForm) -> u64 {
        if form.elements { self.value_size } else { 1 }
    }

    /// Checks that results have ascending offsets within the values.
    pub fn check_offsets(&self, content: &PerBuffer<&[u8]>, form: OffsetsForm) -> Result<()> {
        let unit = self.offset_unit(form);
        let mut last = 0u64;
        let mut ascends = content.offsets.len().is_multiple_of(form.width);
        for offset in content.offsets.chunks_exact(form.width) {
            let mut value = [0; 8];
            for (to, from) in value.iter_mut().zip(offset) {
                *to = *from;
            }
            let offset = u64::from_le_bytes(value);
            ascends &= last <= offset;
            last = offset;
        }
        let size = content.data.len() as u64;
        if ascends && last.checked_mul(unit).is_some_and(|last| last <= size) {
            return Ok(());
        }
        let name = self.name.clone();
        Err(QueryMessageError::BadOffsets { name }.into())
    }

    /// Returns the content in `bytes`, which are the message and what follows it.
    ///
    /// # Errors
    /// If the content has fewer bytes than the message states.
    pub fn content<'a>(&self, bytes: &'a [u8]) -> Result<PerBuffer<&'a [u8]>> {
        let mut position = self.start;
        let mut next = |size: u64| {
            let start = position;
            position = position.saturating_add(size);
            part(bytes, start..position)
        };
        let offsets = next(if self.is_var { self.sizes.offsets } else { 0 })?;
        Ok(PerBuffer {
            offsets,
            data: next(self.sizes.data)?,
            validity: next(self.sizes.validity)?,
        })
    }
}

fn part(bytes: &[u8], range: Range<u64>) -> Result<&[u8]> {
    let (start, end) = (usize::try_from(range.start), usize::try_from(range.end));
    let found = start
        .ok()
        .zip(end.ok())
        .and_then(|(start, end)| bytes.get(start..end));
    let has = bytes.len() as u64;
    let needs = range.end;
    Ok(found.ok_or(QueryMessageError::MissingContent { has, needs })?)
}

/// Fills the headers of the buffers of fields, and the sums of their sizes.
pub(super) fn fill(mut to: query::Builder<'_>, fields: &[FieldHeader<'_>]) -> Result<()> {
    let number = length("A list of buffers", fields.len())?;
    let mut totals = FieldSizes::default();
    let mut list = to.reborrow().init_attribute_buffer_headers(number);
    for (index, field) in (0..).zip(fields) {
        let mut to = list.reborrow().get(index);
        to.set_name(short("The name of a field", field.name)?);
        let fixed = field.offsets.or(field.data).ok_or_else(|| {
            let name = field.name.to_owned();
            QueryMessageError::NoBuffer { name }
        })?;
        let var = field.offsets.and(field.data);
        to.set_fixed_len_buffer_size_in_bytes(fixed.size);
        to.set_original_fixed_len_buffer_size_in_bytes(fixed.original);
        totals.offsets = totals.offsets.saturating_add(fixed.size);
        if let Some(var) = var {
            to.set_var_len_buffer_size_in_bytes(var.size);
            to.set_original_var_len_buffer_size_in_bytes(var.original);
            totals.data = totals.data.saturating_add(var.size);
        }
        if let Some(validity) = field.validity {
            to.set_validity_len_buffer_size_in_bytes(validity.size);
            to.set_original_validity_len_buffer_size_in_bytes(validity.original);
            totals.validity = totals.validity.saturating_add(validity.size);
        }
    }
    to.set_total_fixed_length_buffer_bytes(totals.offsets);
    to.set_total_var_len_buffer_bytes(totals.data);
    to.set_total_validity_buffer_bytes(totals.validity);
    Ok(())
}

/// Reads the headers. `start` is the size of the message, which the content follows.
pub(super) fn parse(
    from: query::Reader<'_>,
    query: &Query,
    aggregates: &[NamedAggregate],
    mut start: u64,
) -> Result<Vec<MessageField>> {
    from.get_attribute_buffer_headers()?
        .iter()
        .map(|from| {
            let name = text(from.get_name())?.to_owned();
            let Some(cells) = query.request().cell_type(aggregates, &name) else {
                return Err(QueryMessageError::UnknownField { name }.into());
            };
            let value_size = query.request().value_size(&name).max(1);
            let sent = MessageSizes {
                fixed: from.get_fixed_len_buffer_size_in_bytes(),
                var: from.get_var_len_buffer_size_in_bytes(),
                validity: from.get_validity_len_buffer_size_in_bytes(),
            };
            // Clients before 2.2.5 do not send the original sizes.
            let or_sent = |original: u64, sent: u64| if original > 0 { original } else { sent };
            let originals = MessageSizes {
                fixed: or_sent(
                    from.get_original_fixed_len_buffer_size_in_bytes(),
                    sent.fixed,
                ),
                var: or_sent(from.get_original_var_len_buffer_size_in_bytes(), sent.var),
                validity: or_sent(
                    from.get_original_validity_len_buffer_size_in_bytes(),
                    sent.validity,
                ),
            };
            let sizes = sent.of_field(cells.is_var());
            let field = MessageField {
                is_aggregate: aggregates.iter().any(|known| known.name == name),
                name,
                is_var: cells.is_var(),
                is_nullable: cells.nullable,
                sizes,
                originals: originals.of_field(cells.is_var()),
                value_size,
                start,
            };
            let size = sizes.data.saturating_add(sizes.offsets);
            start = start.saturating_add(size).saturating_add(sizes.validity);
            Ok(field)
        })
        .collect()
}
