//! The record of an enumeration, the content of the generic tile of a file in
//! `__schema/__enumerations`.
//!
//! ```text
//! version         u32, always 0
//! name            u32 length, then that many bytes
//! file            u32 length, then that many bytes: the name of this file
//! datatype        u8
//! values per cell u32
//! ordered         u8, 0 or 1
//! values          u64 length, then that many bytes
//! where values vary in length:
//!   offsets       u64 length, then that many bytes, 8 for each value
//! ```
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use crate::bytes::{Cursor, Sink};
use crate::error::{EnumerationError, Result};
use crate::schema::{Enumeration, EnumerationValues};
use crate::types::{Datatype, VAR_NUM};

/// The version that is written, and the newest that can be read.
pub const VERSION: u32 = 0;

/// Reads an enumeration.
pub fn read(record: &[u8]) -> Result<Enumeration> {
    let mut from = Cursor::new("enumeration", record);
    let version = from.u32("version")?;
    if version > VERSION {
        return Err(EnumerationError::TooNew {
            version,
            newest: VERSION,
        }
        .into());
    }
    let name = from.text_u32("name")?;
    let file = from.text_u32("file")?;
    let start = from.clone();
    let code = from.u8("datatype")?;
    let datatype = Datatype::from_code(u32::from(code))
        .ok_or_else(|| start.corrupt("datatype", format!("is {code}, which is unknown")))?;
    let cell_val_num = from.u32("values per cell")?;
    let ordered = from.flag("ordered")?;
    let len = from.u64("length of values")?;
    let data = Some(from.take_u64("values", len)?).filter(|data| !data.is_empty());
    let offsets = match cell_val_num {
        VAR_NUM => {
            let len = from.u64("length of offsets")?;
            Some(from.take_u64("offsets", len)?).filter(|offsets| !offsets.is_empty())
        }
        _ => None,
    };
    from.end()?;
    let values = EnumerationValues { data, offsets };
    Enumeration::stored(&name, &file, datatype, cell_val_num, ordered, values)
}

/// Returns the bytes of an enumeration.
pub fn write(enumeration: &Enumeration) -> Vec<u8> {
    let mut to = Sink::new();
    to.u32(VERSION);
    to.text_u32(enumeration.name());
    to.text_u32(enumeration.file());
    to.u8(enumeration.datatype().code());
    to.u32(enumeration.cell_val_num());
    to.flag(enumeration.ordered());
    to.u64(enumeration.data().len() as u64);
    to.put(enumeration.data());
    if enumeration.is_var() {
        to.u64(8 * enumeration.offsets().len() as u64);
        to.u64s(enumeration.offsets());
    }
    to.into_bytes()
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test that panics has failed")]
mod tests {
    use super::*;

    fn samples() -> Vec<Enumeration> {
        let offsets: Vec<u8> = [0u64, 0, 3]
            .iter()
            .flat_map(|index| index.to_le_bytes())
            .collect();
        let texts = EnumerationValues {
            data: Some(b"redblue"),
            offsets: Some(&offsets),
        };
        let numbers = EnumerationValues {
            data: Some(&[1, 0, 2, 0]),
            offsets: None,
        };
        let make = |name, datatype, num, ordered, values| {
            Enumeration::new(name, datatype, num, ordered, values)
                .expect("values")
                .stored_in("file")
        };
        vec![
            make("texts", Datatype::StringUtf8, VAR_NUM, true, texts),
            make("numbers", Datatype::Uint16, 1, false, numbers),
            make(
                "none",
                Datatype::Int32,
                1,
                false,
                EnumerationValues::default(),
            ),
            make(
                "none",
                Datatype::StringAscii,
                VAR_NUM,
                false,
                EnumerationValues::default(),
            ),
        ]
    }

    #[test]
    fn enumerations_round_trip() {
        for sample in samples() {
            assert_eq!(read(&write(&sample)).expect("written by us"), sample);
        }
    }

    #[test]
    fn a_truncated_enumeration_is_an_error() {
        for sample in samples() {
            let whole = write(&sample);
            for cut in 0..whole.len() {
                assert!(read(&whole[..cut]).is_err(), "cut at {cut}");
            }
        }
    }

    #[test]
    fn an_enumeration_has_the_documented_bytes() {
        let bytes = write(&samples()[1]);
        let mut expected = vec![0, 0, 0, 0, 7, 0, 0, 0];
        expected.extend(b"numbers");
        expected.extend([4, 0, 0, 0]);
        expected.extend(b"file");
        expected.extend([8, 1, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0]);
        assert_eq!(bytes, expected);
    }
}
