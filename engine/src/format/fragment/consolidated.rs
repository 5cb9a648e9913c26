//! Consolidated fragment metadata: the footers of many fragments in one generic tile.
//!
//! ```text
//! fragments   u32
//! for each
//!   name      u64 length, then that many bytes; an absolute URI before 9
//!   offset    u64, where its footer starts in this record
//! footers     one after the other
//! ```
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use crate::bytes::Cursor;
use crate::error::Result;

/// The entries of a record: how it names each fragment, and the bytes from its footer on.
pub fn read_consolidated(record: &[u8]) -> Result<Vec<(&str, &[u8])>> {
    let mut from = Cursor::new("consolidated fragment metadata", record);
    let count = from.count_u32("fragments", 16)?;
    (0..count).map(|_| read_entry(&mut from, record)).collect()
}

fn read_entry<'a>(from: &mut Cursor<'a>, record: &'a [u8]) -> Result<(&'a str, &'a [u8])> {
    let at = from.clone();
    let len = from.u64("fragment name")?;
    let Ok(name) = std::str::from_utf8(from.take_u64("fragment name", len)?) else {
        return Err(at.corrupt("fragment name", "is not UTF-8"));
    };
    let at = from.clone();
    let offset = from.u64("footer offset")?;
    let footer = usize::try_from(offset)
        .ok()
        .and_then(|offset| record.get(offset..));
    match footer {
        Some(footer) => Ok((name, footer)),
        None => Err(at.corrupt("footer offset", format!("{offset} is beyond the record"))),
    }
}
