//! Estimated sizes of the results of a read as messages.

use std::collections::HashMap;

use crate::buffers::FieldSizes;
use crate::error::{MessageKind, Result};
use crate::query::Query;
use crate::serialization::message::{self, DEFAULT_LIMIT, MessageEncoding};
use crate::serialization::messages_capnp::estimated_result_size;
use crate::serialization::texts::{length, short, text};
use crate::types::CellType;

/// Writes the estimated sizes of the results of all attributes and dimensions.
pub fn write_result_sizes(query: &Query, encoding: MessageEncoding) -> Result<Vec<u8>> {
    let kind = MessageKind::ResultSizes;
    message::write::<estimated_result_size::Owned>(kind, encoding, |mut to| {
        let estimates = query.estimates()?;
        let number = length("A list of fields", estimates.len())?;
        let mut results = to.reborrow().init_result_sizes().init_entries(number);
        for (index, (name, estimate)) in (0..).zip(&estimates) {
            let mut entry = results.reborrow().get(index);
            entry.set_key(short("The name of a field", name)?)?;
            let sizes = MessageSizes::of(*estimate, is_var(query, name));
            let mut to = entry.init_value();
            to.set_size_fixed(sizes.fixed as f64);
            to.set_size_var(sizes.var as f64);
            to.set_size_validity(sizes.validity as f64);
        }
        let mut memory = to.init_memory_sizes().init_entries(number);
        for (index, (name, estimate)) in (0..).zip(&estimates) {
            let mut entry = memory.reborrow().get(index);
            entry.set_key(short("The name of a field", name)?)?;
            let sizes = MessageSizes::of(*estimate, is_var(query, name));
            let mut to = entry.init_value();
            to.set_size_fixed(sizes.fixed);
            to.set_size_var(sizes.var);
            to.set_size_validity(sizes.validity);
        }
        Ok(())
    })
}

fn is_var(query: &Query, name: &str) -> bool {
    let cells = query.request().cell_type(&[], name);
    cells.is_some_and(CellType::is_var)
}

/// Reads the estimated sizes of the results of `query`, which is not changed.
pub fn read_result_sizes(
    bytes: &[u8],
    query: &Query,
    encoding: MessageEncoding,
) -> Result<HashMap<String, FieldSizes>> {
    let (kind, limit) = (MessageKind::ResultSizes, DEFAULT_LIMIT);
    message::read::<estimated_result_size::Owned, _>(kind, encoding, bytes, limit, |from| {
        from.get_result_sizes()?
            .get_entries()?
            .iter()
            .map(|entry| {
                let name = text(entry.get_key())?.to_owned();
                let estimate = entry.get_value()?;
                // libtiledb sends fractions and rounds them up. Conversions of numbers that are
                // negative or not finite saturate.
                let bytes = |size: f64| size.ceil() as u64;
                let sizes = MessageSizes {
                    fixed: bytes(estimate.get_size_fixed()),
                    var: bytes(estimate.get_size_var()),
                    validity: bytes(estimate.get_size_validity()),
                }
                .of_field(is_var(query, &name));
                Ok((name, sizes))
            })
            .collect()
    })
}

/// The sizes in bytes of the buffers of a field, as messages name them.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessageSizes {
    /// The values of fixed length, or the offsets of values of variable length.
    pub(super) fixed: u64,
    /// The values of variable length.
    pub(super) var: u64,
    pub(super) validity: u64,
}

impl MessageSizes {
    /// Converts the sizes of a field. `is_var` states whether its cells have variable length.
    pub(super) fn of(sizes: FieldSizes, is_var: bool) -> Self {
        let FieldSizes {
            data,
            offsets,
            validity,
        } = sizes;
        let (fixed, var) = if is_var { (offsets, data) } else { (data, 0) };
        Self {
            fixed,
            var,
            validity,
        }
    }

    /// Returns the sizes for a field. `is_var` states whether its cells have variable length.
    pub(super) fn of_field(self, is_var: bool) -> FieldSizes {
        FieldSizes {
            data: if is_var { self.var } else { self.fixed },
            offsets: if is_var { self.fixed } else { 0 },
            validity: self.validity,
        }
    }
}
