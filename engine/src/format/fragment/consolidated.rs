//! Consolidated fragment metadata: the footers of many fragments in one generic tile.
//!
//! ```text
//! fragments   u32
//! for each
//!   name      u64 length, then that many bytes; an absolute URI before format 9
//!   offset    u64, the start of its footer in this record
//! footers     one after the other
//! ```
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use crate::bytes::{Cursor, Sink};
use crate::error::Result;

/// Returns the name of each fragment, and the bytes of the record from its footer on.
pub fn read_consolidated(record: &[u8]) -> Result<Vec<(&str, &[u8])>> {
    let mut from = Cursor::new("consolidated fragment metadata", record);
    let count = from.count_u32("fragments", 16)?;
    from.list(count, |from| read_entry(from, record))
}

fn read_entry<'a>(from: &mut Cursor<'a>, record: &'a [u8]) -> Result<(&'a str, &'a [u8])> {
    let start = from.clone();
    let len = from.u64("fragment name")?;
    let Ok(name) = std::str::from_utf8(from.take_u64("fragment name", len)?) else {
        return Err(start.corrupt("fragment name", "is not UTF-8"));
    };
    let start = from.clone();
    let offset = from.u64("footer offset")?;
    let footer = usize::try_from(offset)
        .ok()
        .and_then(|offset| record.get(offset..));
    match footer {
        Some(footer) => Ok((name, footer)),
        None => Err(start.corrupt("footer offset", format!("{offset} is beyond the record"))),
    }
}

/// Writes a record of fragment names and footers.
pub fn write_consolidated(to: &mut Sink, footers: &[(&str, Vec<u8>)]) {
    let count = u32::try_from(footers.len()).unwrap_or(u32::MAX);
    to.u32(count);
    let heads = footers.iter().map(|(name, _)| 8 + name.len() as u64 + 8);
    let mut offset = to.len() as u64 + heads.sum::<u64>();
    for (name, footer) in footers {
        to.text(name);
        to.u64(offset);
        offset += footer.len() as u64;
    }
    footers.iter().for_each(|(_, footer)| to.put(footer));
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test that panics has failed")]
mod tests {
    use super::*;

    #[test]
    fn footers_are_located_by_offset() {
        let footers = [("__1_1_a_22", vec![1, 2, 3]), ("__2_2_b_22", vec![4])];
        let mut to = Sink::new();
        write_consolidated(&mut to, &footers);
        let bytes = to.into_bytes();
        let read = read_consolidated(&bytes).expect("record");
        assert_eq!(read[0], ("__1_1_a_22", &[1u8, 2, 3, 4][..]));
        assert_eq!(read[1], ("__2_2_b_22", &[4u8][..]));
        for cut in 0..bytes.len() - 4 {
            assert!(read_consolidated(&bytes[..cut]).is_err(), "cut at {cut}");
        }
    }
}
