//! The current domain of a schema. It has its own version, which has always been 0.
//!
//! ```text
//! version u32
//! empty   u8, 0 or 1
//! if it is not empty:
//!   type  u8, 0 for a box, which follows
//! ```
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use crate::bytes::{Cursor, Sink};
use crate::error::Result;
use crate::format::rectangle;
use crate::schema::Domain;
use crate::types::NdRange;

const VERSION: u32 = 0;
const RECTANGLE: u8 = 0;

pub(super) fn read(from: &mut Cursor<'_>, domain: &Domain) -> Result<Option<NdRange>> {
    let start = from.clone();
    let version = from.u32("version of the current domain")?;
    if version != VERSION {
        return Err(start.corrupt(
            "version of the current domain",
            format!("is {version}, newer than {VERSION}"),
        ));
    }
    if from.flag("whether the current domain is empty")? {
        return Ok(None);
    }
    let start = from.clone();
    let kind = from.u8("type of the current domain")?;
    if kind != RECTANGLE {
        return Err(start.corrupt(
            "type of the current domain",
            format!("is {kind}, which is unknown"),
        ));
    }
    rectangle::read(from, "range of the current domain", domain).map(Some)
}

pub(super) fn write(current: Option<&NdRange>, to: &mut Sink) {
    to.u32(VERSION);
    to.flag(current.is_none());
    let Some(ranges) = current else {
        return;
    };
    to.u8(RECTANGLE);
    rectangle::write(to, ranges);
}
