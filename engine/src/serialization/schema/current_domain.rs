//! Current domains in messages.

use super::super::messages_capnp::current_domain;
use super::super::ranges;
use super::super::texts::{length, text};
use crate::error::{Result, SerializationError};
use crate::schema::Domain;
use crate::types::NdRange;

/// The version of current domains in the file format, which has always been 0.
const VERSION: u32 = 0;
/// The only type.
const RECTANGLE: &str = "NDRECTANGLE";

/// Fills the message of a current domain; `None` if it is the whole domain.
pub(in super::super) fn fill(
    mut to: current_domain::Builder<'_>,
    domain: &Domain,
    current: Option<&NdRange>,
) -> Result<()> {
    to.set_version(VERSION);
    let Some(current) = current else {
        to.set_empty_current_domain(());
        return Ok(());
    };
    to.set_type(RECTANGLE);
    let number = length("A current domain", current.len())?;
    let mut list = to.init_nd_rectangle().init_ndranges(number);
    let dimensions = domain.dimensions.iter();
    for (index, (range, dimension)) in (0..).zip(current.iter().zip(dimensions)) {
        let mut to = list.reborrow().get(index);
        to.set_type(dimension.datatype.name());
        ranges::fill(&mut to, std::slice::from_ref(range))?;
    }
    Ok(())
}

/// Reads the message of a current domain; `None` if it is the whole domain.
pub(in super::super) fn parse(
    from: current_domain::Reader<'_>,
    domain: &Domain,
) -> Result<Option<NdRange>> {
    let current_domain::NdRectangle(rectangle) = from.which().map_err(capnp::Error::from)? else {
        return Ok(None);
    };
    let kind = text(from.get_type())?;
    if kind != RECTANGLE {
        return Err(SerializationError::UnknownName {
            subject: "a type of current domains",
            name: kind.to_owned(),
        }
        .into());
    }
    let list = rectangle?.get_ndranges()?;
    let (found, expected) = (u64::from(list.len()), domain.dimensions.len() as u64);
    if found != expected {
        return Err(wrong_number("A current domain", found, expected));
    }
    list.iter()
        .zip(&domain.dimensions)
        .map(|(from, dimension)| {
            let ranges = ranges::parse(from, dimension)?;
            let found = ranges.len() as u64;
            match <[_; 1]>::try_from(ranges) {
                Ok([range]) => Ok(range),
                Err(_) => Err(wrong_number("A dimension of a current domain", found, 1)),
            }
        })
        .collect::<Result<NdRange>>()
        .map(Some)
}

fn wrong_number(subject: &'static str, size: u64, expected: u64) -> crate::error::Error {
    SerializationError::ValueSize {
        subject,
        size,
        expected,
    }
    .into()
}
