//! An array metadata file: puts and deletions of keys, in one generic tile.
//!
//! ```text
//! for each entry
//!   key       u32 length, then that many bytes
//!   deleted   u8, 0 or 1; nothing more if 1
//!   datatype  u8
//!   values    u32 number, then the values
//! ```
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use crate::bytes::{Cursor, Sink};
use crate::error::{Result, reserve};
use crate::types::Datatype;

/// The value of a key: an array of elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MetadataValue<'a> {
    /// The datatype of the values.
    pub datatype: Datatype,
    /// The number of values.
    pub num: u32,
    /// The values.
    pub bytes: &'a [u8],
}

/// A put, or a deletion if it has no value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MetadataEntry<'a> {
    /// The key.
    pub key: &'a str,
    /// The value; `None` deletes the key.
    pub value: Option<MetadataValue<'a>>,
}

/// Reads the entries of a file in order.
pub fn read_metadata<'a>(from: &mut Cursor<'a>) -> Result<Vec<MetadataEntry<'a>>> {
    let mut entries = Vec::new();
    while from.left() > 0 {
        let key = from.str_u32("key")?;
        let value = if from.flag("deleted")? {
            None
        } else {
            Some(read_value(from)?)
        };
        reserve("metadata", &mut entries, 1)?;
        entries.push(MetadataEntry { key, value });
    }
    Ok(entries)
}

fn read_value<'a>(from: &mut Cursor<'a>) -> Result<MetadataValue<'a>> {
    let start = from.clone();
    let code = from.u8("datatype")?;
    let Some(datatype) = Datatype::from_code(u32::from(code)) else {
        return Err(start.corrupt("datatype", format!("has the unknown code {code}")));
    };
    let num = from.u32("values")?;
    let len = u64::from(num) * datatype.size() as u64;
    Ok(MetadataValue {
        datatype,
        num,
        bytes: from.take_u64("values", len)?,
    })
}

/// Writes entries.
pub fn write_metadata<'a>(to: &mut Sink, entries: impl IntoIterator<Item = MetadataEntry<'a>>) {
    for MetadataEntry { key, value } in entries {
        to.text_u32(key);
        to.flag(value.is_none());
        if let Some(value) = value {
            to.u8(value.datatype.code());
            to.u32(value.num);
            to.put(value.bytes);
        }
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test that panics has failed")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    static SEVENS: [u8; 5 * 8] = [7; 5 * 8];

    fn value() -> impl Strategy<Value = MetadataValue<'static>> {
        (0..Datatype::ALL.len(), 0u32..5).prop_map(|(datatype, num)| {
            let datatype = Datatype::ALL[datatype];
            MetadataValue {
                datatype,
                num,
                bytes: &SEVENS[..num as usize * datatype.size()],
            }
        })
    }

    proptest! {
        #[test]
        fn entries_round_trip_and_truncated_files_are_errors(
            pairs in proptest::collection::vec(("[a-z]{0,6}", proptest::option::of(value())), 0..5),
        ) {
            let entries: Vec<_> = pairs.iter().map(|(key, value)| MetadataEntry { key, value: *value }).collect();
            let mut to = Sink::new();
            write_metadata(&mut to, entries.iter().copied());
            let bytes = to.into_bytes();
            let read = |cut| read_metadata(&mut Cursor::new("array metadata", &bytes[..cut]));
            prop_assert_eq!(&read(bytes.len()).expect("entries"), &entries);
            for cut in 0..bytes.len() {
                match read(cut) {
                    Ok(first) => prop_assert_eq!(&entries[..first.len()], &first[..]),
                    Err(error) => prop_assert!(error.is_corrupt_by(cut), "{error}"),
                }
            }
        }
    }
}
