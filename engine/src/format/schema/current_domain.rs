//! The current domain of a schema, in bytes. It has a version of its own, which has always been 0.
//!
//! ```text
//! version u32
//! empty   u8, 0 or 1
//! where it is not empty:
//!   type  u8, 0: a rectangle
//!   of each dimension:
//!     fixed size  both ends
//!     text        size of both u64, size of the lower u64, both ends
//! ```
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use crate::bytes::{Cursor, Sink};
use crate::error::Result;
use crate::schema::{Dimension, Domain};
use crate::types::{NdRange, Range};

const VERSION: u32 = 0;
const RECTANGLE: u8 = 0;

pub(super) fn read(from: &mut Cursor<'_>, domain: &Domain) -> Result<Option<NdRange>> {
    let at = from.clone();
    let version = from.u32("version of the current domain")?;
    if version != VERSION {
        return Err(at.corrupt(
            "version of the current domain",
            format!("is {version}, newer than {VERSION}"),
        ));
    }
    if from.flag("whether the current domain is empty")? {
        return Ok(None);
    }
    let at = from.clone();
    let kind = from.u8("type of the current domain")?;
    if kind != RECTANGLE {
        return Err(at.corrupt(
            "type of the current domain",
            format!("is {kind}, which is unknown"),
        ));
    }
    let ranges = domain
        .dimensions
        .iter()
        .map(|dimension| read_range(from, dimension));
    ranges.collect::<Result<_>>().map(Some)
}

fn read_range(from: &mut Cursor<'_>, dimension: &Dimension) -> Result<Range> {
    const FIELD: &str = "range of the current domain";
    if !dimension.is_var() {
        let size = dimension.datatype.size();
        let start = from.take(FIELD, size)?;
        return Ok(Range::fixed(start, from.take(FIELD, size)?));
    }
    let at = from.clone();
    let both = from.u64(FIELD)?;
    let start = from.u64(FIELD)?;
    let end = both.checked_sub(start).ok_or_else(|| {
        at.corrupt(
            FIELD,
            format!("has {both} bytes, {start} of them the lower end"),
        )
    })?;
    let start = from.take_u64(FIELD, start)?;
    Ok(Range::var(start, from.take_u64(FIELD, end)?))
}

pub(super) fn write(current: Option<&NdRange>, to: &mut Sink) {
    to.u32(VERSION);
    to.flag(current.is_none());
    let Some(ranges) = current else {
        return;
    };
    to.u8(RECTANGLE);
    for range in ranges {
        if range.is_var() {
            to.u64((range.start().len() + range.end().len()) as u64);
            to.u64(range.start().len() as u64);
        }
        to.put(range.start());
        to.put(range.end());
    }
}
