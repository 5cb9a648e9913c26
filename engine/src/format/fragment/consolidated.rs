//! Consolidated fragment metadata: the footers of many fragments in one file.
//!
//! ```text
//! for each fragment
//!   name      u64 length, then that many bytes; an absolute URI before 9
//!   offset    u64, where its footer starts in this file
//! footers     one after the other, without their lengths; the first ends the list of names
//! ```
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use crate::bytes::Cursor;
use crate::error::Result;

/// The entries of a file: the fragment's name, and the bytes from its footer on.
pub fn read_consolidated(file: &[u8]) -> Result<Vec<(&str, &[u8])>> {
    let mut from = Cursor::new("consolidated fragment metadata", file);
    let mut entries = Vec::new();
    let mut first_footer = u64::MAX;
    while (from.position() as u64) < first_footer && from.left() > 0 {
        let at = from.clone();
        let len = from.u64("fragment name")?;
        let text = from.take_u64("fragment name", len)?;
        let Ok(text) = std::str::from_utf8(text) else {
            return Err(at.corrupt("fragment name", "is not UTF-8"));
        };
        let at = from.clone();
        let offset = from.u64("footer offset")?;
        let footer = usize::try_from(offset)
            .ok()
            .and_then(|offset| file.get(offset..));
        let Some(footer) = footer else {
            return Err(at.corrupt("footer offset", format!("{offset} is beyond the file")));
        };
        first_footer = first_footer.min(offset);
        let name = text.trim_end_matches('/').rsplit('/').next();
        entries.push((name.unwrap_or_default(), footer));
    }
    Ok(entries)
}
