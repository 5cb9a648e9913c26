//! Non-empty domains as messages: of all dimensions with any datatypes, and the older one of
//! dimensions with one datatype.

use super::message::{self, DEFAULT_LIMIT, MessageEncoding};
use super::messages_capnp::{non_empty_domain, non_empty_domain_list};
use super::{ranges, values};
use crate::error::{MessageKind, Result, SerializationError};
use crate::schema::Domain;
use crate::types::{Datatype, NdRange};

const KIND: MessageKind = MessageKind::NonEmptyDomain;

/// Writes a non-empty domain with a range for each dimension; `None` for an empty array.
pub fn write_non_empty_domains(
    domain: Option<&NdRange>,
    encoding: MessageEncoding,
) -> Result<Vec<u8>> {
    message::write::<non_empty_domain_list::Owned>(KIND, encoding, |to| {
        ranges::fill_non_empty_domain(to, domain)
    })
}

/// Reads a non-empty domain with a range for each dimension; `None` for an empty array.
pub fn read_non_empty_domains(
    bytes: &[u8],
    encoding: MessageEncoding,
    domain: &Domain,
) -> Result<Option<NdRange>> {
    let limit = DEFAULT_LIMIT;
    message::read::<non_empty_domain_list::Owned, _>(KIND, encoding, bytes, limit, |from| {
        ranges::parse_non_empty_domain(from, domain)
    })
}

/// Writes the bounds of all dimensions, concatenated; `None` for an empty array. The dimensions
/// must have one datatype of fixed size.
pub fn write_non_empty_domain(
    bounds: Option<&[u8]>,
    encoding: MessageEncoding,
    domain: &Domain,
) -> Result<Vec<u8>> {
    message::write::<non_empty_domain::Owned>(KIND, encoding, |mut to| {
        to.set_is_empty(bounds.is_none());
        match bounds {
            Some(bounds) => {
                let datatype = common_datatype(domain)?;
                values::fill(to.init_non_empty_domain(), datatype, bounds)
            }
            None => Ok(()),
        }
    })
}

/// Reads the bounds of all dimensions, concatenated; `None` for an empty array.
pub fn read_non_empty_domain(
    bytes: &[u8],
    encoding: MessageEncoding,
    domain: &Domain,
) -> Result<Option<Vec<u8>>> {
    let limit = DEFAULT_LIMIT;
    message::read::<non_empty_domain::Owned, _>(KIND, encoding, bytes, limit, |from| {
        if from.get_is_empty() {
            return Ok(None);
        }
        let datatype = common_datatype(domain)?;
        let bounds = values::parse(from.get_non_empty_domain()?, datatype)?;
        let (size, expected) = (bounds.len() as u64, bounds_size(domain, datatype) as u64);
        if size == expected {
            return Ok(Some(bounds));
        }
        let subject = "A non-empty domain";
        Err(SerializationError::ValueSize {
            subject,
            size,
            expected,
        }
        .into())
    })
}

/// Returns the size in bytes of the bounds of all dimensions.
pub fn bounds_size(domain: &Domain, datatype: Datatype) -> usize {
    2 * domain.dimensions.len() * datatype.size()
}

/// Returns the datatype of all dimensions, or an error if they differ or are texts.
pub fn common_datatype(domain: &Domain) -> Result<Datatype> {
    match domain.datatype() {
        Some(datatype) if domain.is_fixed() => Ok(datatype),
        Some(datatype) => Err(SerializationError::DatatypeOf {
            datatype: datatype.name(),
            part: "the bounds of all dimensions",
        }
        .into()),
        None => Err(SerializationError::MixedDatatypes.into()),
    }
}
